# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the layer_norm kernel."""

from .spyre import _layer_norm_kernel_spyre

VARIANTS = {
    "spyre": {
        "KERNEL": _layer_norm_kernel_spyre,
        "SIGNATURE": {
            "x_ptr": "*fp16",
            "weight_ptr": "*fp16",
            "bias_ptr": "*fp16",
            "out_ptr": "*fp16",
            "stride_x": "i32",
            "stride_out": "i32",
            "n_rows": "i32",
            "n_cols": "i32",
            "eps": "fp32",
            "BLOCK_M": "constexpr",
            "BLOCK_N": "constexpr",
        },
        "CONSTEXPRS": {"BLOCK_M": 64, "BLOCK_N": 1024},
        "GRID": [32],
    },
}
