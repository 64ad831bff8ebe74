"""The sign of a tile's elements: whether none of them can be below, or above, zero."""

from __future__ import annotations

from spyre_lint.analysis.provenance import Provenance
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.types import ScalarType, TileType

_SAME = frozenset({"cast", "hint", "broadcast", "expand_dims", "reshape", "trans", "splat", "join", "cat", "split"})
_MERGES = frozenset({"if", "for", "while", "noinline_call"})
_NEVER_NEGATIVE = frozenset({"abs", "exp", "exp2", "sqrt", "sqrt_rn", "sigmoid", "rsqrt"})
_KEEP_SIGN = frozenset({"sum", "max", "min", "max_with_indices", "min_with_indices"})


class Signs:
    """Signs of the values of one kernel. A value that a loop carries has a sign if its start and its steps have it."""

    def __init__(self, origins: Provenance) -> None:
        self._origins = origins

    def nonnegative(self, value: Value) -> bool:
        """Whether no element is below zero."""
        return self._has(value, 1, set())

    def nonpositive(self, value: Value) -> bool:
        """Whether no element is above zero."""
        return self._has(value, -1, set())

    def _has(self, value: Value, sign: int, seen: set[tuple[Value, int]]) -> bool:
        if (value, sign) in seen:
            return True
        seen.add((value, sign))
        typed = value.type
        if sign > 0 and isinstance(typed, (TileType, ScalarType)) and typed.dtype.kind in ("uint", "bool"):
            return True
        op = value.op
        if op is None or op.opcode in _MERGES:
            inputs = self._origins.inputs_of(value)
            if op is not None and op.opcode == "if":
                inputs = inputs[1:]
            return bool(inputs) and all(self._has(v, sign, seen) for v in inputs)
        if op.opcode == "const":
            held = op.attrs["value"]
            return isinstance(held, (int, float)) and held * sign >= 0
        if op.opcode == "where":
            return all(self._has(v, sign, seen) for v in (op.group("x")[0], op.group("y")[0]))
        if op.opcode in _SAME:
            return not op.attrs.get("bitcast") and all(self._has(v, sign, seen) for v in op.operands)
        if op.opcode == "reduce":
            kept = op.fn in _KEEP_SIGN or (op.fn == "product" and sign > 0)
            return kept and value.index == 0 and self._has(op.operands[0], sign, seen)
        return op.opcode == "elementwise" and self._elementwise(op, sign, seen)

    def _elementwise(self, op: Op, sign: int, seen: set[tuple[Value, int]]) -> bool:
        values = op.operands
        if sign > 0 and op.fn in _NEVER_NEGATIVE:
            return True
        if op.fn == "neg":
            return self._has(values[0], -sign, seen)
        if op.fn in ("max", "min"):
            one_is_enough = (op.fn == "max") == (sign > 0)
            held = [self._has(v, sign, set(seen)) for v in values]
            return any(held) if one_is_enough else all(held)
        if op.fn == "add":
            return all(self._has(v, sign, seen) for v in values)
        if op.fn == "sub":
            return self._has(values[0], sign, seen) and self._has(values[1], -sign, seen)
        if op.fn in ("mul", "fdiv", "div"):
            if op.fn == "mul" and sign > 0 and values[0] is values[1]:
                return True
            return any(
                self._has(values[0], left, set(seen)) and self._has(values[1], left * sign, set(seen))
                for left in (1, -1)
            )
        if op.fn == "fma":
            return sign > 0 and all(self._has(v, 1, seen) for v in values)
        return False
