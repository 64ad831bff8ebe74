"""Kernels lowered for tests of the analyses."""

from __future__ import annotations

from typing import Any

from spyre_lint.ir.core import KernelIR
from tests.frontend.lowering import body, lower

PARAMS = "x_ptr, y_ptr, n, m, BLOCK: tl.constexpr, STEP: tl.constexpr"


def lowered(statements: str, **constexprs: Any) -> KernelIR:
    """A kernel with these statements."""
    return lower(body(statements, PARAMS), **constexprs)
