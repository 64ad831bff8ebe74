# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware kernel.
# Original: none
# Changes summarized in kernels/llm/scale_rows/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _scale_rows_kernel_spyre(x_ptr, s_ptr, y_ptr, n_rows, n_cols, BLOCK_N: tl.constexpr):
    """Each row times its own factor, a row and a factor at a time."""
    x_desc = tl.make_tensor_descriptor(x_ptr, [n_rows, n_cols], [n_cols, 1], [1, BLOCK_N])
    s_desc = tl.make_tensor_descriptor(s_ptr, [n_rows], [1], [1])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n_rows, n_cols], [n_cols, 1], [1, BLOCK_N])
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        s = s_desc.load([row])
        for k in range(0, n_cols, BLOCK_N):
            y_desc.store([row, k], x_desc.load([row, k]) * s[None, :])
