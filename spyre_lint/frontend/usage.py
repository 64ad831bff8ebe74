"""Facts read off a jit function's syntax before it is lowered: uses of parameters, what a loop assigns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.frontend.callsite import TL, canonical_api
from spyre_lint.frontend.syntax import walk

if TYPE_CHECKING:
    from spyre_lint.frontend.project import Module, Project

_POINTER_FIRST = frozenset(
    TL + name
    for name in (
        *("load", "store", "make_tensor_descriptor", "_experimental_make_tensor_descriptor", "make_block_ptr"),
        *("atomic_add", "atomic_cas", "atomic_xchg", "atomic_max", "atomic_min", "atomic_and", "atomic_or"),
        *("atomic_xor", "atomic_load", "atomic_store", "atomic_poll"),
    )
)
_DESCRIPTOR_FIRST = frozenset(
    TL + name
    for name in (
        *("load_tensor_descriptor", "store_tensor_descriptor", "_experimental_descriptor_load"),
        *("_experimental_descriptor_store", "descriptor_load", "descriptor_store", "descriptor_gather"),
        *("descriptor_scatter", "spyre_tensor_layout"),
    )
)
_DESCRIPTOR_METHODS = frozenset({"load", "gather", "scatter", "store"})
_SHAPED = frozenset({"zeros", "full", "reshape", "view", "broadcast_to"})


def assigned_names(statements: Iterable[nodes.NodeNG]) -> set[str]:
    """Every local name that a statement list can assign, nested blocks included."""
    names: set[str] = set()
    stack = list(statements)
    while stack:
        node = stack.pop()
        if isinstance(node, nodes.AssignName):
            names.add(node.name)
        elif isinstance(node, (nodes.FunctionDef, nodes.Lambda, nodes.ClassDef, nodes.Const, nodes.Name)):
            continue
        stack.extend(node.get_children())
    return names


def contains_return(node: nodes.NodeNG) -> bool:
    """Whether a statement has a `return` in it."""
    if isinstance(node, nodes.Return):
        return True
    if not isinstance(node, (nodes.If, nodes.For, nodes.While, nodes.With, nodes.Try)):
        return False
    return any(contains_return(child) for child in node.get_children())


def _names_in(node: nodes.NodeNG) -> set[str]:
    return {n.name for n in walk(node) if isinstance(n, nodes.Name)}


def _of(everything: Sequence[nodes.NodeNG], *kinds: type) -> list[Any]:
    return [node for node in everything if isinstance(node, kinds)]


def _called(call: nodes.Call) -> str:
    return call.func.attrname if isinstance(call.func, nodes.Attribute) else getattr(call.func, "name", "")


def _flags_in(node: nodes.NodeNG, names: set[str]) -> None:
    if isinstance(node, nodes.Name):
        names.add(node.name)
    elif isinstance(node, nodes.BoolOp):
        for value in node.values:
            _flags_in(value, names)
    elif isinstance(node, nodes.UnaryOp) and node.op == "not":
        _flags_in(node.operand, names)
    elif isinstance(node, nodes.Compare):
        operands = [node.left, *(operand for _, operand in node.ops)]
        constants = [o.value for o in operands if isinstance(o, nodes.Const)]
        if any(c is None or isinstance(c, (bool, str)) or c == 0 for c in constants):
            names.update(o.name for o in operands if isinstance(o, nodes.Name))


@dataclass(frozen=True, slots=True)
class Usage:
    """How a jit function's syntax uses the names of its parameters."""

    flags: frozenset[str]
    """Names used as a truth value, or compared with None, a bool, a string or 0: they may well be zero."""
    tiles: frozenset[str]
    """Names in a block shape, an `arange`, a tile's shape, a divisor of `cdiv` or the step of a loop: at least 1."""
    parameters: Mapping[str, str]
    """Parameters that are addresses (`pointer`) or descriptors (`descriptor`), where no binding tells."""


def usage_of(project: Project, module: Module, function: nodes.FunctionDef) -> Usage:
    """The usage of a jit function, read once per project."""
    known: dict[nodes.FunctionDef, Usage] = project.cache.setdefault("usage", {})
    if function not in known:
        everything = list(walk(function))
        known[function] = Usage(
            frozenset(_flag_names(everything)),
            frozenset(_tile_names(everything)),
            _pointer_parameters(module, project, function, everything),
        )
    return known[function]


def _flag_names(everything: Sequence[nodes.NodeNG]) -> set[str]:
    names: set[str] = set()
    for node in _of(everything, nodes.If, nodes.IfExp, nodes.While, nodes.Compare, nodes.BoolOp):
        _flags_in(node.test if isinstance(node, (nodes.If, nodes.IfExp, nodes.While)) else node, names)
    return names


def _tile_names(everything: Sequence[nodes.NodeNG]) -> set[str]:
    names: set[str] = set()
    for call in _of(everything, nodes.Call):
        called = _called(call)
        if called == "arange":
            arguments = call.args[:2]
        elif called in _SHAPED:
            arguments = call.args[:1] if called in ("zeros", "full") else call.args
        elif called in ("range", "static_range"):
            arguments = call.args[2:]
        elif called == "cdiv":
            arguments = call.args[1:]
        else:
            arguments = []
        for argument in arguments:
            names |= _names_in(argument)
        for keyword in call.keywords or ():
            if keyword.arg == "block_shape" or (called in _SHAPED and keyword.arg == "shape"):
                names |= _names_in(keyword.value)
    return names


def _address_roots(node: nodes.NodeNG) -> list[str]:
    """Names that can be the pointer in an address expression: the leftmost operand first."""
    if isinstance(node, nodes.Name):
        return [node.name]
    if isinstance(node, nodes.BinOp) and node.op in ("+", "-"):
        return _address_roots(node.left) or _address_roots(node.right)
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute):
        return _address_roots(node.func.expr)  # a cast: ptr.to(tl.pointer_type(...))
    if isinstance(node, nodes.IfExp):
        return _address_roots(node.body) + _address_roots(node.orelse)
    return []


def _pointer_parameters(
    module: Module, project: Project, function: nodes.FunctionDef, everything: Sequence[nodes.NodeNG]
) -> dict[str, str]:
    """Follows the leftmost name of an address through local assignments.

    What a called helper does with its parameters is learnt when the helper is inlined.
    """
    params = {argument.name for argument in function.args.arguments}
    sources: dict[str, list[str]] = {}
    for node in _of(everything, nodes.Assign, nodes.AugAssign):
        for target in node.targets if isinstance(node, nodes.Assign) else [node.target]:
            if isinstance(target, nodes.AssignName):
                sources.setdefault(target.name, []).extend(_address_roots(node.value))
    used: dict[str, str] = {}

    def mark(names: list[str], how: str) -> None:
        seen: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            todo.extend(sources.get(name, ()))
            if name in params:
                used.setdefault(name, how)

    for call in _of(everything, nodes.Call):
        owner = call.func.expr if isinstance(call.func, nodes.Attribute) else None
        if isinstance(owner, nodes.Name) and owner.name in params and _called(call) in _DESCRIPTOR_METHODS:
            used[owner.name] = "descriptor"
        canonical = project.canonical(module, call.func)
        if canonical is None:
            continue
        named = (k.value for k in call.keywords or () if k.arg in ("base", "pointer", "desc"))
        first = call.args[0] if call.args else next(named, None)
        if first is None:
            continue
        canonical = canonical_api(canonical)
        if canonical in _POINTER_FIRST:
            mark(_address_roots(first), "pointer")
        elif canonical in _DESCRIPTOR_FIRST:
            mark(_address_roots(first), "descriptor")
    return used
