# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the silu_and_mul kernel."""

from .spyre import _silu_and_mul_kernel_spyre

VARIANTS = {
    "spyre": {
        "KERNEL": _silu_and_mul_kernel_spyre,
        "SIGNATURE": {
            "x_ptr": "*bf16",
            "out_ptr": "*bf16",
            "stride_x": "i32",
            "stride_out": "i32",
            "n_tokens": "i32",
            "d": "i32",
            "BLOCK_T": "constexpr",
            "BLOCK_D": "constexpr",
        },
        "CONSTEXPRS": {"BLOCK_T": 16, "BLOCK_D": 2048},
        "GRID": [32],
    },
}
