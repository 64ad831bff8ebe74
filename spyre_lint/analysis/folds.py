"""What Triton's canonicalizer folds away: arithmetic on constants, identities, views of constants, needless casts.

Only folds that change which tiles exist matter here; which they are was seen by compiling probes with Triton 3.9.
`fold` returns the value that takes the place of an operation's only result, and changes nothing else.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from spyre_lint.analysis.graph import UNKNOWN_NUMBER, Graph, Number, UnknownNumber, type_key
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Expr, compare
from spyre_lint.ir.types import DType, TileType, dtype_of, shape_of

VIEWS = frozenset({"splat", "broadcast", "expand_dims", "reshape", "trans"})
"""Operations whose result is their operand seen otherwise."""

COMMUTATIVE = frozenset({"add", "mul", "and", "or", "xor", "min", "max"})
COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
INVERTED = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def constant_of(value: Value) -> Number | None:
    """The number of a constant (`UNKNOWN_NUMBER` if it was not worked out); None for any other value."""
    if value.op is not None and value.op.opcode == "const":
        number: Number = value.op.attrs["value"]
        return number
    return None


def made_by(value: Value, opcode: str) -> Op | None:
    """The operation that makes a value, if it has this opcode."""
    return value.op if value.op is not None and value.op.opcode == opcode else None


def is_number(value: Value, number: float) -> bool:
    """Whether a value is the constant `number` (a zero of either sign is 0; see `_is_negative_zero`)."""
    known = constant_of(value)
    return isinstance(known, (int, float)) and known == number


def is_zero_tile(value: Value) -> bool:
    """Whether a value is a constant of zeros."""
    return is_number(value, 0)


def fold(graph: Graph, op: Op) -> Value | None:
    """The value that an operation with one result amounts to, or None if it must be computed."""
    if op.opcode in VIEWS:
        return _fold_view(graph, op)
    rule = _RULES.get(op.opcode)
    return None if rule is None else rule(graph, op)


# ---- views -----------------------------------------------------------------------------------------------------


def _fold_view(graph: Graph, op: Op) -> Value | None:
    operand, result = op.operands[0], op.result
    number = constant_of(operand)
    if number is not None:
        return graph.constant(result.type, number, op.loc)
    if op.opcode == "splat":
        return None
    if type_key(operand.type) == type_key(result.type) and op.opcode != "trans":
        return operand
    if op.opcode == "trans":
        perm = op.attrs.get("perm", ())
        return operand if list(perm) == list(range(len(perm))) else None
    return None


def view_of_view(graph: Graph, op: Op) -> bool:
    """Shorten a view of a view in place: a view of a splat is a splat, a broadcast of a broadcast one broadcast."""
    operand = op.operands[0]
    inner = operand.op
    if inner is None or op.opcode == "splat":
        return False
    if inner.opcode == "splat" and shape_of(op.result.type):
        op.opcode = "splat"
        op.attrs = {}
        graph.set_groups(op, {"value": inner.operands})
        return True
    if inner.opcode == op.opcode and op.opcode in ("broadcast", "reshape"):
        graph.set_groups(op, {"value": inner.operands})
        return True
    if inner.opcode == op.opcode == "trans":
        first, second = inner.attrs["perm"], op.attrs["perm"]
        op.attrs = {**op.attrs, "perm": tuple(first[axis] for axis in second)}
        graph.set_groups(op, {"value": inner.operands})
        return True
    return False


# ---- casts -----------------------------------------------------------------------------------------------------


def _fold_cast(graph: Graph, op: Op) -> Value | None:
    operand, result = op.operands[0], op.result
    source, target = dtype_of(operand.type), dtype_of(result.type)
    if not source.is_known or not target.is_known:
        return None
    if type_key(operand.type) == type_key(result.type):
        return operand
    number = constant_of(operand)
    if number is not None:
        if op.attrs.get("bitcast") or (isinstance(number, float) and target.is_integer and not math.isfinite(number)):
            number = UNKNOWN_NUMBER
        return graph.constant(result.type, number, op.loc)
    inner = made_by(operand, "cast")
    if inner is None or op.attrs.get("bitcast") or inner.attrs.get("bitcast"):
        return None
    origin = inner.operands[0]
    if type_key(origin.type) != type_key(result.type):
        return None
    first = dtype_of(origin.type)
    if _is_fp8(first) or _is_fp8(source):
        return None
    widened = (first.bits or 0) < (source.bits or 0)
    same_kind = (first.is_float and source.is_float) or (first.is_integer and source.is_integer)
    return origin if widened and same_kind else None


def shorten_cast(graph: Graph, op: Op) -> bool:
    """A cast of a cast works on what was cast first, in place, where nothing is lost by it.

    A narrowing of a widened number, a widening of a widened integer, a float made of a widened integer, and a narrowed
    float made of an integer.
    """
    inner = made_by(op.operands[0], "cast")
    if inner is None or op.attrs.get("bitcast") or inner.attrs.get("bitcast"):
        return False
    origin = inner.operands[0]
    first, middle, last = dtype_of(origin.type), dtype_of(op.operands[0].type), dtype_of(op.result.type)
    if not (first.is_known and middle.is_known and last.is_known) or any(map(_is_fp8, (first, middle, last))):
        return False
    before, between, after = (dtype.bits or 0 for dtype in (first, middle, last))
    unsigned: object
    if first.is_integer and middle.is_integer and last.is_integer:
        narrows = before < between > after and before != after
        widens = before < between < after and inner.attrs["unsigned"] == op.attrs["unsigned"]
        if not (narrows or widens):
            return False
        unsigned = inner.attrs["unsigned"] if before < after else None
    elif first.is_float and middle.is_float and last.is_float:
        if not (before < between > after and before != after):
            return False
        unsigned = op.attrs["unsigned"]
    elif first.is_integer and middle.is_integer and last.is_float:
        if not before < between or inner.attrs["unsigned"] != op.attrs["unsigned"][0]:
            return False
        unsigned = op.attrs["unsigned"]
    elif first.is_integer and middle.is_float and last.is_float:
        if not between > after:
            return False
        unsigned = (inner.attrs["unsigned"][0], False)
    else:
        return False
    op.attrs = {**op.attrs, "unsigned": unsigned}
    graph.set_groups(op, {"value": [origin]})
    return True


def _is_fp8(dtype: DType) -> bool:
    return dtype.is_float and dtype.bits == 8


# ---- elementwise -----------------------------------------------------------------------------------------------


def _fold_where(graph: Graph, op: Op) -> Value | None:
    condition, x, y = op.operands
    number = constant_of(condition)
    if isinstance(number, int):
        return x if number else y
    if x is y:
        return x
    compared = made_by(condition, "elementwise")
    of_both = compared is not None and set(compared.operands) == {x, y} and dtype_of(x.type).is_integer
    if compared is not None and of_both and compared.fn in ("eq", "ne"):
        return x if compared.fn == "ne" else y  # where they are equal, either will do
    if dtype_of(x.type).bits == 1 and is_number(x, 1) and is_number(y, 0) and condition.type == op.result.type:
        return condition
    return None


def _fold_elementwise(graph: Graph, op: Op) -> Value | None:
    numbers = [constant_of(operand) for operand in op.operands]
    if numbers and all(number is not None for number in numbers):
        dtype = dtype_of(op.operands[0].type)
        known = [UNKNOWN_NUMBER if number is None else number for number in numbers]
        return graph.constant(op.result.type, compute(op.fn, known, dtype, bool(op.attrs.get("unsigned"))), op.loc)
    if len(op.operands) == 2:
        return _fold_binary(graph, op, op.operands[0], op.operands[1])
    if len(op.operands) == 1 and op.fn in ("neg", "not", "invert"):
        inner = made_by(op.operands[0], "elementwise")
        if inner is not None and inner.fn == op.fn and dtype_of(op.result.type).is_float == (op.fn == "neg"):
            return inner.operands[0]
    return None


def _fold_binary(graph: Graph, op: Op, a: Value, b: Value) -> Value | None:
    fn, dtype = op.fn, dtype_of(a.type)
    if fn in COMPARISONS:
        return _fold_comparison(graph, op, a, b)
    if dtype.is_float:
        return _fold_float(fn, a, b)
    if not dtype.is_integer:
        return None
    if fn in COMMUTATIVE and constant_of(a) is not None:
        a, b = b, a
    ones = 1 if dtype.bits == 1 else -1
    if is_number(b, 0):
        if fn in ("add", "sub", "or", "xor", "shl", "shr", "ashr"):
            return a
        if fn in ("mul", "and"):
            return graph.constant(op.result.type, 0, op.loc)
    if is_number(b, 1) and fn in ("mul", "div", "cdiv"):
        return a
    if is_number(b, 1) and fn == "rem":
        return graph.constant(op.result.type, 0, op.loc)
    if is_number(b, ones) and fn in ("and", "or"):
        return a if fn == "and" else b
    if a is b:
        if fn in ("sub", "xor"):
            return graph.constant(op.result.type, 0, op.loc)
        if fn in ("and", "or", "min", "max"):
            return a
    if fn in ("min", "max") and dtype.bits is not None and dtype.bits > 1:
        return _fold_extremum(op, a, b, dtype.bits)
    if fn in ("and", "xor"):
        return _fold_nested(fn, a, b)
    return _fold_sum_of_difference(fn, a, b)


def _fold_extremum(op: Op, a: Value, b: Value, bits: int) -> Value | None:
    """The least or greatest number of a type against any other."""
    unsigned = bool(op.attrs.get("unsigned"))
    least, greatest = (0, -1) if unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    neutral, absorbing = (greatest, least) if op.fn == "min" else (least, greatest)
    if is_number(b, neutral):
        return a
    return b if is_number(b, absorbing) else None


def _fold_nested(fn: str, a: Value, b: Value) -> Value | None:
    """`(x ^ y) ^ y` is `x`, `(x & y) & y` is `x & y`."""
    for nested, other in ((a, b), (b, a)):
        made = made_by(nested, "elementwise")
        if made is None or made.fn != fn or other not in made.operands:
            continue
        if fn == "and":
            return nested
        return made.operands[1] if made.operands[0] is other else made.operands[0]
    return None


def _fold_float(fn: str, a: Value, b: Value) -> Value | None:
    if fn in ("mul", "add") and constant_of(a) is not None:
        a, b = b, a
    if fn in ("mul", "fdiv") and is_number(b, 1):
        return a
    number = constant_of(b)
    if isinstance(number, float) and number == 0:
        positive = math.copysign(1.0, number) > 0
        if (fn == "sub" and positive) or (fn == "add" and not positive):
            return a
    return a if fn in ("min", "max") and a is b else None


def _fold_sum_of_difference(fn: str, a: Value, b: Value) -> Value | None:
    """`(x - y) + y` and `(x + y) - y` are `x`, for integers."""
    if fn == "add":
        for difference, other in ((a, b), (b, a)):
            made = made_by(difference, "elementwise")
            if made is not None and made.fn == "sub" and made.operands[1] is other:
                return made.operands[0]
    if fn == "sub":
        made = made_by(a, "elementwise")
        if made is not None and made.fn == "add":
            if made.operands[1] is b:
                return made.operands[0]
            if made.operands[0] is b:
                return made.operands[1]
    return None


def _fold_comparison(graph: Graph, op: Op, a: Value, b: Value) -> Value | None:
    dtype = dtype_of(a.type)
    if not dtype.is_integer:
        return None
    if a is b:
        return graph.constant(op.result.type, int(op.fn in ("eq", "le", "ge")), op.loc)
    if dtype.bits == 1 and ((op.fn == "ne" and is_number(b, 0)) or (op.fn == "eq" and is_number(b, 1))):
        return a
    if is_tile(a):
        return None
    widened = made_by(a, "cast")
    if widened is None or widened.attrs.get("bitcast") or dtype_of(widened.operands[0].type).bits != 1:
        return None
    return widened.operands[0] if op.fn == "ne" and is_number(b, 0) else None


def _fold_address(graph: Graph, op: Op) -> Value | None:
    return op.operands[0] if is_number(op.operands[1], 0) else None


def _fold_arange(graph: Graph, op: Op) -> Value | None:
    shape = shape_of(op.result.type)
    if shape and shape[0].is_const and shape[0].value == 1:
        return graph.constant(op.result.type, op.attrs["start"], op.loc)
    return None


_RULES: dict[str, Callable[[Graph, Op], Value | None]] = {
    "cast": _fold_cast,
    "where": _fold_where,
    "elementwise": _fold_elementwise,
    "arange": _fold_arange,
    "addptr": _fold_address,
}


def split_of_join(op: Op) -> tuple[Value, Value] | None:
    """The two halves of a split, if what is split was joined from them."""
    join = made_by(op.operands[0], "join")
    return (join.operands[0], join.operands[1]) if join is not None else None


def is_tile(value: Value) -> bool:
    """Whether a value has rank 1 or more."""
    return isinstance(value.type, TileType)


# ---- numbers ---------------------------------------------------------------------------------------------------


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_INTEGER: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "min": min, "max": max, "div": _truncated, "rem": lambda a, b: a - b * _truncated(a, b),
    "cdiv": lambda a, b: _truncated(a + b - 1, b), "shl": lambda a, b: a << b, "ashr": lambda a, b: a >> b,
}  # fmt: skip
_FLOAT: dict[str, Callable[[float, float], float]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "fdiv": operator.truediv, "min": min, "max": max,
}  # fmt: skip
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip


def compute(fn: str, numbers: list[Number], dtype: DType, unsigned: bool) -> Number:
    """The number that a function of constants gives; `UNKNOWN_NUMBER` where it is not worked out."""
    if len(numbers) != 2 or any(isinstance(number, UnknownNumber) for number in numbers):
        if len(numbers) == 1 and fn == "neg" and isinstance(numbers[0], (int, float)):
            return -numbers[0]
        return UNKNOWN_NUMBER
    a, b = numbers
    if isinstance(a, Expr) or isinstance(b, Expr):
        return _compute_symbolic(fn, a, b)
    assert not isinstance(a, UnknownNumber) and not isinstance(b, UnknownNumber)
    if unsigned and dtype.bits is not None and dtype.is_integer:
        a, b = int(a) % (1 << dtype.bits), int(b) % (1 << dtype.bits)
    try:
        if fn in _COMPARE:
            return int(_COMPARE[fn](a, b))
        if dtype.is_integer:
            return _INTEGER[fn](int(a), int(b)) if fn in _INTEGER and not (fn == "shl" and b > 64) else UNKNOWN_NUMBER
        return _FLOAT[fn](a, b) if fn in _FLOAT else UNKNOWN_NUMBER
    except (ArithmeticError, ValueError):
        return UNKNOWN_NUMBER


def _compute_symbolic(fn: str, a: Number, b: Number) -> Number:
    if not isinstance(a, (int, Expr)) or not isinstance(b, (int, Expr)):
        return UNKNOWN_NUMBER
    if fn == "add":
        return a + b
    if fn == "sub":
        return a - b
    if fn == "mul":
        return a * b
    if fn in _COMPARE:
        known = compare(a, fn, b)
        return UNKNOWN_NUMBER if known is None else int(known)
    return UNKNOWN_NUMBER
