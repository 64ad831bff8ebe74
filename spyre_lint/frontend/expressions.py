"""Expressions: names, arithmetic, comparisons, subscripts, attributes. Mixed into `Lowering`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.frontend.attributes import attribute_of
from spyre_lint.frontend.calls import Calls
from spyre_lint.frontend.compile_time import compare_constants, fold_binary, fold_unary
from spyre_lint.frontend.promotion import (
    ShapeMismatch,
    broadcast_shapes,
    dtype_of_number,
    promote,
    promote_integers,
    promote_with_number,
)
from spyre_lint.frontend.values import (
    Builtin,
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
    Type,
    dtype_of,
    shape_of,
    value_type,
)

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering

_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "fdiv", "//": "div", "%": "rem", "**": "pow",
    "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr", "@": "matmul",
}  # fmt: skip
_COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


class Expressions(Calls):
    """Evaluates expressions to compile-time objects or IR values."""

    def expr(self: Lowering, node: nodes.NodeNG) -> Any:
        """The value of an expression."""
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if method is None:
            return self.give_up(
                f"a `{type(node).__name__}` expression, which Triton does not support in kernels", self.location(node)
            )
        if isinstance(node, (nodes.Const, nodes.Name, nodes.Tuple, nodes.List)):
            return method(node)
        outer, self.b.loc = self.b.loc, self.location(node)
        try:
            return method(node)
        finally:
            self.b.loc = outer

    # ---- leaves ------------------------------------------------------------------------------------------

    def expr_Const(self: Lowering, node: nodes.Const) -> Any:
        return node.value

    def expr_Name(self: Lowering, node: nodes.Name) -> Any:
        return self.name(node.name, node)

    def name(self: Lowering, name: str, node: nodes.NodeNG) -> Any:
        """What a name stands for: a local, then a global of the module, then a builtin of Python."""
        if name in self.env:
            return self.env[name]
        return self.scope.global_name(self.frame.module, name, node)

    def expr_Tuple(self: Lowering, node: nodes.Tuple) -> Any:
        items: list[Any] = []
        for element in node.elts:
            if isinstance(element, nodes.Starred):
                inner = self.expr(element.value)
                if not isinstance(inner, TupleValue):
                    return Unknown(opaque_reason(inner) or "a starred value of unknown length")
                items.extend(inner.items)
            else:
                items.append(self.expr(element))
        return TupleValue(tuple(items))

    expr_List = expr_Tuple

    def expr_Dict(self: Lowering, node: nodes.Dict) -> Any:
        return (
            self.scope.constant(self.frame.module, node) if not self._uses_locals(node) else Unknown("a dict display")
        )

    def expr_Set(self: Lowering, node: nodes.Set) -> Any:
        return Unknown("a set display")

    def _uses_locals(self: Lowering, node: nodes.NodeNG) -> bool:
        return any(n.name in self.env for n in node.nodes_of_class(nodes.Name))

    def expr_JoinedStr(self: Lowering, node: nodes.JoinedStr) -> Any:
        parts: list[str] = []
        for value in node.values:
            if isinstance(value, nodes.Const):
                parts.append(str(value.value))
                continue
            inner = self.expr(value.value) if isinstance(value, nodes.FormattedValue) else Unknown("an f-string")
            if not isinstance(inner, (int, float, str)):
                return Unknown("an f-string with a value that is not known")
            parts.append(str(inner))
        return "".join(parts)

    def expr_Lambda(self: Lowering, node: nodes.Lambda) -> Any:
        return Unknown("a lambda, which Triton does not support in kernels")

    def expr_NamedExpr(self: Lowering, node: nodes.NamedExpr) -> Any:
        self.assign(node.target, self.expr(node.value))
        return self.env.get(getattr(node.target, "name", ""), Unknown("a named expression"))

    def expr_ListComp(self: Lowering, node: nodes.ListComp) -> Any:
        iterable = self.expr(node.generators[0].iter)
        if len(node.generators) != 1 or not isinstance(iterable, TupleValue):
            return Unknown(opaque_reason(iterable) or "a comprehension over something other than a tuple")
        items = []
        for item in iterable.items:
            self.assign(node.generators[0].target, item, constexpr=True)
            kept = [self.truth(self.expr(test)) for test in node.generators[0].ifs]
            if any(not isinstance(test, bool) for test in kept):
                return Unknown("a comprehension with a condition that is not known")
            if all(kept):
                items.append(self.expr(node.elt))
        return TupleValue(tuple(items))

    expr_GeneratorExp = expr_ListComp

    def expr_Attribute(self: Lowering, node: nodes.Attribute) -> Any:
        return attribute_of(self, self.expr(node.expr), node.attrname, node)

    # ---- conversions -------------------------------------------------------------------------------------

    def to_value(self: Lowering, value: Any, dtype: DType | None = None) -> Value:
        """A run-time value for anything: numbers become constants, what is not a number becomes opaque."""
        if isinstance(value, Value):
            return value
        if is_number(value):
            plain = value.value if isinstance(value, Expr) and value.is_const else value
            return self.make("const", {}, ScalarType(dtype or dtype_of_number(plain)), value=plain)
        if isinstance(value, Decision):
            return self.opaque(value.reason)
        return self.opaque(opaque_reason(value) or "a compile-time object used as a run-time value")

    def known_integer(self: Lowering, value: Any) -> int | None:
        """The integer a compile-time value or constant is, if it is known."""
        value = self.expression_of(value)
        if isinstance(value, Expr):
            return value.value if value.is_const else None
        return value if isinstance(value, int) else None

    def expression_of(self: Lowering, value: Any) -> Any:
        """The number or symbolic integer behind a constant operation; other values as they are."""
        if isinstance(value, Value) and value.op is not None and value.op.opcode == "const":
            held = value.op.attrs["value"]
            return held if isinstance(value.type, ScalarType) else value
        return value

    def dimension(self: Lowering, value: Any) -> Expr | None:
        """A shape entry as an expression; None if it depends on a run-time value."""
        value = self.expression_of(value)
        if isinstance(value, (int, Expr)):
            return as_expr(value)
        return None

    def shape(self: Lowering, value: Any) -> Shape | None:
        """A shape argument as expressions; None if it is not one that can be read."""
        if isinstance(value, TupleValue):
            dims = [self.dimension(item) for item in value.items]
            return None if any(d is None for d in dims) else tuple(d for d in dims if d is not None)
        single = self.dimension(value)
        return None if single is None else (single,)

    def cast_to(self: Lowering, value: Value, dtype: DType) -> Value:
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

    def _cast_op(self: Lowering, value: Value, dtype: DType, bitcast: bool = False) -> Value:
        return self.make("cast", {"value": [value]}, value_type(shape_of(value.type), dtype), bitcast=bitcast)

    def bitcast_to(self: Lowering, value: Value, dtype: DType) -> Value:
        """Reinterpret the bits."""
        return value if dtype_of(value.type) == dtype else self._cast_op(value, dtype, bitcast=True)

    def compare_with_zero(self: Lowering, value: Value) -> Value:
        """`value != 0`, which is how Triton casts to a boolean."""
        zero = self.splat(self.make("const", {}, ScalarType(dtype_of(value.type)), value=0), shape_of(value.type) or ())
        result = value_type(shape_of(value.type), INT1)
        return self.make("elementwise", {"args": [value, zero]}, result, fn="ne")

    def splat(self: Lowering, value: Value, shape: Shape) -> Value:
        """A scalar as a tile of a shape; constants stay constants."""
        if not shape or isinstance(value.type, OpaqueType):
            return value
        result = TileType(dtype_of(value.type), shape)
        if value.op is not None and value.op.opcode == "const":
            return self.make("const", {}, result, value=value.op.attrs["value"])
        return self.make("splat", {"value": [value]}, result)

    def broadcast(self: Lowering, value: Value, shape: Shape) -> Value:
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

    def adopt(self: Lowering, value: Value, type_: Type) -> Value:
        """A carried value of a number literal's type where the loop carries an unknown type: keep it as it is."""
        return value

    def common_integer(self: Lowering, values: Sequence[Value]) -> DType:
        """Integer type that several values promote to."""
        result: DType | None = None
        for value in values:
            dtype = dtype_of(value.type)
            if dtype.is_integer:
                result = dtype if result is None else promote_integers(result, dtype)
        return result or INT32

    # ---- operators ---------------------------------------------------------------------------------------

    def expr_BinOp(self: Lowering, node: nodes.BinOp) -> Any:
        left = self.expr(node.left)
        return self.binary(node.op, left, self.expr(node.right))

    def binary(self: Lowering, op: str, left: Any, right: Any) -> Any:
        """`left op right` for compile-time and run-time operands."""
        if not isinstance(left, Value) and not isinstance(right, Value):
            return fold_binary(op, left, right)
        return self.arithmetic(_OPERATORS.get(op, op), left, right)

    def arithmetic(self: Lowering, fn: str, left: Any, right: Any) -> Value:
        """A binary operation with Triton's promotion and broadcasting."""
        if is_opaque(left) or is_opaque(right):
            args = [v for v in (left, right) if isinstance(v, Value)]
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

    def pairwise(self: Lowering, fn: str, left: Value, right: Value, dtype: DType) -> Value:
        """An elementwise operation on two operands of one element type, broadcast to a common shape."""
        try:
            shape = broadcast_shapes(shape_of(left.type) or (), shape_of(right.type) or ())
        except ShapeMismatch as mismatch:
            return self.give_up(f"tiles that do not broadcast together: {mismatch}")
        left, right = self.broadcast(left, shape), self.broadcast(right, shape)
        return self.make("elementwise", {"args": [left, right]}, value_type(shape, dtype), fn=fn)

    def number_or_value(self: Lowering, value: Any) -> Any:
        """An operand of arithmetic: a number or a run-time value; anything else becomes an opaque value."""
        return value if isinstance(value, Value) or is_number(value) else self.to_value(value)

    def promoted(self: Lowering, left: Any, right: Any, *, division: bool = False) -> tuple[Value, Value, DType]:
        """Both operands as values of the element type they compute in, and that type."""
        if isinstance(left, Value) and isinstance(right, Value):
            dtype = promote(dtype_of(left.type), dtype_of(right.type), division=division)
        elif isinstance(left, Value):
            dtype = promote_with_number(dtype_of(left.type), right, division=division)
        elif isinstance(right, Value):
            dtype = promote_with_number(dtype_of(right.type), left, division=division)
        else:
            dtype = promote(dtype_of_number(left), dtype_of_number(right), division=division)
        return self._in_type(left, dtype), self._in_type(right, dtype), dtype

    def _in_type(self: Lowering, value: Any, dtype: DType) -> Value:
        if not isinstance(value, Value):
            return self.to_value(value, dtype)
        # A conversion to a type nobody knows would say nothing; the result's type carries the doubt.
        return self.cast_to(value, dtype) if dtype.is_known else value

    def address(self: Lowering, pointer: Value, offset: Value) -> Value:
        """Pointer arithmetic."""
        try:
            shape = broadcast_shapes(shape_of(pointer.type) or (), shape_of(offset.type) or ())
        except ShapeMismatch as mismatch:
            return self.give_up(f"an address whose parts do not broadcast together: {mismatch}")
        pointer, offset = self.broadcast(pointer, shape), self.broadcast(offset, shape)
        return self.make("addptr", {"ptr": [pointer], "offset": [offset]}, value_type(shape, dtype_of(pointer.type)))

    def negated(self: Lowering, value: Value) -> Value:
        """`-value`."""
        return self.make("elementwise", {"args": [value]}, value.type, fn="neg")

    def expr_UnaryOp(self: Lowering, node: nodes.UnaryOp) -> Any:
        operand = self.expr(node.operand)
        if node.op == "not":
            truth = self.truth(operand)
            if isinstance(truth, bool):
                return not truth
            if isinstance(truth, Decision):
                return truth
            return self.make(
                "elementwise", {"args": [self.to_boolean(operand)]}, value_type(shape_of(operand.type), INT1), fn="not"
            )
        if not isinstance(operand, Value):
            return fold_unary(node.op, operand)
        if node.op == "+" or is_opaque(operand):
            return operand
        return self.make("elementwise", {"args": [operand]}, operand.type, fn={"-": "neg", "~": "invert"}[node.op])

    def to_boolean(self: Lowering, value: Value) -> Value:
        """A value as i1."""
        return value if dtype_of(value.type) == INT1 else self.cast_to(value, INT1)

    def expr_BoolOp(self: Lowering, node: nodes.BoolOp) -> Any:
        values = (self.expr(operand) for operand in node.values)
        return self.boolean(node.op, values)

    def boolean(self: Lowering, op: str, values: Any) -> Any:
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

    def expr_Compare(self: Lowering, node: nodes.Compare) -> Any:
        left = self.expr(node.left)
        results = []
        for op, operand in node.ops:
            right = self.expr(operand)
            results.append(self.compare(op, left, right))
            left = right
        return results[0] if len(results) == 1 else self.boolean("and", iter(results))

    def compare(self: Lowering, op: str, left: Any, right: Any) -> Any:
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

    # ---- truth -------------------------------------------------------------------------------------------

    def truth(self: Lowering, value: Any) -> bool | Decision | Value:
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

    def truth_without_effects(self: Lowering, node: nodes.NodeNG) -> bool | None:
        """The truth of a condition made of constants only; None for any other."""
        if isinstance(node, nodes.Const):
            return bool(node.value)
        return None

    def expr_IfExp(self: Lowering, node: nodes.IfExp) -> Any:
        condition = self.truth(self.expr(node.test))
        if isinstance(condition, bool):
            return self.expr(node.body if condition else node.orelse)
        then = self.in_region(lambda: self.expr(node.body))
        other = self.in_region(lambda: self.expr(node.orelse))
        return self.join_branches(condition, self.b.loc, (then[0], [then[2]]), (other[0], [other[2]]))[0]

    # ---- subscripts --------------------------------------------------------------------------------------

    def expr_Slice(self: Lowering, node: nodes.Slice) -> Any:
        parts = [
            None if part is None else self.known_integer(self.expr(part))
            for part in (node.lower, node.upper, node.step)
        ]
        return slice(*parts)

    def expr_Subscript(self: Lowering, node: nodes.Subscript) -> Any:
        owner, index = self.expr(node.value), self.expr(node.slice)
        if isinstance(owner, Value):
            return self._index_tile(owner, index)
        if isinstance(owner, TupleValue):
            position = index if isinstance(index, slice) else self.known_integer(index)
            if isinstance(position, slice):
                return TupleValue(owner.items[position])
            if position is not None and -len(owner.items) <= position < len(owner.items):
                return owner.items[position]
            return Unknown("a tuple indexed by something that is not known")
        if isinstance(owner, (str, list, tuple, dict)):
            try:
                return owner[index]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                return Unknown("an index that does not exist")
        if isinstance(owner, Builtin):
            return Unknown(f"`{owner.name}[...]`")
        return Unknown(opaque_reason(owner) or "an indexed compile-time object")

    def _index_tile(self: Lowering, tile: Value, index: Any) -> Any:
        """`x[:, None]` and its like: None adds a dimension, a full slice keeps one."""
        shape = shape_of(tile.type)
        items = index.items if isinstance(index, TupleValue) else (index,)
        if shape is None:
            return self.opaque(opaque_reason(tile) or "a subscript of something other than a tile", tile)
        if not shape and self.known_integer(items[0]) is not None:
            return self.opaque(f"an element of the tuple `{tile.name}`", tile)
        if any(item is not None and item != slice(None, None, None) for item in items):
            return self.give_up("a subscript other than `None` and `:`, which Triton does not support on tiles")
        result = tile
        dims: Shape = shape
        for axis, item in enumerate(items):
            if item is None:
                dims = (*dims[:axis], const(1), *dims[axis:])
                if not shape_of(result.type):
                    result = self.splat(result, dims)
                else:
                    result = self.make(
                        "expand_dims", {"value": [result]}, TileType(dtype_of(tile.type), dims), axis=axis
                    )
        return result


def _is_fp8(dtype: DType) -> bool:
    return dtype.is_float and dtype.bits == 8
