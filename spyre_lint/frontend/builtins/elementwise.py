"""Elementwise functions: mathematics, `where`, casts, clamps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.callsite import CallSite, alias_method, builtin
from spyre_lint.frontend.promotion import (
    ShapeMismatch,
    broadcast_shapes,
    dtype_of_number,
    promote,
    promote_with_number,
)
from spyre_lint.frontend.values import Decision, Unknown, is_number, is_opaque, opaque_reason
from spyre_lint.ir import sym
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr, as_expr
from spyre_lint.ir.types import (
    FP32,
    INT1,
    DType,
    OpaqueType,
    dtype_of,
    shape_of,
    value_type,
)

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering

_UNARY = ("exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "sqrt_rn", "rsqrt", "erf", "floor", "ceil", "tanh", "tan")


def unary(lw: Lowering, fn: str, value: Any) -> Value:
    """A function of one operand that keeps its type."""
    operand = lw.to_value(value)
    return lw.make("elementwise", {"args": [operand]}, operand.type, fn=fn)


def _register_unary() -> None:
    for fn in _UNARY:

        def handler(lw: Lowering, call: CallSite, fn: str = fn) -> Value:
            return unary(lw, fn, call.get("x"))

        builtin(fn, params="x", method=True)(handler)


_register_unary()


@builtin("abs", "builtins.abs", params="x", method=True)
def absolute(lw: Lowering, call: CallSite) -> Any:
    """`tl.abs`."""
    value = call.get("x")
    if isinstance(value, (int, float)):
        return abs(value)
    return unary(lw, "abs", value)


@builtin("sigmoid", params="x", method=True)
def sigmoid(lw: Lowering, call: CallSite) -> Any:
    """`1 / (1 + exp(-x))`, the operations Triton inlines."""
    value = lw.to_value(call.get("x"))
    negated = value if is_opaque(value) else lw.negated(value)
    return lw.binary("/", 1, lw.binary("+", 1, unary(lw, "exp", negated)))


@builtin("softmax", params="x dim keep_dims ieee_rounding", method=True)
def softmax(lw: Lowering, call: CallSite) -> Any:
    """`tl.softmax`, the operations Triton inlines (the default axis is 0)."""
    from spyre_lint.frontend.builtins.reductions import reduce_named

    value = lw.to_value(call.get("x"))
    axis = call.get("dim")
    axis = 0 if axis is None else axis
    shifted = lw.binary("-", value, reduce_named(lw, "max", value, axis, True))
    exponential = unary(lw, "exp", shifted)
    return lw.binary("/", exponential, reduce_named(lw, "sum", exponential, axis, True))


@builtin("cdiv", "triton.cdiv", params="x div", method=True)
def ceiling_division(lw: Lowering, call: CallSite) -> Any:
    """`tl.cdiv(x, div)`."""
    left, right = call.get("x"), call.get("div")
    if not isinstance(left, Value) and not isinstance(right, Value):
        for value in (left, right):
            if isinstance(value, (Unknown, Decision)) or not isinstance(value, (int, Expr)):
                return Unknown(opaque_reason(value) or "`cdiv` of something other than integers")
        try:
            result = sym.cdiv(as_expr(left), as_expr(right))
        except ZeroDivisionError:
            return lw.give_up("a division by zero")
        return result.value if result.is_const else result
    if is_opaque(left) or is_opaque(right):
        return lw.arithmetic("cdiv", left, right)
    a, b, dtype = lw.promoted(left, right, division=True)
    return lw.pairwise("cdiv", a, b, dtype)


@builtin("triton.next_power_of_2", "next_power_of_2", params="n")
def next_power_of_two(lw: Lowering, call: CallSite) -> Any:
    """`triton.next_power_of_2` of a constexpr."""
    value = call.get("n")
    if not isinstance(value, (int, Expr)):
        return Unknown(opaque_reason(value) or "`next_power_of_2` of something other than a constexpr")
    result = sym.next_power_of_2(as_expr(value))
    return result.value if result.is_const else result


def _extremum(lw: Lowering, fn: str, left: Any, right: Any) -> Any:
    if isinstance(left, Value) or isinstance(right, Value):
        return lw.arithmetic(fn, left, right)
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        # Triton makes run-time scalars of both.
        return lw.arithmetic(fn, lw.to_value(left), lw.to_value(right))
    if all(isinstance(v, (int, Expr)) for v in (left, right)):
        return (sym.minimum if fn == "min" else sym.maximum)(as_expr(left), as_expr(right))
    return Unknown(opaque_reason(left) or opaque_reason(right) or f"`{fn}imum` of something other than numbers")


@builtin("minimum", params="x y propagate_nan", method=True)
def minimum(lw: Lowering, call: CallSite) -> Any:
    """`tl.minimum`."""
    return _extremum(lw, "min", call.get("x"), call.get("y"))


@builtin("maximum", params="x y propagate_nan", method=True)
def maximum(lw: Lowering, call: CallSite) -> Any:
    """`tl.maximum`."""
    return _extremum(lw, "max", call.get("x"), call.get("y"))


def _register_operators() -> None:
    for name, op in {"add": "+", "sub": "-", "mul": "*"}.items():

        def handler(lw: Lowering, call: CallSite, op: str = op) -> Any:
            return lw.binary(op, call.get("x"), call.get("y"))

        builtin(name, params="x y sanitize_overflow")(handler)

    def divide(lw: Lowering, call: CallSite) -> Any:
        return lw.binary("/", call.get("x"), call.get("y"))

    builtin("fdiv", "div_rn", params="x y ieee_rounding")(divide)


_register_operators()


def _common(lw: Lowering, values: list[Any]) -> list[Value]:
    """Operands of one element type and shape; numbers are materialised after the run-time values have been promoted."""
    tensor: DType | None = None
    number: DType | None = None
    for value in values:
        if isinstance(value, Value):
            tensor = dtype_of(value.type) if tensor is None else promote(tensor, dtype_of(value.type))
        elif is_number(value):
            number = dtype_of_number(value) if number is None else promote(number, dtype_of_number(value))
    dtype = tensor or number or FP32
    for value in values:
        if tensor is not None and not isinstance(value, Value) and is_number(value):
            dtype = promote_with_number(dtype, value)
    result = [lw.cast_to(v, dtype) if isinstance(v, Value) else lw.to_value(v, dtype) for v in values]
    shape: Any = ()
    for value in result:
        shape = broadcast_shapes(shape, shape_of(value.type) or ())
    return [lw.broadcast(value, shape) for value in result]


def nary(lw: Lowering, fn: str, values: list[Any]) -> Value:
    """A function of any number of operands, promoted and broadcast together."""
    opaque = next((v for v in values if is_opaque(v)), None)
    if opaque is not None:
        args = [lw.to_value(v) for v in values]
        return lw.make("elementwise", {"args": args}, OpaqueType(opaque_reason(opaque)), fn=fn)
    try:
        operands = _common(lw, values)
    except ShapeMismatch as mismatch:
        return lw.give_up(f"tiles that do not broadcast together: {mismatch}")
    return lw.make("elementwise", {"args": operands}, operands[0].type, fn=fn)


@builtin("fma", params="x y z")
def fused_multiply_add(lw: Lowering, call: CallSite) -> Value:
    """`tl.fma`."""
    return nary(lw, "fma", [call.get("x"), call.get("y"), call.get("z")])


@builtin("clamp", params="x min max propagate_nan")
def clamp(lw: Lowering, call: CallSite) -> Any:
    """`tl.clamp`; of integers it is a maximum and a minimum."""
    values = [call.get("x"), call.get("min"), call.get("max")]
    first = values[0]
    if isinstance(first, Value) and dtype_of(first.type).is_integer:
        return _extremum(lw, "min", _extremum(lw, "max", first, values[1]), values[2])
    return nary(lw, "clamp", values)


@builtin("umulhi", params="x y")
def multiply_high(lw: Lowering, call: CallSite) -> Any:
    """`tl.umulhi`."""
    return lw.arithmetic("umulhi", lw.to_value(call.get("x")), call.get("y"))


@builtin("where", params="condition x y")
def where(lw: Lowering, call: CallSite) -> Any:
    """`tl.where`; the branches are promoted with each other, then all three broadcast together."""
    condition = call.get("condition")
    x, y = lw.number_or_value(call.get("x")), lw.number_or_value(call.get("y"))
    decided = lw.truth(condition) if not isinstance(condition, Value) else condition
    cond = lw.to_value(int(decided), INT1) if isinstance(decided, bool) else lw.to_value(condition)
    if any(is_opaque(v) for v in (cond, x, y)):
        reason = next(opaque_reason(v) for v in (cond, x, y) if is_opaque(v))
        args = [lw.to_value(v) for v in (x, y)]
        return lw.make("where", {"cond": [cond], "x": args[:1], "y": args[1:]}, OpaqueType(reason))
    if dtype_of(cond.type) != INT1:
        cond = lw.cast_to(cond, INT1)
    left, right, dtype = lw.promoted(x, y)
    try:
        shape = broadcast_shapes(
            broadcast_shapes(shape_of(cond.type) or (), shape_of(left.type) or ()), shape_of(right.type) or ()
        )
    except ShapeMismatch as mismatch:
        return lw.give_up(f"tiles that do not broadcast together: {mismatch}")
    cond, left, right = (lw.broadcast(v, shape) for v in (cond, left, right))
    return lw.make("where", {"cond": [cond], "x": [left], "y": [right]}, value_type(shape, dtype))


@builtin("expect_zero", params="x mask")
def expect_zero(lw: Lowering, call: CallSite) -> Any:
    """`tl.expect_zero(x, mask)` returns `x`."""
    return lw.to_value(call.get("x"))


@builtin("cast", params="input dtype fp_downcast_rounding bitcast", method=True)
def cast(lw: Lowering, call: CallSite) -> Any:
    """`tl.cast` and `x.to(...)`."""
    value, dtype = call.get("input"), call.get("dtype")
    if isinstance(dtype, str):
        from spyre_lint.ir.types import dtype_named

        dtype = dtype_named(dtype)
    operand = lw.to_value(value)
    if is_opaque(operand):
        return operand
    if not isinstance(dtype, DType):
        from spyre_lint.ir.types import unknown_dtype

        reason = opaque_reason(dtype) or _symbol_name(dtype) or "a cast's element type"
        dtype = unknown_dtype(reason)
        return lw.make("cast", {"value": [operand]}, value_type(shape_of(operand.type), dtype), bitcast=False)
    if call.get("bitcast") is True:
        return lw.bitcast_to(operand, dtype)
    if not isinstance(value, Value):
        return lw.to_value(value, dtype)
    return lw.cast_to(operand, dtype)


def _symbol_name(value: Any) -> str:
    return str(value) if isinstance(value, Expr) else ""


alias_method("to", "cast")


@builtin("to_tensor", params="x")
def to_tensor(lw: Lowering, call: CallSite) -> Any:
    """`tl.to_tensor`."""
    return lw.to_value(call.get("x"))
