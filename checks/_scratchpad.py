"""The peak of live tile bytes against the scratchpad (SPY401)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spyre_lint.analysis.constexprs import constexpr_roles
from spyre_lint.analysis.live_tiles import ASSUMED_ELEMENT_BYTES, LiveTile, LiveTiles, live_tiles, share_text, size_text
from spyre_lint.checks._support import listed
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Level, Related
from spyre_lint.rules import Rule
from spyre_lint.target import SpyreTarget

OVERFLOW = Rule("SPY401", "scratchpad-overflow", Level.ERROR, "The tiles that live at once do not fit the scratchpad.")

_WIDEST = 8
"""Bytes of the widest element type."""
_SHOWN = 6
"""Tiles that a message lists; the rest are counted (all are related locations)."""


@dataclass(frozen=True, slots=True)
class Peak:
    """The peak under one binding: exact, or between two figures where only element types are open (bytes)."""

    instance: KernelInstance
    live: LiveTiles
    least: int
    most: int | None
    """None where nothing bounds it: a size is open, or something was not counted."""


def judge_peaks(context: KernelContext) -> Iterator[Finding]:
    """SPY401 for one kernel: the worst of its bindings; what one of them settles is not left open by another."""
    target = context.settings.target
    peaks = [_peak(instance) for instance in context.instances]
    over = sorted((peak for peak in peaks if peak.least > target.usable_bytes), key=lambda peak: -peak.least)
    if over:
        yield _overflow(over, target)
        return
    fitting = [peak for peak in peaks if peak.most is not None and peak.most <= target.usable_bytes]
    if fitting:
        live = max(fitting, key=lambda peak: peak.least).live
        yield OVERFLOW.satisfied(live.peak.loc, evidence=live.evidence(target))
        return
    yield _open(context, max(peaks, key=lambda peak: peak.live.plausible_bytes), target)


def _peak(instance: KernelInstance) -> Peak:
    live = instance.analysis(live_tiles)
    if live.peak_bytes is not None:
        return Peak(instance, live, live.peak_bytes, live.peak_bytes)
    types = [symbol for symbol in live.assumed if symbol.kind == "size"]
    if len(types) < len(live.assumed):
        return Peak(instance, live, 0, None)
    least = live.bytes_at({symbol.name: symbol.lo or 1 for symbol in types})
    most = live.bytes_at({symbol.name: symbol.hi or _WIDEST for symbol in types})
    return Peak(instance, live, least, None if live.unknown else most)


def _overflow(over: list[Peak], target: SpyreTarget) -> Finding:
    worst, *others = over
    live, size = worst.live, worst.least
    least = "" if live.peak_bytes is not None else "at least "
    level, more = Level.ERROR, ""
    if size <= target.scratchpad_bytes:
        level = Level.WARNING
        more = f", more than the {size_text(target.usable_bytes)} that the backend leaves to a kernel"
    also = [
        Related(f"under {peak.instance.label}: {share_text(peak.least, target)}", peak.live.peak.loc) for peak in others
    ]
    finding = OVERFLOW.violated(
        live.peak.loc,
        f"the tiles live here need {least}{share_text(size, target)}{more}: {_tiles(live)}",
        help=_help(live),
        level=level,
        related=(*live.related(), *worst.instance.related_stack(live.peak.stack), *also),
        evidence={**live.evidence(target), "least_bytes": size, "also_under": [peak.instance.label for peak in others]},
    )
    return _under(finding, worst)


def _under(finding: Finding, peak: Peak) -> Finding:
    binding = peak.instance.binding
    return finding.with_(binding=binding.label) if binding is not None else finding


def _open(context: KernelContext, peak: Peak, target: SpyreTarget) -> Finding:
    live, size = peak.live, peak.live.plausible_bytes
    over = size > target.scratchpad_bytes
    figure = f"what can be counted needs {share_text(size, target)}" if live.unknown else share_text(size, target)
    why = f"the peak can't be computed: {live.reason}" if live.unknown else f"no binding gives {_missing(live)}"
    said = f"{why}; at {_assumed(live)} the peak is {figure}" if live.assumed else f"{why}; {figure}"
    if live.unknown and live.assumed:
        said = f"{why}; at {_assumed(live)} {figure}"
    fits = _largest_fitting(context, live, target)
    peak_bytes = f"the heaviest point holds {live.peak.bytes} bytes"
    limit = f"{fits}; {peak_bytes}" if fits else peak_bytes
    finding = OVERFLOW.unproven_at(
        live.peak.loc,
        said,
        help=f"{limit}; give the sizes in a driver or with `--constexpr` and `--dtype`",
        level=Level.WARNING if over else Level.NOTE,
        related=(*live.related(), *peak.instance.related_stack(live.peak.stack)) if over else (),
        evidence={**live.evidence(target), "fits": fits},
    )
    return _under(finding, peak)


def _missing(live: LiveTiles) -> str:
    """What no binding gives: sizes by name, and element types by the parameters that decide them."""
    sizes = sorted({symbol.name for symbol in live.assumed if symbol.kind != "size"})
    params: dict[str, None] = {}
    for symbol in sorted(live.assumed, key=lambda symbol: symbol.name):
        if symbol.kind == "size":
            inner = symbol.name.removeprefix("sizeof(").removesuffix(")")
            params.update(dict.fromkeys(part.split()[0] for part in inner.split(" and ")))
    types = f"the element type{'s' if len(params) > 1 else ''} of {listed(sorted(params))}" if params else ""
    return " and ".join(part for part in (listed(sizes) if sizes else "", types) if part)


def _assumed(live: LiveTiles) -> str:
    sizes = sorted((symbol.name, size) for symbol, size in live.assumed.items() if symbol.kind != "size")
    shown = [f"{name}={size}" for name, size in sizes]
    if any(symbol.kind == "size" for symbol in live.assumed):
        shown.append(f"{ASSUMED_ELEMENT_BYTES}-byte elements")
    return ", ".join(shown)


def _largest_fitting(context: KernelContext, live: LiveTiles, target: SpyreTarget) -> str:
    """The largest power-of-two tiles of one shape of growth that fit, as text; empty where nothing can be chosen.

    All open tiles grow together from the assumed sizes, so that their proportions stay those of the assumption.
    """
    tiles = context.source.analysis(constexpr_roles).tiles
    chosen = {
        symbol.name: _power_of_two(size)
        for symbol, size in live.assumed.items()
        if symbol.kind == "constexpr" and symbol.name in tiles and not context.settings.is_model_constant(symbol.name)
    }
    if not chosen:
        return ""
    best: dict[str, int] | None = None
    for step in range(-8, 9):
        sizes = {name: max(1, size << step if step >= 0 else size >> -step) for name, size in chosen.items()}
        if live.bytes_at(sizes) <= target.usable_bytes and max(sizes.values()) <= target.max_tensor_elements:
            best = sizes
    if best is None:
        return "no tiles fit, even of one element"
    return f"tiles up to {', '.join(f'{name}={size}' for name, size in sorted(best.items()))} fit"


def _power_of_two(size: int) -> int:
    return 1 << max(size.bit_length() - 1, 0)


def _tiles(live: LiveTiles) -> str:
    shown = [_tile(tile) for tile in live.tiles[:_SHOWN]]
    more = len(live.tiles) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _tile(tile: LiveTile) -> str:
    weight = f" {size_text(tile.bytes.value)}" if tile.bytes.is_const else ""
    return f"`{tile.name}` {tile.shape_text} {tile.dtype_text}{weight} (line {tile.loc.line})"


def _help(live: LiveTiles) -> str:
    heaviest = live.tiles[0]
    return (
        f"`{heaviest.name}` ({heaviest.shape_text}) weighs most: make its tile sizes smaller, or store it before the "
        "next tiles are loaded"
    )
