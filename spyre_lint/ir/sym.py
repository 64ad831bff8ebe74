"""Symbolic integers: shapes, offsets, loop bounds and byte counts as expressions in the names of the kernel.

This module is the whole interface. The normal form is in `spyre_lint.ir.polynomial` and `atoms`, the functions are in
`spyre_lint.ir.symfn`, and what `compare` and `divides` prove is in `spyre_lint.ir.symproof`.
"""

from __future__ import annotations

from spyre_lint.ir.atoms import Atom, Call, Symbol
from spyre_lint.ir.polynomial import Expr, as_expr, const, symbol
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
