"""Random numbers: the counter-based generator (Philox, 4 words) that Triton's standard library inlines.

Which operations there are matters for the peak of live tiles: a block of random numbers needs five tiles of 32-bit
words at once. The generator is that of Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spyre_lint.frontend.builtins.elementwise import unary
from spyre_lint.frontend.callsite import CallSite, builtin
from spyre_lint.frontend.values import TupleValue, is_opaque
from spyre_lint.ir.core import Value
from spyre_lint.ir.types import FP32, INT32, INT64, UINT32, UINT64, DType, dtype_of, shape_of, value_type

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering

_DEFAULT_ROUNDS: Final = 10
_MAX_ROUNDS: Final = 64

# Multipliers and key increments of the two word sizes.
_MULTIPLIERS: Final = {32: (0xD2511F53, 0xCD9E8D57), 64: (0xD2E7470EE14C6C93, 0xCA5A826395121157)}
_INCREMENTS: Final = {32: (0x9E3779B9, 0xBB67AE85), 64: (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)}

# Scale from a word to [0, 1), a little below 2**-31 and 2**-63.
_SCALES: Final = {32: 4.6566127342e-10, 64: 1.0842020432385337e-19}


def _rounds(lw: Lowering, call: CallSite) -> int:
    given = lw.known_integer(call.get("n_rounds", _DEFAULT_ROUNDS))
    return _DEFAULT_ROUNDS if given is None else max(0, min(given, _MAX_ROUNDS))


def _generate(lw: Lowering, seed: Value, words: list[Value], rounds: int) -> list[Value]:
    """Run the generator on a counter of four words, with the key taken from the seed."""
    bits = 64 if dtype_of(words[0].type).bits == 64 else 32
    word: DType = UINT64 if bits == 64 else UINT32
    key = lw.cast_to(seed, UINT64)
    if bits == 32:
        high = lw.arithmetic("and", lw.arithmetic("shr", key, 32), 0xFFFFFFFF)
        low = lw.arithmetic("and", key, 0xFFFFFFFF)
        first, second = lw.cast_to(low, UINT32), lw.cast_to(high, UINT32)
    else:
        first, second = key, lw.to_value(0, UINT64)
    a, b, c, d = (lw.bitcast_to(value, word) for value in words)
    by_a, by_b = (lw.to_value(number, word) for number in _MULTIPLIERS[bits])
    for _ in range(rounds):
        a_before, c_before = a, c
        a = lw.arithmetic("xor", lw.arithmetic("xor", lw.arithmetic("umulhi", by_b, c_before), b), first)
        c = lw.arithmetic("xor", lw.arithmetic("xor", lw.arithmetic("umulhi", by_a, a_before), d), second)
        b = lw.arithmetic("mul", by_b, c_before)
        d = lw.arithmetic("mul", by_a, a_before)
        first = lw.arithmetic("add", first, lw.to_value(_INCREMENTS[bits][0], word))
        second = lw.arithmetic("add", second, lw.to_value(_INCREMENTS[bits][1], word))
    return [a, b, c, d]


def _four_words(lw: Lowering, call: CallSite) -> list[Value] | None:
    """Four blocks of random words for an offset; None if something about the call is not known."""
    seed, offset = lw.to_value(call.get("seed")), lw.to_value(call.get("offset"))
    if is_opaque(seed) or is_opaque(offset) or not dtype_of(offset.type).is_known:
        return None
    low = lw.cast_to(offset, UINT32)
    zero = lw.arithmetic("mul", low, 0)
    wide = (dtype_of(offset.type).bits or 0) > 32
    high = lw.cast_to(lw.arithmetic("shr", offset, 32), UINT32) if wide else zero
    return _generate(lw, seed, [low, high, zero, zero], _rounds(lw, call))


def _uniform(lw: Lowering, value: Value) -> Value:
    bits = 64 if dtype_of(value.type).bits == 64 else 32
    signed = lw.bitcast_to(value, INT64 if bits == 64 else INT32)
    inverted = lw.arithmetic("xor", signed, -1)
    negative = lw.compare("<", signed, 0)
    positive = lw.make("where", {"cond": [negative], "x": [inverted], "y": [signed]}, signed.type)
    return lw.arithmetic("mul", positive, _SCALES[bits])


def _normal(lw: Lowering, u: Value, v: Value) -> tuple[Value, Value]:
    """Two normally distributed numbers from two uniform ones (Box and Muller)."""
    angle = lw.arithmetic("mul", 6.283185307179586, v)
    radius = unary(lw, "sqrt", lw.arithmetic("mul", -2.0, unary(lw, "log", lw.arithmetic("max", 1.0e-7, u))))
    return (
        lw.arithmetic("mul", radius, unary(lw, "cos", angle)),
        lw.arithmetic("mul", radius, unary(lw, "sin", angle)),
    )


def _drawn(lw: Lowering, name: str, words: list[Value]) -> list[Value]:
    if name.startswith("randint"):
        return words
    numbers = [_uniform(lw, word) for word in words[: 4 if name.endswith("4x") else 2 if name == "randn" else 1]]
    if not name.startswith("randn"):
        return numbers
    normal = list(_normal(lw, numbers[0], numbers[1]))
    return [*normal, *_normal(lw, numbers[2], numbers[3])] if name.endswith("4x") else normal


def _unknown(lw: Lowering, call: CallSite, name: str) -> Value:
    """A block of random numbers whose offset's element type is not known: one operation of the offset's shape."""
    seed, offset = lw.to_value(call.get("seed")), lw.to_value(call.get("offset"))
    shape = shape_of(offset.type)
    if shape is None:
        return offset
    result = value_type(shape, INT32 if name.startswith("randint") else FP32)
    return lw.make("random", {"seed": [seed], "offset": [offset]}, result, fn=name)


def _register() -> None:
    for name in ("rand", "randn", "randint", "rand4x", "randn4x", "randint4x"):

        def handler(lw: Lowering, call: CallSite, name: str = name) -> Any:
            words = _four_words(lw, call)
            if words is None:
                unknown = _unknown(lw, call, name)
                return TupleValue((unknown,) * 4) if name.endswith("4x") else unknown
            drawn = _drawn(lw, name, words)
            return TupleValue(tuple(drawn)) if name.endswith("4x") else drawn[0]

        builtin(name, params="seed offset n_rounds")(handler)


_register()


@builtin("philox", params="seed c0 c1 c2 c3 n_rounds")
def philox(lw: Lowering, call: CallSite) -> Any:
    """`tl.philox`: the generator itself."""
    values = [lw.to_value(call.get(name)) for name in ("seed", "c0", "c1", "c2", "c3")]
    unknown = next((value for value in values if is_opaque(value)), None)
    if unknown is not None:
        return TupleValue((unknown,) * 4)
    return TupleValue(tuple(_generate(lw, values[0], values[1:], _rounds(lw, call))))


@builtin("uint_to_uniform_float", params="x")
def uniform_from_word(lw: Lowering, call: CallSite) -> Any:
    """`tl.uint_to_uniform_float`."""
    value = lw.to_value(call.get("x"))
    return value if is_opaque(value) else _uniform(lw, value)


@builtin("pair_uniform_to_normal", params="u1 u2")
def normal_from_uniform(lw: Lowering, call: CallSite) -> Any:
    """`tl.pair_uniform_to_normal`."""
    u, v = lw.to_value(call.get("u1")), lw.to_value(call.get("u2"))
    return TupleValue((u, v)) if is_opaque(u) or is_opaque(v) else TupleValue(_normal(lw, u, v))
