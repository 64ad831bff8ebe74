"""The program's place in the launch, loops, and what a kernel asserts, prints or asks at compile time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.callsite import CallSite, builtin
from spyre_lint.frontend.values import LoopRange, TupleValue, Unknown, flatten
from spyre_lint.ir.core import Value
from spyre_lint.ir.types import INT32, DType, ScalarType, dtype_named, pointer_to

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering


def _axis(lw: Lowering, call: CallSite) -> int:
    axis = lw.known_integer(call.get("axis"))
    if axis is None:
        lw.give_up("a program axis that is not known")
        return 0
    return axis


@builtin("program_id", params="axis")
def program_id(lw: Lowering, call: CallSite) -> Value:
    """`tl.program_id`."""
    return lw.make("program_id", {}, ScalarType(INT32), axis=_axis(lw, call))


@builtin("num_programs", params="axis")
def num_programs(lw: Lowering, call: CallSite) -> Value:
    """`tl.num_programs`."""
    return lw.make("num_programs", {}, ScalarType(INT32), axis=_axis(lw, call))


def _range(lw: Lowering, call: CallSite, static: bool) -> LoopRange:
    args = list(call.args)
    start, stop, step = 0, call.kwargs.get("arg2"), call.kwargs.get("step", 1)
    if len(args) == 1:
        stop = args[0]
    elif args:
        start, stop = args[0], args[1]
        step = args[2] if len(args) > 2 else step
    return LoopRange(start, stop, 1 if step is None else step, static, call.keywords, call.places(lw))


@builtin("range", "builtins.range")
def runtime_range(lw: Lowering, call: CallSite) -> LoopRange:
    """`range` and `tl.range`."""
    return _range(lw, call, static=False)


@builtin("static_range")
def static_range(lw: Lowering, call: CallSite) -> LoopRange:
    """`tl.static_range`."""
    return _range(lw, call, static=True)


@builtin("condition", params="arg0 disable_licm")
def condition(lw: Lowering, call: CallSite) -> Any:
    """`while tl.condition(...)`."""
    return call.get("arg0")


@builtin("constexpr", params="value")
def constexpr(lw: Lowering, call: CallSite) -> Any:
    """`tl.constexpr(x)` is `x`."""
    value = call.get("value")
    return Unknown("`tl.constexpr` of a run-time value") if isinstance(value, Value) else value


@builtin("tuple", "builtins.tuple", "builtins.list")
def make_tuple(lw: Lowering, call: CallSite) -> Any:
    """`tl.tuple([...])`."""
    value = call.args[0] if call.args else TupleValue(())
    return value if isinstance(value, TupleValue) else Unknown("a tuple made of something other than a tuple")


@builtin("pointer_type", params="element_ty address_space const")
def pointer_type(lw: Lowering, call: CallSite) -> Any:
    """`tl.pointer_type(dtype)`."""
    element = call.get("element_ty")
    return pointer_to(element) if isinstance(element, DType) else Unknown("a pointer type")


@builtin("get_int_dtype", params="bitwidth signed")
def get_int_dtype(lw: Lowering, call: CallSite) -> Any:
    """`tl.core.get_int_dtype(bitwidth, signed)`."""
    bits, signed = lw.known_integer(call.get("bitwidth")), call.get("signed")
    found = dtype_named(f"{'int' if signed else 'uint'}{bits}") if bits is not None else None
    return found or Unknown("an integer type of unknown width")


@builtin("static_assert", params="cond msg")
def static_assert(lw: Lowering, call: CallSite) -> None:
    """`tl.static_assert`: a failure means that this binding does not compile."""
    truth = lw.truth(call.get("cond"))
    if truth is False:
        lw.give_up("a `static_assert` fails under this binding")


@builtin("device_assert", params="cond msg mask")
def device_assert(lw: Lowering, call: CallSite) -> None:
    """`tl.device_assert`."""
    test = call.get("cond")
    if isinstance(test, Value):
        lw.emit("assert", {"cond": [test]})


@builtin("static_print")
def static_print(lw: Lowering, call: CallSite) -> None:
    """`tl.static_print` prints while compiling."""


@builtin("device_print", "builtins.print")
def device_print(lw: Lowering, call: CallSite) -> None:
    """`tl.device_print` and `print`."""
    values = [v for a in (*call.args, *call.kwargs.values()) for v in flatten(a) if isinstance(v, Value)]
    lw.emit("print", {"args": values})


@builtin("debug_barrier")
def debug_barrier(lw: Lowering, call: CallSite) -> None:
    """`tl.debug_barrier`."""
    lw.emit("barrier", {}, api=call.name)
