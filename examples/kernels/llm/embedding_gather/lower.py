# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the embedding_gather kernel."""

from .spyre import _embedding_gather_kernel_spyre

VARIANTS = {
    "spyre": {
        "KERNEL": _embedding_gather_kernel_spyre,
        "SIGNATURE": {
            "ids_ptr": "*i32",
            "table_ptr": "*bf16",
            "out_ptr": "*bf16",
            "stride_table": "i32",
            "stride_out": "i32",
            "n_tokens": "i32",
            "n_vocab": "i32",
            "n_cols": "i32",
            "BLOCK_T": "constexpr",
            "BLOCK_D": "constexpr",
        },
        "CONSTEXPRS": {"BLOCK_T": 64, "BLOCK_D": 2048},
        "GRID": [32],
    },
}
