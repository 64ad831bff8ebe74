"""Near misses of descriptor-access: every spelling of an access, helpers, branches, bindings, gaps."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import pytest

from spyre_lint.findings import Finding, Level, Verdict
from tests.checks.driver import codes, lint, marks, only

HEADER = """\
import triton
import triton.language as tl
"""
DESCRIPTORS = """\
x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
"""
PARAMS = "x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr"


def kernel(body: str, *, imports: str = "", params: str = PARAMS, after: str = "", before: str = "") -> str:
    """A module with one kernel of the given body."""
    parts = [HEADER, dedent(imports), dedent(before), f"@triton.jit\ndef kernel({params}):\n"]
    return "\n".join(parts) + indent(dedent(body), "    ") + "\n\n" + dedent(after)


def access(body: str, **options: Any) -> list[Finding]:
    """Findings of this invariant for a kernel body."""
    names = ("imports", "params", "after", "before")
    source = kernel(body, **{name: options.pop(name) for name in names if name in options})
    return [finding for finding in lint(source, **options) if finding.code.startswith("SPY1")]


# ---------------------------------------------------------------------- spellings


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("", "tl.load(x_ptr + tl.arange(0, BLOCK))"),
        ("", "triton.language.load(x_ptr + tl.arange(0, BLOCK))"),
        ("from triton.language import load", "load(x_ptr + tl.arange(0, BLOCK))"),
        ("from triton.language import load as ld", "ld(x_ptr + tl.arange(0, BLOCK))"),
        ("from triton import language as lang", "lang.load(x_ptr + tl.arange(0, BLOCK))"),
        ("import triton.language.core as core", "core.load(x_ptr + tl.arange(0, BLOCK))"),
        ("fetch = tl.load", "fetch(x_ptr + tl.arange(0, BLOCK))"),
        ("", "tl.load(pointer=x_ptr + tl.arange(0, BLOCK))"),
        ("", "tl.load(x_ptr + stride * tl.arange(0, BLOCK), tl.arange(0, BLOCK) < n, 0.0)"),
        ("", "tl.load(x_ptr)"),
    ],
)
def test_raw_load_in_every_spelling(imports: str, call: str) -> None:
    found = access(f"value = {call}", imports=imports)
    assert codes(found) == ["SPY101"]
    assert "`x_ptr`" in found[0].message
    assert found[0].level is Level.ERROR


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("", "x_desc.load([0])"),
        ("", "tl.load_tensor_descriptor(x_desc, [0])"),
        ("", "triton.language.load_tensor_descriptor(x_desc, [0])"),
        ("from triton.language import load_tensor_descriptor as ld", "ld(x_desc, offsets=[0])"),
        ("", "tl.descriptor_load(x_desc, [0])"),
    ],
)
def test_descriptor_load_in_every_spelling(imports: str, call: str) -> None:
    assert access(DESCRIPTORS + f"value = {call}", imports=imports) == []


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("", "tl.store(y_ptr + tl.arange(0, BLOCK), x)"),
        ("", "triton.language.store(y_ptr + tl.arange(0, BLOCK), x, mask=tl.arange(0, BLOCK) < n)"),
        ("from triton.language import store as put", "put(y_ptr + tl.arange(0, BLOCK), x)"),
        ("", "tl.store(y_ptr, tl.sum(x))"),
        ("", "tl.store(value=x, pointer=y_ptr + tl.arange(0, BLOCK))"),
    ],
)
def test_raw_store_in_every_spelling(imports: str, call: str) -> None:
    found = access(DESCRIPTORS + f"x = x_desc.load([0])\n{call}", imports=imports)
    assert codes(found) == ["SPY102"]
    assert "`y_ptr`" in found[0].message


@pytest.mark.parametrize(
    "call",
    [
        "y_desc.store([0], x)",
        "y_desc.store(offsets=[0], value=x)",
        "tl.store_tensor_descriptor(y_desc, [0], x)",
        "triton.language.store_tensor_descriptor(y_desc, [0], x)",
        "tl.descriptor_store(y_desc, [0], x)",
        "y_desc.atomic_add([0], x)",
    ],
)
def test_descriptor_store_in_every_spelling(call: str) -> None:
    assert access(DESCRIPTORS + f"x = x_desc.load([0])\n{call}") == []


@pytest.mark.parametrize("name", ["add", "max", "min", "and", "or", "xor", "xchg"])
@pytest.mark.parametrize("prefix", ["tl", "triton.language"])
def test_raw_atomics(name: str, prefix: str) -> None:
    found = access(f"{prefix}.atomic_{name}(y_ptr + tl.arange(0, BLOCK), tl.zeros([BLOCK], tl.int32))")
    assert codes(found) == ["SPY104"]
    descriptors_have_it = name != "xchg"
    assert ("of a descriptor" in found[0].help) is descriptors_have_it


def test_compare_and_swap_is_an_atomic_too() -> None:
    assert codes(access("tl.atomic_cas(y_ptr, 0, 1)")) == ["SPY104"]


# ---------------------------------------------------------------------- block pointers

MAKE = "p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))\n"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (MAKE, 1),
        (MAKE + "x = tl.load(p)", 2),
        (MAKE + "x = tl.load(p, boundary_check=(0,), padding_option='zero')", 2),
        (MAKE + "p = tl.advance(p, (BLOCK,))", 2),
        (MAKE + "p = p.advance((BLOCK,))", 2),
        (MAKE + "tl.store(p, tl.zeros([BLOCK], tl.float32), boundary_check=(0,))", 2),
        (MAKE + "for i in range(n):\n    x = tl.load(p)\n    p = tl.advance(p, (BLOCK,))", 3),
        ("x = tl.load(x_ptr, boundary_check=(0,))", 1),
    ],
)
def test_one_finding_per_block_pointer_construct(body: str, count: int) -> None:
    assert codes(access(body)) == ["SPY103"] * count


def test_block_pointer_handed_to_a_helper() -> None:
    found = access(
        MAKE + "x = read(p)\ny = read(p)",
        before="""
            @triton.jit
            def read(block):
                return tl.load(block)
            """,
    )
    assert codes(found) == ["SPY103", "SPY103"]
    assert len(found[0].related) == 2


# ---------------------------------------------------------------------- helpers, branches, loops


def test_helper_is_reported_once_at_its_own_line() -> None:
    source = kernel(
        "a = fetch(x_ptr, 0)\nb = fetch(y_ptr, 1)",
        before="""
            @triton.jit
            def fetch(pointer, place):
                return tl.load(pointer + place)
            """,
    )
    finding = only(lint(source, select=["SPY101"]), "SPY101")
    assert "tl.load" in source.splitlines()[finding.location.line - 1]
    calls = [source.splitlines()[each.location.line - 1].strip() for each in finding.related]
    assert calls == ["a = fetch(x_ptr, 0)", "b = fetch(y_ptr, 1)"]


def test_helper_of_another_file() -> None:
    source = kernel("a = fetch(x_ptr, 0)", imports="from helpers import fetch")
    helpers = HEADER + "\n\n@triton.jit\ndef fetch(pointer, place):\n    return tl.load(pointer + place)\n"
    found = lint(source, files={"helpers.py": helpers}, select=["SPY101"])
    assert marks(found) == [("helpers.py", 7, "SPY101")]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if FLAG:\n    x = tl.load(x_ptr)\nelse:\n    y = tl.load(y_ptr)", 2),
        ("x = tl.load(x_ptr) if FLAG else tl.load(y_ptr)", 2),
        ("if FLAG:\n    return\nx = tl.load(x_ptr)", 1),
        ("if n > 0:\n    x = tl.load(x_ptr)", 1),
        ("for i in range(n):\n    x = tl.load(x_ptr + i)", 1),
        ("for i in tl.static_range(4):\n    x = tl.load(x_ptr + i)", 1),
        ("i = 0\nwhile i < n:\n    i += tl.load(x_ptr + i)", 1),
        ("while tl.load(x_ptr) > 0:\n    n -= 1", 1),
        ("x_ptr += n\nif n > 4:\n    x_ptr += 4\nx = tl.load(x_ptr)", 1),
        ("values = (tl.load(x_ptr), tl.load(y_ptr))", 2),
    ],
)
def test_every_branch_and_loop_is_seen(body: str, count: int) -> None:
    found = access(body, params="x_ptr, y_ptr, n, FLAG: tl.constexpr, BLOCK: tl.constexpr")
    assert codes(found) == ["SPY101"] * count


def test_a_branch_that_no_binding_takes_counts() -> None:
    source = kernel("if FLAG:\n    x = tl.load(x_ptr)", params="x_ptr, FLAG: tl.constexpr = False")
    assert codes(lint(source, select=["SPY101"])) == ["SPY101"]


def test_a_function_that_only_a_binding_gives_is_followed() -> None:
    source = kernel(
        "x = READ(x_ptr)",
        params="x_ptr, READ: tl.constexpr",
        before="""
            @triton.jit
            def read(pointer):
                return tl.load(pointer)
            """,
        after="kernel[(1,)](torch_tensor, READ=read)",
    )
    assert codes(lint(source, select=["SPY101"])) == ["SPY101"]


def test_names_that_only_look_like_triton_are_silent() -> None:
    source = kernel("x = store.load(x_ptr)\ny = x", imports="from somewhere import store")
    assert codes(lint(source, select=["SPY1"])) == []


def test_scalar_loads_can_be_allowed_and_tiles_cannot() -> None:
    body = "n = tl.load(x_ptr)\nx = tl.load(x_ptr + tl.arange(0, BLOCK))"
    found = access(body, config="allow-scalar-loads = true")
    assert codes(found) == ["SPY101"]
    assert "a tile" in found[0].message


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("tl.load(x_ptr + tl.arange(0, BLOCK), mask=m)", "takes the place of the mask"),
        ("tl.load(x_ptr + tl.arange(0, BLOCK), mask=m, other=1.0)", "instead of 1.0"),
        ("tl.load(x_ptr + tl.load(y_ptr + tl.arange(0, BLOCK)))", "`gather`"),
        ("tl.load(x_ptr)", "as an argument"),
    ],
)
def test_the_help_of_a_raw_load_fits_it(call: str, said: str) -> None:
    found = access(f"m = tl.arange(0, BLOCK) < n\nx = {call}")
    assert any(said in finding.help for finding in found), [finding.help for finding in found]


def test_zero_fill_needs_no_advice() -> None:
    found = access("x = tl.load(x_ptr + tl.arange(0, BLOCK), mask=tl.arange(0, BLOCK) < n, other=0.0)")
    assert "instead of" not in found[0].help


def test_a_fill_that_is_an_open_constexpr() -> None:
    body = "x = tl.load(x_ptr + tl.arange(0, BLOCK), mask=tl.arange(0, BLOCK) < n, other=FILL)"
    params = "x_ptr, n, BLOCK: tl.constexpr, FILL: tl.constexpr"
    assert codes(access(body, params=params)) == ["SPY101"]


def test_the_pointer_behind_a_choice_of_addresses_is_named() -> None:
    body = "if n > 4:\n    p = x_ptr + n\nelse:\n    p = x_ptr\nx = tl.load(p)"
    assert "`x_ptr`" in only(access(body), "SPY101").message


# ---------------------------------------------------------------------- SPY105


def described(base: str, before: str = "") -> str:
    return f"{before}\nd = tl.make_tensor_descriptor({base}, shape=[n], strides=[1], block_shape=[BLOCK])\n"


@pytest.mark.parametrize(
    "body",
    [
        described("x_ptr + n"),
        described("n + x_ptr"),
        described("x_ptr - 16"),
        described("x_ptr + stride * 4 + n"),
        described("base", "base = x_ptr + n"),
        described("x_ptr", "x_ptr += n"),
        described("(x_ptr + n).to(tl.pointer_type(tl.float16))"),
        described("x_ptr if n > 0 else y_ptr"),
        "for i in range(n):\n    x_ptr += i\n" + indent(described("x_ptr").strip(), "    "),
    ],
)
def test_base_that_is_not_a_bare_argument(body: str) -> None:
    assert codes(access(body), "SPY105") == ["SPY105"]


@pytest.mark.parametrize(
    "body",
    [
        described("x_ptr"),
        described("base=x_ptr"),
        described("base", "base = x_ptr"),
        described("x_ptr.to(tl.pointer_type(tl.float16))"),
        described("x_ptr if BLOCK > 64 else y_ptr"),
        "if BLOCK > 64:\n    base = x_ptr\nelse:\n    base = y_ptr\n" + described("base"),
        "for i in range(n):\n" + indent(described("x_ptr").strip(), "    "),
    ],
)
def test_bare_base(body: str) -> None:
    assert access(body) == []


def test_base_offset_in_a_helper_argument_points_at_the_helper() -> None:
    source = kernel(
        "d = make(x_ptr + n, n, BLOCK)\ne = make(y_ptr, n, BLOCK)",
        before="""
            @triton.jit
            def make(base, n, BLOCK: tl.constexpr):
                return tl.make_tensor_descriptor(base, shape=[n], strides=[1], block_shape=[BLOCK])
            """,
    )
    finding = only(lint(source, select=["SPY105"]), "SPY105")
    assert "make_tensor_descriptor" in source.splitlines()[finding.location.line - 1]
    assert {source.splitlines()[each.location.line - 1].strip() for each in finding.related} == {
        "d = make(x_ptr + n, n, BLOCK)"
    }


@pytest.mark.parametrize(
    "body",
    [
        "d = tl.make_tensor_descriptor(x_ptr + n, [n], [1], [BLOCK])  # [gap] no base offsets",
        "# [gap] no base offsets\nd = tl.make_tensor_descriptor(x_ptr + n, [n], [1], [BLOCK])",
        "base = x_ptr + n  # [gap] no base offsets\nd = tl.make_tensor_descriptor(base, [n], [1], [BLOCK])",
    ],
)
def test_gap_makes_a_base_offset_a_warning(body: str) -> None:
    finding = only(access(body), "SPY105")
    assert (finding.level, finding.verdict) == (Level.WARNING, Verdict.VIOLATED)
    assert "no base offsets" in finding.message


def test_gap_elsewhere_does_not_count() -> None:
    body = "n += 1  # [gap] something\n\nd = tl.make_tensor_descriptor(x_ptr + n, [n], [1], [BLOCK])"
    assert only(access(body), "SPY105").level is Level.ERROR


def test_pointer_out_of_memory() -> None:
    body = "p = tl.load(x_ptr).to(tl.pointer_type(tl.float16))\n" + described("p")
    assert codes(access(body)) == ["SPY101", "SPY105"]


def test_the_finding_is_at_the_base_argument() -> None:
    source = kernel("""\
        d = tl.make_tensor_descriptor(
            shape=[n],
            strides=[1],
            block_shape=[BLOCK],
            base=x_ptr + n,
        )
        """)
    finding = only(lint(source, select=["SPY105"]), "SPY105")
    line = source.splitlines()[finding.location.line - 1]
    assert line[finding.location.column - 1 : finding.location.end_column - 1] == "x_ptr + n"


# ---------------------------------------------------------------------- SPY106, SPY107

DRIVER = """
VARIANTS = {{
    "v": {{
        "KERNEL": kernel,
        "SIGNATURE": {{"x_ptr": "*fp16", "y_ptr": "*fp16", "n": "i32", "stride": {stride}, "BLOCK": "constexpr"}},
        "CONSTEXPRS": {constexprs},
        "GRID": [32],
    }},
}}
"""


def strided(strides: str, **options: Any) -> list[Finding]:
    rank = strides.count(",") + 1
    shape = ", ".join(["n"] * rank)
    block = ", ".join(["1"] * (rank - 1) + ["BLOCK"])
    body = f"d = tl.make_tensor_descriptor(x_ptr, shape=[{shape}], strides=[{strides}], block_shape=[{block}])"
    return access(body, **options)


@pytest.mark.parametrize("strides", ["2", "n, 2", "0", "n, tl.program_id(0) + 2", "n + 1"])
def test_last_stride_that_is_another_number(strides: str) -> None:
    found = [finding for finding in strided(strides) if finding.code == "SPY106"]
    assert [finding.verdict for finding in found] == [Verdict.VIOLATED]


@pytest.mark.parametrize("strides", ["1", "n, 1", "stride, stride, 1", "BLOCK // BLOCK"])
def test_last_stride_of_one(strides: str) -> None:
    assert strided(strides) == []


@pytest.mark.parametrize("strides", ["stride", "n, stride", "n, stride * 1"])
def test_last_stride_that_nobody_types(strides: str) -> None:
    finding = only(strided(strides), "SPY106")
    assert (finding.level, finding.verdict) == (Level.WARNING, Verdict.UNPROVEN)
    assert "`stride`" in finding.message


def test_last_stride_typed_by_a_driver() -> None:
    after = DRIVER.format(stride='"i32"', constexprs='{"BLOCK": 64}')
    finding = only(strided("stride", after=after), "SPY106")
    assert (finding.level, finding.verdict, finding.binding) == (Level.ERROR, Verdict.VIOLATED, "v")


@pytest.mark.parametrize(("value", "expected"), [(1, []), (2, ["SPY106"])])
def test_last_stride_bound_by_a_driver(value: int, expected: list[str]) -> None:
    after = DRIVER.format(stride='"constexpr"', constexprs=f'{{"BLOCK": 64, "stride": {value}}}')
    params = "x_ptr, y_ptr, n, stride: tl.constexpr, BLOCK: tl.constexpr"
    assert codes(strided("stride", after=after, params=params)) == expected


@pytest.mark.parametrize(("value", "expected"), [("1", []), ("4", ["SPY106"]), ("x.stride(0)", ["SPY106"])])
def test_last_stride_given_by_a_launch(value: str, expected: list[str]) -> None:
    after = f"def run(x, y):\n    kernel[(32,)](x, y, x.numel(), {value}, BLOCK=64)\n"
    found = strided("stride", after=after)
    assert codes(found) == expected
    assert all((finding.verdict is Verdict.UNPROVEN) is value.startswith("x") for finding in found)


@pytest.mark.parametrize(
    ("strides", "dtype", "expected"),
    [
        ("100, 1", "*fp16", ["SPY107"]),
        ("100, 1", "*fp32", []),
        ("96, 1", "*fp16", []),
        ("8, 1", "*i8", ["SPY107"]),
        ("n, 1", "*fp16", []),
        ("8 * n, 1", "*fp16", []),
        ("8 * n + 4, 1", "*fp16", ["SPY107"]),
        ("1024, 12, 1", "*fp16", ["SPY107"]),
        ("BLOCK, 1", "*fp16", []),
    ],
)
def test_outer_strides(strides: str, dtype: str, expected: list[str]) -> None:
    found = strided(strides, dtypes={"x_ptr": dtype}, constexprs={"BLOCK": 64})
    assert codes(found) == expected


def test_outer_stride_that_a_launch_gives() -> None:
    after = "def run(x, y):\n    kernel[(32,)](x.half(), y, x.numel(), 100, BLOCK=64)\n"
    finding = only(strided("stride, 1", after=after), "SPY107")
    assert "100 elements of fp16 are 200 bytes" in finding.message


def test_odd_outer_stride_fits_no_type() -> None:
    assert codes(strided("101, 1")) == ["SPY107"]
    assert codes(strided("100, 1")) == []  # 16-byte rows with elements of 4 bytes


# ---------------------------------------------------------------------- SPY108, SPY109


def blocked(block: str, **options: Any) -> list[Finding]:
    rank = max(block.count(",") + 1, 1)
    shape, strides = ", ".join(["n"] * rank), ", ".join(["stride"] * (rank - 1) + ["1"])
    body = f"d = tl.make_tensor_descriptor(x_ptr, shape=[{shape}], strides=[{strides}], block_shape=[{block}])"
    return access(body, **options)


@pytest.mark.parametrize("block", ["n", "1, n", "n * 2", "n // 2", "tl.num_programs(0)"])
def test_block_dimension_at_run_time(block: str) -> None:
    assert codes(blocked(block)) == ["SPY108"]


@pytest.mark.parametrize("block", ["64", "BLOCK", "BLOCK * 2", "1, BLOCK // 2", "triton.next_power_of_2(BLOCK)"])
def test_block_dimension_at_compile_time(block: str) -> None:
    assert blocked(block) == []


def test_a_parameter_that_a_driver_binds_is_a_constexpr() -> None:
    after = DRIVER.format(stride='"i32"', constexprs='{"BLOCK": 64}')
    assert "SPY108" not in codes(blocked("BLOCK", params="x_ptr, y_ptr, n, stride, BLOCK", after=after))
    assert "SPY108" in codes(blocked("BLOCK", params="x_ptr, y_ptr, n, stride, BLOCK"))


@pytest.mark.parametrize(
    ("shape", "strides", "block", "expected"),
    [
        ("n", "1", "64", []),
        ("n, n", "1", "64", ["SPY109"]),
        ("n, n", "stride, 1", "64", ["SPY109"]),
        ("n", "1", "1, 64", ["SPY109"]),
        ("n, n, n, n, n", "stride, stride, stride, stride, 1", "1, 1, 1, 1, 64", []),
        ("n, n, n, n, n, n", "stride, stride, stride, stride, stride, 1", "1, 1, 1, 1, 1, 64", ["SPY109"]),
        ("n, n", "stride, 1", "0, 64", ["SPY109"]),
        ("n, n", "stride, 1", "1024, 1024", []),
        ("n, n", "stride, 1", "1024, 1025", ["SPY109"]),
        ("n", "1", "BLOCK", []),
    ],
)
def test_shapes_that_make_sense(shape: str, strides: str, block: str, expected: list[str]) -> None:
    body = f"d = tl.make_tensor_descriptor(x_ptr, shape=[{shape}], strides=[{strides}], block_shape=[{block}])"
    assert codes(access(body)) == expected


@pytest.mark.parametrize(("block", "expected"), [("96", ["SPY109"]), ("128", []), ("1, 3", ["SPY109"]), ("1, 1", [])])
def test_powers_of_two_matter_to_stock_triton_only(block: str, expected: list[str]) -> None:
    assert codes(blocked(block, profile="stock")) == expected
    assert blocked(block, profile="spyre") == []


def test_a_tuple_that_is_a_module_constant() -> None:
    body = "d = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[stride, 1], block_shape=SHAPE)"
    assert access(body, before="SHAPE: tl.constexpr = (1, 64)") == []


# ---------------------------------------------------------------------- SPY111, SPY118, SPY120

MATRIX = "d = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[stride, 1], block_shape=[16, 64])\n"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("d.load([0, 0])", []),
        ("d.load([0])", ["SPY111"]),
        ("d.load([0, 0, 0])", ["SPY111"]),
        ("tl.load_tensor_descriptor(d, [0])", ["SPY111"]),
        ("d.store([0, 0], tl.zeros([16, 64], tl.float32))", []),
        ("d.store([0], tl.zeros([16, 64], tl.float32))", ["SPY111"]),
        ("d.store([0, 0], tl.zeros([64, 16], tl.float32))", ["SPY111"]),
        ("d.store([0, 0], tl.zeros([64], tl.float32))", ["SPY111"]),
        ("d.store([0, 0], 0.0)", ["SPY111"]),
        ("d.atomic_add([0, 0], tl.zeros([16, 64], tl.float32))", []),
        ("d.atomic_add([0, 0], tl.zeros([16, 1], tl.float32))", ["SPY111"]),
        ("d.store([0, 0], tl.zeros([BLOCK, 64], tl.float32))", []),
    ],
)
def test_offsets_and_tiles_fit(call: str, expected: list[str]) -> None:
    assert codes(access(MATRIX + call), "SPY111") == expected


def test_shapes_are_told_apart_under_a_binding() -> None:
    body = MATRIX + "d.store([0, 0], tl.zeros([BLOCK, 64], tl.float32))"
    assert codes(access(body, constexprs={"BLOCK": 16}), "SPY111") == []
    finding = only(access(body, constexprs={"BLOCK": 32}), "SPY111")
    assert "[32, 64]" in finding.message and "[16, 64]" in finding.message


GATHER = """
i = tl.make_tensor_descriptor(y_ptr, shape=[n], strides=[1], block_shape=[16]).load([0])
d = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[stride, 1], block_shape=[1, 64])
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("d.gather(i, 0)", []),
        ("tl.descriptor_gather(d, i, 0)", []),
        ("d.scatter(tl.zeros([16, 64], tl.float32), i, 0)", []),
        ("d.scatter(tl.zeros([8, 64], tl.float32), i, 0)", ["SPY111"]),
        ("d.gather(i, 0, 0)", ["SPY111"]),
    ],
)
def test_gathers_and_scatters_fit(call: str, expected: list[str]) -> None:
    assert codes(access(GATHER + call), "SPY111") == expected


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("", []),
        (', padding_option="zero"', []),
        (', padding_option="nan"', ["SPY118"]),
        (', "nan"', ["SPY118"]),
    ],
)
def test_padding(option: str, expected: list[str]) -> None:
    assert codes(access(f"d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64]{option})")) == expected


def test_padding_that_a_binding_decides() -> None:
    body = "d = tl.make_tensor_descriptor(x_ptr, [n], [1], [64], padding_option=PAD)"
    params = "x_ptr, n, PAD: tl.constexpr"
    assert only(access(body, params=params), "SPY118").verdict is Verdict.UNPROVEN
    assert access(body, params=params, constexprs={"PAD": "zero"}) == []
    assert only(access(body, params=params, constexprs={"PAD": "nan"}), "SPY118").verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    "call",
    [
        "x_ptr.load([0])",
        "tl.load_tensor_descriptor(x_ptr, [0])",
        "tl.descriptor_load(x_ptr, [0])",
        "x_ptr.gather(y_ptr, 0)",
    ],
)
def test_descriptor_parameter(call: str) -> None:
    finding = next(finding for finding in access(f"x = {call}") if finding.code == "SPY120")
    assert finding.level is Level.WARNING
    assert "`x_ptr`" in finding.message


def test_descriptor_parameter_typed_by_a_driver() -> None:
    after = DRIVER.format(stride='"i32"', constexprs='{"BLOCK": 64}').replace('"*fp16"', '"tensordesc<fp16[64]>"', 1)
    assert codes(access("x = n + 1", after=after)) == ["SPY120"]


def test_descriptor_handed_to_a_helper_is_no_parameter_of_the_kernel() -> None:
    before = """
        @triton.jit
        def read(desc):
            return desc.load([0])
        """
    assert access(DESCRIPTORS + "x = read(x_desc)", before=before) == []
    assert codes(access("x = read(x_ptr)", before=before)) == ["SPY120"]
