"""Integer functions of symbolic expressions: divisions, remainders, extrema, powers, simplified as they are built.

`floordiv`, `mod`, `cdiv` follow Python, as constexprs do; `truncdiv`, `truncrem` follow C, as runtime `//` and `%` in a
kernel do, and become the former where the operands are provably not negative. A simplification may turn an expression
whose divisor is zero, which has no value, into one that has.
"""

from __future__ import annotations

from math import gcd

from spyre_lint.ir import intervals
from spyre_lint.ir.atoms import Call
from spyre_lint.ir.polynomial import BUILDERS, Expr, as_expr, call, const, divide_by_monomial, of_monomial, of_terms
from spyre_lint.ir.symproof import divides, is_nonnegative, is_positive, is_within, split


def floordiv(a: int | Expr, b: int | Expr) -> Expr:
    """`a // b` rounded down; ZeroDivisionError for a constant b of zero."""
    a, b = as_expr(a), as_expr(b)
    if b.is_const:
        n = b.constant
        if n == 0:
            raise ZeroDivisionError(f"({a}) // 0")
        if a.is_const:
            return const(a.constant // n)
        if n < 0:
            return floordiv(-a, -n)
        if n == 1:
            return a
    quotient, rest = split(a, b)
    whole = _known_quotient(rest, b)
    if whole is not None:
        return quotient + whole
    rest, b = _cancel(rest, b)
    positive = is_positive(b)
    if positive:
        nested = _nested(rest, "floordiv")
        if nested is not None:
            return quotient + floordiv(nested[0], nested[1] * b)
        if all(coefficient < 0 for _, coefficient in rest.terms()):
            # floor(-x / b) is -ceil(x / b)
            if b.is_const:
                return quotient - _division_atom(b.constant - 1 - rest, b)
            return quotient - 1 - _division_atom(-1 - rest, b)
    return quotient + _division_atom(rest, b)


def cdiv(a: int | Expr, b: int | Expr) -> Expr:
    """`(a + b - 1) // b`, the number of blocks of b that cover a; ZeroDivisionError for a constant b of zero."""
    a, b = as_expr(a), as_expr(b)
    return floordiv(a + b - 1, b)


def mod(a: int | Expr, b: int | Expr) -> Expr:
    """`a % b` with the sign of b; ZeroDivisionError for a constant b of zero."""
    a, b = as_expr(a), as_expr(b)
    if b.is_const:
        n = b.constant
        if n == 0:
            raise ZeroDivisionError(f"({a}) % 0")
        if a.is_const:
            return const(a.constant % n)
        if n < 0:
            return -mod(-a, -n)
        if n == 1:
            return const(0)
    rest = _reduced(a, b)
    whole = _known_quotient(rest, b)
    if whole is not None:
        return rest - whole * b
    if divides(b, rest, expand=False):
        return const(0)
    if b.is_const:
        n = b.constant
        shared = gcd(n, *(coefficient for _, coefficient in rest.terms()))
        if shared > 1:
            inner = of_terms({m: c // shared for m, c in rest.terms()}, rest.constant // shared)
            return shared * mod(inner, n // shared) + rest.constant % shared
    elif b.term_count == 1 and not b.constant:
        smaller, divisor = _cancel(rest, b)
        if divisor != b:
            factor, _ = split(b, divisor)
            return factor * mod(smaller, divisor)
    return call("mod", rest, b)


def truncdiv(a: int | Expr, b: int | Expr) -> Expr:
    """`a / b` rounded towards zero; ZeroDivisionError for a constant b of zero."""
    a, b = as_expr(a), as_expr(b)
    if b.is_const:
        n = b.constant
        if n == 0:
            raise ZeroDivisionError(f"({a}) / 0")
        if a.is_const:
            return const(intervals.truncdiv_int(a.constant, n))
        if n < 0:
            return -truncdiv(a, -n)
    if is_positive(b):
        if is_nonnegative(a):
            return floordiv(a, b)
        if is_nonnegative(-a):
            return -floordiv(-a, b)
        if is_nonnegative(b - 1 - a) and is_nonnegative(b - 1 + a):
            return const(0)
    quotient, rest = split(a, b)
    if rest == 0:
        return quotient
    if a.constant <= 0 and all(coefficient < 0 for _, coefficient in a.terms()):
        return -truncdiv(-a, b)
    return call("truncdiv", a, b)


def truncrem(a: int | Expr, b: int | Expr) -> Expr:
    """`a - b * truncdiv(a, b)`, with the sign of a; ZeroDivisionError for a constant b of zero."""
    a, b = as_expr(a), as_expr(b)
    if b.is_const:
        n = b.constant
        if n == 0:
            raise ZeroDivisionError(f"({a}) % 0")
        if a.is_const:
            return const(intervals.truncrem_int(a.constant, n))
        if n < 0:
            return truncrem(a, -n)
    if is_positive(b):
        if is_nonnegative(a):
            return mod(a, b)
        if is_nonnegative(-a):
            return -mod(-a, b)
        if is_nonnegative(b - 1 - a) and is_nonnegative(b - 1 + a):
            return a
    if divides(b, a, expand=False):
        return const(0)
    if a.constant <= 0 and all(coefficient < 0 for _, coefficient in a.terms()):
        return -truncrem(-a, b)
    return call("truncrem", a, b)


def minimum(a: int | Expr, *more: int | Expr) -> Expr:
    """The smallest of the arguments."""
    return _extremum("min", [as_expr(x) for x in (a, *more)])


def maximum(a: int | Expr, *more: int | Expr) -> Expr:
    """The largest of the arguments."""
    return _extremum("max", [as_expr(x) for x in (a, *more)])


def next_power_of_2(a: int | Expr) -> Expr:
    """Smallest power of two that is at least `a`, 0 for an `a` of zero or less."""
    a = as_expr(a)
    if a.is_const:
        return const(intervals.next_power_of_2_int(a.constant))
    lo, hi = intervals.next_power_of_2(a.bounds())
    if lo == hi and lo is not None:
        return const(lo)
    atom = a.single_atom()
    if isinstance(atom, Call) and atom.op == "next_power_of_2":
        return a
    return call("next_power_of_2", a)


def power(a: int | Expr, b: int | Expr) -> Expr:
    """`a ** b`; ValueError for a constant negative b."""
    a, b = as_expr(a), as_expr(b)
    if b.is_const:
        n = b.constant
        if n < 0:
            raise ValueError(f"({a}) ** {n} is no integer")
        if n == 0 or a == 1:
            return const(1)
        if a.is_const:
            try:
                return const(intervals.power_int(a.constant, n))
            except OverflowError:
                return call("power", a, b)
        if n <= 8:
            result = a
            for _ in range(n - 1):
                result = result * a
            return result
    elif a == 1:
        return a
    return call("power", a, b)


def _known_quotient(rest: Expr, b: Expr) -> int | None:
    """`rest // b` where it is provably one number."""
    lo, hi = intervals.floordiv(rest.bounds(), b.bounds())
    if lo is not None and lo == hi:
        return lo
    if b.is_const or (lo is not None and lo > 0) or (hi is not None and hi < -1):
        return None
    if is_within(rest, b):
        return 0
    return -1 if is_within(rest + b, b) else None


def _cancel(rest: Expr, b: Expr) -> tuple[Expr, Expr]:
    """Dividend and divisor without the positive factor that every term of both has in common.

    With a constant divisor the dividend's constant is rounded down with it, which leaves the floored quotient as it is.
    """
    if b.is_const:
        shared = gcd(b.constant, *(coefficient for _, coefficient in rest.terms()))
        if shared <= 1:
            return rest, b
        terms = {mono: coefficient // shared for mono, coefficient in rest.terms()}
        return of_terms(terms, rest.constant // shared), const(b.constant // shared)
    if rest.constant or b.constant:
        return rest, b
    shared_coefficient = gcd(*(c for _, c in rest.terms()), *(c for _, c in b.terms()))
    if shared_coefficient > 1:
        rest = of_terms({mono: c // shared_coefficient for mono, c in rest.terms()}, 0)
        b = of_terms({mono: c // shared_coefficient for mono, c in b.terms()}, 0)
    monos = [mono for mono, _ in rest.terms()] + [mono for mono, _ in b.terms()]
    common = monos[0]
    for mono in monos[1:]:
        common = common.common(mono)
    if common.degree and is_positive(of_monomial(common)):
        rest, b = divide_by_monomial(rest, common), divide_by_monomial(b, common)
    return rest, b


def _nested(rest: Expr, op: str) -> tuple[Expr, Expr] | None:
    """The operands of the call `op` by a positive divisor that `rest` is, if it is one."""
    atom = rest.single_atom()
    if isinstance(atom, Call) and atom.op == op and is_positive(atom.args[1]):
        return atom.args[0], atom.args[1]
    return None


def _division_atom(rest: Expr, b: Expr) -> Expr:
    """`rest // b` as a call; written as a cdiv where that is shorter, so that both ways to write it are equal."""
    if b.is_const:
        if rest.constant != b.constant - 1:
            return call("floordiv", rest, b)
        covered, offset = rest - rest.constant, 0
    elif rest.constant < 0:
        covered, offset = rest + 1, -1
    else:
        return call("floordiv", rest, b)
    nested = _nested(covered, "cdiv") if is_positive(b) else None
    if nested is not None:
        return cdiv(nested[0], nested[1] * b) + offset
    return call("cdiv", covered, b) + offset


def _reduced(a: Expr, b: Expr) -> Expr:
    """`a` less multiples of b, with remainders of multiples of b taken off."""
    _, rest = split(a, b)
    for atom in rest.calls():
        if atom.op != "mod":
            continue
        parts = rest.linear_in_atom(atom)
        if parts is not None and divides(b, parts[0] * atom.args[1], expand=False):
            _, rest = split(rest.replace(atom, atom.args[0]), b)
    if b.is_const:
        n = b.constant
        terms = {mono: c % n if c > 0 else -(-c % n) for mono, c in rest.terms()}
        rest = of_terms(terms, rest.constant % n)
    return rest


def _extremum(op: str, args: list[Expr]) -> Expr:
    kept: list[Expr] = []
    for arg in args:
        atom = arg.single_atom()
        inner = atom.args if isinstance(atom, Call) and atom.op == op else (arg,)
        if not kept:
            kept.extend(inner)  # already compared with each other
            continue
        for candidate in inner:
            _add_candidate(op, kept, candidate)
    return kept[0] if len(kept) == 1 else call(op, *kept)


def _add_candidate(op: str, kept: list[Expr], arg: Expr) -> None:
    """Add an argument of an extremum of kind `op`; of two provably ordered ones only the one that counts is kept."""
    for i, other in enumerate(kept):
        if _beats(op, other, arg):
            # Provably equal ones in two forms: keep the same form whatever the order of the arguments.
            if arg != other and (arg.size, arg.sort_key) < (other.size, other.sort_key) and _beats(op, arg, other):
                kept[i] = arg
            return
    kept[:] = [other for other in kept if not _beats(op, arg, other)]
    kept.append(arg)


def _beats(op: str, winner: Expr, loser: Expr) -> bool:
    """Whether `winner` makes `loser` superfluous in an extremum of kind `op`."""
    return is_nonnegative(loser - winner if op == "min" else winner - loser)


BUILDERS.update(
    {
        "floordiv": floordiv,
        "cdiv": cdiv,
        "mod": mod,
        "truncdiv": truncdiv,
        "truncrem": truncrem,
        "min": minimum,
        "max": maximum,
        "next_power_of_2": next_power_of_2,
        "power": power,
    }
)
