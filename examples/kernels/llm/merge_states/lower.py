# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the merge_states kernel: two head sizes, the batch adapted to each."""

from .spyre import _merge_states_kernel_spyre

_SIGNATURE = {
    "out_ptr": "*fp16",
    "prefix_out_ptr": "*fp16",
    "prefix_lse_ptr": "*fp32",
    "suffix_out_ptr": "*fp16",
    "suffix_lse_ptr": "*fp32",
    "n_items": "i32",
    "HEAD_DIM": "constexpr",
    "BLOCK_ITEMS": "constexpr",
}

VARIANTS = {
    "spyre": {
        "KERNEL": _merge_states_kernel_spyre,
        "SIGNATURE": _SIGNATURE,
        "CONSTEXPRS": {"HEAD_DIM": 128, "BLOCK_ITEMS": 256},
        "GRID": [32],
    },
    "spyre_head_64": {
        "KERNEL": _merge_states_kernel_spyre,
        "SIGNATURE": _SIGNATURE,
        "CONSTEXPRS": {"HEAD_DIM": 64, "BLOCK_ITEMS": 512},
        "GRID": [32],
    },
}
