"""Kernel launches in host code: `kernel[grid](...)`, bound launches, `kernel.run(...)` and `kernel.warmup(...)`.

Every function that holds a launch is evaluated as any caller may call it. Where the kernel comes from a parameter,
calls of that function elsewhere in the tree tell which kernels it can be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from astroid import nodes

from spyre_lint.bindings import Argument, HostValue, KernelId, Launch
from spyre_lint.frontend import hostexec
from spyre_lint.frontend.grids import grid_facts, read_grid
from spyre_lint.frontend.hostcode import LAUNCH_OPTIONS, is_tile_like
from spyre_lint.frontend.hosteval import MAX_STEPS, Arguments, Interpreter, OutOfSteps, interpreter
from spyre_lint.frontend.hostvalues import (
    Frame,
    Function,
    Parameter,
    Tensor,
    options_of,
    same_scalar,
    to_host,
    with_place,
)
from spyre_lint.frontend.kernels import find_kernel
from spyre_lint.frontend.project import Project
from spyre_lint.frontend.syntax import Module

MAX_PER_SITE = 8
"""Most launches kept for one place in the source (a loop over kernels, several callers)."""
MAX_CALLERS = 48
"""Most functions evaluated to learn which kernels one launch can have."""
MAX_ROUNDS = 3
"""How many functions up a kernel that is handed down is looked for."""

_MAY_LAUNCH = re.compile(r"\]\s*\(|\bgrid\b|\bgrid_|\w\[\s*(?:\(|\[|lambda\b)")


@dataclass(slots=True)
class _Pending:
    """A launch whose kernel the caller of a function chooses."""

    call: nodes.Call
    owner: nodes.FunctionDef
    module: Module


class LaunchFinder:
    """Finds the launches of a project's files; also the recorder that the interpreter reports launches to."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.machine: Interpreter = interpreter(project)
        self.found: dict[str, list[Launch]] = {}
        self._sites: dict[nodes.Call, list[Launch]] = {}
        self._visited: set[nodes.Call] = set()
        self._accepted: set[nodes.Call] = set()
        self._owners: set[nodes.NodeNG] = set()
        self._chased: set[nodes.NodeNG] = set()
        self._open_kernel = False
        self._callers_left = 0
        self._pending: dict[nodes.Call, _Pending] = {}

    # ------------------------------------------------------------------ recorder

    def entering(self, function: Function, frame: Frame) -> None:
        """Sizes that one caller passes say nothing about a launch: only tiles, flags and kernels are kept."""
        if function.node not in self._owners:
            return
        for name, value in list(frame.names.items()):
            exact = isinstance(value, HostValue) and value.is_known and isinstance(value.value, int)
            if exact and not isinstance(value.value, bool) and not is_tile_like(name):
                frame.names[name] = Parameter(name)

    def launch(
        self, frame: Frame, call: nodes.Call, kernel: Any, grid: Any, grid_node: nodes.NodeNG | None, args: Arguments
    ) -> None:
        """Note a launch that was evaluated."""
        if frame.inlined and call not in self._accepted:
            return
        self._visited.add(call)
        kernels = tuple(
            dict.fromkeys(
                option.value
                for option in options_of(kernel)
                if isinstance(option, HostValue) and isinstance(option.value, KernelId)
            )
        )
        owner = enclosing_function(call)
        if not kernels and not _looks_like_launch(call, kernel, grid_node):
            return
        self._open_kernel = self._open_kernel or (frame.inlined and not kernels)
        if not frame.inlined and owner is not None and _from_parameter(call, kernel, frame):
            self._pending[call] = _Pending(call, owner, frame.module)
        known_sites = self._sites.setdefault(call, [])
        if frame.inlined and (not kernels or any(set(kernels) <= set(site.kernels) for site in known_sites)):
            return
        launch = self._build(frame, call, kernels, grid, grid_node, args)
        if len(known_sites) < MAX_PER_SITE and not any(_same_launch(launch, site) for site in known_sites):
            if kernels:
                known_sites[:] = [site for site in known_sites if site.kernels]
            known_sites.append(launch)

    # ------------------------------------------------------------------ building

    def _build(
        self,
        frame: Frame,
        call: nodes.Call,
        kernels: tuple[KernelId, ...],
        grid: Any,
        grid_node: nodes.NodeNG | None,
        args: Arguments,
    ) -> Launch:
        module = frame.module
        infos = [kernel.info for kernel in (find_kernel(self.project, k) for k in kernels) if kernel is not None]
        orders = [[p.name for p in info.params] for info in infos]
        accepted = {name for order in orders for name in order}
        arguments: list[Argument] = []
        meta: dict[str, Any] = {}
        for position, (value, node) in enumerate(args.positional):
            sure = position < args.certain
            names = {order[position] if sure and position < len(order) else None for order in orders}
            param = names.pop() if len(names) == 1 else None
            arguments.append(self._argument(module, value, node, None, param))
            if param is not None:
                meta[param] = value
        options: dict[str, HostValue] = {}
        stray: dict[str, HostValue] = {}
        for name, value, node in args.keywords:
            meta[name] = value
            if name in accepted or (not infos and name not in LAUNCH_OPTIONS):
                arguments.append(self._argument(module, value, node, name, name if name in accepted else None))
            elif not (name == "grid" and isinstance(call.func, nodes.Attribute)):
                kind = options if name in LAUNCH_OPTIONS else stray
                kind[name] = with_place(to_host(value), module.source(node), module.location(node))
        place = module.location(call)
        read = None
        facts: tuple[Any, ...] = ()
        if grid_node is not None:
            read = read_grid(self.machine, frame, grid, grid_node, meta, infos)
            facts = grid_facts(self.project, module, call, grid_node)
        return Launch(
            kernels,
            place,
            read,
            tuple(arguments),
            options,
            stray,
            open_args=bool(args.open),
            facts=facts,
            label=f"{module.path}:{place.line}",
        )

    def _argument(
        self, module: Module, value: Any, node: nodes.NodeNG, keyword: str | None, param: str | None
    ) -> Argument:
        inner = node.value if isinstance(node, nodes.Keyword) else node
        host = with_place(to_host(value), module.source(inner), module.location(inner))
        pointee = None
        for option in options_of(value):
            if isinstance(option, Tensor) and option.dtype is not None:
                pointee = option.dtype if pointee in (None, option.dtype) else ""
        return Argument(host, module.location(node), keyword, param, pointee or None)

    # ------------------------------------------------------------------ search

    def scan(self, module: Module) -> None:
        """Evaluate every function of a file that holds a launch."""
        if module.path in self.found:
            return
        self.found[module.path] = []
        units: dict[nodes.NodeNG, list[nodes.FunctionDef]] = {}
        for call in candidates(module):
            if not self._may_be_kernel(module, call):
                continue
            around = functions_around(call)
            if any(self.project.is_jit(module, function) for function in around):
                continue
            units.setdefault(call, around)
        if any(not around for around in units.values()):
            self._run_module(module)
        done: set[nodes.NodeNG] = set()
        for around in units.values():
            for function in around:
                if function not in done:
                    done.add(function)
                    self._run_function(module, function)
        self.resolve_pending(module)

    def _may_be_kernel(self, module: Module, node: nodes.Call | nodes.Subscript) -> bool:
        """Whether what stands before a subscript can be a kernel: not where it is known to be something else."""
        subscript = node.func if isinstance(node, nodes.Call) else node
        owner = subscript.value if isinstance(subscript, nodes.Subscript) else subscript.expr
        if isinstance(subscript, nodes.Subscript) and isinstance(subscript.slice, nodes.Const):
            return isinstance(subscript.slice.value, int)
        found = self.project.resolve(module, owner) if isinstance(owner, (nodes.Name, nodes.Attribute)) else None
        return found is None or any(option.kind in ("jit", "constant") for option in found.candidates)

    def _collect(self, module: Module) -> None:
        launches = [
            launch
            for call, sites in self._sites.items()
            for launch in sites
            if launch.loc.path == module.path and isinstance(call, nodes.Call)
        ]
        self.found[module.path] = sorted(launches, key=_order)

    def _run_module(self, module: Module) -> None:
        frame = Frame(module, owner=module.tree)
        self._run(lambda: hostexec.run(self.machine, module.tree.body, frame))

    def _run_function(self, module: Module, node: nodes.FunctionDef) -> None:
        function = self.machine.defined.get(node) or Function(module, node, self.machine.module_frame(module))

        def body() -> None:
            hostexec.run(self.machine, node.body, self.machine.standalone_frame(function))

        self._run(body)

    def _run(self, action: Any) -> None:
        machine = self.machine
        machine.recorder, machine.steps = self, MAX_STEPS
        try:
            action()
        except (OutOfSteps, RecursionError):
            pass
        finally:
            machine.recorder = None
            machine.calls.clear()

    def resolve_pending(self, module: Module) -> None:
        """For functions of a file that get their kernel from a parameter: evaluate those who call them."""
        owners = {pending.owner for pending in self._pending.values() if pending.module is module}
        for owner in sorted(owners - self._chased, key=lambda node: node.lineno or 0):
            self._chased.add(owner)
            self._accepted = {call for call, pending in self._pending.items() if pending.owner is owner}
            self._owners = {owner}
            self._callers_left = MAX_CALLERS
            self._run_callers(module, owner, 0)
            self._accepted, self._owners = set(), set()
        self._collect(module)

    def _run_callers(self, module: Module, owner: nodes.FunctionDef, depth: int) -> None:
        name = owner.name
        if name in _CALLED_BY_TORCH:
            return
        method_of = owner.parent.name if isinstance(owner.parent, nodes.ClassDef) else ""
        if name == "__init__":
            name = method_of
        for path in self.project.paths:
            text = self.project.text(path)
            if text is None or name not in text or (method_of and path != module.path and method_of not in text):
                continue
            other = self.project.module(path)
            if other is None:
                continue
            for function in callers(other, name):
                if function is None:
                    self._run_module(other)
                elif (
                    self._callers_left > 0 and function not in self._owners and not self.project.is_jit(other, function)
                ):
                    self._callers_left -= 1
                    self._open_kernel = False
                    self._run_function(other, function)
                    if self._open_kernel and depth < MAX_ROUNDS:  # the caller has it from its caller
                        self._owners.add(function)
                        self._run_callers(other, function, depth + 1)


# Methods that torch calls, with arguments no caller in the tree writes down.
_CALLED_BY_TORCH = frozenset({"forward", "backward", "__call__", "setup_context"})


def _order(launch: Launch) -> tuple[Any, ...]:
    return (launch.loc, tuple((kernel.path, kernel.name) for kernel in launch.kernels))


def candidates(module: Module) -> list[nodes.Call | nodes.Subscript]:
    """Nodes that can be (or begin) a launch, in source order."""
    found: list[nodes.Call | nodes.Subscript] = []
    for node in module.calls:
        if isinstance(node, nodes.Call):
            func = node.func
            if (isinstance(func, nodes.Subscript) and not isinstance(func.slice, nodes.Slice)) or (
                isinstance(func, nodes.Attribute)
                and func.attrname in ("run", "warmup")
                and any(keyword.arg == "grid" for keyword in node.keywords or [])
            ):
                found.append(node)
        elif isinstance(node.parent, _KEEPS_LAUNCH) and _grid_like(node.slice):
            found.append(node)
    return found


# What a bound launch (`kernel[grid]`, called later) is a part of.
_KEEPS_LAUNCH = (nodes.Assign, nodes.AnnAssign, nodes.Return, nodes.Call, nodes.Keyword)


def _grid_like(node: nodes.NodeNG) -> bool:
    if isinstance(node, (nodes.Tuple, nodes.Lambda)):
        return True
    return isinstance(node, nodes.Name) and "grid" in node.name.lower()


def functions_around(node: nodes.NodeNG) -> list[nodes.FunctionDef]:
    """The functions a node stands in, outermost first."""
    found: list[nodes.FunctionDef] = []
    parent = node.parent
    while parent is not None:
        if isinstance(parent, nodes.FunctionDef):
            found.append(parent)
        parent = parent.parent
    return found[::-1]


def enclosing_function(node: nodes.NodeNG) -> nodes.FunctionDef | None:
    """The innermost function a node stands in."""
    around = functions_around(node)
    return around[-1] if around else None


def callers(module: Module, name: str) -> list[nodes.FunctionDef | None]:
    """Functions (None: the module itself) in which something called `name` is called."""
    found: dict[nodes.FunctionDef | None, None] = {}
    for call in module.calls:
        if not isinstance(call, nodes.Call):
            continue
        func = call.func
        called = (
            func.name if isinstance(func, nodes.Name) else func.attrname if isinstance(func, nodes.Attribute) else ""
        )
        if called == name or (called == "partial" and call.args and call.args[0].as_string().endswith(name)):
            found[enclosing_function(call)] = None
    return list(found)


def _from_parameter(call: nodes.Call, kernel: Any, frame: Frame) -> bool:
    """Whether the kernel of a launch is (or was, by default) a parameter of the function around it."""
    if any(isinstance(option, Parameter) for option in options_of(kernel)):
        return True
    node = call.func.value if isinstance(call.func, nodes.Subscript) else None
    return isinstance(node, nodes.Name) and node.name in frame.soft


def _looks_like_launch(call: nodes.Call, kernel: Any, grid_node: nodes.NodeNG | None) -> bool:
    """Whether `x[y](...)` is a launch although nothing is known of `x`: what it says about itself must do."""
    if isinstance(call.func, nodes.Attribute):
        return True
    owner = call.func.value if isinstance(call.func, nodes.Subscript) else call.func
    name = owner.attrname if isinstance(owner, nodes.Attribute) else getattr(owner, "name", "")
    return grid_node is not None and (_grid_like(grid_node) or "kernel" in name.lower())


def _same_launch(left: Launch, right: Launch) -> bool:
    if left.kernels != right.kernels or len(left.args) != len(right.args) or left.grid != right.grid:
        return False
    pairs = zip(left.args, right.args, strict=True)
    return all(a.keyword == b.keyword and a.pointee == b.pointee and same_scalar(a.value, b.value) for a, b in pairs)


def _may_launch(text: str) -> bool:
    return _MAY_LAUNCH.search(text) is not None


def find_launches(project: Project, paths: Iterable[str] | None = None) -> dict[str, list[Launch]]:
    """The launches of a project's files (of `paths`, or of all) by path, in source order.

    Files that can hold no launch are not even parsed.
    """
    finder = project.cache.get("launches")
    if not isinstance(finder, LaunchFinder):
        finder = project.cache["launches"] = LaunchFinder(project)
    wanted = sorted(paths) if paths is not None else project.paths
    for path in wanted:
        text = project.text(path)
        module = project.module(path) if text is not None and _may_launch(text) else None
        if module is not None:
            finder.scan(module)
    return {path: finder.found.get(path, []) for path in wanted}


def launches_of(project: Project, module: Module) -> list[Launch]:
    """The launches in one file, in source order."""
    return find_launches(project, [module.path])[module.path]
