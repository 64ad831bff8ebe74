"""Near misses of last-dim-16-bytes: block sizes and element types one step apart, and what a message promises."""

from __future__ import annotations

from typing import Any

import pytest

from spyre_lint.findings import Finding, Level, Verdict
from tests.checks.driver import lint, only

MODULE = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, stride, BLOCK: tl.constexpr):
    {body}


{after}
"""


def narrow(
    block: str, *, after: str = "", gap: str = "", make: str = "tl.make_tensor_descriptor", **options: Any
) -> list[Finding]:
    """Findings for one descriptor with this block shape."""
    rank = block.count(",") + 1
    shape, strides = ", ".join(["n"] * rank), ", ".join(["stride"] * (rank - 1) + ["1"])
    body = f"d = {make}(x_ptr, shape=[{shape}], strides=[{strides}], block_shape=[{block}]){gap}"
    return lint(MODULE.format(body=body, after=after), select=["SPY201"], **options)


SIZES = {"*fp8e4nv": 1, "*i8": 1, "*fp16": 2, "*bf16": 2, "*i16": 2, "*fp32": 4, "*i32": 4, "*i64": 8, "*fp64": 8}


@pytest.mark.parametrize("dtype", SIZES)
def test_each_type_needs_its_own_number_of_elements(dtype: str) -> None:
    least = 16 // SIZES[dtype]
    assert narrow(str(least), dtypes={"x_ptr": dtype}) == []
    finding = only(narrow(str(least - 1), dtypes={"x_ptr": dtype}), "SPY201")
    assert (finding.level, finding.verdict) == (Level.ERROR, Verdict.VIOLATED)
    size = (least - 1) * SIZES[dtype]
    assert f"{size} byte" in finding.message
    assert finding.evidence["bytes"] == size
    assert finding.evidence["least_elements"] == least
    assert f"at least {least} elements" in finding.help


@pytest.mark.parametrize("make", ["tl.make_tensor_descriptor", "triton.language.make_tensor_descriptor"])
@pytest.mark.parametrize("block", ["1", "16, 1", "BLOCK, 1", "1, 1, 1"])
def test_a_single_element_is_too_small_for_every_type(make: str, block: str) -> None:
    finding = only(narrow(block, make=make), "SPY201")
    assert (finding.level, finding.verdict) == (Level.ERROR, Verdict.VIOLATED)
    assert "whatever its type" in finding.message


@pytest.mark.parametrize("block", ["16", "1, 16", "128", "16 * BLOCK"])
def test_wide_enough_for_every_type(block: str) -> None:
    assert narrow(block) == []


@pytest.mark.parametrize(
    ("block", "level", "said"),
    [
        ("2", Level.WARNING, "at least 8 bytes"),
        ("4", Level.WARNING, "at least 4 bytes"),
        ("7", Level.WARNING, "at least 3 bytes"),
        ("8", Level.NOTE, "at least 2 bytes"),
        ("15", Level.NOTE, "at least 2 bytes"),
        ("BLOCK", Level.NOTE, "from `BLOCK` = 8 on with 16-bit"),
    ],
)
def test_unknown_type(block: str, level: Level, said: str) -> None:
    finding = only(narrow(block), "SPY201")
    assert (finding.level, finding.verdict) == (level, Verdict.UNPROVEN)
    assert said in finding.message


def test_a_block_with_a_floor_leaves_only_the_narrowest_types_open() -> None:
    """What is never below 8 elements is wide enough for every type but those of one byte."""
    body = "HALF: tl.constexpr = max(BLOCK // 2, {})\n    d = tl.make_tensor_descriptor(x_ptr, [n], [1], [HALF])"
    finding = only(lint(MODULE.format(body=body.format(8), after=""), select=["SPY201"]), "SPY201")
    assert (finding.level, finding.verdict) == (Level.NOTE, Verdict.UNPROVEN)
    assert "`HALF`, is at least 8" in finding.message
    assert "8-bit ones need 16" in finding.message
    assert lint(MODULE.format(body=body.format(16), after=""), select=["SPY201"]) == []
    lower = only(lint(MODULE.format(body=body.format(4), after=""), select=["SPY201"]), "SPY201")
    assert "from `HALF` = 8 on with 16-bit elements" in lower.message


def test_unknown_block_of_a_known_type() -> None:
    finding = only(narrow("BLOCK", dtypes={"x_ptr": "*fp32"}), "SPY201")
    assert (finding.level, finding.verdict) == (Level.NOTE, Verdict.UNPROVEN)
    assert "from `BLOCK` = 4 on" in finding.message


def test_the_name_and_the_value_are_both_said() -> None:
    found = narrow("BLOCK", dtypes={"x_ptr": "*fp16"}, constexprs={"BLOCK": 4})
    assert "`BLOCK` = 4 of fp16, is 8 bytes" in only(found, "SPY201").message


LAUNCH = "def run_{name}(x: torch.Tensor):\n    kernel[(32,)](x{cast}, x.numel(), x.stride(0), BLOCK={block})\n"


@pytest.mark.parametrize(
    ("launches", "verdict"),
    [
        ([("", "8")], Verdict.UNPROVEN),
        ([("", "8"), (".half()", "8")], None),
        ([(".half()", "8"), (".half()", "4")], Verdict.VIOLATED),
        ([("", "8"), (".to(torch.int8)", "8")], Verdict.VIOLATED),
        ([("", "triton.next_power_of_2(x.numel())")], Verdict.UNPROVEN),
        ([("", "triton.next_power_of_2(x.numel())"), (".float()", "64")], None),
    ],
)
def test_over_several_launches(launches: list[tuple[str, str]], verdict: Verdict | None) -> None:
    after = "\n".join(LAUNCH.format(name=i, cast=cast, block=block) for i, (cast, block) in enumerate(launches))
    found = narrow("BLOCK", after=after)
    assert [finding.verdict for finding in found] == ([] if verdict is None else [verdict])


@pytest.mark.parametrize(
    ("gap", "related"),
    [("  # [gap] scalar descriptors are not lowered", 1), ("  # [gap] something else", 0), ("", 0)],
)
def test_a_gap_never_excuses_it(gap: str, related: int) -> None:
    finding = only(narrow("1", gap=gap), "SPY201")
    assert finding.level is Level.ERROR
    assert len([each for each in finding.related if "gap" in each.message]) == related


def test_the_minimum_comes_from_the_configuration() -> None:
    config = "[hardware]\nmin-last-dim-bytes = 32\n"
    assert narrow("8", dtypes={"x_ptr": "*fp16"}) == []
    finding = only(narrow("8", dtypes={"x_ptr": "*fp16"}, config=config), "SPY201")
    assert "at least 32" in finding.message


def test_run_time_blocks_are_told_by_another_rule() -> None:
    assert narrow("n") == []


def in_a_loop(offset: str, block: str = "1") -> Finding:
    source = f"""\
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    d = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[{block}])
    total = tl.zeros([1], tl.float32)
    for item in range(tl.program_id(0), n, tl.num_programs(0)):
        for part in range(4):
            total += d.load([{offset}])
"""
    return only(lint(source, select=["SPY201"]), "SPY201")


def test_batching_is_the_help_where_each_item_is_loaded_alone() -> None:
    finding = in_a_loop("item")
    assert "BLOCK_ITEMS at least 16" in finding.help
    assert [each.location.line for each in finding.related] == [9]


@pytest.mark.parametrize("offset", ["part", "0"])
def test_batching_is_no_help_for_other_reads(offset: str) -> None:
    assert "BLOCK_ITEMS" not in in_a_loop(offset).help


def test_a_column_is_told_to_become_a_row() -> None:
    assert "end with another dimension" in only(narrow("128, 1"), "SPY201").help


def test_branches_that_no_binding_takes() -> None:
    source = """\
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, FLAG: tl.constexpr = False):
    if FLAG:
        d = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[1])
        e = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[8])
"""
    assert [finding.location.line for finding in lint(source, select=["SPY201"])] == [8]


def test_a_helper_is_reported_once_at_its_own_line() -> None:
    source = """\
import triton
import triton.language as tl


@triton.jit
def scalar(pointer, n):
    return tl.make_tensor_descriptor(pointer, shape=[n], strides=[1], block_shape=[1])


@triton.jit
def kernel(x_ptr, y_ptr, n):
    a = scalar(x_ptr, n)
    b = scalar(y_ptr, n)
"""
    finding = only(lint(source, select=["SPY201"]), "SPY201")
    assert finding.location.line == 7
    assert [each.location.line for each in finding.related] == [12, 13]


def test_the_finding_is_at_the_last_entry() -> None:
    source = MODULE.format(
        body="d = tl.make_tensor_descriptor(\n        x_ptr, [n, n], [stride, 1],\n        block_shape=[\n"
        "            BLOCK,\n            1,\n        ],\n    )",
        after="",
    )
    finding = only(lint(source, select=["SPY201"]), "SPY201")
    assert source.splitlines()[finding.location.line - 1].strip() == "1,"


def test_a_block_of_several_items_is_only_made_wider() -> None:
    body = """d = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])
    for item in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        d.store([item * BLOCK], d.load([item * BLOCK]))"""
    source = MODULE.format(body=body, after="")
    finding = only(lint(source, select=["SPY201"], constexprs={"BLOCK": 4}, dtypes={"x_ptr": "*fp16"}), "SPY201")
    assert finding.help == "use a last block dimension of at least 8 elements of fp16"
    assert finding.related == ()
    single = only(lint(source, select=["SPY201"], constexprs={"BLOCK": 1}, dtypes={"x_ptr": "*fp16"}), "SPY201")
    assert single.help.startswith("load a batch of items at once")
