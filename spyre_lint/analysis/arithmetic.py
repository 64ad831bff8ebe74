"""Rewrites of arithmetic that Triton's canonicalizer does: signs, comparisons, constants, choices.

They were seen by compiling probes with Triton 3.9. Some hold for scalars only, because the patterns behind them match
single numbers and no tiles of them.
"""

from __future__ import annotations

from spyre_lint.analysis.folds import (
    COMMUTATIVE,
    COMPARISONS,
    INVERTED,
    SWAPPED,
    constant_of,
    is_number,
    is_tile,
    made_by,
)
from spyre_lint.analysis.graph import Graph, type_key
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.types import dtype_of

_EXTREMA = frozenset({"lt", "le", "gt", "ge"})


def canonicalize_elementwise(graph: Graph, op: Op) -> list[Op] | None:
    """Rewrite an elementwise operation in place; the operations to look at again, None if nothing matched."""
    if len(op.operands) != 2:
        return None
    a, b = op.operands
    if dtype_of(a.type).is_float:
        return _without_negations(graph, op)
    if not dtype_of(a.type).is_integer:
        return None
    swaps = op.fn in COMMUTATIVE or op.fn in COMPARISONS
    if swaps and constant_of(a) is not None and constant_of(b) is None:
        op.attrs = {**op.attrs, "fn": SWAPPED.get(op.fn, op.fn)}
        return _with_operands(graph, op, [b, a])
    for pattern in (_subtract_product, _before_widening, _invert_comparison, _add_constants):
        again = pattern(graph, op)
        if again is not None:
            return again
    return None


def _with_operands(graph: Graph, op: Op, operands: list[Value]) -> list[Op]:
    """Exchange the operands; what must be looked at again."""
    before = [operand.op for operand in op.operands if operand.op is not None]
    graph.set_groups(op, {"args": operands})
    return [op, *before, *graph.users_of(op.result)]


def _without_negations(graph: Graph, op: Op) -> list[Op] | None:
    """`x + -y` is `x - y`; `-x * -y` and `-x / -y` lose both signs (floats)."""
    a, b = op.operands
    signs = [made_by(value, "elementwise") for value in (a, b)]
    first, second = (made if made is not None and made.fn == "neg" else None for made in signs)
    if op.fn in ("mul", "fdiv") and first is not None and second is not None:
        return _with_operands(graph, op, [first.operands[0], second.operands[0]])
    if op.fn != "add" or (first is None and second is None):
        return None
    op.attrs = {**op.attrs, "fn": "sub"}
    if second is not None:
        return _with_operands(graph, op, [a, second.operands[0]])
    assert first is not None
    return _with_operands(graph, op, [b, first.operands[0]])


def _subtract_product(graph: Graph, op: Op) -> list[Op] | None:
    """`x + y * -1` is `x - y` (integers)."""
    if op.fn != "add":
        return None
    for product, other in ((op.operands[1], op.operands[0]), (op.operands[0], op.operands[1])):
        made = made_by(product, "elementwise")
        if made is not None and made.fn == "mul" and is_number(made.operands[1], -1):
            op.attrs = {**op.attrs, "fn": "sub"}
            return _with_operands(graph, op, [other, made.operands[0]])
    return None


def _before_widening(graph: Graph, op: Op) -> list[Op] | None:
    """`and` and `or` of two integers widened alike are done before they are widened."""
    a, b = op.operands
    first, second = made_by(a, "cast"), made_by(b, "cast")
    if op.fn not in ("and", "or") or first is None or second is None:
        return None
    x, y = first.operands[0], second.operands[0]
    alike = type_key(x.type) == type_key(y.type) and first.attrs["unsigned"] == second.attrs["unsigned"]
    widens = dtype_of(x.type).is_integer and (dtype_of(x.type).bits or 0) < (dtype_of(a.type).bits or 0)
    if not alike or not widens or first.attrs.get("bitcast") or second.attrs.get("bitcast"):
        return None
    narrow = graph.value(x.type)
    done = graph.insert_before(op, "elementwise", {"args": [x, y]}, narrow, fn=op.fn)
    op.opcode, op.attrs = "cast", {"bitcast": False, "unsigned": first.attrs["unsigned"]}
    graph.set_groups(op, {"value": [narrow]})
    return [op, done, first, second, *graph.users_of(op.result)]


def _invert_comparison(graph: Graph, op: Op) -> list[Op] | None:
    """The negation of an integer comparison is the opposite comparison (scalars only)."""
    a, b = op.operands
    if is_tile(a) or op.fn != "xor" or not is_number(b, 1) or dtype_of(a.type).bits != 1:
        return None
    inner = made_by(a, "elementwise")
    if inner is None or inner.fn not in COMPARISONS or not dtype_of(inner.operands[0].type).is_integer:
        return None
    op.attrs = {**op.attrs, "fn": INVERTED[inner.fn], "unsigned": inner.attrs.get("unsigned")}
    graph.set_groups(op, {"args": inner.operands})
    return [op, inner, *graph.users_of(op.result)]


def _add_constants(graph: Graph, op: Op) -> list[Op] | None:
    """`(x + 1) + 2` is `x + 3`, `(x * 2) * 3` is `x * 6` (integers, scalars only)."""
    a, b = op.operands
    if is_tile(a):
        return None
    inner = made_by(a, "elementwise")
    if op.fn not in ("add", "sub", "mul") or inner is None or not dtype_of(a.type).is_integer:
        return None
    if len(inner.operands) != 2:
        return None
    x, first, second = inner.operands[0], constant_of(inner.operands[1]), constant_of(b)
    if not isinstance(first, int) or not isinstance(second, int):
        return None
    if op.fn == "mul":
        if inner.fn != "mul":
            return None
        total = first * second
    elif inner.fn in ("add", "sub"):
        total = (first if inner.fn == "add" else -first) + (second if op.fn == "add" else -second)
        op.attrs = {**op.attrs, "fn": "add"}
    else:
        return None
    graph.set_groups(op, {"args": [x, graph.constant(b.type, total, op.loc)]})
    return [op, inner, *graph.users_of(op.result)]


def canonicalize_where(graph: Graph, op: Op) -> list[Op] | None:
    """The same for a `where`."""
    condition, x, y = op.operands
    compared = made_by(condition, "elementwise")
    chooses = compared is not None and compared.fn in _EXTREMA and set(compared.operands) == {x, y} and x is not y
    if compared is not None and chooses and dtype_of(x.type).is_integer:
        # `where(x > y, x, y)` is the greater one.
        greater = (compared.fn in ("gt", "ge")) == (compared.operands[0] is x)
        op.opcode = "elementwise"
        op.attrs = {"fn": "max" if greater else "min", "unsigned": compared.attrs.get("unsigned")}
        graph.set_groups(op, {"args": compared.operands})
        return [op, compared, *graph.users_of(op.result)]
    for index, (side, inner_index) in enumerate(((x, 1), (y, 2)), start=1):
        inner = made_by(side, "where")
        if inner is not None and inner.operands[0] is condition:
            graph.set_operand(op, index, inner.operands[inner_index])
            return [op, inner]
    return None
