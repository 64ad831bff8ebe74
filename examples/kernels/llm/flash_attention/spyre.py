# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _flash_attention_kernel.
# Original: kernels/llm/flash_attention/original.py
# Changes summarized in kernels/llm/flash_attention/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _flash_attention_kernel_spyre(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    stride_q,
    stride_k,
    stride_v,
    stride_out,
    seq_len,
    num_kv_heads,
    scale,
    GROUP_SIZE: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Causal attention with an online softmax; a work item is one block of queries of one query head.

    The heads of a token lie side by side, so a head is a block of HEAD_DIM columns of a [seq_len, heads * HEAD_DIM]
    matrix and every tile has rank 2.
    """
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)
    num_heads = num_kv_heads * GROUP_SIZE

    q_desc = tl.make_tensor_descriptor(
        q_ptr, shape=[seq_len, num_heads * HEAD_DIM], strides=[stride_q, 1], block_shape=[BLOCK_M, HEAD_DIM]
    )
    k_desc = tl.make_tensor_descriptor(
        k_ptr, shape=[seq_len, num_kv_heads * HEAD_DIM], strides=[stride_k, 1], block_shape=[BLOCK_N, HEAD_DIM]
    )
    v_desc = tl.make_tensor_descriptor(
        v_ptr, shape=[seq_len, num_kv_heads * HEAD_DIM], strides=[stride_v, 1], block_shape=[BLOCK_N, HEAD_DIM]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[seq_len, num_heads * HEAD_DIM], strides=[stride_out, 1], block_shape=[BLOCK_M, HEAD_DIM]
    )

    q_blocks = tl.cdiv(seq_len, BLOCK_M)
    total = q_blocks * num_heads
    per_core = tl.cdiv(total, num_cores)
    start = pid * per_core
    end = tl.minimum(start + per_core, total)
    for work in range(start, end):
        head = work // q_blocks
        q_block = work % q_blocks
        kv_head = head // GROUP_SIZE
        rows = q_block * BLOCK_M + tl.arange(0, BLOCK_M)  # [gap] tl.arange in arithmetic
        q = q_desc.load([q_block * BLOCK_M, head * HEAD_DIM])

        row_max = tl.full([BLOCK_M], float("-inf"), tl.float32)
        row_sum = tl.zeros([BLOCK_M], tl.float32)
        acc = tl.zeros([BLOCK_M, HEAD_DIM], tl.float32)
        # Keys after the last query of the block are masked for all its rows, so the walk ends there.
        visible = tl.minimum((q_block + 1) * BLOCK_M, seq_len)
        for kv_block in range(0, tl.cdiv(visible, BLOCK_N)):
            k = k_desc.load([kv_block * BLOCK_N, kv_head * HEAD_DIM])
            scores = tl.dot(q, tl.trans(k)) * scale
            cols = kv_block * BLOCK_N + tl.arange(0, BLOCK_N)  # [gap] tl.arange in arithmetic
            seen = (cols[None, :] <= rows[:, None]) & (cols[None, :] < seq_len)
            scores = tl.where(seen, scores, float("-inf"))
            # Key 0 is in the first block and every row sees it, so new_max is finite from there on.
            new_max = tl.maximum(row_max, tl.max(scores, axis=1))
            p = tl.exp(scores - new_max[:, None])
            decay = tl.exp(row_max - new_max)
            row_sum = row_sum * decay + tl.sum(p, axis=1)
            v = v_desc.load([kv_block * BLOCK_N, kv_head * HEAD_DIM])
            acc = tl.dot(p.to(v.dtype), v, acc * decay[:, None])
            row_max = new_max

        out = acc / row_sum[:, None]
        out_desc.store([q_block * BLOCK_M, head * HEAD_DIM], out.to(out_ptr.dtype.element_ty))
