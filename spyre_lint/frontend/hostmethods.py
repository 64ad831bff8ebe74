"""Methods of host values: dicts, lists, texts, shapes, tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.bindings import DTypeName, HostValue
from spyre_lint.frontend import hostitems
from spyre_lint.frontend.hostcode import CASTS, DEVICE_QUERY, KEEPS_DTYPE, SIZE_ATTRIBUTES
from spyre_lint.frontend.hostvalues import (
    MAX_ITEMS,
    NONE,
    Items,
    Parameter,
    Shape,
    Table,
    Tensor,
    integer,
    known,
    problem,
    scalar,
    to_host,
    unknown,
)

if TYPE_CHECKING:
    from spyre_lint.frontend.hosteval import Arguments, Interpreter


def device_query(text: str) -> HostValue:
    """The answer to a question about the GPU: a positive number, the same for every problem."""
    return integer(1, None, False, False, f"`{text}` asks the device")


def is_device_answer(value: Any) -> bool:
    """Whether a value is what the device answered."""
    return isinstance(value, HostValue) and value.kind == "interval" and value.reason.endswith("asks the device")


def dtype_name(value: Any) -> str | None:
    """The element type a value names, if it does."""
    host = to_host(value)
    return host.value.name if host.is_known and isinstance(host.value, DTypeName) else None


def method(machine: Interpreter, owner: Any, name: str, args: Arguments) -> Any:
    """The value of `owner.name(args)`."""
    if name in SIZE_ATTRIBUTES:
        return problem()
    if name in ("size", "stride"):
        return problem() if args.positional or args.keywords else Shape()
    if isinstance(owner, Table):
        return _table_method(machine, owner, name, args)
    if isinstance(owner, Items):
        return _items_method(owner, name, args)
    if isinstance(owner, Shape):
        return problem() if name == "numel" else unknown("a shape's method is not followed", from_problem=True)
    if isinstance(owner, (Tensor, Parameter)):
        return _tensor_method(owner, name, args)
    if isinstance(owner, HostValue) and owner.is_known and isinstance(owner.value, str):
        return _text_method(owner.value, name, args)
    if DEVICE_QUERY.search(name):
        return device_query(name)
    if is_device_answer(owner):
        return owner
    if isinstance(owner, HostValue) and owner.kind == "unknown" and name in KEEPS_DTYPE:
        return owner
    return unknown(f"the result of `{name}` is not known", hostitems.from_problem(owner))


def _tensor_method(owner: Tensor | Parameter, name: str, args: Arguments) -> Any:
    dtype = owner.dtype if isinstance(owner, Tensor) else None
    if name in CASTS:
        return Tensor(CASTS[name])
    if name in ("to", "type", "astype"):
        for value in [*args.values, args.keyword("dtype")]:
            found = None if value is None else dtype_name(value)
            if found is not None:
                return Tensor(found)
            if isinstance(value, Tensor):
                return Tensor(value.dtype)
        targets = [to_host(value) for value in args.values]
        only_device = targets and all(t.is_known and isinstance(t.value, (str, bool)) for t in targets)
        return Tensor(dtype if only_device or (not targets and args.keyword("dtype") is None) else None)
    if name in KEEPS_DTYPE:
        chosen = args.keyword("dtype")
        return Tensor(dtype if chosen is None else dtype_name(chosen))
    if name in ("item", "tolist", "max", "min", "sum", "unsqueeze"):
        return unknown("it is read from a tensor", from_problem=True)
    if isinstance(owner, Parameter):
        return Parameter(f"{owner.name}.{name}()")
    return unknown(f"the result of `{name}` is not known", from_problem=True)


def _table_method(machine: Interpreter, owner: Table, name: str, args: Arguments) -> Any:
    if name in ("get", "pop", "setdefault"):
        key = scalar(args.get(0, "key") or unknown("no key"))
        default = args.get(1, "default")
        default = NONE if default is None else default
        if not key.is_known or not hostitems.hashable(key.value):
            return unknown("its key is not known", key.from_problem)
        if key.value in owner.items:
            return owner.items.pop(key.value) if name == "pop" else owner.items[key.value]
        if owner.open:
            return unknown(owner.open)
        if name == "setdefault":
            owner.items[key.value] = default
        return default
    if name == "update":
        for value in args.values:
            if isinstance(value, Table):
                owner.items.update(value.items)
                owner.nodes.update(value.nodes)
                owner.open = owner.open or value.open
            else:
                owner.open = owner.open or "it is updated with a value that is not known"
        for key_name, value, where in args.keywords:
            owner.items[key_name] = value
            module = machine.module_of(where)
            if module is not None:
                owner.nodes[key_name] = (module, where, where.value if isinstance(where, nodes.Keyword) else None)
        return NONE
    if name in ("keys", "values", "items", "copy"):
        if name == "copy":
            return Table(dict(owner.items), owner.open, dict(owner.nodes))
        rows: dict[str, list[Any]] = {
            "keys": [known(key) for key in owner.items],
            "values": list(owner.items.values()),
            "items": [Items([known(key), value], "tuple") for key, value in owner.items.items()],
        }
        return Items(rows[name], "list", owner.open)
    return unknown(f"the dict's method `{name}` is not followed")


def _items_method(owner: Items, name: str, args: Arguments) -> Any:
    value = args.get(0, "item")
    if name in ("append", "add") and value is not None:
        owner.items.append(value)
        return NONE
    if name == "extend":
        parts = hostitems.iterate(value)
        owner.items.extend(parts or [])
        owner.open = owner.open or ("" if parts is not None else "it is extended by a value that is not known")
        return NONE
    if name == "copy":
        return Items(list(owner.items), owner.kind, owner.open)
    if name in ("insert", "pop", "remove", "clear", "sort", "reverse", "discard"):
        owner.open = owner.open or f"it is changed by `{name}`"
        return unknown(owner.open)
    if name in ("index", "count") and value is not None:
        host = to_host(owner)
        key = to_host(value)
        if host.is_known and key.is_known and (name == "count" or key.value in host.value):
            return known(getattr(list(host.value), name)(key.value))
    return unknown(f"the list's method `{name}` is not followed")


def _text_method(owner: str, name: str, args: Arguments) -> Any:
    values = [to_host(value) for value in args.values]
    keywords = {key: to_host(value) for key, value, _ in args.keywords}
    if name not in _TEXT_METHODS or not all(v.is_known for v in [*values, *keywords.values()]):
        return unknown(f"the text's method `{name}` is not followed")
    try:
        result = getattr(owner, name)(*(v.value for v in values), **{key: v.value for key, v in keywords.items()})
    except (TypeError, ValueError, LookupError, AttributeError):
        return unknown("a text can't be formatted")
    if isinstance(result, str) and len(result) > MAX_ITEMS:
        return unknown("a text is too long")
    return hostitems.lift(result)


_TEXT_METHODS = frozenset(
    {"format", "lower", "upper", "strip", "lstrip", "rstrip", "split", "join", "replace", "startswith", "endswith"}
    | {"removeprefix", "removesuffix", "rpartition", "partition", "title", "capitalize", "isdigit", "count", "find"}
)
