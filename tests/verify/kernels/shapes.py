"""Reductions, scans, sorts and changes of shape, with the bindings they are compared under. Never run.

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
def line(ptr, n, B: tl.constexpr):
    return tl.make_tensor_descriptor(ptr, shape=[n], strides=[1], block_shape=[B])


@triton.jit
def row_extrema(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    y = tl.max(x, axis=1) - tl.min(x, axis=1)
    line(o_ptr, n, B).store([0], y.to(o_ptr.dtype.element_ty))


@triton.jit
def sums_over_axes(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    rows = tl.sum(x, axis=1)
    columns = tl.sum(x, axis=0)
    everything = tl.sum(x)
    line(o_ptr, n, B).store([0], (rows + columns + everything).to(o_ptr.dtype.element_ty))


@triton.jit
def variance(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0]).to(tl.float32)
    mean = tl.sum(x, axis=1) / n
    centred = x - mean[:, None]
    line(o_ptr, n, B).store([0], tl.sum(centred * centred, axis=1) / n)


@triton.jit
def arg_extrema(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    line(o_ptr, n, B).store([0], tl.argmax(x, axis=1) + tl.argmin(x, axis=1))


@triton.jit
def max_with_index(x_ptr, v_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    best, place = tl.max(x, axis=1, return_indices=True)
    line(v_ptr, n, B).store([0], best)
    line(o_ptr, n, B).store([0], place)


@triton.jit
def arg_of_a_column(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    place = tl.argmax(tl.exp(x), axis=0, tie_break_left=False)
    line(o_ptr, n, B).store([0], place)


@triton.jit
def running_sums(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    y = tl.cumsum(x, axis=0)
    z = tl.cumprod(x.to(tl.float32), axis=1, reverse=True)
    square(o_ptr, n, B).store([0, 0], (y + z).to(tl.float32))


@triton.jit
def _affine(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def linear_recurrence(a_ptr, x_ptr, o_ptr, n, B: tl.constexpr):
    a = square(a_ptr, n, B).load([0, 0])
    x = square(x_ptr, n, B).load([0, 0])
    _, h = tl.associative_scan((a, x), 0, _affine)
    square(o_ptr, n, B).store([0, 0], h)


@triton.jit
def _largest(a, b):
    return tl.maximum(a, b)


@triton.jit
def custom_reduction(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    line(o_ptr, n, B).store([0], tl.reduce(x, 1, _largest))


@triton.jit
def _welford(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    ratio = tl.where(weight == 0.0, 0.0, weight_b / weight)
    return mean_a + delta * ratio, m2_a + m2_b + delta * delta * weight_a * ratio, weight


@triton.jit
def welford(x_ptr, m_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    mean, m2, weight = tl.reduce((x, tl.zeros_like(x), tl.full((B, B), 1.0, tl.float32)), 1, _welford)
    line(m_ptr, n, B).store([0], mean)
    line(o_ptr, n, B).store([0], m2 / weight)


@triton.jit
def sorted_rows(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    square(o_ptr, n, B).store([0, 0], tl.sort(x, dim=1))


@triton.jit
def sorted_down(x_ptr, o_ptr, n, B: tl.constexpr):
    x = line(x_ptr, n, B).load([0])
    line(o_ptr, n, B).store([0], tl.sort(x, descending=True) + x)


@triton.jit
def best_few(x_ptr, o_ptr, n, B: tl.constexpr, K: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, K], strides=[K, 1], block_shape=[B, K])
    out.store([0, 0], tl.topk(x, K))


@triton.jit
def flipped(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    square(o_ptr, n, B).store([0, 0], tl.flip(x, 1) + x)


@triton.jit
def joined(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    x, y = square(x_ptr, n, B).load([0, 0]), square(y_ptr, n, B).load([0, 0])
    pair = tl.join(x, y)
    left, right = tl.split(pair * 2)
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, 2 * B])
    out.store([0, 0], tl.interleave(left, tl.exp(right)))


@triton.jit
def halves(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    even, odd = tl.split(x.reshape(B, B // 2, 2))
    turned = tl.join(-odd, even).reshape(B, B)
    square(o_ptr, n, B).store([0, 0], x + turned)


@triton.jit
def permuted(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    cube = tl.permute(tl.reshape(x, (B, B // 8, 8)), (2, 0, 1))
    square(o_ptr, n, B).store([0, 0], tl.exp(cube).permute(1, 2, 0).reshape(B, B) * x)


@triton.jit
def sum_of_blocks(x_ptr, o_ptr, n, B: tl.constexpr, G: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    grouped = tl.reshape(x, (B, B // G, G))
    peak = tl.max(tl.abs(grouped), axis=2)
    scaled = grouped / peak[:, :, None]
    square(o_ptr, n, B).store([0, 0], tl.reshape(scaled, (B, B)).to(o_ptr.dtype.element_ty))


@triton.jit
def concatenated(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    x, y = line(x_ptr, n, B).load([0]), line(y_ptr, n, B).load([0])
    line(o_ptr, n, 2 * B).store([0], tl.cat(tl.exp(x), y, can_reorder=True))


@triton.jit
def gathered_within(x_ptr, i_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    index = square(i_ptr, n, B).load([0, 0])
    square(o_ptr, n, B).store([0, 0], tl.gather(x, index, axis=1) - x)


@triton.jit
def counted(x_ptr, o_ptr, n, B: tl.constexpr):
    x = line(x_ptr, n, B).load([0])
    line(o_ptr, n, 16).store([0], tl.histogram(x, 16))


@triton.jit
def index_arithmetic(o_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    square(o_ptr, n, B).store([0, 0], (i % 7).to(tl.float16))


@triton.jit
def broadcast_chain(m_ptr, o_ptr, s, n, B: tl.constexpr):
    m = line(m_ptr, n, B).load([0])
    wide = tl.broadcast_to(m[:, None], (B, B))
    y = tl.exp(wide) * s + tl.zeros((B, B), tl.float32)
    z = tl.where(y > 0, y, tl.full((B, B), s, tl.float32))
    square(o_ptr, n, B).store([0, 0], z)


@triton.jit
def outer_sum(m_ptr, o_ptr, n, B: tl.constexpr):
    m = line(m_ptr, n, B).load([0])
    square(o_ptr, n, B).store([0, 0], tl.exp(m[:, None] * 2 + m[None, :]))


@triton.jit
def masks(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    mask = ((i < n) & (j < n)) | ~(i >= j)
    square(o_ptr, n, B).store([0, 0], tl.where(mask, x, float("-inf")))


@triton.jit
def casts(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    y = x.to(tl.float32).to(tl.float16).to(tl.float32)
    z = (x > 0).to(tl.float32) + y.to(tl.int32) + x.to(tl.bfloat16)
    square(o_ptr, n, B).store([0, 0], z)


@triton.jit
def bits(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    raw = x.to(tl.int32, bitcast=True)
    sign = (raw.to(tl.uint32, bitcast=True) >> 31).to(tl.int32)
    square(o_ptr, n, B).store([0, 0], ((raw & 0x7FFFFFFF) | (sign << 31)).to(tl.float32, bitcast=True))


@triton.jit
def unpacked(x_ptr, s_ptr, o_ptr, n, B: tl.constexpr):
    packed = square(x_ptr, n, B).load([0, 0])
    scale = line(s_ptr, n, B).load([0])
    low, high = packed & 0xF, packed >> 4
    both = tl.interleave(low, high).to(tl.float16)
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, 2 * B])
    out.store([0, 0], (both - 8) * scale[:, None])


@triton.jit
def mixed_types(x_ptr, y_ptr, o_ptr, s, k, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    y = square(y_ptr, n, B).load([0, 0])
    z = x * s + y / 3 - x // 2 if B < 0 else x * s + y / 3 + k
    square(o_ptr, n, B).store([0, 0], z.to(o_ptr.dtype.element_ty))


@triton.jit
def mathematics(x_ptr, o_ptr, n, B: tl.constexpr):
    x = square(x_ptr, n, B).load([0, 0])
    y = tl.sqrt(tl.abs(x)) + tl.rsqrt(x * x + 1) - tl.math.erf(x) * tl.clamp(x, -1.0, 1.0)
    z = tl.fma(x, y, tl.log2(y)) + tl.floor(x) + tl.cos(x) * tl.sigmoid(y)
    square(o_ptr, n, B).store([0, 0], tl.minimum(z, tl.maximum(x, y)))


@triton.jit
def squeezed(x_ptr, o_ptr, n, B: tl.constexpr):
    full = tl.make_tensor_descriptor(x_ptr, shape=[1, n, n], strides=[n * n, n, 1], block_shape=[1, B, B])
    x = full.load([0, 0, 0]).reshape(B, B)
    again = full.load([0, 0, 0])
    out = tl.make_tensor_descriptor(o_ptr, shape=[1, n, n], strides=[n * n, n, 1], block_shape=[1, B, B])
    out.store([0, 0, 0], tl.exp(x).reshape(1, B, B) + again)


@triton.jit
def squeezed_twice(x_ptr, o_ptr, n, B: tl.constexpr):
    full = tl.make_tensor_descriptor(x_ptr, shape=[1, n, n], strides=[n * n, n, 1], block_shape=[1, B, B])
    x = tl.exp(full.load([0, 0, 0]).reshape(B, B))
    again = full.load([0, 0, 0]).reshape(B, B)
    square(o_ptr, n, B).store([0, 0], x + again)


BINDINGS = {
    "row_extrema": [
        ({"x_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*i8", "o_ptr": "*i32", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*bf16", "o_ptr": "*fp32", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*u16", "o_ptr": "*u16", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*i64", "o_ptr": "*i64", "n": "i32"}, {"B": 32}),
    ],
    "sums_over_axes": [
        ({"x_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*i8", "o_ptr": "*i32", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*u8", "o_ptr": "*fp32", "n": "i32"}, {"B": 32}),
    ],
    "variance": [({"x_ptr": "*fp16", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "arg_extrema": [
        ({"x_ptr": "*fp16", "o_ptr": "*i32", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 32}),
    ],
    "max_with_index": [({"x_ptr": "*bf16", "v_ptr": "*bf16", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "arg_of_a_column": [({"x_ptr": "*fp32", "o_ptr": "*i32", "n": "i32"}, {"B": 32})],
    "running_sums": [
        ({"x_ptr": "*fp16", "o_ptr": "*fp32", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*i16", "o_ptr": "*fp32", "n": "i32"}, {"B": 32}),
    ],
    "linear_recurrence": [({"a_ptr": "*fp32", "x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "custom_reduction": [({"x_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 32})],
    "welford": [({"x_ptr": "*fp32", "m_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "sorted_rows": [
        ({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 16}),
        ({"x_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 16}),
        ({"x_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 16}),
    ],
    "sorted_down": [({"x_ptr": "*i16", "o_ptr": "*i16", "n": "i32"}, {"B": 64})],
    "best_few": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32, "K": 8})],
    "flipped": [
        ({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 16}),
        ({"x_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 16}),
    ],
    "joined": [({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "halves": [({"x_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 32})],
    "permuted": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "sum_of_blocks": [
        ({"x_ptr": "*bf16", "o_ptr": "*fp8e4nv", "n": "i32"}, {"B": 64, "G": 16}),
        ({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 64, "G": 16}),
    ],
    "concatenated": [({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "gathered_within": [({"x_ptr": "*fp32", "i_ptr": "*i32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "counted": [({"x_ptr": "*i32", "o_ptr": "*i32", "n": "i32"}, {"B": 256})],
    "index_arithmetic": [({"o_ptr": "*fp16", "n": "i32"}, {"B": 32})],
    "broadcast_chain": [({"m_ptr": "*fp32", "o_ptr": "*fp32", "s": "fp32", "n": "i32"}, {"B": 32})],
    "outer_sum": [({"m_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "masks": [({"x_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 32})],
    "casts": [({"x_ptr": "*fp16", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "bits": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "unpacked": [({"x_ptr": "*u8", "s_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 32})],
    "mixed_types": [
        ({"x_ptr": "*fp16", "y_ptr": "*fp16", "o_ptr": "*fp16", "s": "fp32", "k": "i32", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*bf16", "y_ptr": "*i32", "o_ptr": "*fp16", "s": "fp32", "k": "i64", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*i8", "y_ptr": "*i8", "o_ptr": "*fp32", "s": "i32", "k": "i32", "n": "i32"}, {"B": 32}),
        ({"x_ptr": "*fp64", "y_ptr": "*fp32", "o_ptr": "*fp32", "s": "fp32", "k": "i32", "n": "i32"}, {"B": 32}),
    ],
    "mathematics": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "squeezed": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
    "squeezed_twice": [({"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 32})],
}
