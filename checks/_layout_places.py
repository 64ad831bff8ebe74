"""What the layout checks share: where a layout stands, what it is called, what a finding about it relates to."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.layouts import Marker
from spyre_lint.checks._support import operand_name, place
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Location, Related


def layout_place(instance: KernelInstance, marker: Marker) -> Location:
    """Where the value of a layout stands: in the driver or launch that gives it, else where the kernel passes it."""
    binding = instance.binding
    given = None if binding is None else binding.constexpr_locs.get(marker.param)
    return given or place(marker.op, "layout")


def layout_name(marker: Marker) -> str:
    """A layout as messages name it."""
    name = marker.param or marker.op.attrs["layout_name"]
    return f"`{name}`" if name else "the layout"


def descriptor_name(marker: Marker) -> str:
    """The marked descriptor as messages name it."""
    return f"`{operand_name(marker.op.operand('desc'), 'the descriptor')}`"


def related_marker(instance: KernelInstance, marker: Marker) -> Iterator[Related]:
    """The marker in the kernel, where the layout stands elsewhere, and the calls that lead to it."""
    if layout_place(instance, marker) != place(marker.op, "layout"):
        yield Related(f"{descriptor_name(marker)} is marked with it here", marker.op.loc)
    yield from instance.related_calls(marker.op)
