"""Arithmetic on compile-time values: Python's semantics on numbers, symbolic on constexprs that are open."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from spyre_lint.frontend.values import Decision, TupleValue, Unknown, opaque_reason
from spyre_lint.ir import sym
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import DType

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "is": operator.is_, "is not": operator.is_not,
}  # fmt: skip
_SYMBOLIC_NAMES = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
# `2 ** n` and `1 << n` past this width are no sizes; they are left unknown instead of being computed.
MAX_SHIFT = 512


def plain(value: Any) -> Any:
    """A constant expression as a Python integer; anything else as it is."""
    return value.value if isinstance(value, Expr) and value.is_const else value


def fold_binary(op: str, left: Any, right: Any) -> Any:
    """`left op right` for compile-time operands; `Unknown` where it can't be computed."""
    left, right = plain(left), plain(right)
    for value in (left, right):
        if isinstance(value, (Unknown, Decision)):
            return Unknown(opaque_reason(value) or getattr(value, "reason", ""))
    if isinstance(left, TupleValue) or isinstance(right, TupleValue):
        return _fold_tuples(op, left, right)
    if isinstance(left, Expr) or isinstance(right, Expr):
        return _fold_symbolic(op, left, right)
    function = _PYTHON.get(op)
    if function is None:
        return Unknown(f"`{op}` at compile time")
    if op in ("**", "<<") and isinstance(right, int) and abs(right) > MAX_SHIFT:
        return Unknown(f"`{op}` by {right}")
    try:
        return function(left, right)
    except (TypeError, ValueError, ArithmeticError) as error:
        return Unknown(f"`{op}` fails at compile time: {error}")


def _fold_tuples(op: str, left: Any, right: Any) -> Any:
    if op == "+" and isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return TupleValue(left.items + right.items, origin=left.origin if right.origin else "")
    if op == "*":
        times, items = (right, left) if isinstance(left, TupleValue) else (left, right)
        if isinstance(times, int) and isinstance(items, TupleValue) and times <= MAX_SHIFT:
            return TupleValue(items.items * times)
    return Unknown(f"`{op}` on a tuple")


def _fold_symbolic(op: str, left: Any, right: Any) -> Any:
    if not all(isinstance(v, (int, Expr)) for v in (left, right)):
        if isinstance(left, float) or isinstance(right, float):
            return Unknown("floating-point arithmetic on an open constexpr")
        return Unknown(f"`{op}` between a number and something else")
    try:
        if op == "+":
            return left + right
        if op == "-":
            return left - right
        if op == "*":
            return left * right
        if op == "//":
            return sym.floordiv(sym.as_expr(left), sym.as_expr(right))
        if op == "%":
            return sym.mod(sym.as_expr(left), sym.as_expr(right))
        if op in ("**", "<<", ">>"):
            return _power(op, left, right)
    except (ArithmeticError, ValueError) as error:
        return Unknown(f"`{op}` fails at compile time: {error}")
    names = ", ".join(sorted({s.name for v in (left, right) if isinstance(v, Expr) for s in v.symbols()}))
    return Unknown(f"`{op}` on `{names}`, which no binding gives")


def _power(op: str, left: Any, right: Any) -> Any:
    if op == "**" and isinstance(right, int) and 0 <= right <= 8:
        return sym.power(sym.as_expr(left), sym.as_expr(right))
    if op in ("<<", ">>") and isinstance(right, int) and 0 <= right <= 62:
        factor = 1 << right
        return left * factor if op == "<<" else sym.floordiv(sym.as_expr(left), sym.as_expr(factor))
    return Unknown(f"`{op}` with an open constexpr")


def fold_unary(op: str, operand: Any) -> Any:
    """`op operand` for a compile-time operand."""
    operand = plain(operand)
    if isinstance(operand, (Unknown, Decision)):
        return Unknown(operand.reason)
    try:
        if op == "-":
            return -operand
        if op == "+":
            return operand
        if op == "~":
            return ~operand if isinstance(operand, int) else -operand - 1
    except TypeError as error:
        return Unknown(f"`{op}` fails at compile time: {error}")
    return Unknown(f"`{op}` at compile time")


def compare_constants(op: str, left: Any, right: Any) -> Any:
    """A comparison of compile-time values: a bool, or a `Decision` where an open constexpr decides it."""
    left, right = plain(left), plain(right)
    for value in (left, right):
        if isinstance(value, (Unknown, Decision)):
            return Decision(value.reason)
    if isinstance(left, Expr) or isinstance(right, Expr):
        return _compare_symbolic(op, left, right)
    if op in ("in", "not in"):
        if isinstance(right, TupleValue):
            found = _member(left, right)
            return found if not isinstance(found, bool) else found == (op == "in")
        if isinstance(left, str) and isinstance(right, (str, dict)):
            return (left in right) == (op == "in")
        return Decision(f"`{op}` at compile time")
    if (
        op in ("is", "is not")
        and isinstance(left, (int, float, str, DType))
        and isinstance(right, (int, float, str, DType))
    ):
        return (type(left) is type(right) and left == right) == (op == "is")
    try:
        return bool(_COMPARE[op](left, right))
    except (KeyError, TypeError) as error:
        return Decision(f"`{op}` fails at compile time: {error}")


def _member(left: Any, right: TupleValue) -> Any:
    undecided: Decision | None = None
    for item in right.items:
        same = compare_constants("==", left, item)
        if same is True:
            return True
        if isinstance(same, Decision):
            undecided = same
    return undecided or False


def _compare_symbolic(op: str, left: Any, right: Any) -> Any:
    names = ", ".join(sorted({s.name for v in (left, right) if isinstance(v, Expr) for s in v.symbols()}))
    undecided = Decision(f"`{names}`, which no binding gives")
    if op not in _SYMBOLIC_NAMES or not all(
        isinstance(v, (int, Expr)) and not isinstance(v, bool) for v in (left, right)
    ):
        return undecided
    answer = sym.compare(sym.as_expr(left), _SYMBOLIC_NAMES[op], sym.as_expr(right))
    return undecided if answer is None else answer
