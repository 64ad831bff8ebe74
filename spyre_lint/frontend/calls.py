"""Calls: Triton's functions, methods, inlined helpers, host functions at compile time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from astroid import nodes
from astroid.exceptions import NoDefault

from spyre_lint.findings import Location
from spyre_lint.frontend import builtins as _builtins  # registers the handlers
from spyre_lint.frontend.attributes import dtype_method
from spyre_lint.frontend.branches import Branches
from spyre_lint.frontend.callsite import GLUON, TL, CallSite, lookup, method_name
from spyre_lint.frontend.constant_calls import call_constant
from spyre_lint.frontend.global_names import host_to_value
from spyre_lint.frontend.state import MAX_INLINE_DEPTH, Frame
from spyre_lint.frontend.usage import contains_return
from spyre_lint.frontend.values import (
    Alternatives,
    BoundMethod,
    Builtin,
    Decision,
    HostFunction,
    JitFunction,
    TupleValue,
    Unknown,
    flatten,
    is_number,
    is_opaque,
    opaque_reason,
    rebuild,
)
from spyre_lint.ir.core import Block, Value, replace_uses
from spyre_lint.ir.types import DescriptorType, DType, ScalarType

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering
    from spyre_lint.frontend.project import Definition

__all__ = ["Calls"]

_DESCRIPTOR_METHODS = frozenset(
    {
        "load",
        "store",
        "gather",
        "scatter",
        "atomic_add",
        "atomic_min",
        "atomic_max",
        "atomic_and",
        "atomic_or",
        "atomic_xor",
    }
)
_DESCRIPTOR_ONLY = frozenset({"load", "store", "gather", "scatter"})
assert _builtins  # imported for its registrations


class Calls(Branches):
    """Lowers call expressions."""

    def expr_Call(self, node: nodes.Call) -> Any:
        function = self.expr(node.func)
        kwargs: dict[str, Any] = {}
        for keyword in node.keywords or ():  # Triton evaluates keyword arguments before the positional ones
            value = self.expr(keyword.value)
            if keyword.arg is not None:
                kwargs[keyword.arg] = value
            elif isinstance(value, dict):
                kwargs.update({k: v for k, v in value.items() if isinstance(k, str)})
        args: list[Any] = []
        for argument in node.args:
            if isinstance(argument, nodes.Starred):
                inner = self.expr(argument.value)
                args.extend(inner.items if isinstance(inner, TupleValue) else [inner])
            else:
                args.append(self.expr(argument))
        return self.call(function, args, kwargs, node)

    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any], node: nodes.Call) -> Any:
        """Call anything a kernel can name."""
        if isinstance(function, Builtin):
            return self.call_builtin(function.name, args, kwargs, node)
        if isinstance(function, BoundMethod):
            return self._call_method(function, args, kwargs, node)
        if isinstance(function, JitFunction):
            self.note_call(function.name.rpartition(".")[2], kwargs)
            return self.call_jit(function, args, kwargs)
        if isinstance(function, HostFunction):
            self.note_call(function.name.rpartition(".")[2], kwargs)
            return self._call_host(function, args, kwargs, node)
        if isinstance(function, Alternatives):
            return self._call_either(function, args, kwargs, node)
        if isinstance(function, DType):  # `tl.float32(x)`
            return self.call_builtin(f"{TL}cast", [*args, function], kwargs, node)
        reason = opaque_reason(function) or f"`{node.func.as_string()}` is not a function that can be followed"
        return self._unknown_call(node.func.as_string(), reason, args, kwargs)

    def _call_either(self, function: Alternatives, args: list[Any], kwargs: dict[str, Any], node: nodes.Call) -> Any:
        """A call of one of two functions: both are lowered, as the two sides of a branch that is not decided here."""
        condition = Decision(function.reason)
        first = self.in_region(lambda: self.call(function.first, args, kwargs, node))
        second = self.in_region(lambda: self.call(function.second, args, kwargs, node))
        return self.join_branches(condition, self.b.loc, (first[0], [first[2]]), (second[0], [second[2]]))[0]

    def _unknown_call(self, callee: str, reason: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        values = [v for a in (*args, *kwargs.values()) for v in flatten(a) if isinstance(v, Value)]
        self.give_up(f"the call of `{callee}`: {reason}")
        return self.opaque(reason, *values, callee=callee)

    def call_builtin(self, name: str, args: list[Any], kwargs: dict[str, Any], node: nodes.Call) -> Any:
        """Call a function of Triton or Python by its canonical name."""
        self.note_call(name, kwargs)
        entry = lookup(name)
        if entry is None:
            return self._unregistered(name, args, kwargs, node)
        handler, params = entry
        site = CallSite(name, args, kwargs, self.b.loc, params, tuple(kwargs), node, list(node.args))
        return handler(cast("Lowering", self), site)

    def _unregistered(self, name: str, args: list[Any], kwargs: dict[str, Any], node: nodes.Call) -> Any:
        if name.startswith("builtins.") or not any(isinstance(v, Value) for v in (*args, *kwargs.values())):
            host = self._host_call_value(name, args, kwargs)
            if host is not None:
                return host
        if name.startswith(GLUON):
            # Said once for the kernel: every line of a Gluon kernel speaks of layouts and memories that Spyre lacks.
            values = [v for a in (*args, *kwargs.values()) for v in flatten(a) if isinstance(v, Value)]
            loc = self.frame.module.name_location(self.active[0]) if len(self.active) == 1 else self.b.loc
            self.give_up("a Gluon kernel: its layouts and memories are not those of Triton's language", loc)
            return self.opaque("a function of Gluon", *values, callee=name)
        short = name.removeprefix(TL) if name.startswith(TL) else name.removeprefix("builtins.")
        return self._unknown_call(short, f"`{short}` is not known here", args, kwargs)

    def _host_call_value(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """A pure host function (`math.log2`, `triton.next_power_of_2`) on known numbers."""
        if not all(isinstance(v, (int, float, str)) or v is None for v in (*args, *kwargs.values())):
            return None
        result = call_constant(self.project, name, list(args), dict(kwargs))
        return None if not result.is_known else host_to_value(self.scope, result)

    def _call_method(self, method: BoundMethod, args: list[Any], kwargs: dict[str, Any], node: nodes.Call) -> Any:
        owner, name = method.owner, method.name
        if isinstance(owner, DType):
            if name == "to" or name == "cast":
                return Unknown("a conversion of an element type")
            return dtype_method(owner, name)
        if isinstance(owner, (str, dict)):
            return self._call_python_method(owner, name, args)
        if isinstance(owner, TupleValue):
            return Unknown(f"`tuple.{name}()`")
        is_descriptor = isinstance(owner.type, DescriptorType)
        if name in _DESCRIPTOR_METHODS and (is_descriptor or (name in _DESCRIPTOR_ONLY and _may_be_descriptor(owner))):
            return self.call_builtin(f"{TL}tensor_descriptor.{name}", [owner, *args], kwargs, node)
        if is_descriptor:
            return self._unknown_call(f"descriptor.{name}", "a descriptor has no such method", args, kwargs)
        target = method_name(name)
        if target is None:
            reason = opaque_reason(owner) or f"`{name}` is not known as a method of a tile"
            return self._unknown_call(name, reason, [owner, *args], kwargs)
        return self.call_builtin(target, [owner, *args], kwargs, node)

    def _call_python_method(self, owner: Any, name: str, args: list[Any]) -> Any:
        safe = ("startswith", "endswith", "lower", "upper", "get", "strip")
        if name in safe and all(isinstance(a, (int, str)) or a is None for a in args):
            try:
                return getattr(owner, name)(*args)
            except (TypeError, ValueError, AttributeError) as error:
                return Unknown(f"`{name}` fails at compile time: {error}")
        return Unknown(f"`{name}()` of a compile-time object")

    def call_jit(self, function: JitFunction, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Inline a jit function at the current place; what it does carries the call in its `stack`."""
        definition: Definition = function.definition
        node, module = definition.function, definition.module
        if node is None or module is None:
            return self._unknown_call(function.name, "its definition was not found", args, kwargs)
        if node in self.active:
            return self._unknown_call(function.name, "it calls itself", args, kwargs)
        if len(self.active) > MAX_INLINE_DEPTH:
            return self._unknown_call(function.name, "calls nest too deep to be followed", args, kwargs)
        bound = self._bind_arguments(definition, node, args, kwargs)
        if isinstance(bound, str):
            return self._unknown_call(function.name, bound, args, kwargs)
        # The inliner keeps a call where the callee has several blocks (an early return) and the call is in a region.
        may_stay = function.noinline or (self.region_depth > 0 and any(contains_return(s) for s in node.body[:-1]))
        if may_stay:
            return self._call_in_region(function, definition, node, bound)
        return self._run_inlined(definition, node, bound)

    def _run_inlined(self, definition: Definition, node: nodes.FunctionDef, bound: dict[str, Any]) -> Any:
        assert definition.module is not None
        call_loc: Location = self.b.loc
        outer, loops, stack = self.frame, self.loop_depth, self.b.stack
        self.frame = Frame(definition.module, node, bound, outer.depth + 1)
        self.loop_depth = 0
        self.b.stack = (*stack, call_loc)
        self.active.append(node)
        try:
            return self.run_function_body(node)
        finally:
            self.active.pop()
            self.frame, self.loop_depth, self.b.stack = outer, loops, stack
            self.b.loc = call_loc

    def _call_in_region(
        self, function: JitFunction, definition: Definition, node: nodes.FunctionDef, bound: dict[str, Any]
    ) -> Any:
        """A helper that Triton may keep as a call: if it does, its body stands in a region of its own."""
        block = Block()
        leaves = [leaf for value in bound.values() for leaf in flatten(value) if isinstance(leaf, Value)]
        with self.b.inside(block):
            result = self._run_inlined(definition, node, bound)  # which binds the callee's own names in `bound` too
        if not function.noinline and not any(op.attrs.get("early_return") for op in block.ops):
            for op in block.ops:
                self.b.block.append(op)
            return result
        leaves = list(dict.fromkeys(leaves))
        for leaf in leaves:
            argument = self.b.value(leaf.type, leaf.name)
            block.add_arg(argument)
            replace_uses(block, leaf, argument)
        with self.b.inside(block):
            inside = dict(zip(leaves, block.args, strict=True))
            returned = [leaf for leaf in flatten(result) if isinstance(leaf, Value) or is_number(leaf)]
            outputs = [inside.get(value, value) for value in map(self.to_value, returned)]
            self.emit("yield", {"values": outputs})
        types = [value.type for value in outputs]
        op = self.b.op("noinline_call", {"args": leaves}, types, regions=[block], callee=function.name)
        results = iter(op.results)
        kept = [next(results) if isinstance(leaf, Value) or is_number(leaf) else leaf for leaf in flatten(result)]
        return rebuild(result, kept)

    def _bind_arguments(
        self, definition: Definition, node: nodes.FunctionDef, args: list[Any], kwargs: dict[str, Any]
    ) -> dict[str, Any] | str:
        """Names of a callee's parameters with their values, or why the call does not fit."""
        arguments = node.args
        positional = [a.name for a in (*arguments.posonlyargs, *(arguments.args or ()))]
        keyword_only = [a.name for a in arguments.kwonlyargs]
        bound: dict[str, Any] = {}
        for name, value in zip(positional, args, strict=False):
            bound[name] = value
        if len(args) > len(positional):
            if not arguments.vararg:
                return f"it takes {len(positional)} arguments and is given {len(args)}"
            bound[arguments.vararg] = TupleValue(tuple(args[len(positional) :]))
        elif arguments.vararg:
            bound[arguments.vararg] = TupleValue(())
        for name, value in kwargs.items():
            if name in positional or name in keyword_only:
                bound[name] = value
            elif not arguments.kwarg:
                return f"it has no parameter `{name}`"
        for name in (*positional, *keyword_only):
            if name not in bound:
                default = self._default(definition, node, name)
                if isinstance(default, str) and default == _NO_DEFAULT:
                    return f"its parameter `{name}` is not given"
                bound[name] = default
        return bound

    def _default(self, definition: Definition, node: nodes.FunctionDef, name: str) -> Any:
        assert definition.module is not None
        try:
            default = node.args.default_value(name)
        except NoDefault:
            return _NO_DEFAULT
        if isinstance(default, nodes.Const):
            return default.value
        from spyre_lint.frontend.hosteval import evaluate_constant
        from spyre_lint.frontend.project import Definition as Made

        resolved = self.project.resolve(definition.module, default)
        if resolved is not None and resolved.kind != "constant":
            return self.scope.value_of(resolved)
        value = evaluate_constant(self.project, resolved or Made("constant", "", definition.module, default))
        return host_to_value(self.scope, value)

    def _call_host(self, function: HostFunction, args: list[Any], kwargs: dict[str, Any], node: nodes.Call) -> Any:
        """A plain function called from a kernel: Triton runs it at compile time, on constants."""
        values = [v for a in (*args, *kwargs.values()) for v in flatten(a)]
        if all(isinstance(v, (int, float, str)) or v is None for v in values):
            result = call_constant(self.project, function.definition, list(args), dict(kwargs))
            if result.is_known:
                return host_to_value(self.scope, result)
            return Unknown(result.reason or f"what `{function.name}` returns")
        undecided = next((v for v in values if isinstance(v, (Unknown, Decision))), None)
        if undecided is not None and not any(isinstance(v, Value) for v in values):
            return Unknown(undecided.reason)
        if not any(isinstance(v, Value) for v in values):
            return Unknown(f"what `{function.name}` returns for constexprs that no binding gives")
        return self._unknown_call(function.name, "it is not a jit function", args, kwargs)

    def callback_region(self, function: Any, arg_types: list[Any]) -> tuple[Block, list[Value]]:
        """The body of a combiner or mapped function as a region: its arguments, and the values it yields."""
        args = [self.b.value(t) for t in arg_types]

        def body() -> Any:
            if isinstance(function, JitFunction):
                result = self.call_jit(function, list(args), {})
            else:
                result = self.give_up("a combiner that is not a jit function")
            outputs = [self.to_value(leaf) for leaf in flatten(result) if isinstance(leaf, Value) or is_number(leaf)]
            self.emit("yield", {"values": outputs})
            return outputs

        block, _, outputs = self.in_region(body, args)
        return block, outputs


_NO_DEFAULT = "\0no default"


def _may_be_descriptor(owner: Any) -> bool:
    """Whether a value whose method is called can be a descriptor made elsewhere: it is opaque, or a parameter that
    nothing else tells the type of.
    """
    return is_opaque(owner) or (isinstance(owner.type, ScalarType) and not owner.type.dtype.is_known)
