# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""The routing weights of one expert choice, read as a column of the [n_tokens, top_k] matrix.

SPY201: with 1 as the last block dimension no element type reaches 16 bytes, however many rows the block has. Keep the
weights transposed, [top_k, n_tokens]: a block of [1, BLOCK_T] holds the same numbers in one wide row.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def weight_tokens_kernel(
    x_ptr,
    weight_ptr,
    out_ptr,
    stride_x,
    stride_weight,
    stride_out,
    choice,
    n_tokens,
    top_k,
    n_cols,
    BLOCK_T: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    x_desc = tl.make_tensor_descriptor(
        x_ptr, shape=[n_tokens, n_cols], strides=[stride_x, 1], block_shape=[BLOCK_T, BLOCK_N]
    )
    weight_desc = tl.make_tensor_descriptor(
        weight_ptr, shape=[n_tokens, top_k], strides=[stride_weight, 1], block_shape=[BLOCK_T, 1]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_tokens, n_cols], strides=[stride_out, 1], block_shape=[BLOCK_T, BLOCK_N]
    )
    n_token_blocks = tl.cdiv(n_tokens, BLOCK_T)
    per_core = tl.cdiv(n_token_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_token_blocks)
    for token_block in range(start, end):
        weight = weight_desc.load([token_block * BLOCK_T, choice])
        for col_block in range(0, tl.cdiv(n_cols, BLOCK_N)):
            x = x_desc.load([token_block * BLOCK_T, col_block * BLOCK_N])
            out_desc.store([token_block * BLOCK_T, col_block * BLOCK_N], x * weight)


def weight_tokens(x: torch.Tensor, weight: torch.Tensor, choice: int) -> torch.Tensor:
    out = torch.empty_like(x)
    grid = (min(32, triton.cdiv(x.shape[0], 128)),)
    weight_tokens_kernel[grid](
        x,
        weight,
        out,
        x.stride(0),
        weight.stride(0),
        out.stride(0),
        choice,
        x.shape[0],
        weight.shape[1],
        x.shape[1],
        BLOCK_T=128,
        BLOCK_N=1024,
    )
    return out
