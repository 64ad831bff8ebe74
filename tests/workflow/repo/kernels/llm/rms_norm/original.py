# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

import triton
import triton.language as tl


@triton.jit
def _rms_norm_kernel(x_ptr, y_ptr, n_rows, n_cols, eps, BLOCK_N: tl.constexpr):
    cols = tl.arange(0, BLOCK_N)
    x = tl.load(x_ptr + tl.program_id(0) * n_cols + cols, mask=cols < n_cols, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x) / n_cols + eps)
    tl.store(y_ptr + tl.program_id(0) * n_cols + cols, x * scale, mask=cols < n_cols)
