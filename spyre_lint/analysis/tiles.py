"""Which constexprs set the size of a tile."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.symbolic import symbolic_values
from spyre_lint.context import KernelInstance
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import BlockPointerType, DescriptorType, TileType


def tile_constexprs(instance: KernelInstance) -> frozenset[str]:
    """Names of open constexprs that appear in a tile's or block's shape or are the step of a loop.

    Asked of the instance without a binding, where every constexpr is a symbol.
    """
    return frozenset(
        symbol.name for size in _sizes(instance) for symbol in size.symbols() if symbol.kind == "constexpr"
    )


def _sizes(instance: KernelInstance) -> Iterator[Expr]:
    values = instance.analysis(symbolic_values)
    for op in instance.ir.walk():
        for result in op.results:
            if isinstance(result.type, TileType):
                yield from result.type.shape
            elif isinstance(result.type, (DescriptorType, BlockPointerType)):
                yield from result.type.block_shape or ()
        if op.opcode == "for":
            yield from (values.of(step) for step in op.group("step"))
