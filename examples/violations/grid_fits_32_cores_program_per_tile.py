# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""The classic GPU shape: one program per block, as many programs as the tensor has blocks.

SPY302: the grid grows with the tensor, and a launch has at most 32 programs. SPY303: the program id is the block, so 32
programs would do 32 blocks and leave the rest undone. Cap the grid and loop over a share of the blocks.
"""

import torch
import triton
import triton.language as tl

BLOCK = 32768


@triton.jit
def relu_kernel(x_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    x = x_desc.load([pid * BLOCK])
    out_desc.store([pid * BLOCK], tl.maximum(x, 0.0))


def relu(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    n_elements = x.numel()
    grid = (triton.cdiv(n_elements, BLOCK),)
    relu_kernel[grid](x, out, n_elements, BLOCK=BLOCK)
    return out
