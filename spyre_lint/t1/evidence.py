"""Evidence on one kernel: how it is run, the scratchpad it needs, the core counts on which its work was shown whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from spyre_lint.analysis.live_tiles import live_tiles
from spyre_lint.analysis.shadow import coverage
from spyre_lint.bindings import Binding, Grid
from spyre_lint.budget import plain_constant
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Location, Verdict
from spyre_lint.t1.models import BindingSeen, Missing, Place

_COVERAGE = ("SPY303", "SPY305", "SPY306", "SPY308", "SPY502")
"""Rules that the shadow launch has to leave satisfied for its core counts to count as shown."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a kernel's status rests on; sizes in bytes."""

    bindings: list[BindingSeen]
    missing: Missing
    peak_bytes: int | None
    usable_bytes: int
    core_counts: list[int]
    launches: int


def evidence_on(context: KernelContext) -> Evidence:
    """The evidence on a kernel that was checked; its analyses are computed already."""
    seen = [_seen(instance) for instance in context.instances]
    peaks = [each.peak_bytes for each in seen if each.peak_bytes is not None]
    counts, launches = _core_counts(context)
    return Evidence(
        bindings=[each for each in seen if each.source != "none"],
        missing=_missing(context),
        peak_bytes=max(peaks, default=None),
        usable_bytes=context.settings.target.usable_bytes,
        core_counts=counts,
        launches=launches,
    )


def place(location: Location) -> Place:
    """A location as the report has it."""
    return Place(path=location.path, line=location.line, column=location.column)


def _seen(instance: KernelInstance) -> BindingSeen:
    live = instance.analysis(live_tiles)
    binding = instance.binding
    if binding is None:
        return BindingSeen(label="unbound", source="none", peak_bytes=live.peak_bytes, peak_reason=live.reason)
    return BindingSeen(
        label=binding.label,
        source=binding.source,
        place=None if binding.loc is None or not binding.loc.path else place(binding.loc),
        constexprs={name: plain_constant(value) for name, value in sorted(binding.constexprs.items())},
        dtypes=dict(sorted(binding.dtypes.items())),
        grid=None if binding.grid is None else grid_text(binding.grid),
        peak_bytes=live.peak_bytes,
        peak_reason="" if live.peak_bytes is not None else live.reason or _open_text(instance, binding),
    )


def _open_text(instance: KernelInstance, binding: Binding) -> str:
    reasons = [f"`{name}`: {reason}" for name, reason in sorted(binding.open_reasons.items())]
    untyped = [param.name for param in instance.ir.params if param.role == "pointer" and param.dtype is None]
    reasons += [f"the element type of `{name}` is not known" for name in untyped]
    return "; ".join(reasons)


def grid_text(grid: Grid) -> str | None:
    """A grid with the bounds of each axis: `[32]`, `[1..32, 4]`, `[?]`."""
    if grid.dims is None:
        return None
    parts: list[str] = []
    for dim in grid.dims:
        low, high = dim.bounds
        if low == high and low is not None:
            parts.append(str(low))
        elif high is not None:
            parts.append(f"{'?' if low is None else low}..{high}")
        else:
            parts.append("?")
    return f"[{', '.join(parts)}]"


def _core_counts(context: KernelContext) -> tuple[list[int], int]:
    """Core counts on which every tile was done exactly once, and how many launches showed it; none where it is open.

    The kernel with all its tile sizes open is asked first: where it is right, it is so under every binding.
    """
    if _is_shown(context.source):
        found = context.source.analysis(coverage)
        return sorted({prod(grid) for grid in found.grids}), found.launches
    shown: list[set[int]] = []
    launches = 0
    for instance in _distinct(context.instances):
        if not _is_shown(instance):
            return [], 0
        found = instance.analysis(coverage)
        shown.append({prod(grid) for grid in found.grids})
        launches += found.launches
    return sorted(set.intersection(*shown)), launches


def _is_shown(instance: KernelInstance) -> bool:
    found = instance.analysis(coverage)
    return bool(found.outputs) and all(found.verdict(code) is Verdict.SATISFIED for code in _COVERAGE)


def _distinct(instances: Iterable[KernelInstance]) -> list[KernelInstance]:
    """One instance per set of constexprs."""
    found: dict[str, KernelInstance] = {}
    for instance in instances:
        constexprs = sorted((instance.binding.constexprs if instance.binding else {}).items())
        found.setdefault(repr(constexprs), instance)
    return list(found.values())


def _missing(context: KernelContext) -> Missing:
    """Constexprs, element types and the grid that no binding gives."""
    open_names = [
        {param.name for param in each.ir.params if param.role == "constexpr" and not param.is_bound}
        for each in context.instances
    ]
    untyped = [
        {param.name for param in each.ir.params if param.role == "pointer" and param.dtype is None}
        for each in context.instances
    ]
    order = [param.name for param in context.info.params]
    grids = [each.binding.grid for each in context.instances if each.binding is not None]
    known = any(grid is not None and grid.product_bounds[1] is not None for grid in grids)
    return Missing(
        constexprs=[name for name in order if all(name in names for names in open_names)],
        dtypes=[name for name in order if all(name in names for names in untyped)],
        grid=not known,
    )
