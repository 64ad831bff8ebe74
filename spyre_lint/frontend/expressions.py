"""Expressions: names, arithmetic, comparisons, subscripts, attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from astroid import nodes

from spyre_lint.frontend.attributes import attribute_of
from spyre_lint.frontend.calls import Calls
from spyre_lint.frontend.compile_time import fold_unary
from spyre_lint.frontend.values import (
    Builtin,
    Decision,
    TupleValue,
    Unknown,
    is_opaque,
    opaque_reason,
)
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import const
from spyre_lint.ir.types import (
    INT1,
    Shape,
    TileType,
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

    def expr(self, node: nodes.NodeNG) -> Any:
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

    def expr_Const(self, node: nodes.Const) -> Any:
        return node.value

    def expr_Name(self, node: nodes.Name) -> Any:
        return self.name(node.name, node)

    def name(self, name: str, node: nodes.NodeNG) -> Any:
        """What a name stands for: a local, then a global of the module, then a builtin of Python."""
        if name in self.env:
            return self.env[name]
        outside = self.scope.external_name(self.frame.module, name)
        if outside:
            self.note_name(outside, node)
        return self.scope.global_name(self.frame.module, name, node)

    def expr_Tuple(self, node: nodes.Tuple) -> Any:
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

    def expr_Dict(self, node: nodes.Dict) -> Any:
        return (
            self.scope.constant(self.frame.module, node) if not self._uses_locals(node) else Unknown("a dict display")
        )

    def expr_Set(self, node: nodes.Set) -> Any:
        return Unknown("a set display")

    def _uses_locals(self, node: nodes.NodeNG) -> bool:
        return any(n.name in self.env for n in node.nodes_of_class(nodes.Name))

    def expr_JoinedStr(self, node: nodes.JoinedStr) -> Any:
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

    def expr_Lambda(self, node: nodes.Lambda) -> Any:
        return Unknown("a lambda, which Triton does not support in kernels")

    def expr_NamedExpr(self, node: nodes.NamedExpr) -> Any:
        self.assign(node.target, self.expr(node.value))
        return self.env.get(getattr(node.target, "name", ""), Unknown("a named expression"))

    def expr_ListComp(self, node: nodes.ListComp) -> Any:
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

    def expr_Attribute(self, node: nodes.Attribute) -> Any:
        return attribute_of(cast("Lowering", self), self.expr(node.expr), node.attrname, node)

    def expr_BinOp(self, node: nodes.BinOp) -> Any:
        left = self.expr(node.left)
        return self.binary(node.op, left, self.expr(node.right))

    def expr_UnaryOp(self, node: nodes.UnaryOp) -> Any:
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

    def expr_BoolOp(self, node: nodes.BoolOp) -> Any:
        values = (self.expr(operand) for operand in node.values)
        return self.boolean(node.op, values)

    def expr_Compare(self, node: nodes.Compare) -> Any:
        left = self.expr(node.left)
        results = []
        for op, operand in node.ops:
            right = self.expr(operand)
            results.append(self.compare(op, left, right))
            left = right
        return results[0] if len(results) == 1 else self.boolean("and", iter(results))

    def truth_without_effects(self, node: nodes.NodeNG) -> bool | None:
        """The truth of a condition made of constants only; None for any other."""
        if isinstance(node, nodes.Const):
            return bool(node.value)
        return None

    def expr_IfExp(self, node: nodes.IfExp) -> Any:
        condition = self.truth(self.expr(node.test))
        if isinstance(condition, bool):
            return self.expr(node.body if condition else node.orelse)
        then = self.in_branch(lambda: self.expr(node.body))
        other = self.in_branch(lambda: self.expr(node.orelse))
        return self.join_branches(condition, self.b.loc, (then[0], [then[2]]), (other[0], [other[2]]))[0]

    def expr_Slice(self, node: nodes.Slice) -> Any:
        parts = [
            None if part is None else self.known_integer(self.expr(part))
            for part in (node.lower, node.upper, node.step)
        ]
        return slice(*parts)

    def expr_Subscript(self, node: nodes.Subscript) -> Any:
        owner, index = self.expr(node.value), self.expr(node.slice)
        if isinstance(owner, Value):
            return self._index_tile(owner, index)
        if isinstance(owner, TupleValue):
            position = index if isinstance(index, slice) else self.known_integer(index)
            if isinstance(position, slice):
                return TupleValue(owner.items[position], origin=owner.origin)
            if position is not None and -len(owner.items) <= position < len(owner.items):
                return owner.items[position]
            return Unknown("a tuple indexed by something that is not known")
        if isinstance(owner, (str, list, tuple, dict)):
            try:
                return owner[index]
            except (KeyError, IndexError, TypeError):
                return Unknown("an index that does not exist")
        if isinstance(owner, Builtin):
            return Unknown(f"`{owner.name}[...]`")
        return Unknown(opaque_reason(owner) or "an indexed compile-time object")

    def _index_tile(self, tile: Value, index: Any) -> Any:
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
