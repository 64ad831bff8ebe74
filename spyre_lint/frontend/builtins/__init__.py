"""Lowering of Triton's functions, by topic; importing this package registers every handler."""

from spyre_lint.frontend.builtins import (
    descriptors,
    elementwise,
    foreign,
    hints,
    pointers,
    program,
    python,
    random,
    reductions,
    shapes,
    spyre,
)

__all__ = [
    "descriptors",
    "elementwise",
    "foreign",
    "hints",
    "pointers",
    "program",
    "python",
    "random",
    "reductions",
    "shapes",
    "spyre",
]
