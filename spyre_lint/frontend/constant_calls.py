"""Calls that Triton makes at compile time: host functions and pure library functions on known arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.bindings import HostValue
from spyre_lint.frontend.hosteval import MAX_STEPS, Arguments, OutOfSteps, external, interpreter
from spyre_lint.frontend.hostvalues import known, to_host, unknown

if TYPE_CHECKING:
    from spyre_lint.frontend.project import Definition, Project


def call_constant(project: Project, callee: Definition | str, args: list[Any], kwargs: dict[str, Any]) -> HostValue:
    """The value of calling a function of the tree (or an external one by canonical name) with known arguments."""
    machine = interpreter(project)
    place = nodes.Const(None)
    given = Arguments(
        [(known(value), place) for value in args], [(name, known(value), place) for name, value in kwargs.items()]
    )
    function = external(callee) if isinstance(callee, str) else machine.definition(callee)
    frame = machine.module_frame(callee.module) if not isinstance(callee, str) and callee.module else None
    saved, machine.steps = machine.steps, MAX_STEPS
    try:
        return to_host(machine.call(function, given, place, frame))  # type: ignore[arg-type]
    except (OutOfSteps, RecursionError):
        return unknown("it takes too many steps to evaluate")
    finally:
        machine.steps = saved
