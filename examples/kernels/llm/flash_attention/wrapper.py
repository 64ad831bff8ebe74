# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Host side of flash_attention: `kernel_fn` picks the GPU or the Spyre kernel."""

import torch
import triton

from ...descriptor_workspace import ensure_workspace
from .original import _flash_attention_kernel
from .spyre import _flash_attention_kernel_spyre

NUM_CORES = 32
BLOCK_M = 256
BLOCK_N = 256


def flash_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float,
    kernel_fn=_flash_attention_kernel_spyre,
) -> torch.Tensor:
    """Causal attention of one prompt. q is [seq_len, heads, head_dim], k and v [seq_len, kv_heads, head_dim]."""
    seq_len, num_heads, head_dim = q.shape
    num_kv_heads = k.shape[1]
    assert num_heads % num_kv_heads == 0 and k.shape == v.shape
    # The heads of one token must lie side by side; the distance between tokens is free.
    assert all(t.stride(2) == 1 and t.stride(1) == head_dim for t in (q, k, v))
    group_size = num_heads // num_kv_heads
    out = torch.empty((seq_len, num_heads, head_dim), dtype=q.dtype, device=q.device)
    strides = (q.stride(0), k.stride(0), v.stride(0), out.stride(0))
    if kernel_fn is _flash_attention_kernel:

        def gpu_grid(meta):
            return (triton.cdiv(seq_len, meta["BLOCK_M"]), num_heads)

        kernel_fn[gpu_grid](q, k, v, out, *strides, seq_len, scale, GROUP_SIZE=group_size, HEAD_DIM=head_dim)
        return out
    ensure_workspace()
    work = triton.cdiv(seq_len, BLOCK_M) * num_heads
    _flash_attention_kernel_spyre[(min(NUM_CORES, work),)](
        q,
        k,
        v,
        out,
        q.stride(0),
        k.stride(0),
        v.stride(0),
        out.stride(0),
        seq_len,
        num_kv_heads,
        scale,
        GROUP_SIZE=group_size,
        HEAD_DIM=head_dim,
        BLOCK_M=BLOCK_M,
        BLOCK_N=BLOCK_N,
    )
    return out
