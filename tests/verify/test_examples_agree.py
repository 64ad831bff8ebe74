"""Every binding of the example kernels: the static peak is that of the TTIR which Triton's own frontend makes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from spyre_lint.analysis.live_tiles import live_tiles
from spyre_lint.bindings import DTypeName
from spyre_lint.context import KernelInstance
from spyre_lint.engine.inspect import inspect
from spyre_lint.engine.run import RunOptions
from spyre_lint.registry import Registry
from spyre_lint.verify import liveness
from spyre_lint.verify.compile import CompileRequest, CompileResult, ElementType, compile_kernels
from spyre_lint.verify.ttir import parse_ttir

pytestmark = pytest.mark.verify

EXAMPLES = Path(__file__).parents[2] / "examples" / "kernels"
KERNELS = sorted(path for path in EXAMPLES.rglob("spyre.py"))


@cache
def instances(path: Path) -> list[KernelInstance]:
    result = inspect(str(path), RunOptions(), Registry.load())
    assert not result.failures
    return [instance for context in result.contexts for instance in context.instances if _is_complete(instance)]


def _is_complete(instance: KernelInstance) -> bool:
    """Whether the binding gives the type of every run-time parameter and the value of every constexpr."""
    if instance.binding is None:
        return False
    given = {*instance.binding.dtypes, *instance.binding.constexprs}
    return all(param.name in given for param in instance.info.params)


def _constexpr(value: Any) -> Any:
    return ElementType(value.name) if isinstance(value, DTypeName) else value


@cache
def compiled(path: Path) -> list[CompileResult]:
    requests = []
    for instance in instances(path):
        assert instance.binding is not None
        constexprs = {name: _constexpr(value) for name, value in instance.binding.constexprs.items()}
        signature = {n: t for n, t in instance.binding.dtypes.items() if n not in constexprs}
        requests.append(CompileRequest(path, instance.info.name, signature, constexprs))
    return compile_kernels(requests, search_paths=[path.parent])


def test_there_are_examples() -> None:
    assert len(KERNELS) >= 10


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: str(path.parent.relative_to(EXAMPLES)))
def test_peak_is_that_of_the_ttir(path: Path) -> None:
    assert instances(path), "no binding of this kernel gives everything"
    for instance, result in zip(instances(path), compiled(path), strict=True):
        assert result.ttir is not None, (instance.label, result.error)
        referee = liveness.peak_of(parse_ttir(result.ttir))
        assert instance.analysis(live_tiles).peak_bytes == referee.bytes, instance.label
