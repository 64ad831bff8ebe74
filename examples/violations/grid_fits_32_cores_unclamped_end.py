# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""The share is rounded up, but nobody stops the last core at the last block.

SPY305: 33 blocks on 32 cores make a share of 2, and cores 16 to 31 go on to blocks 33 to 63, which do not exist. End at
`tl.minimum(start + share, n_blocks)`.
"""

import torch
import triton
import triton.language as tl

NUM_CORES = 32
BLOCK = 65536


@triton.jit
def negate_kernel(x_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    n_blocks = tl.cdiv(n_elements, BLOCK)
    share = tl.cdiv(n_blocks, tl.num_programs(0))
    start = tl.program_id(0) * share
    for block in range(start, start + share):
        x = x_desc.load([block * BLOCK])
        out_desc.store([block * BLOCK], -x)


def negate(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    negate_kernel[(NUM_CORES,)](x, out, x.numel(), BLOCK=BLOCK)
    return out
