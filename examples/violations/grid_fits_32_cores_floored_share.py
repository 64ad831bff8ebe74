# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Each core takes `n_blocks // num_cores` blocks.

SPY308: the division rounds down, so 100 blocks on 32 cores are 3 per core, and the last 4 are never computed. Round the
share up with `tl.cdiv` and clamp the end with `tl.minimum`.
"""

import torch
import triton
import triton.language as tl

NUM_CORES = 32
BLOCK = 65536


@triton.jit
def square_kernel(x_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    n_blocks = tl.cdiv(n_elements, BLOCK)
    share = n_blocks // num_cores
    for block in range(pid * share, (pid + 1) * share):
        x = x_desc.load([block * BLOCK]).to(tl.float32)
        out_desc.store([block * BLOCK], x * x)


def square(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x, dtype=torch.float32)
    square_kernel[(NUM_CORES,)](x, out, x.numel(), BLOCK=BLOCK)
    return out
