"""Loops, branches and everything that decides how long a tile lives, with the bindings. Never run.

`BINDINGS` holds, per kernel, pairs of run-time parameter types and constexprs.
"""

# mypy: ignore-errors
# ruff: noqa: SIM108

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def square(ptr, n, B: tl.constexpr):
    return tl.make_tensor_descriptor(ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])


@triton.jit
def nested_loops(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    for i in range(0, n, B):
        x = xd.load([i, 0])
        acc = tl.zeros((B, B), tl.float32)
        for j in range(0, n, B):
            y = tl.exp(yd.load([j, 0])) + x
            for k in range(0, n, B):
                acc += y * yd.load([j, k])
        od.store([i, 0], acc + x)


@triton.jit
def loaded_twice(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    for i in range(0, n, B):
        x = tl.exp(xd.load([i, 0]))
        y = tl.log(xd.load([i, 0]))
        od.store([i, 0], x * y)


@triton.jit
def loaded_around_a_store(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    x = tl.exp(xd.load([0, 0]))
    od.store([0, B], x)
    od.store([0, 0], x + xd.load([0, 0]))


@triton.jit
def loaded_around_a_loop(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = tl.exp(xd.load([0, 0]))
    for i in range(0, n):
        acc += xd.load([0, i * B])
    y = xd.load([0, 0])
    od.store([0, 0], acc * y)


@triton.jit
def hoisted_by_equality(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    x = xd.load([0, 0])
    od.store([0, 0], tl.exp(x))
    for i in range(0, n):
        od.store([i * B, 0], tl.exp(x) * 2)


@triton.jit
def equal_offsets(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    i = tl.program_id(0)
    x = xd.load([i * B, 0 + 0])
    y = tl.exp(x)
    z = xd.load([B * tl.program_id(0), 0])
    od.store([i * B, 0], y - z)


@triton.jit
def run_time_branch(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x = xd.load([0, 0])
    if n > 100:
        y = yd.load([0, 0])
        x = x * y + tl.exp(y)
    else:
        x = tl.exp(x)
    od.store([0, 0], x)


@triton.jit
def branch_without_else(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    z = x
    if n > 100:
        z = x + y
    od.store([0, 0], z * x)


@triton.jit
def choice(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x, y = xd.load([0, 0]), yd.load([0, 0])
    if n > 100:
        z = x
    else:
        z = y
    od.store([0, 0], z)
    od.store([0, B], x)


@triton.jit
def choice_of_a_constant(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    z = xd.load([0, 0])
    if n > 100:
        z = tl.zeros((B, B), tl.float32)
    od.store([0, 0], z)


@triton.jit
def conditional_expression(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x = xd.load([0, 0])
    z = tl.exp(x) if n > 3 else yd.load([0, 0])
    od.store([0, 0], z + x)


@triton.jit
def branch_in_a_loop(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = tl.zeros((B, B), tl.float32)
    for i in range(0, n):
        if i % 2 == 0:
            acc += xd.load([i * B, 0])
        else:
            acc = tl.zeros((B, B), tl.float32)
    od.store([0, 0], acc)


@triton.jit
def stores_in_branches(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    for i in range(0, n):
        x = xd.load([i * B, 0])
        if i > 3:
            od.store([0, 0], tl.exp(x))
        if i > 5 and n > 7:
            od.store([B, 0], tl.log(x) * x)


@triton.jit
def constexpr_branch(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr, WITH: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x = xd.load([0, 0])
    if WITH:
        y = yd.load([0, 0])
        x = tl.exp(x) * y + x
    od.store([0, 0], x)


@triton.jit
def counted_while(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    i = 0
    acc = tl.zeros((B, B), tl.float32)
    while i < n:
        acc += tl.exp(xd.load([i * B, 0]))
        i += 1
    od.store([0, 0], acc)


@triton.jit
def converging_while(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    x = xd.load([0, 0])
    guess = tl.full((B, B), 1.0, tl.float32)
    error = 1.0
    while error > 0.001:
        better = 0.5 * (guess + x / guess)
        error = tl.max(tl.abs(better - guess))
        guess = better
    od.store([0, 0], guess)


@triton.jit
def unrolled(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = tl.zeros((B, B), tl.float32)
    kept = xd.load([0, 0])
    for i in tl.static_range(4):
        x = xd.load([i * B, 0])
        acc += x * kept
    od.store([0, 0], acc)


@triton.jit
def unrolled_by_factor(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = tl.zeros((B, B), tl.float32)
    for i in tl.range(0, n, loop_unroll_factor=2):
        acc += tl.exp(xd.load([i * B, 0]))
    od.store([0, 0], acc)


@triton.jit
def short_loops(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = tl.zeros((B, B), tl.float32)
    for i in range(0, 1):
        acc += xd.load([i, 0])
    for i in range(2, 2):
        acc = tl.exp(acc) * xd.load([i, 0])
    for _ in range(0, 3):
        acc += tl.exp(acc)
    od.store([0, 0], acc)


@triton.jit
def dead_accumulator(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = tl.zeros((B, B), tl.float32)
    unused = tl.zeros((B, B), tl.float32)
    for i in range(0, n):
        x = xd.load([i * B, 0])
        acc += x
        unused += tl.exp(x) * acc
    od.store([0, 0], acc)


@triton.jit
def dead_pair(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = tl.zeros((B, B), tl.float32)
    left = tl.zeros((B, B), tl.float32)
    right = tl.full((B, B), 2.0, tl.float32)
    for i in range(0, n):
        x = xd.load([i * B, 0])
        acc += x
        left, right = right + x, left * x
    od.store([0, 0], acc)


@triton.jit
def invariant(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    scale = tl.exp(xd.load([0, 0]))
    acc = tl.zeros((B, B), tl.float32)
    for i in range(0, n):
        acc += xd.load([i * B, 0]) * scale
        scale = scale
    od.store([0, 0], acc)


@triton.jit
def swapped(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    now, then = xd.load([0, 0]), xd.load([B, 0])
    for _ in range(2, n):
        nxt = now * 0.5 + then
        then = now
        now = nxt
    od.store([0, 0], now)


@triton.jit
def prefetched(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    ahead = xd.load([0, 0])
    for i in range(0, n):
        x = ahead
        ahead = xd.load([(i + 1) * B, 0])
        od.store([i * B, 0], tl.exp(x))


@triton.jit
def initial_value_used_inside(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    first = xd.load([0, 0])
    acc = first
    for i in range(1, n):
        acc = acc * first + xd.load([i * B, 0])
    od.store([0, 0], acc)


@triton.jit
def result_unused(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    running = tl.zeros((B, B), tl.float32)
    for i in range(0, n):
        running += xd.load([i * B, 0])
        od.store([i * B, 0], tl.exp(running))


@triton.jit
def same_condition_twice(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x = xd.load([0, 0])
    big = n > 100
    if big:
        x = tl.exp(x) + x
    if big:
        x = x * yd.load([0, 0]) + tl.log(x)
    od.store([0, 0], x)


@triton.jit
def known_inside(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)
    x = xd.load([0, 0])
    big = n > 100
    if big:
        y = yd.load([0, 0])
        if big:
            x = x + y
        else:
            x = tl.exp(x) * x * y
    od.store([0, 0], x)


@triton.jit
def backwards(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = xd.load([0, 0])
    for i in range(n - 1, -1, -1):
        acc = acc * 0.5 + xd.load([i * B, 0])
    od.store([0, 0], acc)


@triton.jit
def carried_tuple(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    state = (tl.zeros((B, B), tl.float32), tl.zeros((B,), tl.float32))
    for i in range(0, n):
        x = xd.load([i * B, 0])
        state = (state[0] + x, state[1] + tl.sum(x, 1))
    od.store([0, 0], state[0] * state[1][:, None])


@triton.jit
def carried_alike(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    left = tl.zeros((B, B), tl.float32)
    right = tl.zeros((B, B), tl.float32)
    for i in range(0, n):
        x = tl.exp(xd.load([i * B, 0]))
        left = x
        right = x
    od.store([0, 0], left)
    od.store([0, B], right)


@triton.jit
def zero_each_time(x_ptr, o_ptr, n, B: tl.constexpr):
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    acc = tl.zeros((B, B), tl.float32)
    for i in range(0, n):
        for j in range(0, n):
            acc += xd.load([i * B, j * B])
        od.store([i * B, 0], acc)
        acc = tl.zeros((B, B), tl.float32)


@triton.jit
def stored_constant(o_ptr, n, B: tl.constexpr):
    od = square(o_ptr, n, B)
    for i in range(0, n, B):
        od.store([i, 0], tl.full((B, B), 3.0, tl.float32))


@triton.jit
def stored_splat(o_ptr, s, n, B: tl.constexpr):
    od = square(o_ptr, n, B)
    for i in range(0, n, B):
        od.store([i, 0], tl.full((B, B), s, tl.float32) * 2)


@triton.jit
def work_between_dot_and_add(a_ptr, b_ptr, c_ptr, o_ptr, n, B: tl.constexpr):
    x, y = square(a_ptr, n, B).load([0, 0]), square(b_ptr, n, B).load([0, 0])
    product = tl.dot(x, y)
    other = tl.exp(square(c_ptr, n, B).load([0, 0])) * 2
    square(o_ptr, n, B).store([0, 0], other + product)


@triton.jit
def asserted(x_ptr, o_ptr, n, B: tl.constexpr):
    tl.static_assert(B >= 16)
    xd, od = square(x_ptr, n, B), square(o_ptr, n, B)
    x = tl.multiple_of(xd.load([0, 0]), (1, 1))
    y = tl.exp(x)
    tl.device_assert(x > 0, "positive")
    od.store([0, 0], y)


BINDINGS = {
    "nested_loops": [({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "loaded_twice": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "loaded_around_a_store": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "loaded_around_a_loop": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "hoisted_by_equality": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "equal_offsets": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "run_time_branch": [({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "branch_without_else": [({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "choice": [({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "choice_of_a_constant": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "conditional_expression": [({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "branch_in_a_loop": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "stores_in_branches": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "constexpr_branch": [
        ({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32, "WITH": True}),
        ({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32, "WITH": False}),
    ],
    "counted_while": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "converging_while": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "unrolled": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "unrolled_by_factor": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "short_loops": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "dead_accumulator": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "dead_pair": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "invariant": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "swapped": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "prefetched": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "initial_value_used_inside": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "result_unused": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "same_condition_twice": [({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "known_inside": [({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "backwards": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "carried_tuple": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "carried_alike": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "zero_each_time": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "stored_constant": [({"o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "stored_splat": [({"o_ptr": "*fp32", "s": "fp32", "n": "i32"}, {"B": 32})],
    "work_between_dot_and_add": [
        ({"a_ptr": "*fp32", "b_ptr": "*fp32", "c_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})
    ],
    "asserted": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
}
