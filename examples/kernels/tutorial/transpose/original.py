# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""out[n, m] = x[m, n], one program per tile."""

import triton
import triton.language as tl


@triton.jit
def _transpose_kernel(
    x_ptr,
    out_ptr,
    stride_x,
    stride_out,
    M,
    N,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    x = tl.load(x_ptr + rows[:, None] * stride_x + cols[None, :], mask=mask)
    tl.store(out_ptr + cols[:, None] * stride_out + rows[None, :], tl.trans(x), mask=tl.trans(mask))
