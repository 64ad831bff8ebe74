# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of silu_and_mul: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _silu_and_mul_kernel
from .spyre import _silu_and_mul_kernel_spyre

NUM_CORES = 32
BLOCK_T = 16
BLOCK_D = 2048


def silu_and_mul(x: torch.Tensor, kernel_fn=_silu_and_mul_kernel_spyre) -> torch.Tensor:
    """Gate and up projections side by side in a row of x, [n_tokens, 2 * d]; the result is [n_tokens, d]."""
    assert x.dim() == 2 and x.stride(1) == 1 and x.shape[1] % 2 == 0
    n_tokens = x.shape[0]
    d = x.shape[1] // 2
    out = torch.empty((n_tokens, d), dtype=x.dtype, device=x.device)
    if kernel_fn is _silu_and_mul_kernel:

        def gpu_grid(meta):
            return (n_tokens, triton.cdiv(d, meta["BLOCK_D"]))

        kernel_fn[gpu_grid](x, out, x.stride(0), out.stride(0), d)
        return out
    # The up half starts d elements into a row, and a descriptor's strides are multiples of 16 bytes.
    assert d * x.element_size() % 16 == 0
    ensure_workspace()
    work = triton.cdiv(n_tokens, BLOCK_T) * triton.cdiv(d, BLOCK_D)
    _silu_and_mul_kernel_spyre[(min(NUM_CORES, work),)](
        x, out, x.stride(0), out.stride(0), n_tokens, d, BLOCK_T=BLOCK_T, BLOCK_D=BLOCK_D
    )
    return out
