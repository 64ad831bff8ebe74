# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of transpose: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _transpose_kernel
from .spyre import _transpose_kernel_spyre

GRID = (4, 8)
BLOCK_M = 256
BLOCK_N = 512
GPU_BLOCK = 64


def transpose(x: torch.Tensor, kernel_fn=_transpose_kernel_spyre) -> torch.Tensor:
    """A contiguous copy of the transposed matrix."""
    assert x.dim() == 2 and x.stride(1) == 1
    M, N = x.shape
    out = torch.empty((N, M), dtype=x.dtype, device=x.device)
    if kernel_fn is _transpose_kernel:
        gpu_grid = (triton.cdiv(M, GPU_BLOCK), triton.cdiv(N, GPU_BLOCK))
        kernel_fn[gpu_grid](x, out, x.stride(0), out.stride(0), M, N, BLOCK_M=GPU_BLOCK, BLOCK_N=GPU_BLOCK)
        return out
    ensure_workspace()
    _transpose_kernel_spyre[GRID](x, out, x.stride(0), out.stride(0), M, N, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N)
    return out
