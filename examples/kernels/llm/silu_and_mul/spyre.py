# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _silu_and_mul_kernel.
# Original: kernels/llm/silu_and_mul/original.py
# Changes summarized in kernels/llm/silu_and_mul/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _silu_and_mul_kernel_spyre(
    x_ptr,
    out_ptr,
    stride_x,
    stride_out,
    n_tokens,
    d,
    BLOCK_T: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """out[t, i] = silu(x[t, 0, i]) * x[t, 1, i], with gate and up as an axis of their own."""
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)

    # A third axis keeps each half's tail inside its own bounds: in a [n_tokens, 2 * d] view the last block of the gate
    # would run into the up half, whose blocks would start at d, which no block size divides in general.
    x_desc = tl.make_tensor_descriptor(
        x_ptr, shape=[n_tokens, 2, d], strides=[stride_x, d, 1], block_shape=[BLOCK_T, 1, BLOCK_D]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_tokens, 1, d], strides=[stride_out, d, 1], block_shape=[BLOCK_T, 1, BLOCK_D]
    )

    d_blocks = tl.cdiv(d, BLOCK_D)
    total = tl.cdiv(n_tokens, BLOCK_T) * d_blocks
    per_core = tl.cdiv(total, num_cores)
    start = pid * per_core
    end = tl.minimum(start + per_core, total)
    for work in range(start, end):
        token = (work // d_blocks) * BLOCK_T
        col = (work % d_blocks) * BLOCK_D
        gate = x_desc.load([token, 0, col]).to(tl.float32)
        up = x_desc.load([token, 1, col]).to(tl.float32)
        result = gate * tl.sigmoid(gate) * up
        out_desc.store([token, 0, col], result.to(out_ptr.dtype.element_ty))
