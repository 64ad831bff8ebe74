# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Row softmax with a whole row in one tile: one program per row."""

import triton
import triton.language as tl


@triton.jit
def _softmax_kernel(x_ptr, out_ptr, stride_x, stride_out, n_cols, BLOCK_N: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_N)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride_x + cols, mask=mask, other=float("-inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride_out + cols, numerator / tl.sum(numerator, axis=0), mask=mask)
