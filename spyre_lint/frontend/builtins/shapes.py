"""Making and reshaping tiles: `arange`, `full`, `reshape`, `trans`, `join` and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.callsite import CallSite, builtin
from spyre_lint.frontend.promotion import ShapeMismatch, broadcast_shapes
from spyre_lint.frontend.values import TupleValue, Unknown, is_number, is_opaque, opaque_reason
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr, as_expr, const
from spyre_lint.ir.types import INT32, DType, OpaqueType, ScalarType, Shape, TileType, dtype_of, shape_of, unknown_dtype

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering


def _tile(lw: Lowering, value: Any) -> tuple[Value, Shape | None]:
    operand = lw.to_value(value)
    return operand, shape_of(operand.type)


def _shape_argument(lw: Lowering, call: CallSite, name: str) -> Shape | None:
    """A `*shape` argument: separate integers or one tuple."""
    value = call.get(name)
    if isinstance(value, TupleValue):
        return lw.shape(value)
    rest = call.rest(name)
    return lw.shape(TupleValue(tuple(rest))) if rest else None


@builtin("arange", params="start end")
def arange(lw: Lowering, call: CallSite) -> Value:
    """`tl.arange(start, end)`."""
    start, end = lw.dimension(call.get("start")), lw.dimension(call.get("end"))
    if start is None or end is None:
        given = call.get("start") if start is None else call.get("end")
        reason = opaque_reason(given) or "an `arange` bound that is not a constexpr"
        return lw.give_up(reason)
    return lw.make("arange", {}, TileType(INT32, (end - start,)), start=start, end=end, spelling=call.name)


@builtin("full", params="shape value dtype")
def full(lw: Lowering, call: CallSite) -> Value:
    """`tl.full`."""
    return _filled(lw, call, call.get("value"))


@builtin("zeros", params="shape dtype")
def zeros(lw: Lowering, call: CallSite) -> Value:
    """`tl.zeros`."""
    return _filled(lw, call, 0)


def _filled(lw: Lowering, call: CallSite, value: Any) -> Value:
    shape = lw.shape(call.get("shape"))
    dtype = call.get("dtype")
    if not isinstance(dtype, DType):
        dtype = unknown_dtype(
            opaque_reason(dtype) or (str(dtype) if isinstance(dtype, Expr) else "a tile's element type")
        )
    if shape is None:
        return lw.give_up(opaque_reason(call.get("shape")) or "a tile whose shape is not made of constexprs")
    scalar = lw.cast_to(value, dtype) if isinstance(value, Value) else lw.to_value(value, dtype)
    return lw.splat(scalar, shape)


@builtin("zeros_like", params="input")
def zeros_like(lw: Lowering, call: CallSite) -> Value:
    """`tl.zeros_like`."""
    operand, shape = _tile(lw, call.get("input"))
    if shape is None:
        return operand
    return lw.splat(lw.to_value(0, dtype_of(operand.type)), shape)


@builtin("broadcast_to", params="input shape", method=True)
def broadcast_to(lw: Lowering, call: CallSite) -> Value:
    """`tl.broadcast_to`."""
    operand, own = _tile(lw, call.get("input"))
    shape = _shape_argument(lw, call, "shape")
    if own is None:
        return operand
    if shape is None:
        return lw.give_up("a shape that is not made of constexprs")
    return lw.broadcast(operand, shape) if len(own) <= len(shape) else lw.give_up("a broadcast to fewer dimensions")


@builtin("broadcast", params="input other")
def broadcast(lw: Lowering, call: CallSite) -> Any:
    """`tl.broadcast(a, b)`: both stretched to one shape."""
    left, right = lw.to_value(call.get("input")), lw.to_value(call.get("other"))
    try:
        shape = broadcast_shapes(shape_of(left.type) or (), shape_of(right.type) or ())
    except ShapeMismatch as mismatch:
        return lw.give_up(f"tiles that do not broadcast together: {mismatch}")
    return TupleValue((lw.broadcast(left, shape), lw.broadcast(right, shape)))


@builtin("expand_dims", params="input axis", method=True)
def expand_dims(lw: Lowering, call: CallSite) -> Value:
    """`tl.expand_dims`; `axis` may be a tuple."""
    operand, shape = _tile(lw, call.get("input"))
    if shape is None:
        return operand
    given = call.get("axis")
    axes = [lw.known_integer(a) for a in (given.items if isinstance(given, TupleValue) else (given,))]
    if any(a is None for a in axes):
        return lw.give_up("an axis that is not known")
    rank = len(shape) + len(axes)
    result = operand
    for axis in sorted(a % rank for a in axes if a is not None):
        shape = (*shape[:axis], const(1), *shape[axis:])
        if not shape_of(result.type):
            result = lw.splat(result, shape)
        else:
            result = lw.make("expand_dims", {"value": [result]}, TileType(dtype_of(operand.type), shape), axis=axis)
    return result


def reshaped(lw: Lowering, operand: Value, shape: Shape, reorder: bool = False) -> Value:
    """A reshape; a scalar becomes a tile, a constant stays one."""
    own = shape_of(operand.type)
    if own is None or own == shape:
        return operand
    if not own:
        return lw.splat(operand, shape)
    if operand.op is not None and operand.op.opcode == "const":
        return lw.splat(lw.to_value(operand.op.attrs["value"], dtype_of(operand.type)), shape)
    result = TileType(dtype_of(operand.type), shape) if shape else ScalarType(dtype_of(operand.type))
    return lw.make("reshape", {"value": [operand]}, result, reorder=reorder)


@builtin("reshape", "view", params="input shape can_reorder", method=True)
def reshape(lw: Lowering, call: CallSite) -> Value:
    """`tl.reshape` and `tl.view`."""
    operand, own = _tile(lw, call.get("input"))
    shape = _shape_argument(lw, call, "shape")
    if own is None:
        return operand
    if shape is None:
        return lw.give_up(opaque_reason(call.get("shape")) or "a shape that is not made of constexprs")
    return reshaped(lw, operand, shape, call.kwargs.get("can_reorder") is True or call.name.endswith("view"))


@builtin("ravel", params="x can_reorder", method=True)
def ravel(lw: Lowering, call: CallSite) -> Value:
    """`tl.ravel`."""
    operand, own = _tile(lw, call.get("x"))
    if not own:
        return operand
    total = operand.type.elements if isinstance(operand.type, TileType) else const(1)
    return reshaped(lw, operand, (total,))


@builtin("squeeze", params="x dim", method=True)
def squeeze(lw: Lowering, call: CallSite) -> Value:
    """`tl.squeeze`: a reshape without one dimension."""
    return _with_axis(lw, call, lambda shape, axis: shape[:axis] + shape[axis + 1 :], extra=0)


@builtin("unsqueeze", params="x dim", method=True)
def unsqueeze(lw: Lowering, call: CallSite) -> Value:
    """`tl.unsqueeze`: a reshape with one more dimension."""
    return _with_axis(lw, call, lambda shape, axis: (*shape[:axis], const(1), *shape[axis:]), extra=1)


def _with_axis(lw: Lowering, call: CallSite, change: Any, extra: int) -> Value:
    operand, own = _tile(lw, call.get("x"))
    axis = lw.known_integer(call.get("dim"))
    if own is None:
        return operand
    if axis is None:
        return lw.give_up("an axis that is not known")
    return reshaped(lw, operand, change(own, axis % (len(own) + extra)))


@builtin("trans", "permute", params="input dims", method=True)
def transpose(lw: Lowering, call: CallSite) -> Value:
    """`tl.trans` and `tl.permute`; without dimensions the last two swap."""
    operand, own = _tile(lw, call.get("input"))
    if not own:
        return operand
    given = call.get("dims")
    items = given.items if isinstance(given, TupleValue) else tuple(call.rest("dims"))
    if not items:
        items = (*range(len(own) - 2), len(own) - 1, len(own) - 2)
    dims = [lw.known_integer(item) for item in items]
    if any(d is None for d in dims) or sorted(d % len(own) for d in dims if d is not None) != list(range(len(own))):
        return lw.give_up("a permutation that is not known")
    perm = tuple(d % len(own) for d in dims if d is not None)
    return permuted(lw, operand, own, perm)


def permuted(lw: Lowering, operand: Value, shape: Shape, perm: tuple[int, ...]) -> Value:
    """A transposition."""
    result = TileType(dtype_of(operand.type), tuple(shape[p] for p in perm))
    if operand.op is not None and operand.op.opcode == "const":
        return lw.make("const", {}, result, value=operand.op.attrs["value"])
    return lw.make("trans", {"value": [operand]}, result, perm=perm)


@builtin("cat", params="input other can_reorder dim")
def concatenate(lw: Lowering, call: CallSite) -> Value:
    """`tl.cat` of two 1-D tiles, or along a dimension."""
    left, left_shape = _tile(lw, call.get("input"))
    right, right_shape = _tile(lw, call.get("other"))
    if not left_shape or not right_shape or len(left_shape) != len(right_shape):
        return lw.opaque(opaque_reason(left) or opaque_reason(right) or "a concatenation of unlike tiles", left, right)
    axis = (lw.known_integer(call.get("dim", 0)) or 0) % len(left_shape)
    shape = tuple(a + b if i == axis else a for i, (a, b) in enumerate(zip(left_shape, right_shape, strict=True)))
    return lw.make("cat", {"a": [left], "b": [right]}, TileType(dtype_of(left.type), shape), axis=axis)


def joined(lw: Lowering, left: Value, right: Value) -> Value:
    """`tl.join`: a new last dimension of 2."""
    if is_opaque(left) or is_opaque(right):
        return lw.opaque(opaque_reason(left) or opaque_reason(right), left, right)
    left, right, dtype = lw.promoted(left, right)
    try:
        shape = broadcast_shapes(shape_of(left.type) or (), shape_of(right.type) or ())
    except ShapeMismatch as mismatch:
        return lw.give_up(f"tiles that do not broadcast together: {mismatch}")
    left, right = lw.broadcast(left, shape), lw.broadcast(right, shape)
    result = TileType(dtype, (*shape, const(2)))
    return lw.make("join", {"a": [left], "b": [right]}, result)


@builtin("join", params="a b")
def join(lw: Lowering, call: CallSite) -> Value:
    """`tl.join`."""
    return joined(lw, lw.to_value(call.get("a")), lw.to_value(call.get("b")))


@builtin("interleave", params="a b")
def interleave(lw: Lowering, call: CallSite) -> Value:
    """`tl.interleave`: a join whose last two dimensions are merged."""
    result = joined(lw, lw.to_value(call.get("a")), lw.to_value(call.get("b")))
    shape = shape_of(result.type)
    if shape is None or len(shape) == 1:
        return result
    return reshaped(lw, result, (*shape[:-2], shape[-2] * 2))


@builtin("split", params="a", method=True)
def split(lw: Lowering, call: CallSite) -> Any:
    """`tl.split`: the two halves of a last dimension of 2."""
    operand, own = _tile(lw, call.get("a"))
    if own is None or not own:
        reason = opaque_reason(operand) or "a split of a scalar"
        return TupleValue((lw.opaque(reason, operand), lw.opaque(reason, operand)))
    dtype = dtype_of(operand.type)
    result = TileType(dtype, own[:-1]) if len(own) > 1 else ScalarType(dtype)
    return TupleValue(tuple(lw.emit("split", {"value": [operand]}, [result, result]).results))


@builtin("gather", params="src index axis", method=True)
def tile_gather(lw: Lowering, call: CallSite) -> Value:
    """`tl.gather`: elements of a tile by index, along an axis."""
    operand, own = _tile(lw, call.get("src"))
    index, index_shape = _tile(lw, call.get("index"))
    if own is None or not index_shape:
        return lw.opaque(opaque_reason(operand) or opaque_reason(index) or "a gather by a scalar", operand, index)
    result = TileType(dtype_of(operand.type), index_shape)
    return lw.make(
        "tile_gather", {"value": [operand], "index": [index]}, result, axis=lw.known_integer(call.get("axis"))
    )


@builtin("item", params="input", method=True)
def item(lw: Lowering, call: CallSite) -> Value:
    """`x.item()`: the only element of a tile."""
    operand, own = _tile(lw, call.get("input"))
    if not own:
        return operand
    return lw.make("reshape", {"value": [operand]}, ScalarType(dtype_of(operand.type)), reorder=False)


@builtin("flip", params="x dim", method=True)
def flip(lw: Lowering, call: CallSite) -> Value:
    """`tl.flip`: a chain of reshapes and exclusive-or reductions over halves."""
    from spyre_lint.frontend.builtins.reductions import flipped

    operand, own = _tile(lw, call.get("x"))
    if not own:
        return operand
    dim = call.get("dim")
    axis = len(own) - 1 if dim is None else lw.known_integer(dim)
    if axis is None:
        return lw.give_up("an axis that is not known")
    return flipped(lw, operand, own, axis % len(own))


@builtin("swizzle2d", params="i j size_i size_j size_g")
def swizzle(lw: Lowering, call: CallSite) -> Any:
    """`tl.swizzle2d`, the index arithmetic Triton inlines."""
    i, j, size_i, size_j, size_g = (call.get(n) for n in call.params)
    linear = lw.binary("+", lw.binary("*", i, size_j), j)
    group = lw.binary("*", size_g, size_j)
    first = lw.binary("*", lw.binary("//", linear, group), size_g)
    rows = _least(lw, lw.binary("-", size_i, first), size_g)
    inside = lw.binary("%", linear, group)
    return TupleValue((lw.binary("+", first, lw.binary("%", inside, rows)), lw.binary("//", inside, rows)))


def _least(lw: Lowering, left: Any, right: Any) -> Any:
    if isinstance(left, Value) or isinstance(right, Value):
        return lw.arithmetic("min", left, right)
    return min(left, right) if is_number(left) and is_number(right) else Unknown("a minimum")


def opaque_like(value: Value) -> OpaqueType:
    """The type of a result about which no more is known than about its operand."""
    return OpaqueType(opaque_reason(value) or "an operand that is not known")


def extent(shape: Shape, axis: int) -> Expr:
    """One extent of a shape."""
    return as_expr(shape[axis])
