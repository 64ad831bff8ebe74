# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Gated activation of an MLP: out[t, i] = silu(x[t, i]) * x[t, d + i], one program per block of a token's row."""

import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_D": 512}, num_warps=4),
        triton.Config({"BLOCK_D": 1024}, num_warps=8),
    ],
    key=["d"],
)
@triton.jit
def _silu_and_mul_kernel(x_ptr, out_ptr, stride_x, stride_out, d, BLOCK_D: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)
    mask = cols < d
    gate = tl.load(x_ptr + token * stride_x + cols, mask=mask).to(tl.float32)
    up = tl.load(x_ptr + token * stride_x + d + cols, mask=mask).to(tl.float32)
    tl.store(out_ptr + token * stride_out + cols, gate * tl.sigmoid(gate) * up, mask=mask)
