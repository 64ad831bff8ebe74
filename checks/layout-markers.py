"""Layout markers are well formed (SPY7xx). The page beside this file says what and why."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.layouts import markers
from spyre_lint.checks._layout_flow import CONTRACTION, ELEMENTWISE, INTER_TILE, judge_flow
from spyre_lint.checks._layout_markers import (
    AFTER_USE,
    INLINE,
    UNGUARDED,
    judge_guards,
    judge_inline,
    judge_order,
)
from spyre_lint.checks._layout_values import GATHER_ROW, MALFORMED, RAGGED, STICK, SUB_STICK, judge_value
from spyre_lint.checks._support import views
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding
from spyre_lint.rules import check


@check(INLINE, AFTER_USE, scope="kernel")
def forms(context: KernelContext) -> Iterator[Finding]:
    """How layouts get into the kernel and where the markers stand: wrong wherever it is met."""
    for instance in views(context):
        for marker in instance.analysis(markers):
            yield from judge_inline(instance, marker)
        yield from judge_order(instance)


@check(UNGUARDED, scope="source")
def guards(source: KernelInstance) -> Iterator[Finding]:
    """Markers that are not guarded."""
    yield from judge_guards(source)


@check(MALFORMED, STICK, SUB_STICK, RAGGED, GATHER_ROW, scope="instance")
def values(instance: KernelInstance) -> Iterator[Finding]:
    """Layouts with the values that a binding gives."""
    for marker in instance.analysis(markers):
        yield from judge_value(instance, marker)


@check(INTER_TILE, CONTRACTION, ELEMENTWISE, scope="instance")
def flow(instance: KernelInstance) -> Iterator[Finding]:
    """What becomes of marked tiles under a binding."""
    yield from judge_flow(instance)


@check(INTER_TILE, CONTRACTION, ELEMENTWISE, scope="kernel")
def flow_of_unused_kernels(context: KernelContext) -> Iterator[Finding]:
    """The same for a kernel that nothing runs: its defaults (a layout of None) are no way to run it."""
    if all(instance.binding is not None and instance.binding.source == "defaults" for instance in context.instances):
        yield from judge_flow(context.source)
