"""Conversion hygiene (SPY8xx): names, headers, notes, gap comments, and arguments that fit the kernel they go to."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.checks._launch_fit import DRIVER_MISMATCH, LAUNCH_MISMATCH, judge_driver, judge_launch
from spyre_lint.checks._layout_files import (
    CONVERSION_NOTES,
    FILE_HEADER,
    KERNEL_NAME,
    SIGNATURE_DRIFT,
    judge_header,
    judge_name,
    judge_notes,
    judge_signature,
    variant_of,
)
from spyre_lint.context import DriverContext, FileContext, LaunchContext
from spyre_lint.findings import Finding, Level, Location
from spyre_lint.rules import Rule, check

GAP_ANNOTATION = Rule(
    "SPY804", "gap-annotation", Level.WARNING, "A `# [gap]` names no limitation, or stands at no descriptor operation."
)

_FREE_FUNCTIONS = frozenset(
    f"triton.language.{name}"
    for name in (
        *("make_tensor_descriptor", "_experimental_make_tensor_descriptor", "spyre_tensor_layout", "inter_tile"),
        *("load_tensor_descriptor", "store_tensor_descriptor"),
        *("descriptor_load", "descriptor_store", "descriptor_gather", "descriptor_scatter"),
        *("_experimental_descriptor_load", "_experimental_descriptor_store"),
        # what SPY117 and SPY121 accept a declaration for
        *("reshape", "view", "ravel", "arange", "dot", "dot_scaled", "reduce", "associative_scan"),
    )
)
_METHODS = frozenset(
    {".load", ".store", ".gather", ".scatter", ".reshape", ".view", ".ravel", ".reduce", ".associative_scan"}
    | {f".atomic_{name}" for name in ("add", "min", "max", "and", "or", "xor")}
)


@check(KERNEL_NAME, FILE_HEADER, CONVERSION_NOTES, SIGNATURE_DRIFT, scope="file")
def layout(context: FileContext) -> Iterator[Finding]:
    """Files with the layout's own names."""
    variant = variant_of(context)
    if variant is not None:
        yield from judge_name(context, variant)
        yield from judge_header(context)
        yield from judge_notes(context, variant)
        yield from judge_signature(context, variant)


@check(GAP_ANNOTATION, scope="file")
def gaps(context: FileContext) -> Iterator[Finding]:
    """`# [gap]` comments."""
    if not context.file.gaps or not context.kernels:
        return
    sites = [call.loc.line for call in context.calls() if _can_be_a_gap(call.name)]
    for gap in context.file.gaps:
        where = Location(context.file.path, gap.line, gap.column, gap.line, gap.end_column)
        if not gap.limitation:
            yield GAP_ANNOTATION.violated(
                where,
                "the declaration names no limitation of the compiler",
                help="say what is not lowered: `# [gap] <limitation>`, with the issue if there is one",
            )
        elif not any(gap.first <= line <= gap.last for line in sites):
            yield GAP_ANNOTATION.violated(
                where,
                "no descriptor operation stands at this declaration",
                help="put it on the statement that the compiler does not lower, or right above it; a raw pointer "
                "access is no gap but a workaround for one",
            )


def _can_be_a_gap(name: str) -> bool:
    """Whether a call can be what the compiler does not lower; a helper's call stands for what the helper does."""
    return name in _FREE_FUNCTIONS or name in _METHODS or (bool(name) and "." not in name)


@check(LAUNCH_MISMATCH, scope="launch")
def launches(context: LaunchContext) -> Iterator[Finding]:
    """Launches of kernels whose file has the role spyre."""
    yield from judge_launch(context)


@check(DRIVER_MISMATCH, scope="driver")
def drivers(context: DriverContext) -> Iterator[Finding]:
    """Drivers of kernels, traced ones included."""
    yield from judge_driver(context)
