# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""A matrix-vector product that reads the first block of the vector in every step.

SPY119: the offset of the second load does not change with the loop around it. The result is wrong as soon as the rows
are longer than one block; it should read `col_block * BLOCK_N`.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matvec_kernel(a_ptr, x_ptr, y_ptr, stride_a, n_rows, n_cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(
        a_ptr, shape=[n_rows, n_cols], strides=[stride_a, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n_cols], strides=[1], block_shape=[BLOCK_N])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n_rows], strides=[1], block_shape=[BLOCK_M])
    n_row_blocks = tl.cdiv(n_rows, BLOCK_M)
    per_core = tl.cdiv(n_row_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_row_blocks)
    for row_block in range(start, end):
        total = tl.zeros([BLOCK_M], tl.float32)
        for col_block in range(0, tl.cdiv(n_cols, BLOCK_N)):
            a = a_desc.load([row_block * BLOCK_M, col_block * BLOCK_N]).to(tl.float32)
            x = x_desc.load([0]).to(tl.float32)
            total += tl.sum(a * x[None, :], axis=1)
        y_desc.store([row_block * BLOCK_M], total)


def matvec(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    y = torch.empty(a.shape[0], dtype=torch.float32, device=a.device)
    grid = (min(32, triton.cdiv(a.shape[0], 64)),)
    matvec_kernel[grid](a, x, y, a.stride(0), a.shape[0], a.shape[1], BLOCK_M=64, BLOCK_N=1024)
    return y
