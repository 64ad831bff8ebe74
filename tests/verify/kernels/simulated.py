"""Kernels that the KTIR simulator has as examples, with the same tiles, types and loops, all in fp16.

`docs/how-the-peak-is-counted.md` compares their peaks with what the simulator charges.
"""

# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl

BINDINGS = {
    "vector_add": [
        ({"x_ptr": "*fp16", "y_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32"}, {"B": 128}),
        ({"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, {"B": 1024}),
    ],
    "matmul": [
        (
            {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32", "N": "i32", "K": "i32"},
            {"BM": 8, "BN": 32, "BK": 32},
        ),
        (
            {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32", "N": "i32", "K": "i32"},
            {"BM": 32, "BN": 512, "BK": 128},
        ),
    ],
    "softmax": [({"o_ptr": "*fp16", "x_ptr": "*fp16", "rows": "i32"}, {"C": 1024})],
    "layer_norm": [
        (
            {
                "x_ptr": "*fp16",
                "y_ptr": "*fp16",
                "w_ptr": "*fp16",
                "b_ptr": "*fp16",
                "rows": "i32",
                "N": "i32",
                "eps": "fp32",
            },
            {"B": 1024},
        )
    ],
    "attention": [
        ({"q_ptr": "*fp16", "k_ptr": "*fp16", "v_ptr": "*fp16", "o_ptr": "*fp16", "S": "i32"}, {"M": 32, "D": 64})
    ],
}


@triton.jit
def vector_add(x_ptr, y_ptr, o_ptr, n, B: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[B])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n], strides=[1], block_shape=[B])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[n], strides=[1], block_shape=[B])
    at = tl.program_id(0) * B
    x = x_desc.load([at])
    y = y_desc.load([at])
    o_desc.store([at], x + y)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float16)
    for k in range(0, K, BK):
        a = a_desc.load([m, k])
        b = b_desc.load([k, n])
        acc = acc + tl.dot(a, b, out_dtype=tl.float16)
    c_desc.store([m, n], acc)


@triton.jit
def softmax(o_ptr, x_ptr, rows, C: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[rows, C], strides=[C, 1], block_shape=[1, C])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[rows, C], strides=[C, 1], block_shape=[1, C])
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        x = x_desc.load([row, 0])
        top = tl.max(x, axis=1).to(tl.float16)
        e = tl.exp((x - top[:, None]).to(tl.float32)).to(tl.float16)
        total = tl.sum(e, axis=1)
        o_desc.store([row, 0], (e / total[:, None]).to(tl.float16))


@triton.jit
def layer_norm(x_ptr, y_ptr, w_ptr, b_ptr, rows, N, eps, B: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[rows, N], strides=[N, 1], block_shape=[1, B])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[rows, N], strides=[N, 1], block_shape=[1, B])
    w_desc = tl.make_tensor_descriptor(w_ptr, shape=[rows, N], strides=[N, 1], block_shape=[1, B])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[rows, N], strides=[N, 1], block_shape=[1, B])
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        total = tl.zeros((1, B), dtype=tl.float16)
        for col in range(0, N, B):
            total = total + x_desc.load([row, col])
        mean = (tl.sum(total, axis=1) / N).to(tl.float16)
        spread = tl.zeros((1, B), dtype=tl.float16)
        for col in range(0, N, B):
            d = x_desc.load([row, col]) - mean[:, None]
            spread = spread + d * d
        var = tl.sum(spread, axis=1) / N
        rstd = (1 / tl.sqrt(var.to(tl.float32) + eps)).to(tl.float16)
        for col in range(0, N, B):
            w = w_desc.load([row, col])
            b = b_desc.load([row, col])
            x = x_desc.load([row, col])
            y_desc.store([row, col], (x - mean[:, None]) * rstd[:, None] * w + b)


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, S, M: tl.constexpr, D: tl.constexpr):
    q_desc = tl.make_tensor_descriptor(q_ptr, shape=[S, D], strides=[D, 1], block_shape=[M, D])
    k_desc = tl.make_tensor_descriptor(k_ptr, shape=[S, D], strides=[D, 1], block_shape=[M, D])
    v_desc = tl.make_tensor_descriptor(v_ptr, shape=[S, D], strides=[D, 1], block_shape=[M, D])
    o_desc = tl.make_tensor_descriptor(o_ptr, shape=[S, D], strides=[D, 1], block_shape=[M, D])
    at = tl.program_id(0) * M
    q = q_desc.load([at, 0])
    k = k_desc.load([0, 0])
    qk = tl.dot(q, tl.trans(k), out_dtype=tl.float16) * 0.125
    top = tl.max(qk, axis=1).to(tl.float16)
    p = tl.exp((qk - top[:, None]).to(tl.float32)).to(tl.float16)
    total = tl.sum(p, axis=1)
    p = (p / total[:, None]).to(tl.float16)
    v = v_desc.load([0, 0])
    o_desc.store([at, 0], tl.dot(p, v, out_dtype=tl.float16))
