# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _cache_scatter_kernel.
# Original: kernels/llm/cache_scatter/original.py
# Changes summarized in kernels/llm/cache_scatter/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _cache_scatter_kernel_spyre(
    key_ptr,
    slots_ptr,
    cache_ptr,
    stride_key,
    stride_cache,
    n_tokens,
    n_slots,
    n_cols,
    BLOCK_T: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """cache[slots[t], :] = key[t, :]; BLOCK_T slots are read at once and receive BLOCK_T rows per scatter."""
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)

    slots_desc = tl.make_tensor_descriptor(slots_ptr, shape=[n_tokens], strides=[1], block_shape=[BLOCK_T])
    key_desc = tl.make_tensor_descriptor(
        key_ptr, shape=[n_tokens, n_cols], strides=[stride_key, 1], block_shape=[BLOCK_T, BLOCK_D]
    )
    cache_desc = tl.make_tensor_descriptor(
        cache_ptr, shape=[n_slots, n_cols], strides=[stride_cache, 1], block_shape=[1, BLOCK_D]
    )

    n_token_blocks = tl.cdiv(n_tokens, BLOCK_T)
    blocks_per_core = tl.cdiv(n_token_blocks, num_cores)
    start = pid * blocks_per_core
    end = tl.minimum(start + blocks_per_core, n_token_blocks)
    for token_block in range(start, end):
        tokens = token_block * BLOCK_T + tl.arange(0, BLOCK_T)  # [gap] tl.arange in arithmetic
        slots = slots_desc.load([token_block * BLOCK_T])
        # Past the last token the load gives slot 0, which is a slot like any other: send those rows out of bounds.
        slots = tl.where(tokens < n_tokens, slots, n_slots)
        for col_block in range(0, tl.cdiv(n_cols, BLOCK_D)):
            rows = key_desc.load([token_block * BLOCK_T, col_block * BLOCK_D])
            cache_desc.scatter(rows, slots, col_block * BLOCK_D)
