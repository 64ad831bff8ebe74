"""Loops: `range`, `tl.range`, `tl.static_range` and `while`, with their carried values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.frontend.expressions import Expressions
from spyre_lint.frontend.state import Returned
from spyre_lint.frontend.usage import assigned_names
from spyre_lint.frontend.values import (
    LoopRange,
    TupleValue,
    flatten,
    is_number,
    opaque_reason,
    rebuild,
)
from spyre_lint.ir.core import Block, Op, Value, replace_uses
from spyre_lint.ir.types import OpaqueType, ScalarType, Type, dtype_of

if TYPE_CHECKING:
    pass

# `static_range` is unrolled up to this many iterations; beyond, it is kept as a loop and said to be so.
MAX_UNROLL = 256


class Loops(Expressions):
    """Lowers loops."""

    def stmt_For(self, node: nodes.For) -> None:
        iterable = self.expr(node.iter)
        if isinstance(iterable, TupleValue):
            for item in iterable.items:
                self.assign(node.target, item, constexpr=True)
                self.run_loop_body(node.body)
            return
        if not isinstance(iterable, LoopRange):
            reason = opaque_reason(iterable) or "a loop over something other than a range"
            self.give_up(reason, self.location(node.iter))
            iterable = LoopRange(0, self.opaque(reason), 1, static=False)
        if iterable.static and self._unroll(node, iterable):
            return
        self._run_range(node, iterable)

    def run_loop_body(self, body: Sequence[nodes.NodeNG]) -> None:
        """Lower a loop's body; a `return` inside is not Triton and is said to be so."""
        self.loop_depth += 1
        self.region_depth += 1
        try:
            if isinstance(self.run(body), Returned):
                self.give_up("a `return` inside a loop, which Triton does not support")
        finally:
            self.loop_depth -= 1
            self.region_depth -= 1

    def _unroll(self, node: nodes.For, loop: LoopRange) -> bool:
        bounds = [self.known_integer(b) for b in (loop.start, loop.stop, loop.step)]
        if any(b is None for b in bounds) or bounds[2] == 0:
            return False
        steps = range(*[b for b in bounds if b is not None])
        if len(steps) > MAX_UNROLL:
            self.give_up(f"`static_range` of {len(steps)} iterations is not unrolled", self.location(node.iter))
            return False
        for index in steps:
            self.assign(node.target, index, constexpr=True)
            self.run_loop_body(node.body)
        return True

    def _run_range(self, node: nodes.For, loop: LoopRange) -> None:
        start, stop, step = loop.start, loop.stop, loop.step
        step_value = self.known_integer(step)
        backwards = step_value is not None and step_value < 0
        if backwards and step_value is not None:
            start, stop, step = stop, start, -step_value
        bounds = [self.to_value(bound) for bound in (start, stop, step)]
        dtype = self.common_integer(bounds)
        bounds = [self.cast_to(b, dtype) if dtype_of(b.type).is_integer else b for b in bounds]
        target = node.target.name if isinstance(node.target, nodes.AssignName) else ""
        induction = self.b.value(ScalarType(dtype), target)

        def body() -> None:
            index: Value = induction
            if backwards:
                index = self.arithmetic("add", self.arithmetic("sub", bounds[1], induction), bounds[0])
            if target:
                self.env[target] = index
            else:
                self.assign(node.target, self.give_up("a loop over several targets"))
            self.run_loop_body(node.body)

        carried = self._carried(node.body, ignore={target})
        block, args, yields = self._loop_region([induction], carried, body)
        attrs = {"static": loop.static, "keywords": loop.keywords, "places": loop.places}
        self._finish_loop(
            "for",
            carried,
            block,
            args,
            yields,
            attrs,
            dict(zip(("lb", "ub", "step"), ([b] for b in bounds), strict=True)),
        )

    def stmt_While(self, node: nodes.While) -> None:
        carried = self._carried([node.test, *node.body], ignore=set())
        known = self.truth_without_effects(node.test)
        if known is False:
            return
        condition_block, condition_args, _ = self._while_condition(node, carried)
        block, args, yields = self._loop_region([], carried, lambda: self.run_loop_body(node.body))
        self._finish_loop("while", carried, block, args, yields, {}, {}, (condition_block, condition_args))

    def _while_condition(
        self, node: nodes.While, carried: list[tuple[str, int, Value]]
    ) -> tuple[Block, list[Value], None]:
        args = [self.b.value(init.type, name) for name, _, init in carried]

        def body() -> None:
            self._bind_carried(carried, args)
            with self.b.at(self.location(node.test)):
                test = self.truth(self.expr(node.test))
                cond = self.to_value(test) if isinstance(test, bool) else self.condition_value(test)[0]
                self.emit("condition", {"cond": [cond], "values": args})

        block, _, _ = self.in_region(body, args)
        return block, args, None

    def _carried(self, body: Iterable[nodes.NodeNG], ignore: set[str]) -> list[tuple[str, int, Value]]:
        """Names live into a loop that its body assigns, one entry per leaf: name, leaf index, initial value."""
        carried: list[tuple[str, int, Value]] = []
        for name in sorted(assigned_names(body) - ignore):
            if name not in self.env:
                continue
            current = self.env[name]
            leaves = flatten(current)
            if not leaves or not all(isinstance(leaf, Value) or is_number(leaf) for leaf in leaves):
                continue
            values = [self.to_value(leaf) for leaf in leaves]
            self.env[name] = rebuild(current, list(values))
            carried.extend((name, index, value) for index, value in enumerate(values))
        return carried

    def _bind_carried(self, carried: list[tuple[str, int, Value]], values: Sequence[Value]) -> None:
        by_name: dict[str, list[Value]] = {}
        for (name, _, _), value in zip(carried, values, strict=True):
            by_name.setdefault(name, []).append(value)
        for name, leaves in by_name.items():
            self.env[name] = rebuild(self.env[name], list(leaves))

    def _loop_region(
        self, leading: list[Value], carried: list[tuple[str, int, Value]], body: Callable[[], None]
    ) -> tuple[Block, list[Value], list[Value]]:
        args = [self.b.value(init.type, name) for name, _, init in carried]
        yields: list[Value] = []

        def whole() -> None:
            self._bind_carried(carried, args)
            body()
            for (name, index, _), arg in zip(carried, args, strict=True):
                leaves = flatten(self.env.get(name, arg))
                leaf = leaves[index] if index < len(leaves) else None
                if isinstance(leaf, Value) or is_number(leaf):
                    yields.append(self.to_value(leaf))
                else:
                    yields.append(self.opaque(f"`{name}` changes its kind in a loop"))

        block, _, _ = self.in_region(whole, [*leading, *args])
        return block, args, yields

    def _finish_loop(
        self,
        opcode: str,
        carried: list[tuple[str, int, Value]],
        block: Block,
        args: list[Value],
        yields: list[Value],
        attrs: dict[str, Any],
        groups: dict[str, list[Value]],
        condition: tuple[Block, list[Value]] | None = None,
    ) -> None:
        """Drop values the body leaves alone, close the region, append the loop and rebind the names."""
        kept = [i for i, (arg, out) in enumerate(zip(args, yields, strict=True)) if out is not arg]
        dropped = [i for i in range(len(args)) if i not in kept]
        regions = [block] if condition is None else [condition[0], block]
        for index in dropped:
            init = carried[index][2]
            for region, region_args in ((block, args), *(((condition[0], condition[1]),) if condition else ())):
                replace_uses(region, region_args[index], init)
                region.args.remove(region_args[index])
        for region in regions:
            for position, arg in enumerate(region.args):
                arg.index = position
        if condition is not None:
            end = condition[0].terminator
            if end is not None:
                _reset_group(end, "values", list(condition[0].args))
        with self.b.inside(block):
            self.emit("yield", {"values": [yields[i] for i in kept]})
        types = [result_type(carried[i][2].type, yields[i].type) for i in kept]
        groups["init"] = [carried[i][2] for i in kept]
        op = self.b.op(opcode, groups, types, regions=regions, **attrs)
        by_name: dict[str, dict[int, Value]] = {}
        for result, i in zip(op.results, kept, strict=True):
            name, leaf, _ = carried[i]
            result.name = name
            by_name.setdefault(name, {})[leaf] = result
        for name, changed in by_name.items():
            leaves = flatten(self.env[name])
            self.env[name] = rebuild(self.env[name], [changed.get(i, leaf) for i, leaf in enumerate(leaves)])


def _reset_group(op: Op, group: str, values: list[Value]) -> None:
    start, end = op.groups[group]
    op.operands[start:end] = values
    op.groups[group] = (start, start + len(values))


def result_type(init: Type, carried: Type) -> Type:
    """Type of a loop's result: Triton requires the carried value to keep its initial type."""
    return carried if isinstance(init, OpaqueType) else init
