# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware kernel.
# Original: none
# Changes summarized in kernels/blas/rotate/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _rotate_kernel_spyre(x_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """y = -x.T on a grid of two axes."""
    x_desc = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    y_desc = tl.make_tensor_descriptor(y_ptr, [N, M], [M, 1], [BLOCK_N, BLOCK_M])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for n in range(tl.program_id(1), tl.cdiv(N, BLOCK_N), tl.num_programs(1)):
            x = x_desc.load([m * BLOCK_M, n * BLOCK_N])
            y_desc.store([n * BLOCK_N, m * BLOCK_M], -x.T)
