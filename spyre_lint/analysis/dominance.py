"""A quick proof that one byte count is never above another, for sums of products of sizes."""

from __future__ import annotations

from collections.abc import Iterable

from spyre_lint.ir.atoms import Atom, Symbol
from spyre_lint.ir.sym import Expr

Powers = dict[Atom, int]


def never_above(low: Expr, high: Expr) -> bool:
    """Whether `low <= high` for all values of their symbols, as far as matching terms shows it.

    Every term of `low` that `high` does not have must be covered by terms of `high` that hold the same factors and
    more; the surplus factors must be sizes, which are at least 1. False means that this was not shown.
    """
    spare: list[tuple[Powers, int]] = []
    owed: list[tuple[Powers, int]] = []
    difference = high - low
    terms = [(dict(mono.factors), coefficient) for mono, coefficient in difference.terms()]
    for powers, coefficient in (*terms, ({}, difference.constant)):
        if coefficient > 0:
            spare.append((powers, coefficient))
        elif coefficient < 0:
            owed.append((powers, -coefficient))
    for powers, amount in sorted(owed, key=lambda term: -sum(term[0].values())):
        rest = amount
        for index, (wide, available) in enumerate(spare):
            if rest and available and _covers(wide, powers):
                used = min(rest, available)
                spare[index] = (wide, available - used)
                rest -= used
        if rest:
            return False
    return True


def undominated(sums: Iterable[Expr]) -> list[Expr]:
    """The sums that no other one is shown to be at least as great as, in their order; the first of equal ones."""
    kept: list[Expr] = []
    for each in sums:
        if not any(never_above(each, other) for other in kept):
            kept = [other for other in kept if not never_above(other, each)]
            kept.append(each)
    return kept


def _covers(wide: Powers, narrow: Powers) -> bool:
    """Whether the product `wide` is never below `narrow`."""
    if any(wide.get(atom, 0) < power for atom, power in narrow.items()):
        return False
    surplus = [atom for atom, power in wide.items() if power > narrow.get(atom, 0)]
    return all(isinstance(atom, Symbol) and atom.lo is not None and atom.lo >= 1 for atom in surplus)
