"""`spyre-lint budget` on a tree of its own."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from spyre_lint.cli import cli

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def _matmul_kernel_spyre(
    a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BLOCK_K, BLOCK_N])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = a.load([0, k])
        y = b.load([k, 0])
        acc += tl.dot(x, y)
    c.store([0, 0], acc.to(tl.float16))
"""

DRIVER = """
from spyre import _matmul_kernel_spyre

VARIANTS = {
    "small": {
        "KERNEL": _matmul_kernel_spyre,
        "SIGNATURE": {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32", "N": "i32", "K": "i32"},
        "CONSTEXPRS": {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64},
        "GRID": (32,),
    },
    "large": {
        "KERNEL": _matmul_kernel_spyre,
        "SIGNATURE": {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32", "N": "i32", "K": "i32"},
        "CONSTEXPRS": {"BLOCK_M": 512, "BLOCK_N": 1024, "BLOCK_K": 64},
        "GRID": (32,),
    },
}
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "spyre.py").write_text(textwrap.dedent(KERNEL), encoding="utf-8")
    return tmp_path


@pytest.fixture
def driven(tree: Path) -> Path:
    (tree / "lower.py").write_text(textwrap.dedent(DRIVER), encoding="utf-8")
    return tree


def budget(*args: str) -> Result:
    return CliRunner().invoke(cli, ["budget", *args], prog_name="spyre-lint")


def data(*args: str) -> list[dict[str, Any]]:
    result = budget(*args, "--format", "json")
    assert result.exit_code == 0, result.output
    written = json.loads(result.stdout)
    assert written["version"] == 1
    (kernel,) = written["kernels"]
    assert (kernel["path"], kernel["kernel"]) == ("spyre.py", "_matmul_kernel_spyre")
    bindings: list[dict[str, Any]] = kernel["bindings"]
    return bindings


@pytest.mark.usefixtures("driven")
def test_json_has_the_peak_of_every_binding() -> None:
    small, large = data("spyre.py")
    assert set(small) == {
        *("label", "source", "constexprs", "dtypes", "peak_bytes", "peak_line", "live", "fits", "formula"),
    }
    assert (small["label"], small["source"]) == ("small", "driver")
    assert small["constexprs"] == {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}
    assert small["dtypes"]["a_ptr"] == "*fp16"
    # Accumulator 128x128x4, operands 128x64x2 and 64x128x2.
    assert small["peak_bytes"] == 128 * 128 * 4 + 2 * 128 * 64 * 2
    assert small["peak_line"] == 16
    assert small["live"] == [
        {"name": "acc", "shape": [128, 128], "dtype": "fp32", "bytes": 65536, "line": 14},
        {"name": "x", "shape": [128, 64], "dtype": "fp16", "bytes": 16384, "line": 15},
        {"name": "y", "shape": [64, 128], "dtype": "fp16", "bytes": 16384, "line": 16},
    ]
    assert small["formula"] == "4*BLOCK_M*BLOCK_N + 2*BLOCK_M*BLOCK_K + 2*BLOCK_K*BLOCK_N"
    assert large["peak_bytes"] == 512 * 1024 * 4 + 512 * 64 * 2 + 64 * 1024 * 2


@pytest.mark.usefixtures("driven")
def test_json_says_what_would_fit() -> None:
    small, large = data("spyre.py::_matmul_kernel_spyre")
    limit = int(2 * 1024 * 1024 * 0.8)
    assert small["fits"]["limit_bytes"] == limit
    # 4*M*128 + 2*64*(M + 128) <= limit up to 2600; 65536 + 2*K*256 <= limit up to 3148.
    assert small["fits"]["largest"] == {"BLOCK_M": 2048, "BLOCK_N": 2048, "BLOCK_K": 2048}
    assert large["fits"]["largest"]["BLOCK_K"] is None
    for combination in small["fits"]["combinations"]:
        m, n, k = (combination["sizes"][name] for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K"))
        assert combination["bytes"] == 4 * m * n + 2 * k * (m + n) <= limit


@pytest.mark.usefixtures("driven")
def test_text_says_whether_it_fits_by_how_much_and_what_decides() -> None:
    result = budget("spyre.py")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert all(len(line) <= 100 for line in lines)
    verdicts = [line.strip() for line in lines if "of 2 MiB" in line]
    assert verdicts == [
        "fits: 96 KiB, 4.7 % of 2 MiB, 1.51 MiB to spare; most: `acc` 128x128 fp32, line 14",
        "does not fit: 2.19 MiB, 109.4 % of 2 MiB, 192 KiB too much; most: `acc` 512x1024 fp32, line 14",
    ]
    assert "\x1b" not in result.stdout
    (row,) = [line for line in lines if line.startswith("     16      96 KiB")]
    assert row.endswith("y = b.load([k, 0])")
    assert "    BLOCK_M up to 2048 " in result.stdout


@pytest.mark.usefixtures("driven")
def test_colour_on_request_only() -> None:
    assert "\x1b[31m" in budget("spyre.py", "--color", "always").stdout


@pytest.mark.usefixtures("tree")
def test_without_a_binding_sizes_are_assumed() -> None:
    (only,) = data("spyre.py")
    assert (only["source"], only["peak_bytes"]) == (None, None)
    assert only["formula"].startswith("max(") or "sizeof(a_ptr)" in only["formula"]
    text = budget("spyre.py").stdout
    assert "no binding" in text
    assert "fits as assumed: 96 KiB" in text
    assert "assuming BLOCK_K=64, BLOCK_M=128, BLOCK_N=128, sizeof(" in text
    assert "sizeof(a_ptr)=2" in text


@pytest.mark.usefixtures("tree")
def test_values_can_be_tried() -> None:
    types = [f"--dtype={name}=*fp32" for name in ("a_ptr", "b_ptr", "c_ptr")]
    sizes = [f"--constexpr={name}=32" for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K")]
    (only,) = data("spyre.py", *types, *sizes)
    assert only["peak_bytes"] == 3 * 32 * 32 * 4


def test_what_can_not_be_computed_says_why(tree: Path) -> None:
    text = (tree / "spyre.py").read_text(encoding="utf-8")
    (tree / "spyre.py").write_text(text.replace("acc += tl.dot(x, y)", "acc += mystery(x, y)"), encoding="utf-8")
    (only,) = data("spyre.py", "--constexpr=BLOCK_M=32", "--constexpr=BLOCK_N=32", "--constexpr=BLOCK_K=32")
    assert only["peak_bytes"] is None
    assert "mystery" in only["formula"]
    assert "not known: at least" in budget("spyre.py").stdout


@pytest.mark.usefixtures("tree")
def test_a_kernel_that_does_not_exist() -> None:
    result = budget("spyre.py::other")
    assert result.exit_code == 2
    assert "_matmul_kernel_spyre" in result.stderr
