"""Lowering driver in its short form: one entry, at module level."""

from .spyre_aware import _rotate_kernel_spyre as KERNEL

SIGNATURE = dict(x_ptr="*bf16", y_ptr="*bf16", M="i32", N="i32")
CONSTEXPRS = {"BLOCK_M": 128, "BLOCK_N": 128}
GRID = [8, 4]
