"""The two passes between canonicalization and the merging of equal expressions.

`combine`: an addition of a dot that starts from zero becomes a dot into the addend, a sum of products of two stretched
tiles becomes a dot, two steps of address arithmetic become one, a load that is only reshaped to its last dimensions has
that shape. `move_before_broadcast`: elementwise operations are done before their operands are stretched or splatted.
"""

from __future__ import annotations

from spyre_lint.analysis.folds import VIEWS, constant_of, is_zero_tile, made_by, view_of_view
from spyre_lint.analysis.graph import Graph, type_key
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import compare, const
from spyre_lint.ir.types import ScalarType, Shape, TileType, Type, dtype_of, shape_of

# Least extent for which a sum of products becomes a dot (Triton 3.9).
_MIN_DOT_EXTENT = 16

_ELEMENTWISE = frozenset({"elementwise", "where", "cast", "addptr"})


def combine(graph: Graph, op: Op) -> list[Op] | None:
    """One step of the combining pass; None if nothing matched."""
    if op.opcode == "elementwise" and op.fn == "add":
        return _dot_into_addend(graph, op)
    if op.opcode == "reduce":
        return _sum_of_products(graph, op)
    if op.opcode == "addptr":
        return _one_address(graph, op)
    if op.opcode == "reshape":
        return _smaller_load(graph, op)
    return None


def _starts_from_zero(dot: Op) -> bool:
    acc = dot.operand("acc")
    return acc is None or is_zero_tile(acc)


def _dot_into_addend(graph: Graph, op: Op) -> list[Op] | None:
    """`other + dot(a, b)` is a dot into `other`, where the addition stands."""
    for dot_value, other in ((op.operands[1], op.operands[0]), (op.operands[0], op.operands[1])):
        dot = made_by(dot_value, "dot")
        if dot is None or not _starts_from_zero(dot) or graph.use_count(dot_value) != 1:
            continue
        if any(dtype_of(v.type).is_float and dtype_of(v.type).bits == 8 for v in dot.operands[:2]):
            continue  # 8-bit floats bound the imprecise accumulation, which bars the combination
        groups = {"a": dot.group("a"), "b": dot.group("b"), "acc": [other]}
        op.opcode = "dot"
        op.attrs = {"keywords": dot.attrs.get("keywords")}
        graph.set_groups(op, groups)
        return [op, dot, *graph.users_of(op.result)]
    return None


def _sum_of_products(graph: Graph, op: Op) -> list[Op] | None:
    """`sum(a[:, :, None] * b[None, :, :], axis=1)` of floats is `dot(a, b)`."""
    if op.fn != "sum" or op.attrs.get("axis") != 1 or len(op.operands) != 1:
        return None
    product = made_by(op.operands[0], "elementwise")
    dtype = dtype_of(op.operands[0].type)
    if product is None or product.fn != "mul" or not dtype.is_float or (dtype.bits or 64) > 32:
        return None
    sources: list[Value] = []
    for operand, axis, stretched_axis in zip(product.operands, (2, 0), (2, 0), strict=True):
        stretched = made_by(operand, "broadcast")
        expanded = made_by(stretched.operands[0], "expand_dims") if stretched is not None else None
        shape = shape_of(operand.type)
        if expanded is None or expanded.attrs.get("axis") != axis or shape is None or len(shape) != 3:
            return None
        if compare(shape[stretched_axis], "ge", _MIN_DOT_EXTENT) is not True:
            return None
        sources.append(expanded.operands[0])
    op.opcode = "dot"
    op.attrs = {"keywords": None}
    graph.set_groups(op, {"a": sources[:1], "b": sources[1:], "acc": []})
    return [op, product, *graph.users_of(op.result)]


def _one_address(graph: Graph, op: Op) -> list[Op] | None:
    """`(p + i) + j` is `p + (i + j)` for 64-bit offsets (narrower ones might overflow)."""
    inner = made_by(op.operands[0], "addptr")
    if inner is None:
        return None
    first, second = inner.operands[1], op.operands[1]
    if type_key(first.type) != type_key(second.type) or dtype_of(first.type).bits != 64:
        return None
    total = graph.value(second.type)
    addition = graph.insert_before(op, "elementwise", {"args": [first, second]}, total, fn="add")
    graph.set_groups(op, {"ptr": [inner.operands[0]], "offset": [total]})
    return [op, addition, inner, *graph.users_of(op.result)]


def _smaller_load(graph: Graph, op: Op) -> list[Op] | None:
    """A reshape that only drops leading ones of a descriptor load becomes the load's own shape."""
    load = made_by(op.operands[0], "desc_load")
    shape, full = shape_of(op.result.type), shape_of(op.operands[0].type)
    if load is None or graph.use_count(load.result) != 1 or not shape or not full or len(shape) >= len(full):
        return None
    dropped = len(full) - len(shape)
    if any(extent != const(1) for extent in full[:dropped]) or full[dropped:] != shape:
        return None
    load.result.type = op.result.type
    return [op, *graph.replace(op.result, load.result)]


# ---- elementwise before broadcast --------------------------------------------------------------------------------


def move_before_broadcast(graph: Graph, op: Op) -> list[Op] | None:
    """Do an elementwise operation on the unstretched operands and stretch the result; None if that can't be.

    Every operand must be a splat or a splat constant, or a broadcast from one and the same shape.
    """
    if op.opcode in VIEWS:
        return [op, *graph.users_of(op.result)] if view_of_view(graph, op) else None
    if op.opcode not in _ELEMENTWISE or not op.operands or not isinstance(op.result.type, TileType):
        return None
    small: Type | None = None
    for operand in op.operands:
        if constant_of(operand) is not None and isinstance(operand.type, TileType):
            continue
        made = operand.op
        if made is None or made.opcode not in ("splat", "broadcast"):
            return None
        if made.opcode == "broadcast":
            source = made.operands[0].type
            if small is not None and shape_of(small) != shape_of(source):
                return None
            small = source
    shape = shape_of(small) if small is not None else ()
    operands = [_unstretched(graph, op, operand, shape) for operand in op.operands]
    producers = [operand.op for operand in op.operands if operand.op is not None]
    dtype = dtype_of(op.result.type)
    stretched = graph.value(op.result.type, op.result)
    changed = graph.replace(op.result, stretched)
    graph.set_groups(op, {name: operands[start:end] for name, (start, end) in op.groups.items()})
    op.result.type = TileType(dtype, shape) if shape else ScalarType(dtype)
    view = graph.insert_after(op, "broadcast" if shape else "splat", {"value": [op.result]}, stretched)
    return [op, view, *producers, *changed]


def _unstretched(graph: Graph, op: Op, operand: Value, shape: Shape | None) -> Value:
    """An operand on the small shape (a scalar for the empty one)."""
    number = constant_of(operand)
    dtype = dtype_of(operand.type)
    target: Type = TileType(dtype, shape) if shape else ScalarType(dtype)
    if number is not None:
        return graph.constant(target, number, op.loc)
    made = operand.op
    assert made is not None
    source = made.operands[0]
    if made.opcode == "broadcast" or not shape:
        return source
    splat = graph.value(target, operand)
    graph.insert_after(made, "splat", {"value": [source]}, splat)
    return splat
