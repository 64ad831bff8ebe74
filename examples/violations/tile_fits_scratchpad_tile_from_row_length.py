# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Row sums whose block is the row length, rounded up to a power of two at the launch.

SPY402: the tile grows with the data, so no figure bounds it: a row of a million columns asks for a tile of a million
columns. Pass a fixed block; the loop over the columns is there already.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, stride_x, n_rows, n_cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
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
        for col in range(0, n_cols, BLOCK_N):
            x = x_desc.load([row_block * BLOCK_M, col])
            total += tl.sum(x.to(tl.float32), axis=1)
        out_desc.store([row_block * BLOCK_M], total)


def row_sum(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    out = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    grid = (min(32, triton.cdiv(n_rows, 16)),)
    row_sum_kernel[grid](
        x, out, x.stride(0), n_rows, n_cols, BLOCK_M=16, BLOCK_N=max(8, triton.next_power_of_2(n_cols))
    )
    return out
