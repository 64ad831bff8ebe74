"""Markers as they stand in a kernel: how the layout gets there, its guard, its place (SPY701, SPY702, SPY707)."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.layouts import Marker, are_exclusive, is_made_in_kernel, markers
from spyre_lint.analysis.provenance import provenance
from spyre_lint.checks._layout_places import descriptor_name, layout_name
from spyre_lint.checks._support import place, spelled
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Location, Related
from spyre_lint.ir.core import Op
from spyre_lint.rules import Rule

INLINE = Rule("SPY701", "layout-inline-literal", Level.ERROR, "A layout with stick entries is made in the kernel.")
UNGUARDED = Rule("SPY702", "layout-unguarded", Level.WARNING, "A layout is applied without a test for None.")
AFTER_USE = Rule("SPY707", "layout-after-use", Level.ERROR, "A descriptor is marked after it was used.")

ACCESSES = ("desc_load", "desc_store", "desc_atomic", "desc_gather", "desc_scatter")


def judge_inline(instance: KernelInstance, marker: Marker) -> Iterator[Finding]:
    """SPY701: a layout with entries that are tuples must be a plain Python object when the marker reads it."""
    op = marker.op
    if not is_made_in_kernel(marker):
        return
    name = op.attrs["layout_name"]
    written = f"`{name}` is a value of the kernel" if name else "the layout is written in the kernel"
    yield INLINE.violated(
        place(op, "layout"),
        f"{written}: its entries are compiled like any other tuple, and the marker reads plain Python ones only",
        help="pass it as a `tl.constexpr` parameter: `LAYOUT: tl.constexpr`, with the list in the driver",
        related=instance.related_calls(op),
    )


def judge_guards(source: KernelInstance) -> Iterator[Finding]:
    """SPY702, asked of the kernel without a binding: which markers remain when their layout is None."""
    open_ = [marker for marker in source.analysis(markers) if _is_open_parameter(source, marker)]
    remaining: dict[str, set[tuple[Location, tuple[Location, ...]]]] = {}
    for param in dict.fromkeys(marker.param for marker in open_):
        ir = source.relower({param: None}, ()) if source.relower is not None else None
        remaining[param] = set() if ir is None else {(op.loc, op.stack) for op in ir.ops("layout_marker")}
    for marker in open_:
        if (marker.op.loc, marker.op.stack) in remaining[marker.param]:
            yield UNGUARDED.violated(
                marker.op.loc,
                f"{descriptor_name(marker)} is marked with {layout_name(marker)} even where that is None: the kernel "
                "cannot be run without a layout",
                help=f"put it under `if {marker.param} is not None:`",
                related=source.related_calls(marker.op),
            )


def _is_open_parameter(source: KernelInstance, marker: Marker) -> bool:
    param = source.ir.param(marker.param)
    return marker.op.attrs["layout_form"] == "open" and param is not None and param.role == "constexpr"


def judge_order(instance: KernelInstance) -> Iterator[Finding]:
    """SPY707 for all markers of a kernel."""
    found = instance.analysis(markers)
    if not found:
        return
    origins = instance.analysis(provenance)
    by_op = {marker.op: marker for marker in found}
    used: dict[Op, list[Op]] = {}
    for op in instance.ir.ops(*ACCESSES, "layout_marker"):
        made = origins.descriptor(op.group("desc")[0])
        if made is None:
            continue
        if op.opcode != "layout_marker":
            used.setdefault(made, []).append(op)
            continue
        earlier = next((access for access in used.get(made, ()) if not are_exclusive(access, op)), None)
        if earlier is not None and op in by_op:
            name = descriptor_name(by_op[op])
            yield AFTER_USE.violated(
                op.loc,
                f"{name} is marked after `{spelled(earlier)}` has used it: that access is compiled without the layout",
                help=f"mark {name} right after it is made, before its first access",
                related=(Related("the first use", earlier.loc), *instance.related_calls(op)),
            )
