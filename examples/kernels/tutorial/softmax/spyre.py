# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _softmax_kernel.
# Original: kernels/tutorial/softmax/original.py
# Changes summarized in kernels/tutorial/softmax/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _softmax_kernel_spyre(
    x_ptr,
    out_ptr,
    stride_x,
    stride_out,
    n_rows,
    n_cols,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Row softmax in two passes over the columns: online maximum and sum, then the quotient."""
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)

    x_desc = tl.make_tensor_descriptor(
        x_ptr, shape=[n_rows, n_cols], strides=[stride_x, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_rows, n_cols], strides=[stride_out, 1], block_shape=[BLOCK_M, BLOCK_N]
    )

    n_row_blocks = tl.cdiv(n_rows, BLOCK_M)
    n_col_blocks = tl.cdiv(n_cols, BLOCK_N)
    blocks_per_core = tl.cdiv(n_row_blocks, num_cores)
    start = pid * blocks_per_core
    end = tl.minimum(start + blocks_per_core, n_row_blocks)
    for row_block in range(start, end):
        # The lowest finite number instead of -inf: a leading block that is -inf throughout must not give inf - inf.
        row_max = tl.full([BLOCK_M], -3.4e38, tl.float32)
        row_sum = tl.zeros([BLOCK_M], tl.float32)
        for col_block in range(0, n_col_blocks):
            x = x_desc.load([row_block * BLOCK_M, col_block * BLOCK_N]).to(tl.float32)
            cols = col_block * BLOCK_N + tl.arange(0, BLOCK_N)  # [gap] tl.arange in arithmetic
            # Zero is a legal score, so the lanes past the last column must read -inf for the maximum and the sum.
            x = tl.where(cols[None, :] < n_cols, x, float("-inf"))
            new_max = tl.maximum(row_max, tl.max(x, axis=1))
            row_sum = row_sum * tl.exp(row_max - new_max) + tl.sum(tl.exp(x - new_max[:, None]), axis=1)
            row_max = new_max
        for col_block in range(0, n_col_blocks):
            x = x_desc.load([row_block * BLOCK_M, col_block * BLOCK_N]).to(tl.float32)
            result = tl.exp(x - row_max[:, None]) / row_sum[:, None]
            out_desc.store([row_block * BLOCK_M, col_block * BLOCK_N], result.to(out_ptr.dtype.element_ty))
