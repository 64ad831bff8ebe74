"""Signature, constants and launcher of a traced kernel."""

import torch

from . import triton_kernel

SIGNATURE = {"in_ptr0": "*fp16", "out_ptr0": "*fp16", "xnumel": "i32", "XBLOCK": "i32"}
CONSTEXPR = ["XBLOCK"]
XNUMEL = 12
XBLOCK = 1
GRID = (12,)


def add(in_ptr0, kernel_fn=triton_kernel.triton_fused_add_0):
    out_ptr0 = torch.empty_like(in_ptr0)
    kernel_fn[GRID](in_ptr0, out_ptr0, XNUMEL, XBLOCK=XBLOCK)
    return out_ptr0
