# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Row sums through block pointers, advanced from column block to column block.

SPY103: block pointers have no counterpart on Spyre, and current Triton has dropped them. With a descriptor the offset
goes into the load, and there is nothing to advance.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, stride_x, n_rows, n_cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_rows], strides=[1], block_shape=[BLOCK_M])
    n_row_blocks = tl.cdiv(n_rows, BLOCK_M)
    per_core = tl.cdiv(n_row_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_row_blocks)
    for row_block in range(start, end):
        x_block = tl.make_block_ptr(
            base=x_ptr,
            shape=(n_rows, n_cols),
            strides=(stride_x, 1),
            offsets=(row_block * BLOCK_M, 0),
            block_shape=(BLOCK_M, BLOCK_N),
            order=(1, 0),
        )
        total = tl.zeros([BLOCK_M], tl.float32)
        for _ in range(0, tl.cdiv(n_cols, BLOCK_N)):
            x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
            total += tl.sum(x.to(tl.float32), axis=1)
            x_block = tl.advance(x_block, (0, BLOCK_N))
        out_desc.store([row_block * BLOCK_M], total)


def row_sum(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    grid = (min(32, triton.cdiv(x.shape[0], 64)),)
    row_sum_kernel[grid](x, out, x.stride(0), x.shape[0], x.shape[1], BLOCK_M=64, BLOCK_N=1024)
    return out
