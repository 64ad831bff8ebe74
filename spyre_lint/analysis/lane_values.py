"""Abstract values of padding lanes: what a lane outside a descriptor's `shape` holds after a computation.

A lane holds a known number, a value that varies with the data (so no constant, and in general no identity), or
something that is not known and why. Elementwise functions are computed on known numbers; a product with a lane that
holds 0 is 0, and -inf minus a varying value is -inf: the kernel's data is taken to be finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from spyre_lint.ir.sym import Expr

INFINITY = math.inf


@dataclass(frozen=True, slots=True)
class Lane:
    """What a padding lane holds: `number`, or, where that is None, something unknown because of `reason`.

    `varies` says of an unknown value that it comes from the data: for some data it is none of the usual constants.
    `scalar` is its expression where it is an integer of the kernel, as a mask fills in.
    """

    number: float | None
    reason: str = ""
    varies: bool = False
    scalar: Expr | None = None

    @property
    def is_known(self) -> bool:
        """Whether the number is known."""
        return self.number is not None

    def __str__(self) -> str:
        if self.number is None:
            return self.reason or "a value that is not known"
        if math.isinf(self.number):
            return "inf" if self.number > 0 else "-inf"
        return (
            str(int(self.number)) if float(self.number).is_integer() and abs(self.number) < 1e15 else f"{self.number:g}"
        )


ZERO = Lane(0.0)


def unknown(reason: str) -> Lane:
    """A lane about which nothing is known."""
    return Lane(None, reason)


def varying(what: str, scalar: Expr | None = None) -> Lane:
    """A lane whose value comes from the data; `what` names it, `scalar` is it where it is an integer."""
    return Lane(None, what, varies=True, scalar=scalar)


def join(left: Lane, right: Lane) -> Lane:
    """What a lane holds that is one of two."""
    if left == right:
        return left
    vague = [lane for lane in (left, right) if not lane.is_known and not lane.varies]
    return vague[0] if vague else unknown(f"{left} or {right}")


_UNARY: dict[str, Callable[..., float]] = {
    "neg": lambda x: -x,
    "abs": abs,
    "exp": math.exp,
    "exp2": lambda x: 2.0**x,
    "log": lambda x: -INFINITY if x == 0 else math.log(x),
    "log2": lambda x: -INFINITY if x == 0 else math.log2(x),
    "sqrt": math.sqrt,
    "sqrt_rn": math.sqrt,
    "rsqrt": lambda x: INFINITY if x == 0 else 1.0 / math.sqrt(x),
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "erf": math.erf,
    "floor": math.floor,
    "ceil": math.ceil,
    "sigmoid": lambda x: 1.0 / (1.0 + math.exp(-x)),
    "not": lambda x: 0.0 if x else 1.0,
}
_BINARY: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "fdiv": lambda a, b: math.copysign(INFINITY, a) if b == 0 and a != 0 else a / b,
    "div": lambda a, b: float(math.trunc(a / b)),
    "rem": math.fmod,
    "min": min,
    "max": max,
    "pow": lambda a, b: a**b,
    "eq": lambda a, b: float(a == b),
    "ne": lambda a, b: float(a != b),
    "lt": lambda a, b: float(a < b),
    "le": lambda a, b: float(a <= b),
    "gt": lambda a, b: float(a > b),
    "ge": lambda a, b: float(a >= b),
    "and": lambda a, b: float(int(a) & int(b)),
    "or": lambda a, b: float(int(a) | int(b)),
    "xor": lambda a, b: float(int(a) ^ int(b)),
}
_TERNARY: dict[str, Callable[..., float]] = {
    "fma": lambda a, b, c: a * b + c,
    "clamp": lambda a, low, high: min(max(a, low), high),
}


def apply(fn: str, lanes: list[Lane]) -> Lane:
    """An elementwise function on lanes."""
    numbers = [lane.number for lane in lanes]
    if fn == "mul" and 0.0 in numbers:
        return ZERO
    if fn == "and" and 0.0 in numbers:
        return ZERO
    if fn in ("fdiv", "div") and len(numbers) == 2 and numbers[0] == 0.0 and numbers[1] is None:
        return ZERO
    if fn == "fma" and len(numbers) == 3 and 0.0 in numbers[:2]:
        return lanes[2]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return _varying_result(fn, lanes)
    function = {1: _UNARY, 2: _BINARY, 3: _TERNARY}.get(len(known), {}).get(fn)
    if function is None:
        return unknown(f"the result of `{fn}`")
    try:
        result = float(function(*known))
    except (ArithmeticError, ValueError):
        result = math.nan
    if math.isnan(result):
        return unknown(f"`{fn}` of {', '.join(map(str, lanes))}, which is no number")
    return Lane(result)


# Functions that give different results for different data, whatever known finite numbers go in beside them.
_INJECTIVE = frozenset(
    {"add", "sub", "neg", "mul", "fdiv", "exp", "exp2", "log", "log2", "sqrt", "sqrt_rn", "rsqrt", "abs", "tanh", "erf"}
    | {"sigmoid", "fma", "pow", "sin", "cos", "tan"}
)


_MADE_OF = "a value made of "


def _varying_result(fn: str, lanes: list[Lane]) -> Lane:
    """The result of a function of which some operands are not known numbers."""
    vague = next((lane for lane in lanes if not lane.is_known and not lane.varies), None)
    if vague is not None:
        return vague
    infinite = next((lane for lane in lanes if lane.number is not None and math.isinf(lane.number)), None)
    if infinite is not None and infinite.number is not None:
        if fn == "add" or (fn == "sub" and lanes[0] is infinite):
            return infinite
        return Lane(-infinite.number) if fn == "sub" else unknown(f"the result of `{fn}`")
    sources = [lane.reason.removeprefix(_MADE_OF) for lane in lanes if lane.varies]
    different = list(dict.fromkeys(sources))
    cancels = fn in ("sub", "fdiv") and len(different) < len(sources)  # `m - m` does not vary with the data
    if fn not in _INJECTIVE or cancels:
        return unknown(f"the result of `{fn}`")
    if fn == "add" and lanes[0].number == 0 and len(lanes) == 2:
        return lanes[1]
    return varying(_MADE_OF + " and ".join(different))


IDENTITY: dict[str, float] = {
    "sum": 0.0,
    "max": -INFINITY,
    "min": INFINITY,
    "product": 1.0,
    "xor": 0.0,
    "or": 0.0,
    "and": -1.0,
    "max_with_indices": -INFINITY,
    "min_with_indices": INFINITY,
}
"""What a lane must hold so that a reduction does not see it."""


def reduced(fn: str, lane: Lane) -> Lane:
    """What is left of a lane that holds the same thing along the reduced axis."""
    if fn in ("max", "min", "or", "and", "max_with_indices", "min_with_indices"):
        return lane
    if lane.number == IDENTITY.get(fn) or (fn == "product" and lane.number == 0):
        return lane
    return unknown(f"the `{fn}` of padding lanes")
