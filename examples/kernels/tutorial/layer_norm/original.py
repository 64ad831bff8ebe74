# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Layer normalisation over the last axis: one program per row, three sweeps over its columns."""

import triton
import triton.language as tl


@triton.jit
def _layer_norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    stride_x,
    stride_out,
    n_cols,
    eps,
    BLOCK_N: tl.constexpr,
):
    row = tl.program_id(0)
    x_ptr += row * stride_x
    out_ptr += row * stride_out

    total = tl.zeros([BLOCK_N], tl.float32)
    for first in range(0, n_cols, BLOCK_N):
        cols = first + tl.arange(0, BLOCK_N)
        total += tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n_cols

    squares = tl.zeros([BLOCK_N], tl.float32)
    for first in range(0, n_cols, BLOCK_N):
        cols = first + tl.arange(0, BLOCK_N)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        centred = tl.where(cols < n_cols, x - mean, 0.0)
        squares += centred * centred
    rstd = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / n_cols + eps)

    for first in range(0, n_cols, BLOCK_N):
        cols = first + tl.arange(0, BLOCK_N)
        mask = cols < n_cols
        x = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + cols, mask=mask)
        bias = tl.load(bias_ptr + cols, mask=mask)
        tl.store(out_ptr + cols, (x - mean) * rstd * weight + bias, mask=mask)
