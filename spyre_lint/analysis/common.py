"""Equal expressions become one: the last of Triton's passes that decides how long tiles live.

Pure operations merge with an equal one in any region around them, loads through descriptors and pointers only with one
in their own region and only if nothing is written in between. The first of them stays, so its result may come to live
longer, also into loops.
"""

from __future__ import annotations

from spyre_lint.analysis.folds import COMMUTATIVE
from spyre_lint.analysis.graph import READS, SCALAR_REGIONS, WRITES, Graph, fresh_effect, type_key
from spyre_lint.ir.core import Block, Op, Value

_CONTROL = frozenset({"for", "while", "if", "noinline_call", "yield", "condition"})

# Attributes that decide what an operation computes; for opcodes not named here all but those in `_ABOUT_THE_SOURCE`.
_MEANING: dict[str, tuple[str, ...]] = {
    "elementwise": ("fn", "unsigned", "callee"),
    "cast": ("bitcast", "unsigned"),
    "reduce": ("fn", "axis", "unsigned"),
    "reshape": (),
    "splat": (),
    "broadcast": (),
    "make_descriptor": ("block_shape", "padding"),
}


# Attributes that say how an operation was written.
_ABOUT_THE_SOURCE = frozenset({"spelling", "places", "api"})


def merge_equal(graph: Graph) -> None:
    """Merge equal operations of the whole body, in one walk in program order."""
    graph.flush()
    _Merge(graph).block(graph.body, {})
    graph.flush()


class _Merge:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def block(self, block: Block, outer: dict[object, Op]) -> None:
        """Merge inside one region; `outer` holds what the regions around it computed before."""
        known = dict(outer)
        loads: dict[object, Op] = {}
        for op in block.ops:
            if op.opcode == "noinline_call":
                self.block(op.regions[0], {})
            elif op.opcode not in SCALAR_REGIONS:
                for region in op.regions:
                    self.block(region, known)
            if op.opcode in _CONTROL or not op.results:
                if self._bars_loads(op):
                    loads.clear()
                continue
            effect = fresh_effect(op)
            if effect == WRITES:
                loads.clear()
                continue
            seen = loads if effect == READS else known
            key = operation_key(op)
            first = seen.setdefault(key, op)
            if first is op:
                continue
            for mine, kept in zip(op.results, first.results, strict=True):
                self._graph.replace(mine, kept)
            self._graph.erase(op)

    def _bars_loads(self, op: Op) -> bool:
        # What follows an inlined early return is another block, in which no load is merged with one before it.
        return bool(op.attrs.get("early_return")) or self._graph.effect(op) > READS


def operation_key(op: Op) -> object:
    """What must be equal for two operations to compute the same."""
    operands: object = tuple(operand.id for operand in op.operands)
    if op.opcode == "elementwise" and op.fn in COMMUTATIVE:
        operands = frozenset(operand.id for operand in op.operands)
    names = _MEANING.get(op.opcode, tuple(sorted(op.attrs.keys() - _ABOUT_THE_SOURCE)))
    attrs = tuple((name, _plain(op.attrs.get(name))) for name in names)
    types = tuple(type_key(result.type) for result in op.results)
    regions = tuple(_region_key(region) for region in op.regions)
    groups = tuple((name, end - start) for name, (start, end) in op.groups.items())
    return (op.opcode, attrs, operands, groups, types, regions)


def _plain(value: object) -> object:
    return repr(value)


def _region_key(region: Block) -> object:
    """A combiner's body, its values numbered by where they are made."""
    numbers: dict[Value, int] = {arg: i for i, arg in enumerate(region.args)}
    parts: list[object] = []
    for op in region.walk():
        for result in op.results:
            numbers[result] = len(numbers)
        operands = tuple(numbers.get(v, ("outer", v.id)) for v in op.operands)
        parts.append((op.opcode, op.fn, operands, tuple(type_key(r.type) for r in op.results)))
    return tuple(parts)
