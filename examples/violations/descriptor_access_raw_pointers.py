# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Residual addition whose work is shared out well, but every access computes addresses and masks by hand.

SPY101 and SPY102: `tl.load` and `tl.store` take pointers. A descriptor knows the extent, so the mask goes away too.
"""

import torch
import triton
import triton.language as tl

NUM_CORES = 32
BLOCK = 32768


@triton.jit
def add_residual_kernel(x_ptr, residual_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    n_blocks = tl.cdiv(n_elements, BLOCK)
    per_core = tl.cdiv(n_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_blocks)
    for block in range(start, end):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n_elements
        x = tl.load(x_ptr + offsets, mask=mask)
        residual = tl.load(residual_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, x + residual, mask=mask)


def add_residual(x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    grid = (min(NUM_CORES, triton.cdiv(x.numel(), BLOCK)),)
    add_residual_kernel[grid](x, residual, out, x.numel(), BLOCK=BLOCK)
    return out
