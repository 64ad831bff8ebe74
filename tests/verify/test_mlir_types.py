"""Types and locations of TTIR text."""

from __future__ import annotations

import pytest

from spyre_lint.verify.mlir_types import (
    Frame,
    LocationTable,
    SourceLoc,
    find_top,
    parse_type,
    pointee_tile,
    split_top,
)


@pytest.mark.parametrize(
    ("text", "shape", "dtype", "size"),
    [
        ("tensor<64x32xf16>", (64, 32), "fp16", 64 * 32 * 2),
        ("tensor<8xbf16>", (8,), "bf16", 16),
        ("tensor<4x4x4xf32>", (4, 4, 4), "fp32", 256),
        ("tensor<16xf64>", (16,), "fp64", 128),
        ("tensor<128xf8E4M3FN>", (128,), "fp8e4nv", 128),
        ("tensor<128xf8E5M2>", (128,), "fp8e5", 128),
        ("tensor<128xf8E4M3B11FNUZ>", (128,), "fp8e4b15", 128),
        ("tensor<32xi1>", (32,), "i1", 32),
        ("tensor<32xi64>", (32,), "i64", 256),
        ("tensor<32xui16>", (32,), "u16", 64),
        ("tensor<64x!tt.ptr<f16>>", (64,), "*", 512),
        ("tensor<64x32x!tt.ptr<f16, 1>>", (64, 32), "*", 64 * 32 * 8),
    ],
)
def test_tiles_weigh_shape_times_element_bytes(text: str, shape: tuple[int, ...], dtype: str, size: int) -> None:
    type_ = parse_type(text)
    assert (type_.kind, type_.shape, type_.dtype, type_.tile_bytes) == ("tile", shape, dtype, size)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("f32", "scalar"),
        ("i1", "scalar"),
        ("!tt.ptr<bf16>", "pointer"),
        ("!tt.tensordesc<64x32xf16>", "descriptor"),
        ("!tt.tensordesc<tensor<64x32xf16>>", "descriptor"),
        ("<64x32xf16>", "descriptor"),
        ("tensor<f32>", "tile"),
        ("!ttg.async.token", "other"),
        ("none", "other"),
    ],
)
def test_what_is_no_tile_of_rank_one_weighs_nothing(text: str, kind: str) -> None:
    type_ = parse_type(text)
    assert type_.kind == kind
    assert type_.tile_bytes == 0


def test_descriptors_keep_their_block() -> None:
    for text in ("!tt.tensordesc<64x32xf16>", "<64x32xf16>", "!tt.tensordesc<tensor<64x32xf16>>"):
        assert (parse_type(text).shape, parse_type(text).dtype) == ((64, 32), "fp16")


def test_a_load_through_a_tile_of_pointers_gives_the_pointees() -> None:
    assert pointee_tile(parse_type("tensor<64x!tt.ptr<bf16>>")) == parse_type("tensor<64xbf16>")
    assert pointee_tile(parse_type("!tt.ptr<i32>")).kind == "scalar"


def test_text_is_cut_only_outside_brackets() -> None:
    assert split_top("a, f(b, c), <d, e>, [g, {h, i}]") == ["a", "f(b, c)", "<d, e>", "[g, {h, i}]"]
    assert split_top("  ") == []
    assert find_top("{axis = 1 : i32} : x -> y", " : ") == len("{axis = 1 : i32}")
    assert find_top("(a -> b) -> c", "->") == len("(a -> b) ")


def test_locations_resolve_through_names_and_calls() -> None:
    table = LocationTable(
        '#loc = loc("/k/a.py":3:1)\n'
        "#loc1 = loc(unknown)\n"
        '#loc2 = loc("/k/helper.py":43:13)\n'
        '#loc3 = loc("r"(#loc))\n'
        "#loc4 = loc(callsite(#loc2 at #loc3))\n"
        "#loc5 = loc(fused[#loc1, #loc4])\n"
    )
    kernel, helper = Frame("/k/a.py", 3, 1), Frame("/k/helper.py", 43, 13)
    assert table.resolve("#loc3") == SourceLoc("r", (kernel,))
    assert table.resolve("#loc4") == SourceLoc("r", (helper, kernel))
    assert table.resolve("#loc4").line == 3
    assert table.resolve("#loc5").frames == (helper, kernel)
    assert table.resolve("#loc1").line == 0
    assert table.resolve("#loc99") == SourceLoc()
    assert table.resolve('callsite("q"("/k/b.py":1:2) at callsite(#loc2 at #loc))').frames == (
        Frame("/k/b.py", 1, 2),
        helper,
        kernel,
    )
