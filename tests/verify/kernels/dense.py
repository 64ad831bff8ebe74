"""Matrix products, attention and row-wise kernels, with the bindings they are compared under. Never run.

`BINDINGS` holds, per kernel, pairs of run-time parameter types and constexprs.
"""

# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def two_accumulators(a_ptr, b_ptr, c_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n, n], strides=[n, 1], block_shape=[BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, shape=[n, n], strides=[n, 1], block_shape=[BK, BN])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[BM, BN])
    gate = tl.zeros((BM, BN), dtype=tl.float32)
    up = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, n, BK):
        x = a.load([0, k])
        gate += tl.dot(x, b.load([k, 0]))
        up = tl.dot(x, c.load([k, 0]), up)
    out.store([0, 0], (gate * tl.sigmoid(gate) * up).to(tl.float16))


@triton.jit
def matmul_scaled(a_ptr, b_ptr, s_ptr, o_ptr, n, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    s = tl.make_tensor_descriptor(s_ptr, shape=[n], strides=[1], block_shape=[B])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    acc = tl.zeros((B, B), dtype=tl.float32)
    scale = s.load([0])
    for k in range(0, n, B):
        acc += tl.dot(a.load([0, k]), b.load([k, 0])) * scale[None, :]
    out.store([0, 0], acc.to(out.dtype))


@triton.jit
def matmul_bias(a_ptr, b_ptr, s_ptr, o_ptr, n, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    s = tl.make_tensor_descriptor(s_ptr, shape=[n], strides=[1], block_shape=[B])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    y = tl.dot(a.load([0, 0]), b.load([0, 0])) + s.load([0])[None, :]
    out.store([0, 0], tl.maximum(y, 0.0).to(tl.float16))


@triton.jit
def matmul_integers(a_ptr, b_ptr, s_ptr, o_ptr, n, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    s = tl.make_tensor_descriptor(s_ptr, shape=[n], strides=[1], block_shape=[B])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    acc = tl.zeros((B, B), dtype=tl.int32)
    for k in range(0, n, B):
        acc += tl.dot(a.load([0, k]), b.load([k, 0]))
    out.store([0, 0], (acc.to(tl.float32) * s.load([0])[:, None]).to(tl.bfloat16))


@triton.jit
def matmul_transposed(a_ptr, b_ptr, o_ptr, n, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    acc = tl.zeros((B, B), dtype=tl.float32)
    for k in range(0, n, B):
        acc = tl.dot(a.load([0, k]), b.load([0, k]).T, acc)
    out.store([0, 0], acc.to(tl.float16))


@triton.jit
def matmul_half_out(a_ptr, b_ptr, o_ptr, n, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    acc = tl.zeros((B, B), dtype=tl.float16)
    for k in range(0, n, B):
        acc = tl.dot(a.load([0, k]), b.load([k, 0]), acc, out_dtype=tl.float16)
    out.store([0, 0], acc)


@triton.jit
def chained_dots(a_ptr, b_ptr, o_ptr, n, B: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])
    x, y = a.load([0, 0]), b.load([0, 0])
    z = tl.dot(x, y) + tl.dot(y, x)
    out.store([0, 0], tl.dot(z.to(tl.float16), x).to(tl.float16))


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    q_desc = tl.make_tensor_descriptor(q_ptr, shape=[n, D], strides=[D, 1], block_shape=[BM, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, shape=[n, D], strides=[D, 1], block_shape=[BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, shape=[n, D], strides=[D, 1], block_shape=[BN, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n, D], strides=[D, 1], block_shape=[BM, D])
    for i in range(tl.program_id(0), tl.cdiv(n, BM), tl.num_programs(0)):
        q = q_desc.load([i * BM, 0])
        m = tl.full((BM,), float("-inf"), dtype=tl.float32)
        denominator = tl.zeros((BM,), dtype=tl.float32)
        acc = tl.zeros((BM, D), dtype=tl.float32)
        for j in range(0, n, BN):
            k = k_desc.load([j, 0])
            s = tl.dot(q, tl.trans(k)) * scale
            inside = (j + tl.arange(0, BN)) < n
            s = tl.where(inside[None, :], s, float("-inf"))
            new_m = tl.maximum(m, tl.max(s, axis=1))
            alpha = tl.exp(m - new_m)
            p = tl.exp(s - new_m[:, None])
            denominator = denominator * alpha + tl.sum(p, axis=1)
            v = v_desc.load([j, 0])
            acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
            m = new_m
        o_desc.store([i * BM, 0], (acc / denominator[:, None]).to(o_desc.dtype))


@triton.jit
def attention_causal(q_ptr, k_ptr, v_ptr, o_ptr, n, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    q_desc = tl.make_tensor_descriptor(q_ptr, shape=[n, D], strides=[D, 1], block_shape=[BM, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, shape=[n, D], strides=[D, 1], block_shape=[BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, shape=[n, D], strides=[D, 1], block_shape=[BN, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n, D], strides=[D, 1], block_shape=[BM, D])
    start = tl.program_id(0) * BM
    rows = start + tl.arange(0, BM)
    q = q_desc.load([start, 0]) * 0.125
    acc = tl.zeros((BM, D), dtype=tl.float32)
    m = tl.full((BM,), -1.0e38, dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    for j in range(0, start + BM, BN):
        s = tl.dot(q, k_desc.load([j, 0]).trans())
        columns = j + tl.arange(0, BN)
        mask = rows[:, None] >= columns[None, :]
        s += tl.where(mask, 0, float("-inf"))
        new_m = tl.maximum(m, tl.max(s, 1))
        p = tl.math.exp2(s - new_m[:, None])
        alpha = tl.math.exp2(m - new_m)
        acc *= alpha[:, None]
        total = total * alpha + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v_desc.load([j, 0]), acc)
        m = new_m
    o_desc.store([start, 0], (acc / total[:, None]).to(tl.float16))


@triton.jit
def layer_norm(x_ptr, w_ptr, b_ptr, y_ptr, rows, columns, eps, BM: tl.constexpr, BN: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[BM, BN])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[BM, BN])
    w_desc = tl.make_tensor_descriptor(w_ptr, shape=[columns], strides=[1], block_shape=[BN])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[columns], strides=[1], block_shape=[BN])
    for i in range(tl.program_id(0), tl.cdiv(rows, BM), tl.num_programs(0)):
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for j in range(0, columns, BN):
            total += x_desc.load([i * BM, j]).to(tl.float32)
        mean = tl.sum(total, axis=1) / columns
        square = tl.zeros((BM, BN), dtype=tl.float32)
        for j in range(0, columns, BN):
            x = x_desc.load([i * BM, j]).to(tl.float32)
            inside = j + tl.arange(0, BN) < columns
            x = tl.where(inside[None, :], x - mean[:, None], 0.0)
            square += x * x
        rstd = tl.rsqrt(tl.sum(square, axis=1) / columns + eps)
        for j in range(0, columns, BN):
            w = w_desc.load([j])
            b = b_desc.load([j])
            x = x_desc.load([i * BM, j]).to(tl.float32)
            y = (x - mean[:, None]) * rstd[:, None] * w[None, :] + b[None, :]
            y_desc.store([i * BM, j], y.to(y_desc.dtype))


@triton.jit
def softmax_row(x_ptr, y_ptr, rows, columns, BM: tl.constexpr, BN: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[BM, BN])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[BM, BN])
    for i in range(0, rows, BM):
        x = x_desc.load([i, 0])
        inside = tl.arange(0, BN)[None, :] < columns
        x = tl.where(inside, x, -float("inf"))
        e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        y_desc.store([i, 0], (e / tl.sum(e, axis=1, keep_dims=True)).to(y_desc.dtype))


@triton.jit
def softmax_of_the_library(x_ptr, y_ptr, n, B: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[B])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n], strides=[1], block_shape=[B])
    y_desc.store([0], tl.softmax(x_desc.load([0]).to(tl.float32)).to(y_desc.dtype))


@triton.jit
def rotary(x_ptr, cos_ptr, sin_ptr, y_ptr, n, B: tl.constexpr, HALF: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, 2 * HALF], strides=[2 * HALF, 1], block_shape=[B, HALF])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n, 2 * HALF], strides=[2 * HALF, 1], block_shape=[B, HALF])
    cos_desc = tl.make_tensor_descriptor(cos_ptr, shape=[n, HALF], strides=[HALF, 1], block_shape=[B, HALF])
    sin_desc = tl.make_tensor_descriptor(sin_ptr, shape=[n, HALF], strides=[HALF, 1], block_shape=[B, HALF])
    for i in range(0, n, B):
        c, s = cos_desc.load([i, 0]), sin_desc.load([i, 0])
        x1, x2 = x_desc.load([i, 0]), x_desc.load([i, HALF])
        y_desc.store([i, 0], (x1 * c - x2 * s).to(y_desc.dtype))
        y_desc.store([i, HALF], (x2 * c + x1 * s).to(y_desc.dtype))


@triton.jit
def product_by_sum(a_ptr, b_ptr, o_ptr, n, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[n, n], strides=[n, 1], block_shape=[M, K]).load([0, 0])
    b = tl.make_tensor_descriptor(b_ptr, shape=[n, n], strides=[n, 1], block_shape=[K, N]).load([0, 0])
    out = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, 1], block_shape=[M, N])
    out.store([0, 0], tl.sum(a[:, :, None] * b[None, :, :], axis=AXIS))


BINDINGS = {
    "two_accumulators": [
        (
            {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"},
            {"BM": 64, "BN": 128, "BK": 32},
        ),
        (
            {"a_ptr": "*fp32", "b_ptr": "*fp32", "c_ptr": "*fp32", "o_ptr": "*fp16", "n": "i32"},
            {"BM": 64, "BN": 32, "BK": 128},
        ),
    ],
    "matmul_scaled": [
        ({"a_ptr": "*bf16", "b_ptr": "*bf16", "s_ptr": "*fp32", "o_ptr": "*bf16", "n": "i32"}, {"B": 64}),
        ({"a_ptr": "*fp8e5", "b_ptr": "*fp8e5", "s_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 64}),
    ],
    "matmul_bias": [
        ({"a_ptr": "*fp16", "b_ptr": "*fp16", "s_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 64}),
        ({"a_ptr": "*fp8e4nv", "b_ptr": "*fp8e4nv", "s_ptr": "*fp32", "o_ptr": "*fp16", "n": "i32"}, {"B": 128}),
    ],
    "matmul_integers": [
        ({"a_ptr": "*i8", "b_ptr": "*i8", "s_ptr": "*fp32", "o_ptr": "*bf16", "n": "i32"}, {"B": 64}),
    ],
    "matmul_transposed": [
        ({"a_ptr": "*fp16", "b_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 64}),
        ({"a_ptr": "*fp8e5", "b_ptr": "*fp8e5", "o_ptr": "*fp16", "n": "i32"}, {"B": 64}),
    ],
    "matmul_half_out": [({"a_ptr": "*fp16", "b_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 32})],
    "chained_dots": [({"a_ptr": "*fp16", "b_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 32})],
    "attention": [
        (
            {"q_ptr": "*fp16", "k_ptr": "*fp16", "v_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32", "scale": "fp32"},
            {"BM": 64, "BN": 64, "D": 128},
        ),
        (
            {"q_ptr": "*bf16", "k_ptr": "*bf16", "v_ptr": "*bf16", "o_ptr": "*fp32", "n": "i32", "scale": "fp32"},
            {"BM": 128, "BN": 32, "D": 64},
        ),
    ],
    "attention_causal": [
        (
            {"q_ptr": "*fp16", "k_ptr": "*fp16", "v_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"},
            {"BM": 64, "BN": 64, "D": 64},
        ),
    ],
    "layer_norm": [
        (
            {
                "x_ptr": "*fp16",
                "w_ptr": "*fp16",
                "b_ptr": "*fp16",
                "y_ptr": "*fp16",
                "rows": "i32",
                "columns": "i32",
                "eps": "fp32",
            },
            {"BM": 8, "BN": 256},
        ),
        (
            {
                "x_ptr": "*bf16",
                "w_ptr": "*fp32",
                "b_ptr": "*bf16",
                "y_ptr": "*fp32",
                "rows": "i32",
                "columns": "i32",
                "eps": "fp32",
            },
            {"BM": 16, "BN": 64},
        ),
    ],
    "softmax_row": [
        ({"x_ptr": "*fp16", "y_ptr": "*fp16", "rows": "i32", "columns": "i32"}, {"BM": 4, "BN": 512}),
        ({"x_ptr": "*fp32", "y_ptr": "*fp16", "rows": "i32", "columns": "i32"}, {"BM": 4, "BN": 512}),
    ],
    "softmax_of_the_library": [({"x_ptr": "*fp16", "y_ptr": "*fp16", "n": "i32"}, {"B": 512})],
    "rotary": [
        (
            {"x_ptr": "*fp16", "cos_ptr": "*fp32", "sin_ptr": "*fp32", "y_ptr": "*fp16", "n": "i32"},
            {"B": 16, "HALF": 64},
        ),
        (
            {"x_ptr": "*bf16", "cos_ptr": "*bf16", "sin_ptr": "*bf16", "y_ptr": "*bf16", "n": "i32"},
            {"B": 16, "HALF": 64},
        ),
    ],
    "product_by_sum": [
        ({"a_ptr": "*fp32", "b_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"M": 32, "K": 32, "N": 32, "AXIS": 1}),
        ({"a_ptr": "*fp32", "b_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"M": 8, "K": 8, "N": 8, "AXIS": 1}),
    ],
}
