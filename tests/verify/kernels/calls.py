"""Helpers, inlined and not, and early returns, with the bindings they are compared under. Never run.

`BINDINGS` holds, per kernel, pairs of run-time parameter types and constexprs.
"""

# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def square(ptr, n, B: tl.constexpr):
    return tl.make_tensor_descriptor(ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])


@triton.jit
def early_return(x_ptr, o_ptr, n, B: tl.constexpr):
    pid = tl.program_id(0)
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    x = xd.load([0, 0])
    if pid * B >= n:
        od.store([0, B], x * 2)
        return
    y = tl.exp(xd.load([pid * B, 0]))
    od.store([pid * B, 0], y + x)


@triton.jit
def _mean_and_spread(x):
    mean = tl.sum(x, 1) / 32
    centred = x - mean[:, None]
    return centred, tl.sum(centred * centred, 1)


@triton.jit
def helper_returning_a_tuple(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    centred, spread = _mean_and_spread(xd.load([0, 0]).to(tl.float32))
    od.store([0, 0], centred * tl.rsqrt(spread)[:, None])


@triton.jit
def _accumulate(acc, xd, i, B: tl.constexpr):
    x = xd.load([i * B, 0])
    return acc + tl.exp(x) * x


@triton.jit
def helper_in_a_loop(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = tl.zeros((B, B), tl.float32)
    for i in range(0, n):
        acc = _accumulate(acc, xd, i, B)
    od.store([0, 0], acc)


@triton.jit(noinline=True)
def _store_double(x_ptr, o_ptr, n, i, B: tl.constexpr):
    x = square(x_ptr, n, B).load([i, 0])
    square(o_ptr, n, B).store([i, 0], tl.exp(x) + x * tl.log(x))


@triton.jit
def helper_not_inlined(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    _store_double(x_ptr, o_ptr, n, 0, B)
    square(o_ptr, n, B).store([0, 0], x)


@triton.jit
def _clipped(x, limit):
    if limit > 3:
        return tl.minimum(x, 1.0) * x
    return tl.exp(x)


@triton.jit
def helper_with_two_returns(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    x = xd.load([0, 0])
    y = _clipped(x, n)
    od.store([0, 0], y + x)


@triton.jit
def helper_with_two_returns_in_a_loop(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    for i in range(0, n):
        x = xd.load([i * B, 0])
        y = _clipped(x, i)
        od.store([i * B, 0], y + x)


BINDINGS = {
    "early_return": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "helper_returning_a_tuple": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "helper_in_a_loop": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "helper_not_inlined": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "helper_with_two_returns": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "helper_with_two_returns_in_a_loop": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
}
