# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware kernel.
# Original: none
# Changes summarized in kernels/llm/gather_rows/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _gather_rows_kernel_spyre(
    x_ptr, index_ptr, y_ptr, n_rows, n_out, n_cols, BLOCK_I: tl.constexpr, BLOCK_N: tl.constexpr
):
    """y[i] = x[index[i]]."""
    x_desc = tl.make_tensor_descriptor(x_ptr, [n_rows, n_cols], [n_cols, 1], [1, BLOCK_N])
    i_desc = tl.make_tensor_descriptor(index_ptr, [n_out], [1], [BLOCK_I])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n_out, n_cols], [n_cols, 1], [BLOCK_I, BLOCK_N])
    for block in range(tl.program_id(0), tl.cdiv(n_out, BLOCK_I), tl.num_programs(0)):
        index = i_desc.load([block * BLOCK_I])
        for k in range(0, n_cols, BLOCK_N):
            y_desc.store([block * BLOCK_I, k], x_desc.gather(index, k))
