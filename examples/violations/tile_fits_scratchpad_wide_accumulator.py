# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""A matrix product with tiles that suit a large register file.

SPY401: the fp32 accumulator of 512 x 1024 elements weighs 2 MiB, all that a core has, before any operand is loaded.
Tiles of 256 x 256 with K blocks of 256 need 512 KiB.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    n_tiles = tl.cdiv(N, BLOCK_N)
    total = tl.cdiv(M, BLOCK_M) * n_tiles
    share = tl.cdiv(total, tl.num_programs(0))
    start = tl.program_id(0) * share
    for tile in range(start, tl.minimum(start + share, total)):
        row = (tile // n_tiles) * BLOCK_M
        col = (tile % n_tiles) * BLOCK_N
        acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
        for k in range(0, K, BLOCK_K):
            acc = tl.dot(a_desc.load([row, k]), b_desc.load([k, col]), acc)
        c_desc.store([row, col], acc.to(tl.bfloat16))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    c = torch.empty((a.shape[0], b.shape[1]), dtype=torch.bfloat16, device=a.device)
    matmul_kernel[(32,)](a, b, c, a.shape[0], b.shape[1], a.shape[1], BLOCK_M=512, BLOCK_N=1024, BLOCK_K=128)
    return c
