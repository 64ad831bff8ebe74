"""What global names mean inside a kernel: Triton's functions, helpers of the tree, constants, element types."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.bindings import DTypeName, HostValue, KernelId
from spyre_lint.frontend.callsite import lookup
from spyre_lint.frontend.hosteval import evaluate_constant
from spyre_lint.frontend.kernels import find_function
from spyre_lint.frontend.project import Definition
from spyre_lint.frontend.values import HOST, Alternatives, Builtin, HostFunction, JitFunction, TupleValue, Unknown
from spyre_lint.ir.types import dtype_named

if TYPE_CHECKING:
    from spyre_lint.frontend.project import Module, Project

_MODULES = ("triton", "triton.language", "torch", "math")
_DTYPE_PREFIXES = ("triton.language.", "torch.")


def external_value(name: str) -> Any:
    """What a canonical dotted name of an external package stands for: an element type, or a `Builtin`."""
    for prefix in _DTYPE_PREFIXES:
        if name.startswith(prefix) and "." not in name[len(prefix) :]:
            dtype = dtype_named(name[len(prefix) :])
            if dtype is not None:
                return dtype
    return Builtin(name)


def host_to_value(names: GlobalNames, value: Any) -> Any:
    """A host value (from a binding or a module constant) as the lowering sees it."""
    if isinstance(value, HostValue):
        return (
            host_to_value(names, value.value)
            if value.is_known
            else Unknown(value.reason or "a host value that is not known")
        )
    if isinstance(value, DTypeName):
        return dtype_named(value.name) or Unknown(f"the element type `{value.name}`")
    if isinstance(value, KernelId):
        return names.jit_function(value) or Unknown(f"the function `{value.name}`")
    if isinstance(value, (list, tuple)):
        return TupleValue(tuple(host_to_value(names, item) for item in value), origin=HOST)
    return value


class GlobalNames:
    """Resolves global names of a module to compile-time values, once each."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._cache: dict[tuple[str, str], Any] = {}
        self._external: dict[tuple[str, str], str] = {}

    def global_name(self, module: Module, name: str, node: nodes.NodeNG) -> Any:
        """The value of a name that is no local of the kernel."""
        key = (module.path, name)
        if key not in self._cache:
            definition = self.project.resolve(module, name)
            self._cache[key] = Unknown(f"`{name}` is not defined") if definition is None else self.value_of(definition)
        return self._cache[key]

    def external_name(self, module: Module, name: str) -> str:
        """The canonical name that a global name imports from outside the tree; empty for a builtin of Python, a module
        and everything else.
        """
        key = (module.path, name)
        if key not in self._external:
            found = self.project.resolve(module, name)
            full = found.name if found is not None and found.kind == "external" and not found.is_ambiguous else ""
            self._external[key] = "" if full.startswith("builtins.") or full in _MODULES else full
        return self._external[key]

    def value_of(self, definition: Definition) -> Any:
        """The compile-time value a definition stands for."""
        if definition.is_ambiguous:
            return self._ambiguous(definition)
        if definition.kind == "external":
            return external_value(definition.name)
        if definition.kind == "jit":
            return JitFunction(definition, definition.name, noinline=is_noinline(definition))
        if definition.kind == "function":
            return HostFunction(definition, definition.name)
        if definition.kind == "constant" and definition.module is not None:
            value = evaluate_constant(self.project, definition)
            return host_to_value(self, value)
        if definition.kind == "module":
            return definition
        return Unknown(f"`{definition.name}` is a {definition.kind}")

    def _ambiguous(self, definition: Definition) -> Any:
        """A name with several definitions: theirs if they agree, both of two functions, else unknown.

        Where one of them is a function of Triton's that is known here, it wins: the others stand in for it on versions
        that lack it.
        """
        what = definition.name.rsplit(".", 1)[-1] or "a constant"
        reason = f"which definition of `{what}` holds"
        candidates = definition.candidates
        external = sorted(d.name for d in candidates if d.kind == "external")
        handlers = {name: lookup(name) for name in external}
        known = [name for name in external if handlers[name] is not None]
        if known and (len(external) < len(candidates) or len({handlers[name] for name in known}) == 1):
            return external_value(known[0])
        if external and len({name.rsplit(".", 1)[-1] for name in external}) == 1 and len(external) == len(candidates):
            return external_value(external[0])
        functions = [self.value_of(replace(d, alternatives=())) for d in candidates if d.kind in ("jit", "external")]
        if len(functions) == len(candidates) == 2:
            return Alternatives(functions[0], functions[1], reason)
        return Unknown(reason)

    def constant(self, module: Module, node: nodes.NodeNG) -> Any:
        """A display of constants (a dict in a kernel) as a plain Python object."""
        value = evaluate_constant(self.project, Definition("constant", "", module, node))
        return value.value if value.is_known else Unknown(value.reason or "a display that is not constant")

    def jit_function(self, kernel: KernelId) -> JitFunction | None:
        """The jit function a binding names."""
        found = find_function(self.project, kernel)
        if found is None:
            return None
        module, node = found
        return JitFunction(Definition("jit", node.name, module, node), node.name)


def is_noinline(definition: Definition) -> bool:
    """Whether a jit function is marked `noinline=True`."""
    function = definition.function
    decorators = function.decorators.nodes if function is not None and function.decorators is not None else []
    for decorator in decorators:
        if isinstance(decorator, nodes.Call):
            for keyword in decorator.keywords or ():
                if keyword.arg == "noinline" and isinstance(keyword.value, nodes.Const):
                    return bool(keyword.value.value)
    return False
