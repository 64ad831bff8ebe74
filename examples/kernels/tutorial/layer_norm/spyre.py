# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _layer_norm_kernel.
# Original: kernels/tutorial/layer_norm/original.py
# Changes summarized in kernels/tutorial/layer_norm/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _layer_norm_kernel_spyre(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    stride_x,
    stride_out,
    n_rows,
    n_cols,
    eps,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Layer normalisation over the last axis, BLOCK_M rows at a time: mean, variance, then the affine result."""
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)

    x_desc = tl.make_tensor_descriptor(
        x_ptr, shape=[n_rows, n_cols], strides=[stride_x, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    weight_desc = tl.make_tensor_descriptor(weight_ptr, shape=[n_cols], strides=[1], block_shape=[BLOCK_N])
    bias_desc = tl.make_tensor_descriptor(bias_ptr, shape=[n_cols], strides=[1], block_shape=[BLOCK_N])
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_rows, n_cols], strides=[stride_out, 1], block_shape=[BLOCK_M, BLOCK_N]
    )

    n_row_blocks = tl.cdiv(n_rows, BLOCK_M)
    n_col_blocks = tl.cdiv(n_cols, BLOCK_N)
    blocks_per_core = tl.cdiv(n_row_blocks, num_cores)
    start = pid * blocks_per_core
    end = tl.minimum(start + blocks_per_core, n_row_blocks)
    for row_block in range(start, end):
        # Zero lanes past the last column add nothing to this sum.
        total = tl.zeros([BLOCK_M], tl.float32)
        for col_block in range(0, n_col_blocks):
            x = x_desc.load([row_block * BLOCK_M, col_block * BLOCK_N]).to(tl.float32)
            total += tl.sum(x, axis=1)
        mean = total / n_cols

        # Here they would: 0 - mean is not zero, so the difference is masked before it is squared.
        squares = tl.zeros([BLOCK_M], tl.float32)
        for col_block in range(0, n_col_blocks):
            x = x_desc.load([row_block * BLOCK_M, col_block * BLOCK_N]).to(tl.float32)
            cols = col_block * BLOCK_N + tl.arange(0, BLOCK_N)  # [gap] tl.arange in arithmetic
            centred = tl.where(cols[None, :] < n_cols, x - mean[:, None], 0.0)
            squares += tl.sum(centred * centred, axis=1)
        rstd = 1.0 / tl.sqrt(squares / n_cols + eps)

        for col_block in range(0, n_col_blocks):
            x = x_desc.load([row_block * BLOCK_M, col_block * BLOCK_N]).to(tl.float32)
            weight = weight_desc.load([col_block * BLOCK_N]).to(tl.float32)
            bias = bias_desc.load([col_block * BLOCK_N]).to(tl.float32)
            result = (x - mean[:, None]) * rstd[:, None] * weight[None, :] + bias[None, :]
            out_desc.store([row_block * BLOCK_M, col_block * BLOCK_N], result.to(out_ptr.dtype.element_ty))
