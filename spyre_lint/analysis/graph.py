"""A private copy of a kernel's IR that passes may rewrite: users are known, constants are pooled, types have no sign.

The shared IR is never changed. Insertions and removals are lazy: `settle` brings one block's list up to date, `flush`
all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spyre_lint.findings import Location
from spyre_lint.ir.core import Block, KernelIR, Op, Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import DType, ScalarType, TileType, Type, dtype_of

# What an operation does to memory: the gravest of these for itself and all inside it.
NO_EFFECT, READS, WRITES = 0, 1, 2

_READS = frozenset({"ptr_load", "block_load", "desc_load", "desc_gather"})
_WRITES = frozenset(
    {
        *("ptr_store", "ptr_atomic", "block_store", "desc_store", "desc_scatter", "desc_atomic"),
        *("barrier", "print", "noinline_call", "inter_tile", "layout_marker"),
    }
)
SCALAR_REGIONS = frozenset({"reduce", "scan", "map_elementwise"})
"""Operations whose regions work on single elements: their bodies are combiners, not code of the kernel."""

# Functions of integers that differ between signed and unsigned operands.
_SIGNED_FNS = frozenset({"div", "rem", "lt", "le", "gt", "ge", "min", "max", "shr", "ashr", "abs", "cdiv", "umulhi"})


class UnknownNumber:
    """The number of a constant that was not worked out."""

    def __repr__(self) -> str:
        return "?"


UNKNOWN_NUMBER = UnknownNumber()
Number = int | float | Expr | UnknownNumber


def type_key(type_: Type) -> object:
    """A type as Triton's passes see it: integers have no sign there."""
    if isinstance(type_, ScalarType):
        return _dtype_key(type_.dtype)
    if isinstance(type_, TileType):
        return (_dtype_key(type_.dtype), type_.shape)
    return type_


def _dtype_key(dtype: DType) -> object:
    return dtype.bits if dtype.is_integer else dtype


def normal_number(number: Any, dtype: DType) -> Number:
    """A constant's number as an element of `dtype`: wrapped to its width for integers, a float for floats."""
    if isinstance(number, Expr):
        if not number.is_const:
            return number
        number = number.value
    if not isinstance(number, (int, float)):
        return UNKNOWN_NUMBER
    if dtype.is_float:
        return float(number)
    if dtype.is_integer and dtype.bits is not None:
        if isinstance(number, float):
            if number != number or number in (float("inf"), float("-inf")):
                return UNKNOWN_NUMBER
            number = int(number)
        if dtype.bits == 1:
            return int(number) & 1
        wrapped = int(number) & ((1 << dtype.bits) - 1)
        return wrapped - (1 << dtype.bits) if wrapped >> (dtype.bits - 1) else wrapped
    return number


def fresh_effect(op: Op) -> int:
    """What `op` itself does to memory, its regions aside."""
    if op.opcode in _WRITES or (op.opcode == "call" and op.attrs.get("callee")):
        return WRITES
    if op.opcode == "inline_asm":
        return NO_EFFECT if op.attrs.get("is_pure", True) else WRITES
    if op.opcode in _READS:
        volatile = (op.attrs.get("keywords") or {}).get("volatile") if isinstance(op.attrs.get("keywords"), dict) else 0
        return WRITES if volatile is True else READS
    return NO_EFFECT


class Graph:
    """A kernel's body with the users of every value."""

    def __init__(self, ir: KernelIR) -> None:
        self._next_id = 0
        self._loc = ir.loc
        self.users: dict[Value, dict[Op, None]] = {}
        self.erased: set[Op] = set()
        self._after: dict[Op, list[Op]] = {}
        self._before: dict[Op, list[Op]] = {}
        self._constants: dict[object, Value] = {}
        self.front: list[Op] = []
        """The constants; they stand before the body, outside every region."""
        self.body = self._copy_block(ir.body, {})

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
        if op.opcode == "hint" and op.results and operands:
            names[op.result] = operands[0]
            return
        if op.opcode == "assert":  # Triton compiles assertions in debug builds only
            return
        if op.opcode == "const":
            names[op.result] = self.constant(op.result.type, op.attrs.get("value"), op.loc)
            return
        attrs = dict(op.attrs)
        if op.opcode == "elementwise" and op.fn in _SIGNED_FNS:
            attrs["unsigned"] = dtype_of(op.operands[0].type).kind in ("uint", "bool")
        elif op.opcode == "cast":
            attrs["unsigned"] = _cast_sign(dtype_of(op.operands[0].type), dtype_of(op.result.type))
        elif op.opcode in ("reduce", "scan"):
            attrs["unsigned"] = dtype_of(op.operands[0].type).kind in ("uint", "bool")
        groups = {name: operands[start:end] for name, (start, end) in op.groups.items()}
        regions = [self._copy_block(region, names) for region in op.regions]
        results = [self._copy_value(result, names) for result in op.results]
        copy = Op(op.opcode, groups, results, attrs, regions, op.loc, op.stack)
        block.append(copy)
        self.add_uses(copy)

    # ---- values and constants ----------------------------------------------------------------------------

    def value(self, type_: Type, like: Value | None = None) -> Value:
        """A fresh value, with the name and place of `like`."""
        self._next_id += 1
        return Value(self._next_id, type_, name=like.name if like else "", loc=like.loc if like else None)

    def constant(self, type_: Type, number: Any, loc: Location | None = None) -> Value:
        """The constant of a type and number; a splat of the number for a tile."""
        normal = normal_number(number, dtype_of(type_))
        known = (type_key(type_), repr(normal) if isinstance(normal, float) else normal)
        if normal is not UNKNOWN_NUMBER and known in self._constants:
            return self._constants[known]
        value = self.value(type_)
        value.loc = loc or self._loc
        self.front.append(Op("const", {}, [value], {"value": normal}, [], value.loc))
        if normal is not UNKNOWN_NUMBER:
            self._constants[known] = value
        return value

    # ---- uses --------------------------------------------------------------------------------------------

    def add_uses(self, op: Op) -> None:
        """Register `op` as user of its operands."""
        for operand in op.operands:
            self.users.setdefault(operand, {})[op] = None

    def drop_uses(self, op: Op) -> None:
        """Forget `op` as user of its operands."""
        for operand in op.operands:
            self.users.get(operand, {}).pop(op, None)

    def users_of(self, value: Value) -> list[Op]:
        """The operations that use a value, in the order they came to."""
        return list(self.users.get(value, ()))

    def use_count(self, value: Value) -> int:
        """Number of operands that are this value."""
        return sum(op.operands.count(value) for op in self.users.get(value, ()))

    def is_unused(self, op: Op) -> bool:
        """Whether no result of `op` is used."""
        return not any(self.users.get(result) for result in op.results)

    # ---- rewriting ---------------------------------------------------------------------------------------

    def set_groups(self, op: Op, groups: Mapping[str, Sequence[Value]]) -> None:
        """Give an operation other operands."""
        self.drop_uses(op)
        op.operands, op.groups = [], {}
        for name, values in groups.items():
            op.groups[name] = (len(op.operands), len(op.operands) + len(values))
            op.operands.extend(values)
        self.add_uses(op)

    def set_operand(self, op: Op, index: int, value: Value) -> None:
        """Exchange one operand."""
        self.drop_uses(op)
        op.operands[index] = value
        self.add_uses(op)

    def replace(self, old: Value, new: Value, only: Iterable[Op] | None = None) -> list[Op]:
        """Use `new` where `old` was used (by the operations in `only`, if given); returns the operations changed."""
        chosen = None if only is None else set(only)
        changed = [op for op in self.users.get(old, ()) if chosen is None or op in chosen]
        for op in changed:
            op.operands = [new if operand is old else operand for operand in op.operands]
            self.users[old].pop(op, None)
            self.users.setdefault(new, {})[op] = None
        if changed and not new.name and old.name and new.op is not None and new.op.opcode != "const":
            new.name = old.name
        return changed

    def erase(self, op: Op) -> None:
        """Remove an operation with everything inside it."""
        for inner in op.walk():
            self.drop_uses(inner)
            self.erased.add(inner)

    def insert_after(
        self, anchor: Op, opcode: str, groups: Mapping[str, Sequence[Value]], result: Value, **attrs: Any
    ) -> Op:
        """Add an operation with one result behind `anchor` (and behind what was added there before)."""
        return self._insert(self._after, anchor, opcode, groups, result, attrs)

    def insert_before(
        self, anchor: Op, opcode: str, groups: Mapping[str, Sequence[Value]], result: Value, **attrs: Any
    ) -> Op:
        """Add an operation with one result in front of `anchor` (and behind what was added there before)."""
        return self._insert(self._before, anchor, opcode, groups, result, attrs)

    def _insert(
        self,
        pending: dict[Op, list[Op]],
        anchor: Op,
        opcode: str,
        groups: Mapping[str, Sequence[Value]],
        result: Value,
        attrs: dict[str, Any],
    ) -> Op:
        op = Op(opcode, groups, [result], attrs, [], anchor.loc, anchor.stack)
        op.block = anchor.block
        pending.setdefault(anchor, []).append(op)
        self.add_uses(op)
        return op

    def current(self, block: Block) -> list[Op]:
        """The operations of a block as they are now."""
        if not self._after and not self._before and not self.erased:
            return block.ops
        ops: list[Op] = []
        stack = list(reversed(block.ops))
        placed: set[Op] = set()
        while stack:
            op = stack.pop()
            before = self._before.get(op)
            if before and op not in placed:
                placed.add(op)
                stack.append(op)
                stack.extend(reversed(before))
                continue
            if op not in self.erased:
                ops.append(op)
            stack.extend(reversed(self._after.get(op, ())))
        return ops

    def settle(self, block: Block) -> list[Op]:
        """Bring a block's own list up to date, and return it."""
        ops = self.current(block)
        if ops is not block.ops:
            for op in (*block.ops, *ops):
                self._after.pop(op, None)
                self._before.pop(op, None)
            block.ops = ops
        for op in ops:
            op.block = block
        return ops

    def flush(self, block: Block | None = None) -> None:
        """Bring all lists up to date."""
        for op in self.settle(block or self.body):
            if op.opcode not in SCALAR_REGIONS:
                for region in op.regions:
                    self.flush(region)

    def inline_region(self, op: Op, region: Block, args: Sequence[Value]) -> list[Op]:
        """Put the operations of one of `op`'s regions in its place, its results replaced by what the region yields.

        `args` stand for the region's arguments. Returns the operations whose operands changed.
        """
        changed: list[Op] = []
        self.settle(region)
        for arg, value in zip(region.args, args, strict=True):
            changed += self.replace(arg, value)
        end = region.terminator
        values = end.group("values") if end is not None else []
        moved = [inner for inner in region.ops if inner is not end]
        for result, value in zip(op.results, values, strict=False):
            changed += self.replace(result, value)
        for inner in moved:
            inner.block = op.block
        region.ops = [end] if end is not None else []
        self.erase(op)
        self._after[op] = [*moved, *self._after.get(op, ())]
        return [*changed, *moved]

    def effect(self, op: Op) -> int:
        """What `op` and everything inside it does to memory."""
        effect = fresh_effect(op)
        if op.opcode in SCALAR_REGIONS:
            return effect
        for region in op.regions:
            for inner in self.current(region):
                if effect == WRITES:
                    return effect
                effect = max(effect, self.effect(inner))
        return effect


def _cast_sign(source: DType, target: DType) -> object:
    """The signs that tell casts apart: those of integers that are widened or meet a float."""
    if source.is_integer and target.is_integer:
        return source.kind in ("uint", "bool") if (source.bits or 0) < (target.bits or 0) else None
    return (source.kind in ("uint", "bool"), target.kind in ("uint", "bool"))
