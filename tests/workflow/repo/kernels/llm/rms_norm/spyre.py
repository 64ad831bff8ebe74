# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _rms_norm_kernel.
# Original: kernels/llm/rms_norm/original.py
# Changes summarized in kernels/llm/rms_norm/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _rms_norm_kernel_spyre(x_ptr, y_ptr, n_rows, n_cols, eps, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """x / rms(x) by rows, in blocks of columns."""
    x_desc = tl.make_tensor_descriptor(x_ptr, [n_rows, n_cols], [n_cols, 1], [BLOCK_M, BLOCK_N])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n_rows, n_cols], [n_cols, 1], [BLOCK_M, BLOCK_N])
    for m in range(tl.program_id(0), tl.cdiv(n_rows, BLOCK_M), tl.num_programs(0)):
        squares = tl.zeros([BLOCK_M], tl.float32)
        for k in range(0, n_cols, BLOCK_N):
            x = x_desc.load([m * BLOCK_M, k]).to(tl.float32)
            squares += tl.sum(x * x, axis=1)
        scale = tl.rsqrt(squares / n_cols + eps)
        for k in range(0, n_cols, BLOCK_N):
            x = x_desc.load([m * BLOCK_M, k]).to(tl.float32)
            y_desc.store([m * BLOCK_M, k], (x * scale[:, None]).to(y_desc.dtype))
