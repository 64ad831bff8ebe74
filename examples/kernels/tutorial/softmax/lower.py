# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the softmax kernel: wide rows (a vocabulary) and short ones (attention scores)."""

from .spyre import _softmax_kernel_spyre

_SIGNATURE = {
    "x_ptr": "*fp16",
    "out_ptr": "*fp16",
    "stride_x": "i32",
    "stride_out": "i32",
    "n_rows": "i32",
    "n_cols": "i32",
    "BLOCK_M": "constexpr",
    "BLOCK_N": "constexpr",
}

VARIANTS = {
    "spyre": {
        "KERNEL": _softmax_kernel_spyre,
        "SIGNATURE": _SIGNATURE,
        "CONSTEXPRS": {"BLOCK_M": 32, "BLOCK_N": 2048},
        "GRID": [32],
    },
    "spyre_short_rows": {
        "KERNEL": _softmax_kernel_spyre,
        "SIGNATURE": _SIGNATURE,
        "CONSTEXPRS": {"BLOCK_M": 256, "BLOCK_N": 256},
        "GRID": [32],
    },
}
