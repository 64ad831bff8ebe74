"""Symbolic integers: shapes, offsets, loop bounds and byte counts as expressions in the names of the kernel.

This module is the whole interface; see `spyre_lint.ir.polynomial` for the normal form, `spyre_lint.ir.symfn` for the
functions and `spyre_lint.ir.symproof` for what `compare` and `divides` prove.
"""

from __future__ import annotations

from spyre_lint.ir.polynomial import Atom, Call, Expr, Symbol, as_expr, const, symbol
from spyre_lint.ir.symfn import (
    cdiv,
    floordiv,
    maximum,
    minimum,
    mod,
    next_power_of_2,
    power,
    truncdiv,
    truncrem,
)
from spyre_lint.ir.symproof import (
    compare,
    divides,
    exact_quotient,
    is_nonnegative,
    is_positive,
    largest_divisor,
    split,
)

__all__ = [
    "Atom",
    "Call",
    "Expr",
    "Symbol",
    "as_expr",
    "cdiv",
    "compare",
    "const",
    "divides",
    "exact_quotient",
    "floordiv",
    "is_nonnegative",
    "is_positive",
    "largest_divisor",
    "maximum",
    "minimum",
    "mod",
    "next_power_of_2",
    "power",
    "split",
    "symbol",
    "truncdiv",
    "truncrem",
]
