"""Code from outside Triton's language: libdevice, inline assembly, functions mapped over tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.builtins.elementwise import nary
from spyre_lint.frontend.callsite import CallSite, builtin, builtin_prefix
from spyre_lint.frontend.promotion import ShapeMismatch, broadcast_shapes
from spyre_lint.frontend.values import TupleValue, is_number, is_opaque
from spyre_lint.ir.core import Value
from spyre_lint.ir.types import INT32, DType, OpaqueType, ScalarType, TileType, dtype_of, shape_of, value_type

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering

_INTEGER_RESULT = frozenset(
    {"float2int_rn", "float2int_rz", "ffs", "popc", "clz", "isinf", "isnan", "finitef", "isfinited", "signbit"}
)


@builtin_prefix(
    "triton.language.extra.libdevice.",
    "triton.language.extra.cuda.libdevice.",
    "triton.language.extra.hip.libdevice.",
    "triton.language.extra.intel.libdevice.",
    "triton.language.libdevice.",
)
def libdevice(lw: Lowering, call: CallSite) -> Value:
    """A function of libdevice: elementwise over operands broadcast together."""
    name = call.name.rsplit(".", 1)[-1]
    values = [v for v in (*call.args, *call.kwargs.values()) if isinstance(v, Value) or is_number(v)]
    result = nary(lw, "extern", values) if values else lw.opaque(f"`{name}`")
    if result.op is not None:
        result.op.attrs.update(api=call.name, callee=name)
        if name in _INTEGER_RESULT and isinstance(result.type, TileType):
            result.type = TileType(INT32, result.type.shape)
    return result


@builtin("inline_asm_elementwise", params="asm constraints args dtype is_pure pack")
def inline_asm(lw: Lowering, call: CallSite) -> Any:
    """Inline assembly: elementwise over its arguments, with the element types it declares."""
    arguments = call.get("args")
    values = list(arguments.items) if isinstance(arguments, TupleValue) else [arguments]
    operands = [lw.to_value(v) for v in values if isinstance(v, Value) or is_number(v)]
    shape: Any = ()
    for value in operands:
        try:
            shape = broadcast_shapes(shape, shape_of(value.type) or ())
        except ShapeMismatch:
            break
    declared = call.get("dtype")
    dtypes = list(declared.items) if isinstance(declared, TupleValue) else [declared]
    types: list[Any] = [
        value_type(shape, d) if isinstance(d, DType) else OpaqueType("the element type of inline assembly")
        for d in dtypes
    ]
    op = lw.emit("inline_asm", {"args": operands}, types, is_pure=call.get("is_pure") is not False)
    return op.result if not isinstance(declared, TupleValue) else TupleValue(tuple(op.results))


@builtin("map_elementwise", params="scalar_fn args pack")
def map_elementwise(lw: Lowering, call: CallSite) -> Any:
    """`tl.map_elementwise(fn, *args)`: a scalar function over tiles."""
    values = [lw.to_value(v) for v in call.args[1:]]
    if any(is_opaque(v) for v in values) or not values:
        return lw.opaque("a mapped function over something that is not known", *values)
    shape: Any = ()
    for value in values:
        try:
            shape = broadcast_shapes(shape, shape_of(value.type) or ())
        except ShapeMismatch as mismatch:
            return lw.give_up(f"tiles that do not broadcast together: {mismatch}")
    values = [lw.broadcast(v, shape) for v in values]
    block, outputs = lw.callback_region(call.args[0], [ScalarType(dtype_of(v.type)) for v in values])
    types = [value_type(shape, dtype_of(v.type)) for v in outputs]
    op = lw.b.op("map_elementwise", {"args": values}, types, regions=[block])
    return op.results[0] if len(op.results) == 1 else TupleValue(tuple(op.results))
