# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Tile sizes found by timing.

SPY601: on Spyre a tile size follows from the scratchpad and from the compiler's schedule of the whole program; there is
no quick launch to time. Choose one size from the budget and pass it as a literal.
"""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 16384}, num_warps=4),
        triton.Config({"BLOCK": 32768}, num_warps=8),
        triton.Config({"BLOCK": 65536}, num_warps=8, num_stages=3),
    ],
    key=["n_elements"],
)
@triton.jit
def gelu_kernel(x_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    n_blocks = tl.cdiv(n_elements, BLOCK)
    per_core = tl.cdiv(n_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_blocks)
    for block in range(start, end):
        x = x_desc.load([block * BLOCK]).to(tl.float32)
        out_desc.store([block * BLOCK], (0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))).to(tl.bfloat16))


def gelu(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    gelu_kernel[(32,)](x, out, x.numel())
    return out
