# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""An inner loop that counts whole blocks only.

SPY502: `n_cols // BLOCK_N` skips the last, partial block, so a row of 1500 columns is summed up to column 1024. Count
with `tl.cdiv`; the descriptor fills the rest of the last block with zeros, which a sum does not mind.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_of_squares_kernel(x_ptr, out_ptr, stride_x, n_rows, n_cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(
        x_ptr, shape=[n_rows, n_cols], strides=[stride_x, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_rows], strides=[1], block_shape=[BLOCK_M])
    n_row_blocks = tl.cdiv(n_rows, BLOCK_M)
    per_core = tl.cdiv(n_row_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_row_blocks)
    for row_block in range(start, end):
        total = tl.zeros([BLOCK_M], tl.float32)
        for col_block in range(0, n_cols // BLOCK_N):
            x = x_desc.load([row_block * BLOCK_M, col_block * BLOCK_N]).to(tl.float32)
            total += tl.sum(x * x, axis=1)
        out_desc.store([row_block * BLOCK_M], total)


def sum_of_squares(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    grid = (min(32, triton.cdiv(x.shape[0], 64)),)
    sum_of_squares_kernel[grid](x, out, x.stride(0), x.shape[0], x.shape[1], BLOCK_M=64, BLOCK_N=1024)
    return out
