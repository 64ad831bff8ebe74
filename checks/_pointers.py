"""Accesses and bases that are made of pointers instead of descriptors (SPY101 to SPY105)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spyre_lint.analysis.provenance import Base, Provenance, provenance
from spyre_lint.checks._support import place, pointer, spelled
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Location, Related
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.types import BlockPointerType, OpaqueType, ScalarType
from spyre_lint.rules import Rule

RAW_LOAD = Rule("SPY101", "raw-pointer-load", Level.ERROR, "A load goes through a raw pointer.")
RAW_STORE = Rule("SPY102", "raw-pointer-store", Level.ERROR, "A store goes through a raw pointer.")
BLOCK_POINTER = Rule("SPY103", "block-pointer", Level.ERROR, "A block pointer is made, moved or accessed.")
RAW_ATOMIC = Rule("SPY104", "raw-pointer-atomic", Level.ERROR, "An atomic operation goes through a raw pointer.")
BASE_ARITHMETIC = Rule(
    "SPY105", "descriptor-base-arithmetic", Level.ERROR, "The base of a descriptor is not a bare pointer argument."
)


def judge_access(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    """SPY101 to SPY104 for one operation."""
    if op.opcode == "ptr_load":
        yield from _raw_load(instance, op)
    elif op.opcode == "ptr_store":
        yield _raw_store(instance, op)
    elif op.opcode == "ptr_atomic":
        yield _raw_atomic(instance, op)
    elif op.opcode in ("make_block_ptr", "advance", "block_load", "block_store"):
        yield _block_pointer(instance, op)


def _through(instance: KernelInstance, op: Op) -> str:
    param = pointer(instance, op.operand("ptr"))
    return f"the raw pointer `{param.name}`" if param else "a raw pointer"


def _raw_load(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    scalar = isinstance(op.result.type, ScalarType)
    if scalar and instance.settings.allow_scalar_loads:
        return
    what = "a scalar" if scalar else "a value" if isinstance(op.result.type, OpaqueType) else "a tile"
    if scalar:
        help_ = "pass the value as an argument, or load it with its neighbours: a descriptor reads at least 16 bytes"
    elif _indices(instance, op):
        help_ = "the rows to read come from memory: hand the loaded indices to `gather` of a descriptor"
    else:
        help_ = "make a descriptor with `tl.make_tensor_descriptor` and read its blocks with `.load([...])`"
        help_ += "; its `shape` takes the place of the mask" if op.group("mask") else ""
    if _fill(op):
        help_ += f"; it fills with 0 instead of {_fill(op)}, so `tl.where` has to set what lies outside"
    message = f"`{spelled(op)}` reads {what} through {_through(instance, op)}"
    yield RAW_LOAD.violated(op.loc, message, help=help_, related=instance.related_calls(op))


def _fill(op: Op) -> str:
    """What a load puts where its mask is false, where that is known not to be 0."""
    fill = op.operand("other")
    value = fill.op.attrs["value"] if fill is not None and fill.op is not None and fill.op.opcode == "const" else 0
    return str(value) if isinstance(value, (int, float)) and value != 0 else ""


def _raw_store(instance: KernelInstance, op: Op) -> Finding:
    help_ = "make a descriptor with `tl.make_tensor_descriptor` and write blocks with `.store([...], value)`"
    if _indices(instance, op):
        help_ = "the rows to write come from memory: hand the loaded indices to `scatter` of a descriptor"
    elif op.group("mask"):
        help_ += "; nothing outside of its `shape` is written, so the mask goes away"
    message = f"`{spelled(op)}` writes through {_through(instance, op)}"
    return RAW_STORE.violated(op.loc, message, help=help_, related=instance.related_calls(op))


def _raw_atomic(instance: KernelInstance, op: Op) -> Finding:
    help_ = "let one program own each element and store it"
    if op.fn in ("add", "min", "max", "and", "or", "xor"):
        help_ = f"use `.atomic_{op.fn}([...], value)` of a descriptor, or {help_}"
    message = f"`{spelled(op)}` updates memory through {_through(instance, op)}"
    return RAW_ATOMIC.violated(op.loc, message, help=help_, related=instance.related_calls(op))


def _indices(instance: KernelInstance, op: Op) -> list[Op]:
    """The loads that the address of an access depends on."""
    return instance.analysis(provenance).origins(op.operands[0]).loads


def _block_pointer(instance: KernelInstance, op: Op) -> Finding:
    if op.opcode == "make_block_ptr":
        param = pointer(instance, op.operand("base"))
        message = f"`tl.make_block_ptr` makes a block pointer{f' of `{param.name}`' if param else ''}"
        help_ = (
            "use `tl.make_tensor_descriptor`: the offsets go into each `load` and `store`, `order` has no counterpart"
        )
    elif op.opcode == "advance":
        message = "`tl.advance` moves a block pointer"
        help_ = "pass the moved offsets to the descriptor's `load` or `store` instead"
    else:
        does = "reads" if op.opcode == "block_load" else "writes"
        message = f"`{spelled(op)}` {does} through a block pointer"
        target = op.operand("ptr")
        if target is not None and not isinstance(target.type, BlockPointerType):
            message = f"`{spelled(op)}` with `boundary_check` or `padding_option` {does} through a block pointer"
        call = ".load([...])" if op.opcode == "block_load" else ".store([...], value)"
        help_ = f"use `{call}` of a descriptor: its `shape` takes the place of `boundary_check`"
    return BLOCK_POINTER.violated(op.loc, message, help=help_, related=instance.related_calls(op))


def judge_base(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    """SPY105 for one descriptor: its base is a pointer argument, or a cast of one."""
    for base in _bases(instance.analysis(provenance), op.group("base")):
        if base.additions or base.param is None:
            yield _judge_base(instance, op, base)


def _bases(origins: Provenance, values: Iterable[Value]) -> Iterator[Base]:
    """The base of each value; both sides of a choice that a constexpr makes."""
    for value in values:
        op = value.op
        if op is not None and op.opcode == "if" and op.attrs.get("constexpr"):
            ends = [region.terminator for region in op.regions]
            yield from _bases(origins, [end.operands[value.index] for end in ends if end is not None])
        elif op is None or op.opcode != "undef":
            yield origins.base(value)


def _judge_base(instance: KernelInstance, op: Op, base: Base) -> Finding:
    where = place(op, "base")
    related = list(instance.related_calls(op))
    made_by = base.param.name if base.param else ""
    if base.param is None and not base.additions and "`call`" in base.reason:
        message = f"whether the base of this descriptor is a bare pointer argument is not known: {base.reason}"
        return BASE_ARITHMETIC.unproven_at(where, message, related=related)
    steps = [step for step in base.additions if step.loc != where]
    related += [Related("the offset is added here", step.loc) for step in steps]
    gap = next(filter(None, (instance.file.gap_at(loc) for loc in _sites(op, steps))), None)
    if base.additions:
        message = f"the base of this descriptor is {f'`{made_by}`' if made_by else 'a pointer'} plus an offset"
        help_ = f"give the bare `{made_by or 'pointer'}` and make the offset one of `load([...])` and `store([...])`"
        help_ += ": what it skips is a dimension of the tensor, and belongs in `shape` and `strides`"
    else:
        message = f"the base of this descriptor is no pointer argument: {base.reason}"
        help_ = "pass each tensor as an argument of its own and use that as the base"
    if gap is not None:
        message += f"; declared as a gap: {gap.limitation}" if gap.limitation else "; declared as a gap"
    level = Level.WARNING if gap is not None else None
    return BASE_ARITHMETIC.violated(where, message, help=help_, level=level, related=related)


def _sites(op: Op, steps: Iterable[Op]) -> Iterator[Location]:
    yield op.loc
    yield from op.stack
    yield from (step.loc for step in steps)
