"""What a name in a kernel can stand for while the kernel is lowered.

Run-time values are IR `Value`s. Everything Triton knows at compile time stays a Python object: numbers, strings, None,
element types (`DType`), symbolic integers (`Expr`) for unbound constexprs, and the small classes below.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import DType, OpaqueType


@dataclass(frozen=True, slots=True)
class Unknown:
    """A compile-time value that is not known; `reason` says why, in words fit for a message."""

    reason: str


@dataclass(frozen=True, slots=True)
class TupleValue:
    """A tuple or list of values; `fields` names them for a named tuple.

    `origin` is set where it is a plain Python object, which Triton hands on as it is: the constexpr parameter whose
    value it is, or `HOST` for a module's constant. One that the kernel itself makes is Triton's own tuple.
    """

    items: tuple[Any, ...]
    fields: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)


HOST = "host"
"""Origin of compile-time tuples that come from a module, not from a parameter."""


@dataclass(frozen=True, slots=True)
class Builtin:
    """Something of Triton or Python by its canonical dotted name: `triton.language.load`, `builtins.range`."""

    name: str


@dataclass(frozen=True, slots=True)
class BoundMethod:
    """A method of a run-time value (`x.to`, `desc.load`) or of a tuple, not yet called."""

    owner: Any
    name: str


@dataclass(frozen=True, slots=True)
class JitFunction:
    """A jit function of the tree; `definition` is the frontend's handle of it."""

    definition: Any
    name: str
    noinline: bool = False


@dataclass(frozen=True, slots=True)
class HostFunction:
    """A plain Python function of the tree, called at compile time (`tl.constexpr_function` or a host helper)."""

    definition: Any
    name: str


@dataclass(frozen=True, slots=True)
class Alternatives:
    """A function with two definitions, of which a condition not known here picks one."""

    first: Any
    second: Any
    reason: str


@dataclass(frozen=True, slots=True)
class LoopRange:
    """`range(...)`, `tl.range(...)` or `tl.static_range(...)` before a loop runs over it."""

    start: Any
    stop: Any
    step: Any
    static: bool
    keywords: tuple[str, ...] = ()
    places: Any = None
    """Where its arguments stand (`callsite.Places`); None for a loop over something else."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A compile-time condition that is not known: it depends on the constexprs named in `reason`."""

    reason: str


CompileTime = (int, float, bool, str, type(None), Expr, DType, TupleValue, Unknown, Builtin, JitFunction, HostFunction)


def is_number(value: Any) -> bool:
    """Whether a compile-time value is a number (a known one or a symbolic integer)."""
    return isinstance(value, (int, float, Expr))


def is_runtime(value: Any) -> bool:
    """Whether a value lives in the IR."""
    return isinstance(value, Value)


def is_opaque(value: Any) -> bool:
    """Whether nothing is known of a value."""
    return isinstance(value, Unknown) or (isinstance(value, Value) and isinstance(value.type, OpaqueType))


def opaque_reason(value: Any) -> str:
    """Why nothing is known of an opaque value."""
    if isinstance(value, Unknown):
        return value.reason
    if isinstance(value, Value) and isinstance(value.type, OpaqueType):
        return value.type.reason
    return ""


def flatten(value: Any) -> list[Any]:
    """The leaves of nested tuples, left to right; a leaf is itself."""
    if isinstance(value, TupleValue):
        return [leaf for item in value.items for leaf in flatten(item)]
    return [value]


def rebuild(template: Any, leaves: list[Any]) -> Any:
    """The inverse of `flatten`: takes leaves from the front of `leaves` (which is consumed)."""
    if isinstance(template, TupleValue):
        return TupleValue(tuple(rebuild(item, leaves) for item in template.items), template.fields)
    return leaves.pop(0)
