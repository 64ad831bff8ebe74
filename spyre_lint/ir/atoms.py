"""Atoms of symbolic expressions (symbols and calls) and monomials, their products.

Hashes and equality don't depend on the order in which a product, a minimum or a maximum was written; printing keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING

from spyre_lint.ir import intervals
from spyre_lint.ir.intervals import Interval

if TYPE_CHECKING:
    from spyre_lint.ir.polynomial import Expr

_COMMUTATIVE = frozenset({"min", "max", "mul"})

_INTEGER_MEANING: dict[str, Callable[[int, int], int]] = {
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "cdiv": intervals.cdiv_int,
    "truncdiv": intervals.truncdiv_int,
    "truncrem": intervals.truncrem_int,
    "min": min,
    "max": max,
    "mul": intervals.product_int,
    "power": intervals.power_int,
}

_INTERVAL_MEANING: dict[str, Callable[[Interval, Interval], Interval]] = {
    "floordiv": intervals.floordiv,
    "mod": intervals.mod,
    "cdiv": intervals.cdiv,
    "truncdiv": intervals.truncdiv,
    "truncrem": intervals.truncrem,
    "min": intervals.minimum,
    "max": intervals.maximum,
    "mul": intervals.mul,
    "power": intervals.power,
}


class Symbol:
    """A named integer; `lo` and `hi` bound it (None: unbounded) and it is always a multiple of `multiple_of`.

    `kind` is one of constexpr, arg, pid, nprog, iv, size, memory, opaque. `uid` tells apart symbols of one name.
    Raises ValueError if `multiple_of` is below 1 or `lo` is above `hi`.
    """

    __slots__ = ("_hash", "bounds", "hi", "kind", "lo", "multiple_of", "name", "uid")

    def __init__(
        self,
        name: str,
        kind: str,
        lo: int | None = None,
        hi: int | None = None,
        multiple_of: int = 1,
        uid: int = 0,
    ) -> None:
        if multiple_of < 1:
            raise ValueError(f"symbol {name}: multiple_of is {multiple_of}, must be at least 1")
        if lo is not None and hi is not None and lo > hi:
            raise ValueError(f"symbol {name}: lower bound {lo} is above upper bound {hi}")
        self.name = name
        self.kind = kind
        self.lo = lo
        self.hi = hi
        self.multiple_of = multiple_of
        self.uid = uid
        self._hash = hash((name, kind, lo, hi, multiple_of, uid))
        self.bounds: Interval = (lo, hi)
        if multiple_of > 1:
            self.bounds = (
                None if lo is None else -(-lo // multiple_of) * multiple_of,
                None if hi is None else hi // multiple_of * multiple_of,
            )

    def _fields(self) -> tuple[str, str, int | None, int | None, int, int]:
        return (self.name, self.kind, self.lo, self.hi, self.multiple_of, self.uid)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Symbol) and self._hash == other._hash and self._fields() == other._fields()

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return (Symbol, self._fields())  # a cached hash of strings is worthless in another process

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        extra = "".join(
            f", {key}={value}"
            for key, value, default in (
                ("lo", self.lo, None),
                ("hi", self.hi, None),
                ("multiple_of", self.multiple_of, 1),
                ("uid", self.uid, 0),
            )
            if value != default
        )
        return f"Symbol({self.name!r}, {self.kind!r}{extra})"

    @property
    def sort_key(self) -> str:
        """A text to order symbols by, the same in every run."""
        return f"{self.name} {self.uid} {self.kind} {self.lo} {self.hi} {self.multiple_of}"


# An assignment of symbols, by symbol or by name.
Values = Mapping[str | Symbol, int] | Mapping[str, int] | Mapping[Symbol, int]


class Call:
    """A function of expressions that the normal form can't dissolve, as an atom; built by `spyre_lint.ir.symfn`."""

    __slots__ = ("_bounds", "_hash", "_key", "args", "depth", "op", "size")

    def __init__(self, op: str, args: tuple[Expr, ...]) -> None:
        self.op = op
        self.args = args
        self.depth: int = 1 + max(a.depth for a in args)  # of nested calls
        self.size: int = 1 + sum(a.size for a in args)  # nodes when written out
        self._hash = hash((op, frozenset(args) if op in _COMMUTATIVE else args))
        self._key: str | None = None
        self._bounds: Interval | None = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Call) or self._hash != other._hash or self.op != other.op:
            return False
        if self.args == other.args:
            return True
        return self.op in _COMMUTATIVE and sorted(a.sort_key for a in self.args) == sorted(
            a.sort_key for a in other.args
        )

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return (Call, (self.op, self.args))

    def __repr__(self) -> str:
        return f"Call({self.op!r}, {self.args!r})"

    @property
    def sort_key(self) -> str:
        """A text to order calls by, the same for equal calls."""
        if self._key is None:
            keys = [a.sort_key for a in self.args]
            self._key = f"~{self.op}({','.join(sorted(keys) if self.op in _COMMUTATIVE else keys)})"
        return self._key

    @property
    def bounds(self) -> Interval:
        """Interval of the call's value."""
        if self._bounds is None:
            if self.op == "next_power_of_2":
                self._bounds = intervals.next_power_of_2(self.args[0].bounds())
            else:
                self._bounds = reduce(_INTERVAL_MEANING[self.op], (a.bounds() for a in self.args))
        return self._bounds

    def evaluate(self, values: Values) -> int:
        """Value of the call under an assignment of its symbols."""
        if self.op == "next_power_of_2":
            return intervals.next_power_of_2_int(self.args[0].evaluate(values))
        return reduce(_INTEGER_MEANING[self.op], (a.evaluate(values) for a in self.args))


Atom = Symbol | Call


class Monomial:
    """A product of powers of atoms, with a hash that doesn't depend on their order."""

    __slots__ = ("_hash", "_key", "_sort", "degree", "factors")

    def __init__(self, factors: tuple[tuple[Atom, int], ...]) -> None:
        self.factors = factors
        self.degree = sum(power for _, power in factors)
        self._key = frozenset(factors)
        self._hash = hash(self._key)
        self._sort: tuple[int, str] | None = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Monomial) and self._hash == other._hash and self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return (Monomial, (self.factors,))

    def __mul__(self, other: Monomial) -> Monomial:
        powers = dict(self.factors)
        for atom, power in other.factors:
            powers[atom] = powers.get(atom, 0) + power
        return Monomial(tuple(powers.items()))

    def over(self, other: Monomial) -> Monomial | None:
        """The quotient by `other` (possibly the empty monomial), or None if it doesn't divide this one."""
        powers = dict(self.factors)
        for atom, power in other.factors:
            left = powers.get(atom, 0) - power
            if left < 0:
                return None
            powers[atom] = left
        return Monomial(tuple((atom, power) for atom, power in powers.items() if power))

    def common(self, other: Monomial) -> Monomial:
        """The greatest monomial that divides both."""
        theirs = dict(other.factors)
        shared = ((atom, min(power, theirs.get(atom, 0))) for atom, power in self.factors)
        return Monomial(tuple((atom, power) for atom, power in shared if power))

    @property
    def sort_key(self) -> tuple[int, str]:
        """Graded lexicographic order: a monomial order, the same in every run."""
        if self._sort is None:
            atoms = sorted(key for atom, power in self.factors for key in [atom.sort_key] * power)
            self._sort = (self.degree, " * ".join(atoms))
        return self._sort

    def bounds(self) -> Interval:
        """Interval of the product."""
        result: Interval = (1, 1)
        for atom, power in self.factors:
            result = intervals.mul(result, intervals.int_power(atom.bounds, power))
        return result
