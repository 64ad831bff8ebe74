"""Every jit function of a file, in every spelling, with its parameters and decorators.

Found are functions under `triton.jit` (called or not, aliased, under other decorators, through a decorator of the tree
that wraps it) and functions handed to it (`k = triton.jit(f)`), at the top level and nested in functions, classes and
branches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from astroid import nodes

from spyre_lint.bindings import KernelId
from spyre_lint.context import Decorator, KernelInfo, MaskedFill, NamedCall, ParamInfo
from spyre_lint.findings import Location
from spyre_lint.frontend.callsite import canonical_api
from spyre_lint.frontend.hostcode import annotation_text, qualified_name
from spyre_lint.frontend.hosteval import annotation_of, default_nodes
from spyre_lint.frontend.names import AUTOTUNE, CONFIG, HEURISTICS, JIT_DECORATORS
from spyre_lint.frontend.project import Project
from spyre_lint.frontend.syntax import Module, parameter_nodes, walk
from spyre_lint.frontend.usage import usage_of

MAX_PARTS = 200
"""Most Configs related to one autotune decorator."""

LOAD = "triton.language.load"
COMBINERS = frozenset(
    f"triton.language.{name}" for name in ("reduce", "associative_scan", "map_elementwise", "inter_tile")
)
"""Functions of Triton that call the jit function handed to them."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A jit function: what is known of it, with its definition."""

    info: KernelInfo
    module: Module
    node: nodes.FunctionDef

    @property
    def defaults(self) -> dict[str, nodes.NodeNG]:
        """Default values of parameters, as written."""
        return default_nodes(self.node)


def kernels_of(project: Project, module: Module, *, elsewhere: bool = True) -> list[Kernel]:
    """The jit functions defined in a file, in source order.

    `is_helper` is set where another jit function calls one: of the same file, and with `elsewhere` of any file of the
    tree that imports it (which parses those files; who has `calls_of` of every file at hand needs no `elsewhere`).
    """
    cache: dict[str, list[Kernel]] = project.cache.setdefault("kernels", {})
    if module.path not in cache:
        cache[module.path] = _kernels(project, module)
    if not elsewhere or not cache[module.path]:
        return cache[module.path]
    marked: dict[str, list[Kernel]] = project.cache.setdefault("marked kernels", {})
    if module.path not in marked:
        called = _called_elsewhere(project, module, {kernel.node.name for kernel in cache[module.path]})
        marked[module.path] = [
            replace(kernel, info=replace(kernel.info, is_helper=True)) if kernel.info.id in called else kernel
            for kernel in cache[module.path]
        ]
    return marked[module.path]


def _kernels(project: Project, module: Module) -> list[Kernel]:
    if "jit" not in module.text:  # also true of every import that brings a decorator which wraps it
        return []
    handed = _handed_to_jit(project, module)
    tuned = _handed_to_tuners(project, module)
    helpers = calls_of(project, module)
    found: list[Kernel] = []
    for function in functions_of(module.tree):
        if function in handed or project.is_jit(module, function):
            found.append(_kernel(project, module, function, helpers, handed.get(function), tuned.get(function, ())))
    return found


def functions_of(tree: nodes.NodeNG) -> Iterator[nodes.FunctionDef]:
    """All function definitions below a node, in source order."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, nodes.FunctionDef):
            yield node
        if isinstance(node, (nodes.Module, nodes.FunctionDef, nodes.ClassDef)):
            stack.extend(reversed(node.body))
        elif isinstance(node, nodes.NodeNG) and not isinstance(node, (nodes.Expr, nodes.Assign, nodes.Return)):
            below = [child for child in node.get_children() if child.is_statement or isinstance(child, _HOLDERS)]
            stack.extend(reversed(below))


_HOLDERS = (nodes.ExceptHandler, nodes.MatchCase)


def _handed_to_jit(project: Project, module: Module) -> dict[nodes.FunctionDef, nodes.Call]:
    """Functions that a call hands to `triton.jit`: `k = triton.jit(f)`, `triton.autotune(...)(triton.jit(f))`."""
    found: dict[nodes.FunctionDef, nodes.Call] = {}
    if "jit(" not in module.text:
        return found
    for call in module.calls:
        if (
            not isinstance(call, nodes.Call)
            or not call.args
            or not isinstance(call.args[0], nodes.Name)
            or not _says_jit(call.func)
        ):
            continue
        inner = call.func.func if isinstance(call.func, nodes.Call) else call.func
        if (
            not isinstance(inner, (nodes.Name, nodes.Attribute))
            or not project.canonicals(module, inner) & JIT_DECORATORS
        ):
            continue
        definition = project.resolve(module, call.args[0])
        if definition is not None and definition.function is not None and definition.module is module:
            found[definition.function] = call
    return found


def _handed_to_tuners(project: Project, module: Module) -> dict[nodes.FunctionDef, list[nodes.Call]]:
    """Jit functions that are tuned by a call instead of a decorator: `k = triton.autotune(...)(f)`. The calls that
    stand for decorators.
    """
    found: dict[nodes.FunctionDef, list[nodes.Call]] = {}
    if not any(f"{name}(" in module.text for name in ("autotune", "heuristics")):
        return found
    for call in module.tree.nodes_of_class(nodes.Call):
        if not isinstance(call.func, nodes.Call) or len(call.args) != 1:
            continue
        if project.canonical(module, call.func.func) not in (AUTOTUNE, HEURISTICS):
            continue
        definition = project.resolve(module, call.args[0])
        if definition is not None and definition.function is not None and definition.module is module:
            found.setdefault(definition.function, []).append(call.func)
    return found


def _says_jit(node: nodes.NodeNG) -> bool:
    node = node.func if isinstance(node, nodes.Call) else node
    name = node.name if isinstance(node, nodes.Name) else node.attrname if isinstance(node, nodes.Attribute) else ""
    return "jit" in name


def _kernel(
    project: Project,
    module: Module,
    node: nodes.FunctionDef,
    helpers: frozenset[KernelId],
    call: nodes.Call | None,
    tuners: Sequence[nodes.Call],
) -> Kernel:
    name = qualified_name(node)
    applied = [*tuners, *(node.decorators.nodes if node.decorators else [])]
    decorators = [_decorator(project, module, item) for item in applied]
    if call is not None:
        decorators.append(Decorator("triton.jit", module.location(call)))
    defaults = default_nodes(node)
    arguments = node.args
    params = []
    usage = usage_of(project, module, node).parameters
    for item in parameter_nodes(node):
        if item in (arguments.vararg_node, arguments.kwarg_node):
            continue
        default = defaults.get(item.name)
        params.append(
            ParamInfo(
                item.name,
                module.location(item),
                is_constexpr(project, module, annotation_of(node, item.name)),
                None if default is None else module.source(default),
                usage.get(item.name, ""),
            )
        )
    info = KernelInfo(
        KernelId(module.path, name),
        module.name_location(node),
        tuple(params),
        tuple(decorators),
        is_helper=KernelId(module.path, name) in helpers,
        open_signature=arguments.vararg_node is not None or arguments.kwarg_node is not None,
    )
    return Kernel(info, module, node)


def is_constexpr(project: Project, module: Module, annotation: nodes.NodeNG | None) -> bool:
    """Whether an annotation means `tl.constexpr`, in any spelling, also as text."""
    if annotation is None:
        return False
    if isinstance(annotation, nodes.Const):
        return annotation_text(annotation).split(".")[-1] == "constexpr"
    if isinstance(annotation, nodes.Subscript):
        return is_constexpr(project, module, annotation.value)
    if project.canonical(module, annotation) in (
        "triton.language.constexpr",
        "triton.experimental.gluon.language.constexpr",
    ):
        return True
    return annotation_text(annotation).split(".")[-1] == "constexpr"


def _decorator(project: Project, module: Module, node: nodes.NodeNG) -> Decorator:
    target = node.func if isinstance(node, nodes.Call) else node
    name = project.describe(module, target)
    parts: tuple[Location, ...] = ()
    sets: tuple[str, ...] = ()
    count = 0
    if isinstance(node, nodes.Call):
        if name == HEURISTICS:
            sets = _set_from_problem(project, module, node)
        else:
            configs = _configs(project, module, node)
            parts = tuple(where.location(call) for where, call in configs)[:MAX_PARTS]
            # Those of several branches or helpers are never tried together, and one in a comprehension is any number.
            together = len({call.parent for _, call in configs}) == 1 and len(configs) <= MAX_PARTS
            count = len(configs) if together and isinstance(configs[0][1].parent, nodes.List | nodes.Tuple) else 0
        if parts and name not in JIT_DECORATORS:  # a decorator that is handed Configs tunes, whatever it is called
            name = AUTOTUNE
    return Decorator(name, module.location(node), parts, sets, count)


def _configs(
    project: Project, module: Module, node: nodes.NodeNG, depth: int = 0
) -> tuple[tuple[Module, nodes.Call], ...]:
    """The `triton.Config`s that a decorator's arguments lead to: inline, in variables, in helpers."""
    found: list[tuple[Module, nodes.Call]] = []
    for child in node.nodes_of_class((nodes.Call, nodes.Name, nodes.Attribute)):
        if len(found) > MAX_PARTS:
            break
        if isinstance(child, nodes.Call):
            if _may_be(child.func, "Config") and project.canonical(module, child.func) == CONFIG:
                found.append((module, child))
        elif depth < 3 and not isinstance(child.parent, nodes.Attribute) and _leads_on(child, node):
            definition = project.resolve(module, child)
            for option in definition.candidates if definition is not None else ():
                if option.module is not None and option.node is not None and option.kind in ("constant", "function"):
                    found.extend(_configs(project, option.module, option.node, depth + 1))
    return tuple(dict.fromkeys(found))


def _leads_on(child: nodes.NodeNG, decorator: nodes.NodeNG) -> bool:
    """Whether a name in a decorator's arguments can hold Configs: the decorator's own name can't."""
    return not (isinstance(decorator, nodes.Call) and child is decorator.func)


def _may_be(node: nodes.NodeNG, name: str) -> bool:
    return name in (node.name if isinstance(node, nodes.Name) else getattr(node, "attrname", ""))


def _set_from_problem(project: Project, module: Module, node: nodes.Call) -> tuple[str, ...]:
    """The parameters that a `triton.heuristics` sets from something other than constants: it reads its arguments by
    name (`lambda args: triton.next_power_of_2(args["N"])`), and a name that is no constexpr is a problem size.
    """
    table = node.args[0] if node.args else next((k.value for k in node.keywords or [] if k.arg == "values"), None)
    if isinstance(table, (nodes.Name, nodes.Attribute)):
        found = project.resolve(module, table)
        if found is None or found.node is None or found.module is None:
            return ()
        module, table = found.module, found.node
    return tuple(dict.fromkeys(_sized_keys(project, module, table))) if isinstance(table, nodes.Dict) else ()


def _sized_keys(project: Project, module: Module, table: nodes.Dict, depth: int = 0) -> Iterator[str]:
    for key, value in table.items:
        if isinstance(key, nodes.DictUnpack) and depth < 6:
            found = project.resolve(module, value)
            if found is not None and found.module is not None and isinstance(found.node, nodes.Dict):
                yield from _sized_keys(project, found.module, found.node, depth + 1)
        elif isinstance(key, nodes.Const) and isinstance(key.value, str) and _sizes(project, module, value):
            yield key.value


def _sizes(project: Project, module: Module, value: nodes.NodeNG) -> bool:
    """Whether a heuristic's value is a size computed from the launch's arguments (and no mere flag)."""
    results = _results(project, module, value)
    if not results or all(_is_flag(project, owner, result) for owner, result in results):
        return False
    return any(
        isinstance(part.value, nodes.Name) and not _is_flag(project, owner, result)
        for owner, result in results
        for part in _function_around(result).nodes_of_class(nodes.Subscript)
    )


def _function_around(node: nodes.NodeNG) -> nodes.NodeNG:
    scope = node.scope()
    return scope if isinstance(scope, nodes.Lambda) else node


def _results(project: Project, module: Module, value: nodes.NodeNG) -> list[tuple[Module, nodes.NodeNG]]:
    """What a lambda or a function of the tree returns, as written."""
    if isinstance(value, nodes.Lambda) and not isinstance(value, nodes.FunctionDef):
        return [(module, value.body)]
    if not isinstance(value, (nodes.Name, nodes.Attribute)):
        return []
    found = project.resolve(module, value)
    if found is None or found.function is None or found.module is None:
        return []
    return [(found.module, r.value) for r in found.function.nodes_of_class(nodes.Return) if r.value is not None]


_PREDICATES = frozenset({"isinstance", "hasattr", "bool", "callable", "all", "any"})


def _is_flag(project: Project, module: Module, node: nodes.NodeNG, depth: int = 0) -> bool:
    """Whether an expression can only be true or false."""
    if isinstance(node, nodes.Compare) or (isinstance(node, nodes.UnaryOp) and node.op == "not"):
        return True
    if isinstance(node, nodes.BoolOp):
        return all(_is_flag(project, module, value, depth) for value in node.values)
    if isinstance(node, nodes.Call) and depth < 6:
        if isinstance(node.func, nodes.Name) and node.func.name in _PREDICATES:
            return True
        if isinstance(node.func, nodes.Attribute) and node.func.attrname.startswith("is_"):
            return True
        results = _results(project, module, node.func)
        return bool(results) and all(_is_flag(project, owner, result, depth + 1) for owner, result in results)
    return isinstance(node, nodes.Const) and isinstance(node.value, bool)


# ---------------------------------------------------------------------- helpers


def calls_of(project: Project, module: Module) -> frozenset[KernelId]:
    """The jit functions that the jit functions of a file call, or hand to a reduction or scan."""
    cache: dict[str, frozenset[KernelId]] = project.cache.setdefault("calls", {})
    if module.path not in cache:
        cache[module.path] = frozenset(_calls(project, module))
    return cache[module.path]


def _calls(project: Project, module: Module) -> Iterator[KernelId]:
    if "jit" not in module.text:
        return
    for function in functions_of(module.tree):
        if not project.is_jit(module, function):
            continue
        for call in (node for node in walk(function) if isinstance(node, nodes.Call)):
            handed = [call.func]
            if isinstance(call.func, (nodes.Name, nodes.Attribute)) and _hands_on(project, module, call.func):
                handed = [*call.args, *(keyword.value for keyword in call.keywords or [])]
            for node in handed:
                if isinstance(node, (nodes.Name, nodes.Attribute)):
                    yield from _targets(project, module, function, node)


def named_calls(project: Project, module: Module) -> list[NamedCall]:
    """Every call in the jit functions of a file by its canonical name, in source order."""
    found: list[NamedCall] = []
    for function in functions_of(module.tree):
        if project.is_jit(module, function):
            found += [_named(project, module, node) for node in walk(function) if isinstance(node, nodes.Call)]
    return sorted(dict.fromkeys(found), key=lambda call: call.loc)


def _named(project: Project, module: Module, call: nodes.Call) -> NamedCall:
    func = call.func
    name = project.canonical(module, func) if isinstance(func, (nodes.Name, nodes.Attribute)) else None
    if name is None:
        name = f".{func.attrname}" if isinstance(func, nodes.Attribute) else getattr(func, "name", "")
    return NamedCall(canonical_api(name), module.location(call))


def masked_fills(project: Project, module: Module) -> list[MaskedFill]:
    """What the loads in the jit functions of a file pass as `other`, in source order."""
    found: list[MaskedFill] = []
    for function in functions_of(module.tree):
        if not project.is_jit(module, function):
            continue
        for call in (node for node in walk(function) if isinstance(node, nodes.Call)):
            other = next((keyword.value for keyword in call.keywords or [] if keyword.arg == "other"), None)
            other = call.args[2] if other is None and len(call.args) > 2 else other
            if other is not None and _named(project, module, call).name == LOAD:
                found.append(MaskedFill(module.source(other), module.location(other)))
    return sorted(dict.fromkeys(found), key=lambda fill: fill.loc)


def _called_elsewhere(project: Project, module: Module, names: set[str]) -> set[KernelId]:
    """Which of a file's jit functions the kernels of other files call: of those that import one of the names, or the
    file as a module.
    """
    imported: dict[str, frozenset[str]] = project.cache.setdefault("imported names", {})
    parts = module.path.removesuffix(".py").split("/")
    wanted = names | {"*"} | {parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]}
    called: set[KernelId] = set()
    for path in project.paths:
        if path not in imported:
            imported[path] = _imported_names(project.text(path) or "")
        if path == module.path or imported[path].isdisjoint(wanted):
            continue
        other = project.module(path)
        if other is not None:
            called.update(kernel for kernel in calls_of(project, other) if kernel.path == module.path)
    return called


_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]*(\([^)]*\)|.*)|import[ \t]+(.*))", re.MULTILINE)


def _imported_names(text: str) -> frozenset[str]:
    """Every word in the import statements of a file that has jit functions; `*` stands for all names."""
    if "jit" not in text:
        return frozenset()
    return frozenset(word for match in _IMPORT.finditer(text) for word in re.findall(r"\w+|\*", match[1] or match[2]))


def _hands_on(project: Project, module: Module, func: nodes.NodeNG) -> bool:
    name = func.name if isinstance(func, nodes.Name) else func.attrname
    return any(name in known for known in COMBINERS) and bool(project.canonicals(module, func) & COMBINERS)


def _targets(project: Project, module: Module, caller: nodes.FunctionDef, node: nodes.NodeNG) -> Iterator[KernelId]:
    found = project.resolve(module, node)
    for option in found.candidates if found is not None else ():
        function = option.function
        if option.kind == "jit" and option.module is not None and function is not None and function is not caller:
            yield KernelId(option.module.path, qualified_name(function))


def find_function(project: Project, kernel: KernelId) -> tuple[Module, nodes.FunctionDef] | None:
    """The definition of a kernel by its id."""
    module = project.module(kernel.path)
    if module is None:
        return None
    for function in functions_of(module.tree):
        if function.name == kernel.name.rpartition(".")[2] and qualified_name(function) == kernel.name:
            return module, function
    return None


def find_kernel(project: Project, kernel: KernelId) -> Kernel | None:
    """What is known of a kernel by its id."""
    module = project.module(kernel.path)
    if module is None:
        return None
    return next((found for found in kernels_of(project, module, elsewhere=False) if found.info.id == kernel), None)
