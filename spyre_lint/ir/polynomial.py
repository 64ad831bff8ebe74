"""Symbolic integer expressions in normal form: polynomials over symbols and function atoms.

An `Expr` is a sum of integer coefficients times products of atoms; an atom is a `Symbol` (a constexpr, an argument, a
program id, ...) or a `Call` (a division, a remainder, a minimum, ... of expressions). Equality and hashing look at the
normal form alone. Printing keeps the order in which the expression was written, highest degree first.

The functions that build calls live in `spyre_lint.ir.symfn`, proofs in `spyre_lint.ir.symproof`; use all of it through
`spyre_lint.ir.sym`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

from spyre_lint.ir import intervals
from spyre_lint.ir.atoms import Atom, Call, Monomial, Symbol, Values
from spyre_lint.ir.intervals import Interval

# Products of sums beyond this many terms stay unexpanded, so that no input makes an expression explode.
MAX_TERMS = 256

# Calls nested deeper or written out longer than this become opaque symbols: recursion over an expression stays shallow,
# and one that uses itself twice at every step of an unrolled loop doesn't double each time.
MAX_DEPTH = 32
MAX_SIZE = 600

_opaque_ids = itertools.count(1)

_NO_TERMS: dict[Monomial, int] = {}


class Expr:
    """An integer expression in normal form. Immutable; equal expressions are those with one normal form.

    `constant` is the constant term. Operators `+ - *` take ints on either side. There is no truth value and no
    order: ask `is_const` and `value`, or `compare` and `divides` of `spyre_lint.ir.sym`.
    """

    __slots__ = ("_bounds", "_hash", "_key", "_symbols", "_terms", "_text", "constant", "depth", "size")

    def __init__(self, terms: dict[Monomial, int], constant: int) -> None:
        self._terms = terms
        self.constant = constant
        self._bounds: Interval | None = None
        self._key: str | None = None
        self._symbols: tuple[Symbol, ...] | None = None
        self._text: str | None = None
        if not terms:
            self._hash = hash(constant)
            self.depth, self.size = 0, 1
        else:
            self._hash = hash((frozenset(terms.items()), constant))
            inner = [a for m in terms for a, _ in m.factors if isinstance(a, Call)]
            self.depth = max((a.depth for a in inner), default=0)
            self.size = 1 + len(terms) + sum(a.size for a in inner)

    # -- identity ------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Expr):
            return self._hash == other._hash and self.constant == other.constant and self._terms == other._terms
        if isinstance(other, int):
            return not self._terms and self.constant == other
        return NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __bool__(self) -> bool:
        raise TypeError(f"the expression {self} has no truth value; use is_const and value, or compare")

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (tuple(self._terms.items()), self.constant))

    @property
    def is_const(self) -> bool:
        """Whether this is a number."""
        return not self._terms

    @property
    def value(self) -> int:
        """The number this is; ValueError if it is none."""
        if self._terms:
            raise ValueError(f"{self} is not a constant")
        return self.constant

    @property
    def sort_key(self) -> str:
        """A text to order expressions by, the same for equal ones and in every run."""
        if self._key is None:
            terms = sorted((m.sort_key, c) for m, c in self._terms.items())
            self._key = " + ".join([f"{c}*[{key[1]}]" for key, c in terms] + [str(self.constant)])
        return self._key

    # -- arithmetic ----------------------------------------------------------------------------------------------

    def __add__(self, other: Expr | int) -> Expr:
        if isinstance(other, int):
            return self if other == 0 else _make(self._terms, self.constant + other)
        if not isinstance(other, Expr):
            return NotImplemented
        if not other._terms:
            return self if other.constant == 0 else _make(self._terms, self.constant + other.constant)
        if not self._terms:
            return _make(other._terms, self.constant + other.constant)
        terms = dict(self._terms)
        for mono, coefficient in other._terms.items():
            total = terms.get(mono, 0) + coefficient
            if total:
                terms[mono] = total
            else:
                del terms[mono]
        return _make(terms, self.constant + other.constant)

    __radd__ = __add__

    def __neg__(self) -> Expr:
        return self * -1

    def __sub__(self, other: Expr | int) -> Expr:
        if isinstance(other, (int, Expr)):
            return self + (-other)
        return NotImplemented

    def __rsub__(self, other: int) -> Expr:
        return -self + other

    def __mul__(self, other: Expr | int) -> Expr:
        if isinstance(other, int):
            other = const(other)
        elif not isinstance(other, Expr):
            return NotImplemented
        if not self._terms:
            self, other = other, self
        if not other._terms:
            factor = other.constant
            if factor == 1:
                return self
            if factor == 0:
                return const(0)
            if factor.bit_length() + self._widest() > intervals.MAX_BITS:
                return call("mul", self, other)
            return _make({m: c * factor for m, c in self._terms.items()}, self.constant * factor)
        if (len(self._terms) + 1) * (len(other._terms) + 1) > MAX_TERMS:
            return call("mul", self, other)
        if self._widest() + other._widest() > intervals.MAX_BITS:
            return call("mul", self, other)
        terms: dict[Monomial, int] = {}
        for left, a in self._items():
            for right, b in other._items():
                mono = left if right is _ONE else right if left is _ONE else left * right
                terms[mono] = terms.get(mono, 0) + a * b
        constant = terms.pop(_ONE, 0)
        return _make({m: c for m, c in terms.items() if c}, constant)

    __rmul__ = __mul__

    def _items(self) -> list[tuple[Monomial, int]]:
        items = list(self._terms.items())
        if self.constant:
            items.append((_ONE, self.constant))
        return items

    def _widest(self) -> int:
        return max(self.constant.bit_length(), *(c.bit_length() for c in self._terms.values()), 0)

    # -- structure -----------------------------------------------------------------------------------------------

    def terms(self) -> Iterator[tuple[Monomial, int]]:
        """The monomials with their coefficients, without the constant term, in the order they were written."""
        return iter(self._terms.items())

    @property
    def term_count(self) -> int:
        """Number of terms, the constant one not counted."""
        return len(self._terms)

    def atoms(self) -> tuple[Atom, ...]:
        """The atoms that occur outside of calls, each once, in the order they were written."""
        return tuple(dict.fromkeys(atom for mono in self._terms for atom, _ in mono.factors))

    def calls(self) -> tuple[Call, ...]:
        """The calls that occur outside of other calls, each once, in the order they were written."""
        return tuple(atom for atom in self.atoms() if isinstance(atom, Call))

    def single_atom(self) -> Atom | None:
        """The atom this is, if it is one and nothing else."""
        if len(self._terms) != 1 or self.constant:
            return None
        ((mono, coefficient),) = self._terms.items()
        return mono.factors[0][0] if coefficient == 1 and mono.degree == 1 else None

    def ordered_symbols(self) -> tuple[Symbol, ...]:
        """All symbols, nested ones included, each once, in the order they were written."""
        if self._symbols is None:
            found: dict[Symbol, None] = {}
            for atom in self.atoms():
                if isinstance(atom, Symbol):
                    found[atom] = None
                else:
                    for arg in atom.args:
                        found.update(dict.fromkeys(arg.ordered_symbols()))
            self._symbols = tuple(found)
        return self._symbols

    def symbols(self) -> frozenset[Symbol]:
        """All symbols, nested ones included."""
        return frozenset(self.ordered_symbols())

    def linear_in(self, symbol: Symbol) -> tuple[Expr, Expr] | None:
        """`(slope, rest)` with `self == slope * symbol + rest`, the symbol in neither of them; None if not linear."""
        parts = self.linear_in_atom(symbol)
        if parts is None or any(symbol in part.ordered_symbols() for part in parts):
            return None
        return parts

    def linear_in_atom(self, atom: Atom) -> tuple[Expr, Expr] | None:
        """`(slope, rest)` with `self == slope * atom + rest` and neither holding the atom outside of calls, or None."""
        slope, rest = const(0), const(self.constant)
        for mono, coefficient in self._terms.items():
            powers = dict(mono.factors)
            power = powers.pop(atom, 0)
            if power > 1:
                return None
            left = of_monomial(Monomial(tuple(powers.items())), coefficient)
            slope, rest = (slope + left, rest) if power else (slope, rest + left)
        return slope, rest

    # -- values --------------------------------------------------------------------------------------------------

    def substitute(self, values: Substitution) -> Expr:
        """This expression with symbols replaced (all at once) and simplified again."""
        if not self._terms or not any(s in values for s in self.ordered_symbols()):
            return self
        result = const(self.constant)
        for mono, coefficient in self._terms.items():
            product = const(coefficient)
            for atom, power in mono.factors:
                factor = _substitute_atom(atom, values)
                for _ in range(power):
                    product = product * factor
            result = result + product
        return result

    def replace(self, atom: Atom, by: Expr) -> Expr:
        """This expression with one atom replaced wherever it stands outside of calls."""
        result = const(self.constant)
        for mono, coefficient in self._terms.items():
            powers = dict(mono.factors)
            power = powers.pop(atom, 0)
            product = of_monomial(Monomial(tuple(powers.items())) if power else mono, coefficient)
            for _ in range(power):
                product = product * by
            result = result + product
        return result

    def evaluate(self, values: Values) -> int:
        """The value under an assignment by name or by symbol (the symbol wins).

        Raises KeyError for a missing symbol, ZeroDivisionError where the expression divides by zero, ValueError for a
        negative exponent, OverflowError for a number of absurd width.
        """
        total = self.constant
        for mono, coefficient in self._terms.items():
            product = coefficient
            for atom, power in mono.factors:
                value = _symbol_value(atom, values) if isinstance(atom, Symbol) else atom.evaluate(values)
                product *= value if power == 1 else intervals.power_int(value, power)
            total += product
        return total

    def bounds(self) -> Interval:
        """`(lo, hi)` that hold for all admissible values of the symbols; None is unbounded."""
        if self._bounds is None:
            self._bounds = self._compute_bounds()
        return self._bounds

    def _compute_bounds(self) -> Interval:
        total: Interval = (self.constant, self.constant)
        for mono, coefficient in self._terms.items():
            total = intervals.add(total, intervals.mul((coefficient, coefficient), mono.bounds()))
        if self.constant == 0 and len(self._terms) > 1 and None in total:
            # N*K - K is unbounded both ways term by term, but K * (N - 1) is not.
            shared = common_monomial(self)
            if shared.degree:
                rest = divide_by_monomial(self, shared)
                total = intervals.intersect(total, intervals.mul(shared.bounds(), rest.bounds()))
        return total

    # -- text ----------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        if self._text is None:
            from spyre_lint.ir.symtext import render  # printing is rare and needs the whole module

            self._text = render(self)
        return self._text

    def __repr__(self) -> str:
        return f"Expr({self})"


# What symbols are replaced by.
Substitution = Mapping[Symbol, int | Expr] | Mapping[Symbol, int] | Mapping[Symbol, Expr]

_ONE = Monomial(())
_SMALL = tuple(Expr(_NO_TERMS, n) for n in range(-256, 4097))


def const(n: int) -> Expr:
    """The expression of a number."""
    n = int(n)
    return _SMALL[n + 256] if -256 <= n <= 4096 else Expr(_NO_TERMS, n)


def symbol(
    name: str, kind: str, *, lo: int | None = None, hi: int | None = None, multiple_of: int = 1, uid: int = 0
) -> Expr:
    """The expression of a new `Symbol` (see there)."""
    return of_atom(Symbol(name, kind, lo, hi, multiple_of, uid))


def as_expr(value: int | Expr) -> Expr:
    """An int (or bool) or expression as an expression; TypeError for anything else."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, int):
        return const(value)
    raise TypeError(f"not an integer expression: {value!r}")


def of_atom(atom: Atom) -> Expr:
    """The expression of one atom."""
    return Expr({Monomial(((atom, 1),)): 1}, 0)


def of_monomial(mono: Monomial, coefficient: int = 1) -> Expr:
    """The expression of one term."""
    if not mono.degree:
        return const(coefficient)
    return _make({mono: coefficient} if coefficient else _NO_TERMS, 0)


def of_terms(terms: Mapping[Monomial, int], constant: int) -> Expr:
    """The expression of these terms; zero coefficients are dropped, the empty monomial counts as constant."""
    kept = {mono: c for mono, c in terms.items() if c}
    return _make(kept, constant + kept.pop(_ONE, 0))


def call(op: str, *args: Expr) -> Expr:
    """The expression of a call; an opaque symbol, with its bounds, if it would be too deep or too large."""
    made = Call(op, args)
    if made.depth > MAX_DEPTH or made.size > MAX_SIZE:
        lo, hi = made.bounds
        return symbol("...", "opaque", lo=lo, hi=hi, uid=next(_opaque_ids))
    return of_atom(made)


def common_monomial(expr: Expr) -> Monomial:
    """Greatest monomial that divides every term, the constant one included (so it is empty if there is one)."""
    shared: Monomial | None = None
    if expr.constant:
        return _ONE
    for mono, _ in expr.terms():
        shared = mono if shared is None else shared.common(mono)
        if not shared.degree:
            break
    return shared or _ONE


def divide_by_monomial(expr: Expr, divisor: Monomial) -> Expr:
    """Exact quotient by a monomial that divides every term."""
    terms: dict[Monomial, int] = {}
    for mono, coefficient in expr.terms():
        left = mono.over(divisor)
        assert left is not None, f"{expr} is not a multiple"
        terms[left] = coefficient
    return of_terms(terms, 0)


# How to build each call again from new arguments; filled by spyre_lint.ir.symfn.
BUILDERS: dict[str, Callable[..., Expr]] = {"mul": lambda a, b: a * b}


def _make(terms: dict[Monomial, int], constant: int) -> Expr:
    return Expr(terms, constant) if terms else const(constant)


def _restore(terms: tuple[tuple[Monomial, int], ...], constant: int) -> Expr:
    return _make(dict(terms), constant)


def _substitute_atom(atom: Atom, values: Substitution) -> Expr:
    if isinstance(atom, Symbol):
        found = values.get(atom)
        return of_atom(atom) if found is None else as_expr(found)
    args = [arg.substitute(values) for arg in atom.args]
    if all(new is old for new, old in zip(args, atom.args, strict=True)):
        return of_atom(atom)
    return BUILDERS[atom.op](*args)


def _symbol_value(atom: Symbol, values: Values) -> int:
    table: Mapping[object, int] = values  # type: ignore[assignment]
    found = table.get(atom)
    if found is None:
        found = table.get(atom.name)
    if found is None:
        raise KeyError(atom.name)
    return found
