# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the scaled_add kernel: 16-bit tensors and 32-bit ones."""

from .spyre import _scaled_add_kernel_spyre


def _signature(element: str) -> dict[str, str]:
    return {
        "x_ptr": f"*{element}",
        "y_ptr": f"*{element}",
        "out_ptr": f"*{element}",
        "alpha": "fp32",
        "n_elements": "i32",
        "BLOCK": "constexpr",
    }


VARIANTS = {
    "spyre": {
        "KERNEL": _scaled_add_kernel_spyre,
        "SIGNATURE": _signature("fp16"),
        "CONSTEXPRS": {"BLOCK": 32768},
        "GRID": [32],
    },
    "spyre_fp32": {
        "KERNEL": _scaled_add_kernel_spyre,
        "SIGNATURE": _signature("fp32"),
        "CONSTEXPRS": {"BLOCK": 32768},
        "GRID": [32],
    },
}
