# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of matmul: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _matmul_kernel
from .spyre import _matmul_kernel_spyre

NUM_CORES = 32
BLOCK_M = 256
BLOCK_N = 256
BLOCK_K = 256


def matmul(a: torch.Tensor, b: torch.Tensor, kernel_fn=_matmul_kernel_spyre) -> torch.Tensor:
    """a @ b for two matrices with contiguous rows."""
    assert a.shape[1] == b.shape[0] and a.stride(1) == 1 and b.stride(1) == 1
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    if kernel_fn is _matmul_kernel:

        def gpu_grid(meta):
            return (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)

        kernel_fn[gpu_grid](a, b, c, M, N, K, a.stride(0), b.stride(0), c.stride(0))
        return c
    ensure_workspace()
    tiles = triton.cdiv(M, BLOCK_M) * triton.cdiv(N, BLOCK_N)
    _matmul_kernel_spyre[(min(NUM_CORES, tiles),)](
        a,
        b,
        c,
        M,
        N,
        K,
        a.stride(0),
        b.stride(0),
        c.stride(0),
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
        BLOCK_K=BLOCK_K,
    )
    return c
