# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the cache_scatter kernel."""

from .spyre import _cache_scatter_kernel_spyre

VARIANTS = {
    "spyre": {
        "KERNEL": _cache_scatter_kernel_spyre,
        "SIGNATURE": {
            "key_ptr": "*fp16",
            "slots_ptr": "*i32",
            "cache_ptr": "*fp16",
            "stride_key": "i32",
            "stride_cache": "i32",
            "n_tokens": "i32",
            "n_slots": "i32",
            "n_cols": "i32",
            "BLOCK_T": "constexpr",
            "BLOCK_D": "constexpr",
        },
        "CONSTEXPRS": {"BLOCK_T": 128, "BLOCK_D": 1024},
        "GRID": [32],
    },
}
