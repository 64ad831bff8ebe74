"""A kernel runs on at most 32 cores and shares the work out among them (SPY3xx). The page beside this file says why."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.checks._grids import AXES, TOO_MANY, UNBOUNDED, axes_read, judge_axes, judge_size
from spyre_lint.context import DriverContext, KernelInstance, LaunchContext
from spyre_lint.findings import Finding, Level, Related
from spyre_lint.rules import Rule, check

NO_PROGRAM_ID = Rule(
    "SPY304",
    "num-programs-without-program-id",
    Level.ERROR,
    "A kernel asks how many programs there are but never which of them it is.",
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
