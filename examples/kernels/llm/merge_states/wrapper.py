# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of merge_states: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _merge_states_kernel
from .spyre import _merge_states_kernel_spyre

NUM_CORES = 32
BLOCK_ITEMS = 256


def merge_states(
    prefix_out: torch.Tensor,
    prefix_lse: torch.Tensor,
    suffix_out: torch.Tensor,
    suffix_lse: torch.Tensor,
    kernel_fn=_merge_states_kernel_spyre,
) -> torch.Tensor:
    """Merge [tokens, heads, head_dim] results whose log-sum-exps are [tokens, heads] in fp32; all contiguous."""
    assert prefix_out.shape == suffix_out.shape and prefix_lse.shape == suffix_lse.shape
    assert all(t.is_contiguous() for t in (prefix_out, prefix_lse, suffix_out, suffix_lse))
    out = torch.empty_like(prefix_out)
    n_items = prefix_lse.numel()
    head_dim = prefix_out.shape[-1]
    if kernel_fn is _merge_states_kernel:
        kernel_fn[(n_items,)](out, prefix_out, prefix_lse, suffix_out, suffix_lse, HEAD_DIM=head_dim)
        return out
    ensure_workspace()
    grid = (min(NUM_CORES, triton.cdiv(n_items, BLOCK_ITEMS)),)
    _merge_states_kernel_spyre[grid](
        out,
        prefix_out,
        prefix_lse,
        suffix_out,
        suffix_lse,
        n_items,
        HEAD_DIM=head_dim,
        BLOCK_ITEMS=BLOCK_ITEMS,
    )
    return out
