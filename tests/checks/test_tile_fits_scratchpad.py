"""SPY4xx: the peak of live tiles, where tile sizes come from, and batching, in near misses."""

from __future__ import annotations

import pytest

from spyre_lint.findings import Finding, Level, Verdict
from tests.checks.driver import codes, lint, only

IMPORTS = "import torch\nimport triton\nimport triton.language as tl\n\n\n"

ROWS = (
    IMPORTS
    + """
@triton.jit
def rows_kernel(x_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        for n in range(0, N, BLOCK_N):
            y_desc.store([m * BLOCK_M, n], x_desc.load([m * BLOCK_M, n]) * 2)


VARIANTS = {}
"""
)
LOAD_LINE = 13


def driven(types: str, block_m: int, block_n: int, name: str = "rows") -> str:
    """An entry of a driver for `rows_kernel`."""
    return f"""
VARIANTS["{name}"] = {{
    "KERNEL": rows_kernel,
    "GRID": [32],
    "SIGNATURE": {{
        **{{"x_ptr": "{types}", "y_ptr": "{types}", "M": "i32", "N": "i32"}},
        **{{"BLOCK_M": "constexpr", "BLOCK_N": "constexpr"}},
    }},
    "CONSTEXPRS": {{"BLOCK_M": {block_m}, "BLOCK_N": {block_n}}},
}}
"""


@pytest.mark.parametrize(
    ("types", "block_m", "block_n", "level"),
    [
        ("*fp32", 128, 2048, None),
        ("*fp32", 204, 2048, None),
        ("*fp32", 216, 2048, Level.WARNING),  # 1 769 472 bytes: above the usable share, below 2 MiB
        ("*fp32", 256, 2048, Level.WARNING),  # exactly 2 MiB
        ("*fp32", 264, 2048, Level.ERROR),
        ("*fp16", 264, 2048, None),
        ("*fp16", 512, 2048, Level.WARNING),
    ],
)
def test_peak_against_the_scratchpad(types: str, block_m: int, block_n: int, level: Level | None) -> None:
    found = [each for each in lint(ROWS + driven(types, block_m, block_n)) if each.code == "SPY401"]
    assert [each.level for each in found] == ([] if level is None else [level]), found
    size = {"*fp32": 4, "*fp16": 2}[types]
    for each in found:
        assert (each.verdict, each.location.line, each.binding) == (Verdict.VIOLATED, LOAD_LINE, "rows")
        assert each.evidence["peak_bytes"] == each.evidence["live"][0]["bytes"] == block_m * block_n * size


def test_the_figure_names_tiles_bytes_and_share() -> None:
    found = only(lint(ROWS + driven("*fp32", 512, 2048)), "SPY401")
    assert "% of the 2 MiB scratchpad" in found.message
    assert f"(line {LOAD_LINE})" in found.message
    assert found.related


def test_the_worst_binding_is_reported_and_the_others_are_named() -> None:
    source = ROWS + driven("*fp32", 512, 1024, "small") + driven("*fp32", 512, 4096, "large")
    found = only(lint(source), "SPY401")
    assert found.binding == "large"
    assert found.evidence["also_under"] == ["small"]


def test_one_binding_settles_what_another_leaves_open() -> None:
    open_launch = (
        "\n\ndef run(x, y, config):\n    rows_kernel[(32,)](x, y, *x.shape, BLOCK_M=config.m, BLOCK_N=config.n)\n"
    )
    assert codes(lint(ROWS + open_launch), "SPY401") == ["SPY401"]
    assert codes(lint(ROWS + driven("*fp16", 16, 1024) + open_launch), "SPY401") == []
    assert [each.level for each in lint(ROWS + driven("*fp16", 512, 4096) + open_launch) if each.code == "SPY401"] == [
        Level.ERROR
    ]


def test_an_open_kernel_is_a_note_with_the_sizes_that_fit() -> None:
    found = only(lint(ROWS), "SPY401")
    assert (found.verdict, found.level) == (Verdict.UNPROVEN, Level.NOTE)
    assert "`BLOCK_M` and `BLOCK_N`" in found.message
    assert "BLOCK_M=128, BLOCK_N=128, 2-byte elements" in found.message
    assert found.help.startswith("tiles up to BLOCK_M=512, BLOCK_N=512 fit")


def test_an_open_kernel_over_the_scratchpad_is_a_warning() -> None:
    found = only(lint(ROWS, config="[tiles]\n'*_M' = 1024\n'*_N' = 4096\n"), "SPY401")
    assert (found.verdict, found.level) == (Verdict.UNPROVEN, Level.WARNING)


@pytest.mark.parametrize(("block_n", "verdict"), [(1024, None), (65536, Verdict.UNPROVEN), (1 << 18, Verdict.VIOLATED)])
def test_an_open_element_type_matters_only_where_it_decides(block_n: int, verdict: Verdict | None) -> None:
    launch = f"\n\ndef run(x, y):\n    rows_kernel[(32,)](x, y, *x.shape, BLOCK_M=16, BLOCK_N={block_n})\n"
    found = [each.verdict for each in lint(ROWS + launch) if each.code == "SPY401"]
    assert found == ([] if verdict is None else [verdict])


def test_the_usable_share_is_configurable() -> None:
    source = ROWS + driven("*fp32", 216, 2048)
    assert codes(lint(source), "SPY401") == ["SPY401"]
    assert codes(lint(source, config="[hardware]\nusable-fraction = 1.0\n"), "SPY401") == []
    assert codes(lint(source, config="[hardware]\nscratchpad-bytes = 4194304\n"), "SPY401") == []


def test_constexprs_of_the_command_line_bind() -> None:
    dtypes = {"x_ptr": "*fp32", "y_ptr": "*fp32"}
    found = lint(ROWS, constexprs={"BLOCK_M": 1024, "BLOCK_N": 1024}, dtypes=dtypes)
    assert only(found, "SPY401").level is Level.ERROR
    assert codes(lint(ROWS, constexprs={"BLOCK_M": 64, "BLOCK_N": 1024}, dtypes=dtypes), "SPY401") == []


def test_a_peak_inside_of_a_helper() -> None:
    helper = "@triton.jit\ndef doubled(x):\n    wide = x.to(tl.float32)\n    return wide * wide\n\n\n"
    source = ROWS.replace("@triton.jit\ndef rows", helper + "@triton.jit\ndef rows")
    source = source.replace("x_desc.load([m * BLOCK_M, n]) * 2", "doubled(x_desc.load([m * BLOCK_M, n]))")
    found = only(lint(source + driven("*fp16", 256, 2048)), "SPY401")
    assert found.location.line in (9, 10)
    assert any("reached from `rows_kernel`" in each.message for each in found.related)


# ------------------------------------------------------------------------------------------------------- SPY402


def tiles(value: str, before: str = "pass", parameters: str = "x, y", top: str = "") -> list[Finding]:
    host = f"""

{top}
def run({parameters}):
    M, N = x.shape
    {before}
    rows_kernel[(32,)](x, y, M, N, BLOCK_M=16, BLOCK_N={value})
"""
    return [each for each in lint(ROWS + host) if each.code == "SPY402"]


@pytest.mark.parametrize(
    ("value", "level"),
    [
        ("triton.next_power_of_2(N)", Level.ERROR),
        ("N", Level.ERROR),
        ("x.shape[1]", Level.ERROR),
        ("max(16, N)", Level.ERROR),
        ("triton.cdiv(N, 32)", Level.ERROR),
        ("min(128, N)", Level.WARNING),
        ("min(triton.next_power_of_2(N), 4096)", Level.WARNING),
        ("128", None),
        ("2 ** 7", None),
        ("triton.next_power_of_2(100)", None),
        ("128 if N > 128 else 64", None),
    ],
)
def test_tiles_of_a_launch(value: str, level: Level | None) -> None:
    found = tiles(value)
    assert [(each.level, each.verdict) for each in found] == ([] if level is None else [(level, Verdict.VIOLATED)])
    for each in found:
        assert each.location.column > 40, "at the argument, not at the call"
        assert each.related[0].message.startswith("`BLOCK_N` is a tile")


def test_tiles_through_variables_constants_and_parameters() -> None:
    assert [each.level for each in tiles("block", "block = triton.next_power_of_2(N)")] == [Level.ERROR]
    assert tiles("block", "block = 256") == []
    assert tiles("BLOCK", top="BLOCK = 512\n\n") == []
    assert tiles("Sizes.BLOCK", top="class Sizes:\n    BLOCK = 512\n\n") == []
    assert tiles("block", parameters="x, y, block=256") == []
    assert [each.level for each in tiles("width", parameters="x, y, width=256")] == [Level.ERROR]
    assert tiles("blk_n", parameters="x, y, blk_n: int = 64") == []
    chosen = tiles("block", parameters="x, y, block")
    assert [(each.level, each.verdict) for each in chosen] == [(Level.NOTE, Verdict.UNPROVEN)]
    unknown = tiles("pick()", top="from elsewhere import pick\n\n")
    assert [(each.level, each.verdict) for each in unknown] == [(Level.NOTE, Verdict.UNPROVEN)]


HEADS_KERNEL = """
import triton
import triton.language as tl


@triton.jit
def heads_kernel(x_ptr, y_ptr, n, D: tl.constexpr, BLK_N: tl.constexpr, BLOCK_D: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, D], strides=[D, 1], block_shape=[BLK_N, BLOCK_D])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n, D], strides=[D, 1], block_shape=[BLK_N, BLOCK_D])
    for start in range(tl.program_id(0) * BLK_N, n, tl.num_programs(0) * BLK_N):
        y_desc.store([start, 0], x_desc.load([start, 0]))
"""


@pytest.mark.parametrize(
    ("block", "fires"),
    [("BLOCK_D=D", False), ("BLOCK_D=n", True), ("BLOCK_D=2 * D", True), ("BLOCK_D=x.shape[0]", True)],
)
def test_a_tile_named_after_a_dimension_of_the_model(block: str, fires: bool) -> None:
    host = f"\n\ndef run(x, y):\n    n, D = x.shape\n    heads_kernel[(32,)](x, y, n, D, BLK_N=64, {block})\n"
    assert codes(lint(HEADS_KERNEL + host), "SPY402") == (["SPY402"] if fires else [])


def test_positional_arguments_are_matched() -> None:
    host = "\n\ndef run(x, y):\n    M, N = x.shape\n    rows_kernel[(32,)](x, y, M, N, 16, triton.next_power_of_2(N))\n"
    assert codes(lint(ROWS + host), "SPY402") == ["SPY402"]


def test_heuristics_that_size_tiles() -> None:
    decorated = ROWS.replace(
        "@triton.jit",
        '@triton.heuristics({"BLOCK_N": lambda args: triton.next_power_of_2(args["N"])})\n@triton.jit',
    )
    found = only(lint(decorated), "SPY402")
    assert (found.level, found.location.line) == (Level.ERROR, 7)
    fixed = decorated.replace('triton.next_power_of_2(args["N"])', "1024")
    assert codes(lint(fixed), "SPY402") == []


WHOLE = (
    IMPORTS
    + """
@triton.jit
def whole_kernel(x_ptr, y_ptr, M, BLOCK_M: tl.constexpr, SIZE: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, SIZE], strides=[SIZE, 1], block_shape=[BLOCK_M, SIZE])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[M, SIZE], strides=[SIZE, 1], block_shape=[BLOCK_M, SIZE])
    for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
        y_desc.store([m * BLOCK_M, 0], x_desc.load([m * BLOCK_M, 0]) * 2)
"""
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("N", ["SPY402"]),
        ("n_cols", ["SPY402"]),
        ("HEAD_DIM", []),
        ("head_size", []),
        ("BLOCK_N", []),
        ("hidden", ["SPY402"]),
    ],
)
def test_a_size_that_is_a_tile(name: str, expected: list[str]) -> None:
    found = lint(WHOLE.replace("SIZE", name))
    assert [each.code for each in found if each.code in ("SPY402", "SPY501")] == expected


def test_a_size_that_is_a_tile_is_told_once() -> None:
    host = "\n\ndef run(x, y):\n    whole_kernel[(32,)](x, y, x.shape[0], BLOCK_M=16, SIZE=x.shape[1])\n"
    found = only(lint(WHOLE + host), "SPY402")
    assert found.location.line == 16
    constant = lint((WHOLE + host).replace("SIZE", "HEAD_DIM"))
    assert codes(constant, "SPY402") == []
    configured = lint((WHOLE + host).replace("SIZE", "hidden"), config='model-constants = ["hidden*"]\n')
    assert codes(configured, "SPY402") == []


# ------------------------------------------------------------------------------------------------------- SPY403

ITEMS = (
    IMPORTS
    + """
@triton.jit
def items_kernel(x_ptr, y_ptr, n, HEAD_DIM: tl.constexpr, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, HEAD_DIM], strides=[HEAD_DIM, 1], block_shape=[BLOCK, HEAD_DIM])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n, HEAD_DIM], strides=[HEAD_DIM, 1], block_shape=[BLOCK, HEAD_DIM])
    n_items = tl.cdiv(n, BLOCK)
    per_core = tl.cdiv(n_items, tl.num_programs(0))
    start = tl.program_id(0) * per_core
    for item in range(start, tl.minimum(start + per_core, n_items)):
        y_desc.store([item * BLOCK, 0], x_desc.load([item * BLOCK, 0]) * 2)


def run(x, y):
    items_kernel[(32,)](x.half(), y.half(), x.shape[0], HEAD_DIM=128, BLOCK=1)
"""
)


def test_one_item_per_step_is_underuse() -> None:
    found = only(lint(ITEMS), "SPY403")
    assert (found.level, found.location.line) == (Level.WARNING, 14)
    assert found.evidence["block_items"] == 64
    assert codes(lint(ITEMS.replace("BLOCK=1)", "BLOCK=2)")), "SPY403") == []


def test_large_items_are_no_underuse() -> None:
    assert codes(lint(ITEMS.replace("HEAD_DIM=128", "HEAD_DIM=131072")), "SPY403") == []


@pytest.mark.parametrize(("head", "items"), [(128, 64), (8192, 64), (16384, 32), (32768, 16)])
def test_the_batch_fits_half_of_the_scratchpad(head: int, items: int) -> None:
    found = only(lint(ITEMS.replace("HEAD_DIM=128", f"HEAD_DIM={head}")), "SPY403")
    assert found.evidence["block_items"] == items
    assert found.evidence["batched_bytes"] <= 1 << 20


def test_items_that_depend_on_each_other_are_not_batched() -> None:
    chained = ITEMS.replace("    for item", "    before = 0.0\n    for item").replace(
        "x_desc.load([item * BLOCK, 0]) * 2)",
        "x_desc.load([item * BLOCK, 0]) + before)\n        before += tl.sum(x_desc.load([item * BLOCK, 0]))",
    )
    assert codes(lint(chained), "SPY403") == []


def test_trade_offs_are_those_of_the_loop() -> None:
    plain = only(lint(ITEMS), "SPY403").help
    assert "mask" not in plain
    inner = ITEMS.replace(
        "        y_desc.store([item * BLOCK, 0], x_desc.load([item * BLOCK, 0]) * 2)",
        "        for step in range(item):\n"
        "            y_desc.store([item * BLOCK, 0], x_desc.load([item * BLOCK, 0]) * step)",
    )
    assert "share the inner loop" in only(lint(inner), "SPY403").help
    branch = ITEMS.replace(
        "        y_desc.store([item * BLOCK, 0], x_desc.load([item * BLOCK, 0]) * 2)",
        "        if item % 2 == 0:\n            y_desc.store([item * BLOCK, 0], x_desc.load([item * BLOCK, 0]) * 2)",
    )
    assert "tl.where" in only(lint(branch), "SPY403").help


def test_an_inner_share_of_blocks_is_dense() -> None:
    dense = ITEMS.replace(
        "        y_desc.store([item * BLOCK, 0], x_desc.load([item * BLOCK, 0]) * 2)",
        "        for col in range(tl.program_id(1), 4, tl.num_programs(1)):\n"
        "            y_desc.store([item * BLOCK, col * HEAD_DIM], x_desc.load([item * BLOCK, col * HEAD_DIM]) * 2)",
    )
    assert codes(lint(dense), "SPY403") == []
