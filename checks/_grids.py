"""Launch grids against the number of cores (SPY301, SPY302, SPY309)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spyre_lint.bindings import Grid, HostValue
from spyre_lint.checks._support import counted
from spyre_lint.context import KernelInfo, KernelInstance
from spyre_lint.findings import Finding, Level, Location, Related
from spyre_lint.rules import Rule
from spyre_lint.target import SpyreTarget

TOO_MANY = Rule("SPY301", "grid-exceeds-cores", Level.ERROR, "A launch asks for more programs than there are cores.")
UNBOUNDED = Rule("SPY302", "grid-unbounded", Level.ERROR, "The grid of a launch grows with the problem.")
AXES = Rule("SPY309", "grid-axes", Level.ERROR, "The axes of the grid are not those that the kernel reads.")


def judge_size(grid: Grid, kernels: Sequence[KernelInfo], target: SpyreTarget) -> Iterator[Finding]:
    """SPY301 and SPY302 for the grid of one launch or driver."""
    low, high = grid.product_bounds
    cores = target.cores
    related = tuple(Related(f"`{kernel.name}` runs on this grid", kernel.loc) for kernel in kernels[:1])
    if low is not None and low > cores:
        yield TOO_MANY.violated(
            _culprit(grid, cores),
            f"the grid `{grid.text}` asks for {_asked(grid, low, high)}, and a launch runs on {cores} cores at most",
            help=_cap_help(grid, cores),
            related=related,
            evidence={"programs": low, "cores": cores},
        )
        return
    if high is not None and high <= cores:
        yield TOO_MANY.satisfied(grid.loc, evidence={"programs": high})
        yield UNBOUNDED.satisfied(grid.loc, evidence={"programs": high})
        return
    growing = [dim for dim in grid.dims or () if dim.from_problem and dim.kind in ("problem", "interval")]
    unread = next((dim for dim in grid.dims or () if dim.kind == "unknown"), None)
    if growing:
        yield _unbounded(grid, growing[0], high, related, cores)
    else:
        why = grid.reason if grid.dims is None else _why_open(unread, high)
        yield UNBOUNDED.unproven_at(
            grid.loc,
            f"whether the grid `{grid.text}` stays within {cores} programs is not known: {why}",
            help=_cap_help(grid, cores),
            related=related,
        )


def _unbounded(grid: Grid, dim: HostValue, high: int | None, related: tuple[Related, ...], cores: int) -> Finding:
    size = f"`{dim.text}`" if dim.text else "an axis"
    if high is None:
        what = f"{size} is computed from a problem size and nothing caps it"
    else:
        what = f"{size} comes from a problem size and the cap lets it reach {counted(high, 'program')}"
    return UNBOUNDED.violated(
        dim.loc or grid.loc,
        f"the grid `{grid.text}` grows with the problem: {what}; a launch runs on {cores} cores at most",
        help=_cap_help(grid, cores),
        related=related,
        evidence={"programs": high, "cores": cores},
    )


def _why_open(unread: HostValue | None, high: int | None) -> str:
    if unread is not None:
        return f"`{unread.text}` can't be followed, {unread.reason}" if unread.text else unread.reason
    return "it has no known upper bound" if high is None else f"it can be up to {counted(high, 'program')}"


def _asked(grid: Grid, low: int, high: int | None) -> str:
    number = counted(low, "program")
    if low != high:
        return f"at least {number}"
    dims = grid.dims or ()
    return f"{' x '.join(str(dim.value) for dim in dims)} = {number}" if len(dims) > 1 else number


def _culprit(grid: Grid, cores: int) -> Location:
    """The one axis that is too long by itself, or the whole grid."""
    too_long = [dim for dim in grid.dims or () if (dim.bounds[0] or 0) > cores]
    only = len(too_long) == 1 and too_long[0].loc is not None
    return too_long[0].loc or grid.loc if only else grid.loc


def _cap_help(grid: Grid, cores: int) -> str:
    if len(grid.dims or ()) > 1:
        capped = f"launch one axis of `min({cores}, <all tiles>)` programs, or axes whose product is at most {cores}"
    else:
        inner = grid.dims[0].text if grid.dims and grid.dims[0].text else "n_tiles"
        capped = f"cap the grid, `(min({cores}, {inner}),)`"
    return (
        f"{capped}, and let each program loop over its share: `per_core = tl.cdiv(n_tiles, tl.num_programs(0))`, "
        "`start = tl.program_id(0) * per_core`, `for tile in range(start, tl.minimum(start + per_core, n_tiles))`"
    )


def axes_read(instance: KernelInstance) -> dict[int, Location]:
    """The program-id axes a kernel reads, with the first place each is read at."""
    axes: dict[int, Location] = {}
    for op in instance.ir.ops("program_id", "wk_slice_coord"):
        axes.setdefault(int(op.attrs.get("axis", 0)) if op.opcode == "program_id" else 0, op.loc)
    return axes


def judge_axes(instance: KernelInstance) -> Iterator[Finding]:
    """SPY309 for one kernel under one binding."""
    axes = axes_read(instance)
    place = next(iter(axes.values()), instance.info.loc)
    missing = sorted(set(range(max(axes, default=-1) + 1)) - axes.keys())
    if missing:
        yield AXES.violated(
            axes[max(axes)],
            f"`{instance.info.name}` reads {_axes_text(axes)} of the program id but not {_axes_text(missing)}: "
            "programs that differ only there do the same work",
            help="number the axes from 0 and leave none out",
            evidence={"axes": sorted(axes)},
        )
        return
    grid = instance.binding.grid if instance.binding is not None else None
    if grid is None or grid.dims is None:
        yield AXES.satisfied(place, evidence={"axes": sorted(axes)})
        return
    yield _judge_rank(instance, axes, grid, grid.dims, place)


def _judge_rank(
    instance: KernelInstance, axes: dict[int, Location], grid: Grid, dims: tuple[HostValue, ...], place: Location
) -> Finding:
    rank, read = len(dims), len(axes)
    where = (Related(f"the grid `{grid.text}`", grid.loc),)
    evidence = {"axes": sorted(axes), "grid_rank": rank}
    name = instance.info.name
    if rank < read:
        return AXES.violated(
            axes[rank],
            f"`{name}` reads {_count(read)} of the program id and the grid `{grid.text}` has {_count(rank)}",
            help="give the grid one number of programs per axis that the kernel reads",
            related=where,
            evidence=evidence,
        )
    beyond = dims[read:]
    if any((dim.bounds[0] or 0) > 1 or dim.kind == "problem" for dim in beyond):
        reads = f"only {_count(read)} of the program id" if read else "no program id"
        return AXES.violated(
            place,
            f"the grid `{grid.text}` has {_count(rank)} and `{name}` reads {reads}: programs that differ in the rest "
            "do the same work",
            help="read `tl.program_id` of every axis, or launch the axes that are read and no others",
            related=where,
            evidence=evidence,
        )
    if all(dim.bounds == (1, 1) for dim in beyond):
        return AXES.satisfied(place, evidence=evidence)
    return AXES.unproven_at(
        place,
        f"the grid `{grid.text}` has {_count(rank)} and `{name}` reads {read}: whether the rest are 1 is not known",
        help="read `tl.program_id` of every axis, or launch the axes that are read and no others",
        related=where,
        evidence=evidence,
    )


def _count(axes: int) -> str:
    return "1 axis" if axes == 1 else f"{axes} axes"


def _axes_text(axes: dict[int, Location] | list[int]) -> str:
    numbers = [str(axis) for axis in sorted(axes)]
    listed = numbers[0] if len(numbers) == 1 else f"{', '.join(numbers[:-1])} and {numbers[-1]}"
    return f"ax{'is' if len(numbers) == 1 else 'es'} {listed}"
