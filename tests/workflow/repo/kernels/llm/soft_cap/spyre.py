# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors
#
# Spyre-aware kernel.
# Original: none
# Changes summarized in kernels/llm/soft_cap/conversion-notes.md.

import triton
import triton.language as tl


@triton.jit
def _soft_cap_kernel_spyre(x_ptr, y_ptr, cap_ptr, n, BLOCK: tl.constexpr):
    """cap * tanh(x / cap) with a cap that another kernel wrote."""
    cap = tl.load(cap_ptr)  # spyre-lint: ignore[SPY101] one number for the whole launch
    x_desc = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n], [1], [BLOCK])
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        x = x_desc.load([block * BLOCK]).to(tl.float32) / cap
        y_desc.store([block * BLOCK], (cap * (2 * tl.sigmoid(2 * x) - 1)).to(y_desc.dtype))
