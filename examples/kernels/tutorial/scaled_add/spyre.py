# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _scaled_add_kernel.
# Original: kernels/tutorial/scaled_add/original.py
# Changes summarized in kernels/tutorial/scaled_add/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _scaled_add_kernel_spyre(x_ptr, y_ptr, out_ptr, alpha, n_elements, BLOCK: tl.constexpr):
    """out = x + alpha * y; each core walks its own run of blocks."""
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)

    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])

    n_blocks = tl.cdiv(n_elements, BLOCK)
    blocks_per_core = tl.cdiv(n_blocks, num_cores)
    start = pid * blocks_per_core
    end = tl.minimum(start + blocks_per_core, n_blocks)
    for block in range(start, end):
        x = x_desc.load([block * BLOCK])
        y = y_desc.load([block * BLOCK])
        result = x + alpha * y
        out_desc.store([block * BLOCK], result.to(out_ptr.dtype.element_ty))
