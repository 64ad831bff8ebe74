"""One compiled kernel is right for every problem size (SPY5xx). The page beside this file says what and why."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.checks._coverage import judge_coverage
from spyre_lint.checks._divisions import UNGUARDED_DIVISION, judge_constexpr_divisions, judge_divisions
from spyre_lint.checks._sizes import CONSTEXPR_SIZE, LITERAL_EXTENT, judge_constexprs, judge_literals
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Level
from spyre_lint.rules import Rule, check

DROPPED_TAIL = Rule(
    "SPY502",
    "ragged-tail-dropped",
    Level.ERROR,
    "The last partial tile of a dimension is left out.",
    silenced_here_by=("SPY119",),  # an access that forgets to advance leaves tiles out for that reason
)


@check(CONSTEXPR_SIZE, scope="kernel")
def sizes_are_arguments(context: KernelContext) -> Iterator[Finding]:
    """Sizes of the problem among the constexpr parameters."""
    yield from judge_constexprs(context)


@check(LITERAL_EXTENT, scope="source")
def extents_are_arguments(instance: KernelInstance) -> Iterator[Finding]:
    """Numbers in the place of sizes."""
    yield from judge_literals(instance)


@check(UNGUARDED_DIVISION, scope="source")
def divisions_come_out_even(instance: KernelInstance) -> Iterator[Finding]:
    """Divisions of sizes that lose a remainder."""
    yield from judge_divisions(instance)


@check(UNGUARDED_DIVISION, scope="kernel")
def constexpr_divisions_come_out_even(context: KernelContext) -> Iterator[Finding]:
    """The same at compile time, under every binding."""
    yield from judge_constexpr_divisions(context)


@check(DROPPED_TAIL, scope="kernel")
def tails_are_done(context: KernelContext) -> Iterator[Finding]:
    """The tiles that a shadow launch of ragged sizes loads and stores."""
    yield from judge_coverage(context, (DROPPED_TAIL,))
