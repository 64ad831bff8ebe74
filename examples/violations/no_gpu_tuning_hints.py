# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Promises to a GPU compiler, in the kernel and at the launch.

SPY603: `tl.assume` and `tl.multiple_of` steer the vectorisation of address arithmetic, and there are no addresses here.
SPY604: warps and pipeline stages are GPU notions.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def double_rows_kernel(x_ptr, out_ptr, stride, n_rows, n_cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    tl.assume(stride > 0)
    n_cols = tl.multiple_of(n_cols, 16)
    x_desc = tl.make_tensor_descriptor(
        x_ptr, shape=[n_rows, n_cols], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_rows, n_cols], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    n_row_blocks = tl.cdiv(n_rows, BLOCK_M)
    per_core = tl.cdiv(n_row_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_row_blocks)
    for row_block in range(start, end):
        for col_block in tl.range(0, tl.cdiv(n_cols, BLOCK_N), num_stages=3):
            x = x_desc.load([row_block * BLOCK_M, col_block * BLOCK_N])
            out_desc.store([row_block * BLOCK_M, col_block * BLOCK_N], x + x)


def double_rows(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    grid = (min(32, triton.cdiv(x.shape[0], 128)),)
    double_rows_kernel[grid](
        x, out, x.stride(0), x.shape[0], x.shape[1], BLOCK_M=128, BLOCK_N=1024, num_warps=8, num_stages=3
    )
    return out
