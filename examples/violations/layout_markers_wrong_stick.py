# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""A physical layout whose sticks are half as long as the device's.

SPY704: a stick is 128 bytes, so fp16 rows are split every 64 elements and not every 32, which is right for fp32. The
divisor follows the element type.
"""

import triton
import triton.language as tl


@triton.jit
def add_one_kernel(x_ptr, out_ptr, M, N, LAYOUT: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    if LAYOUT is not None:
        tl.spyre_tensor_layout(x_desc, LAYOUT)
        tl.spyre_tensor_layout(out_desc, LAYOUT)
    m_blocks = tl.cdiv(M, BLOCK_M)
    per_core = tl.cdiv(m_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    for m in range(start, tl.minimum(start + per_core, m_blocks)):
        for n in range(0, tl.cdiv(N, BLOCK_N)):
            x = x_desc.load([m * BLOCK_M, n * BLOCK_N])
            out_desc.store([m * BLOCK_M, n * BLOCK_N], x + 1.0)


VARIANTS = {
    "add_one": {
        "KERNEL": add_one_kernel,
        "SIGNATURE": {
            "x_ptr": "*fp16",
            "out_ptr": "*fp16",
            "M": "i32",
            "N": "i32",
            "LAYOUT": "constexpr",
            "BLOCK_M": "constexpr",
            "BLOCK_N": "constexpr",
        },
        "CONSTEXPRS": {
            "LAYOUT": [(1, "floordiv", 32), 0, (1, "mod", 32)],
            "BLOCK_M": 128,
            "BLOCK_N": 1024,
        },
        "GRID": [32],
    },
}
