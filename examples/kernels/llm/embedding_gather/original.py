# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""out[t, :] = table[ids[t], :], one program per token and block of columns."""

import triton
import triton.language as tl


@triton.jit
def _embedding_gather_kernel(ids_ptr, table_ptr, out_ptr, stride_table, stride_out, n_cols, BLOCK_D: tl.constexpr):
    token = tl.program_id(0)
    row = tl.load(ids_ptr + token).to(tl.int64)
    cols = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)
    mask = cols < n_cols
    values = tl.load(table_ptr + row * stride_table + cols, mask=mask)
    tl.store(out_ptr + token * stride_out + cols, values, mask=mask)
