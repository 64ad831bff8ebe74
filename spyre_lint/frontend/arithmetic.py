"""Arithmetic on kernel values: conversions, promotion, broadcasting, comparisons, truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.compile_time import compare_constants, fold_binary
from spyre_lint.frontend.promotion import (
    ShapeMismatch,
    broadcast_shapes,
    dtype_of_number,
    promote,
    promote_integers,
    promote_with_number,
)
from spyre_lint.frontend.state import LoweringState
from spyre_lint.frontend.values import (
    Decision,
    TupleValue,
    Unknown,
    is_number,
    is_opaque,
    opaque_reason,
)
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr, as_expr, const
from spyre_lint.ir.types import (
    BF16,
    FP16,
    FP32,
    INT1,
    INT32,
    DescriptorType,
    DType,
    OpaqueType,
    ScalarType,
    Shape,
    TileType,
    dtype_of,
    shape_of,
    value_type,
)

if TYPE_CHECKING:
    pass

_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "fdiv", "//": "div", "%": "rem", "**": "pow",
    "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr", "@": "matmul",
}  # fmt: skip
_COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


class Arithmetic(LoweringState):
    """Operations on compile-time and run-time values, with Triton's rules."""

    def to_value(self, value: Any, dtype: DType | None = None) -> Value:
        """A run-time value for anything: numbers become constants, what is not a number becomes opaque."""
        if isinstance(value, Value):
            return value
        if is_number(value):
            plain = value.value if isinstance(value, Expr) and value.is_const else value
            return self.make("const", {}, ScalarType(dtype or dtype_of_number(plain)), value=plain)
        if isinstance(value, Decision):
            return self.opaque(value.reason)
        return self.opaque(opaque_reason(value) or "a compile-time object used as a run-time value")

    def known_integer(self, value: Any) -> int | None:
        """The integer a compile-time value or constant is, if it is known."""
        value = self.expression_of(value)
        if isinstance(value, Expr):
            return value.value if value.is_const else None
        return value if isinstance(value, int) else None

    def expression_of(self, value: Any) -> Any:
        """The number or symbolic integer behind a constant operation; other values as they are."""
        if isinstance(value, Value) and value.op is not None and value.op.opcode == "const":
            held = value.op.attrs["value"]
            return held if isinstance(value.type, ScalarType) else value
        return value

    def dimension(self, value: Any) -> Expr | None:
        """A shape entry as an expression; None if it depends on a run-time value."""
        value = self.expression_of(value)
        if isinstance(value, (int, Expr)):
            return as_expr(value)
        return None

    def shape(self, value: Any) -> Shape | None:
        """A shape argument as expressions; None if it is not one that can be read."""
        if isinstance(value, TupleValue):
            dims = [self.dimension(item) for item in value.items]
            return None if any(d is None for d in dims) else tuple(d for d in dims if d is not None)
        single = self.dimension(value)
        return None if single is None else (single,)

    def cast_to(self, value: Value, dtype: DType) -> Value:
        """Convert to an element type as Triton does (bf16 to anything but fp32 goes through fp32)."""
        current = dtype_of(value.type)
        if isinstance(value.type, (OpaqueType, DescriptorType)) or current == dtype:
            return value
        if not dtype.is_known and not current.is_known and current.origin == dtype.origin:
            return value
        if dtype == INT1 and current.is_known and not current.is_pointer:
            return self.compare_with_zero(value)
        narrow = current in (FP16, BF16)
        if narrow and dtype != FP32 and dtype.is_known and dtype not in (FP16, BF16) and not _is_fp8(dtype):
            value = self._cast_op(value, FP32)
        return self._cast_op(value, dtype)

    def _cast_op(self, value: Value, dtype: DType, bitcast: bool = False) -> Value:
        return self.make("cast", {"value": [value]}, value_type(shape_of(value.type), dtype), bitcast=bitcast)

    def bitcast_to(self, value: Value, dtype: DType) -> Value:
        """Reinterpret the bits."""
        return value if dtype_of(value.type) == dtype else self._cast_op(value, dtype, bitcast=True)

    def compare_with_zero(self, value: Value) -> Value:
        """`value != 0`, which is how Triton casts to a boolean."""
        zero = self.splat(self.make("const", {}, ScalarType(dtype_of(value.type)), value=0), shape_of(value.type) or ())
        result = value_type(shape_of(value.type), INT1)
        return self.make("elementwise", {"args": [value, zero]}, result, fn="ne")

    def splat(self, value: Value, shape: Shape) -> Value:
        """A scalar as a tile of a shape; constants stay constants."""
        if not shape or isinstance(value.type, OpaqueType):
            return value
        result = TileType(dtype_of(value.type), shape)
        if value.op is not None and value.op.opcode == "const":
            return self.make("const", {}, result, value=value.op.attrs["value"])
        return self.make("splat", {"value": [value]}, result)

    def broadcast(self, value: Value, shape: Shape) -> Value:
        """A scalar or tile stretched to a shape, leading dimensions added."""
        own = shape_of(value.type)
        if own is None or own == shape:
            return value
        if not own:
            return self.splat(value, shape)
        while len(own) < len(shape):
            own = (const(1), *own)
            value = self.make("expand_dims", {"value": [value]}, TileType(dtype_of(value.type), own), axis=0)
        one = const(1)
        if all(a == b or a != one for a, b in zip(own, shape, strict=True)):
            return value
        return self.make("broadcast", {"value": [value]}, TileType(dtype_of(value.type), shape))

    def common_integer(self, values: Sequence[Value]) -> DType:
        """Integer type that several values promote to."""
        result: DType | None = None
        for value in values:
            dtype = dtype_of(value.type)
            if dtype.is_integer:
                result = dtype if result is None else promote_integers(result, dtype)
        return result or INT32

    def binary(self, op: str, left: Any, right: Any) -> Any:
        """`left op right` for compile-time and run-time operands."""
        if not isinstance(left, Value) and not isinstance(right, Value):
            return fold_binary(op, left, right)
        return self.arithmetic(_OPERATORS.get(op, op), left, right)

    def arithmetic(self, fn: str, left: Any, right: Any) -> Value:
        """A binary operation with Triton's promotion and broadcasting."""
        if is_opaque(left) or is_opaque(right):
            args = [self.to_value(v) for v in (left, right)]
            reason = opaque_reason(left) or opaque_reason(right)
            return self.make("elementwise", {"args": args}, OpaqueType(reason), fn=fn)
        if not all(isinstance(v, Value) or is_number(v) for v in (left, right)):
            return self.opaque("arithmetic on something other than numbers")
        pointer = next((v for v in (left, right) if isinstance(v, Value) and dtype_of(v.type).is_pointer), None)
        if pointer is not None and fn in ("add", "sub"):
            offset = self.to_value(right if pointer is left else left)
            return self.address(pointer, self.negated(offset) if fn == "sub" else offset)
        if any(isinstance(v, Value) and isinstance(v.type, DescriptorType) for v in (left, right)):
            return self.opaque("arithmetic on a descriptor")
        if fn == "matmul":
            return self.opaque("`@`, which Triton does not define on tiles")
        left, right, dtype = self.promoted(left, right, division=fn in ("fdiv", "div", "rem"))
        if fn == "fdiv" and dtype.is_integer:
            left, right = self.cast_to(left, FP32), self.cast_to(right, FP32)
            dtype = FP32
        if fn == "shr" and dtype.kind == "int":
            fn = "ashr"
        return self.pairwise(fn, left, right, dtype)

    def pairwise(self, fn: str, left: Value, right: Value, dtype: DType) -> Value:
        """An elementwise operation on two operands of one element type, broadcast to a common shape."""
        try:
            shape = broadcast_shapes(shape_of(left.type) or (), shape_of(right.type) or ())
        except ShapeMismatch as mismatch:
            return self.give_up(f"tiles that do not broadcast together: {mismatch}")
        left, right = self.broadcast(left, shape), self.broadcast(right, shape)
        return self.make("elementwise", {"args": [left, right]}, value_type(shape, dtype), fn=fn)

    def number_or_value(self, value: Any) -> Any:
        """An operand of arithmetic: a number or a run-time value; anything else becomes an opaque value."""
        return value if isinstance(value, Value) or is_number(value) else self.to_value(value)

    def promoted(self, left: Any, right: Any, *, division: bool = False) -> tuple[Value, Value, DType]:
        """Both operands as values of the element type they compute in, and that type."""
        left, right = (
            each if isinstance(each, Value) or is_number(each) else self.to_value(each) for each in (left, right)
        )
        if isinstance(left, Value) and isinstance(right, Value):
            dtype = promote(dtype_of(left.type), dtype_of(right.type), division=division)
        elif isinstance(left, Value):
            dtype = promote_with_number(dtype_of(left.type), right, division=division)
        elif isinstance(right, Value):
            dtype = promote_with_number(dtype_of(right.type), left, division=division)
        else:
            dtype = promote(dtype_of_number(left), dtype_of_number(right), division=division)
        return self._in_type(left, dtype), self._in_type(right, dtype), dtype

    def _in_type(self, value: Any, dtype: DType) -> Value:
        if not isinstance(value, Value):
            return self.to_value(value, dtype)
        # A conversion to a type nobody knows would say nothing; the result's type carries the doubt.
        return self.cast_to(value, dtype) if dtype.is_known else value

    def address(self, pointer: Value, offset: Value) -> Value:
        """Pointer arithmetic."""
        try:
            shape = broadcast_shapes(shape_of(pointer.type) or (), shape_of(offset.type) or ())
        except ShapeMismatch as mismatch:
            return self.give_up(f"an address whose parts do not broadcast together: {mismatch}")
        pointer, offset = self.broadcast(pointer, shape), self.broadcast(offset, shape)
        return self.make("addptr", {"ptr": [pointer], "offset": [offset]}, value_type(shape, dtype_of(pointer.type)))

    def negated(self, value: Value) -> Value:
        """`-value`."""
        return self.make("elementwise", {"args": [value]}, value.type, fn="neg")

    def to_boolean(self, value: Value) -> Value:
        """A value as i1."""
        return value if dtype_of(value.type) == INT1 else self.cast_to(value, INT1)

    def boolean(self, op: str, values: Any) -> Any:
        """`and`/`or` over values evaluated one by one, short-circuited at compile time as Triton does."""
        stop = op == "or"
        pending: list[Any] = []
        undecided: Decision | None = None
        last: Any = None
        for value in values:
            last = value
            truth = self.truth(value)
            if isinstance(truth, bool):
                if truth is stop:
                    return value
            elif isinstance(truth, Decision):
                undecided = undecided or truth
            else:
                pending.append(value)
        if undecided is not None:
            return undecided
        if not pending:
            return last
        result = pending[0]
        for value in pending[1:]:
            result = self.arithmetic("and" if op == "and" else "or", self.to_boolean(result), self.to_boolean(value))
        return result

    def compare(self, op: str, left: Any, right: Any) -> Any:
        """One comparison: a bool, a `Decision` where open constexprs decide it, or a run-time value."""
        if op in ("is", "is not") and (isinstance(left, Value) != isinstance(right, Value)):
            # A run-time value is never None; an opaque one may be.
            if is_opaque(left) or is_opaque(right):
                return Decision(opaque_reason(left) or opaque_reason(right))
            return op == "is not"
        if not isinstance(left, Value) and not isinstance(right, Value):
            return compare_constants(op, left, right)
        if op not in _COMPARISONS:
            return Decision(f"`{op}` on run-time values")
        if is_opaque(left) or is_opaque(right):
            return self.arithmetic(_COMPARISONS[op], left, right)
        if not all(isinstance(v, Value) or is_number(v) for v in (left, right)):
            return op == "!="
        left, right, _ = self.promoted(left, right)
        return self.pairwise(_COMPARISONS[op], left, right, INT1)

    def truth(self, value: Any) -> bool | Decision | Value:
        """A condition: decided now, decided by constexprs that are open, or decided at run time."""
        known = self.expression_of(value)
        if isinstance(known, Value):
            return Decision(opaque_reason(known)) if is_opaque(known) else known
        if isinstance(known, Decision):
            return known
        if isinstance(known, Unknown):
            return Decision(known.reason)
        if isinstance(known, Expr):
            if known.is_const:
                return known.value != 0
            low, high = known.bounds()
            if (low is not None and low > 0) or (high is not None and high < 0):
                return True
            return Decision(f"`{known}`, which no binding gives")
        if isinstance(known, TupleValue):
            return bool(known.items)
        if isinstance(known, float) and math.isnan(known):
            return True
        return bool(known)


def _is_fp8(dtype: DType) -> bool:
    return dtype.is_float and dtype.bits == 8
