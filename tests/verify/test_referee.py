"""Peaks of kernels as Triton compiles them, against figures worked out by hand."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import pytest

from spyre_lint.verify.compile import CompileRequest, CompileResult, compile_kernels
from spyre_lint.verify.liveness import peak_of
from spyre_lint.verify.ttir import parse_ttir, tile_sites, tile_types

pytestmark = pytest.mark.verify

KERNELS = Path(__file__).with_name("kernels_referee.py")

# Name: (element types of the pointers, constexprs, peak in bytes). Every other parameter is an i32.
CASES: dict[str, tuple[str, dict[str, int], int]] = {
    # 32x32 tiles of fp32, 4096 bytes: x and y after the second load; exp(x) replaces x.
    "elementwise": ("fp32 fp32 fp32", {"B": 32}, 2 * 4096),
    # acc 64*128*4, a 64*32*2, b 32*128*2 at the load of b; the dot goes into acc.
    "matmul": ("fp16 fp16 fp16", {"BM": 64, "BN": 128, "BK": 32}, 32768 + 4096 + 8192),
    # The dot moves to the addition: x and y (fp16) wait there beside bias, which is its accumulator.
    "matmul_with_work_between": ("fp16 fp16 fp32", {"B": 32}, 2048 + 2048 + 4096),
    # First loop, 16x64: x as fp32 4096, m, total, new_m at 16*4 each (the row maximum dies at the maximum). In the
    # second loop m and total beside x. x - new_m replaces x, and so on: never two wide tiles.
    "softmax": ("fp16 fp16", {"BM": 16, "BN": 64}, 4096 + 3 * 64),
    # 16x64 fp16 is widened to fp32 whole before the maximum: 4096 bytes; the fp16 tile dies at the cast.
    "row_max": ("fp16 fp16", {"BM": 16, "BN": 64}, 4096),
    # A sum keeps fp16: only the loaded tile, 2048 bytes.
    "row_sum": ("fp16 fp16", {"BM": 16, "BN": 64}, 2048),
    # The loaded tile, 2048 bytes, is more than value (fp16) and index (i32) of 16 rows; the broadcast range is free.
    "argmax": ("fp16 i32", {"BM": 16, "BN": 64}, 2048),
    # The carried tile and the loaded one, fp32.
    "countdown": ("fp32 fp32", {"B": 32}, 2 * 4096),
    # x and y before the if; x * y replaces them, x alone on the other side.
    "choose": ("fp32 fp32", {"B": 32}, 2 * 4096),
    # Nothing is computed on either side: a select, whose result counts after x and y died.
    "choose_whole": ("fp32 fp32", {"B": 32}, 2 * 4096),
    # 16 indices i32 (64 bytes) and 16 rows of 64 fp16 (2048); the product replaces the rows.
    "gather_rows": ("fp16 i32 fp16", {"R": 16, "B": 64}, 64 + 2048),
    # x and y, 2048 bytes each in fp32 16x32, joined 4096 (x and y die), its exp, then two halves.
    "join_split": ("fp32 fp32", {"B": 16}, 2048),
    # x and its running sum.
    "running_sum": ("fp32 fp32", {"B": 32}, 2 * 4096),
    # 4x16 values of fp32, 256 bytes: the tile, its integer view and the halved partner exchange of one compare step.
    "sort_rows": ("fp32 fp32", {"BM": 4, "BN": 16}, 256 + 256 + 128),
    # The helper's x and exp(x) on top of the x that lives across the call.
    "calls_helper": ("fp32 fp32", {"B": 32}, 3 * 4096),
    # x and y in the block after the return.
    "early_return": ("fp32 fp32", {"B": 32}, 2 * 4096),
    # exp(x) is computed once, before the loop, and lives through it beside y.
    "shared_expression": ("fp32 fp32", {"B": 32}, 2 * 4096),
    # The second load is the first one's tile: x lives up to the addition, beside exp(x) and then exp(exp(x)).
    "shared_load": ("fp32 fp32", {"B": 32}, 2 * 4096),
    # A store in between: two loads, one tile at a time.
    "reloaded": ("fp32 fp32", {"B": 32}, 4096),
    # exp(s) + 1 is done on 64 values (256 bytes), broadcast for nothing; the tile 16x64 fp32 beside it.
    "column_scale": ("fp32 fp32 fp32", {"BM": 16, "BN": 64}, 4096 + 256),
    # The zeros are storage once they are stored.
    "clear": ("fp32", {"B": 32}, 4096),
    # acc i32 and two tiles of int8, 32x32.
    "int8_dot": ("i8 i8 i32", {"B": 32}, 4096 + 1024 + 1024),
    # x (fp32) and the mask of one row: 32 bytes. After the select: x and its maxima, 32*4.
    "masked_tail": ("fp32 fp32", {"B": 32}, 4096 + 128),
}


def _request(kernel: str, pointers: str, constexprs: Mapping[str, int]) -> CompileRequest:
    tree = ast.parse(KERNELS.read_text(encoding="utf-8"))
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == kernel)
    types = iter(pointers.split())
    names = [arg.arg for arg in function.args.args if arg.arg not in constexprs]
    signature = {name: f"*{next(types)}" if name.endswith("_ptr") else "i32" for name in names}
    return CompileRequest(KERNELS, kernel, signature, constexprs)


@lru_cache(maxsize=1)
def _compiled() -> dict[str, CompileResult]:
    requests = [_request(name, pointers, constexprs) for name, (pointers, constexprs, _) in CASES.items()]
    return {result.request.kernel: result for result in compile_kernels(requests)}


def _ttir(kernel: str) -> str:
    result = _compiled()[kernel]
    assert result.error is None
    assert result.ttir is not None
    return result.ttir


@pytest.mark.parametrize("kernel", CASES)
def test_peak_is_the_one_worked_out_by_hand(kernel: str) -> None:
    peak = peak_of(parse_ttir(_ttir(kernel)))
    assert peak.bytes == CASES[kernel][2], peak
    assert peak.bytes == sum(tile.bytes for tile in peak.live)


def _line_of(text: str) -> int:
    lines = KERNELS.read_text(encoding="utf-8").splitlines()
    (line,) = [number for number, content in enumerate(lines, 1) if text in content]
    return line


def test_the_peak_has_its_line_and_names() -> None:
    peak = peak_of(parse_ttir(_ttir("matmul")))
    line = _line_of("acc += tl.dot(a.load([0, k])")
    assert peak.operation == "tt.descriptor_load"
    assert peak.line == line
    assert [(t.label, t.type, t.line) for t in peak.live] == [
        ("acc", "<64x128xfp32>", 0),
        ("acc", "<32x128xfp16>", line),
        ("acc", "<64x32xfp16>", line),
    ]


def test_types_of_loads_dots_and_reductions() -> None:
    assert tile_types(parse_ttir(_ttir("matmul"))) == {
        ("load", (64, 32), "fp16"): 1,
        ("load", (32, 128), "fp16"): 1,
        ("dot", (64, 128), "fp32"): 1,
    }
    assert tile_types(parse_ttir(_ttir("int8_dot")))["dot", (32, 32), "i32"] == 1
    assert tile_types(parse_ttir(_ttir("row_max")))["reduce", (16,), "fp32"] == 1
    assert tile_types(parse_ttir(_ttir("row_sum")))["reduce", (16,), "fp16"] == 1
    assert tile_types(parse_ttir(_ttir("argmax"))) == {
        ("load", (16, 64), "fp16"): 1,
        ("reduce", (16,), "fp16"): 1,
        ("reduce", (16,), "i32"): 1,
    }
    assert tile_types(parse_ttir(_ttir("gather_rows"))) == {
        ("load", (16,), "i32"): 1,
        ("gather", (16, 64), "fp16"): 1,
    }
    assert tile_types(parse_ttir(_ttir("calls_helper")))["load", (32, 32), "fp32"] == 2
    module = parse_ttir(_ttir("calls_helper"))
    assert tile_types(module, [module.kernel.symbol])["load", (32, 32), "fp32"] == 1


def test_tiles_are_found_at_the_lines_that_make_them() -> None:
    sites = tile_sites(parse_ttir(_ttir("matmul")))
    line = _line_of("acc += tl.dot(a.load([0, k])")
    assert [(site.key[0], site.loc.line) for site in sites] == [("load", line), ("load", line), ("dot", line)]
    # A helper's operation stands at the kernel's line of the call, with the helper's own line as a frame further in.
    (reduction,) = [site for site in tile_sites(parse_ttir(_ttir("row_sum"))) if site.key[0] == "reduce"]
    assert reduction.loc.line == _line_of("tl.sum(src.load([0, 0]), 1))")
    assert reduction.loc.frames[0].path != str(KERNELS)
