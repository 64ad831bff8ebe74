# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Tokens of a paged cache, fetched from a flat table of rows.

SPY114: the page number comes from memory and is multiplied into a row number before the gather. The compiler wants the
loaded index as a coordinate of its own: describe the cache as [n_pages, PAGE_ROWS * width] and gather with the page.
"""

import triton
import triton.language as tl


@triton.jit
def first_rows_kernel(
    pages_ptr,
    cache_ptr,
    out_ptr,
    stride_cache,
    stride_out,
    n_requests,
    n_rows,
    page_rows,
    width,
    BLOCK_R: tl.constexpr,
    BLOCK_W: tl.constexpr,
):
    pages_desc = tl.make_tensor_descriptor(pages_ptr, shape=[n_requests], strides=[1], block_shape=[BLOCK_R])
    cache_desc = tl.make_tensor_descriptor(
        cache_ptr, shape=[n_rows, width], strides=[stride_cache, 1], block_shape=[1, BLOCK_W]
    )
    out_desc = tl.make_tensor_descriptor(
        out_ptr, shape=[n_requests, width], strides=[stride_out, 1], block_shape=[BLOCK_R, BLOCK_W]
    )
    n_blocks = tl.cdiv(n_requests, BLOCK_R)
    per_core = tl.cdiv(n_blocks, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    end = tl.minimum(start + per_core, n_blocks)
    for block in range(start, end):
        pages = pages_desc.load([block * BLOCK_R])
        for col_block in range(0, tl.cdiv(width, BLOCK_W)):
            rows = cache_desc.gather(pages * page_rows, col_block * BLOCK_W)
            out_desc.store([block * BLOCK_R, col_block * BLOCK_W], rows)


_POINTERS = {"pages_ptr": "*i32", "cache_ptr": "*fp16", "out_ptr": "*fp16"}
_SIZES = {"stride_cache": "i32", "stride_out": "i32", "n_requests": "i32", "n_rows": "i32", "page_rows": "i32"}

VARIANTS = {
    "first_rows": {
        "KERNEL": first_rows_kernel,
        "SIGNATURE": {**_POINTERS, **_SIZES, "width": "i32", "BLOCK_R": "constexpr", "BLOCK_W": "constexpr"},
        "CONSTEXPRS": {"BLOCK_R": 64, "BLOCK_W": 2048},
        "GRID": [32],
    },
}
