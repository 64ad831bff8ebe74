"""Marked tiles in gathers, `tl.inter_tile`, dots and elementwise work: the compiler's cases and near misses."""

from __future__ import annotations

from typing import Any

import pytest

from spyre_lint.findings import Finding, Level, Verdict
from tests.checks.driver import lint, only
from tests.checks.layout_kernels import HEAD, POINTWISE, matmul, pointwise, stick_on, variants

N64, M64 = stick_on(1, 64, 0), stick_on(0, 64, 1)
BOTH = '[(1, "floordiv", 64), (2, "floordiv", 64), 0, (1, "mod", 64), (2, "mod", 64)]'


def found(source: str, **options: Any) -> list[Finding]:
    return lint(source, select=["SPY7"], **options)


def codes(source: str, **options: Any) -> list[str]:
    """Codes of what is shown to be wrong."""
    return [each.code for each in found(source, **options) if each.verdict is Verdict.VIOLATED]


def line_of(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), start=1) if text in line)


# ---- gathers, reductions over programs ------------------------------------------------------------------------------

GATHER = (
    HEAD
    + """@triton.jit
def kernel(x_ptr, index_ptr, out_ptr, X_LAYOUT: tl.constexpr, OUT_LAYOUT: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [{rows}, 128], [128, 1], [1, 128])
    index_desc = tl.make_tensor_descriptor(index_ptr, [64], [1], [64])
    out_desc = tl.make_tensor_descriptor(out_ptr, [64, 128], [128, 1], [64, 128])
    if X_LAYOUT is not None:
        tl.spyre_tensor_layout(x_desc, X_LAYOUT)
    if OUT_LAYOUT is not None:
        tl.spyre_tensor_layout(out_desc, OUT_LAYOUT)
    index = index_desc.load([0])
    {access}


"""
)


@pytest.mark.parametrize(
    "access",
    [
        "out_desc.store([0, 0], x_desc.gather(index, 0))",
        "out_desc.store([0, 0], tl.descriptor_gather(x_desc, index, 0))",
        "x_desc.scatter(out_desc.load([0, 0]), index, 0)",
        "tl.descriptor_scatter(x_desc, out_desc.load([0, 0]), index, 0)",
    ],
)
@pytest.mark.parametrize("rows", [512, 500])
@pytest.mark.parametrize(("layout", "expected"), [(N64, []), (M64, ["SPY709"]), ("[0, 1]", []), ("None", [])])
def test_rows_of_gathers_are_not_split(access: str, rows: int, layout: str, expected: list[str]) -> None:
    source = GATHER.replace("{access}", access).replace("{rows}", str(rows))
    source += variants("kernel", "x: fp16, index: i32, out: fp16", X_LAYOUT=layout, OUT_LAYOUT=N64)
    findings = found(source)
    assert [each.code for each in findings] == expected
    assert all(each.location.line == line_of(source, "(x_desc, X_LAYOUT)") for each in findings)


SHARED = (
    HEAD
    + """@triton.jit
def kernel(x_ptr, y_ptr, out_ptr, SLICES: tl.constexpr, LAYOUT: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [64, 64], [64, 1], [64, 64])
    y_desc = tl.make_tensor_descriptor(y_ptr, [64, 64], [64, 1], [64, 64])
    out_desc = tl.make_tensor_descriptor(out_ptr, [64, 64], [64, 1], [64, 64])
    if LAYOUT is not None:
        tl.spyre_tensor_layout(x_desc, LAYOUT)
    x = x_desc.load([0, 0])
    y = y_desc.load([0, 0])
    part = {part}
    out = tl.inter_tile(part, axis="n", combiner="add", mode="all_reduce", work_slices=SLICES)
    out_desc.store([0, 0], tl.broadcast_to(out.to(tl.float16), [64, 64]))


"""
)
SLICES = '[{"n": 0}, {"n": 1}]'


@pytest.mark.parametrize(
    ("part", "reaches"),
    [
        ("x", True),
        ("x.to(tl.float32) * 2", True),
        ("tl.sum(x, axis=0, keep_dims=True)", True),
        ("tl.trans(x)", True),
        ("tl.reshape(x, [4096, 1])", True),
        ("tl.dot(x, x)", False),
        ("y", False),
        ("tl.exp(y.to(tl.float32))", False),
    ],
)
def test_marked_tiles_do_not_reach_inter_tile(part: str, reaches: bool) -> None:
    source = SHARED.replace("{part}", part)
    given = source + variants("kernel", "x: fp16, y: fp16, out: fp16", SLICES=SLICES, LAYOUT=N64)
    assert codes(given) == (["SPY708"] if reaches else [])
    assert codes(source) == (["SPY708"] if reaches else [])  # whatever the layout is
    assert found(source + variants("kernel", "x: fp16, y: fp16, out: fp16", SLICES=SLICES, LAYOUT=None)) == []


def test_a_default_of_none_is_no_way_to_run_a_kernel() -> None:
    source = SHARED.replace("{part}", "x").replace("LAYOUT: tl.constexpr", "LAYOUT: tl.constexpr = None")
    assert codes(source) == ["SPY708"]


# ---- contractions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        # The compiler's cases of one dot: A, B and C with their layouts.
        ({"a_shape": [64, 64], "b_shape": [64, 64], "c_shape": [64, 64], "a": N64, "b": N64}, []),
        ({"a_shape": [64, 128], "b_shape": [128, 64], "c_shape": [64, 64], "a": N64, "b": M64}, []),
        ({"a_shape": [64, 128], "b_shape": [128, 64], "c_shape": [64, 64], "a": M64, "b": N64}, []),
        ({"a_shape": [64, 128], "b_shape": [128, 64], "c_shape": [64, 64], "a": M64, "b": M64}, []),
        ({"a_shape": [64, 128], "b_shape": [128, 64], "c_shape": [64, 64], "a": N64, "b": N64, "c": N64}, []),
        ({"a_shape": [128, 64], "b_shape": [64, 64], "c_shape": [128, 64], "a": M64}, []),
        ({"a_shape": [64, 64], "b_shape": [64, 64], "c_shape": [64, 64], "a": N64}, []),
        ({"a_shape": [64, 128], "b_shape": [128, 64], "c_shape": [64, 64], "a": N64}, ["SPY710"]),
        ({"a_shape": [64, 128], "b_shape": [128, 64], "c_shape": [64, 64], "b": M64}, ["SPY710"]),
        ({"a_shape": [64, 128], "b_shape": [128, 64], "c_shape": [64, 64], "b": N64}, []),
        ({"a_shape": [64, 128], "b_shape": [128, 64], "c_shape": [64, 64], "a": "[0, 1]", "b": M64}, []),
        # Several sticks on both axes of the result.
        ({"a_shape": [128, 64], "b_shape": [64, 128], "c_shape": [128, 128], "a": M64, "b": N64}, ["SPY710"]),
        ({"a_shape": [128, 64], "b_shape": [64, 64], "c_shape": [128, 64], "a": M64, "b": N64}, []),
        # Batches: the batch dimension stays as it is.
        (
            {
                "a_shape": [4, 64, 128],
                "b_shape": [4, 128, 64],
                "c_shape": [4, 64, 64],
                "a": stick_on(2, 64, 0, 1),
                "b": stick_on(1, 64, 0, 2),
            },
            [],
        ),
        (
            {"a_shape": [4, 64, 128], "b_shape": [4, 128, 64], "c_shape": [4, 64, 64], "a": stick_on(2, 64, 0, 1)},
            ["SPY710"],
        ),
        ({"a_shape": [2, 128, 128], "b_shape": [2, 128, 64], "c_shape": [2, 128, 64], "a": BOTH, "b": BOTH}, []),
        (
            {"a_shape": [2, 128, 128], "b_shape": [2, 128, 128], "c_shape": [2, 128, 128], "a": BOTH, "b": BOTH},
            ["SPY710"],
        ),
    ],
)
def test_contractions(case: dict[str, Any], expected: list[str]) -> None:
    source = matmul(**case)
    findings = found(source)
    assert [each.code for each in findings] == expected
    assert all(each.location.line == line_of(source, "acc = tl.dot") for each in findings)


@pytest.mark.parametrize(
    ("b", "dot", "expected"),
    [
        (M64, "tl.dot(a, tl.trans(b), acc)", []),
        (N64, "tl.dot(a, tl.trans(b), acc)", []),
        ("None", "tl.dot(a, tl.trans(b), acc)", ["SPY710"]),
        ("None", "tl.dot(a.to(tl.float32), tl.trans(b.to(tl.float32)), acc)", ["SPY710"]),
        ("None", "acc + tl.dot(a * 2, b.T)", ["SPY710"]),
        ("None", "tl.dot(a, tl.zeros([128, 64], tl.float16), acc)", []),
        ("None", "tl.dot(a, tl.dot(tl.trans(b), b).to(tl.float16), acc)", []),
    ],
)
def test_operands_of_a_contraction_are_followed(b: str, dot: str, expected: list[str]) -> None:
    shapes: dict[str, Any] = {"a_shape": [64, 128], "b_shape": [64, 128], "c_shape": [64, 64]}
    if "tl.dot(tl.trans(b), b)" in dot:
        shapes["c_shape"] = [64, 128]
    assert codes(matmul(**shapes, a=N64, b=b, dot=dot)) == expected


def test_sticks_of_unlike_types_do_not_go_together() -> None:
    source = matmul([64, 128], [128, 64], [64, 64], a=N64, b=stick_on(0, 128, 1)).replace(
        "'b_ptr': '*fp16'", "'b_ptr': '*fp8e5'"
    )
    finding = only(found(source), "SPY710")
    assert "split by 128" in finding.message


def test_a_block_that_is_open_leaves_the_contraction_open() -> None:
    source = matmul([64, 128], [128, 64], [64, 64], a=N64)
    source = source.replace("A_LAYOUT: tl.constexpr, B", "BK: tl.constexpr, A_LAYOUT: tl.constexpr, B")
    source = source.replace("[64, 128], [128, 1], [64, 128]", "[64, 128], [128, 1], [64, BK]")
    finding = only(found(source), "SPY710")
    assert (finding.level, finding.verdict) == (Level.NOTE, Verdict.UNPROVEN)


# ---- elementwise work -----------------------------------------------------------------------------------------------

ROWS_MARKED = {"X_LAYOUT": N64, "Y_LAYOUT": N64, "OUT_LAYOUT": N64}


@pytest.mark.parametrize(
    ("result", "layouts", "expected"),
    [
        ("x + y", ROWS_MARKED, []),
        ("x + y", {}, []),
        ("x + y", {"X_LAYOUT": N64}, ["SPY711"]),
        ("y * x", {"X_LAYOUT": N64}, ["SPY711"]),
        ("x + y", {"Y_LAYOUT": N64}, ["SPY711"]),
        ("x + y", {"X_LAYOUT": N64, "Y_LAYOUT": M64}, ["SPY711"]),
        ("x + y", {"X_LAYOUT": "[0, 1]"}, []),
        ("x + y", {"X_LAYOUT": "[1, 0]"}, ["SPY711"]),
        ("x", {"X_LAYOUT": N64}, []),
        ("x * 2 + 1.0", {"X_LAYOUT": N64}, []),
        ("tl.maximum(x, y)", {"X_LAYOUT": N64}, ["SPY711"]),
        ("tl.fma(x, x, y)", {"X_LAYOUT": N64}, ["SPY711"]),
        ("tl.where(x > 0, x, 0.0)", {"X_LAYOUT": N64}, []),
        ("tl.where(y > 0, x, 0.0)", {"X_LAYOUT": N64}, ["SPY711"]),
        ("tl.where(tl.arange(0, BN)[None, :] < 5, x, 0.0)", {"X_LAYOUT": N64}, []),
        ("x + tl.trans(y)", {"X_LAYOUT": N64, "Y_LAYOUT": M64, "BM": 128}, []),
        ("x + tl.trans(y)", {"X_LAYOUT": N64, "Y_LAYOUT": N64, "BM": 128}, ["SPY711"]),
        ("tl.trans(tl.trans(x)) + y", {"X_LAYOUT": N64, "Y_LAYOUT": N64}, []),
        ("x.to(tl.float32) + y.to(tl.float32)", {"X_LAYOUT": N64, "Y_LAYOUT": N64}, []),
        ("x + tl.sum(y, axis=1)[:, None]", ROWS_MARKED, []),
        ("x - tl.max(x, axis=1)[:, None]", ROWS_MARKED, ["SPY711"]),
        ("x - tl.max(x, axis=1, keep_dims=True)", ROWS_MARKED, ["SPY711"]),
        ("x - tl.max(x)", ROWS_MARKED, ["SPY711"]),
        ("x / tl.sum(tl.exp(x.to(tl.float32)), axis=0)[None, :]", ROWS_MARKED, ["SPY711"]),
        ("tl.softmax(x.to(tl.float32), 1)", ROWS_MARKED, ["SPY711"]),
        ("x - tl.max(x_desc.load([m * BM, n * BN]), axis=1)[:, None]", ROWS_MARKED, []),
        ("x - tl.max(x, axis=1)[:, None]", {}, []),
        ("tl.reshape(x, [BM, BN]) + y", {"X_LAYOUT": N64, "Y_LAYOUT": N64}, []),
    ],
)
def test_elementwise(result: str, layouts: dict[str, Any], expected: list[str]) -> None:
    source = pointwise(result, **layouts)
    findings = found(source)
    assert [each.code for each in findings] == expected
    assert all(each.location.line == line_of(source, "out_desc.store") for each in findings)


@pytest.mark.parametrize(
    ("stored", "c", "expected"),
    [
        ("acc + c_desc.load([0, 0])", "None", []),
        ("acc + c_desc.load([0, 0])", N64, ["SPY711"]),
        ("(acc - tl.max(acc, axis=1)[:, None]).to(tl.float16)", N64, []),
        ("tl.exp(acc) * c_desc.load([0, 0])", "None", []),
    ],
)
def test_the_result_of_a_contraction_is_logical(stored: str, c: str, expected: list[str]) -> None:
    assert codes(matmul([64, 64], [64, 64], [64, 64], a=N64, b=N64, c=c, stored=stored)) == expected


def test_layouts_are_followed_through_loops_and_branches() -> None:
    body = """    total = tl.zeros([64, 64], tl.float32)
    for i in range(4):
        total += x_desc.load([0, 0])
        if FLAG:
            total = total * 2
    y = y_desc.load([0, 0])
    while n > 0:
        n -= 1
        y += 1
    out_desc.store([0, 0], total + y)
"""
    source = HEAD + (
        "@triton.jit\ndef kernel(x_ptr, y_ptr, out_ptr, n, FLAG: tl.constexpr, X_LAYOUT: tl.constexpr, "
        "Y_LAYOUT: tl.constexpr):\n"
        + "".join(
            f"    {name}_desc = tl.make_tensor_descriptor({name}_ptr, [64, 64], [64, 1], [64, 64])\n"
            for name in ("x", "y", "out")
        )
        + "    if X_LAYOUT is not None:\n        tl.spyre_tensor_layout(x_desc, X_LAYOUT)\n"
        + "    if Y_LAYOUT is not None:\n        tl.spyre_tensor_layout(y_desc, Y_LAYOUT)\n"
        + body
        + "\n\n"
    )
    types = "x: fp16, y: fp16, out: fp16"
    assert codes(source + variants("kernel", types, FLAG=True, X_LAYOUT=N64, Y_LAYOUT=N64)) == []
    finding = only(found(source + variants("kernel", types, FLAG=True, X_LAYOUT=N64, Y_LAYOUT=None)), "SPY711")
    assert finding.location.line == line_of(source, "total + y")


def test_a_running_maximum_meets_its_tile() -> None:
    body = "        high = tl.maximum(high, tl.max(x, axis=1))\n        x = x - high[:, None]\n"
    source = pointwise("x", **ROWS_MARKED)
    source = source.replace("    for m in", "    high = tl.zeros([BM], tl.float32)\n    for m in")
    source = source.replace(
        "            y = y_desc", body.replace("        ", "            ") + "            y = y_desc"
    )
    assert only(found(source), "SPY711").location.line == line_of(source, "x - high")


def test_a_malformed_layout_is_told_once() -> None:
    assert codes(pointwise(X_LAYOUT="[0, 0, 1]", Y_LAYOUT=N64)) == ["SPY703"]


def test_open_layouts() -> None:
    source = POINTWISE.replace("{result}", "x + y")
    assert found(source) == []  # of two layouts that nothing gives, nothing says that they differ
    unmarked = source.replace("tl.spyre_tensor_layout(y_desc, Y_LAYOUT)", "pass")
    finding = only(found(unmarked), "SPY711")
    assert (finding.level, finding.verdict) == (Level.NOTE, Verdict.UNPROVEN)
    assert "`X_LAYOUT`" in finding.message
