# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""A kernel that would run on any number of cores, lowered for a grid of 8 x 8.

SPY301: the product of the grid's axes is 64, twice what the device has. 4 x 8 is the largest such grid.
"""

import triton
import triton.language as tl


@triton.jit
def scale_matrix_kernel(
    x_ptr, out_ptr, factor, stride_x, stride_out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride_x, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride_out, 1], block_shape=[BLOCK_M, BLOCK_N])
    m_blocks = tl.cdiv(M, BLOCK_M)
    n_blocks = tl.cdiv(N, BLOCK_N)
    m_share = tl.cdiv(m_blocks, tl.num_programs(0))
    n_share = tl.cdiv(n_blocks, tl.num_programs(1))
    m_start = tl.program_id(0) * m_share
    n_start = tl.program_id(1) * n_share
    for m in range(m_start, tl.minimum(m_start + m_share, m_blocks)):
        for n in range(n_start, tl.minimum(n_start + n_share, n_blocks)):
            x = x_desc.load([m * BLOCK_M, n * BLOCK_N])
            out_desc.store([m * BLOCK_M, n * BLOCK_N], x * factor)


VARIANTS = {
    "scale_matrix": {
        "KERNEL": scale_matrix_kernel,
        "SIGNATURE": {
            "x_ptr": "*fp32",
            "out_ptr": "*fp32",
            "factor": "fp32",
            "stride_x": "i32",
            "stride_out": "i32",
            "M": "i32",
            "N": "i32",
            "BLOCK_M": "constexpr",
            "BLOCK_N": "constexpr",
        },
        "CONSTEXPRS": {"BLOCK_M": 64, "BLOCK_N": 1024},
        "GRID": [8, 8],
    },
}
