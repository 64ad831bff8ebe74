"""A private copy of a kernel's IR that passes may rewrite: uses are known, constants are pooled, order is kept.

The shared IR is never changed. Operations are inserted and erased lazily; `flush` brings the blocks up to date.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spyre_lint.ir.core import Block, KernelIR, Op, Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import DType, ScalarType, TileType, Type

# What an operation does to memory: the gravest of these for itself and all inside it.
NO_EFFECT, READS, WRITES = 0, 1, 2

_READS = frozenset({"ptr_load", "block_load", "desc_load", "desc_gather"})
_WRITES = frozenset(
    {
        *("ptr_store", "ptr_atomic", "block_store", "desc_store", "desc_scatter", "desc_atomic"),
        *("barrier", "assert", "print", "noinline_call", "inter_tile", "layout_marker", "inline_asm"),
    }
)
TERMINATORS = frozenset({"yield", "condition"})
SCALAR_REGIONS = frozenset({"reduce", "scan", "map_elementwise"})
"""Operations whose regions work on single elements: their bodies are combiners, not code of the kernel."""


class UnknownNumber:
    """The value of a constant that is one, although its number was not worked out."""

    def __repr__(self) -> str:
        return "?"


UNKNOWN_NUMBER = UnknownNumber()
Number = int | float | bool | Expr | UnknownNumber


def type_key(type_: Type) -> object:
    """A type as Triton's passes see it: integers have no sign there."""
    if isinstance(type_, ScalarType):
        return _dtype_key(type_.dtype)
    if isinstance(type_, TileType):
        return (_dtype_key(type_.dtype), type_.shape)
    return type_


def _dtype_key(dtype: DType) -> object:
    return dtype.bits if dtype.is_integer else dtype


class Graph:
    """A kernel's body with the users of every value."""

    def __init__(self, ir: KernelIR) -> None:
        self._next_id = 0
        self.users: dict[Value, dict[Op, None]] = {}
        self._after: dict[Op, list[Op]] = {}
        self._constants: dict[object, Value] = {}
        self._front: list[Op] = []
        self.body = self._copy_block(ir.body, {})
        self.flush()

    # ---- copying -----------------------------------------------------------------------------------------

    def _copy_block(self, block: Block, names: dict[Value, Value]) -> Block:
        copy = Block([self._copy_value(arg, names) for arg in block.args])
        for op in block.ops:
            self._copy_op(op, copy, names)
        return copy

    def _copy_value(self, value: Value, names: dict[Value, Value]) -> Value:
        self._next_id += 1
        copy = Value(self._next_id, value.type, name=value.name, loc=value.loc)
        names[value] = copy
        return copy

    def _copy_op(self, op: Op, block: Block, names: dict[Value, Value]) -> None:
        operands = [names[value] for value in op.operands]
        if op.opcode == "hint":
            names[op.result] = operands[0]
            return
        if op.opcode == "const":
            names[op.result] = self.constant(op.result.type, op.attrs.get("value", UNKNOWN_NUMBER))
            return
        groups = {name: operands[start:end] for name, (start, end) in op.groups.items()}
        regions = [self._copy_block(region, names) for region in op.regions]
        results = [self._copy_value(result, names) for result in op.results]
        copy = Op(op.opcode, groups, results, dict(op.attrs), regions, op.loc, op.stack)
        block.append(copy)
        self._use(copy)

    # ---- building ----------------------------------------------------------------------------------------

    def value(self, type_: Type, like: Value | None = None) -> Value:
        """A fresh value, with the name and place of `like`."""
        self._next_id += 1
        return Value(self._next_id, type_, name=like.name if like else "", loc=like.loc if like else None)

    def constant(self, type_: Type, number: Number) -> Value:
        """The constant with this type and number; constants stand at the start of the body, outside everything."""
        text = repr(float(number)) if isinstance(number, float) else number
        known: object = (type_key(type_), type(number) is bool, text)
        if number is not UNKNOWN_NUMBER and known in self._constants:
            return self._constants[known]
        value = self.value(type_)
        op = Op("const", {}, [value], {"value": number}, [], self._loc)
        self._front.append(op)
        if number is not UNKNOWN_NUMBER:
            self._constants[known] = value
        return value

    @property
    def _loc(self) -> Any:
        return self._origin_loc

    def insert_after(
        self, anchor: Op, opcode: str, groups: Mapping[str, Sequence[Value]], result: Value, **attrs: Any
    ) -> Op:
        """Add an operation with one result behind `anchor` (behind what was added there before)."""
        op = Op(opcode, groups, [result], attrs, [], anchor.loc, anchor.stack)
        op.block = anchor.block
        self._after.setdefault(anchor, []).append(op)
        self._use(op)
        return op
