"""Arithmetic that Triton folds, or does not fold although one might expect it. Never run.

`BINDINGS` holds, per kernel, pairs of run-time parameter types and constexprs.
"""

# mypy: ignore-errors
# ruff: noqa: B002

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def square(ptr, n, B: tl.constexpr):
    return tl.make_tensor_descriptor(ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])


@triton.jit
def negated_comparison(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    m = x < y
    z = tl.where(~m, x, y * 2)
    od.store([0, 0], z)


@triton.jit
def added_constants(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    od.store([0, 0], (x + 1) + 2 + y * 2 * 3 - 1 - 2)


@triton.jit
def differences(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    od.store([0, 0], (x - y) + y + (x + y) - x)


@triton.jit
def widened_twice(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    a = x.to(tl.int8).to(tl.int16).to(tl.int32)
    b = x.to(tl.int64).to(tl.int16)
    c = (x > y).to(tl.int32).to(tl.int64) != 0
    od.store([0, 0], tl.where(c, a, b.to(tl.int32)))


@triton.jit
def nested_choices(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    c = x > y
    z = tl.where(c, tl.where(c, x, y), y)
    w = tl.where(c, 1, 0).to(tl.int32)
    od.store([0, 0], z + w)


@triton.jit
def logic(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    c = x > y
    d = (c & c) | (c & (x > 0))
    e = d ^ d
    f = x % 1 + x // 1 + (x & -1) + (x | 0) + x * 0
    od.store([0, 0], tl.where(e | d, f, y) + tl.minimum(x, x))


@triton.jit
def negations(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]).to(tl.float32), yd.load([0, 0]).to(tl.float32)
    od.store([0, 0], ((-(-x)) + (-x) * (-y) + (-x) / (-y) + y * 1.0 - 0.0 + tl.maximum(y, y)).to(tl.int32))


@triton.jit
def chosen_masks(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    c = tl.where(x > y, x == 3, y > 4)
    d = ~c
    od.store([0, 0], tl.where(d, x, y) + tl.where(x == y, x, y))


@triton.jit
def choices_of_integers(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    od.store(
        [0, 0],
        tl.where(x > y, y, x) * 3
        + tl.where(x < y, y, x) * 5
        + tl.where(x >= y, x, y) * 7
        + tl.where(x != y, y, x) * 11
        + tl.where(x == y, y, x) * 13,
    )


@triton.jit
def choices_of_floats(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]).to(tl.float32, bitcast=True), yd.load([0, 0]).to(tl.float32, bitcast=True)
    od.store([0, 0], (tl.where(x > y, x, y) + tl.where(x == y, y, x)).to(tl.int32, bitcast=True))


@triton.jit
def choices_of_unsigned(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]).to(tl.uint32), yd.load([0, 0]).to(tl.uint32)
    od.store([0, 0], (tl.where(x > 7, x, 7) + tl.where(y < 7, y, 7) + tl.where(y < 8, 8, y)).to(tl.int32))


@triton.jit
def products_with_minus_one(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    od.store(
        [0, 0], (x + y * -1) + (0 - y) + (x * -1) + (x - x) + (x << 0) + (y >> 0) + (x - 3) + (x == x).to(tl.int32)
    )


@triton.jit
def bit_logic(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    od.store([0, 0], x // 2 + y % 4 + (x ^ y ^ y) + (x & y & y) + (x | y | x) + (~(~x)) + (x & 0))


@triton.jit
def bits_there_and_back(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    f = x.to(tl.float32, bitcast=True)
    g = f.to(tl.int32, bitcast=True)
    h = y.to(tl.float32, bitcast=True).to(tl.uint32, bitcast=True).to(tl.float32, bitcast=True)
    od.store([0, 0], g + h.to(tl.int32))


@triton.jit
def logic_of_widened(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    a = (x > y).to(tl.int32) & (y > 3).to(tl.int32)
    b = x.to(tl.int8).to(tl.int32) + y.to(tl.int16).to(tl.float32).to(tl.int32)
    c = x.to(tl.uint8).to(tl.uint32).to(tl.float32).to(tl.int32)
    od.store([0, 0], a + b + c + ((x > 1).to(tl.int8) != 0).to(tl.int32))


@triton.jit
def float_arithmetic(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]).to(tl.float32), yd.load([0, 0]).to(tl.float32)
    z = (
        x.to(tl.float16).to(tl.float32)
        + x.to(tl.bfloat16).to(tl.float16)
        + (x - y)
        + y
        + tl.abs(tl.abs(x))
        - (-y)
        + (x + (-y))
        + tl.floor(tl.floor(x))
    )
    od.store([0, 0], (z / 1.0 * 2.0 * 4.0 + x / 2.0).to(tl.int32))


@triton.jit
def extrema(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    z = (
        tl.maximum(tl.maximum(x, y), y)
        + tl.minimum(x, 2147483647)
        + tl.maximum(x, 0x7FFFFFFF)
        + tl.minimum(tl.minimum(x, 5), 7)
    )
    od.store([0, 0], z)


@triton.jit
def reduced_views(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    a = tl.sum(x, 1)[:, None] + tl.zeros((B, B), tl.int32)
    b = tl.max(x.reshape(B * B), 0) + y
    c = tl.sum(y[:, :, None], 2)
    d = tl.sum(tl.broadcast_to(tl.sum(y, 1)[:, None], (B, B)), 1)
    od.store([0, 0], a + b + c + d[:, None])


BINDINGS = {
    "negated_comparison": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "added_constants": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "differences": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "widened_twice": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "nested_choices": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "logic": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "negations": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "chosen_masks": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "choices_of_integers": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "choices_of_floats": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "choices_of_unsigned": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "products_with_minus_one": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "bit_logic": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "bits_there_and_back": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "logic_of_widened": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "float_arithmetic": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "extrema": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "reduced_views": [({"x_ptr": "*i32", "y_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
}
