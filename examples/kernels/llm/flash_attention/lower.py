# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Lowering driver for the flash_attention kernel: wide heads, and narrow ones with longer runs of keys."""

from .spyre import _flash_attention_kernel_spyre

_SIGNATURE = {
    "q_ptr": "*fp16",
    "k_ptr": "*fp16",
    "v_ptr": "*fp16",
    "out_ptr": "*fp16",
    "stride_q": "i32",
    "stride_k": "i32",
    "stride_v": "i32",
    "stride_out": "i32",
    "seq_len": "i32",
    "num_kv_heads": "i32",
    "scale": "fp32",
    "GROUP_SIZE": "constexpr",
    "HEAD_DIM": "constexpr",
    "BLOCK_M": "constexpr",
    "BLOCK_N": "constexpr",
}

VARIANTS = {
    "spyre": {
        "KERNEL": _flash_attention_kernel_spyre,
        "SIGNATURE": _SIGNATURE,
        "CONSTEXPRS": {"GROUP_SIZE": 4, "HEAD_DIM": 128, "BLOCK_M": 256, "BLOCK_N": 256},
        "GRID": [32],
    },
    "spyre_head_64": {
        "KERNEL": _flash_attention_kernel_spyre,
        "SIGNATURE": _SIGNATURE,
        "CONSTEXPRS": {"GROUP_SIZE": 8, "HEAD_DIM": 64, "BLOCK_M": 128, "BLOCK_N": 512},
        "GRID": [32],
    },
}
