# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of cache_scatter: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _cache_scatter_kernel
from .spyre import _cache_scatter_kernel_spyre

NUM_CORES = 32
BLOCK_T = 128
BLOCK_D = 1024


def cache_scatter(
    key: torch.Tensor, slots: torch.Tensor, cache: torch.Tensor, kernel_fn=_cache_scatter_kernel_spyre
) -> None:
    """Write the rows of key, [n_tokens, n_cols], into the given, distinct slots of cache, [n_slots, n_cols]."""
    assert key.stride(1) == 1 and cache.stride(1) == 1 and key.shape[1] == cache.shape[1]
    n_tokens, n_cols = key.shape
    n_slots = cache.shape[0]
    if kernel_fn is _cache_scatter_kernel:
        kernel_fn[(n_tokens,)](key, slots, cache, key.stride(0), cache.stride(0), n_cols, BLOCK_D=BLOCK_D)
        return
    ensure_workspace()
    grid = (min(NUM_CORES, triton.cdiv(n_tokens, BLOCK_T)),)
    _cache_scatter_kernel_spyre[grid](
        key,
        slots.to(torch.int32),
        cache,
        key.stride(0),
        cache.stride(0),
        n_tokens,
        n_slots,
        n_cols,
        BLOCK_T=BLOCK_T,
        BLOCK_D=BLOCK_D,
    )
