"""Removes what nothing needs: operations, results of branches, values that loops carry for themselves alone."""

from __future__ import annotations

from spyre_lint.analysis.graph import SCALAR_REGIONS, WRITES, Graph, fresh_effect
from spyre_lint.ir.core import Block, Op, Value


def drop_dead(graph: Graph) -> bool:
    """Remove every operation, carried value and branch result that no effect depends on; whether there were any."""
    graph.flush()
    marks = _Marks()
    marks.block(graph.body)
    marks.run()
    return _sweep(graph, graph.body, marks)


class _Marks:
    """What is needed: operations and values, marked from the effects backwards."""

    def __init__(self) -> None:
        self.ops: set[Op] = set()
        self.values: set[Value] = set()
        self._todo: list[Value] = []
        self._parents: dict[Op, Op] = {}

    def block(self, block: Block, parent: Op | None = None) -> None:
        """Mark the operations with effects in a block and inside it."""
        for op in block.ops:
            if parent is not None:
                self._parents[op] = parent
            if op.opcode not in SCALAR_REGIONS:
                for region in op.regions:
                    self.block(region, op)
            if fresh_effect(op) >= WRITES:
                self.need(op)

    def need(self, op: Op) -> None:
        """Mark an operation, what it is inside, and what it works on."""
        if op in self.ops:
            return
        self.ops.add(op)
        if op in self._parents:
            self.need(self._parents[op])
        if op.opcode in ("for", "while", "if"):
            for name in ("lb", "ub", "step", "cond"):
                self._todo.extend(op.group(name))
            if op.opcode == "while":
                end = op.regions[0].terminator
                if end is not None:
                    self.ops.add(end)
                    self._todo.extend(end.group("cond"))
        elif op.opcode not in ("yield", "condition") or self._parents.get(op) is None:
            self._todo.extend(op.operands)
        if op.opcode == "noinline_call":
            end = op.regions[0].terminator
            if end is not None:
                self.ops.add(end)
                self._todo.extend(end.operands)

    def run(self) -> None:
        """Follow the values that are needed to what makes them."""
        while self._todo:
            value = self._todo.pop()
            if value in self.values:
                continue
            self.values.add(value)
            owner = value.op
            index = value.index
            if owner is None:
                if value.block is None or value.block.parent is None:
                    continue
                owner = value.block.parent
                if owner.opcode == "for":
                    index -= 1  # the first argument is the induction variable
            self.need(owner)
            if index >= 0 and owner.opcode in ("for", "while", "if"):
                self._tie(owner, index)

    def _tie(self, op: Op, index: int) -> None:
        """One carried value or branch result: everything that hands over to it."""
        if op.opcode != "if":
            self._todo.append(op.group("init")[index])
            self._todo.append(op.results[index])
        for region in op.regions:
            end = region.terminator
            if end is not None:
                self._todo.append(end.group("values")[index])


def _sweep(graph: Graph, block: Block, marks: _Marks) -> bool:
    changed = False
    for op in list(block.ops):
        if op.opcode in ("yield", "condition"):
            continue
        if op not in marks.ops:
            graph.erase(op)
            changed = True
            continue
        if op.opcode in ("for", "while", "if"):
            kept = [i for i, result in enumerate(op.results) if result in marks.values]
            if len(kept) < len(op.results):
                keep_results(graph, op, kept)
                changed = True
        if op.opcode not in SCALAR_REGIONS:
            for region in op.regions:
                changed = _sweep(graph, region, marks) or changed
    if changed:
        graph.flush(block)
    return changed


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
