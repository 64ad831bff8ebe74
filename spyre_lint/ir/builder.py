"""Builds kernel IR: keeps the insertion point, numbers the values, stamps source ranges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from spyre_lint.findings import Location
from spyre_lint.ir.core import OPCODES, Block, Op, Value
from spyre_lint.ir.types import Type


class Builder:
    """Appends operations to the current region.

    `loc` and `stack` are stamped on every operation made; the frontend moves them along as it walks the source.
    """

    def __init__(self, loc: Location) -> None:
        self.loc = loc
        self.stack: tuple[Location, ...] = ()
        self.block = Block()
        self._next_id = 0
        self.op_count = 0

    def value(self, type_: Type, name: str = "") -> Value:
        """A fresh value that no operation has made yet (a region argument)."""
        self._next_id += 1
        return Value(self._next_id, type_, name=name, loc=self.loc)

    def op(
        self,
        opcode: str,
        groups: Mapping[str, Sequence[Value]],
        results: Sequence[Type] = (),
        *,
        regions: Sequence[Block] = (),
        **attrs: Any,
    ) -> Op:
        """Append an operation; raises KeyError for an opcode that `OPCODES` does not know."""
        OPCODES[opcode]
        values = [self.value(t) for t in results]
        op = Op(opcode, groups, values, attrs, list(regions), self.loc, self.stack)
        self.block.append(op)
        self.op_count += 1
        return op

    def make(self, opcode: str, groups: Mapping[str, Sequence[Value]], result: Type, **attrs: Any) -> Value:
        """Append an operation with one result and return that result."""
        return self.op(opcode, groups, (result,), **attrs).result

    @contextmanager
    def inside(self, block: Block) -> Iterator[Block]:
        """Append to `block` for the duration."""
        outer, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = outer

    @contextmanager
    def at(self, loc: Location) -> Iterator[None]:
        """Stamp operations with `loc` for the duration."""
        outer, self.loc = self.loc, loc
        try:
            yield
        finally:
            self.loc = outer
