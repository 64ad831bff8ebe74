# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of rms_norm: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _rms_norm_kernel
from .spyre import _rms_norm_kernel_spyre

NUM_CORES = 32
BLOCK_M = 64
BLOCK_N = 1024


def rms_norm(
    x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6, kernel_fn=_rms_norm_kernel_spyre
) -> torch.Tensor:
    """Normalise the last axis of x, of any rank, with contiguous rows."""
    rows = x.reshape(-1, x.shape[-1])
    assert rows.stride(1) == 1 and weight.shape == (rows.shape[1],)
    n_rows, n_cols = rows.shape
    out = torch.empty_like(rows)
    if kernel_fn is _rms_norm_kernel:
        kernel_fn[(n_rows,)](rows, weight, out, rows.stride(0), out.stride(0), n_cols, eps, num_warps=8)
        return out.reshape(x.shape)
    ensure_workspace()
    grid = (min(NUM_CORES, triton.cdiv(n_rows, BLOCK_M)),)
    _rms_norm_kernel_spyre[grid](
        rows,
        weight,
        out,
        rows.stride(0),
        out.stride(0),
        n_rows,
        n_cols,
        eps,
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
    )
    return out.reshape(x.shape)
