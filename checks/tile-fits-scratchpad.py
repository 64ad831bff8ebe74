"""The tiles that live at once fit the scratchpad of a core (SPY4xx). The page beside this file says what and why."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.checks._batching import UNDERUSED, judge_batching
from spyre_lint.checks._scratchpad import OVERFLOW, judge_peaks
from spyre_lint.checks._tile_sources import TILE_FROM_PROBLEM, judge_tiles
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding
from spyre_lint.rules import check


@check(OVERFLOW, scope="kernel")
def peak_fits(context: KernelContext) -> Iterator[Finding]:
    """The peak of live tile bytes over all bindings."""
    yield from judge_peaks(context)


@check(TILE_FROM_PROBLEM, scope="kernel")
def tiles_are_fixed(context: KernelContext) -> Iterator[Finding]:
    """What launches, drivers and heuristics make tiles of."""
    yield from judge_tiles(context)


@check(UNDERUSED, scope="instance")
def items_are_batched(instance: KernelInstance) -> Iterator[Finding]:
    """Loops over single items that would fit many of them."""
    yield from judge_batching(instance)
