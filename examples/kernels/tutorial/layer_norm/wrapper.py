# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of layer_norm: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _layer_norm_kernel
from .spyre import _layer_norm_kernel_spyre

NUM_CORES = 32
BLOCK_M = 64
BLOCK_N = 1024


def layer_norm(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    eps: float = 1e-5,
    kernel_fn=_layer_norm_kernel_spyre,
) -> torch.Tensor:
    """Layer normalisation over the last axis of a matrix with contiguous rows."""
    assert x.dim() == 2 and x.stride(1) == 1
    n_rows, n_cols = x.shape
    assert weight.shape == bias.shape == (n_cols,)
    out = torch.empty_like(x)
    if kernel_fn is _layer_norm_kernel:
        kernel_fn[(n_rows,)](x, weight, bias, out, x.stride(0), out.stride(0), n_cols, eps, BLOCK_N=BLOCK_N)
        return out
    ensure_workspace()
    grid = (min(NUM_CORES, triton.cdiv(n_rows, BLOCK_M)),)
    _layer_norm_kernel_spyre[grid](
        x,
        weight,
        bias,
        out,
        x.stride(0),
        out.stride(0),
        n_rows,
        n_cols,
        eps,
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
    )
    return out
