# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Merge two partial attention results by their log-sum-exp: one program per (token, head) item."""

import triton
import triton.language as tl


@triton.jit
def _merge_states_kernel(
    out_ptr,
    prefix_out_ptr,
    prefix_lse_ptr,
    suffix_out_ptr,
    suffix_lse_ptr,
    HEAD_DIM: tl.constexpr,
):
    item = tl.program_id(0).to(tl.int64)
    lanes = item * HEAD_DIM + tl.arange(0, HEAD_DIM)
    prefix_lse = tl.load(prefix_lse_ptr + item)
    suffix_lse = tl.load(suffix_lse_ptr + item)
    top = tl.maximum(prefix_lse, suffix_lse)
    top = tl.where(top == float("-inf"), 0.0, top)
    prefix_weight = tl.exp(prefix_lse - top)
    suffix_weight = tl.exp(suffix_lse - top)
    total = prefix_weight + suffix_weight
    inverse = tl.where(total > 0.0, 1.0 / total, 0.0)
    prefix = tl.load(prefix_out_ptr + lanes).to(tl.float32)
    suffix = tl.load(suffix_out_ptr + lanes).to(tl.float32)
    merged = (prefix * prefix_weight + suffix * suffix_weight) * inverse
    tl.store(out_ptr + lanes, merged)
