# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _axpy_kernel.
# Original: kernels/blas/axpy/original.py
# Changes summarized in kernels/blas/axpy/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _axpy_kernel_spyre(x_ptr, y_ptr, alpha, n, BLOCK: tl.constexpr):
    """y = alpha * x + y, the blocks shared out over the cores."""
    x_desc = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n], [1], [BLOCK])
    n_blocks = tl.cdiv(n, BLOCK)
    per_core = tl.cdiv(n_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    for block in range(start, tl.minimum(start + per_core, n_blocks)):
        x = x_desc.load([block * BLOCK])
        y = y_desc.load([block * BLOCK])
        y_desc.store([block * BLOCK], (alpha * x + y).to(y_desc.dtype))
