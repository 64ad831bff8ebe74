"""Sizes of the problem that are fixed at compile time (SPY501, SPY504)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spyre_lint.analysis.constexprs import constexpr_roles, problem_constexprs
from spyre_lint.analysis.symbolic import symbolic_values
from spyre_lint.analysis.work import is_literal, work_extents
from spyre_lint.checks._support import place, written
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Level, Location, Related
from spyre_lint.ir.core import Op, Param
from spyre_lint.rules import Rule

CONSTEXPR_SIZE = Rule(
    "SPY501", "constexpr-problem-size", Level.ERROR, "A size of the problem is a `tl.constexpr` parameter."
)
LITERAL_EXTENT = Rule(
    "SPY504", "hard-coded-extent", Level.WARNING, "A size of the problem is written into the kernel as a number."
)

_FIXED_AXIS = 3
"""Literal extents up to this name an axis that every problem has (real and imaginary part, red, green and blue)."""


def judge_constexprs(context: KernelContext) -> Iterator[Finding]:
    """SPY501: one finding per parameter. Those that are tiles as well are left to SPY402."""
    roles = context.source.analysis(constexpr_roles)
    for param in problem_constexprs(context):
        if param.name not in roles.tiles:
            yield _constexpr_size(context, param)


def _constexpr_size(context: KernelContext, param: Param) -> Finding:
    roles = context.source.analysis(constexpr_roles)
    name = param.name
    described = roles.extents.get(name, [])
    work = roles.work.get(name, [])
    if described:
        op, dimension = described[0]
        use = f"an extent of `{op.results[0].name or 'a descriptor'}`"
        where = place(op, "shape", dimension)
    else:
        op = work[0]
        use, where = "a bound of the distributed work", op.loc
    return CONSTEXPR_SIZE.violated(
        param.loc,
        f"`{name}` is {use} and a `tl.constexpr`: every new size compiles another kernel, and the compiled one is "
        "right for one size only",
        help=f"take `: tl.constexpr` off `{name}`; tiles and properties of the model are constexpr, sizes are runtime "
        "arguments (a property of the model under another name: add it to `model-constants`)",
        related=(Related(f"`{name}` is {use}", where), *context.source.related_calls(op)),
        evidence={"parameter": name},
    )


def judge_literals(instance: KernelInstance) -> Iterator[Finding]:
    """SPY504 for an unbound instance: literal extents of descriptors, literal bounds of the work."""
    values = instance.analysis(symbolic_values)
    for op in instance.ir.ops("make_descriptor"):
        for dimension, extent in enumerate(op.group("shape")):
            size = values.of(extent)
            if (
                size.is_const
                and size.value > _FIXED_AXIS
                and not _names_the_model(instance, written(op, "shape", dimension))
            ):
                yield _literal(
                    instance,
                    op,
                    place(op, "shape", dimension),
                    f"`{op.results[0].name or 'the descriptor'}` ends at {size.value} in dimension {dimension}, "
                    "whatever the tensor's size is",
                    size.value,
                )
    for bound in instance.analysis(work_extents):
        if bound.whole and is_literal(bound.value) and not (bound.value.is_const and bound.value.value <= _FIXED_AXIS):
            number = bound.value.value if bound.value.is_const else None
            said = (
                f"the work that is shared out ends at {number}" if number else "the work that is shared out is a number"
            )
            yield _literal(
                instance,
                bound.op,
                bound.op.loc,
                f"{said} written into the kernel, whatever the problem's size is",
                number,
            )


def _names_the_model(instance: KernelInstance, text: str) -> bool:
    """Whether an extent is written with names of model constants (a module's `HEAD_DIM`) and no others."""
    names = re.findall(r"[A-Za-z_]\w*", text)
    return bool(names) and all(instance.settings.is_model_constant(name) for name in names)


def _literal(instance: KernelInstance, op: Op, where: Location, message: str, number: int | None) -> Finding:
    return LITERAL_EXTENT.violated(
        where,
        message,
        help="pass the size as a runtime argument, or a property of the model as a constexpr that is named like one",
        related=instance.related_calls(op),
        evidence={"extent": number},
    )
