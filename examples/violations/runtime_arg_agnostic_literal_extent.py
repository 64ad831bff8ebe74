# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""The hidden size of one model, written into the kernel.

SPY504: the descriptor ends at column 4096 whatever the tensor's width is. Pass the width as a runtime argument.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_hidden_kernel(x_ptr, out_ptr, factor, n_tokens, BLOCK_T: tl.constexpr, BLOCK_H: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n_tokens, 4096], strides=[4096, 1], block_shape=[BLOCK_T, BLOCK_H])
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_tokens, 4096], strides=[4096, 1], block_shape=[BLOCK_T, BLOCK_H]
    )
    n_token_blocks = tl.cdiv(n_tokens, BLOCK_T)
    per_core = tl.cdiv(n_token_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_token_blocks)
    for token_block in range(start, end):
        for hidden in range(0, 4096, BLOCK_H):
            x = x_desc.load([token_block * BLOCK_T, hidden])
            out_desc.store([token_block * BLOCK_T, hidden], x * factor)


def scale_hidden(x: torch.Tensor, factor: float) -> torch.Tensor:
    assert x.dtype == torch.float32
    out = torch.empty_like(x)
    scale_hidden_kernel[(32,)](x, out, factor, x.shape[0], BLOCK_T=64, BLOCK_H=1024)
    return out
