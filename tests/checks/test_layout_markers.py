"""Layouts and where their markers stand: what the compiler's verifier rejects, and near misses of it."""

from __future__ import annotations

from typing import Any

import pytest

from spyre_lint.findings import Finding, Level, Verdict
from tests.checks.driver import lint, only
from tests.checks.layout_kernels import HEAD, pointwise, stick_on, variants

N64, M64 = stick_on(1, 64, 0), stick_on(0, 64, 1)
N32 = stick_on(1, 32, 0)


def found(source: str, **options: Any) -> list[Finding]:
    return lint(source, select=["SPY7"], **options)


def codes(source: str, **options: Any) -> list[str]:
    """Codes of what is shown to be wrong."""
    return [each.code for each in found(source, **options) if each.verdict is Verdict.VIOLATED]


def line_of(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), start=1) if text in line)


# ---- how the layout gets into the kernel ---------------------------------------------------------------------------

HELPERS = {
    "mark(": """@triton.jit
def mark(desc, layout: tl.constexpr):
    tl.spyre_tensor_layout(desc, layout)


""",
    "mark_guarded(": """@triton.jit
def mark_guarded(desc, layout: tl.constexpr):
    if layout is not None:
        tl.spyre_tensor_layout(desc, layout)


""",
}
COPY = """@triton.jit
def kernel(x_ptr, out_ptr, M, N, LAYOUT: tl.constexpr, FLAG: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    out_desc = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [BM, BN])
    {body}
    out_desc.store([0, 0], x_desc.load([0, 0]))


"""


def copy(*body: str) -> str:
    """A kernel with these statements before its access, and the helpers that they call."""
    statements = "\n    ".join(body)
    helpers = "".join(text for call, text in HELPERS.items() if call in statements)
    return HEAD + helpers + COPY.replace("{body}", statements)


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ((f"tl.spyre_tensor_layout(x_desc, {N64})",), True),
        ((f"triton.language.spyre_tensor_layout(x_desc, {N64})",), True),
        ((f"tl.spyre_tensor_layout(desc=x_desc, layout={N64})",), True),
        ((f"tl.spyre_tensor_layout(x_desc, layout={N64})",), True),
        (('tl.spyre_tensor_layout(x_desc, [0, (1, "identity")])',), True),
        (("tl.spyre_tensor_layout(x_desc, [0, 1])",), False),
        (("tl.spyre_tensor_layout(x_desc, (1, 0))",), False),
        ((f"layout = {N64}", "tl.spyre_tensor_layout(x_desc, layout)"), True),
        ((f"layout: tl.constexpr = {N64}", "tl.spyre_tensor_layout(x_desc, layout)"), True),
        (("layout = [1, 0]", "tl.spyre_tensor_layout(x_desc, layout)"), False),
        ((f"mark(x_desc, {N64})",), True),
        (("mark_guarded(x_desc, LAYOUT)",), False),
        (("if LAYOUT is not None:", "    tl.spyre_tensor_layout(x_desc, LAYOUT)"), False),
    ],
)
def test_inline_layouts(body: tuple[str, ...], wrong: bool) -> None:
    assert codes(copy(*body)) == (["SPY701"] if wrong else [])


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import triton.language as L", "L.spyre_tensor_layout"),
        ("from triton.language import spyre_tensor_layout as mark_it", "mark_it"),
        ("from triton import language", "language.spyre_tensor_layout"),
    ],
)
def test_every_spelling_of_the_marker(imports: str, call: str) -> None:
    assert codes(f"{imports}\n" + copy(f"{call}(x_desc, {N64})")) == ["SPY701"]


def test_a_constant_of_the_module_is_no_literal_of_the_kernel() -> None:
    constants = f"import triton.language as language\n\nROWS = language.constexpr({N64})\n"
    assert codes(constants + copy("tl.spyre_tensor_layout(x_desc, ROWS)")) == []
    listed = f"import triton.language as language\n\nALL = language.constexpr([{N64}, {M64}])\n"
    assert codes(listed + copy("tl.spyre_tensor_layout(x_desc, ALL[1])")) == []


def test_a_parameter_that_is_bound_to_a_local_name() -> None:
    """Triton turns the plain list into its own when it is assigned; an annotated name keeps it."""
    driver = variants("kernel", "x: fp16, out: fp16", LAYOUT=N64, FLAG=False, BM=64, BN=64)
    assert "SPY701" in codes(copy("layout = LAYOUT", "tl.spyre_tensor_layout(x_desc, layout)") + driver)
    kept = copy("layout: tl.constexpr = LAYOUT", "if LAYOUT is not None:", "    tl.spyre_tensor_layout(x_desc, layout)")
    assert codes(kept + driver) == []


def test_what_is_open_of_a_layout_in_the_kernel_waits_for_the_parameter() -> None:
    assert [each.code for each in found(copy(f"tl.spyre_tensor_layout(x_desc, {N64})"))] == ["SPY701"]


def test_the_finding_is_at_the_layout() -> None:
    source = copy("tl.spyre_tensor_layout(", "    x_desc,", f"    {N64},", ")")
    assert only(found(source), "SPY701").location.line == line_of(source, "floordiv")


@pytest.mark.parametrize(
    ("body", "guarded"),
    [
        (("tl.spyre_tensor_layout(x_desc, LAYOUT)",), False),
        (("if LAYOUT is not None:", "    tl.spyre_tensor_layout(x_desc, LAYOUT)"), True),
        (("if LAYOUT is None:", "    tl.spyre_tensor_layout(x_desc, LAYOUT)"), False),
        (("if LAYOUT != None:", "    tl.spyre_tensor_layout(x_desc, LAYOUT)"), True),
        (("if LAYOUT:", "    tl.spyre_tensor_layout(x_desc, LAYOUT)"), True),
        (("if FLAG:", "    tl.spyre_tensor_layout(x_desc, LAYOUT)"), False),
        (("if FLAG and LAYOUT is not None:", "    tl.spyre_tensor_layout(x_desc, LAYOUT)"), True),
        (("if LAYOUT is None:", "    pass", "else:", "    tl.spyre_tensor_layout(x_desc, LAYOUT)"), True),
        (("mark(x_desc, LAYOUT)",), False),
        (("mark_guarded(x_desc, LAYOUT)",), True),
        (("if LAYOUT is not None:", "    mark(x_desc, LAYOUT)"), True),
        (("mark_guarded(x_desc, layout=LAYOUT)",), True),
    ],
)
def test_guards(body: tuple[str, ...], guarded: bool) -> None:
    findings = found(copy(*body))
    assert [each.code for each in findings] == ([] if guarded else ["SPY702"])
    assert all(each.level is Level.WARNING for each in findings)


def test_a_helper_is_told_once_with_its_calls() -> None:
    source = copy("mark(x_desc, LAYOUT)", "mark(out_desc, LAYOUT)")
    finding = only(found(source), "SPY702")
    assert finding.location.line == line_of(source, "spyre_tensor_layout(desc")
    assert [each.location.line for each in finding.related] == [
        line_of(source, "mark(x_desc"),
        line_of(source, "mark(out_desc"),
    ]


@pytest.mark.parametrize(
    ("body", "late"),
    [
        (("x = x_desc.load([0, 0])", "mark_guarded(x_desc, LAYOUT)"), True),
        (("x = tl.load_tensor_descriptor(x_desc, [0, 0])", "mark_guarded(x_desc, LAYOUT)"), True),
        (("x = tl.descriptor_load(x_desc, [0, 0])", "mark_guarded(x_desc, LAYOUT)"), True),
        (("x = x_desc.gather(tl.arange(0, 8), 0)", "mark_guarded(x_desc, LAYOUT)"), True),
        (("x_desc.atomic_add([0, 0], tl.zeros([BM, BN], tl.float16))", "mark_guarded(x_desc, LAYOUT)"), True),
        (("x_desc.store([0, 0], tl.zeros([BM, BN], tl.float16))", "mark_guarded(x_desc, LAYOUT)"), True),
        (("x = out_desc.load([0, 0])", "mark_guarded(x_desc, LAYOUT)"), False),
        (("mark_guarded(x_desc, LAYOUT)", "x = x_desc.load([0, 0])"), False),
        (("for i in range(4):", "    x = x_desc.load([0, 0])", "mark_guarded(x_desc, LAYOUT)"), True),
        (("for i in range(4):", "    mark_guarded(x_desc, LAYOUT)", "    x = x_desc.load([0, 0])"), False),
        (("if FLAG:", "    x = x_desc.load([0, 0])", "else:", "    mark_guarded(x_desc, LAYOUT)"), False),
        (("if FLAG:", "    x = x_desc.load([0, 0])", "mark_guarded(x_desc, LAYOUT)"), True),
    ],
)
def test_markers_after_the_first_use(body: tuple[str, ...], late: bool) -> None:
    assert codes(copy(*body)) == (["SPY707"] if late else [])


# ---- values: what the verifier of the marker rejects ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("[]", "it is empty"),
        ("()", "it is empty"),
        ("0", "is no list of entries"),
        ('"rows"', "is no list of entries"),
        ('[(1, "floor", 64), 0, (1, "mod", 64)]', 'the operation `"floor"`'),
        ("[(1, 3, 64), 0, (1, 2, 64)]", "the operation `3`"),
        ('[(1, "floordiv", 64), -1, (1, "mod", 64)]', "names dimension -1"),
        ('[(2, "floordiv", 64), 0, (1, "mod", 64)]', "names dimension 2"),
        ("[0, 0, 1]", "dimension 0 appears 2 times"),
        ('[(1, "floordiv", 64), 0, (1, "floordiv", 64)]', "dimension 1 appears 2 times"),
        ('[(1, "floordiv", 64), 1, (1, "mod", 64)]', "dimension 1 appears 3 times"),
        ('[(1, "floordiv", 64), (1, "floordiv", 64), 0, (1, "mod", 64)]', "dimension 1 appears 3 times"),
        ('[(1, "floordiv", 0), 0, (1, "mod", 64)]', "splits by 0"),
        ('[(1, "floordiv", 64), 0, (1, "mod", 0)]', "splits by 0"),
        ('[(1, "floordiv", -64), 0, (1, "mod", -64)]', "splits by -64"),
        ('[(1, "floordiv"), 0, (1, "mod")]', "splits by 0"),
        ('[(1, "floordiv", 64, 1), 0, (1, "mod", 64)]', "is neither `src` nor"),
        ("[(1,), 0]", "is neither `src` nor"),
        ('["rows", 0]', "no integer"),
        ('[(1, "floordiv", 64.5), 0, (1, "mod", 64)]', "no integer"),
    ],
)
def test_malformed_layouts(layout: str, said: str) -> None:
    source = pointwise(X_LAYOUT=layout)
    (finding,) = found(source)
    assert (finding.code, finding.level, finding.verdict) == ("SPY703", Level.ERROR, Verdict.VIOLATED)
    assert said in finding.message
    assert finding.location.line == line_of(source, '"X_LAYOUT":')


@pytest.mark.parametrize(
    "layout",
    [
        N64,
        '[0, (1, "floordiv", 64), (1, "mod", 64)]',
        '((1, "floordiv", 64), 0, (1, "mod", 64))',
        '[[1, "floordiv", 64], 0, [1, "mod", 64]]',
        "[(1, 1, 64), (0, 0), (1, 2, 64)]",
        '[(1, "floordiv", 64), (0, "identity"), (1, "mod", 64)]',
        '[(1, "floordiv", 128 // 2), 0, (1, "mod", 128 / 2)]',
        "[0, 1]",
        "[1, 0]",
        "None",
    ],
)
def test_well_formed_layouts(layout: str) -> None:
    assert found(pointwise(X_LAYOUT=layout, Y_LAYOUT=layout, OUT_LAYOUT=layout)) == []


SIZES = {"fp8e4nv": 128, "i8": 128, "fp16": 64, "bf16": 64, "fp32": 32, "i32": 32, "i64": 16}


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("length", [16, 32, 64, 128])
def test_the_stick_follows_the_element_type(kind: str, length: int) -> None:
    layout = stick_on(1, length, 0)
    source = pointwise(types=f"x: {kind}, y: {kind}, out: {kind}", X_LAYOUT=layout, Y_LAYOUT=layout, OUT_LAYOUT=layout)
    findings = found(source)
    if length == SIZES[kind]:
        assert findings == []
        return
    assert {each.code for each in findings} == {"SPY704"}
    assert findings[0].evidence == {"stick": length, "expected": SIZES[kind], "dimension": 1}
    assert findings[0].location.line == line_of(source, '"X_LAYOUT":')
    assert f"{SIZES[kind]} elements" in findings[0].message


def test_both_halves_of_a_split_are_sticks() -> None:
    assert codes(pointwise(X_LAYOUT='[(1, "floordiv", 64), 0, (1, "mod", 32)]', Y_LAYOUT="None"))[-1] == "SPY704"


def test_the_stick_comes_from_the_configuration() -> None:
    source = pointwise(X_LAYOUT=N32, Y_LAYOUT=N32)
    assert "SPY704" not in codes(source, config="[hardware]\nstick-bytes = 64\n")


def test_an_unknown_element_type_leaves_the_stick_open() -> None:
    launch = "import torch\n\n\ndef run(x: torch.Tensor, y):\n    kernel[(1,)](x, y, 64, 128, {}, False, 64, 64)\n"
    source = copy("mark_guarded(x_desc, LAYOUT)") + launch.format(N64)
    finding = only(found(source), "SPY704")
    assert (finding.level, finding.verdict) == (Level.NOTE, Verdict.UNPROVEN)
    assert finding.location.line == line_of(source, "kernel[(1,)]")
    no_type_has_it = copy("mark_guarded(x_desc, LAYOUT)") + launch.format(stick_on(1, 48, 0))
    assert only(found(no_type_has_it), "SPY704").verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("layout", "sizes", "expected"),
    [
        (N64, {"BN": 64}, []),
        (N64, {"BN": 32}, ["SPY705"]),
        (N64, {"BM": 8}, []),
        (M64, {"BM": 32}, ["SPY705"]),
        (N64, {"N": 192, "BN": 64}, []),
        (N64, {"N": 200}, ["SPY706"]),
        (N64, {"M": 100}, []),
        (M64, {"M": 100}, ["SPY706"]),
        (N64, {"N": 96, "BN": 32}, ["SPY705", "SPY706"]),
    ],
)
def test_blocks_and_extents_hold_whole_sticks(layout: str, sizes: dict[str, Any], expected: list[str]) -> None:
    source = pointwise("x", X_LAYOUT=layout, **sizes)
    findings = found(source)
    assert [each.code for each in findings] == expected
    assert all(each.location.line == line_of(source, '"X_LAYOUT":') for each in findings)


def test_a_run_time_extent_is_a_note() -> None:
    source = copy("mark_guarded(x_desc, LAYOUT)") + variants(
        "kernel", "x: fp16, out: fp16", LAYOUT=N64, FLAG=False, BM=64, BN=64
    )
    (finding,) = found(source)
    assert (finding.code, finding.level, finding.verdict) == ("SPY706", Level.NOTE, Verdict.UNPROVEN)
    assert "`N`" in finding.message
    counted = source.replace("x_ptr, [M, N], [N, 1]", "x_ptr, [M, N * 64], [N * 64, 1]")
    assert found(counted) == []


def test_what_is_open_of_a_wrong_stick_is_not_told() -> None:
    source = copy("mark_guarded(x_desc, LAYOUT)") + variants(
        "kernel", "x: fp16, out: fp16", LAYOUT=N32, FLAG=False, BM=64, BN=64
    )
    assert [each.code for each in found(source)] == ["SPY704"]


def test_one_finding_for_a_layout_that_marks_several_descriptors() -> None:
    source = copy("mark_guarded(x_desc, LAYOUT)", "mark_guarded(out_desc, LAYOUT)") + variants(
        "kernel", "x: fp16, out: fp32", LAYOUT=N64, FLAG=False, BM=64, BN=64
    )
    assert "`out_desc`" in only(found(source), "SPY704").message


DRIVER = """\
import numpy as np

SIZES = {"*fp16": 2, "*fp32": 4}
SIG = {"x_ptr": "*fp16", "out_ptr": "*fp32", "M": "i32", "N": "i32", "LAYOUT": "constexpr", "FLAG": "constexpr",
       "BM": "constexpr", "BN": "constexpr"}


def stick(signature, axis, key):
    length = 128 // SIZES[signature[key]]
    return [(axis, "floordiv", length), 1 - axis, (axis, "mod", length)]


def by_item(dtype):
    return 128 // np.dtype(dtype).itemsize


def by_bits(dtype):
    return 1024 // dtype.primitive_bitwidth


of = functools.partial(stick, SIG, 1)
ROWS = of("x_ptr")


def entry(layout):
    return {"KERNEL": kernel, "SIGNATURE": SIG, "GRID": [1],
            "CONSTEXPRS": {"LAYOUT": layout, "FLAG": False, "BM": 64, "BN": 64}}


VARIANTS = {
    "case": {**entry(None), "CONSTEXPRS": {"LAYOUT": {value}, "FLAG": False, "BM": 64, "BN": 64}},
}
"""


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ('of("x_ptr")', False),
        ('of("out_ptr")', True),
        ("ROWS", False),
        ('[(1, "floordiv", by_item(np.float16)), 0, (1, "mod", by_item("float16"))]', False),
        ('[(1, "floordiv", by_item(np.float32)), 0, (1, "mod", by_item("float32"))]', True),
        ('[(1, "floordiv", by_bits(tl.float16)), 0, (1, "mod", by_bits(tl.bfloat16))]', False),
        ('stick(SIG, 1, "x_ptr")', False),
        ('stick(SIG, 1, key="out_ptr")', True),
        ("list(ROWS)", False),
        ("tuple(ROWS)", False),
        ('[(1, op, 64) if op else 0 for op in ("floordiv", "", "mod")]', False),
        ('[(1, op, 32) if op else 0 for op in ("floordiv", "", "mod")]', True),
    ],
)
def test_layouts_are_computed_as_drivers_compute_them(value: str, wrong: bool) -> None:
    source = copy("mark_guarded(x_desc, LAYOUT)") + DRIVER.replace("{value}", value)
    findings = [each for each in found(source) if each.code in ("SPY703", "SPY704")]
    assert [each.code for each in findings] == (["SPY704"] if wrong else [])
    assert all(each.location.line == line_of(source, '"case":') for each in findings)


def test_a_value_that_cannot_be_followed_is_said() -> None:
    finding = only(found(copy("mark_guarded(x_desc, LAYOUT)") + DRIVER.replace("{value}", "input()")), "SPY703")
    assert (finding.level, finding.verdict) == (Level.NOTE, Verdict.UNPROVEN)


def test_a_driver_in_another_file() -> None:
    lower = (
        f"from kernel import kernel\n\n{variants('kernel', 'x: fp16, out: fp16', LAYOUT=N32, FLAG=False, BM=64, BN=64)}"
    )
    finding = only(found(copy("mark_guarded(x_desc, LAYOUT)"), files={"lower.py": lower}), "SPY704")
    assert finding.location.path == "lower.py"
    assert [each.location.path for each in finding.related] == ["kernel.py"] * 2


def test_kernels_without_markers_are_left_alone() -> None:
    source = copy("pass") + variants("kernel", "x: fp16, out: fp16", LAYOUT=N32, FLAG=False, BM=64, BN=64)
    assert found(source) == []


@pytest.mark.parametrize("role", ["tensor_descriptor.py", "models/x/triton_kernel.py", "original.py"])
def test_only_spyre_kernels_are_asked(role: str) -> None:
    assert found(copy(f"tl.spyre_tensor_layout(x_desc, {N64})"), path=role) == []
