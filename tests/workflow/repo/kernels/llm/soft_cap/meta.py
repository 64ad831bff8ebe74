"""Fixture: every combination of the lists is a test."""

from .spyre import _soft_cap_kernel_spyre

SIGNATURE = {"x_ptr": "*fp16", "y_ptr": "*fp16", "cap_ptr": "*fp32", "n": "i32", "BLOCK": "i32"}
VARIANTS = {
    "default": {
        "kernel_fn": _soft_cap_kernel_spyre,
        "constexpr": ["BLOCK"],
        "params": {"n": 4096, "BLOCK": [256, 1024]},
        "grid": [32],
    },
    "ragged": {"base": "default", "params": {"n": 1000, "BLOCK": 256}},
}
