# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the matmul kernel: square tiles for a prefill, flat ones for a few decode rows."""

from .spyre import _matmul_kernel_spyre

_SIGNATURE = {
    "a_ptr": "*bf16",
    "b_ptr": "*bf16",
    "c_ptr": "*bf16",
    "M": "i32",
    "N": "i32",
    "K": "i32",
    "stride_am": "i32",
    "stride_bk": "i32",
    "stride_cm": "i32",
    "BLOCK_M": "constexpr",
    "BLOCK_N": "constexpr",
    "BLOCK_K": "constexpr",
}

VARIANTS = {
    "spyre": {
        "KERNEL": _matmul_kernel_spyre,
        "SIGNATURE": _SIGNATURE,
        "CONSTEXPRS": {"BLOCK_M": 256, "BLOCK_N": 256, "BLOCK_K": 256},
        "GRID": [32],
    },
    "spyre_decode": {
        "KERNEL": _matmul_kernel_spyre,
        "SIGNATURE": _SIGNATURE,
        "CONSTEXPRS": {"BLOCK_M": 16, "BLOCK_N": 256, "BLOCK_K": 1024},
        "GRID": [32],
    },
}
