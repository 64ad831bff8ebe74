"""Launch grids: how many programs a launch asks for, and which questions to the GPU went into that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astroid import nodes

from spyre_lint.bindings import Grid, HostFact, HostValue
from spyre_lint.context import KernelInfo
from spyre_lint.frontend import hostitems
from spyre_lint.frontend.hostcode import DEVICE_QUERY, GPU_CONFIG
from spyre_lint.frontend.hosteval import Arguments, Interpreter
from spyre_lint.frontend.hostvalues import (
    Frame,
    Function,
    Items,
    Parameter,
    Shape,
    Table,
    hull,
    integer,
    options_of,
    scalar,
    with_place,
)
from spyre_lint.frontend.kernels import find_kernel
from spyre_lint.frontend.project import Project
from spyre_lint.frontend.syntax import Module, walk

MAX_FACT_DEPTH = 3
"""How many calls and assignments a device query is followed through."""


def read_grid(
    machine: Interpreter,
    frame: Frame,
    value: Any,
    node: nodes.NodeNG,
    meta: dict[str, Any],
    infos: Sequence[KernelInfo],
) -> Grid:
    """The grid of a launch. `meta` holds the launch's arguments by parameter, for grids that are functions of them."""
    module = frame.module
    text, place = module.source(node), module.location(node)
    table: Table | None = None
    readings: list[list[Any]] = []
    for option in options_of(value):
        if isinstance(option, Function):
            table = table or Table(_meta(machine, meta, infos))
            option = machine.call(option, Arguments([(table, node)]), node, frame)
        for result in options_of(option):
            dims = _dimensions(result)
            if isinstance(dims, str):
                return Grid(None, place, dims, text)
            readings.append(dims)
    if not readings or any(len(dims) != len(readings[0]) for dims in readings):
        return Grid(None, place, "its rank depends on a condition", text)
    parts = _dimension_nodes(module, node, len(readings[0]))
    merged: list[HostValue] = []
    for axis, part in enumerate(parts):
        dim = hull([scalar(dims[axis]) for dims in readings])
        merged.append(with_place(dim, module.source(part), module.location(part)))
    return Grid(tuple(merged), place, "", text)


def _dimensions(value: Any) -> list[Any] | str:
    """The values of a grid's axes, or why they can't be read."""
    if isinstance(value, Items):
        return value.open or list(value.items)
    if isinstance(value, Parameter):
        return f"the caller chooses `{value.name}`"
    if isinstance(value, Shape):
        return "it is a tensor's shape"
    if isinstance(value, HostValue):
        if value.is_known and isinstance(value.value, (tuple, list)):
            return hostitems.iterate(value) or []
        if value.kind == "unknown":
            return value.reason or "it can't be followed"
        if value.is_known and not isinstance(value.value, int):
            return "it is no grid"
        return [value]
    return "it can't be followed"


def _meta(machine: Interpreter, given: dict[str, Any], infos: Sequence[KernelInfo]) -> dict[str, Any]:
    """What a grid function sees: the launch's arguments, and for constexprs it leaves out their default or any size."""
    meta = dict(given)
    for info in infos:
        kernel = find_kernel(machine.project, info.id)
        for param in info.params:
            if param.name in meta or not param.is_constexpr:
                continue
            meta[param.name] = integer(1, None, False, False, f"`{param.name}` is chosen by autotune or a heuristic")
            if param.default is not None and kernel is not None:
                default = kernel.defaults.get(param.name)
                if default is not None:
                    meta[param.name] = machine.evaluate(kernel.module, default)
    return meta


def _dimension_nodes(module: Module, node: nodes.NodeNG, rank: int) -> list[nodes.NodeNG]:
    """The expressions of the axes where the grid (or the variable it comes from) writes them out."""
    body = node
    for _ in range(4):
        if isinstance(body, nodes.Lambda) and not isinstance(body, nodes.FunctionDef):
            body = body.body
        elif isinstance(body, nodes.Name):
            entries = [entry for scope in _scopes(body) for entry in module.scope_of(scope).names.get(body.name, [])]
            if len(entries) != 1:
                break
            entry = entries[0]
            if entry.kind == "def" and isinstance(entry.node, nodes.FunctionDef):
                returns = [item.value for item in entry.node.nodes_of_class(nodes.Return) if item.value is not None]
                if len(returns) != 1:
                    break
                body = returns[0]
            elif entry.value is not None and not entry.path:
                body = entry.value
            else:
                break
        else:
            break
    if isinstance(body, (nodes.Tuple, nodes.List)) and len(body.elts) == rank:
        return list(body.elts)
    return [node] * rank


def _scopes(node: nodes.NodeNG) -> list[nodes.NodeNG]:
    """The innermost scope around a node that is a function, else the module."""
    parent = node.parent
    while parent is not None and not isinstance(parent, (nodes.FunctionDef, nodes.Module)):
        parent = parent.parent
    return [] if parent is None else [parent]


# ---------------------------------------------------------------------- facts


def grid_facts(project: Project, module: Module, call: nodes.Call, grid: nodes.NodeNG) -> tuple[HostFact, ...]:
    """Device queries that feed a grid, and tests for a kind of GPU in the function around a launch."""
    found: dict[nodes.NodeNG, tuple[str, Module]] = {}
    _follow(project, module, grid, found, set(), 0)
    function = call.parent
    while function is not None and not isinstance(function, nodes.FunctionDef):
        function = function.parent
    if function is not None:
        for test in function.nodes_of_class((nodes.If, nodes.IfExp)):
            for inner in test.test.nodes_of_class(nodes.Call):
                if GPU_CONFIG.search(_name_of(inner.func)):
                    found[inner] = ("gpu-config", module)
    facts = [HostFact(kind, owner.location(node), owner.source(node)) for node, (kind, owner) in found.items()]
    outer = [fact for fact in facts if not any(other is not fact and _inside(fact, other) for other in facts)]
    return tuple(sorted(dict.fromkeys(outer), key=lambda fact: (fact.loc, fact.kind)))


def _inside(fact: HostFact, other: HostFact) -> bool:
    a, b = fact.loc, other.loc
    if a == b or a.path != b.path:
        return False
    return (b.line, b.column) <= (a.line, a.column) and (a.end_line, a.end_column) <= (b.end_line, b.end_column)


def _follow(
    project: Project,
    module: Module,
    node: nodes.NodeNG,
    found: dict[nodes.NodeNG, tuple[str, Module]],
    seen: set[nodes.NodeNG],
    depth: int,
) -> None:
    if node in seen or depth > MAX_FACT_DEPTH or len(seen) > 200:
        return
    seen.add(node)
    for part in walk(node):
        if isinstance(part, nodes.Call):
            if DEVICE_QUERY.search(_name_of(part.func)):
                found[part] = ("device-query", module)
                continue
            target = project.resolve(module, part.func) if _name_of(part.func) else None
            if target is not None and target.kind == "function" and target.function is not None:
                assert target.module is not None
                _follow(project, target.module, target.function, found, seen, depth + 1)
        elif isinstance(part, nodes.Attribute):
            if DEVICE_QUERY.search(part.attrname) and not isinstance(part.parent, nodes.Call):
                found[part] = ("device-query", module)
        elif isinstance(part, nodes.Const):
            key = part.value if isinstance(part.parent, nodes.Subscript) else None
            if isinstance(key, str) and DEVICE_QUERY.search(key):
                found[part.parent] = ("device-query", module)
        elif isinstance(part, nodes.Name):
            for value_module, value in _values(project, module, part):
                _follow(project, value_module, value, found, seen, depth)


def _values(project: Project, module: Module, name: nodes.Name) -> list[tuple[Module, nodes.NodeNG]]:
    """What a variable is assigned in the functions around its use, else at some module's top level."""
    parent = name.parent
    while parent is not None:
        if isinstance(parent, nodes.FunctionDef):
            entries = module.scope_of(parent).names.get(name.name, [])
            if entries:
                return [(module, entry.value or entry.node) for entry in entries if entry.kind in ("assign", "def")]
        parent = parent.parent
    found = project.resolve(module, name.name)
    if found is None or found.kind != "constant" or found.module is None or found.node is None:
        return []
    return [(found.module, found.node)]


def _name_of(node: nodes.NodeNG) -> str:
    if isinstance(node, nodes.Name):
        return str(node.name)
    return str(node.attrname) if isinstance(node, nodes.Attribute) else ""
