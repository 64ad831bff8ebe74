"""What only the Spyre build of Triton has: layout markers, work slices, reductions across programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.callsite import CallSite, builtin
from spyre_lint.frontend.values import TupleValue, Unknown, opaque_reason
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import INT32, ScalarType

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering


def plain(value: Any) -> Any:
    """Tuples of the lowering as plain Python tuples, for attributes that hold a compile-time structure."""
    if isinstance(value, TupleValue):
        return tuple(plain(item) for item in value.items)
    return value


@builtin("spyre_tensor_layout", params="desc layout")
def spyre_tensor_layout(lw: Lowering, call: CallSite) -> Any:
    """`tl.spyre_tensor_layout(desc, layout)`: returns nothing the kernel needs; the marker is what counts."""
    desc = lw.to_value(call.get("desc"))
    layout = call.get("layout")
    node = call.arg_nodes[1] if len(call.arg_nodes) > 1 else None
    if node is None and call.node is not None:
        node = next((k.value for k in call.node.keywords or () if k.arg == "layout"), None)
    name = getattr(node, "name", "") if type(node).__name__ == "Name" else ""
    form = "inline" if type(node).__name__ in ("List", "Tuple") else "name" if name else "expression"
    lw.emit(
        "layout_marker",
        {"desc": [desc]},
        layout=plain(layout),
        layout_name=name,
        layout_form=form,
        unbound=isinstance(layout, (Expr, Unknown)),
        api=call.name,
    )
    return desc


@builtin("wk_slice_coord", params="work_slices axis")
def wk_slice_coord(lw: Lowering, call: CallSite) -> Value:
    """`tl.wk_slice_coord(WORK_SLICES, "axis")`: a coordinate of this program."""
    slices, axis = call.get("work_slices"), call.get("axis")
    return lw.make(
        "wk_slice_coord", {}, ScalarType(INT32), slices=plain(slices), axis=axis if isinstance(axis, str) else ""
    )


@builtin("inter_tile", params="value axis combiner mode work_slices")
def inter_tile(lw: Lowering, call: CallSite) -> Value:
    """`tl.inter_tile(x, axis, combiner, mode, work_slices=...)`: a reduction across programs, of the shape of `x`."""
    value = lw.to_value(call.args[0] if call.args else call.get("value"))
    attrs = {n: call.get(n) if isinstance(call.get(n), str) else "" for n in ("axis", "combiner", "mode")}
    if not attrs["combiner"] and call.get("combiner") is not None:
        attrs["combiner"] = "custom"
    slices = plain(call.get("work_slices"))
    reason = opaque_reason(value)
    if reason:
        return lw.opaque(reason, value)
    return lw.make("inter_tile", {"value": [value]}, value.type, slices=slices, **attrs)
