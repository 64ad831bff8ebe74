# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""cache[slots[t], :] = key[t, :], one program per token: the write side of a paged key-value cache."""

import triton
import triton.language as tl


@triton.jit
def _cache_scatter_kernel(key_ptr, slots_ptr, cache_ptr, stride_key, stride_cache, n_cols, BLOCK_D: tl.constexpr):
    token = tl.program_id(0)
    slot = tl.load(slots_ptr + token).to(tl.int64)
    for first in range(0, n_cols, BLOCK_D):
        cols = first + tl.arange(0, BLOCK_D)
        mask = cols < n_cols
        values = tl.load(key_ptr + token * stride_key + cols, mask=mask)
        tl.store(cache_ptr + slot * stride_cache + cols, values, mask=mask)
