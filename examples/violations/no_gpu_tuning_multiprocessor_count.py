# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""A persistent kernel with one program per multiprocessor of the GPU it happens to run on.

SPY605: the number of cores is asked of a CUDA device. Spyre has 32, so 32 is what the host code should say.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def clamp_kernel(x_ptr, out_ptr, low, high, n_elements, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n_elements], strides=[1], block_shape=[BLOCK])
    n_blocks = tl.cdiv(n_elements, BLOCK)
    for block in range(tl.program_id(0), n_blocks, tl.num_programs(0)):
        x = x_desc.load([block * BLOCK])
        out_desc.store([block * BLOCK], tl.minimum(tl.maximum(x, low), high))


def clamp(x: torch.Tensor, low: float, high: float) -> torch.Tensor:
    out = torch.empty_like(x)
    processors = torch.cuda.get_device_properties(x.device).multi_processor_count
    grid = (min(32, processors, triton.cdiv(x.numel(), 65536)),)
    clamp_kernel[grid](x, out, low, high, x.numel(), BLOCK=65536)
    return out
