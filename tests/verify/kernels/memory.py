"""Gathers, scatters, atomics, pointers, and random numbers, with the bindings they are compared under. Never run.

`BINDINGS` holds, per kernel, pairs of run-time parameter types and constexprs.
"""

# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def gathered_rows(t_ptr, i_ptr, o_ptr, n, B: tl.constexpr, D: tl.constexpr):
    table = tl.make_tensor_descriptor(t_ptr, shape=[n, D], strides=[D, 1], block_shape=[1, D])
    indices = tl.make_tensor_descriptor(i_ptr, shape=[n], strides=[1], block_shape=[B])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, D], strides=[D, 1], block_shape=[B, D])
    for i in range(tl.program_id(0), tl.cdiv(n, B), tl.num_programs(0)):
        index = indices.load([i * B])
        rows = table.gather(index, 0)
        out.store([i * B, 0], rows.to(tl.float32) * 2.0)


@triton.jit
def scattered_rows(t_ptr, i_ptr, x_ptr, n, B: tl.constexpr, D: tl.constexpr):
    table = tl.make_tensor_descriptor(t_ptr, shape=[n, D], strides=[D, 1], block_shape=[1, D])
    indices = tl.make_tensor_descriptor(i_ptr, shape=[n], strides=[1], block_shape=[B])
    source = tl.make_tensor_descriptor(x_ptr, shape=[n, D], strides=[D, 1], block_shape=[B, D])
    index = indices.load([0])
    x = source.load([0, 0])
    table.scatter(tl.exp(x) + x, index, 0)
    table.scatter(tl.zeros((B, D), x.dtype), index, D)


@triton.jit
def gathered_twice(t_ptr, i_ptr, o_ptr, n, B: tl.constexpr, D: tl.constexpr):
    table = tl.make_tensor_descriptor(t_ptr, shape=[n, D], strides=[D, 1], block_shape=[1, D])
    indices = tl.make_tensor_descriptor(i_ptr, shape=[n], strides=[1], block_shape=[B])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, D], strides=[D, 1], block_shape=[B, D])
    y = tl.exp(table.gather(indices.load([0]), 0))
    z = table.gather(indices.load([0]), 0)
    out.store([0, 0], y + z)


@triton.jit
def added_atomically(x_ptr, o_ptr, n, B: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    x = x_desc.load([0, 0])
    o_desc.atomic_add([0, 0], tl.exp(x))
    o_desc.atomic_add([0, B], x)


@triton.jit
def pointer_copy(x_ptr, o_ptr, n, B: tl.constexpr):
    offsets = tl.program_id(0) * B + tl.arange(0, B)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(o_ptr + offsets, tl.exp(x) * x, mask=mask)


@triton.jit
def pointer_square(x_ptr, o_ptr, stride, n, B: tl.constexpr):
    rows, columns = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    x = tl.load(x_ptr + rows * stride + columns)
    y = tl.load(x_ptr + rows * stride + columns, mask=rows < n, other=1.0)
    tl.store(o_ptr + rows * stride + columns, tl.where(rows > columns, x, y))


@triton.jit
def pointer_walk(x_ptr, y_ptr, o_ptr, stride, n, B: tl.constexpr):
    rows, columns = tl.arange(0, B), tl.arange(0, B)
    x_ptrs = x_ptr + (rows[:, None] * stride + columns[None, :])
    y_ptrs = y_ptr + (rows[:, None] * stride + columns[None, :])
    acc = tl.zeros((B, B), tl.float32)
    for _ in range(0, n, B):
        acc += tl.dot(tl.load(x_ptrs), tl.load(y_ptrs))
        x_ptrs += B
        y_ptrs += B * stride
    tl.store(o_ptr + rows[:, None] * stride + columns[None, :], acc)


@triton.jit
def scalar_loads(x_ptr, l_ptr, o_ptr, n, B: tl.constexpr):
    length = tl.load(l_ptr + tl.program_id(0))
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[B])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n], strides=[1], block_shape=[B])
    acc = tl.zeros((B,), tl.float32)
    for i in range(0, length, B):
        acc += x_desc.load([i])
    o_desc.store([0], acc / length)


@triton.jit
def counters(x_ptr, c_ptr, n, B: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, B))
    old = tl.atomic_add(c_ptr + x, 1)
    best = tl.atomic_max(c_ptr + x, old + x)
    tl.store(x_ptr + tl.arange(0, B), best)


@triton.jit
def histogram_by_atomics(x_ptr, c_ptr, n, B: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, B), mask=tl.arange(0, B) < n, other=0)
    tl.atomic_add(c_ptr + x, 1, mask=tl.arange(0, B) < n)
    tl.atomic_add(c_ptr + x + 1, x, sem="relaxed")


@triton.jit
def shifted_addresses(x_ptr, o_ptr, stride, n, B: tl.constexpr):
    rows, columns = tl.arange(0, B), tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for s in tl.static_range(3):
        acc += tl.load(x_ptr + rows[:, None] * stride + s * n + columns[None, :] * 2)
        acc *= tl.load(x_ptr + rows * 3 + s * 5)[:, None]
    tl.store(o_ptr + rows[:, None] * stride + columns[None, :], acc)


@triton.jit
def mask_before_value(x_ptr, o_ptr, n, B: tl.constexpr):
    rows, columns = tl.arange(0, B), tl.arange(0, B)
    x = tl.load(x_ptr + rows[:, None] * B + columns[None, :])
    y = tl.dot(x, x)
    tl.store(o_ptr + rows[:, None] * B + columns[None, :], y.to(tl.float16), mask=(rows[:, None] < n) & (columns < 9))


@triton.jit
def dropped_out(x_ptr, o_ptr, seed, n, B: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[B])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n], strides=[1], block_shape=[B])
    keep = tl.rand(seed, tl.arange(0, B)) > 0.5
    x = x_desc.load([0])
    o_desc.store([0], tl.where(keep, x * 2.0, 0.0))


@triton.jit
def normal_noise(x_ptr, o_ptr, seed, n, B: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[B])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n], strides=[1], block_shape=[B])
    start = tl.program_id(0) * B
    a, b, _, _ = tl.randint4x(seed, start + tl.arange(0, B))
    noise = tl.randn(seed, start.to(tl.int64) + tl.arange(0, B))
    o_desc.store([start], x_desc.load([start]) + noise * (a ^ b))


@triton.jit
def quantised(x_ptr, s_ptr, o_ptr, n, B: tl.constexpr, D: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, D], strides=[D, 1], block_shape=[B, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n, D], strides=[D, 1], block_shape=[B, D])
    s_desc = tl.make_tensor_descriptor(s_ptr, shape=[n], strides=[1], block_shape=[B])
    x = x_desc.load([0, 0]).to(tl.float32)
    scale = tl.max(tl.abs(x), axis=1) / 448.0
    o_desc.store([0, 0], tl.clamp(x / scale[:, None], -448.0, 448.0).to(o_desc.dtype))
    s_desc.store([0], scale)


@triton.jit
def dequantised(x_ptr, s_ptr, o_ptr, n, B: tl.constexpr, D: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, D], strides=[D, 1], block_shape=[B, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n, D], strides=[D, 1], block_shape=[B, D])
    s_desc = tl.make_tensor_descriptor(s_ptr, shape=[n], strides=[1], block_shape=[B])
    x = x_desc.load([0, 0])
    o_desc.store([0, 0], (x.to(tl.float32) * s_desc.load([0])[:, None]).to(o_desc.dtype))


@triton.jit
def printed(x_ptr, o_ptr, n, B: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[B])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n], strides=[1], block_shape=[B])
    x = x_desc.load([0])
    y = tl.exp(x)
    tl.device_print("x", x)
    o_desc.store([0], y)


@triton.jit
def assembled(x_ptr, o_ptr, n, B: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[B])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n], strides=[1], block_shape=[B])
    x = x_desc.load([0])
    y = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], dtype=tl.float32, is_pure=True, pack=1)
    o_desc.store([0], y + x)


BINDINGS = {
    "gathered_rows": [
        ({"t_ptr": "*fp16", "i_ptr": "*i32", "o_ptr": "*fp32", "n": "i32"}, {"B": 16, "D": 64}),
        ({"t_ptr": "*fp8e4nv", "i_ptr": "*i32", "o_ptr": "*fp32", "n": "i32"}, {"B": 8, "D": 64}),
    ],
    "scattered_rows": [({"t_ptr": "*fp32", "i_ptr": "*i32", "x_ptr": "*fp32", "n": "i32"}, {"B": 16, "D": 64})],
    "gathered_twice": [({"t_ptr": "*fp32", "i_ptr": "*i32", "o_ptr": "*fp32", "n": "i32"}, {"B": 16, "D": 64})],
    "added_atomically": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "pointer_copy": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 256})],
    "pointer_square": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "stride": "i32", "n": "i32"}, {"B": 32})],
    "pointer_walk": [
        ({"x_ptr": "*fp16", "y_ptr": "*fp16", "o_ptr": "*fp32", "stride": "i32", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*fp16", "y_ptr": "*fp16", "o_ptr": "*fp32", "stride": "i64", "n": "i32"}, {"B": 32}),
    ],
    "scalar_loads": [({"x_ptr": "*fp16", "l_ptr": "*i32", "o_ptr": "*fp32", "n": "i32"}, {"B": 64})],
    "counters": [({"x_ptr": "*i32", "c_ptr": "*i32", "n": "i32"}, {"B": 64})],
    "histogram_by_atomics": [({"x_ptr": "*i32", "c_ptr": "*fp16", "n": "i32"}, {"B": 64})],
    "shifted_addresses": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "stride": "i32", "n": "i32"}, {"B": 32})],
    "mask_before_value": [({"x_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 32})],
    "dropped_out": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "seed": "i32", "n": "i32"}, {"B": 64})],
    "normal_noise": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "seed": "i64", "n": "i32"}, {"B": 64})],
    "quantised": [
        ({"x_ptr": "*bf16", "s_ptr": "*fp32", "o_ptr": "*fp8e4nv", "n": "i32"}, {"B": 16, "D": 128}),
        ({"x_ptr": "*fp16", "s_ptr": "*fp32", "o_ptr": "*i8", "n": "i32"}, {"B": 16, "D": 128}),
    ],
    "dequantised": [
        ({"x_ptr": "*fp8e5", "s_ptr": "*fp32", "o_ptr": "*bf16", "n": "i32"}, {"B": 16, "D": 128}),
        ({"x_ptr": "*i8", "s_ptr": "*bf16", "o_ptr": "*fp16", "n": "i32"}, {"B": 16, "D": 128}),
    ],
    "printed": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 64})],
    "assembled": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 64})],
}
