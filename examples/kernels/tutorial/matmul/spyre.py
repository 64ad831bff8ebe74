# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _matmul_kernel.
# Original: kernels/tutorial/matmul/original.py
# Changes summarized in kernels/tutorial/matmul/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _matmul_kernel_spyre(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    stride_am,
    stride_bk,
    stride_cm,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """C = A @ B; the tiles of C, row by row, are dealt out in equal runs to the cores."""
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)

    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[stride_am, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[stride_bk, 1], block_shape=[BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[stride_cm, 1], block_shape=[BLOCK_M, BLOCK_N])

    n_tiles = tl.cdiv(N, BLOCK_N)
    total_tiles = tl.cdiv(M, BLOCK_M) * n_tiles
    tiles_per_core = tl.cdiv(total_tiles, num_cores)
    start = pid * tiles_per_core
    end = tl.minimum(start + tiles_per_core, total_tiles)
    for tile in range(start, end):
        row = (tile // n_tiles) * BLOCK_M
        col = (tile % n_tiles) * BLOCK_N
        acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
        for k_block in range(0, tl.cdiv(K, BLOCK_K)):
            a = a_desc.load([row, k_block * BLOCK_K])
            b = b_desc.load([k_block * BLOCK_K, col])
            acc = tl.dot(a, b, acc)
        c_desc.store([row, col], acc.to(c_ptr.dtype.element_ty))
