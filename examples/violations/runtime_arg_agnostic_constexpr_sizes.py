# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""The sizes of a request as `tl.constexpr` parameters.

SPY501: every new number of rows or columns compiles a new kernel, and the compiled one is right for one shape only.
Sizes are runtime arguments; only tile sizes and properties of the model are constexpr.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_rows_kernel(
    x_ptr,
    out_ptr,
    n_rows: tl.constexpr,
    n_cols: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    x_desc = tl.make_tensor_descriptor(
        x_ptr, shape=[n_rows, n_cols], strides=[n_cols, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_rows, n_cols], strides=[n_cols, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    n_row_blocks = tl.cdiv(n_rows, BLOCK_M)
    per_core = tl.cdiv(n_row_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_row_blocks)
    for row_block in range(start, end):
        for col_block in range(0, tl.cdiv(n_cols, BLOCK_N)):
            x = x_desc.load([row_block * BLOCK_M, col_block * BLOCK_N])
            out_desc.store([row_block * BLOCK_M, col_block * BLOCK_N], x)


def copy_rows(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    copy_rows_kernel[(32,)](x, out, n_rows=x.shape[0], n_cols=x.shape[1], BLOCK_M=128, BLOCK_N=1024)
    return out
