# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of embedding_gather: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _embedding_gather_kernel
from .spyre import _embedding_gather_kernel_spyre

NUM_CORES = 32
BLOCK_T = 64
BLOCK_D = 2048


def embedding_gather(ids: torch.Tensor, table: torch.Tensor, kernel_fn=_embedding_gather_kernel_spyre) -> torch.Tensor:
    """Rows of table, [n_vocab, n_cols], picked by ids, [n_tokens]."""
    assert ids.dim() == 1 and table.dim() == 2 and table.stride(1) == 1
    n_tokens = ids.shape[0]
    n_vocab, n_cols = table.shape
    out = torch.empty((n_tokens, n_cols), dtype=table.dtype, device=table.device)
    if kernel_fn is _embedding_gather_kernel:
        gpu_grid = (n_tokens, triton.cdiv(n_cols, BLOCK_D))
        kernel_fn[gpu_grid](ids, table, out, table.stride(0), out.stride(0), n_cols, BLOCK_D=BLOCK_D)
        return out
    ensure_workspace()
    grid = (min(NUM_CORES, triton.cdiv(n_tokens, BLOCK_T)),)
    # A gather takes 16- or 32-bit indices; tokenizers hand out 64-bit ones.
    _embedding_gather_kernel_spyre[grid](
        ids.to(torch.int32),
        table,
        out,
        table.stride(0),
        out.stride(0),
        n_tokens,
        n_vocab,
        n_cols,
        BLOCK_T=BLOCK_T,
        BLOCK_D=BLOCK_D,
    )
    return out
