"""Closing branches: the values that differ between two sides become results of the `if`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.arithmetic import Arithmetic
from spyre_lint.frontend.values import (
    Decision,
    TupleValue,
    Unknown,
    flatten,
    is_number,
    rebuild,
)
from spyre_lint.ir.core import Block, Value
from spyre_lint.ir.types import INT32, DType, OpaqueType, ScalarType, Type, dtype_of

if TYPE_CHECKING:
    pass

# `static_range` is unrolled up to this many iterations; beyond, it is kept as a loop and said to be so.
MAX_UNROLL = 256


ABSENT = object()
"""Stands for a name that one side of a branch does not define."""
_RUN_TIME = "a run-time condition"


class Branches(Arithmetic):
    """Merges the two sides of a branch."""

    def condition_value(self, condition: Value | Decision) -> tuple[Value, bool]:
        """The condition as an IR value, and whether it is decided at compile time (by constexprs not bound here)."""
        if isinstance(condition, Value):
            return condition, False
        return self.opaque(condition.reason), True

    def join_branches(
        self,
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
        self,
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
            left = ABSENT if left is None and isinstance(right, (Value, TupleValue)) else left
            right = ABSENT if right is None and isinstance(left, (Value, TupleValue)) else right
        if left is ABSENT or right is ABSENT:
            present = right if left is ABSENT else left
            leaves = flatten(present)
            if not all(isinstance(leaf, Value) or is_number(leaf) for leaf in leaves):
                return lambda _: present
            pairs = [(leaf, leaf) for leaf in leaves]
            absent = 0 if left is ABSENT else 1
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
    return OpaqueType(f"the type of a value depends on {reason}")


def _known_of(left: DType, right: DType) -> DType:
    if left.kind == "ptr" or right.kind == "ptr":
        return left if left.kind == "ptr" else right
    if not left.is_known:
        return left if not right.is_known or right == INT32 else right
    return left
