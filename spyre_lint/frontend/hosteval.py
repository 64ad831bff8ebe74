"""Static evaluation of host Python: what a value is when a kernel is launched, without running anything.

The `Interpreter` follows constants, containers, arithmetic, comprehensions, simple functions and lambdas of the tree,
and what is known of Triton's, torch's and Python's own functions. What depends on the data becomes a problem size with
bounds, everything else `unknown` with a reason. It never raises for odd code, and stops after a fixed number of steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from astroid import nodes

from spyre_lint.bindings import HostValue, KernelId
from spyre_lint.frontend import hostcalls, hostexec, hostexpr, hostitems
from spyre_lint.frontend.hostcode import CONSTANTS, annotation_text, external_dtype, is_tile_like, qualified_name
from spyre_lint.frontend.hostvalues import (
    NONE,
    ClassRef,
    External,
    Frame,
    Function,
    Instance,
    Items,
    ModuleRef,
    Parameter,
    Table,
    Tensor,
    join,
    known,
    to_host,
    unknown,
)
from spyre_lint.frontend.project import Definition, Project
from spyre_lint.frontend.syntax import Module, parameter_nodes, walk

MAX_STEPS = 30_000
"""Expressions and statements evaluated for one question."""
MAX_ASIDE_STEPS = 4 * MAX_STEPS
"""The same for everything at the top level of one file."""
MAX_CALLS = 12
"""Deepest nesting of function calls that is followed."""


class OutOfSteps(Exception):
    """The budget is used up."""


@dataclass(slots=True)
class Arguments:
    """Evaluated arguments of a call: values with their nodes; `open` is the reason why there may be more.

    `certain` tells how many of the positional ones have a known position: none after a `*args` of unknown length.
    """

    positional: list[tuple[Any, nodes.NodeNG]] = field(default_factory=list)
    keywords: list[tuple[str, Any, nodes.NodeNG]] = field(default_factory=list)
    open: str = ""
    certain: int = MAX_STEPS

    @property
    def values(self) -> list[Any]:
        """Values of the positional arguments."""
        return [value for value, _ in self.positional]

    def keyword(self, name: str) -> Any:
        """Value of a keyword argument; None (the Python object) if it is not given."""
        return next((value for key, value, _ in self.keywords if key == name), None)

    def get(self, position: int, name: str) -> Any:
        """Value of an argument given by position or by keyword; None if it is not given."""
        return self.positional[position][0] if position < len(self.positional) else self.keyword(name)


class Recorder(Protocol):
    """Is told of what happens while host functions run: every launch, every call of a function of the tree."""

    def entering(self, function: Function, frame: Frame) -> None:
        """A call of `function` begins; `frame` holds its arguments and may be changed."""

    def launch(
        self, frame: Frame, call: nodes.Call, kernel: Any, grid: Any, grid_node: nodes.NodeNG | None, args: Arguments
    ) -> None:
        """One `kernel[grid](args)`; `kernel` is whatever stands before the subscript."""


class Interpreter:
    """Evaluates host code of one project. `recorder` is told of launches while functions run."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.recorder: Recorder | None = None
        self.steps = MAX_STEPS
        self.calls: list[nodes.NodeNG] = []
        self.defined: dict[nodes.NodeNG, Function] = {}
        """Nested functions by definition, with the frame they were last made in."""
        self._frames: dict[str, Frame] = {}
        self._classes: dict[nodes.NodeNG, Frame] = {}
        self._objects: dict[nodes.NodeNG, Instance] = {}

    # ------------------------------------------------------------------ questions

    def evaluate(self, module: Module, node: nodes.NodeNG, frame: Frame | None = None) -> Any:
        """The abstract value of an expression (in a frame, or at the module's top level)."""
        saved, self.steps = self.steps, MAX_STEPS
        try:
            return self.expr(node, frame or self.module_frame(module))
        except (OutOfSteps, RecursionError):
            return unknown("it takes too many steps to evaluate")
        finally:
            self.steps = saved

    def step(self) -> None:
        """Use up one step of the budget."""
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps

    def expr(self, node: nodes.NodeNG, frame: Frame) -> Any:
        """The value of an expression in a frame."""
        self.step()
        return hostexpr.expression(self, node, frame)

    # ------------------------------------------------------------------ names

    def module_of(self, node: nodes.NodeNG) -> Module | None:
        """The file that a node belongs to."""
        root = node.root()
        return self.project.module(root.name) if isinstance(root, nodes.Module) else None

    def module_frame(self, module: Module) -> Frame:
        """A module's variables after its top-level code has run (only its assignments and calls are followed)."""
        frame = self._frames.get(module.path)
        if frame is None:
            frame = self._frames[module.path] = Frame(module, owner=module.tree)
            self._run_aside(module.tree.body, frame)
        return frame

    def class_frame(self, cls: ClassRef) -> Frame:
        """The variables of a class body."""
        frame = self._classes.get(cls.node)
        if frame is None:
            frame = self._classes[cls.node] = Frame(cls.module, outer=self.module_frame(cls.module), owner=cls.node)
            self._run_aside(cls.node.body, frame)
        return frame

    def _run_aside(self, body: list[nodes.NodeNG], frame: Frame) -> None:
        """Run code that another question depends on: with a budget of its own, and without recording launches.

        A statement that takes too many steps leaves what it assigns unknown, and the others still run.
        """
        saved, self.steps = self.steps, MAX_STEPS
        recorder, self.recorder = self.recorder, None
        calls, self.calls = self.calls, []
        left = MAX_ASIDE_STEPS
        try:
            for statement in body:
                self.steps = before = min(left, MAX_STEPS)
                try:
                    if hostexec.run(self, [statement], frame) != hostexec.NEXT:
                        break
                except (OutOfSteps, RecursionError):
                    for name in assigned_names(statement):
                        frame.names[name] = unknown("it takes too many steps to evaluate")
                left -= before - max(self.steps, 0)
        finally:
            self.steps, self.recorder, self.calls = saved, recorder, calls

    def name(self, node: nodes.Name, frame: Frame) -> Any:
        """The value of a variable, looked up from the innermost frame to the module and its imports."""
        where: Frame | None = frame
        while where is not None:
            if node.name in where.names and not (where is not frame and isinstance(where.owner, nodes.ClassDef)):
                return where.names[node.name]
            where = where.outer
        top = self.module_frame(frame.module)
        if node.name in top.names:
            return top.names[node.name]
        found = self.project.resolve(frame.module, node)
        if found is None:
            return unknown(f"`{node.name}` can't be followed")
        return self.definition(found)

    def definition(self, found: Definition) -> Any:
        """The value of a definition; one of its alternatives where it is not certain."""
        values = [self._single(option) for option in found.candidates]
        result = values[0]
        for value in values[1:]:
            result = join(result, value)
        return result

    def _single(self, found: Definition) -> Any:
        if found.kind == "external":
            return external(found.name)
        if found.kind == "module":
            return ModuleRef(found)
        if found.module is None or found.node is None:
            return unknown(f"`{found.name}` can't be followed")
        if found.kind == "jit" and isinstance(found.node, nodes.FunctionDef):
            return known(KernelId(found.module.path, qualified_name(found.node)))
        if found.kind == "function" and isinstance(found.node, nodes.FunctionDef):
            return Function(found.module, found.node, self.module_frame(found.module))
        if found.kind == "class" and isinstance(found.node, nodes.ClassDef):
            return ClassRef(found.module, found.node)
        frame = self.module_frame(found.module)
        if found.name and found.name in frame.names and isinstance(found.node.scope(), nodes.Module):
            return frame.names[found.name]
        value = self.expr(found.node, frame)
        for position in found.path:
            value = hostitems.item(value, known(position))
        return value

    def attribute(self, owner: Any, name: str, node: nodes.NodeNG, frame: Frame) -> Any:
        """The value of `owner.name`."""
        if isinstance(owner, ModuleRef):
            module = owner.definition.module
            if module is not None:
                names = self.module_frame(module).names
                if name in names:
                    return names[name]
            found = self.project.member(owner.definition, name)
            return unknown(f"`{name}` can't be followed") if found is None else self.definition(found)
        if isinstance(owner, External):
            return external(f"{owner.name}.{name}")
        if isinstance(owner, ClassRef):
            return self.class_attribute(owner, name)
        if isinstance(owner, Instance):
            if name in owner.attributes:
                return owner.attributes[name]
            if owner.cls is not None:
                value = self.class_attribute(owner.cls, name)
                if isinstance(value, Function):
                    return Function(value.module, value.node, value.outer, bound=owner)
                return value
        return hostcalls.attribute(self, owner, name, node)

    def class_attribute(self, cls: ClassRef, name: str, depth: int = 0) -> Any:
        """A class constant or method, also of its bases."""
        for entry in reversed(cls.module.scope_of(cls.node).names.get(name, [])):
            if entry.kind == "def" and isinstance(entry.node, nodes.FunctionDef):
                found = self.project.resolve(cls.module, entry.node)
                if found is not None and found.kind == "jit":
                    return known(KernelId(cls.module.path, qualified_name(entry.node)))
                return Function(cls.module, entry.node, self.module_frame(cls.module))
            frame = self.class_frame(cls)
            if name in frame.names:
                return frame.names[name]
        for base in cls.node.bases if depth < 6 else ():
            found = self.project.resolve(cls.module, base)
            if found is not None and found.kind == "class" and found.module is not None and found.node is not None:
                value = self.class_attribute(ClassRef(found.module, found.node), name, depth + 1)
                if not (isinstance(value, HostValue) and value.kind == "unknown"):
                    return value
        return unknown(f"the attribute `{name}` can't be followed")

    # ------------------------------------------------------------------ functions

    def standalone_frame(self, function: Function) -> Frame:
        """A frame for a function as any caller may call it: parameters are what their defaults and annotations say."""
        node = function.node
        frame = Frame(function.module, outer=function.outer, owner=node)
        outside = function.outer or self.module_frame(function.module)
        defaults = default_nodes(node)
        for parameter in parameter_nodes(node):
            name = parameter.name
            frame.names[name] = self._parameter(function, parameter, defaults.get(name), outside, frame)
        return frame

    def _parameter(
        self, function: Function, node: nodes.AssignName, default: nodes.NodeNG | None, outside: Frame, frame: Frame
    ) -> Any:
        name, arguments = node.name, function.node.args
        if node is arguments.vararg_node:
            return Items([], "tuple", f"the caller chooses what `*{name}` holds")
        if node is arguments.kwarg_node:
            return Table({}, f"the caller chooses what `**{name}` holds")
        parent = function.node.parent
        if isinstance(parent, nodes.ClassDef) and node is parameter_nodes(function.node)[0] and name in ("self", "cls"):
            return self.object_of(ClassRef(function.module, parent))
        annotation = annotation_text(annotation_of(function.node, name))
        if default is not None:
            frame.soft.add(name)
            value = self.expr(default, outside)
            host = to_host(value)
            exact_size = host.is_known and isinstance(host.value, int) and not isinstance(host.value, bool)
            if not exact_size or is_tile_like(name):
                return Tensor() if host.is_known and host.value is None and "Tensor" in annotation else value
            return Parameter(name)
        if "Tensor" in annotation and "TensorDescriptor" not in annotation:
            return Tensor()
        if annotation in ("bool", "str", "float") or "dtype" in annotation or "Callable" in annotation:
            return unknown(f"the caller chooses `{name}`")
        return Parameter(name)

    def object_of(self, cls: ClassRef) -> Instance:
        """`self` of a class: what its `__init__` sets, as far as it can be followed."""
        found = self._objects.get(cls.node)
        if found is None:
            found = self._objects[cls.node] = Instance(cls)
            for entry in cls.module.scope_of(cls.node).names.get("__init__", []):
                if isinstance(entry.node, nodes.FunctionDef):
                    method = Function(cls.module, entry.node, self.module_frame(cls.module))
                    frame = self.standalone_frame(method)
                    self._run_aside(entry.node.body, frame)
        return found

    def call_function(self, function: Function, args: Arguments) -> Any:
        """The value a call of a function of the tree returns."""
        node = function.node
        if len(self.calls) >= MAX_CALLS or node in self.calls:
            return unknown("calls are nested too deep")
        frame = Frame(function.module, outer=function.outer, owner=node, inlined=True)
        self._bind(function, args, frame)
        if self.recorder is not None:
            self.recorder.entering(function, frame)
        self.calls.append(node)
        try:
            if isinstance(node, nodes.Lambda) and not isinstance(node, nodes.FunctionDef):
                return self.expr(node.body, frame)
            if node.is_generator() or isinstance(node, nodes.AsyncFunctionDef):
                return unknown("it is a generator")
            finished = hostexec.run(self, node.body, frame)
        finally:
            self.calls.pop()
        if finished == hostexec.NEXT:
            frame.returns.append(NONE)
        if not frame.returns:
            return unknown("the function called does not return")
        result = frame.returns[0]
        for value in frame.returns[1:]:
            result = join(result, value)
        return result

    def _bind(self, function: Function, args: Arguments, frame: Frame) -> None:
        node = function.node
        arguments = node.args
        names = [item.name for item in [*(arguments.posonlyargs or []), *(arguments.args or [])]]
        values = ([function.bound] if function.bound is not None else []) + args.values[: args.certain]
        for name, value in zip(names, values, strict=False):
            frame.names[name] = value
        if arguments.vararg_node is not None:
            frame.names[arguments.vararg_node.name] = Items(values[len(names) :], "tuple", args.open)
        accepted = {item.name for item in parameter_nodes(node)}
        rest: dict[Any, Any] = {}
        for key, value, _ in args.keywords:
            if key in accepted:
                frame.names[key] = value
            else:
                rest[key] = value
        if arguments.kwarg_node is not None:
            frame.names[arguments.kwarg_node.name] = Table(rest, args.open)
        defaults = default_nodes(node)
        outside = function.outer or self.module_frame(function.module)
        for item in parameter_nodes(node):
            if item.name in frame.names:
                continue
            if args.open:
                frame.names[item.name] = Parameter(item.name)
            elif item.name in defaults:
                frame.names[item.name] = self.expr(defaults[item.name], outside)
            else:
                frame.names[item.name] = unknown(f"the argument `{item.name}` is missing")

    def call(self, function: Any, args: Arguments, node: nodes.NodeNG, frame: Frame) -> Any:
        """The value a call returns."""
        return hostcalls.call(self, function, args, node, frame)


def assigned_names(statement: nodes.NodeNG) -> list[str]:
    """Names that a statement binds (those of functions in it aside)."""
    return [node.name for node in walk(statement) if isinstance(node, nodes.AssignName)]


def external(name: str) -> Any:
    """The value of a canonical name of an external package."""
    dtype = external_dtype(name)
    if dtype is not None:
        return known(dtype)
    if CONSTANTS.get(name) is not None:
        return known(CONSTANTS[name])
    return External(name)


def default_nodes(node: nodes.FunctionDef | nodes.Lambda) -> dict[str, nodes.NodeNG]:
    """Default values by parameter name."""
    arguments = node.args
    names = [item.name for item in [*(arguments.posonlyargs or []), *(arguments.args or [])]]
    found = dict(zip(names[len(names) - len(arguments.defaults or []) :], arguments.defaults or [], strict=False))
    for item, default in zip(arguments.kwonlyargs or [], arguments.kw_defaults or [], strict=False):
        if default is not None:
            found[item.name] = default
    return found


def annotation_of(node: nodes.FunctionDef | nodes.Lambda, name: str) -> nodes.NodeNG | None:
    """The annotation of a parameter."""
    arguments = node.args
    groups = (
        (arguments.posonlyargs, arguments.posonlyargs_annotations),
        (arguments.args, arguments.annotations),
        (arguments.kwonlyargs, arguments.kwonlyargs_annotations),
    )
    for items, written in groups:
        for item, annotation in zip(items or [], written or [], strict=False):
            if item.name == name:
                return annotation
    return None


def interpreter(project: Project) -> Interpreter:
    """The project's interpreter; it keeps what it has evaluated."""
    found = project.cache.get("interpreter")
    if not isinstance(found, Interpreter):
        found = project.cache["interpreter"] = Interpreter(project)
    return found


def evaluate(project: Project, module: Module, node: nodes.NodeNG) -> HostValue:
    """The value of an expression at a module's top level, with its source text and place."""
    value = to_host(interpreter(project).evaluate(module, node))
    return HostValue(
        value.kind,
        value.value,
        value.lo,
        value.hi,
        value.reason,
        value.from_problem,
        module.source(node),
        module.location(node),
    )


def evaluate_constant(project: Project, definition: Definition) -> HostValue:
    """The value of what a definition stands for: a constant, an element type, a kernel. Unknown if it is neither."""
    machine = interpreter(project)
    saved, machine.steps = machine.steps, MAX_STEPS
    try:
        return to_host(machine.definition(definition))
    except (OutOfSteps, RecursionError):
        return unknown("it takes too many steps to evaluate")
    finally:
        machine.steps = saved
