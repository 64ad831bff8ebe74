# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Dequantisation that reads one scale per row through a descriptor of one element.

SPY201: the last block dimension is 1 element of 4 bytes, and a descriptor needs 16. Reading a batch of rows at once
makes the same access a [BLOCK_ITEMS] vector, which is wide enough.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def dequantise_kernel(x_ptr, scale_ptr, out_ptr, stride_x, stride_out, n_rows, n_cols, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n_rows, n_cols], strides=[stride_x, 1], block_shape=[1, BLOCK_N])
    scale_desc = tl.make_tensor_descriptor(scale_ptr, shape=[n_rows], strides=[1], block_shape=[1])
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_rows, n_cols], strides=[stride_out, 1], block_shape=[1, BLOCK_N]
    )
    per_core = tl.cdiv(n_rows, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_rows)
    for row in range(start, end):
        scale = scale_desc.load([row])
        for col_block in range(0, tl.cdiv(n_cols, BLOCK_N)):
            x = x_desc.load([row, col_block * BLOCK_N]).to(tl.float32)
            out_desc.store([row, col_block * BLOCK_N], (x * scale[:, None]).to(tl.bfloat16))


def dequantise(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    assert x.dtype == torch.int8 and scale.dtype == torch.float32
    out = torch.empty(x.shape, dtype=torch.bfloat16, device=x.device)
    grid = (min(32, x.shape[0]),)
    dequantise_kernel[grid](x, scale, out, x.stride(0), out.stride(0), x.shape[0], x.shape[1], BLOCK_N=65536)
    return out
