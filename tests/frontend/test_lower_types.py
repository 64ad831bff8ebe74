"""Types the lowering gives: Triton's promotion, broadcasting, reductions, dots and casts."""

from __future__ import annotations

import pytest

from spyre_lint.ir.types import OpaqueType
from tests.frontend.lowering import body, lower, only, type_of

LOADS = """
xd = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
yd = tl.make_tensor_descriptor(y_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
x = xd.load([0])
y = yd.load([0])
"""


def result(expression: str, x: str = "fp16", y: str = "fp16", n: str = "i32") -> str:
    """The type of `r = expression` with a 64-element tile x and y of these element types and a scalar n."""
    ir = lower(body(LOADS + f"\nr = {expression}"), dtypes={"x_ptr": f"*{x}", "y_ptr": f"*{y}", "n": n}, BLOCK=64)
    assert not ir.incomplete, ir.incomplete
    return type_of(ir, "r")


@pytest.mark.parametrize(
    ("expression", "x", "y", "expected"),
    [
        ("x + y", "fp16", "fp16", "<64xfp16>"),
        ("x + y", "fp16", "bf16", "<64xfp16>"),
        ("x + y", "bf16", "fp32", "<64xfp32>"),
        ("x + y", "fp16", "fp64", "<64xfp64>"),
        ("x + y", "fp8e5", "fp8e4nv", "<64xfp16>"),
        ("x + y", "fp8e5", "fp8e5", "<64xfp8e5>"),
        ("x * y", "i8", "i16", "<64xi16>"),
        ("x * y", "i32", "u32", "<64xu32>"),
        ("x * y", "i64", "u32", "<64xi64>"),
        ("x * y", "i32", "fp16", "<64xfp16>"),
        ("x / y", "fp16", "fp16", "<64xfp32>"),
        ("x / y", "i32", "i32", "<64xfp32>"),
        ("x // y", "i32", "i32", "<64xi32>"),
        ("x % y", "fp16", "fp16", "<64xfp32>"),
        ("x < y", "fp16", "fp16", "<64xi1>"),
        ("x & y", "i8", "i32", "<64xi32>"),
        ("x << 2", "i8", "i8", "<64xi8>"),
        ("-x", "bf16", "bf16", "<64xbf16>"),
        ("~x", "i16", "i16", "<64xi16>"),
        ("tl.maximum(x, y)", "fp16", "fp32", "<64xfp32>"),
        ("tl.where(x > 0, x, y)", "fp16", "fp32", "<64xfp32>"),
        ("tl.where(x > 0, x, 0.0)", "fp16", "fp16", "<64xfp16>"),
        ("tl.where(x > 0, x, 0.5)", "i32", "i32", "<64xfp32>"),
        ("tl.fma(x, y, 1.0)", "fp16", "fp32", "<64xfp32>"),
        ("tl.clamp(x, 0.0, 1.0)", "fp16", "fp16", "<64xfp16>"),
        ("tl.sigmoid(x)", "fp32", "fp32", "<64xfp32>"),
        ("tl.exp(x)", "fp32", "fp32", "<64xfp32>"),
        ("x.to(tl.float32)", "fp16", "fp16", "<64xfp32>"),
        ("x.to(tl.int1)", "i32", "i32", "<64xi1>"),
        ("x.to(tl.int16, bitcast=True)", "fp16", "fp16", "<64xi16>"),
        ("tl.cast(x, tl.bfloat16)", "fp32", "fp32", "<64xbf16>"),
        ("x.to(y_ptr.dtype.element_ty)", "fp32", "bf16", "<64xbf16>"),
    ],
)
def test_elementwise_result_types(expression: str, x: str, y: str, expected: str) -> None:
    assert result(expression, x, y) == expected


@pytest.mark.parametrize(
    ("expression", "n", "expected"),
    [
        ("x * 2.0", "i32", "<64xfp16>"),  # a Python number of the tile's kind takes its type
        ("2 * x", "i32", "<64xfp16>"),
        ("x * BLOCK", "i32", "<64xfp16>"),  # a constexpr, too
        ("x * n", "fp32", "<64xfp32>"),  # a run-time scalar promotes by its own type
        ("x * n", "i32", "<64xfp16>"),
        ("x + tl.sqrt(n)", "fp32", "<64xfp32>"),
    ],
)
def test_scalars_promote_as_triton_promotes_them(expression: str, n: str, expected: str) -> None:
    assert result(expression, n=n) == expected


def test_an_assigned_number_is_a_run_time_scalar() -> None:
    ir = lower(body(LOADS + "\nk = 2\nr = x + k"), dtypes={"x_ptr": "*i8", "y_ptr": "*i8", "n": "i32"}, BLOCK=64)
    assert type_of(ir, "r") == "<64xi32>"
    kept = lower(body(LOADS + "\nk: tl.constexpr = 2\nr = x + k"), dtypes={"x_ptr": "*i8", "y_ptr": "*i8"}, BLOCK=64)
    assert type_of(kept, "r") == "<64xi8>"


@pytest.mark.parametrize(
    ("expression", "x", "expected"),
    [
        ("tl.sum(x, axis=0)", "fp16", "fp16"),
        ("tl.sum(x)", "i8", "i32"),
        ("tl.sum(x, dtype=tl.float32)", "fp16", "fp32"),
        ("tl.max(x, axis=0)", "fp16", "fp32"),
        ("tl.min(x, axis=0)", "i16", "i32"),
        ("tl.max(x, axis=0)", "fp64", "fp64"),
        ("tl.argmax(x, axis=0)", "fp16", "i32"),
        ("tl.xor_sum(x, axis=0)", "i16", "i16"),
        ("tl.sum(x, axis=0, keep_dims=True)", "fp32", "<1xfp32>"),
        ("tl.cumsum(x, axis=0)", "i8", "<64xi32>"),
        ("x[:, None]", "fp16", "<64x1xfp16>"),
        ("x[None, :] + x[:, None]", "fp16", "<64x64xfp16>"),
        ("x.reshape(8, 8)", "fp16", "<8x8xfp16>"),
        ("tl.reshape(x, [8, 8]).T", "fp16", "<8x8xfp16>"),
        ("tl.trans(tl.reshape(x, (4, 16)))", "fp16", "<16x4xfp16>"),
        ("tl.permute(tl.reshape(x, (4, 8, 2)), (2, 0, 1))", "fp16", "<2x4x8xfp16>"),
        ("tl.join(x, y)", "fp16", "<64x2xfp16>"),
        ("tl.interleave(x, y)", "fp16", "<128xfp16>"),
        ("tl.split(tl.reshape(x, (32, 2)))[0]", "fp16", "<32xfp16>"),
        ("tl.broadcast_to(x[:, None], (64, 4))", "fp16", "<64x4xfp16>"),
        ("tl.expand_dims(x, -1)", "fp16", "<64x1xfp16>"),
        ("tl.ravel(tl.reshape(x, (8, 8)))", "fp16", "<64xfp16>"),
        ("tl.zeros([16, 4], dtype=tl.float32)", "fp16", "<16x4xfp32>"),
        ("tl.full((BLOCK,), 1, tl.int64)", "fp16", "<64xi64>"),
        ("tl.zeros_like(x)", "bf16", "<64xbf16>"),
        ("tl.arange(0, BLOCK)", "fp16", "<64xi32>"),
        ("tl.cat(x, y, can_reorder=True)", "fp16", "<128xfp16>"),
        ("tl.histogram(x, 32)", "i32", "<32xi32>"),
        ("tl.sort(x)", "fp16", "<64xfp16>"),
        ("tl.topk(x, 8)", "fp32", "<8xfp32>"),
        ("tl.flip(x)", "i8", "<64xi8>"),
        ("tl.softmax(x)", "fp32", "<64xfp32>"),
        ("tl.rand(n, tl.arange(0, BLOCK))", "fp32", "<64xfp32>"),
    ],
)
def test_shapes_and_reductions(expression: str, x: str, expected: str) -> None:
    assert result(expression, x, x) == expected


@pytest.mark.parametrize(
    ("a", "arguments", "expected"),
    [
        ("fp16", "", "<16x64xfp32>"),
        ("bf16", "", "<16x64xfp32>"),
        ("fp64", "", "<16x64xfp64>"),
        ("i8", "", "<16x64xi32>"),
        ("fp16", ", out_dtype=tl.float16", "<16x64xfp16>"),
        ("fp16", ", tl.zeros([16, 64], tl.float32)", "<16x64xfp32>"),
        ("fp16", ", acc=tl.zeros([16, 64], tl.float32)", "<16x64xfp32>"),
    ],
)
def test_dot_accumulates_in_fp32_and_int32(a: str, arguments: str, expected: str) -> None:
    source = body(
        f"""
        ad = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[16, 32])
        bd = tl.make_tensor_descriptor(y_ptr, shape=[n, n], strides=[n, 1], block_shape=[32, 64])
        r = tl.dot(ad.load([0, 0]), bd.load([0, 0]){arguments})
        """,
        "x_ptr, y_ptr, n",
    )
    ir = lower(source, dtypes={"x_ptr": f"*{a}", "y_ptr": f"*{a}", "n": "i32"})
    assert type_of(ir, "r") == expected


def test_unknown_element_types_stay_unknown_and_name_what_decides_them() -> None:
    ir = lower(body(LOADS + "\nr = x + y\ns = x.to(tl.float32) * n"))
    assert type_of(ir, "x") == "<BLOCKx?x_ptr>"
    assert "x_ptr" in type_of(ir, "r") and "y_ptr" in type_of(ir, "r")
    assert "?" in type_of(ir, "s")  # fp64 if n is fp64


def test_a_store_converts_to_the_descriptors_element_type() -> None:
    source = body(LOADS + "\nyd.store([0], x.to(tl.float32))")
    ir = lower(source, dtypes={"x_ptr": "*fp16", "y_ptr": "*bf16", "n": "i32"}, BLOCK=64)
    assert str(only(ir, "desc_store").group("value")[0].type) == "<64xbf16>"


def test_tiles_that_do_not_broadcast_are_said_not_to() -> None:
    ir = lower(body("r = tl.arange(0, 16) + tl.arange(0, 32)", "n"))
    assert "broadcast" in ir.incomplete[0].reason
    assert "16" in ir.incomplete[0].reason and "32" in ir.incomplete[0].reason


@pytest.mark.parametrize("expression", ["tl.cdiv(n, BLOCK)", "tl.minimum(n, BLOCK)", "n * BLOCK", "BLOCK * n"])
def test_text_in_place_of_a_number_is_followed_no_further(expression: str) -> None:
    ir = lower(body(f"r = {expression}"), dtypes={"n": "i32"}, BLOCK="abc")
    assert any(isinstance(result.type, OpaqueType) for op in ir.walk() for result in op.results)
