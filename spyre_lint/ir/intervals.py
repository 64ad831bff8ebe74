"""Interval arithmetic on exact integers: the bounds that symbolic expressions answer with.

An interval is `(lo, hi)`, both ends included; None is minus infinity as `lo` and plus infinity as `hi`. Every
function returns an interval that contains the result for all admissible operands. A divisor of zero is never
admissible, so an interval that only touches zero is read as ending next to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Interval = tuple[int | None, int | None]

ANY: Interval = (None, None)

# Powers and products of wider integers than this are not computed: linted code may ask for 2**(10**9).
MAX_BITS = 1 << 16


def next_power_of_2_int(n: int) -> int:
    """Smallest power of two that is at least `n`; 0 for `n` of zero or less, as `triton.next_power_of_2` has it."""
    return 1 << (n - 1).bit_length() if n > 0 else 0


def truncdiv_int(a: int, b: int) -> int:
    """Quotient rounded towards zero, as runtime `//` in a kernel; ZeroDivisionError for `b == 0`."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def truncrem_int(a: int, b: int) -> int:
    """Remainder with the sign of `a`, as runtime `%` in a kernel; ZeroDivisionError for `b == 0`."""
    return a - b * truncdiv_int(a, b)


def cdiv_int(a: int, b: int) -> int:
    """`(a + b - 1) // b` in floor arithmetic; ZeroDivisionError for `b == 0`."""
    return (a + b - 1) // b


def power_int(a: int, b: int) -> int:
    """`a ** b`; ValueError for a negative exponent, OverflowError for a result of more than MAX_BITS bits."""
    if b < 0:
        raise ValueError(f"negative exponent {b}")
    if abs(a) > 1 and a.bit_length() * b > MAX_BITS:
        raise OverflowError(f"{a}**{b} has more than {MAX_BITS} bits")
    return int(a**b)


def product_int(a: int, b: int) -> int:
    """`a * b`; OverflowError for a result of more than MAX_BITS bits."""
    if a.bit_length() + b.bit_length() > MAX_BITS:
        raise OverflowError(f"a product has more than {MAX_BITS} bits")
    return a * b


def add(a: Interval, b: Interval) -> Interval:
    """Interval of a sum."""
    (alo, ahi), (blo, bhi) = a, b
    return (
        None if alo is None or blo is None else alo + blo,
        None if ahi is None or bhi is None else ahi + bhi,
    )


def neg(a: Interval) -> Interval:
    """Interval of a negation."""
    lo, hi = a
    return (None if hi is None else -hi, None if lo is None else -lo)


def mul(a: Interval, b: Interval) -> Interval:
    """Interval of a product."""
    (alo, ahi), (blo, bhi) = a, b
    if alo is not None and blo is not None and alo >= 0 and blo >= 0:
        return (alo * blo, _product_hi(ahi, bhi))
    least = _product_hi_of_corners(neg(a), b)
    return (None if least is None else -least, _product_hi_of_corners(a, b))


def _product_hi(ahi: int | None, bhi: int | None) -> int | None:
    """Upper end of a product of two intervals that start at zero or above."""
    if ahi == 0 or bhi == 0:
        return 0
    return None if ahi is None or bhi is None else ahi * bhi


def _product_hi_of_corners(a: Interval, b: Interval) -> int | None:
    """Upper end of a product: the largest of the products of ends."""
    best: int | None = None
    for (x, x_infinite), (y, y_infinite) in _corners(a, b):
        value = x * y
        if x_infinite or y_infinite:
            if value > 0:
                return None
            if value < 0:
                continue  # minus infinity is never the largest: some corner is finite
        best = value if best is None else max(best, value)
    return best


def _corners(a: Interval, b: Interval) -> Iterable[tuple[tuple[int, bool], tuple[int, bool]]]:
    """The pairs of ends of two intervals; an infinite end is its sign with the flag set."""
    ends_a = ((-1, True) if a[0] is None else (a[0], False), (1, True) if a[1] is None else (a[1], False))
    ends_b = ((-1, True) if b[0] is None else (b[0], False), (1, True) if b[1] is None else (b[1], False))
    return ((x, y) for x in ends_a for y in ends_b)


def int_power(a: Interval, exponent: int) -> Interval:
    """Interval of `a ** exponent` for a fixed exponent of at least 1."""
    lo, hi = a
    if exponent == 1:
        return a
    if exponent % 2 == 0:
        if lo is not None and lo >= 0:
            return (lo**exponent, None if hi is None else hi**exponent)
        if hi is not None and hi <= 0:
            return (hi**exponent, None if lo is None else lo**exponent)
        return (0, None if lo is None or hi is None else max(-lo, hi) ** exponent)
    return (None if lo is None else lo**exponent, None if hi is None else hi**exponent)


def _sign_split(b: Interval) -> int:
    """1 or -1 if a divisor in `b` has that sign for certain, else 0."""
    lo, hi = b
    if lo is not None and lo >= 0:
        return 1
    return -1 if hi is not None and hi <= 0 else 0


def _largest_magnitude(a: Interval) -> int | None:
    lo, hi = a
    return None if lo is None or hi is None else max(abs(lo), abs(hi))


def floordiv(a: Interval, b: Interval) -> Interval:
    """Interval of a floor division."""
    return _division(a, b, lambda x, y: x // y, -1)


def truncdiv(a: Interval, b: Interval) -> Interval:
    """Interval of a division rounded towards zero."""
    return _division(a, b, truncdiv_int, 0)


def cdiv(a: Interval, b: Interval) -> Interval:
    """Interval of `(a + b - 1) // b`."""
    if _sign_split(b) > 0:
        return neg(floordiv(neg(a), b))
    return floordiv(add(add(a, b), (-1, -1)), b)


def _division(a: Interval, b: Interval, divide: Callable[[int, int], int], tiny_negative: int) -> Interval:
    """Interval of a rounded quotient; `tiny_negative` is what a quotient just below zero rounds to."""
    sign = _sign_split(b)
    if sign == 0:
        size = _largest_magnitude(a)
        return ANY if size is None else (-size, size)
    if sign < 0:
        a, b = neg(a), neg(b)
    blo, bhi = max(1, b[0] or 0), b[1]
    alo, ahi = a
    # A rounded quotient is monotone in the dividend, and in the divisor wherever the dividend keeps its sign.
    if alo is None:
        lo = None
    elif alo >= 0:
        lo = 0 if bhi is None else divide(alo, bhi)
    else:
        lo = divide(alo, blo)
    if ahi is None:
        hi = None
    elif ahi >= 0:
        hi = divide(ahi, blo)
    else:
        hi = tiny_negative if bhi is None else divide(ahi, bhi)
    return (lo, hi)


def mod(a: Interval, b: Interval) -> Interval:
    """Interval of a floor remainder (it has the sign of the divisor)."""
    sign = _sign_split(b)
    blo, bhi = b
    if sign > 0:
        alo, ahi = a
        if alo is not None and alo >= 0:
            if ahi is not None and blo is not None and ahi < blo:
                return a
            return (0, _least(ahi, None if bhi is None else bhi - 1))
        return (0, None if bhi is None else bhi - 1)
    if sign < 0:
        return neg(mod(neg(a), neg(b)))
    return (
        None if blo is None else min(blo + 1, 0),
        None if bhi is None else max(bhi - 1, 0),
    )


def truncrem(a: Interval, b: Interval) -> Interval:
    """Interval of a remainder with the sign of the dividend."""
    size = _largest_magnitude(b)
    limit = None if size is None else max(size - 1, 0)
    alo, ahi = a
    lo = 0 if alo is not None and alo >= 0 else _greatest(alo, None if limit is None else -limit)
    hi = 0 if ahi is not None and ahi <= 0 else _least(ahi, limit)
    return (lo, hi)


def _least(x: int | None, y: int | None) -> int | None:
    """Smaller of two upper ends."""
    if x is None or y is None:
        return y if x is None else x
    return min(x, y)


def _greatest(x: int | None, y: int | None) -> int | None:
    """Larger of two lower ends."""
    if x is None or y is None:
        return y if x is None else x
    return max(x, y)


def intersect(a: Interval, b: Interval) -> Interval:
    """What two intervals that both hold have in common."""
    return (_greatest(a[0], b[0]), _least(a[1], b[1]))


def minimum(a: Interval, b: Interval) -> Interval:
    """Interval of the smaller of two values."""
    lo = None if a[0] is None or b[0] is None else min(a[0], b[0])
    return (lo, _least(a[1], b[1]))


def maximum(a: Interval, b: Interval) -> Interval:
    """Interval of the larger of two values."""
    hi = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return (_greatest(a[0], b[0]), hi)


def next_power_of_2(a: Interval) -> Interval:
    """Interval of `next_power_of_2`, which is monotone."""
    lo, hi = a
    return (0 if lo is None else next_power_of_2_int(lo), None if hi is None else next_power_of_2_int(hi))


def power(a: Interval, b: Interval) -> Interval:
    """Interval of `a ** b` where the exponent is not negative."""
    (alo, ahi), (blo, bhi) = a, b
    if alo is None or alo < 0:
        return ANY
    lo = 0
    if alo >= 1:
        lo = _power_or_none(alo, max(0, blo or 0)) or 1
    hi = None if ahi is None or bhi is None else _power_or_none(max(1, ahi), max(0, bhi))
    return (lo, hi)


def _power_or_none(a: int, b: int) -> int | None:
    try:
        return power_int(a, b)
    except OverflowError:
        return None
