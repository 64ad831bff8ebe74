"""The static peak of live tile bytes is, to the byte, that of the TTIR which Triton's own frontend makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from spyre_lint.analysis.live_tiles import LiveTiles, peak_of
from spyre_lint.bindings import Binding, DTypeName
from spyre_lint.frontend.kernels import kernels_of
from spyre_lint.frontend.lower import lower_kernel
from spyre_lint.frontend.project import Project
from spyre_lint.verify import liveness
from spyre_lint.verify.compile import CompileRequest, CompileResult, compile_kernels
from spyre_lint.verify.ttir import parse_ttir
from tests.frontend.lowering import project_of

pytestmark = pytest.mark.verify

FOLDER = Path(__file__).with_name("kernels")


@dataclass(frozen=True)
class Case:
    path: Path
    kernel: str
    number: int
    signature: tuple[tuple[str, str], ...]
    constexprs: tuple[tuple[str, Any], ...]

    @property
    def request(self) -> CompileRequest:
        return CompileRequest(self.path, self.kernel, dict(self.signature), dict(self.constexprs))

    def __str__(self) -> str:
        return f"{self.path.stem}-{self.kernel}-{self.number}"


def _cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        table = next(
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "BINDINGS"
        )
        for kernel, bindings in table.items():
            for number, (signature, constexprs) in enumerate(bindings):
                yield Case(path, kernel, number, tuple(signature.items()), tuple(constexprs.items()))


CASES = list(_cases())


@cache
def compiled() -> dict[Case, CompileResult]:
    return dict(zip(CASES, compile_kernels([case.request for case in CASES]), strict=True))


@cache
def project(path: Path) -> Project:
    return project_of({str(path): path.read_text(encoding="utf-8")})


def static_peak(case: Case) -> LiveTiles:
    tree = project(case.path)
    module = tree.module(str(case.path))
    assert module is not None
    kernel = next(kernel for kernel in kernels_of(tree, module) if kernel.info.name == case.kernel)
    constexprs = {
        name: DTypeName(value[3:]) if isinstance(value, str) and value.startswith("tl.") else value
        for name, value in case.constexprs
    }
    binding = Binding("test", "command line", constexprs=constexprs, dtypes=dict(case.signature))
    return peak_of(lower_kernel(tree, kernel, binding))


def test_there_are_many_kernels() -> None:
    assert len({(case.path, case.kernel) for case in CASES}) >= 60


@pytest.mark.parametrize("case", CASES, ids=str)
def test_peak_is_that_of_the_ttir(case: Case) -> None:
    result = compiled()[case]
    assert result.error is None and result.ttir is not None, result.error
    referee = liveness.peak_of(parse_ttir(result.ttir))
    static = static_peak(case)
    assert static.peak_bytes == referee.bytes, f"{static.describe_tiles()}; Triton: {referee.live}"
    assert sum(tile.bytes.value for tile in static.tiles) == referee.bytes
