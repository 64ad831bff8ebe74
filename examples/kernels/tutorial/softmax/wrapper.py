# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of softmax: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _softmax_kernel
from .spyre import _softmax_kernel_spyre

NUM_CORES = 32
BLOCK_M = 32
BLOCK_N = 2048


def softmax(x: torch.Tensor, kernel_fn=_softmax_kernel_spyre) -> torch.Tensor:
    """Softmax over the last axis of a matrix with contiguous rows."""
    assert x.dim() == 2 and x.stride(1) == 1
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    if kernel_fn is _softmax_kernel:
        kernel_fn[(n_rows,)](
            x, out, x.stride(0), out.stride(0), n_cols, BLOCK_N=triton.next_power_of_2(n_cols), num_warps=8
        )
        return out
    ensure_workspace()
    grid = (min(NUM_CORES, triton.cdiv(n_rows, BLOCK_M)),)
    _softmax_kernel_spyre[grid](x, out, x.stride(0), out.stride(0), n_rows, n_cols, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N)
    return out
