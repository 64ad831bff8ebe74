# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _transpose_kernel.
# Original: kernels/tutorial/transpose/original.py
# Changes summarized in kernels/tutorial/transpose/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _transpose_kernel_spyre(
    x_ptr,
    out_ptr,
    stride_x,
    stride_out,
    M,
    N,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """out[n, m] = x[m, n] on a two-dimensional grid: axis 0 shares the rows out, axis 1 the columns."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)

    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride_x, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[N, M], strides=[stride_out, 1], block_shape=[BLOCK_N, BLOCK_M])

    m_blocks = tl.cdiv(M, BLOCK_M)
    m_per_core = tl.cdiv(m_blocks, tl.num_programs(0))
    m_start = pid_m * m_per_core
    m_end = tl.minimum(m_start + m_per_core, m_blocks)

    n_blocks = tl.cdiv(N, BLOCK_N)
    n_per_core = tl.cdiv(n_blocks, tl.num_programs(1))
    n_start = pid_n * n_per_core
    n_end = tl.minimum(n_start + n_per_core, n_blocks)

    for m_block in range(m_start, m_end):
        for n_block in range(n_start, n_end):
            x = x_desc.load([m_block * BLOCK_M, n_block * BLOCK_N])
            out_desc.store([n_block * BLOCK_N, m_block * BLOCK_M], tl.trans(x))
