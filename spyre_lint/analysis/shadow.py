"""Shadow launch: runs the index arithmetic of a kernel without data and tells which work is lost, doubled or overrun.

Problem sizes, strides, grid and program ids are small integers, tensors only shapes, a value loaded from memory is
unknown. Tile sizes are those of the binding where it gives them, else small ones: what a kernel skips by design does
not depend on them. The list of launches is in `spyre_lint.analysis.shadow_sizes`, what counts as a failure in
`spyre_lint.analysis.shadow_settle`; this module puts them together. Source: "Shadow launch" among the project's facts
(core counts 1, 2, 3, 4, 5, 8, 16, 31, 32, products of at most 32 over several axes).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import product
from typing import Any

from spyre_lint.analysis.shadow_code import TooLarge
from spyre_lint.analysis.shadow_facts import CODE_OF, Coverage, Failure, Open
from spyre_lint.analysis.shadow_settle import Examination, examine
from spyre_lint.analysis.shadow_slice import STORES, Slice
from spyre_lint.context import KernelInstance
from spyre_lint.ir.core import KernelIR, Op
from spyre_lint.ir.types import OpaqueType
from spyre_lint.target import DEFAULT_TARGET, SpyreTarget

MAX_CHOICES = 4
"""Ways to decide the branches on open constexprs that are run."""

Reopen = Callable[[Collection[str]], KernelIR | None]
"""Lowers the kernel again with some constexprs of the binding left open."""


def coverage(instance: KernelInstance) -> Coverage:
    """The coverage figure of an instance; use as `instance.analysis(coverage)`."""
    known = dict(instance.binding.constexprs) if instance.binding is not None else {}
    return coverage_of(
        instance.ir,
        target=instance.settings.target,
        known=known,
        is_model_constant=instance.settings.is_model_constant,
        reopen=instance.reopen,
    )


def coverage_of(
    ir: KernelIR,
    *,
    target: SpyreTarget = DEFAULT_TARGET,
    known: Mapping[str, Any] | None = None,
    is_model_constant: Callable[[str], bool] = lambda name: False,
    reopen: Reopen | None = None,
) -> Coverage:
    """The coverage figure of a kernel. `known` are the constexprs of its binding; `reopen`, where given, lowers it
    again with the integers among them open, so that tiles can be changed.
    """
    known = known or {}
    integers = {n: v for n, v in known.items() if isinstance(v, int) and not isinstance(v, bool)}
    if reopen is not None and integers:
        opened = reopen(tuple(integers))
        if opened is not None and _is_as_clear(opened, ir):
            ir = opened
    decisions = _decisions(ir)
    shown: list[Examination] = []
    for choices in _choices(decisions):
        try:
            shown.append(examine(ir, choices, target, integers, is_model_constant, light=bool(shown)))
        except TooLarge:
            return Coverage(ir.loc, open=(Open("the kernel is too large to be run", ir.loc),))
    return _merged(ir, shown, decisions)


def _is_as_clear(opened: KernelIR, ir: KernelIR) -> bool:
    """Whether a kernel with open constexprs can be followed as well as with their values."""
    return len(opened.incomplete) <= len(ir.incomplete) and _decisions(opened).keys() <= _decisions(ir).keys()


def _decisions(ir: KernelIR) -> dict[str, list[Op]]:
    """Branches on open constexprs that decide about stores, by what decides them."""
    branches = [op for op in ir.ops("if") if op.attrs.get("constexpr")]
    if not branches:
        return {}
    kept = Slice(ir, STORES).kept
    found: dict[str, list[Op]] = {}
    for op in branches:
        condition = op.operand("cond")
        if op in kept and condition is not None and isinstance(condition.type, OpaqueType):
            found.setdefault(condition.type.reason, []).append(op)
    return found


def _choices(decisions: Mapping[str, list[Op]]) -> list[dict[Op, bool]]:
    """Ways to decide the branches: all of them if they are few, else all on, all off, and each one off alone."""
    names = list(decisions)
    if 2 ** len(names) <= MAX_CHOICES:
        rows = list(product((True, False), repeat=len(names)))
    else:
        rows = [(True,) * len(names), (False,) * len(names)]
        rows += [tuple(i != j for j in range(len(names))) for i in range(min(len(names), MAX_CHOICES - 2))]
    return [{op: side for name, side in zip(names, row, strict=True) for op in decisions[name]} for row in rows]


def _merged(ir: KernelIR, shown: list[Examination], decisions: Mapping[str, list[Op]]) -> Coverage:
    """What holds whatever the open constexprs are: a failure under some of them only is unproven."""
    failures: list[Failure] = []
    opens: list[Open] = []
    for entry in shown:
        opens.extend(o for o in entry.open if o not in opens)
    for failure in shown[0].failures:
        if all(any(f.kind == failure.kind for f in entry.failures) for entry in shown[1:]):
            failures.append(failure)
    settled = {failure.code for failure in failures}
    why = " and ".join(decisions)
    for entry in shown:
        for failure in entry.failures:
            if failure.code in settled:
                continue
            settled.add(failure.code)
            reason = f"it depends on {why}: {failure.sentence}"
            opens.append(Open(reason, failure.loc, (CODE_OF[failure.kind],), failure.stack))
    first = next(ir.ops("program_id"), None)
    return Coverage(
        anchor=first.loc if first is not None else ir.loc,
        program_id=first.loc if first is not None else None,
        reads_num_programs=next(ir.ops("num_programs"), None) is not None,
        failures=tuple(failures),
        open=tuple(opens),
        outputs=tuple(dict.fromkeys(name for entry in shown for name in entry.outputs)),
        launches=sum(entry.launches for entry in shown),
        programs=sum(entry.programs for entry in shown),
        grids=tuple(dict.fromkeys(grid for entry in shown for grid in entry.grids)),
    )


__all__ = ["Coverage", "Failure", "Open", "coverage", "coverage_of"]
