"""Kernels whose peak of live tile bytes is worked out by hand in `test_referee.py`. They are compiled, never run.

Kernels carry no type annotations: Triton reads annotations as types of its own.
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
def elementwise(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    y = square(y_ptr, n, B).load([0, 0])
    z = tl.exp(x) * y
    square(o_ptr, n, B).store([0, 0], z)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n, n], strides=[n, 1], block_shape=[BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, n, BK):
        acc += tl.dot(a.load([0, k]), b.load([k, 0]))
    c.store([0, 0], acc.to(tl.float16))


@triton.jit
def matmul_with_work_between(a_ptr, b_ptr, c_ptr, n, B: tl.constexpr):
    a = square(a_ptr, n, B)
    b = square(b_ptr, n, B)
    c = square(c_ptr, n, B)
    x = a.load([0, 0])
    y = b.load([0, 0])
    product = tl.dot(x, y)
    bias = tl.exp(c.load([0, 0]))
    c.store([0, 0], bias + product)


@triton.jit
def softmax(x_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    m = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    for j in range(0, n, BN):
        x = src.load([0, j]).to(tl.float32)
        new_m = tl.maximum(m, tl.max(x, 1))
        p = tl.exp(x - new_m[:, None])
        total = total * tl.exp(m - new_m) + tl.sum(p, 1)
        m = new_m
    for j in range(0, n, BN):
        x = src.load([0, j]).to(tl.float32)
        p = tl.exp(x - m[:, None]) / total[:, None]
        dst.store([0, j], p.to(tl.float16))


@triton.jit
def row_max(x_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[n], strides=[1], block_shape=[BM])
    dst.store([0], tl.max(src.load([0, 0]), 1).to(tl.float16))


@triton.jit
def row_sum(x_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[n], strides=[1], block_shape=[BM])
    dst.store([0], tl.sum(src.load([0, 0]), 1))


@triton.jit
def argmax(x_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[n], strides=[1], block_shape=[BM])
    dst.store([0], tl.argmax(src.load([0, 0]), 1))


@triton.jit
def countdown(x_ptr, o_ptr, n, B: tl.constexpr):
    src = square(x_ptr, n, B)
    x = src.load([0, 0])
    i = n
    while i > 0:
        x = x + src.load([i, 0])
        i -= 1
    square(o_ptr, n, B).store([0, 0], x)


@triton.jit
def choose(x_ptr, o_ptr, n, B: tl.constexpr):
    src = square(x_ptr, n, B)
    x = src.load([0, 0])
    y = src.load([0, B])
    if n > 7:
        z = x * y
    else:
        z = x
    square(o_ptr, n, B).store([0, 0], z)


@triton.jit
def choose_whole(x_ptr, o_ptr, n, B: tl.constexpr):
    src = square(x_ptr, n, B)
    x = src.load([0, 0])
    y = src.load([0, B])
    if n > 7:
        z = x
    else:
        z = y
    square(o_ptr, n, B).store([0, 0], z)


@triton.jit
def gather_rows(x_ptr, i_ptr, o_ptr, n, R: tl.constexpr, B: tl.constexpr):
    rows = tl.make_tensor_descriptor(i_ptr, shape=[n], strides=[1], block_shape=[R])
    src = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[1, B])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[1, B])
    index = rows.load([0])
    tile = src.gather(index, 0)
    dst.scatter(tile * 2, index, 0)


@triton.jit
def join_split(x_ptr, o_ptr, n, B: tl.constexpr):
    src = square(x_ptr, n, B)
    dst = square(o_ptr, n, B)
    x = src.load([0, 0])
    y = src.load([0, B])
    pairs = tl.join(x, y)
    first, second = tl.split(tl.exp(pairs))
    dst.store([0, 0], first + second)


@triton.jit
def running_sum(x_ptr, o_ptr, n, B: tl.constexpr):
    src = square(x_ptr, n, B)
    x = src.load([0, 0])
    square(o_ptr, n, B).store([0, 0], tl.cumsum(x, 1) - x)


@triton.jit
def sort_rows(x_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    dst.store([0, 0], tl.sort(src.load([0, 0]), 1))


@triton.jit(noinline=True)
def scale_in_place(ptr, n, row, B: tl.constexpr):
    desc = square(ptr, n, B)
    x = desc.load([row, 0])
    desc.store([row, 0], tl.exp(x) * x)
    return row + 1


@triton.jit
def calls_helper(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    row = scale_in_place(o_ptr, n, n, B)
    square(o_ptr, n, B).store([row, 0], x)


@triton.jit
def early_return(x_ptr, o_ptr, n, B: tl.constexpr):
    src = square(x_ptr, n, B)
    x = src.load([0, 0])
    if tl.program_id(0) >= n:
        return
    y = src.load([0, B])
    square(o_ptr, n, B).store([0, 0], x * y)


@triton.jit
def shared_expression(x_ptr, o_ptr, n, B: tl.constexpr):
    dst = square(o_ptr, n, B)
    x = square(x_ptr, n, B).load([0, 0])
    dst.store([0, 0], tl.exp(x))
    for i in range(n):
        y = tl.exp(x) * 2
        dst.store([i, 0], y)


@triton.jit
def shared_load(x_ptr, o_ptr, n, B: tl.constexpr):
    src = square(x_ptr, n, B)
    dst = square(o_ptr, n, B)
    x = src.load([0, 0])
    y = tl.exp(x)
    z = tl.exp(y)
    again = src.load([0, 0])
    dst.store([0, 0], z + again)


@triton.jit
def reloaded(x_ptr, o_ptr, n, B: tl.constexpr):
    src = square(x_ptr, n, B)
    dst = square(o_ptr, n, B)
    x = src.load([0, 0])
    y = tl.exp(x)
    z = tl.exp(y)
    dst.store([0, B], z)
    again = src.load([0, 0])
    dst.store([0, 0], again)


@triton.jit
def column_scale(x_ptr, s_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr):
    src = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    scales = tl.make_tensor_descriptor(s_ptr, shape=[n], strides=[1], block_shape=[BN])
    s = tl.broadcast_to(scales.load([0])[None, :], (BM, BN))
    s = tl.exp(s) + 1.0
    dst.store([0, 0], src.load([0, 0]) * s)


@triton.jit
def clear(o_ptr, n, B: tl.constexpr):
    square(o_ptr, n, B).store([0, 0], tl.zeros((B, B), tl.float32))


@triton.jit
def int8_dot(a_ptr, b_ptr, c_ptr, n, B: tl.constexpr):
    acc = tl.zeros((B, B), dtype=tl.int32)
    for k in range(0, n, B):
        acc += tl.dot(square(a_ptr, n, B).load([0, k]), square(b_ptr, n, B).load([k, 0]))
    square(c_ptr, n, B).store([0, 0], acc)


@triton.jit
def masked_tail(x_ptr, o_ptr, n, B: tl.constexpr):
    src = square(x_ptr, n, B)
    x = src.load([0, 0])
    inside = (tl.arange(0, B) < n)[None, :]
    x = tl.where(inside, x, float("-inf"))
    square(o_ptr, n, B).store([0, 0], x - tl.max(x, 1)[:, None])
