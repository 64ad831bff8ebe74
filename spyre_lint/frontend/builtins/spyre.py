"""What only the Spyre build of Triton has: layout markers, work slices, reductions across programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.frontend.callsite import CallSite, builtin
from spyre_lint.frontend.values import HOST, TupleValue, Unknown, opaque_reason
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import INT32, ScalarType

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering


def plain(value: Any) -> Any:
    """A compile-time structure as attributes hold it: Triton's tuples as plain ones, constants as plain numbers."""
    if isinstance(value, TupleValue):
        return tuple(plain(item) for item in value.items)
    if isinstance(value, (list, tuple)):
        return tuple(plain(item) for item in value)
    if isinstance(value, Value) and value.op is not None and value.op.opcode == "const":
        return plain(value.op.attrs["value"])
    return value.value if isinstance(value, Expr) and value.is_const else value


@builtin("spyre_tensor_layout", params="desc layout")
def spyre_tensor_layout(lw: Lowering, call: CallSite) -> Value:
    """`tl.spyre_tensor_layout(desc, layout)`. Its attributes say what the layout is and where it is from.

    `layout_form`: `host` for a plain Python object (a constexpr parameter, a module's constant), `kernel` for one that
    the kernel makes, which Triton turns into a tuple of its own, `open` where the value is not known (`reason`).
    `layout_param` is the constexpr parameter whose value it is, `layout_name` the name it has where it is passed.
    """
    layout = call.get("layout")
    desc = lw.to_value(call.get("desc"))
    written = next((k.value for k in call.node.keywords or () if k.arg == "layout"), None) if call.node else None
    written = written or (call.arg_nodes[1] if len(call.arg_nodes) > 1 else None)
    symbol = next(iter(layout.symbols()), None) if isinstance(layout, Expr) else None
    is_open = isinstance(layout, (Expr, Unknown, Value))
    made = isinstance(layout, TupleValue) and not layout.origin
    name = written.name if isinstance(written, nodes.Name) else ""
    origin = layout.origin if isinstance(layout, TupleValue) else symbol.name if symbol is not None else name
    lw.emit(
        "layout_marker",
        {"desc": [desc]},
        layout=None if is_open else plain(layout),
        layout_param="" if origin == HOST else origin,
        layout_name=name,
        layout_form="open" if is_open else "kernel" if made else "host",
        reason=(opaque_reason(layout) or f"nothing gives `{layout}` a value") if is_open else "",
        api=call.name,
        places=call.places(lw),
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
