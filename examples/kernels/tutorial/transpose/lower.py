# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the transpose kernel: 4 x 8 cores."""

from .spyre import _transpose_kernel_spyre

VARIANTS = {
    "spyre": {
        "KERNEL": _transpose_kernel_spyre,
        "SIGNATURE": {
            "x_ptr": "*fp16",
            "out_ptr": "*fp16",
            "stride_x": "i32",
            "stride_out": "i32",
            "M": "i32",
            "N": "i32",
            "BLOCK_M": "constexpr",
            "BLOCK_N": "constexpr",
        },
        "CONSTEXPRS": {"BLOCK_M": 256, "BLOCK_N": 512},
        "GRID": [4, 8],
    },
}
