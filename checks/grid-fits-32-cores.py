"""A kernel runs on at most 32 cores and shares the work out among them (SPY3xx). The page beside this file says why."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.checks._coverage import judge_coverage
from spyre_lint.checks._grids import AXES, TOO_MANY, UNBOUNDED, axes_read, judge_axes, judge_size
from spyre_lint.context import DriverContext, KernelContext, KernelInstance, LaunchContext
from spyre_lint.findings import Finding, Level, Related
from spyre_lint.rules import Rule, check

_NO_SHARE = ("SPY304", "SPY307")
"""A kernel that no program id steers loses and doubles work for that one reason."""

NO_LOOP = Rule(
    "SPY303",
    "missing-distribution-loop",
    Level.ERROR,
    "The program id picks the tile, and no loop does the tiles that there are no programs for.",
    silenced_by=_NO_SHARE,
)
NO_PROGRAM_ID = Rule(
    "SPY304",
    "num-programs-without-program-id",
    Level.ERROR,
    "A kernel asks how many programs there are but never which of them it is.",
)
UNCLAMPED = Rule(
    "SPY305",
    "unclamped-distribution-end",
    Level.ERROR,
    "A program walks tiles past the end of the work.",
    silenced_by=("SPY303", "SPY308", "SPY502"),
)
DUPLICATED = Rule(
    "SPY306",
    "work-duplicated",
    Level.ERROR,
    "Two programs store the same element.",
    silenced_by=_NO_SHARE,
    silenced_here_by=("SPY309",),  # an axis that nobody reads doubles the work for that reason
)
SINGLE_CORE = Rule("SPY307", "single-core-kernel", Level.WARNING, "A kernel walks independent tiles on one core only.")
PARTITION = Rule(
    "SPY308",
    "partition-dependent",
    Level.ERROR,
    "How much of the work is done depends on the number of cores.",
    silenced_by=_NO_SHARE,
)


@check(TOO_MANY, UNBOUNDED, scope="launch")
def launch_grids(context: LaunchContext) -> Iterator[Finding]:
    """The grid of a launch against the cores."""
    if context.launch.grid is not None:
        yield from judge_size(context.launch.grid, context.kernels, context.settings.target)


@check(TOO_MANY, UNBOUNDED, scope="driver")
def driver_grids(context: DriverContext) -> Iterator[Finding]:
    """The grid of a driver's entry against the cores."""
    if context.driver.grid is not None:
        kernels = [context.kernel] if context.kernel is not None else []
        yield from judge_size(context.driver.grid, kernels, context.settings.target)


@check(TOO_MANY, scope="instance")
def configured_grids(instance: KernelInstance) -> Iterator[Finding]:
    """The grid that the configuration gives a kernel; it is told at the kernel, which has no launch of that grid."""
    binding = instance.binding
    if binding is not None and binding.source == "configuration" and binding.grid is not None:
        for finding in judge_size(binding.grid, (), instance.settings.target):
            yield finding.with_(location=instance.info.loc)


@check(AXES, scope="instance")
def grid_axes(instance: KernelInstance) -> Iterator[Finding]:
    """The axes of the program id that are read, and those of the grid."""
    yield from judge_axes(instance)


@check(NO_PROGRAM_ID, scope="source")
def program_id_is_read(instance: KernelInstance) -> Iterator[Finding]:
    """A share of the work without saying whose."""
    asked = next(instance.ir.ops("num_programs"), None)
    if asked is None or axes_read(instance):
        return
    yield NO_PROGRAM_ID.violated(
        instance.info.loc,
        f"`{instance.info.name}` reads `tl.num_programs` but never `tl.program_id`: every program takes the same share",
        help="start each program at its own share: `start = tl.program_id(0) * per_core`",
        related=(Related("the number of programs is read here", asked.loc), *instance.related_calls(asked)),
    )


@check(NO_LOOP, UNCLAMPED, DUPLICATED, SINGLE_CORE, PARTITION, scope="kernel")
def work_is_shared_out(context: KernelContext) -> Iterator[Finding]:
    """The tiles that the programs of a shadow launch store, for every number of cores."""
    yield from judge_coverage(context, (NO_LOOP, UNCLAMPED, DUPLICATED, SINGLE_CORE, PARTITION))
