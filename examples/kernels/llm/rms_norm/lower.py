# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the rms_norm kernel: 16-bit activations, and 32-bit ones for a reference run."""

from .spyre import _rms_norm_kernel_spyre

TILE = {"BLOCK_M": 64, "BLOCK_N": 1024}


def _variant(element: str) -> dict[str, object]:
    return {
        "KERNEL": _rms_norm_kernel_spyre,
        "SIGNATURE": {
            "x_ptr": f"*{element}",
            "weight_ptr": f"*{element}",
            "out_ptr": f"*{element}",
            "stride_x": "i32",
            "stride_out": "i32",
            "n_rows": "i32",
            "n_cols": "i32",
            "eps": "fp32",
            "BLOCK_M": "constexpr",
            "BLOCK_N": "constexpr",
        },
        "CONSTEXPRS": dict(TILE),
        "GRID": [32],
    }


VARIANTS = {"spyre": _variant("bf16")}
VARIANTS["spyre_fp32"] = _variant("fp32")
