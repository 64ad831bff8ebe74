# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Normalisation of the heads of a query tensor, one head at a time.

SPY403: a step holds one row of 128 elements, half a kilobyte in a scratchpad of 2 MiB. Reading BLOCK_ITEMS rows at once
costs nothing and moves many times the bytes per descriptor access.
"""

import triton
import triton.language as tl


@triton.jit
def head_norm_kernel(q_ptr, out_ptr, n_items, eps, HEAD_DIM: tl.constexpr):
    q_desc = tl.make_tensor_descriptor(
        q_ptr, shape=[n_items, HEAD_DIM], strides=[HEAD_DIM, 1], block_shape=[1, HEAD_DIM]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_items, HEAD_DIM], strides=[HEAD_DIM, 1], block_shape=[1, HEAD_DIM]
    )
    per_core = tl.cdiv(n_items, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_items)
    for item in range(start, end):
        q = q_desc.load([item, 0]).to(tl.float32)
        scale = tl.rsqrt(tl.sum(q * q, axis=1) / HEAD_DIM + eps)
        out_desc.store([item, 0], (q * scale[:, None]).to(tl.float16))


VARIANTS = {
    "head_norm": {
        "KERNEL": head_norm_kernel,
        "SIGNATURE": {
            "q_ptr": "*fp16",
            "out_ptr": "*fp16",
            "n_items": "i32",
            "eps": "fp32",
            "HEAD_DIM": "constexpr",
        },
        "CONSTEXPRS": {"HEAD_DIM": 128},
        "GRID": [32],
    },
}
