"""Compares the launches of one assignment of sizes: what is lost, doubled or past the end, per tensor and grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from spyre_lint.analysis.shadow_geometry import Box, Geometry, Space, SpaceKey
from spyre_lint.analysis.shadow_launch import Launch, Trial
from spyre_lint.analysis.shadow_values import Record


@dataclass(slots=True)
class Loss:
    """Elements of a tensor that a launch leaves out."""

    space: Space
    mask: int
    window: int
    grid: tuple[int, ...]

    @property
    def axes(self) -> list[int]:
        """The dimensions that the loss runs along; all of them where it is none in particular."""
        return self.space.lost_axes(self.mask, self.window) or list(range(self.space.rank))

    @property
    def box(self) -> Box:
        """The first elements that are lost, in the space's coordinates."""
        return self.space.first_box(self.mask)


@dataclass(slots=True)
class Double:
    """Elements that two programs store."""

    space: Space
    mask: int
    grid: tuple[int, ...]
    first: tuple[int, ...]
    second: tuple[int, ...]


@dataclass(slots=True)
class Overrun:
    """A tile that lies outside of its tensor, or in one that there is not (`moved`: its base is past the end)."""

    record: Record
    site: int
    grid: tuple[int, ...]
    program: tuple[int, ...]
    moved: bool = False


@dataclass(slots=True)
class Judgement:
    """What one assignment of sizes shows.

    `common` is what is lost whatever the grid, `varying` what is lost under some grids only (the smallest of them),
    `failed` what went wrong in a launch.
    """

    trial: Trial
    geometry: Geometry
    common: list[Loss] = field(default_factory=list)
    varying: list[Loss] = field(default_factory=list)
    doubles: list[Double] = field(default_factory=list)
    overruns: list[Overrun] = field(default_factory=list)
    failed: list[tuple[tuple[int, ...], str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a kernel is held to. Sites in `partial` store only a part of their tensor by design: there, only what some
    grid stores is expected, and every slab along the dimensions in `whole_axes`.
    """

    partial: frozenset[int] = frozenset()
    looped: frozenset[int] = frozenset()
    """Sites (raw pointers: negative numbers) whose stores a loop goes through: one program alone makes all of them."""
    fixed: frozenset[int] = frozenset()
    """Sites whose tensors do not depend on the number of programs: what one launch makes of them, all must store."""
    whole_axes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


def judge(
    trial: Trial,
    grids: Sequence[tuple[int, ...]],
    sites: frozenset[int],
    shared: frozenset[int],
    expectation: Expectation,
) -> Judgement:
    """Launch a trial on every grid and compare. `sites` are the descriptors judged, `shared` those that several
    programs may store to alike.
    """
    launches = []
    failed = []
    for grid in grids:
        launch = trial.launch(grid)
        if launch.failed or launch.broken:
            failed.append((grid, launch.failed or launch.broken))
        if not launch.failed:
            launches.append(launch)
    everything: set[Record] = set()
    live: set[int] = set()
    for launch in launches:
        everything |= launch.union
        live |= launch.live
    records = sorted(everything)
    geometry = Geometry(trial.recorder, sites, records, sorted(live))
    found = Judgement(trial, geometry, failed=failed)
    if launches:
        _losses(found, launches, expectation)
        overlapping = geometry.overlaps(records)
        for launch in launches:
            if overlapping or launch.repeats:
                _doubles(found, launch, shared)
        outside = {r for r in records if geometry.is_outside(r)}
        if outside:
            _overruns(found, launches, outside)
    return found


def _losses(found: Judgement, launches: Sequence[Launch], expectation: Expectation) -> None:
    geometry = found.geometry
    unions: dict[frozenset[Record], dict[SpaceKey, int]] = {}
    windows: dict[frozenset[int], dict[SpaceKey, int]] = {}
    stored: list[dict[SpaceKey, int]] = []
    spans: list[dict[SpaceKey, int]] = []
    touched = geometry.masks(set().union(*(launch.union for launch in launches)))
    for launch in launches:
        union = launch.union
        if union not in unions:
            unions[union] = geometry.masks(union)
        if launch.live not in windows:
            windows[launch.live] = geometry.windows(launch.live, touched)
        stored.append(unions[union])
        spans.append(windows[launch.live])
    for key, space in geometry.spaces.items():
        best = 0
        for masks in stored if key[0] >= 0 else [geometry.first_lanes(launch.union) for launch in launches]:
            best |= masks.get(key, 0)
        partial = key[0] < 0 or bool(space.sites & expectation.partial)
        alone = launches[0].grid == (1,) * len(launches[0].grid)
        looped = alone and (key[0] in expectation.looped or (bool(space.sites) and space.sites <= expectation.looped))
        if key[0] < 0 and looped:
            best = geometry.first_lanes(launches[0].union).get(key, 0)
        expected = [best if partial else span.get(key, 0) for span in spans]
        if not partial and space.sites <= expectation.fixed:
            every = expected[0]
            for span in expected if not looped else ():
                every |= span
            if looped:
                _past(found, space, every, launches, expected)
            expected = [every for _ in spans]
        missing = [want & ~masks.get(key, 0) for want, masks in zip(expected, stored, strict=True)]
        common = missing[0]
        for mask in missing[1:]:
            common &= mask
        window = max(expected, key=int.bit_count)
        if partial and key[0] >= 0:
            span = 0
            for masks in spans:
                span |= masks.get(key, 0)
            axes = {axis for site in space.sites for axis in expectation.whole_axes.get(site, ())}
            common = _gone_slabs(space, best, span, axes)
            window = span
        if common:
            found.common.append(Loss(space, common, window, launches[0].grid))
        for launch, want, mask in zip(launches, expected, missing, strict=True):
            if mask & ~common:
                found.varying.append(Loss(space, mask & ~common, want, launch.grid))
                break


def _past(found: Judgement, space: Space, every: int, launches: Sequence[Launch], spans: Sequence[int]) -> None:
    """Tensors (through a moved base) that one program alone does not know of: work past the end."""
    for launch, span in zip(launches, spans, strict=True):
        if not span & ~every:
            continue
        for place, records in zip(launch.ids(), launch.programs, strict=True):
            for record in sorted(records):
                located = found.geometry.mask(record)
                if located is not None and located[0] is space and located[1] & ~every:
                    site = found.trial.recorder.descriptors[record[0]].site
                    found.overruns.append(Overrun(record, site, launch.grid, place, moved=True))
                    return


def _gone_slabs(space: Space, stored: int, span: int, axes: Iterable[int]) -> int:
    total = 0
    for axis in axes:
        for index in range(space.counts[axis]):
            slab = space.slab(axis, index) & span
            if slab and not slab & stored:
                total |= slab
    return total


def _doubles(found: Judgement, launch: Launch, shared: frozenset[int]) -> None:
    ids = launch.ids()
    seen: dict[SpaceKey, int] = {}
    owned: list[dict[SpaceKey, int]] = []
    recorder = found.trial.recorder
    for place, records in zip(ids, launch.programs, strict=True):
        judged = [r for r in records if r[0] >= 0 and recorder.descriptors[r[0]].site not in shared]
        masks = found.geometry.masks(judged)
        for key, mask in masks.items():
            twice = seen.get(key, 0) & mask
            if twice:
                first = next(i for i, own in enumerate(owned) if own.get(key, 0) & twice)
                space = found.geometry.spaces[key]
                found.doubles.append(Double(space, owned[first][key] & mask, launch.grid, ids[first], place))
                return
            seen[key] = seen.get(key, 0) | mask
        owned.append(masks)


def _overruns(found: Judgement, launches: Sequence[Launch], outside: set[Record]) -> None:
    for launch in launches:
        for place, records in zip(launch.ids(), launch.programs, strict=True):
            past = sorted(records & outside)
            if past:
                site = found.trial.recorder.descriptors[past[0][0]].site
                found.overruns.append(Overrun(past[0], site, launch.grid, place))
                return
