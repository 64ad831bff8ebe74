# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""The value part of a fused query-key-value projection, reached by moving the base pointer.

SPY105: a descriptor's base must be the bare argument. The three parts are better an axis of the descriptor: shape
[n_tokens, 3, width], strides [stride_qkv, width, 1], and the part is the middle offset of the load.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def split_value_kernel(
    qkv_ptr, value_ptr, stride_qkv, stride_value, n_tokens, width, BLOCK_T: tl.constexpr, BLOCK_W: tl.constexpr
):
    first_value = qkv_ptr + 2 * width
    qkv_desc = tl.make_tensor_descriptor(
        first_value, shape=[n_tokens, width], strides=[stride_qkv, 1], block_shape=[BLOCK_T, BLOCK_W]
    )
    value_desc = tl.make_tensor_descriptor(
        value_ptr, shape=[n_tokens, width], strides=[stride_value, 1], block_shape=[BLOCK_T, BLOCK_W]
    )
    n_token_blocks = tl.cdiv(n_tokens, BLOCK_T)
    per_core = tl.cdiv(n_token_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_token_blocks)
    for token_block in range(start, end):
        for col_block in range(0, tl.cdiv(width, BLOCK_W)):
            value = qkv_desc.load([token_block * BLOCK_T, col_block * BLOCK_W])
            value_desc.store([token_block * BLOCK_T, col_block * BLOCK_W], value)


def split_value(qkv: torch.Tensor) -> torch.Tensor:
    n_tokens, width = qkv.shape[0], qkv.shape[1] // 3
    value = torch.empty((n_tokens, width), dtype=qkv.dtype, device=qkv.device)
    grid = (min(32, triton.cdiv(n_tokens, 64)),)
    split_value_kernel[grid](qkv, value, qkv.stride(0), value.stride(0), n_tokens, width, BLOCK_T=64, BLOCK_W=2048)
    return value
