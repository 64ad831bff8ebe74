"""The scratchpad figure on small kernels, each worked out by hand; T is a tile of 32x32 fp32, 4096 bytes."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from spyre_lint.analysis.dominance import never_above, undominated
from spyre_lint.analysis.live_tiles import LiveTiles, peak_of, share_text, size_text
from spyre_lint.ir.core import Block, KernelIR
from spyre_lint.ir.sym import symbol
from spyre_lint.target import DEFAULT_TARGET
from tests.frontend.lowering import lower

T = 32 * 32 * 4

HELPER = """
@triton.jit
def square(ptr, n, B: tl.constexpr):
    return tl.make_tensor_descriptor(ptr, shape=[n, n], strides=[n, 1], block_shape=[B, B])

"""
PARAMS = "x_ptr, y_ptr, o_ptr, n, s, B: tl.constexpr"
TYPES = {"x_ptr": "*fp32", "y_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32", "s": "fp32"}


def lowered(statements: str, dtypes: Any = TYPES, **constexprs: Any) -> KernelIR:
    opening = "xd, yd, od = square(x_ptr, n, B), square(y_ptr, n, B), square(o_ptr, n, B)\n"
    text = textwrap.indent(opening + textwrap.dedent(statements), "    ")
    return lower(f"{HELPER}@triton.jit\ndef kernel({PARAMS}):\n{text}", dtypes=dtypes, **constexprs)


def live(statements: str, dtypes: Any = TYPES, **constexprs: Any) -> LiveTiles:
    return peak_of(lowered(statements, dtypes, **({"B": 32} | constexprs)))


SUM = """
acc = tl.zeros((B, B), tl.float32)
for i in range(0, n):
    acc += {}
od.store([0, 0], acc)
"""
DOT = "tl.dot(xd.load([i * B, 0]), yd.load([0, i * B]))"


@pytest.mark.parametrize(
    ("statements", "peak"),
    [
        # x dies where its exponential is made.
        ("od.store([0, 0], tl.exp(xd.load([0, 0])))", T),
        # x is needed again: both count.
        ("x = xd.load([0, 0])\nod.store([0, 0], tl.exp(x) * x)", 2 * T),
        # Accumulator, and a load at a time.
        (SUM.format("xd.load([i * B, 0])"), 2 * T),
        # Two operands and the accumulator of the dot, into which the addition goes.
        (SUM.format(DOT), 3 * T),
        # A scaled dot is no dot into the accumulator: right before it a zero one is made besides.
        (SUM.format(f"{DOT} * s"), 4 * T),
        # A constant weighs only where it is stored, a splat likewise.
        ("od.store([0, 0], tl.full((B, B), 2.0, tl.float32) * 3)", T),
        ("od.store([0, 0], tl.full((B, B), s, tl.float32) * 3)", T),
        # 32 row sums, seen as a matrix, weigh 128 bytes beside the tile they are subtracted from.
        ("x = xd.load([0, 0])\nod.store([0, 0], x - tl.sum(x, 1)[:, None])", T + 128),
        # Elementwise work on a stretched row is done on the row: 128 bytes, beside the tile it is added to.
        (
            """
            m = tl.sum(xd.load([0, 0]), 1)
            w = tl.exp(tl.broadcast_to(m[:, None], (B, B)))
            od.store([0, 0], yd.load([0, 0]) + w)
            """,
            T + 128,
        ),
        # The second of two equal loads is the first one, which lives until then.
        ("x = tl.exp(xd.load([0, 0]))\nod.store([0, 0], x + xd.load([0, 0]))", 2 * T),
        # A store between them keeps them apart.
        ("od.store([0, 0], tl.exp(xd.load([0, 0])))\nod.store([0, B], tl.log(xd.load([0, 0])))", T),
        # y is needed on one side only, x on the other; before that both are live.
        (
            """
            x, y = xd.load([0, 0]), yd.load([0, 0])
            if n > 3:
                z = tl.exp(x)
            else:
                z = y * 2
            od.store([0, 0], z)
            """,
            2 * T,
        ),
        # What nothing uses vanishes.
        ("x = xd.load([0, 0])\ny = tl.exp(x) * x + yd.load([0, 0])\nod.store([0, 0], x)", T),
        # A comparison weighs a byte an element.
        ("x = xd.load([0, 0])\nod.store([0, 0], tl.where(x > 0, x, 0.0))", T + T // 4),
        # A loop that runs once is its body.
        (SUM.format("xd.load([i, 0])").replace("0, n", "0, 1"), T),
    ],
)
def test_peak(statements: str, peak: int) -> None:
    assert live(statements).peak_bytes == peak


def test_a_value_from_outside_lives_throughout_the_loop() -> None:
    found = live("x = xd.load([0, 0])\nfor i in range(0, n):\n    od.store([i, 0], tl.exp(x))")
    assert found.peak_bytes == 2 * T
    assert sorted(tile.name for tile in found.tiles) == ["(exp)", "x"]


def test_what_is_live_is_named_with_shape_type_bytes_and_line() -> None:
    found = live("x = xd.load([0, 0])\ny = tl.exp(x)\nod.store([0, 0], y * x)")
    assert [(t.name, t.shape_text, str(t.dtype), t.bytes.value, t.at_sizes) for t in found.tiles] == [
        ("x", "32x32", "fp32", T, T),
        ("y", "32x32", "fp32", T, T),
    ]
    assert found.tiles[1].loc.line == found.tiles[0].loc.line + 1 == found.peak.loc.line
    assert f"y 32x32 fp32 {T} bytes (line {found.tiles[1].loc.line})" in found.describe_tiles()
    assert [related.location for related in found.related()] == [tile.loc for tile in found.tiles]


def test_a_constant_that_becomes_storage_is_named_after_what_it_becomes() -> None:
    found = live("acc = tl.zeros((B, B), tl.float32)\nfor i in range(0, n):\n    acc += 1.0\nod.store([0, 0], acc)")
    assert [tile.name for tile in found.tiles] == ["acc"]


def test_the_profile_has_the_heaviest_point_of_each_line() -> None:
    found = live("x = xd.load([0, 0])\ny = tl.exp(x) * x\nod.store([0, 0], y)")
    first = found.tiles[0].loc.line if found.tiles[0].name == "x" else found.tiles[1].loc.line
    assert [(line.line - first, line.bytes) for line in found.lines] == [(0, T), (1, 2 * T), (2, T)]


def test_helpers_count_at_the_line_of_their_call() -> None:
    source = HELPER + textwrap.dedent(
        """
        @triton.jit
        def twice(x):
            return tl.exp(x) * x

        @triton.jit
        def kernel(x_ptr, o_ptr, n, B: tl.constexpr):
            x = square(x_ptr, n, B).load([0, 0])
            square(o_ptr, n, B).store([0, 0], twice(x))
        """
    )
    ir = lower(source, dtypes={"x_ptr": "*fp32", "o_ptr": "*fp32", "n": "i32"}, B=32)
    found = peak_of(ir)
    assert found.peak_bytes == 2 * T
    assert found.peak.loc.line < ir.loc.line < found.peak.kernel_loc.line
    assert {line.line for line in found.lines} == {ir.loc.line + 1, ir.loc.line + 2}


def test_without_a_binding_there_is_a_formula() -> None:
    found = peak_of(lowered("x = xd.load([0, 0])\nod.store([0, 0], tl.exp(x) * x)", dtypes=None))
    assert found.peak_bytes is None
    assert found.formula == "2*B**2*sizeof(x_ptr)"
    assert found.formula_in_tiles == "4*B**2"
    assert {symbol.name: size for symbol, size in found.assumed.items()} == {"B": 128, "sizeof(x_ptr)": 2}
    assert found.plausible_bytes == 2 * 128 * 128 * 2
    assert found.bytes_at({"B": 64, "sizeof(x_ptr)": 4}) == 2 * 64 * 64 * 4
    assert "`B`" in found.reason and "`sizeof(x_ptr)`" in found.reason
    assert found.assumptions() == "B=128, sizeof(x_ptr)=2"


def test_a_point_that_may_be_the_peak_is_kept() -> None:
    source = """
    @triton.jit
    def kernel(x_ptr, y_ptr, o_ptr, n, M: tl.constexpr, N: tl.constexpr):
        x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [M, M])
        y = tl.make_tensor_descriptor(y_ptr, [n, n], [n, 1], [N, N])
        x.store([0, 0], tl.exp(x.load([0, 0])))
        y.store([0, 0], tl.exp(y.load([0, 0])))
    """
    found = peak_of(lower(source, dtypes={"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32"}))
    assert found.formula in ("max(4*M**2, 4*N**2)", "max(4*N**2, 4*M**2)")
    assert found.bytes_at({"M": 8, "N": 64}) == 4 * 64 * 64


def test_plausible_sizes_come_from_the_settings() -> None:
    ir = lowered("od.store([0, 0], xd.load([0, 0]))", dtypes=TYPES)
    assert peak_of(ir, lambda name: {"B": 16}[name]).plausible_bytes == 16 * 16 * 4


def test_an_unknown_tile_makes_the_figure_a_lower_bound() -> None:
    found = live("x = xd.load([0, 0])\ny = mystery(x)\nod.store([0, 0], y + x)")
    assert found.peak_bytes is None
    assert found.plausible_bytes == T
    assert "mystery" in found.reason
    assert found.evidence(DEFAULT_TARGET)["peak_bytes"] is None


def test_an_unknown_number_is_no_tile() -> None:
    found = live("if mystery > 3:\n    od.store([0, 0], xd.load([0, 0]))")
    assert found.peak_bytes == T


def test_the_shared_ir_is_left_alone() -> None:
    ir = lowered(
        SUM.format(DOT) + "if n > 3:\n    acc = tl.exp(acc)\nod.store([0, B], acc)",
        B=32,
    )

    def text(block: Block) -> list[object]:
        return [
            (repr(op), repr(op.results), repr(op.attrs), [text(region) for region in op.regions]) for op in block.ops
        ]

    before = text(ir.body)
    peak_of(ir)
    assert text(ir.body) == before


def test_a_kernel_without_tiles_weighs_nothing() -> None:
    found = live("a = n + 1")
    assert (found.peak_bytes, found.tiles, found.formula) == (0, (), "0")


def test_texts() -> None:
    assert size_text(96 * 1024) == "96 KiB"
    assert size_text(5 << 18) == "1.25 MiB"
    assert size_text(640) == "640 bytes"
    assert share_text(1 << 20, DEFAULT_TARGET) == "1 MiB, 50.0 % of the 2 MiB scratchpad"


def test_dominance_matches_terms() -> None:
    m, n = symbol("M", "constexpr", lo=1), symbol("N", "constexpr", lo=1)
    flag = symbol("F", "constexpr")
    assert never_above(4 * m, 4 * m * n)
    assert never_above(4 * m * n + 4 * m, 8 * m * n)
    assert not never_above(8 * m * n, 4 * m * n + 4 * m)
    assert not never_above(4 * m, 4 * m * flag)
    assert never_above(m * 0 + 3, 4 * m)
    assert [str(e) for e in undominated([m, m * n, n * n, m * n])] == ["M*N", "N**2"]
