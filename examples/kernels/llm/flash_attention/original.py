# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Causal attention of one prompt with grouped key-value heads: one program per block of queries and query head.

Tensors are token-major: [seq_len, heads, HEAD_DIM] with contiguous heads.
"""

import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 32}, num_warps=4, num_stages=4),
    ],
    key=["seq_len", "HEAD_DIM"],
)
@triton.jit
def _flash_attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    stride_q,
    stride_k,
    stride_v,
    stride_out,
    seq_len,
    scale,
    GROUP_SIZE: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    head = tl.program_id(1)
    kv_head = head // GROUP_SIZE
    lanes = tl.arange(0, HEAD_DIM)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    row_mask = rows[:, None] < seq_len
    q = tl.load(q_ptr + rows[:, None] * stride_q + head * HEAD_DIM + lanes[None, :], mask=row_mask, other=0.0)

    row_max = tl.full([BLOCK_M], float("-inf"), tl.float32)
    row_sum = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], tl.float32)
    last = tl.minimum((tl.program_id(0) + 1) * BLOCK_M, seq_len)
    for first in range(0, last, BLOCK_N):
        cols = first + tl.arange(0, BLOCK_N)
        col_mask = cols < seq_len
        k = tl.load(
            k_ptr + cols[None, :] * stride_k + kv_head * HEAD_DIM + lanes[:, None], mask=col_mask[None, :], other=0.0
        )
        scores = tl.dot(q, k) * scale
        scores = tl.where((cols[None, :] <= rows[:, None]) & col_mask[None, :], scores, float("-inf"))
        new_max = tl.maximum(row_max, tl.max(scores, axis=1))
        p = tl.exp(scores - new_max[:, None])
        decay = tl.exp(row_max - new_max)
        row_sum = row_sum * decay + tl.sum(p, axis=1)
        v = tl.load(
            v_ptr + cols[:, None] * stride_v + kv_head * HEAD_DIM + lanes[None, :], mask=col_mask[:, None], other=0.0
        )
        acc = tl.dot(p.to(v.dtype), v, acc * decay[:, None])
        row_max = new_max

    out = acc / row_sum[:, None]
    tl.store(out_ptr + rows[:, None] * stride_out + head * HEAD_DIM + lanes[None, :], out, mask=row_mask)
