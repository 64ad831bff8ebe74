# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Row maxima, where the mask of the pointer version was dropped together with the pointers.

SPY113: past the last column the descriptor reads zeros, and zero is not the identity of a maximum. A row of negative
numbers with a ragged tail gets the maximum 0. Set those lanes to -inf with `tl.where` before the reduction.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_max_kernel(x_ptr, out_ptr, stride_x, n_rows, n_cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(
        x_ptr, shape=[n_rows, n_cols], strides=[stride_x, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_rows], strides=[1], block_shape=[BLOCK_M])
    n_row_blocks = tl.cdiv(n_rows, BLOCK_M)
    per_core = tl.cdiv(n_row_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_row_blocks)
    for row_block in range(start, end):
        best = tl.full([BLOCK_M], float("-inf"), tl.float32)
        for col_block in range(0, tl.cdiv(n_cols, BLOCK_N)):
            x = x_desc.load([row_block * BLOCK_M, col_block * BLOCK_N])
            best = tl.maximum(best, tl.max(x.to(tl.float32), axis=1))
        out_desc.store([row_block * BLOCK_M], best)


def row_max(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    grid = (min(32, triton.cdiv(x.shape[0], 64)),)
    row_max_kernel[grid](x, out, x.stride(0), x.shape[0], x.shape[1], BLOCK_M=64, BLOCK_N=1024)
    return out
