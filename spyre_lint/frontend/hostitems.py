"""Operations on abstract host values: truth, iteration, subscripts, operators."""

from __future__ import annotations

from typing import Any

from spyre_lint.bindings import HostValue, KernelId
from spyre_lint.frontend import hostmath
from spyre_lint.frontend.hostvalues import (
    MAX_ITEMS,
    BoundLaunch,
    Choice,
    ClassRef,
    Function,
    Items,
    ModuleRef,
    Parameter,
    Partial,
    Shape,
    Table,
    Tensor,
    join,
    known,
    options_of,
    problem,
    scalar,
    to_host,
    unknown,
)


def from_problem(value: Any) -> bool:
    """Whether a problem size (or data) went into a value."""
    if isinstance(value, HostValue):
        return value.from_problem
    if isinstance(value, Items):
        return any(from_problem(item) for item in value.items)
    return isinstance(value, (Parameter, Shape, Tensor))


def hashable(value: Any) -> bool:
    """Whether a Python value can be a key."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def truth(value: Any) -> bool | None:
    """Whether a value is true; None where that is open."""
    if isinstance(value, HostValue):
        if value.is_known:
            return bool(value.value) if not isinstance(value.value, KernelId) else True
        lo, hi = value.bounds
        if value.kind != "unknown" and ((lo is not None and lo > 0) or (hi is not None and hi < 0)):
            return True
        return None
    if isinstance(value, (Items, Table)):
        return True if value.items else (None if value.open else False)
    if isinstance(value, Choice):
        verdicts = {truth(option) for option in value.options}
        return verdicts.pop() if len(verdicts) == 1 else None
    if isinstance(value, (Function, ClassRef, ModuleRef, Partial, BoundLaunch)):
        return True
    return None


def iterate(value: Any) -> list[Any] | None:
    """The items of something that is looped over; None where they are not known."""
    if isinstance(value, Items):
        return None if value.open else list(value.items)
    if isinstance(value, Table):
        return None if value.open else [known(key) for key in value.items]
    if isinstance(value, HostValue) and value.is_known:
        if isinstance(value.value, str):
            return [known(letter) for letter in value.value[:MAX_ITEMS]]
        if isinstance(value.value, (tuple, list)):
            return [lift(item) for item in value.value]
    return None


def lift(value: Any) -> Any:
    """A plain Python value as an abstract one."""
    if isinstance(value, (tuple, list)):
        return Items([lift(item) for item in value], "list" if isinstance(value, list) else "tuple")
    if isinstance(value, dict):
        return Table({key: lift(item) for key, item in value.items()})
    return known(value)


def operate(op: str, left: Any, right: Any) -> Any:
    """The value of `left op right`."""
    if isinstance(left, Items) and isinstance(right, Items) and op == "+":
        kind = left.kind if left.kind == right.kind else "list"
        return Items([*left.items, *right.items][:MAX_ITEMS], kind, left.open or right.open)
    if isinstance(left, Items) and op == "*":
        count = scalar(right)
        if count.is_known and isinstance(count.value, int) and len(left.items) * max(count.value, 0) <= MAX_ITEMS:
            return Items(left.items * count.value, left.kind, left.open)
        return unknown("its length is not known", count.from_problem)
    if isinstance(left, Table) and isinstance(right, Table) and op == "|":
        return Table({**left.items, **right.items}, left.open or right.open, {**left.nodes, **right.nodes})
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return left if isinstance(left, Tensor) and left.dtype else Tensor()
    if isinstance(left, HostValue) and left.is_known and isinstance(left.value, str) and op == "%":
        return _percent(left.value, right)
    return hostmath.binary(op, scalar(left), scalar(right))


def _percent(template: str, right: Any) -> HostValue:
    value = to_host(right)
    if not value.is_known:
        return unknown("a part of a text is not known", value.from_problem)
    try:
        text = template % value.value
    except (TypeError, ValueError, KeyError, OverflowError):
        return unknown("a text can't be formatted")
    return known(text) if len(text) <= MAX_ITEMS else unknown("a text is too long")


def item(owner: Any, key: Any) -> Any:
    """The value of `owner[key]`."""
    if isinstance(owner, Choice):
        return fold([item(option, key) for option in owner.options])
    if isinstance(owner, Shape):
        return problem()
    if isinstance(owner, Tensor):
        return Tensor(owner.dtype)
    index = scalar(key)
    if isinstance(owner, Parameter):
        return Parameter(f"{owner.name}[...]")
    if isinstance(owner, HostValue) and owner.is_known and isinstance(owner.value, (tuple, list, str)):
        owner = Items(iterate(owner) or [], "tuple")
    if isinstance(owner, Items):
        if index.is_known and isinstance(index.value, int) and -len(owner.items) <= index.value < len(owner.items):
            certain = not owner.open or 0 <= index.value < owner.sure
            if certain:
                return owner.items[index.value]
        if owner.open and owner.sizes:
            return problem()
        if owner.open or not owner.items or index.is_known:
            return unknown(owner.open or "it is no item of the list", from_problem(owner))
        return fold(owner.items)
    if isinstance(owner, Table):
        return _table_item(owner, index)
    if isinstance(owner, HostValue):
        if owner.kind == "interval" and owner.reason.endswith("asks the device"):
            return owner
        return unknown(owner.reason or "it can't be subscripted", owner.from_problem)
    return unknown("the subscript can't be followed")


def _table_item(owner: Table, key: HostValue) -> Any:
    if key.is_known and hashable(key.value):
        if key.value in owner.items:
            return owner.items[key.value]
        return unknown(owner.open or f"there is no key {key.value!r}")
    if owner.items and not owner.open:
        return fold(list(owner.items.values()))
    return unknown(owner.open or "its key is not known", key.from_problem)


def fold(values: list[Any]) -> Any:
    """One value that covers several."""
    result = values[0]
    for value in values[1:]:
        result = join(result, value)
    return result


def is_kernel(value: Any) -> bool:
    """Whether a value is (or can be) a jit function."""
    return any(isinstance(o, HostValue) and isinstance(o.value, KernelId) for o in options_of(value)) or (
        isinstance(value, Partial) and is_kernel(value.target)
    )
