"""One launcher for both kernels: they take the same arguments, and the grid tells them apart."""

import torch
import triton

from .original import _axpy_kernel
from .spyre import _axpy_kernel_spyre


def launch(n, alpha=2.0, kernel_fn=_axpy_kernel_spyre, block=1024):
    x = torch.empty(n, dtype=torch.float16)
    y = torch.empty(n, dtype=torch.float16)
    if kernel_fn is _axpy_kernel:
        kernel_fn[(triton.cdiv(n, block),)](x, y, alpha, n, BLOCK=block, num_warps=4)
    else:
        kernel_fn[(min(32, triton.cdiv(n, block)),)](x, y, alpha, n, BLOCK=block)
    return y


def compare(n):
    return launch(n), launch(n, kernel_fn=_axpy_kernel)
