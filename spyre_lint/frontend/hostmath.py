"""Arithmetic and comparison of host scalars: exact where both sides are, else by integer intervals.

A value is `problem` only while it can grow without bound with the problem's sizes: `min(32, n)` cannot, `n // 8` can.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from spyre_lint.bindings import HostValue
from spyre_lint.frontend.hostvalues import (
    MAX_BITS,
    MAX_ITEMS,
    hull,
    integer,
    is_integer,
    is_number,
    known,
    unknown,
)

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Bound = int | None


def binary(op: str, left: HostValue, right: HostValue) -> HostValue:
    """The value of `left op right`."""
    from_problem = left.from_problem or right.from_problem
    if left.is_known and right.is_known:
        return _exact(op, left.value, right.value, from_problem)
    for side in (left, right):
        if side.kind == "unknown":
            return unknown(side.reason, from_problem)
    if not (is_integer(left) and is_integer(right)):
        return unknown("it is a fraction of a value that is not exact", from_problem)
    growing = left.kind == "problem" or right.kind == "problem"
    (a, b), (c, d) = left.bounds, right.bounds
    if op == "+":
        return integer(_add(a, c), _add(b, d), growing, from_problem)
    if op == "-":
        return integer(_sub(a, d), _sub(b, c), left.kind == "problem", from_problem)
    if op == "*":
        return _multiply(left, right, growing, from_problem)
    if op in ("//", "%") and (c is None or c < 0):
        return unknown("its divisor could be negative", from_problem)
    if op == "//":
        return _divide(left, right, from_problem, up=False)
    if op == "%":
        high = None if d is None else max(d - 1, 0)
        if a is not None and a >= 0 and b is not None:
            high = b if high is None else min(high, b)
        return integer(0, high, right.kind == "problem", from_problem)
    if op in ("<<", ">>", "**", "&", "|", "^"):
        return _bitwise(op, left, right, growing, from_problem)
    return unknown("it is a fraction of a value that is not exact", from_problem)


def _exact(op: str, left: Any, right: Any, from_problem: bool) -> HostValue:
    function = _PYTHON.get(op)
    if function is None or not _affordable(op, left, right):
        return unknown("the operation is not followed", from_problem)
    try:
        result = function(left, right)
    except (ArithmeticError, TypeError, ValueError):
        return unknown("the operation fails", from_problem)
    if isinstance(result, complex):
        return unknown("it is a complex number", from_problem)
    return known(result, from_problem)


def _affordable(op: str, left: Any, right: Any) -> bool:
    if op == "**" and is_number(left) and is_number(right):
        return abs(right) <= 64 and (not isinstance(left, int) or left.bit_length() <= 64)
    if op == "<<" and isinstance(right, int):
        return 0 <= right <= MAX_BITS
    if op == "*":
        for text, count in ((left, right), (right, left)):
            if isinstance(text, str):
                return isinstance(count, int) and len(text) * max(count, 0) <= MAX_ITEMS
        if isinstance(left, int) and isinstance(right, int):
            return left.bit_length() + right.bit_length() <= MAX_BITS
    if isinstance(left, str) and isinstance(right, str):
        return op == "+" and len(left) + len(right) <= MAX_ITEMS
    return is_number(left) and is_number(right)


def _add(left: Bound, right: Bound) -> Bound:
    return None if left is None or right is None else left + right


def _sub(left: Bound, right: Bound) -> Bound:
    return None if left is None or right is None else left - right


def _multiply(left: HostValue, right: HostValue, growing: bool, from_problem: bool) -> HostValue:
    (a, b), (c, d) = left.bounds, right.bounds
    if a is not None and c is not None and a >= 0 and c >= 0:
        if b == 0 or d == 0:
            return known(0, from_problem)
        return integer(a * c, None if b is None or d is None else b * d, growing, from_problem)
    if None in (a, b, c, d):
        return integer(None, None, growing, from_problem)
    products = [x * y for x in (a, b) for y in (c, d) if x is not None and y is not None]
    return integer(min(products), max(products), growing, from_problem)


def _divide(left: HostValue, right: HostValue, from_problem: bool, *, up: bool) -> HostValue:
    """Division by a value that is not negative; zero divisors would raise and count as one."""
    (a, b), (c, d) = left.bounds, right.bounds
    least = max(c or 1, 1)

    def quotient(dividend: int, divisor: int | None) -> int:
        if divisor is None:  # as large as it likes: only the sign is left, and what rounding up makes of it
            return (1 if up else 0) if dividend > 0 else (0 if up or dividend == 0 else -1)
        return -(-dividend // max(divisor, 1)) if up else dividend // max(divisor, 1)

    low = None if a is None else quotient(a, d if a >= 0 else least)
    high = None if b is None else quotient(b, least if b >= 0 else d)
    return integer(low, high, left.kind == "problem", from_problem)


def _bitwise(op: str, left: HostValue, right: HostValue, growing: bool, from_problem: bool) -> HostValue:
    (a, b), (c, d) = left.bounds, right.bounds
    natural = a is not None and a >= 0 and c is not None and c >= 0
    if not natural or a is None or c is None:
        return unknown("the operation is not followed", from_problem)
    if op == ">>":
        high = None if b is None else b >> min(c, MAX_BITS)
        return integer(0 if d is None else a >> min(d, MAX_BITS), high, left.kind == "problem", from_problem)
    if op == "&":
        highs = [bound for bound in (b, d) if bound is not None]
        return integer(0, min(highs) if highs else None, growing, from_problem)
    if op in ("|", "^"):
        top = None if b is None or d is None else (1 << max(b.bit_length(), d.bit_length())) - 1
        return integer(max(a, c) if op == "|" else 0, top, growing, from_problem)
    base = 1 << min(c, MAX_BITS) if op == "<<" else 1
    if op == "<<":
        high = None if b is None or d is None or d > MAX_BITS else b << d
        return integer(a * base, high, growing, from_problem)
    high = None if b is None or d is None or d * max(b.bit_length(), 1) > MAX_BITS else b**d
    return integer(0, high, growing, from_problem)


def negate(value: HostValue) -> HostValue:
    """`-value`."""
    if value.is_known:
        return known(-value.value, value.from_problem) if is_number(value.value) else unknown("it is not a number")
    if value.kind == "unknown":
        return value
    lo, hi = value.bounds
    return integer(None if hi is None else -hi, None if lo is None else -lo, False, value.from_problem)


def ceil_divide(left: HostValue, right: HostValue) -> HostValue:
    """`triton.cdiv(left, right)`."""
    from_problem = left.from_problem or right.from_problem
    if left.is_known and right.is_known:
        if isinstance(left.value, int) and isinstance(right.value, int) and right.value:
            return known(-(-left.value // right.value), from_problem)
        return unknown("cdiv of values that are no integers", from_problem)
    for side in (left, right):
        if side.kind == "unknown":
            return unknown(side.reason, from_problem)
    low = right.bounds[0]
    if not (is_integer(left) and is_integer(right)) or low is None or low < 0:
        return unknown("its divisor could be negative", from_problem)
    return _divide(left, right, from_problem, up=True)


def next_power_of_2(value: HostValue) -> HostValue:
    """`triton.next_power_of_2(value)`."""
    if value.kind == "unknown" or not is_integer(value):
        return unknown(value.reason or "it is not an integer", value.from_problem)
    lo, hi = (None if bound is None else _power_of_2(bound) for bound in value.bounds)
    return integer(1 if lo is None else lo, hi, value.kind == "problem", value.from_problem)


def _power_of_2(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


def extreme(values: Sequence[HostValue], *, smallest: bool) -> HostValue:
    """`min` or `max` of several values. A minimum is bounded by every known side, even where another is unknown."""
    from_problem = any(value.from_problem for value in values)
    if all(value.is_known for value in values):
        try:
            result = (min if smallest else max)([value.value for value in values])
        except (TypeError, ValueError):
            return unknown("its arguments can't be compared", from_problem)
        return known(result, from_problem)
    numbers = [value for value in values if is_integer(value)]
    vague = [value for value in values if value.kind == "unknown"]
    if len(numbers) + len(vague) < len(values) or not numbers:
        reason = next((value.reason for value in vague), "it is a fraction of a value that is not exact")
        return unknown(reason, from_problem)
    lows = [value.bounds[0] for value in numbers]
    highs = [value.bounds[1] for value in numbers]
    if smallest:
        lo = None if vague or None in lows else min(low for low in lows if low is not None)
        hi = min((high for high in highs if high is not None), default=None)
        growing = not vague and all(value.kind == "problem" for value in numbers)
    else:
        lo = max((low for low in lows if low is not None), default=None)
        hi = None if vague or None in highs else max(high for high in highs if high is not None)
        growing = any(value.kind == "problem" for value in numbers)
    if vague and (hi if smallest else lo) is None and not growing:
        return unknown(vague[0].reason, from_problem)
    return integer(lo, hi, growing, from_problem)


def to_integer(value: HostValue, *, up: bool = False) -> HostValue:
    """`int(value)`, or `math.ceil(value)`: a fraction of a problem size is a problem size again."""
    if value.is_known:
        try:
            return known(math.ceil(value.value) if up else int(value.value), value.from_problem)
        except (TypeError, ValueError, OverflowError):
            return unknown("it is not a number", value.from_problem)
    if is_integer(value):
        return value
    return integer(None, None, True, True) if value.from_problem else value


def absolute(value: HostValue) -> HostValue:
    """`abs(value)`."""
    if value.is_known:
        return known(abs(value.value), value.from_problem) if is_number(value.value) else unknown("it is no number")
    if not is_integer(value):
        return value
    lo, hi = value.bounds
    if lo is not None and lo >= 0:
        return value
    top = None if lo is None or hi is None else max(-lo, hi)
    return integer(0, top, value.kind == "problem", value.from_problem)


def compare(op: str, left: HostValue, right: HostValue) -> bool | None:
    """Whether a comparison holds; None where the values leave it open."""
    if left.is_known and right.is_known:
        return _compare_exact(op, left.value, right.value)
    if op in ("is", "is not") or not (is_integer(left) and is_integer(right)):
        return None
    (a, b), (c, d) = left.bounds, right.bounds
    below = b is not None and c is not None and b < c
    above = a is not None and d is not None and a > d
    at_most = b is not None and c is not None and b <= c
    at_least = a is not None and d is not None and a >= d
    table: dict[str, tuple[bool, bool]] = {
        "<": (below, at_least),
        "<=": (at_most, above),
        ">": (above, at_most),
        ">=": (at_least, below),
        "==": (False, below or above),
        "!=": (below or above, False),
    }
    yes, no = table.get(op, (False, False))
    return True if yes else False if no else None


def _compare_exact(op: str, left: Any, right: Any) -> bool | None:
    if op in ("is", "is not"):
        if left is None or right is None or isinstance(left, bool) or isinstance(right, bool):
            same = left is right
        else:
            same = bool(left == right)
        return same if op == "is" else not same
    try:
        if op in ("in", "not in"):
            found = left in right
            return found if op == "in" else not found
        return bool(_ORDER[op](left, right)) if op in _ORDER else None
    except TypeError:
        return None


def narrow(op: str, value: HostValue, bound: HostValue) -> HostValue:
    """What is known of an integer once `value op bound` holds."""
    if not is_integer(value) or not is_integer(bound) or value.is_known:
        return value
    lo, hi = value.bounds
    low, high = bound.bounds
    if op == "==":
        return hull([bound]) if bound.is_known else value
    if op in ("<", "<=") and high is not None:
        high = high - 1 if op == "<" else high
        hi = high if hi is None else min(hi, high)
    elif op in (">", ">=") and low is not None:
        low = low + 1 if op == ">" else low
        lo = low if lo is None else max(lo, low)
    else:
        return value
    if lo is not None and hi is not None and lo > hi:
        return value
    return integer(lo, hi, value.kind == "problem", value.from_problem, value.reason)


NEGATED = {
    "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "is": "is not", "is not": "is",
    "in": "not in", "not in": "in",
}  # fmt: skip
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=", "is": "is", "is not": "is not"}
