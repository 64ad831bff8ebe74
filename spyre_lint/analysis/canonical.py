"""A kernel as Triton's passes leave it before it is mapped to hardware, as far as the life of tiles is concerned.

The passes and their order are those of Triton 3.9 (seen by compiling probes): canonicalization; combination (an
addition of a dot becomes a dot into the addend, a sum of products of stretched tiles a dot); elementwise operations
move before broadcasts and splats; then equal expressions become one. Loop-invariant code stays inside its loop, and
nothing is canonicalized again after the last two. Unrolling by `loop_unroll_factor` comes after everything and does
not change the peak, so it is left out.
"""

from __future__ import annotations

from collections.abc import Callable

from spyre_lint.analysis.arithmetic import canonicalize_elementwise, canonicalize_where
from spyre_lint.analysis.branches import simplify_if, simplify_loop
from spyre_lint.analysis.combine import combine, move_before_broadcast
from spyre_lint.analysis.common import merge_equal
from spyre_lint.analysis.folds import VIEWS, constant_of, fold, made_by, shorten_cast, split_of_join, view_of_view
from spyre_lint.analysis.graph import SCALAR_REGIONS, WRITES, Graph
from spyre_lint.ir.core import Block, KernelIR, Op
from spyre_lint.ir.sym import const
from spyre_lint.ir.types import TileType

# An operation is looked at this many times at most: a guard against patterns that undo each other.
_MAX_VISITS = 64

Pattern = Callable[[Graph, Op], "list[Op] | None"]
"""Rewrites an operation if it matches; returns the operations to look at again, None if it did not match."""


def canonical(ir: KernelIR) -> Graph:
    """A rewritten copy of the kernel's body; the IR itself is left as it is."""
    graph = Graph(ir)
    _rewrite(graph, (_canonicalize,))
    _rewrite(graph, (combine,))
    _rewrite(graph, (move_before_broadcast,))
    merge_equal(graph)
    return graph


def _all_ops(block: Block) -> list[Op]:
    found: list[Op] = []
    for op in block.ops:
        found.append(op)
        if op.opcode not in SCALAR_REGIONS:
            for region in op.regions:
                found.extend(_all_ops(region))
    return found


def _rewrite(graph: Graph, patterns: tuple[Pattern, ...]) -> None:
    """Fold, erase dead operations and apply the patterns until nothing changes."""
    graph.flush()
    todo = dict.fromkeys(reversed(_all_ops(graph.body)))
    visits: dict[Op, int] = {}
    while todo:
        op, _ = todo.popitem()
        if op in graph.erased:
            continue
        visits[op] = visits.get(op, 0) + 1
        if visits[op] > _MAX_VISITS:
            continue
        again = _step(graph, op, patterns)
        if again is None:
            continue
        for other in again:
            if other not in graph.erased and other.opcode != "const":
                todo[other] = None
    graph.flush()


def _step(graph: Graph, op: Op, patterns: tuple[Pattern, ...]) -> list[Op] | None:
    """One look at an operation: what must be looked at again, or None if it stays as it is."""
    if (op.results or op.regions) and graph.is_unused(op) and graph.effect(op) < WRITES:
        producers = [operand.op for inner in op.walk() for operand in inner.operands if operand.op is not None]
        graph.erase(op)
        return producers
    if len(op.results) == 1:
        value = fold(graph, op)
        if value is not None:
            changed = graph.replace(op.result, value)
            return [op, *changed]
    for pattern in patterns:
        again = pattern(graph, op)
        if again is not None:
            return again
    return None


# ---- canonicalization --------------------------------------------------------------------------------------------


def _canonicalize(graph: Graph, op: Op) -> list[Op] | None:
    opcode = op.opcode
    if opcode in VIEWS:
        if view_of_view(graph, op):
            return [op, *graph.users_of(op.result)]
        return _expand_before_broadcast(graph, op)
    if opcode == "split":
        halves = split_of_join(op)
        if halves is not None:
            changed = [user for r, half in zip(op.results, halves, strict=True) for user in graph.replace(r, half)]
            return [op, *changed]
        return None
    if opcode == "cast":
        return [op, *graph.users_of(op.result)] if shorten_cast(graph, op) else None
    if opcode == "elementwise":
        return canonicalize_elementwise(graph, op)
    if opcode == "where":
        return canonicalize_where(graph, op)
    if opcode in ("ptr_load", "ptr_store"):
        return _drop_mask(graph, op)
    if opcode == "if":
        return simplify_if(graph, op)
    if opcode in ("for", "while"):
        return simplify_loop(graph, op)
    return None


def _expand_before_broadcast(graph: Graph, op: Op) -> list[Op] | None:
    """`expand_dims(broadcast(x))` is `broadcast(expand_dims(x))`."""
    stretched = made_by(op.operands[0], "broadcast") if op.opcode == "expand_dims" else None
    if stretched is None:
        return None
    source = stretched.operands[0]
    axis, source_type = op.attrs["axis"], source.type
    if not isinstance(source_type, TileType):
        return None
    shape = source_type.shape
    small = graph.value(TileType(source_type.dtype, (*shape[:axis], const(1), *shape[axis:])), source)
    stretched_too = graph.value(op.result.type, op.result)
    expanded = graph.insert_after(op, "expand_dims", {"value": [source]}, small, axis=axis)
    graph.insert_after(op, "broadcast", {"value": [small]}, stretched_too)
    changed = graph.replace(op.result, stretched_too)
    return [op, expanded, *changed]


def _drop_mask(graph: Graph, op: Op) -> list[Op] | None:
    """A mask that is constant true is no mask; one that is false makes the access vanish."""
    mask = op.operand("mask")
    number = None if mask is None else constant_of(mask)
    if not isinstance(number, int):
        return None
    producers = [operand.op for operand in op.operands if operand.op is not None]
    if number:
        kept = {"ptr": op.group("ptr"), "value": op.group("value")}
        graph.set_groups(op, {name: values for name, values in kept.items() if values})
        return [op, *producers]
    if op.opcode == "ptr_store":
        graph.erase(op)
        return producers
    other = op.operand("other")
    if other is None:
        return None
    return [op, *graph.replace(op.result, other)]
