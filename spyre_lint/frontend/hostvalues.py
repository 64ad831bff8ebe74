"""Abstract values of host code, and integer arithmetic on them.

Scalars are `HostValue`s. The classes here stand for what only exists while host code is evaluated: containers with
partly known items, tensors, functions, modules, objects. `to_host` turns any of them into a `HostValue`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from astroid import nodes

from spyre_lint.bindings import DTypeName, HostValue, KernelId
from spyre_lint.frontend.project import Definition
from spyre_lint.frontend.syntax import Module

MAX_ITEMS = 4096
"""Longest container or string that is built."""
MAX_BITS = 4096
"""Largest integer that is computed, in bits."""

NONE = HostValue("known", None)
TRUE = HostValue("known", True)
FALSE = HostValue("known", False)


def known(value: Any, from_problem: bool = False) -> HostValue:
    """An exactly known scalar."""
    return HostValue("known", value, from_problem=from_problem)


def problem(lo: int | None = 0, hi: int | None = None) -> HostValue:
    """An integer that grows with the problem."""
    return HostValue("problem", lo=lo, hi=hi, from_problem=True)


def unknown(reason: str, from_problem: bool = False) -> HostValue:
    """Nothing known; `reason` completes "can't be followed: ..."."""
    return HostValue("unknown", reason=reason, from_problem=from_problem)


def integer(lo: int | None, hi: int | None, growing: bool, from_problem: bool, reason: str = "") -> HostValue:
    """An integer within bounds: exact where they meet, `problem` where it grows without an upper bound."""
    if lo is not None and lo == hi:
        return HostValue("known", lo, from_problem=from_problem)
    if growing and hi is None:
        return HostValue("problem", lo=lo, from_problem=True, reason=reason)
    return HostValue("interval", lo=lo, hi=hi, from_problem=from_problem, reason=reason)


@dataclass(slots=True, eq=False)
class Items:
    """A tuple, list or set. `open` is the reason why there may be other items than these; empty if there are none.

    `sure` tells how many of the items have a known position; `sizes` that the others are problem sizes (`*x.shape`).
    """

    items: list[Any]
    kind: Literal["tuple", "list", "set"] = "list"
    open: str = ""
    sure: int = MAX_ITEMS
    sizes: bool = False


@dataclass(slots=True, eq=False)
class Table:
    """A dict. `nodes` holds the key and value nodes by key, for source ranges; `open` as for `Items`."""

    items: dict[Any, Any]
    open: str = ""
    nodes: dict[Any, tuple[Module, nodes.NodeNG, nodes.NodeNG | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor; `dtype` is Triton's short name of its element type, None where that is not known."""

    dtype: str | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument the caller chooses: a tensor, a size, anything. As a number it is a problem size."""

    name: str


@dataclass(frozen=True, slots=True)
class Shape:
    """A tensor's shape or strides: every item is a problem size."""


@dataclass(slots=True, eq=False)
class Frame:
    """Local variables of a function call, on top of those of the function around it (`outer`).

    `soft` names variables that hold a parameter's default or were computed from one: their value is how the function
    runs when the caller says nothing, and decides no branch for good.
    """

    module: Module
    names: dict[str, Any] = field(default_factory=dict)
    outer: Frame | None = None
    soft: set[str] = field(default_factory=set)
    returns: list[Any] = field(default_factory=list)
    owner: nodes.NodeNG | None = None
    inlined: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A Python function or lambda with the frame it was made in."""

    module: Module
    node: nodes.FunctionDef | nodes.Lambda
    outer: Frame | None = None
    bound: Any = None


@dataclass(frozen=True, slots=True)
class External:
    """Something of an external package, by canonical name."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class ModuleRef:
    """A module of the tree."""

    definition: Definition


@dataclass(frozen=True, slots=True, eq=False)
class ClassRef:
    """A class of the tree."""

    module: Module
    node: nodes.ClassDef


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a class of the tree (None: of some other class); `attributes` are those known."""

    cls: ClassRef | None
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """`functools.partial(target, ...)`."""

    target: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class BoundLaunch:
    """`kernel[grid]`, not yet called."""

    kernel: Any
    grid: Any
    grid_node: nodes.NodeNG


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """`value.name`, not yet called."""

    owner: Any
    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values; which one depends on a condition that is not known."""

    options: tuple[Any, ...]


def options_of(value: Any) -> tuple[Any, ...]:
    """The values a value can be."""
    return value.options if isinstance(value, Choice) else (value,)


def scalar(value: Any) -> HostValue:
    """A value as a number: a `HostValue`, with what the caller chooses as a problem size."""
    if isinstance(value, HostValue):
        return value
    if isinstance(value, Parameter):
        return replace(problem(), reason=f"the caller chooses `{value.name}`")
    if isinstance(value, Choice):
        return hull([scalar(option) for option in value.options])
    if isinstance(value, (Tensor, Shape)):
        return unknown("a tensor's contents are not known", from_problem=True)
    if isinstance(value, External):
        return unknown(f"the value of {value.name} is not known")
    return unknown("it is not a number")


def hull(values: Sequence[HostValue]) -> HostValue:
    """One scalar that covers several."""
    first = values[0]
    if all(same_scalar(first, value) for value in values[1:]):
        return first
    from_problem = any(value.from_problem for value in values)
    if not all(is_integer(value) for value in values):
        reason = next((v.reason for v in values if v.kind == "unknown" and v.reason), "it depends on a condition")
        return unknown(reason, from_problem)
    lows = [value.bounds[0] for value in values]
    highs = [value.bounds[1] for value in values]
    lo = None if None in lows else min(low for low in lows if low is not None)
    hi = None if None in highs else max(high for high in highs if high is not None)
    return integer(lo, hi, any(v.kind == "problem" for v in values), from_problem, "it depends on a condition")


def same_scalar(left: HostValue, right: HostValue) -> bool:
    """Whether two scalars are known to the same degree, with the same bounds."""
    if left.kind != right.kind:
        return False
    if left.kind == "known":
        return type(left.value) is type(right.value) and bool(left.value == right.value)
    return left.kind != "unknown" and left.bounds == right.bounds and left.from_problem == right.from_problem


def is_integer(value: HostValue) -> bool:
    """Whether a scalar is an integer, known or bounded."""
    return value.kind in ("interval", "problem") or (value.kind == "known" and isinstance(value.value, int))


def is_number(value: Any) -> bool:
    """Whether a Python value is a number."""
    return isinstance(value, (int, float))


def same(left: Any, right: Any) -> bool:
    """Whether two abstract values are interchangeable."""
    if left is right:
        return True
    if isinstance(left, HostValue) and isinstance(right, HostValue):
        return same_scalar(left, right)
    if isinstance(left, (Tensor, Parameter, Shape, External, Choice)):
        return bool(left == right)
    if isinstance(left, Function) and isinstance(right, Function):
        return left.node is right.node and left.outer is right.outer
    if isinstance(left, ClassRef) and isinstance(right, ClassRef):
        return left.node is right.node
    return False


def join(left: Any, right: Any, depth: int = 0) -> Any:
    """A value that is one of two, after a branch that was not decided."""
    if same(left, right) or depth > 6:
        return left
    if isinstance(left, Items) and isinstance(right, Items):
        return _join_items(left, right, depth)
    if isinstance(left, Table) and isinstance(right, Table):
        return _join_tables(left, right, depth)
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return Tensor()
    if isinstance(left, HostValue) and isinstance(right, HostValue) and not _is_name(left) and not _is_name(right):
        return hull([left, right])
    options: list[Any] = []
    for value in (*options_of(left), *options_of(right)):
        if not any(same(value, option) for option in options):
            options.append(value)
    return Choice(tuple(options)) if len(options) <= 8 else unknown("it depends on several conditions")


def _is_name(value: HostValue) -> bool:
    return value.kind == "known" and (value.value is None or isinstance(value.value, (KernelId, DTypeName, str)))


def _join_items(left: Items, right: Items, depth: int) -> Items:
    shared = [join(a, b, depth + 1) for a, b in zip(left.items, right.items, strict=False)]
    reason = left.open or right.open
    if len(left.items) != len(right.items):
        reason = reason or "its length depends on a condition"
    return Items(shared, left.kind, reason)


def _join_tables(left: Table, right: Table, depth: int) -> Table:
    items: dict[Any, Any] = {}
    for key in [*left.items, *(key for key in right.items if key not in left.items)]:
        if key in left.items and key in right.items:
            items[key] = join(left.items[key], right.items[key], depth + 1)
        else:
            items[key] = left.items.get(key, right.items.get(key))
    reason = left.open or right.open
    if left.items.keys() != right.items.keys():
        reason = reason or "its keys depend on a condition"
    return Table(items, reason, {**right.nodes, **left.nodes})


def fork(value: Any, memo: dict[int, Any]) -> Any:
    """A copy of a value that a branch may change: lists, dicts and objects are copied once, the rest is shared."""
    if not isinstance(value, (Items, Table, Instance)):
        return value
    if id(value) in memo:
        return memo[id(value)]
    copy: Items | Table | Instance
    if isinstance(value, Items):
        copy = memo[id(value)] = Items([], value.kind, value.open, value.sure, value.sizes)
        copy.items.extend(fork(item, memo) for item in value.items)
    elif isinstance(value, Table):
        copy = memo[id(value)] = Table({}, value.open, dict(value.nodes))
        copy.items.update({key: fork(item, memo) for key, item in value.items.items()})
    else:
        copy = memo[id(value)] = Instance(value.cls)
        copy.attributes.update({key: fork(item, memo) for key, item in value.attributes.items()})
    return copy


def to_host(value: Any, depth: int = 0) -> HostValue:
    """Any abstract value as a `HostValue`; containers become tuples, lists and dicts if every item is known."""
    if isinstance(value, (HostValue, Parameter)):
        return scalar(value)
    if depth > 12:
        return unknown("it is nested too deep")
    if isinstance(value, Items):
        if value.open:
            return unknown(value.open)
        items = [to_host(item, depth + 1) for item in value.items]
        bad = next((item for item in items if not item.is_known), None)
        if bad is not None:
            return unknown(_part_reason(bad), bad.from_problem)
        plain = [item.value for item in items]
        return known(plain if value.kind == "list" else tuple(plain))
    if isinstance(value, Table):
        if value.open:
            return unknown(value.open)
        entries = {key: to_host(item, depth + 1) for key, item in value.items.items()}
        bad = next((item for item in entries.values() if not item.is_known), None)
        if bad is not None:
            return unknown(_part_reason(bad), bad.from_problem)
        return known({key: item.value for key, item in entries.items()})
    if isinstance(value, Tensor):
        return unknown("it is a tensor")
    if isinstance(value, Shape):
        return unknown("it is a tensor's shape", from_problem=True)
    if isinstance(value, Choice):
        return hull([to_host(option, depth + 1) for option in value.options])
    if isinstance(value, External):
        return unknown(f"the value of {value.name} is not known")
    if isinstance(value, Function):
        return unknown("it is a function")
    return unknown("it is an object")


def _part_reason(part: HostValue) -> str:
    if part.kind == "unknown":
        return part.reason
    return "a part of it is a problem size" if part.from_problem else "a part of it is not known exactly"


def describe_unknown(value: HostValue) -> str:
    """Why a value is not exact, for messages."""
    if value.kind == "problem":
        return "it is computed from a problem size"
    if value.kind == "interval":
        lo, hi = value.bounds
        low = "" if lo is None else f"at least {lo}"
        high = "" if hi is None else f"at most {hi}"
        return " and ".join(part for part in (low, high) if part) or value.reason or "it is not known exactly"
    return value.reason or "it is not known"


def with_place(value: HostValue, text: str, loc: Any) -> HostValue:
    """A copy that says which source expression it is the value of."""
    return replace(value, text=text, loc=loc)
