"""Statements: assignments, loops, branches, early returns. Mixed into `Lowering`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.frontend.usage import assigned_names, contains_return
from spyre_lint.frontend.values import (
    Decision,
    LoopRange,
    TupleValue,
    Unknown,
    flatten,
    is_number,
    opaque_reason,
    rebuild,
)
from spyre_lint.ir.core import Block, Op, Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import INT32, DType, OpaqueType, ScalarType, Type, dtype_of

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering

# `static_range` is unrolled up to this many iterations; beyond, it is kept as a loop and said to be so.
MAX_UNROLL = 256


class Returned:
    """A statement list ended in `return`; `value` is what it returns."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class ControlFlow:
    """Lowers statements. `run` returns None when control falls through, `Returned` when it does not."""

    def run_function_body(self: Lowering, function: nodes.FunctionDef) -> Any:
        """Lower a function's body in the current frame and return what it returns."""
        result = self.run(function.body)
        return result.value if isinstance(result, Returned) else None

    def run(self: Lowering, statements: Sequence[nodes.NodeNG]) -> Returned | None:
        """Lower a statement list; statements after an `if` that may return go into its other branch."""
        todo = list(statements)
        while todo:
            statement = todo.pop(0)
            if self.exhausted:
                self.give_up("the kernel grows too large to be followed to its end", self.location(statement))
                return None
            if isinstance(statement, nodes.Return):
                with self.b.at(self.location(statement)):
                    return Returned(None if statement.value is None else self.expr(statement.value))
            if isinstance(statement, nodes.If):
                condition = self.truth(self.expr(statement.test))
                if isinstance(condition, bool):
                    todo[:0] = statement.body if condition else statement.orelse
                    continue
                if contains_return(statement) and self.loop_depth == 0:
                    return self.run_returning_if(statement, condition, todo)
                self.run_if(statement, condition)
                continue
            if isinstance(statement, nodes.With):
                for item, _ in statement.items:
                    with self.b.at(self.location(item)):
                        self.expr(item)
                todo[:0] = statement.body
                continue
            self.run_statement(statement)
        return None

    def run_statement(self: Lowering, statement: nodes.NodeNG) -> None:
        """Lower one statement that is neither a branch nor a return."""
        method: Callable[[Any], None] | None = getattr(self, f"stmt_{type(statement).__name__}", None)
        with self.b.at(self.location(statement)):
            if method is None:
                kind = type(statement).__name__.lower()
                self.give_up(f"a `{kind}` statement, which Triton does not support in kernels")
                for name in assigned_names([statement]):
                    self.env[name] = Unknown(f"`{name}` is set by a `{kind}` statement")
            else:
                method(statement)

    # ---- assignments -------------------------------------------------------------------------------------

    def assign(self: Lowering, target: nodes.NodeNG, value: Any, *, constexpr: bool = False) -> None:
        """Bind a target. Numbers become run-time scalars, as in Triton, unless declared `tl.constexpr`."""
        if isinstance(target, (nodes.Tuple, nodes.List)):
            items = value.items if isinstance(value, TupleValue) else None
            if items is None or len(items) != len(target.elts):
                reason = opaque_reason(value) or "a tuple whose length is not known"
                items = tuple(self.opaque(reason) for _ in target.elts)
            for element, item in zip(target.elts, items, strict=True):
                self.assign(element, item)
            return
        if isinstance(target, nodes.AssignName):
            kept = value if constexpr else self.materialized(value)
            if isinstance(kept, Value) and not kept.name:
                kept.name = target.name
            self.env[target.name] = kept
            return
        self.give_up("an assignment to something other than a name")

    def materialized(self: Lowering, value: Any) -> Any:
        """A value as an assignment keeps it: compound numbers become run-time scalars, an open constexpr stays one."""
        if isinstance(value, Expr) and not value.is_const and len(value.symbols()) == 1:
            (only,) = value.symbols()
            if only.kind == "constexpr" and str(value) == only.name:
                return value
        if is_number(value):
            return self.to_value(value)
        if isinstance(value, TupleValue):
            return TupleValue(tuple(self.materialized(item) for item in value.items), value.fields)
        return value

    def stmt_Assign(self: Lowering, node: nodes.Assign) -> None:
        value = self.expr(node.value)
        for target in node.targets:
            self.assign(target, value)

    def stmt_AnnAssign(self: Lowering, node: nodes.AnnAssign) -> None:
        if node.value is None:
            return
        annotation = self.project.canonical(self.frame.module, node.annotation) or ""
        self.assign(node.target, self.expr(node.value), constexpr=annotation.endswith("constexpr"))

    def stmt_AugAssign(self: Lowering, node: nodes.AugAssign) -> None:
        if not isinstance(node.target, nodes.AssignName):
            self.give_up("an augmented assignment to something other than a name")
            return
        current = self.name(node.target.name, node.target)
        self.assign(node.target, self.binary(node.op.rstrip("="), current, self.expr(node.value)))

    def stmt_Expr(self: Lowering, node: nodes.Expr) -> None:
        self.expr(node.value)

    def stmt_Pass(self: Lowering, node: nodes.Pass) -> None:
        """Nothing to lower."""

    def stmt_Import(self: Lowering, node: nodes.Import) -> None:
        """An import inside a kernel binds nothing Triton could use."""

    def stmt_ImportFrom(self: Lowering, node: nodes.ImportFrom) -> None:
        """An import inside a kernel binds nothing Triton could use."""

    def stmt_Global(self: Lowering, node: nodes.Global) -> None:
        """Names declared global are read like any other."""

    def stmt_Raise(self: Lowering, node: nodes.Raise) -> None:
        """A `raise` stands in a branch that is never compiled."""

    def stmt_Assert(self: Lowering, node: nodes.Assert) -> None:
        test = self.expr(node.test)
        if isinstance(test, Value):
            self.emit("assert", {"cond": [test]})

    # ---- branches ----------------------------------------------------------------------------------------

    def in_region(
        self: Lowering, body: Callable[[], Any], args: Sequence[Value] = ()
    ) -> tuple[Block, dict[str, Any], Any]:
        """Lower `body` into a fresh region with its own copy of the names; returns region, names and result."""
        frame = self.frame
        outer = frame.env
        frame.env = dict(outer)
        block = Block(args)
        try:
            with self.b.inside(block):
                result = body()
            return block, frame.env, result
        finally:
            frame.env = outer

    def condition_value(self: Lowering, condition: Value | Decision) -> tuple[Value, bool]:
        """The condition as an IR value, and whether it is decided at compile time (by constexprs not bound here)."""
        if isinstance(condition, Value):
            return condition, False
        return self.opaque(condition.reason), True

    def run_if(self: Lowering, node: nodes.If, condition: Value | Decision) -> None:
        """Lower a branch whose condition is not known; names that differ afterwards become its results."""
        loc = self.location(node.test)
        then = self.in_region(lambda: self.run(node.body))
        other = self.in_region(lambda: self.run(node.orelse))
        names = [
            name
            for name in dict.fromkeys((*then[1], *other[1]))
            if then[1].get(name, _ABSENT) is not other[1].get(name, _ABSENT)
            and (name in self.env or isinstance(condition, Decision) or (name in then[1] and name in other[1]))
        ]
        merged = self.join_branches(
            condition, loc, (then[0], [then[1].get(n, _ABSENT) for n in names]),
            (other[0], [other[1].get(n, _ABSENT) for n in names]), names,
        )  # fmt: skip
        for name, value in zip(names, merged, strict=True):
            self.env[name] = value

    def join_branches(
        self: Lowering,
        condition: Value | Decision,
        loc: Any,
        then: tuple[Block, list[Any]],
        other: tuple[Block, list[Any]],
        names: Sequence[str] = (),
        early_return: bool = False,
    ) -> list[Any]:
        """Close both regions with yields of the values that differ, append the `if` and return the merged values."""
        reason = condition.reason if isinstance(condition, Decision) else _RUN_TIME
        yields: tuple[list[Value], list[Value]] = ([], [])
        types: list[Type] = []
        plans: list[Any] = []
        for left, right in zip(then[1], other[1], strict=True):
            plans.append(self._merge_plan(left, right, (then[0], other[0]), yields, types, reason))
        for block, values in zip((then[0], other[0]), yields, strict=True):
            with self.b.inside(block), self.b.at(loc):
                self.emit("yield", {"values": values})
        with self.b.at(loc):
            cond, constexpr = self.condition_value(condition)
            op = self.b.op(
                "if",
                {"cond": [cond]},
                types,
                regions=[then[0], other[0]],
                constexpr=constexpr,
                early_return=early_return,
            )
        results = list(op.results)
        merged = [plan(results) for plan in plans]
        for name, value in zip(names, merged, strict=False):
            if isinstance(value, Value) and not value.name:
                value.name = name
        return merged

    def _merge_plan(
        self: Lowering,
        left: Any,
        right: Any,
        blocks: tuple[Block, Block],
        yields: tuple[list[Value], list[Value]],
        types: list[Type],
        reason: str,
    ) -> Callable[[list[Value]], Any]:
        """How to merge one name: adds its leaves to the yields, returns what picks the merged value off the results."""
        if left is right or (type(left) is type(right) and not isinstance(left, Value) and left == right):
            return lambda _: left
        if reason != _RUN_TIME:
            # A name that is None where a flag is off is only used where it is on.
            left = _ABSENT if left is None and isinstance(right, (Value, TupleValue)) else left
            right = _ABSENT if right is None and isinstance(left, (Value, TupleValue)) else right
        if left is _ABSENT or right is _ABSENT:
            present = right if left is _ABSENT else left
            leaves = flatten(present)
            if not all(isinstance(leaf, Value) or is_number(leaf) for leaf in leaves):
                return lambda _: present
            pairs = [(leaf, leaf) for leaf in leaves]
            absent = 0 if left is _ABSENT else 1
        else:
            left_leaves, right_leaves = flatten(left), flatten(right)
            simple = all(isinstance(v, Value) or is_number(v) for v in (*left_leaves, *right_leaves))
            if len(left_leaves) != len(right_leaves) or not simple:
                unknown = Unknown(f"it depends on {reason}")
                return lambda _: unknown
            present, absent = left, -1
            pairs = list(zip(left_leaves, right_leaves, strict=True))
        for pair in pairs:
            values = []
            for side, (block, leaf) in enumerate(zip(blocks, pair, strict=True)):
                with self.b.inside(block):
                    value = self.to_value(leaf)
                    if side == absent:
                        value = self.make("undef", {}, value.type)
                    values.append(value)
            merged = merge_types(values[0].type, values[1].type, reason)
            for side, value in enumerate(values):
                yields[side].append(value)
            types.append(merged)
        return lambda results: rebuild(present, results)

    def run_returning_if(
        self: Lowering, node: nodes.If, condition: Value | Decision, tail: Sequence[nodes.NodeNG]
    ) -> Returned:
        """Lower an `if` that returns on some path: what follows it goes into the branches that fall through."""
        loc = self.location(node.test)
        ends = [_always_returns(node.body), _always_returns(node.orelse)]
        bodies = [list(node.body), list(node.orelse)]
        if not any(ends) and len(tail) > 0 and sum(1 for _ in tail) * 2 > MAX_DUPLICATED_TAIL:
            self.give_up("returns on some paths of an `if` only", loc)
        sides = []
        for statements, ended in zip(bodies, ends, strict=True):
            whole = statements if ended else [*statements, *tail]
            sides.append(self.in_region(lambda body=whole: self.run(body)))
        values = [side[2].value if isinstance(side[2], Returned) else None for side in sides]
        merged = self.join_branches(
            condition, loc, (sides[0][0], [values[0]]), (sides[1][0], [values[1]]), early_return=True
        )
        return Returned(merged[0])

    # ---- loops -------------------------------------------------------------------------------------------

    def stmt_For(self: Lowering, node: nodes.For) -> None:
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

    def run_loop_body(self: Lowering, body: Sequence[nodes.NodeNG]) -> None:
        """Lower a loop's body; a `return` inside is not Triton and is said to be so."""
        self.loop_depth += 1
        try:
            if isinstance(self.run(body), Returned):
                self.give_up("a `return` inside a loop, which Triton does not support")
        finally:
            self.loop_depth -= 1

    def _unroll(self: Lowering, node: nodes.For, loop: LoopRange) -> bool:
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

    def _run_range(self: Lowering, node: nodes.For, loop: LoopRange) -> None:
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
        attrs = {"static": loop.static, "keywords": loop.keywords}
        self._finish_loop(
            "for",
            carried,
            block,
            args,
            yields,
            attrs,
            dict(zip(("lb", "ub", "step"), ([b] for b in bounds), strict=True)),
        )

    def stmt_While(self: Lowering, node: nodes.While) -> None:
        carried = self._carried([node.test, *node.body], ignore=set())
        known = self.truth_without_effects(node.test)
        if known is False:
            return
        condition_block, condition_args, _ = self._while_condition(node, carried)
        block, args, yields = self._loop_region([], carried, lambda: self.run_loop_body(node.body))
        self._finish_loop("while", carried, block, args, yields, {}, {}, (condition_block, condition_args))

    def _while_condition(
        self: Lowering, node: nodes.While, carried: list[tuple[str, int, Value]]
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

    def _carried(self: Lowering, body: Iterable[nodes.NodeNG], ignore: set[str]) -> list[tuple[str, int, Value]]:
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

    def _bind_carried(self: Lowering, carried: list[tuple[str, int, Value]], values: Sequence[Value]) -> None:
        by_name: dict[str, list[Value]] = {}
        for (name, _, _), value in zip(carried, values, strict=True):
            by_name.setdefault(name, []).append(value)
        for name, leaves in by_name.items():
            self.env[name] = rebuild(self.env[name], list(leaves))

    def _loop_region(
        self: Lowering, leading: list[Value], carried: list[tuple[str, int, Value]], body: Callable[[], None]
    ) -> tuple[Block, list[Value], list[Value]]:
        args = [self.b.value(init.type, name) for name, _, init in carried]
        yields: list[Value] = []

        def whole() -> None:
            self._bind_carried(carried, args)
            body()
            for (name, index, init), arg in zip(carried, args, strict=True):
                leaves = flatten(self.env.get(name, arg))
                leaf = leaves[index] if index < len(leaves) else None
                if isinstance(leaf, Value) or is_number(leaf):
                    yields.append(self.adopt(self.to_value(leaf), init.type))
                else:
                    yields.append(self.opaque(f"`{name}` changes its kind in a loop"))

        block, _, _ = self.in_region(whole, [*leading, *args])
        return block, args, yields

    def _finish_loop(
        self: Lowering,
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
                _replace(region, region_args[index], init)
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


_ABSENT = object()
_RUN_TIME = "a run-time condition"
MAX_DUPLICATED_TAIL = 400


def _always_returns(statements: Sequence[nodes.NodeNG]) -> bool:
    for statement in statements:
        if isinstance(statement, nodes.Return):
            return True
        if isinstance(statement, nodes.If) and _always_returns(statement.body) and _always_returns(statement.orelse):
            return True
    return False


def _replace(region: Block, old: Value, new: Value) -> None:
    for op in region.walk():
        if old in op.operands:
            op.operands = [new if operand is old else operand for operand in op.operands]


def _reset_group(op: Op, group: str, values: list[Value]) -> None:
    start, end = op.groups[group]
    op.operands[start:end] = values
    op.groups[group] = (start, start + len(values))


def merge_types(left: Type, right: Type, reason: str) -> Type:
    """Type of a value that comes from either of two branches."""
    if left == right:
        return left
    if isinstance(left, OpaqueType) or isinstance(right, OpaqueType):
        return left if isinstance(left, OpaqueType) else right
    if isinstance(left, ScalarType) and isinstance(right, ScalarType):
        return ScalarType(_known_of(left.dtype, right.dtype))
    if type(left) is type(right) and getattr(left, "shape", None) == getattr(right, "shape", None):
        unknown = [t for t in (left, right) if not dtype_of(t).is_known]
        if unknown:
            return unknown[0]
    return OpaqueType(f"its type depends on {reason}")


def _known_of(left: DType, right: DType) -> DType:
    if left.kind == "ptr" or right.kind == "ptr":
        return left if left.kind == "ptr" else right
    if not left.is_known:
        return left if not right.is_known or right == INT32 else right
    return left


def result_type(init: Type, carried: Type) -> Type:
    """Type of a loop's result: Triton requires the carried value to keep its initial type."""
    return carried if isinstance(init, OpaqueType) else init
