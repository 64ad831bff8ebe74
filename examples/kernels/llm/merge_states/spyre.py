# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _merge_states_kernel.
# Original: kernels/llm/merge_states/original.py
# Changes summarized in kernels/llm/merge_states/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _merge_states_kernel_spyre(
    out_ptr,
    prefix_out_ptr,
    prefix_lse_ptr,
    suffix_out_ptr,
    suffix_lse_ptr,
    n_items,
    HEAD_DIM: tl.constexpr,
    BLOCK_ITEMS: tl.constexpr,
):
    """Merge two partial attention results by their log-sum-exp, BLOCK_ITEMS (token, head) items per step."""
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)

    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_items, HEAD_DIM], strides=[HEAD_DIM, 1], block_shape=[BLOCK_ITEMS, HEAD_DIM]
    )
    prefix_out_desc = tl.make_tensor_descriptor(
        prefix_out_ptr, shape=[n_items, HEAD_DIM], strides=[HEAD_DIM, 1], block_shape=[BLOCK_ITEMS, HEAD_DIM]
    )
    suffix_out_desc = tl.make_tensor_descriptor(
        suffix_out_ptr, shape=[n_items, HEAD_DIM], strides=[HEAD_DIM, 1], block_shape=[BLOCK_ITEMS, HEAD_DIM]
    )
    # One log-sum-exp is 4 bytes, too narrow for a descriptor; a batch of them is a row wide enough.
    prefix_lse_desc = tl.make_tensor_descriptor(prefix_lse_ptr, shape=[n_items], strides=[1], block_shape=[BLOCK_ITEMS])
    suffix_lse_desc = tl.make_tensor_descriptor(suffix_lse_ptr, shape=[n_items], strides=[1], block_shape=[BLOCK_ITEMS])

    n_batches = tl.cdiv(n_items, BLOCK_ITEMS)
    batches_per_core = tl.cdiv(n_batches, num_cores)
    start = pid * batches_per_core
    end = tl.minimum(start + batches_per_core, n_batches)
    for batch in range(start, end):
        item = batch * BLOCK_ITEMS
        prefix_lse = prefix_lse_desc.load([item])
        suffix_lse = suffix_lse_desc.load([item])
        top = tl.maximum(prefix_lse, suffix_lse)
        # An item that neither part has seen is -inf on both sides; it merges to zero.
        top = tl.where(top == float("-inf"), 0.0, top)
        prefix_weight = tl.exp(prefix_lse - top)
        suffix_weight = tl.exp(suffix_lse - top)
        total = prefix_weight + suffix_weight
        inverse = tl.where(total > 0.0, 1.0 / total, 0.0)
        prefix = prefix_out_desc.load([item, 0]).to(tl.float32)
        suffix = suffix_out_desc.load([item, 0]).to(tl.float32)
        merged = (prefix * prefix_weight[:, None] + suffix * suffix_weight[:, None]) * inverse[:, None]
        out_desc.store([item, 0], merged.to(out_ptr.dtype.element_ty))
