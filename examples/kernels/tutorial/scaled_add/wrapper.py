# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of scaled_add: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _scaled_add_kernel
from .spyre import _scaled_add_kernel_spyre

NUM_CORES = 32
BLOCK = 32768
GPU_BLOCK = 1024


def scaled_add(x: torch.Tensor, y: torch.Tensor, alpha: float, kernel_fn=_scaled_add_kernel_spyre) -> torch.Tensor:
    """x + alpha * y for two contiguous tensors of one shape and type."""
    assert x.shape == y.shape and x.dtype == y.dtype
    assert x.is_contiguous() and y.is_contiguous()
    out = torch.empty_like(x)
    n_elements = x.numel()
    if kernel_fn is _scaled_add_kernel:
        kernel_fn[(triton.cdiv(n_elements, GPU_BLOCK),)](x, y, out, alpha, n_elements, BLOCK=GPU_BLOCK)
        return out
    ensure_workspace()
    grid = (min(NUM_CORES, triton.cdiv(n_elements, BLOCK)),)
    _scaled_add_kernel_spyre[grid](x, y, out, alpha, n_elements, BLOCK=BLOCK)
    return out
