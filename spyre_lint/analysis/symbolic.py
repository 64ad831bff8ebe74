"""The symbolic value of a kernel's integer scalars: in parameters, program ids and loop counters."""

from __future__ import annotations

from collections.abc import Callable

from spyre_lint.bindings import Binding
from spyre_lint.context import KernelInstance
from spyre_lint.ir import sym
from spyre_lint.ir.core import KernelIR, Op, Value
from spyre_lint.ir.sym import Expr, Symbol, const, symbol
from spyre_lint.ir.types import OpaqueType, ScalarType, TileType
from spyre_lint.target import SpyreTarget

_BINARY: dict[str, Callable[[Expr, Expr], Expr]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": sym.truncdiv,
    "rem": sym.truncrem,
    "min": sym.minimum,
    "max": sym.maximum,
    "cdiv": sym.cdiv,
}
_SAME_VALUE = frozenset({"cast", "hint", "splat", "broadcast", "reshape", "expand_dims"})
MAX_DEPTH = 200


class SymbolicValues:
    """Symbolic values of a kernel's scalars, computed on demand.

    Parameters are symbols of kind `arg` (sizes are taken to be at least 1 where they are extents), program ids `pid`
    (0 to cores - 1), grid extents `nprog` (1 to cores), loop counters `iv`, values from memory `memory`, everything
    else `opaque`. A splatted or reshaped scalar has its scalar's value. What a loop carries and moves by the same
    amount in every round is its start plus whole steps, as a loop counter is.
    """

    def __init__(self, ir: KernelIR, target: SpyreTarget) -> None:
        self._ir = ir
        self._target = target
        self._known: dict[Value, Expr] = {}
        self._counters: dict[Symbol, Op] = {}
        self._params = {p.value: p for p in ir.params if p.value is not None}
        self._extents = self._extent_parameters()

    def _extent_parameters(self) -> set[Value]:
        """Parameters that are extents of a descriptor or bounds of a loop: sizes, so never negative."""
        extents: set[Value] = set()
        for op in self._ir.ops("make_descriptor", "for", "make_block_ptr"):
            groups = ("ub",) if op.opcode == "for" else ("shape", "strides")
            for group in groups:
                extents.update(v for v in op.group(group) if v in self._params)
        return extents

    def of(self, value: Value) -> Expr:
        """The expression of a value; a fresh opaque symbol where it is none that can be followed."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._compute(value, 0)
        return found

    def _at(self, value: Value, depth: int) -> Expr:
        found = self._known.get(value)
        if found is None:
            if depth > MAX_DEPTH:
                return self._opaque(value, "opaque")
            found = self._known[value] = self._compute(value, depth)
        return found

    def _opaque(self, value: Value, kind: str, lo: int | None = None, hi: int | None = None) -> Expr:
        return symbol(value.name or f"%{value.id}", kind, lo=lo, hi=hi, uid=value.id)

    def _compute(self, value: Value, depth: int) -> Expr:
        if value in self._params:
            name = self._params[value].name
            return symbol(name, "arg", lo=1 if value in self._extents else None)
        op = value.op
        if op is None:
            return self._argument(value, depth)
        if op.opcode == "const":
            held = op.attrs["value"]
            if isinstance(held, Expr):
                return held
            return const(int(held)) if isinstance(held, int) else self._opaque(value, "opaque")
        if op.opcode in _SAME_VALUE:
            return self._at(op.operands[0], depth + 1)
        if op.opcode == "program_id":
            axis = op.attrs["axis"]
            return symbol(f"program_id({axis})", "pid", lo=0, hi=self._target.cores - 1)
        if op.opcode == "num_programs":
            axis = op.attrs["axis"]
            return symbol(f"num_programs({axis})", "nprog", lo=1, hi=self._target.cores)
        if op.opcode == "elementwise":
            return self._elementwise(value, op, depth)
        if op.opcode in ("desc_load", "ptr_load", "block_load", "desc_gather"):
            return self._opaque(value, "memory")
        if op.opcode in ("if", "noinline_call"):
            return self._yielded(value, op, depth)
        if op.opcode in ("for", "while"):
            region = op.regions[-1]
            position = value.index + (1 if op.opcode == "for" else 0)
            return self._carried(value, region.args[position], op, depth)
        return self._opaque(value, "opaque")

    def _elementwise(self, value: Value, op: Op, depth: int) -> Expr:
        if not isinstance(value.type, (ScalarType, TileType)) or value.type.dtype.is_float:
            return self._opaque(value, "opaque")
        operands = op.operands
        if op.fn in _BINARY and len(operands) == 2:
            if any(isinstance(v.type, OpaqueType) for v in operands):
                return self._opaque(value, "opaque")
            left, right = (self._at(v, depth + 1) for v in operands)
            try:
                return _BINARY[op.fn](left, right)
            except ZeroDivisionError:
                return self._opaque(value, "opaque")
        if op.fn == "neg":
            return -self._at(operands[0], depth + 1)
        return self._opaque(value, "opaque")

    def _yielded(self, value: Value, op: Op, depth: int) -> Expr:
        """A result of a branch: the value both sides agree on, else something between the two."""
        sides: list[Expr] = []
        for region in op.regions:
            end = region.terminator
            if end is None or value.index >= len(end.operands):
                return self._opaque(value, "opaque")
            yielded = end.operands[value.index]
            if yielded.op is None or yielded.op.opcode != "undef":
                sides.append(self._at(yielded, depth + 1))
        if not sides or not isinstance(value.type, (ScalarType, TileType)) or value.type.dtype.is_float:
            return self._opaque(value, "opaque")
        if all(side == sides[0] for side in sides):
            return sides[0]
        lows, highs = zip(*(side.bounds() for side in sides), strict=True)
        low = None if None in lows else min(b for b in lows if b is not None)
        high = None if None in highs else max(b for b in highs if b is not None)
        return self._opaque(value, "opaque", low, high)

    def _argument(self, value: Value, depth: int) -> Expr:
        """A region argument: a loop counter, or a carried value."""
        parent = value.block.parent if value.block is not None else None
        if parent is not None and parent.opcode == "noinline_call":
            return self._at(parent.operands[value.index], depth + 1)
        if parent is not None and (parent.opcode == "while" or (parent.opcode == "for" and value.index > 0)):
            return self._carried(value, value, parent, depth)
        if parent is None or parent.opcode != "for":
            return self._opaque(value, "opaque")
        low, high, step = (self._at(parent.group(g)[0], depth + 1) for g in ("lb", "ub", "step"))
        # The counter is the start plus whole steps: that is what divisibility follows from.
        least = low.bounds()[0]
        if step == const(1):
            greatest = (high - 1).bounds()[1]
            if least is not None and greatest is not None and greatest < least:  # a loop that never runs
                greatest = None
            counter = symbol(value.name or "i", "iv", lo=least, hi=greatest, uid=value.id)
            self._counters.update(dict.fromkeys(counter.symbols(), parent))
            return counter
        trips = symbol(value.name or "i", "iv", lo=0, uid=value.id)
        return low + trips * step

    def _carried(self, value: Value, argument: Value, loop: Op, depth: int) -> Expr:
        """What a loop carries, or is left with at its end (`value`); `argument` is the body's name for it."""
        unknown = self._opaque(value, "opaque")
        inits, end = loop.group("init"), loop.regions[-1].terminator
        position = argument.index - (1 if loop.opcode == "for" else 0)
        if end is None or position >= len(inits) or not isinstance(value.type, ScalarType):
            return unknown
        if value.type.dtype.is_float or value.type.dtype.is_pointer:
            return unknown
        step = self._step(argument, end.operands[position], loop, depth)
        if step is None:
            return unknown
        return self._at(inits[position], depth + 1) + symbol(value.name or "i", "iv", lo=0, uid=value.id) * step

    def _step(self, argument: Value, yielded: Value, loop: Op, depth: int) -> Expr | None:
        """By how much a loop moves what it carries; None where that differs from round to round."""
        before = self._known
        # While the body is looked at, the carried value is a symbol of its own; what is found then is not kept.
        here = self._opaque(argument, "opaque")
        self._known = {**before, argument: here}
        step = self._at(yielded, depth + 1) - here
        self._known = before
        inside = {arg.id for region in loop.regions for arg in region.args}
        inside |= {result.id for region in loop.regions for op in region.walk() for result in op.results}
        return None if any(each.uid in inside for each in step.ordered_symbols()) else step

    def last(self, expr: Expr) -> Expr:
        """An expression with each loop counter at its last value, for a bound of one that grows with its counters."""
        for _ in range(len(expr.ordered_symbols()) + 1):
            counter = next((each for each in expr.ordered_symbols() if each in self._counters), None)
            if counter is None:
                break
            expr = expr.substitute({counter: self.of(self._counters[counter].group("ub")[0]) - 1})
        return expr


def with_arguments(expr: Expr, binding: Binding | None) -> Expr:
    """An expression with the run-time arguments put in that a binding gives exactly."""
    args = binding.args if binding is not None else {}
    known = {
        each: const(args[each.name].value)
        for each in expr.ordered_symbols()
        if each.kind == "arg" and each.name in args and type(args[each.name].value) is int
    }
    return expr.substitute(known) if known else expr


def symbolic_values(instance: KernelInstance) -> SymbolicValues:
    """The symbolic values of an instance."""
    return SymbolicValues(instance.ir, instance.settings.target)
