"""The examples under their drivers' bindings: tile types and peaks are those of the TTIR that stock Triton makes."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from spyre_lint.analysis.live_tiles import live_tiles
from spyre_lint.bindings import DTypeName
from spyre_lint.context import KernelInstance
from spyre_lint.engine.inspect import inspect
from spyre_lint.engine.run import RunOptions
from spyre_lint.ir.types import TileType, Type
from spyre_lint.registry import Registry
from spyre_lint.verify import liveness
from spyre_lint.verify.compile import CompileRequest, CompileResult, ElementType, compile_kernels
from spyre_lint.verify.ttir import parse_ttir, tile_types

pytestmark = pytest.mark.verify

EXAMPLES = Path(__file__).parents[2] / "examples" / "kernels"
KINDS = {"desc_load": "load", "desc_gather": "gather", "dot": "dot", "reduce": "reduce"}
FILES = sorted(EXAMPLES.glob("*/*/spyre.py"))


@cache
def bound() -> list[KernelInstance]:
    """Every kernel of the examples under every binding that a driver gives."""
    registry = Registry.load()
    found = []
    for path in FILES:
        for context in inspect(str(path), RunOptions(), registry).contexts:
            found += [i for i in context.instances if i.binding is not None and i.binding.source == "driver"]
    return found


@cache
def compiled() -> list[CompileResult]:
    """What Triton makes of them, in the order of `bound`."""
    return compile_kernels([_request(instance) for instance in bound()])


def _request(instance: KernelInstance) -> CompileRequest:
    assert instance.binding is not None
    constexprs = {
        name: ElementType(value.name) if isinstance(value, DTypeName) else value
        for name, value in instance.binding.constexprs.items()
    }
    types = instance.binding.dtypes
    signature = {p.name: types[p.name] for p in instance.info.params if p.name not in constexprs}
    return CompileRequest(Path(instance.ir.path), instance.info.name, signature, constexprs)


def _key(kind: str, type_: Type) -> tuple[str, tuple[int, ...], str]:
    shape = tuple(dim.value for dim in type_.shape) if isinstance(type_, TileType) else ()
    name = str(type_.dtype).replace("u", "i") if not hasattr(type_, "reason") else "?"
    return (kind, shape, name)


def _static_types(instance: KernelInstance) -> Counter[Any]:
    return Counter(_key(KINDS[op.opcode], r.type) for op in instance.ir.ops(*KINDS) for r in op.results)


def test_every_example_is_bound_by_its_driver() -> None:
    assert len(FILES) >= 8
    assert {Path(i.ir.path).resolve() for i in bound()} == {path.resolve() for path in FILES}


@pytest.mark.parametrize("number", range(len(bound())), ids=lambda n: f"{bound()[n].info.name}-{bound()[n].label}")
def test_types_and_peak_are_tritons(number: int) -> None:
    instance, result = bound()[number], compiled()[number]
    assert result.error is None and result.ttir is not None, result.error
    module = parse_ttir(result.ttir)
    referee = tile_types(module)
    # Triton merges equal loads and drops dead ones: the kinds and types are the same, the numbers at most ours.
    static = _static_types(instance)
    assert set(static) == set(referee)
    assert all(referee[key] <= static[key] for key in referee), (static, referee)
    assert instance.analysis(live_tiles).peak_bytes == liveness.peak_of(module).bytes
