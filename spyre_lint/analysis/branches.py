"""Branches and loops as Triton's canonicalizer leaves them.

A branch on a constant is the side taken; one that only chooses between values made before it is a `where`; inside a
branch its condition is known. A loop that never runs vanishes, one that runs once is its body; a carried value that
never changes is its initial value, of two that are carried alike one remains, and one that nothing uses is dropped.
"""

from __future__ import annotations

from spyre_lint.analysis.folds import constant_of
from spyre_lint.analysis.graph import Graph
from spyre_lint.ir.core import Block, Op, Value
from spyre_lint.ir.types import INT1, ScalarType


def simplify_if(graph: Graph, op: Op) -> list[Op] | None:
    """Simplify a branch; returns the operations to look at again, None if nothing matched."""
    condition = op.group("cond")[0]
    known = constant_of(condition)
    if isinstance(known, int):
        return graph.inline_region(op, op.regions[0 if known else 1], [])
    changed = _know_condition(graph, op, condition)
    for step in (_drop_unused, _choose, _merge_with_previous):
        again = step(graph, op, condition)
        if again is not None:
            return [*changed, *again]
    return changed or None


def _know_condition(graph: Graph, op: Op, condition: Value) -> list[Op]:
    if len(graph.users_of(condition)) < 2:
        return []
    changed: list[Op] = []
    for number, region in ((1, op.regions[0]), (0, op.regions[1])):
        inside = [user for user in graph.users_of(condition) if is_within(user.block, region)]
        if inside:
            changed += graph.replace(condition, graph.constant(ScalarType(INT1), number), inside)
    return changed


def _drop_unused(graph: Graph, op: Op, condition: Value) -> list[Op] | None:
    kept = [i for i, result in enumerate(op.results) if graph.users_of(result)]
    if len(kept) == len(op.results):
        return None
    again = [value.op for region in op.regions for value in _yields(region) if value.op is not None]
    keep_results(graph, op, kept)
    return [op, *again]


def is_within(block: Block | None, region: Block) -> bool:
    """Whether a block is a region or nested in it."""
    while block is not None:
        if block is region:
            return True
        block = block.parent.block if block.parent is not None else None
    return False


def _made_inside(value: Value, region: Block) -> bool:
    return is_within(value.block if value.op is None else value.op.block, region)


def _yields(region: Block) -> list[Value]:
    end = region.terminator
    return end.group("values") if end is not None else []


def _choose(graph: Graph, op: Op, condition: Value) -> list[Op] | None:
    """Results that both sides take from before the branch: a `where`, or the value itself if both take the same."""
    sides = list(zip(_yields(op.regions[0]), _yields(op.regions[1]), strict=True))
    free = [
        i for i, (x, y) in enumerate(sides) if not _made_inside(x, op.regions[0]) and not _made_inside(y, op.regions[1])
    ]
    if op.attrs.get("early_return"):
        # Blocks of an early return: only empty ones are bridged.
        bare = all(region.ops == [region.terminator] for region in op.regions)
        free = [i for i in free if sides[i][0] is sides[i][1] or (bare and len(free) == len(sides))]
    if not free:
        return None
    again: list[Op] = [op]
    for index in free:
        result, (x, y) = op.results[index], sides[index]
        if x is y:
            again += graph.replace(result, x)
            continue
        chosen = graph.value(result.type, result)
        again.append(graph.insert_after(op, "where", {"cond": [condition], "x": [x], "y": [y]}, chosen))
        again += graph.replace(result, chosen)
    for region in op.regions:
        again += [v.op for v in _yields(region) if v.op is not None]
    keep_results(graph, op, [i for i in range(len(op.results)) if i not in free])
    return again


def _merge_with_previous(graph: Graph, op: Op, condition: Value) -> list[Op] | None:
    """Two branches on one condition with nothing between them are one."""
    others = [u for u in graph.users_of(condition) if u is not op and u.opcode == "if" and u.block is op.block]
    if not others or op.block is None or op.attrs.get("early_return"):
        return None
    ops = graph.settle(op.block)
    place = ops.index(op)
    first = ops[place - 1] if place else None
    if first not in others or first is None or first.attrs.get("early_return"):
        return None
    again: list[Op] = []
    merged: tuple[list[Value], list[Value]] = ([], [])
    for side, (before, after) in enumerate(zip(first.regions, op.regions, strict=True)):
        graph.settle(before)
        graph.settle(after)
        inside = list(after.walk())
        for result, value in zip(first.results, _yields(before), strict=True):
            again += graph.replace(result, value, inside)
        merged[side].extend((*_yields(before), *_yields(after)))
        moved = [inner for inner in after.ops if inner is not after.terminator]
        end = before.terminator
        assert end is not None
        before.ops = [*before.ops[:-1], *moved, end]
        for inner in moved:
            inner.block = before
        graph.set_groups(end, {"values": merged[side]})
        after.ops = [inner for inner in after.ops if inner not in moved]
    results = op.results
    op.results = []
    graph.erase(op)
    first.results = [*first.results, *results]
    for index, result in enumerate(first.results):
        result.op, result.index = first, index
    return [first, *again]


# ---- loops -----------------------------------------------------------------------------------------------------


def simplify_loop(graph: Graph, op: Op) -> list[Op] | None:
    """Simplify a loop; returns the operations to look at again, None if nothing matched."""
    if op.opcode == "for":
        trips = _trips(op)
        if trips == 0:
            inits = zip(op.results, op.group("init"), strict=True)
            return [*(user for result, init in inits for user in graph.replace(result, init)), *_erase(graph, op)]
        if trips == 1:
            return graph.inline_region(op, op.regions[0], [op.group("lb")[0], *op.group("init")])
    return _unused(graph, op) or _unchanged(graph, op) or _carried_alike(graph, op)


def _erase(graph: Graph, op: Op) -> list[Op]:
    producers = [operand.op for operand in op.operands if operand.op is not None]
    graph.erase(op)
    return producers


def _trips(op: Op) -> int | None:
    lower, upper, step = (op.group(name)[0] for name in ("lb", "ub", "step"))
    if lower is upper:
        return 0
    low, high, stride = (constant_of(v) for v in (lower, upper, step))
    if not (isinstance(low, int) and isinstance(high, int) and isinstance(stride, int)) or stride <= 0:
        return None
    return max(0, -(-(high - low) // stride))


def _arguments(op: Op, index: int) -> list[Value]:
    """The region arguments that one carried value enters."""
    leading = 1 if op.opcode == "for" else 0
    return [region.args[leading + index] for region in op.regions]


def _unused(graph: Graph, op: Op) -> list[Op] | None:
    """A carried value that is neither used in the loop nor after it. One that feeds itself stays."""
    for index, result in enumerate(op.results):
        passed = op.regions[0].terminator if op.opcode == "while" else None
        users = [user for arg in _arguments(op, index) for user in graph.users_of(arg) if user is not passed]
        if graph.users_of(result) or users:
            continue
        first = _arguments(op, index)[0]
        if passed is not None and (passed.group("values").count(first) > 1 or first in passed.group("cond")):
            continue
        lost = [op.group("init")[index], *(_yields(region)[index] for region in op.regions)]
        keep_results(graph, op, [i for i in range(len(op.results)) if i != index])
        return [op, *(value.op for value in lost if value.op is not None)]
    return None


def _unchanged(graph: Graph, op: Op) -> list[Op] | None:
    """A carried value that is only ever its initial value."""
    for index, init in enumerate(op.group("init")):
        arguments = _arguments(op, index)
        sources = [_yields(region)[index] for region in op.regions]
        if any(source is not init and source not in arguments for source in sources):
            continue
        again = [user for value in (*arguments, op.results[index]) for user in graph.replace(value, init)]
        keep_results(graph, op, [i for i in range(len(op.results)) if i != index])
        return [op, *again]
    return None


def _carried_alike(graph: Graph, op: Op) -> list[Op] | None:
    """Two carried values with one initial value and one yielded value are one."""
    seen: dict[tuple[Value, ...], int] = {}
    for index, init in enumerate(op.group("init")):
        arguments = _arguments(op, index)
        sources = tuple(_yields(region)[index] for region in op.regions)
        if op.opcode == "while":
            sources = tuple(source for source in sources if source not in arguments)
        first = seen.setdefault((init, *sources), index)
        if first == index:
            continue
        again = graph.replace(op.results[index], op.results[first])
        for mine, kept in zip(arguments, _arguments(op, first), strict=True):
            again += graph.replace(mine, kept)
        keep_results(graph, op, [i for i in range(len(op.results)) if i != index])
        return [op, *again]
    return None


def keep_results(graph: Graph, op: Op, kept: list[int]) -> None:
    """Leave a loop or branch only some of its results, with what they are carried through."""
    for region in op.regions:
        end = region.terminator
        if end is not None:
            groups = {name: end.group(name) for name in end.groups if name != "values"}
            graph.set_groups(end, {**groups, "values": [end.group("values")[i] for i in kept]})
        if op.opcode in ("for", "while"):
            leading = 1 if op.opcode == "for" else 0
            region.args = region.args[:leading] + [region.args[leading + i] for i in kept]
            for position, arg in enumerate(region.args):
                arg.index = position
    op.results = [op.results[i] for i in kept]
    for position, result in enumerate(op.results):
        result.index = position
    if op.opcode in ("for", "while"):
        groups = {name: op.group(name) for name in op.groups if name != "init"}
        graph.set_groups(op, {**groups, "init": [op.group("init")[i] for i in kept]})
