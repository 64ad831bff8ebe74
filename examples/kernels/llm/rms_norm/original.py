# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Root-mean-square normalisation with a weight, one program per row."""

import triton
import triton.language as tl


@triton.heuristics({"BLOCK_N": lambda args: min(4096, triton.next_power_of_2(args["n_cols"]))})
@triton.jit
def _rms_norm_kernel(x_ptr, weight_ptr, out_ptr, stride_x, stride_out, n_cols, eps, BLOCK_N: tl.constexpr):
    tl.multiple_of(stride_x, 16)
    row = tl.program_id(0)
    x_row = x_ptr + row * stride_x
    out_row = out_ptr + row * stride_out

    squares = tl.zeros([BLOCK_N], tl.float32)
    for first in range(0, n_cols, BLOCK_N):
        cols = first + tl.arange(0, BLOCK_N)
        x = tl.load(x_row + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        squares += x * x
    scale = tl.rsqrt(tl.sum(squares, axis=0) / n_cols + eps)

    for first in range(0, n_cols, BLOCK_N):
        cols = first + tl.arange(0, BLOCK_N)
        mask = cols < n_cols
        x = tl.load(x_row + cols, mask=mask, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_row + cols, x * scale * weight, mask=mask)
