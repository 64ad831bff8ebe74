"""Statements: assignments, branches, early returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.frontend.branches import ABSENT
from spyre_lint.frontend.loops import Loops
from spyre_lint.frontend.state import Returned
from spyre_lint.frontend.usage import assigned_names, contains_return
from spyre_lint.frontend.values import (
    Decision,
    TupleValue,
    Unknown,
    is_number,
    opaque_reason,
)
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr

if TYPE_CHECKING:
    pass

# `static_range` is unrolled up to this many iterations; beyond, it is kept as a loop and said to be so.
MAX_UNROLL = 256


class ControlFlow(Loops):
    """Lowers statements. `run` returns None when control falls through, `Returned` when it does not."""

    def run_function_body(self, function: nodes.FunctionDef) -> Any:
        """Lower a function's body in the current frame and return what it returns."""
        result = self.run(function.body)
        return result.value if isinstance(result, Returned) else None

    def run(self, statements: Sequence[nodes.NodeNG]) -> Returned | None:
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

    def run_statement(self, statement: nodes.NodeNG) -> None:
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

    def assign(self, target: nodes.NodeNG, value: Any, *, constexpr: bool = False) -> None:
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

    def materialized(self, value: Any) -> Any:
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

    def stmt_Assign(self, node: nodes.Assign) -> None:
        value = self.expr(node.value)
        for target in node.targets:
            self.assign(target, value)

    def stmt_AnnAssign(self, node: nodes.AnnAssign) -> None:
        if node.value is None:
            return
        annotation = self.project.canonical(self.frame.module, node.annotation) or ""
        self.assign(node.target, self.expr(node.value), constexpr=annotation.endswith("constexpr"))

    def stmt_AugAssign(self, node: nodes.AugAssign) -> None:
        if not isinstance(node.target, nodes.AssignName):
            self.give_up("an augmented assignment to something other than a name")
            return
        current = self.name(node.target.name, node.target)
        self.assign(node.target, self.binary(node.op.rstrip("="), current, self.expr(node.value)))

    def stmt_Expr(self, node: nodes.Expr) -> None:
        self.expr(node.value)

    def stmt_Pass(self, node: nodes.Pass) -> None:
        """Nothing to lower."""

    def stmt_Import(self, node: nodes.Import) -> None:
        """An import inside a kernel binds nothing Triton could use."""

    def stmt_ImportFrom(self, node: nodes.ImportFrom) -> None:
        """An import inside a kernel binds nothing Triton could use."""

    def stmt_Global(self, node: nodes.Global) -> None:
        """Names declared global are read like any other."""

    def stmt_Raise(self, node: nodes.Raise) -> None:
        """A `raise` stands in a branch that is never compiled."""

    def stmt_Assert(self, node: nodes.Assert) -> None:
        test = self.expr(node.test)
        if isinstance(test, Value):
            self.emit("assert", {"cond": [test]})

    def run_if(self, node: nodes.If, condition: Value | Decision) -> None:
        """Lower a branch whose condition is not known; names that differ afterwards become its results."""
        loc = self.location(node.test)
        then = self.in_branch(lambda: self.run(node.body))
        other = self.in_branch(lambda: self.run(node.orelse))
        names = [
            name
            for name in dict.fromkeys((*then[1], *other[1]))
            if then[1].get(name, ABSENT) is not other[1].get(name, ABSENT)
            and (name in self.env or isinstance(condition, Decision) or (name in then[1] and name in other[1]))
        ]
        merged = self.join_branches(
            condition, loc, (then[0], [then[1].get(n, ABSENT) for n in names]),
            (other[0], [other[1].get(n, ABSENT) for n in names]), names,
        )  # fmt: skip
        for name, value in zip(names, merged, strict=True):
            self.env[name] = value

    def run_returning_if(self, node: nodes.If, condition: Value | Decision, tail: Sequence[nodes.NodeNG]) -> Returned:
        """Lower an `if` that returns on some path: what follows it goes into the branches that fall through."""
        loc = self.location(node.test)
        ends = [_always_returns(node.body), _always_returns(node.orelse)]
        bodies = [list(node.body), list(node.orelse)]
        if not any(ends) and len(tail) > 0 and sum(1 for _ in tail) * 2 > MAX_DUPLICATED_TAIL:
            self.give_up("returns on some paths of an `if` only", loc)
        sides = []
        for statements, ended in zip(bodies, ends, strict=True):
            whole = statements if ended else [*statements, *tail]
            sides.append(self.in_region(partial(self.run, whole)))
        values = [side[2].value if isinstance(side[2], Returned) else None for side in sides]
        merged = self.join_branches(
            condition, loc, (sides[0][0], [values[0]]), (sides[1][0], [values[1]]), early_return=True
        )
        return Returned(merged[0])


MAX_DUPLICATED_TAIL = 400
"""Most statements after an `if` that are lowered into both of its branches."""


def _always_returns(statements: Sequence[nodes.NodeNG]) -> bool:
    for statement in statements:
        if isinstance(statement, nodes.Return):
            return True
        if isinstance(statement, nodes.If) and _always_returns(statement.body) and _always_returns(statement.orelse):
            return True
    return False
