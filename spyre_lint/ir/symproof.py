"""Proofs about symbolic expressions: order, divisibility, exact quotients.

Every answer of True or False holds for all admissible values of the symbols (those within bounds, multiples of their
`multiple_of`, that make no divisor zero); None says that no proof was found. The search is bounded, so an answer is
cheap and the same in every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from spyre_lint.ir import intervals
from spyre_lint.ir.atoms import Atom, Call, Monomial, Symbol
from spyre_lint.ir.intervals import Interval
from spyre_lint.ir.polynomial import (
    BUILDERS,
    Expr,
    as_expr,
    common_monomial,
    const,
    divide_by_monomial,
    of_atom,
    of_monomial,
    of_terms,
)

_SEARCH_DEPTH = 4
_SEARCH_BUDGET = 60  # expressions looked at in one proof
_SHIFT_LIMIT = 64  # terms that a change of variables may expand to


class _Budget:
    """Steps left in one proof."""

    __slots__ = ("left",)

    def __init__(self, left: int = _SEARCH_BUDGET) -> None:
        self.left = left

    def spend(self) -> bool:
        """Take one step; False if none is left."""
        self.left -= 1
        return self.left >= 0


# -- order -------------------------------------------------------------------------------------------------------------


def is_nonnegative(expr: Expr) -> bool:
    """Whether the expression is provably never below zero."""
    return _nonnegative(expr, _SEARCH_DEPTH, _Budget())


def is_positive(expr: Expr) -> bool:
    """Whether the expression is provably always above zero."""
    lo = expr.bounds()[0]
    return (lo is not None and lo > 0) or is_nonnegative(expr - 1)


def is_within(expr: Expr, size: Expr) -> bool:
    """Whether `0 <= expr < size` provably holds."""
    return is_nonnegative(expr) and is_nonnegative(size - expr - 1)


def compare(a: int | Expr, op: str, b: int | Expr) -> bool | None:
    """Provable truth of `a op b` with `op` one of lt, le, gt, ge, eq, ne; None if neither is proved.

    Raises ValueError for another `op`.
    """
    left, right = as_expr(a), as_expr(b)
    if op in ("gt", "ge"):
        left, right = right, left
        op = "lt" if op == "gt" else "le"
    difference = right - left
    if op in ("eq", "ne"):
        equal = _is_zero(difference)
        return equal if op == "eq" or equal is None else not equal
    if op not in ("lt", "le"):
        raise ValueError(f"unknown comparison {op!r}")
    if op == "lt":
        difference = difference - 1
    lo, hi = difference.bounds()
    if lo is not None and lo >= 0:
        return True
    if hi is not None and hi < 0:
        return False
    if is_nonnegative(difference):
        return True
    return False if is_nonnegative(-1 - difference) else None


def _is_zero(expr: Expr) -> bool | None:
    """Whether the expression is always (True) or never (False) zero."""
    if expr.is_const:
        return expr.constant == 0
    lo, hi = expr.bounds()
    if lo == hi == 0:
        return True
    if (lo is not None and lo > 0) or (hi is not None and hi < 0):
        return False
    step = _content_of_terms(expr)
    if step and expr.constant % step:
        return False
    expanded = _without_remainders(expr)
    if expanded == 0:
        return True
    if is_positive(expr) or is_positive(-expr):
        return False
    return True if is_nonnegative(expr) and is_nonnegative(-expr) else None


def _nonnegative(expr: Expr, depth: int, budget: _Budget) -> bool:
    lo, hi = expr.bounds()
    if lo is not None and lo >= 0:
        return True
    if (hi is not None and hi < 0) or not budget.spend() or _refuted(expr):
        return False
    if _shifted_nonnegative(expr):
        return True
    if expr.constant == 0 and expr.term_count > 1:
        shared = common_monomial(expr)
        if shared.degree:
            low, high = shared.bounds()
            rest = divide_by_monomial(expr, shared)
            if low is not None and low >= 0:
                return _nonnegative(rest, depth, budget)
            if high is not None and high <= 0:
                return _nonnegative(-rest, depth, budget)
    if depth == 0:
        return False
    return any(
        all(_nonnegative(case, depth - 1, budget) for case in cases) for cases in _sufficient(expr)
    ) or _rounded_nonnegative(expr, depth, budget)


def _refuted(expr: Expr) -> bool:
    """Whether some admissible assignment makes the expression negative, so that no proof need be searched."""
    symbols = expr.ordered_symbols()
    for pattern in _SAMPLES:
        values = {s: _sample(s, pattern[i % len(pattern)] + 3 * (i // len(pattern))) for i, s in enumerate(symbols)}
        try:
            if expr.evaluate(values) < 0:
                return True
        except (ArithmeticError, ValueError):  # no value here: a zero divisor, a negative exponent
            continue
    return False


# Steps from the end of its interval at which the first, second, ... symbol of an expression is tried.
_SAMPLES = ((0,), (1,), (1009,), (0, 1013), (1013, 0), (2, 64, 7), (37, 3, 1021), (5, 211, 0, 96))


def _sample(symbol: Symbol, steps: int) -> int:
    lo, hi = symbol.bounds
    step = symbol.multiple_of
    if lo is not None:
        value = lo + steps * step
        return value if hi is None or value <= hi else hi
    if hi is not None:
        return hi - steps * step
    return (steps if steps % 2 else -steps) * step


def _shifted_nonnegative(expr: Expr) -> bool:
    """Prove `expr >= 0` with each atom written as its distance from an end of its interval.

    (A - 1) * (B - 1) >= 0 for A, B >= 1 can't be seen term by term in A*B - A - B + 1; in A' = A - 1, B' = B - 1 it is
    A'*B'.
    """
    if sum(1 << mono.degree for mono, _ in expr.terms()) > _SHIFT_LIMIT:
        return False
    shifted = expr
    room: dict[Atom, Interval] = {}
    for atom in expr.atoms():
        lo, hi = atom.bounds
        if lo is not None:
            shifted = shifted.replace(atom, of_atom(atom) + lo)
        elif hi is not None:
            shifted = shifted.replace(atom, hi - of_atom(atom))
        else:
            return False
        room[atom] = (0, None if lo is None or hi is None else hi - lo)
    least = shifted.constant
    for mono, coefficient in shifted.terms():
        if coefficient > 0:
            continue
        span: Interval = (1, 1)
        for atom, power in mono.factors:
            span = intervals.mul(span, intervals.int_power(room[atom], power))
        if span[1] is None:
            return False
        least += coefficient * span[1]
    return least >= 0


def _sufficient(expr: Expr) -> Iterator[list[Expr]]:
    """Lists of expressions: `expr >= 0` follows if all of one list are. Each bounds a call by its arguments."""
    for mono, coefficient in expr.terms():
        for atom, power in mono.factors:
            if power != 1 or not isinstance(atom, Call):
                continue
            left = mono.over(Monomial(((atom, 1),)))
            assert left is not None
            cofactor = of_monomial(left, coefficient)
            rest = expr - of_monomial(mono, coefficient)
            if atom.op in ("min", "max"):
                yield from _extremum_cases(atom, cofactor, rest)
                continue
            low, high = cofactor.bounds()
            if low is not None and low >= 0:
                ends = _products(atom, cofactor)[0]
            elif high is not None and high <= 0:
                ends = _products(atom, cofactor)[1]
            else:
                continue
            for end in ends:
                yield [rest + end]


def _extremum_cases(atom: Call, cofactor: Expr, rest: Expr) -> Iterator[list[Expr]]:
    low, high = cofactor.bounds()
    cases = [rest + cofactor * arg for arg in atom.args]
    any_will_do = (low is not None and low >= 0) if atom.op == "max" else (high is not None and high <= 0)
    if any_will_do:
        yield from ([case] for case in cases)
    yield cases


def _products(atom: Call, cofactor: Expr) -> tuple[list[Expr], list[Expr]]:
    """Lower bounds of `cofactor * atom` where the cofactor is not negative, and where it is not positive."""
    at_least, at_most = [], []  # bounds of cofactor * atom, from bounds of the atom below and above
    if atom.op == "next_power_of_2":
        (x,) = atom.args
        at_least.append(cofactor * x)
        if _low(x) >= 1:
            at_most.append(cofactor * (2 * x - 1))
        return at_least, at_most
    if atom.op not in ("floordiv", "cdiv", "mod"):
        return at_least, at_most
    x, b = atom.args
    if _low(b) < 0:  # a divisor that isn't negative is positive
        return at_least, at_most
    if atom.op == "mod":
        at_most.append(cofactor * (b - 1))
        if _low(x) >= 0:
            at_most.append(cofactor * x)
        return at_least, at_most
    times, remainder = split(cofactor, b)
    if remainder == 0:
        exact = divides(b, x, expand=False)
        up, down = (const(0), 1 - b) if atom.op == "floordiv" else (b - 1, const(0))
        at_least.append(times * (x if exact else x + down))
        at_most.append(times * (x if exact else x + up))
    elif _low(x) >= 0:
        at_most.append(cofactor * x)
    return at_least, at_most


def _rounded_nonnegative(expr: Expr, depth: int, budget: _Budget) -> bool:
    """Prove `expr >= 0` from `b * expr > -b` for the divisor b of one of its divisions: expr is an integer."""
    seen: set[Expr] = set()
    for atom in expr.calls():
        if atom.op not in ("floordiv", "cdiv"):
            continue
        b = atom.args[1]
        if b in seen or _low(b) < 0:
            continue
        seen.add(b)
        if _nonnegative(b * expr + b - 1, depth - 1, budget):
            return True
    return False


def _low(expr: Expr) -> int:
    """Lower bound, with a negative number for none."""
    lo = expr.bounds()[0]
    return -1 if lo is None else lo


# -- divisibility ------------------------------------------------------------------------------------------------------


def divides(d: int | Expr, e: int | Expr, *, expand: bool = True) -> bool | None:
    """Whether `e` is a multiple of `d`: True always, False never, None unknown (zero divides only zero).

    `expand` is for internal use: without it, remainders and extrema inside `e` are not looked into.
    """
    d, e = as_expr(d), as_expr(e)
    if e.is_const and e.constant == 0:
        return True
    answer = _const_divides(abs(d.constant), e) if d.is_const else _expr_divides(d, e)
    if answer is not None or not expand or not e.calls():
        return answer
    expanded = _without_remainders(e)
    if expanded != e:
        answer = divides(d, expanded, expand=False)
        if answer is not None:
            return answer
    for atom in e.calls():
        if atom.op in ("min", "max"):
            answers = [divides(d, e.replace(atom, arg)) for arg in atom.args]
            if answers[0] is not None and answers.count(answers[0]) == len(answers):
                return answers[0]
    return None


def largest_divisor(e: Expr) -> int:
    """Largest integer that provably divides the expression; 0 for the expression 0, which everything divides."""
    return gcd(_content_of_terms(e), e.constant)


def _content_of_terms(e: Expr) -> int:
    return gcd(*(coefficient * _monomial_divisor(mono) for mono, coefficient in e.terms()))


def _monomial_divisor(mono: Monomial) -> int:
    result = 1
    for atom, power in mono.factors:
        known: int = _atom_divisor(atom)
        if known != 1:
            result *= known**power
    return result


def _atom_divisor(atom: Atom) -> int:
    if isinstance(atom, Symbol):
        return atom.multiple_of
    if atom.op in ("min", "max", "mod", "truncrem"):  # x % m is x minus a multiple of m
        return gcd(*(largest_divisor(arg) for arg in atom.args))
    if atom.op == "next_power_of_2":
        lo = atom.args[0].bounds()[0]
        return intervals.next_power_of_2_int(lo) if lo is not None and lo > 0 else 1
    if atom.op == "mul":
        result = 1
        for arg in atom.args:
            result *= largest_divisor(arg)
        return result
    return 1


def _const_divides(d: int, e: Expr) -> bool | None:
    if d == 1:
        return True
    if d == 0:
        return _is_zero(e)
    step = gcd(_content_of_terms(e), d)
    if step == d:
        return e.constant % d == 0
    if e.constant % step:
        return False
    lo, hi = e.bounds()
    # No multiple of d in the whole interval.
    return False if lo is not None and hi is not None and hi // d == (lo - 1) // d else None


def _expr_divides(d: Expr, e: Expr) -> bool | None:
    _, rest = split(e, d)
    if rest == 0:
        return True
    if d.term_count == 1 and not d.constant and _terms_cover(d, e):
        return True
    if _strictly_between(rest, d):
        return False
    known = largest_divisor(d)
    if known > 1 and _const_divides(known, e) is False:
        return False
    atom = d.single_atom()
    if isinstance(atom, Call) and atom.op in ("min", "max"):  # d is one of them
        answers = [divides(arg, e, expand=False) for arg in atom.args]
        if answers[0] is not None and answers.count(answers[0]) == len(answers):
            return answers[0]
    return None


def _terms_cover(d: Expr, e: Expr) -> bool:
    """Whether every term of `e` is a multiple of the one term of `d`, with the known divisors of its atoms."""
    ((divisor, factor),) = d.terms()
    if e.constant:
        return False
    for mono, coefficient in e.terms():
        left = mono.over(divisor)
        if left is None or (coefficient * _monomial_divisor(left)) % factor:
            return False
    return True


def _strictly_between(rest: Expr, d: Expr) -> bool:
    """Whether `0 < |rest| < |d|` provably holds, so that a multiple of d plus rest is none."""
    sizes = [size for size in (d, -d) if _low(size) >= 0 or size is d]
    return any(is_nonnegative(part - 1) and is_nonnegative(size - part - 1) for size in sizes for part in (rest, -rest))


def _without_remainders(e: Expr) -> Expr:
    """The expression with `x % m` written as `x - m * (x // m)`, outside of calls."""
    for atom in e.calls():
        if atom.op in ("mod", "truncrem"):
            x, m = atom.args
            quotient = BUILDERS["floordiv" if atom.op == "mod" else "truncdiv"](x, m)
            e = e.replace(atom, x - m * quotient)
    return e


# -- quotients ---------------------------------------------------------------------------------------------------------


def split(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """`(q, r)` with `a == q * b + r` for all values, `r` with as few terms of `a` as can be.

    `r` is a rest, not a remainder: nothing bounds it, except that its constant lies in [0, b) for a constant b > 0.
    Raises ZeroDivisionError for a constant b of zero.
    """
    if b.is_const:
        return _split_const(a, b.constant)
    if b.term_count == 1 and not b.constant:
        ((divisor, factor),) = b.terms()
        return _split_monomial(a, divisor, factor)
    return _split_polynomial(a, b)


def exact_quotient(a: int | Expr, b: int | Expr) -> Expr | None:
    """The expression q with `a == q * b` for all values, or None if the normal forms don't show one."""
    a, b = as_expr(a), as_expr(b)
    if b.is_const and b.constant == 0:
        return None
    quotient, rest = split(a, b)
    return quotient if rest == 0 else None


def _split_const(a: Expr, n: int) -> tuple[Expr, Expr]:
    if not a.term_count:
        return const(a.constant // n), const(a.constant % n)
    inside, outside = {}, {}
    for mono, coefficient in a.terms():
        if coefficient % n:
            outside[mono] = coefficient
        else:
            inside[mono] = coefficient // n
    return of_terms(inside, a.constant // n), of_terms(outside, a.constant % n)


def _split_monomial(a: Expr, divisor: Monomial, factor: int) -> tuple[Expr, Expr]:
    inside, outside = {}, {}
    for mono, coefficient in a.terms():
        left = None if coefficient % factor else mono.over(divisor)
        if left is None:
            outside[mono] = coefficient
        else:
            inside[left] = coefficient // factor
    return of_terms(inside, 0), of_terms(outside, a.constant)


def _split_polynomial(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Polynomial division by the leading term; taken only where it makes the rest shorter."""
    lead, factor = max(b.terms(), key=lambda item: item[0].sort_key)
    quotient, rest = const(0), a
    done: dict[Monomial, int] = {}
    for _ in range(32):
        for mono, coefficient in rest.terms():
            left = None if mono in done or coefficient % factor else mono.over(lead)
            if left is not None:
                step = of_monomial(left, coefficient // factor)
                quotient, rest = quotient + step, rest - step * b
                break
            done[mono] = coefficient
        else:
            break
        done = {}
    size = rest.term_count + (1 if rest.constant else 0)
    before = a.term_count + (1 if a.constant else 0)
    return (quotient, rest) if size < before else (const(0), a)
