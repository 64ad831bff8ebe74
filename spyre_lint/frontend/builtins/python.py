"""Python's own builtins as Triton lets kernels use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.callsite import CallSite, builtin
from spyre_lint.frontend.values import Decision, TupleValue, Unknown, opaque_reason
from spyre_lint.ir import sym
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr, as_expr
from spyre_lint.ir.types import DType, TileType

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering


def _fold_extremum(lw: Lowering, call: CallSite, fn: str) -> Any:
    values = list(call.args)
    if len(values) == 1 and isinstance(values[0], TupleValue):
        values = list(values[0].items)
    if not values:
        return Unknown(f"`{fn}` of nothing")
    result = values[0]
    for value in values[1:]:
        if isinstance(result, Value) or isinstance(value, Value):
            result = lw.arithmetic(fn, result, value)
        elif isinstance(result, (int, float)) and isinstance(value, (int, float)):
            result = (min if fn == "min" else max)(result, value)
        elif all(isinstance(v, (int, Expr)) for v in (result, value)):
            result = (sym.minimum if fn == "min" else sym.maximum)(as_expr(result), as_expr(value))
        else:
            return Unknown(opaque_reason(result) or opaque_reason(value) or f"`{fn}` of something other than numbers")
    return result


@builtin("builtins.min")
def minimum(lw: Lowering, call: CallSite) -> Any:
    """`min` of constexprs, or of run-time scalars as `tl.minimum`; of one tile it is `tl.min`."""
    if len(call.args) == 1 and isinstance(call.args[0], Value):
        return lw.call_builtin("triton.language.min", call.args, call.kwargs, call.node)
    return _fold_extremum(lw, call, "min")


@builtin("builtins.max")
def maximum(lw: Lowering, call: CallSite) -> Any:
    """`max`, likewise."""
    if len(call.args) == 1 and isinstance(call.args[0], Value):
        return lw.call_builtin("triton.language.max", call.args, call.kwargs, call.node)
    return _fold_extremum(lw, call, "max")


@builtin("builtins.len", params="value")
def length(lw: Lowering, call: CallSite) -> Any:
    """`len` of a tuple, a string or a tile's first dimension."""
    value = call.get("value")
    if isinstance(value, TupleValue):
        return len(value.items)
    if isinstance(value, (str, list, tuple, dict)):
        return len(value)
    if isinstance(value, Value) and isinstance(value.type, TileType):
        return value.type.shape[0]
    return Unknown(opaque_reason(value) or "the length of something other than a tuple")


def _number(lw: Lowering, call: CallSite, kind: type) -> Any:
    value = call.get("value")
    if isinstance(value, (int, float, str)):
        try:
            return kind(value)
        except (ValueError, OverflowError) as error:
            return Unknown(f"`{kind.__name__}` fails at compile time: {error}")
    if isinstance(value, Expr) and kind is int:
        return value
    if isinstance(value, Decision):
        return value
    return Unknown(opaque_reason(value) or f"`{kind.__name__}` of a run-time value or an open constexpr")


@builtin("builtins.int", params="value")
def integer(lw: Lowering, call: CallSite) -> Any:
    """`int` of a constexpr."""
    return _number(lw, call, int)


@builtin("builtins.float", params="value")
def floating(lw: Lowering, call: CallSite) -> Any:
    """`float` of a constexpr, `float("-inf")` above all."""
    return _number(lw, call, float)


@builtin("builtins.bool", params="value")
def boolean(lw: Lowering, call: CallSite) -> Any:
    """`bool` of a constexpr."""
    truth = lw.truth(call.get("value"))
    return truth


@builtin("builtins.isinstance", params="value kind")
def is_instance(lw: Lowering, call: CallSite) -> Any:
    """`isinstance(x, tl.tensor)` and its like: answered where the kind is one that a kernel knows."""
    value, kind = call.get("value"), call.get("kind")
    name = getattr(kind, "name", "") if not isinstance(kind, DType) else ""
    if name.endswith((".tensor", ".base_value")):
        return isinstance(value, Value)
    if name.endswith((".tuple", "builtins.tuple")):
        return isinstance(value, TupleValue)
    if name.endswith(".constexpr"):
        return not isinstance(value, Value)
    return Decision(f"`isinstance` of `{name or 'something'}`")


@builtin("builtins.hasattr", "builtins.getattr", params="value name default")
def attribute(lw: Lowering, call: CallSite) -> Any:
    """`getattr` and `hasattr` are not followed."""
    return Unknown(f"`{call.name.removeprefix('builtins.')}`")
