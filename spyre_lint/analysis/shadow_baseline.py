"""What a kernel is held to: all of its outputs, or the part that it stores by design.

At sizes that are multiples of every tile, on the grid that stores most, a kernel that stores part of an output only
misses either a part that stays the same when the tiles change (by design), or one that is measured in tiles (lost), or
it depends on scalars whose relation to the sizes only the host knows. For those, a relation is looked for under which
the kernel is complete; without one nothing can be said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from spyre_lint.analysis.shadow_judge import Expectation, Judgement, judge
from spyre_lint.analysis.shadow_launch import Runner, Trial
from spyre_lint.analysis.shadow_sizes import aligned, formulas, neutral, unit_of
from spyre_lint.analysis.shadow_slice import UNKNOWN, Slice
from spyre_lint.ir.core import Op

MAX_RELATIONS = 160
"""Relations that are tried for scalars that only the host relates to the sizes."""
MAX_RELATED_TILES = 300
"""A relation that makes for more tiles than this is not tried."""

Formula = Callable[[Mapping[str, int]], int]


@dataclass(slots=True)
class Baseline:
    """What the launches at sizes that fit all tiles show.

    `derived` are scalars with the relation found for them. `unrelated` are sites that depend on a scalar for which none
    was found, with the names of those scalars; they are not judged.
    """

    expectation: Expectation
    derived: dict[str, tuple[str, Formula]] = field(default_factory=dict)
    unrelated: dict[int, tuple[str, ...]] = field(default_factory=dict)


def trial_of(runner: Runner, sizes: Mapping[str, int], derived: Mapping[str, tuple[str, Formula]]) -> Trial:
    """A trial with the derived scalars filled in."""
    whole = dict(sizes)
    for name, (_, formula) in derived.items():
        whole[name] = formula(whole)
    return runner.trial(whole)


def baseline_of(
    runner: Runner,
    doubled: Runner | None,
    grids: Sequence[tuple[int, ...]],
    stores: Mapping[int, Sequence[Op]],
    relate: bool,
) -> Baseline:
    """Find out what to expect. `doubled` runs the same kernel with larger tiles, where tiles are free to choose;
    `stores` are the stores of each site that is judged. Relations are looked for only if `relate` says so.
    """
    roles, cut = runner.roles, runner.code.cut
    sites = frozenset(stores)
    tilings = [runner.tiles] if doubled is None else [runner.tiles, doubled.tiles]
    names = list(roles.sizes)
    count = 2 if len(roles.for_stores) <= 2 else 1
    sizes = aligned(roles, names, tilings, count)
    start = [n for n in names if n in roles.positions or (n not in roles.in_shape and neutral(n))]
    derived: dict[str, tuple[str, Formula]] = {n: ("0", lambda env: 0) for n in start}
    sizes = {n: s for n, s in sizes.items() if n not in derived}

    def look(which: Runner, at: Mapping[str, int], more: Mapping[str, tuple[str, Formula]]) -> Judgement:
        return judge(trial_of(which, at, more), grids, sites, frozenset(), Expectation())

    if all(site < 0 for site in sites):
        return Baseline(Expectation(), derived)  # nothing is known of what raw pointers span
    unrelated: dict[int, tuple[str, ...]] = {}
    for site, extent, drivers in _driven_extents(runner, stores):
        if extent in derived:
            continue
        found = _relation(runner, look, sizes, derived, {site}, [(extent,)]) if relate else None
        if found is not None:
            derived |= found
            sizes = {n: s for n, s in sizes.items() if n not in found}
        elif len(drivers) > 1 or not relate:
            unrelated[site] = (extent,)
    first = look(runner, sizes, derived)
    lost = {site for loss in first.common for site in loss.space.sites}
    lost -= unrelated.keys()
    if not lost:
        return Baseline(Expectation(), derived, unrelated)
    work = [n for n in sizes if n in roles.for_stores and n not in roles.in_shape]
    attempts: list[tuple[str, ...]] = [(name,) for name in work]
    attempts += [(a, b) for i, a in enumerate(work) for b in work[i + 1 :]]
    found = _relation(runner, look, sizes, derived, lost, attempts) if relate else None
    if found is not None:
        return Baseline(Expectation(), derived | found, unrelated)
    partial: set[int] = set()
    whole_axes: dict[int, tuple[int, ...]] = {}
    second = look(doubled, sizes, derived) if doubled is not None else None
    for loss in first.common:
        key = loss.space.key
        if second is not None:
            again = next((other for other in second.common if other.space.key == key), None)
            same = again is not None and again.space.extent(again.mask) == loss.space.extent(loss.mask)
        else:
            same = False
        axes = set(loss.axes)
        for site in loss.space.sites:
            corner = _corner_axes(runner, site, stores.get(site, ()))
            if axes <= corner:
                partial.add(site)
                whole_axes[site] = tuple(a for a in range(loss.space.rank) if a not in corner)
                continue
            if same:
                partial.add(site)
                gone = loss.space.lost_axes(loss.mask, loss.window)
                some = loss.mask != loss.window
                whole_axes[site] = tuple(a for a in range(loss.space.rank) if some and a not in gone)
                continue
            free = _free_scalars(cut, runner, stores.get(site, ()), axes)
            if free or (doubled is None and not _is_plain(cut, stores.get(site, ()), axes)):
                unrelated[site] = free
    return Baseline(Expectation(frozenset(partial), whole_axes=whole_axes), derived, unrelated)


def _driven_extents(runner: Runner, stores: Mapping[int, Sequence[Op]]) -> list[tuple[int, str, list[str]]]:
    """Extents that decide nothing but a shape, along dimensions that other sizes place the stores in, with those sizes:
    only the host knows how they relate (`n_elements`, walked as M by N).
    """
    roles, cut = runner.roles, runner.code.cut
    found: list[tuple[int, str, list[str]]] = []
    for site, ops in stores.items():
        if site < 0:
            continue
        for axis, extent in enumerate(runner.code.sites[site].group("shape")):
            param = cut.param(extent)
            if param is None or param.name in roles.in_control or param.name not in roles.sizes:
                continue
            mask = cut.all_deps(op.group("offsets")[axis] for op in ops if axis < len(op.group("offsets")))
            drivers = [n for n in roles.sizes if n != param.name and cut.params.get(n, 0) & mask]
            if drivers:
                found.append((site, param.name, drivers))
    return found


def _free_scalars(cut: Slice, runner: Runner, stores: Sequence[Op], axes: set[int]) -> tuple[str, ...]:
    """Sizes that place the stores along the lost dimensions without being the extent of any tensor."""
    roles = runner.roles
    mask = 0
    for op in stores:
        for axis, value in enumerate(op.group("offsets")):
            if axis in axes:
                mask |= cut.deps(value)
        for around in cut.around(op):
            mask |= cut.control(around) if around.opcode == "if" else 0
    free = [n for n in roles.sizes if n not in roles.in_shape and cut.params.get(n, 0) & mask]
    return tuple(free)


def _corner_axes(runner: Runner, site: int, stores: Sequence[Op]) -> set[int]:
    """The dimensions that stores stand still along and whose extents are known at compile time: extent and block are
    chosen together there, and a kernel that stores only the first block does so by design.
    """
    if site < 0:
        return set()
    cut, ir = runner.code.cut, runner.code.cut.ir
    sizes = 0
    for param in ir.params:
        sizes |= cut.params.get(param.name, 0) if param.role != "constexpr" else 0
    found: set[int] = set()
    for axis, extent in enumerate(runner.code.sites[site].group("shape")):
        offsets = [op.group("offsets")[axis] for op in stores if axis < len(op.group("offsets"))]
        if not cut.deps(extent) & (sizes | UNKNOWN) and offsets and not cut.all_deps(offsets):
            found.add(axis)
    return found


def _is_plain(cut: Slice, stores: Sequence[Op], axes: set[int]) -> bool:
    """Whether a store stands still along one of the dimensions: the whole dimension is taken as one tile."""
    return any(
        not cut.deps(value) & ~UNKNOWN
        for op in stores
        for axis, value in enumerate(op.group("offsets"))
        if axis in axes
    )


def _relation(
    runner: Runner,
    look: Callable[[Runner, Mapping[str, int], Mapping[str, tuple[str, Formula]]], Judgement],
    sizes: Mapping[str, int],
    derived: Mapping[str, tuple[str, Formula]],
    lost: set[int],
    attempts: Sequence[tuple[str, ...]],
) -> dict[str, tuple[str, Formula]] | None:
    """A relation of the scalars that only the host relates to the sizes, under which the lost sites are complete."""
    roles = runner.roles
    tried = 0
    for names in attempts:
        others = [n for n in sizes if n in roles.for_stores and n not in names]
        options = [list(formulas(roles, name, others, runner.tiles)) for name in names]
        for combination in product(*options):
            tried += 1
            if tried > MAX_RELATIONS:
                return None
            chosen = dict(zip(names, combination, strict=True))
            if _holds(runner, look, {n: sizes[n] for n in sizes if n not in names}, derived, chosen, lost):
                return chosen
    return None


def _holds(
    runner: Runner,
    look: Any,
    sizes: dict[str, int],
    derived: Any,
    chosen: dict[str, tuple[str, Formula]],
    lost: set[int],
) -> bool:
    """Whether the lost sites are complete, with nothing past the end, at sizes that fit and at sizes that do not."""
    roles = runner.roles
    for factor, less in ((1, 0), (2, 1), (3, 1)):
        at = {n: factor * s - (less if unit_of(roles, n, runner.tiles)[-1] > 1 else 0) for n, s in sizes.items()}
        for name, (_, formula) in chosen.items():
            tiles = formula(at) / unit_of(roles, name, runner.tiles)[-1]
            if tiles > MAX_RELATED_TILES or (name in roles.in_shape and tiles < 2):
                return False
        shown = look(runner, at, dict(derived) | chosen)
        if any(loss.space.sites & lost for loss in shown.common):
            return False
        if any(run.site in lost and run.program == (0,) * len(run.program) for run in shown.overruns):
            return False
    return True
