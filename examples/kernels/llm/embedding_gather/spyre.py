# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware conversion of _embedding_gather_kernel.
# Original: kernels/llm/embedding_gather/original.py
# Changes summarized in kernels/llm/embedding_gather/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _embedding_gather_kernel_spyre(
    ids_ptr,
    table_ptr,
    out_ptr,
    stride_table,
    stride_out,
    n_tokens,
    n_vocab,
    n_cols,
    BLOCK_T: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """out[t, :] = table[ids[t], :]; BLOCK_T ids are read at once and fetch BLOCK_T rows per gather."""
    pid = tl.program_id(0)
    num_cores = tl.num_programs(0)

    ids_desc = tl.make_tensor_descriptor(ids_ptr, shape=[n_tokens], strides=[1], block_shape=[BLOCK_T])
    table_desc = tl.make_tensor_descriptor(
        table_ptr, shape=[n_vocab, n_cols], strides=[stride_table, 1], block_shape=[1, BLOCK_D]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_tokens, n_cols], strides=[stride_out, 1], block_shape=[BLOCK_T, BLOCK_D]
    )

    n_token_blocks = tl.cdiv(n_tokens, BLOCK_T)
    blocks_per_core = tl.cdiv(n_token_blocks, num_cores)
    start = pid * blocks_per_core
    end = tl.minimum(start + blocks_per_core, n_token_blocks)
    for token_block in range(start, end):
        # Ids past the last token read as 0 and fetch row 0; the store drops those rows.
        ids = ids_desc.load([token_block * BLOCK_T])
        for col_block in range(0, tl.cdiv(n_cols, BLOCK_D)):
            rows = table_desc.gather(ids, col_block * BLOCK_D)
            out_desc.store([token_block * BLOCK_T, col_block * BLOCK_D], rows)
