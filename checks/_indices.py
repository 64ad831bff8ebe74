"""Indices that come from memory: gather, scatter, and what must not be done to them (SPY114 to SPY116)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from spyre_lint.analysis.provenance import Provenance, provenance
from spyre_lint.checks._support import operand_name, place, spelled
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Related
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import compare, const
from spyre_lint.ir.types import DescriptorType, ScalarType, shape_of
from spyre_lint.rules import Rule

MIXED_INDEX = Rule(
    "SPY114",
    "mixed-indirect-index",
    Level.ERROR,
    "An index loaded from memory is scaled on its way into a gather, a scatter or an address.",
)
INDEX_NOT_LOADED = Rule(
    "SPY115",
    "gather-index-not-loaded",
    Level.ERROR,
    "The indices of a gather or scatter are not loaded through a descriptor.",
)
GATHER_SHAPE = Rule(
    "SPY116", "gather-descriptor-shape", Level.ERROR, "A gather or scatter does not fit its descriptor's block."
)

_MIXES = {
    "mul": "multiplied", "shl": "shifted", "shr": "shifted", "ashr": "shifted", "div": "divided", "fdiv": "divided",
    "rem": "taken modulo a number", "cdiv": "divided", "fma": "multiplied", "umulhi": "multiplied",
}  # fmt: skip
_MERGES = ("if", "for", "while", "noinline_call")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_RAW = ("ptr_load", "block_load", "ptr_atomic")
_THROUGH_DESCRIPTORS = ("desc_load", "desc_gather")
_ENDS = (*_RAW, *_THROUGH_DESCRIPTORS, "reduce", "dot", "call")


def judge_mixing(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    """SPY114 for one operation that makes an address or takes indices."""
    if op.opcode in ("desc_gather", "desc_scatter"):
        targets, used = op.group("index"), f"an index of `{spelled(op)}`"
    elif op.opcode in ("ptr_load", "ptr_store", "ptr_atomic"):
        targets, used = op.group("ptr"), "an address"
    elif op.opcode == "make_descriptor":
        targets, used = op.group("base"), "the base of a descriptor"
    else:
        return
    for target in targets:
        for mix, index, load in _mixes(instance, target):
            name = f"`{index.name}`" if index.name else "an index"
            yield MIXED_INDEX.violated(
                mix.loc,
                f"{name}, loaded from memory, is {_MIXES[mix.fn]} here on its way into {used}",
                help="keep the loaded index a coordinate of its own: give the tensor a dimension for it, as in "
                "`shape=[n_pages, page_rows * width]`, and `gather` with the index as it was loaded",
                related=[
                    Related("the index is loaded here", load.loc),
                    Related("and used here", op.loc),
                    *instance.related_calls(mix),
                ],
            )


def _mixes(instance: KernelInstance, target: Value) -> Iterator[tuple[Op, Value, Op]]:
    """The outermost operations that scale a loaded index on the way to `target`, with that index and its load."""
    origins = instance.analysis(provenance)
    seen: set[Value] = set()
    todo = [target]
    while todo:
        value = todo.pop()
        op = value.op
        if value in seen:
            continue
        seen.add(value)
        if op is not None and op.opcode == "elementwise" and op.fn in _MIXES:
            loaded = [(v, load) for v in op.operands if (load := _load_behind(origins, v)) is not None]
            if loaded:
                yield op, *loaded[0]
        elif op is None or op.opcode not in _ENDS:
            todo.extend(_parts(origins, value))


def _load_behind(origins: Provenance, value: Value) -> Op | None:
    """A load whose value goes into a value; one that only bounds a loop or decides a branch does not."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        current = todo.pop()
        op = current.op
        if current in seen:
            continue
        seen.add(current)
        if op is not None and op.opcode in (*_RAW, *_THROUGH_DESCRIPTORS):
            return op
        if op is None or not (op.opcode == "elementwise" and op.fn in _COMPARISONS):
            todo.extend(_parts(origins, current))
    return None


def _parts(origins: Provenance, value: Value) -> list[Value]:
    """What a value is made of: not the condition that chose it."""
    op = value.op
    if op is None or op.opcode in _MERGES:
        return _merged(origins, value)
    return [*op.group("x"), *op.group("y")] if op.opcode == "where" else list(op.operands)


def _merged(origins: Provenance, value: Value) -> list[Value]:
    """What a value may be: both sides of a branch without its condition, a counter's start and step without its end."""
    inputs = origins.inputs_of(value)
    if value.op is not None:
        return inputs[1:] if value.op.opcode == "if" else inputs
    counter = value.block is not None and value.block.parent is not None and value.block.parent.opcode == "for"
    return [inputs[0], inputs[-1]] if counter and value.index == 0 else inputs


@dataclass(slots=True)
class _Sources:
    """What the lanes of an index tile are made of."""

    loaded: list[Op] = field(default_factory=list)
    raw: list[Op] = field(default_factory=list)
    params: list[str] = field(default_factory=list)
    ranges: list[Op] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def judge_index(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    """SPY115 for one gather or scatter."""
    index = op.group("index")[0]
    found = _sources(instance, index)
    where, related = place(op, "x_offsets"), instance.related_calls(op)
    name = f"the indices `{index.name}`" if index.name else "the indices"
    load = "load the indices with a descriptor of their own, as a block of at least 8"
    raw = found.raw[0] if found.raw else None
    if raw is not None:
        yield INDEX_NOT_LOADED.violated(
            where,
            f"{name} of `{spelled(op)}` come from `{spelled(raw)}`, a load through a raw pointer",
            help=load,
            related=[Related("loaded here", raw.loc), *related],
        )
    elif found.loaded:
        yield INDEX_NOT_LOADED.satisfied(where)
    elif found.unknown:
        message = f"whether {name} of `{spelled(op)}` come from a descriptor is not known: {found.unknown[0]}"
        yield INDEX_NOT_LOADED.unproven_at(where, message, related=related)
    elif found.params:
        message = f"{name} of `{spelled(op)}` are the kernel's parameter `{found.params[0]}`"
        yield INDEX_NOT_LOADED.violated(
            where, f"{message}, and the compiler takes only indices loaded from memory", help=load, related=related
        )
    else:
        yield INDEX_NOT_LOADED.violated(
            where,
            f"{name} of `{spelled(op)}` are computed in the kernel, and the compiler takes only indices loaded from "
            "memory",
            help="rows that follow each other are a block: read them with `load`, else " + load,
            related=related,
        )


def _sources(instance: KernelInstance, index: Value) -> _Sources:
    """Where the lanes of an index tile come from; a scalar beside a tile (an offset, a fill) does not count."""
    tiles, scalars = _Sources(), _Sources()
    origins = instance.analysis(provenance)
    seen: set[tuple[Value, bool]] = set()
    todo = [(index, isinstance(index.type, ScalarType))]
    while todo:
        value, scalar = todo.pop()
        if (value, scalar) in seen:
            continue
        seen.add((value, scalar))
        found, op = (scalars if scalar else tiles), value.op
        param = origins.param_of(value) if op is None else None
        if param is not None:
            found.params.append(param.name)
        elif op is None:
            todo.extend((v, scalar) for v in _merged(origins, value))
        elif op.opcode in _THROUGH_DESCRIPTORS:
            found.loaded.append(op)
        elif op.opcode in _RAW:
            found.raw.append(op)
        elif op.opcode == "arange":
            found.ranges.append(op)
        elif op.opcode == "call":
            found.unknown.append(f"they come from `{op.attrs.get('callee') or 'a call'}`")
        else:
            todo.extend((v, scalar or op.opcode == "splat") for v in _parts(origins, value))
    if tiles.loaded or tiles.raw or tiles.params or tiles.unknown:
        return tiles
    return tiles if tiles.ranges and not scalars.raw else scalars


def judge_gather_shape(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    """SPY116 for one gather or scatter."""
    desc, target = op.group("desc")[0], instance.settings.target
    block = desc.type.block_shape if isinstance(desc.type, DescriptorType) else None
    call, name = f"`{spelled(op)}`", operand_name(desc, "the descriptor")
    made = instance.analysis(provenance).descriptor(desc)
    related = list(instance.related_calls(op))
    if made is not None:
        related.insert(0, Related("the block shape is given here", place(made, "block_shape")))
    stock = target.profile == "stock"

    def wrong(message: str, help_: str) -> Finding:
        return GATHER_SHAPE.violated(op.loc, message, help=help_, related=related)

    if block is not None and len(block) < 2:
        yield wrong(
            f"{call} picks rows of a block with {len(block)} dimension; `{name}` needs at least 2",
            "describe the tensor as rows, `shape=[n_rows, row_length]` with `block_shape=[1, BLOCK]`",
        )
    elif block is not None and stock and len(block) != 2:
        yield wrong(
            f"{call} picks rows of a block with {len(block)} dimensions, and stock Triton takes exactly 2",
            "merge the trailing dimensions into one, or lint for the Spyre build, which takes any rank",
        )
    if block is not None and len(block) >= 1:
        first = compare(block[0], "eq", 1)
        if first is False:
            yield wrong(
                f"{call} picks one row for each index, but the first block dimension of `{name}` is {block[0]}",
                "make it 1: the number of rows is that of the indices",
            )
        elif first is None:
            yield GATHER_SHAPE.unproven_at(
                op.loc,
                f"the first block dimension of `{name}` is `{block[0]}`, and {call} needs 1 there",
                help="write the literal 1",
                related=related,
            )
    yield from _index_count(instance, op)


def _index_count(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    target = instance.settings.target
    index = op.group("index")[0]
    shape = shape_of(index.type)
    if shape is None:
        return
    count = const(1)
    for extent in shape:
        count = count * extent
    least, related = target.min_gather_indices, instance.related_calls(op)
    if compare(count, "lt", least):
        given = f"{count} indices" if shape else "a single index"
        yield GATHER_SHAPE.violated(
            op.loc,
            f"`{spelled(op)}` is given {given}, and it takes a tile of at least {least}",
            help="load a larger block of indices, and let the rows past the end be dropped at the store",
            related=related,
        )
    elif target.profile == "stock" and len(shape) > 1:
        yield GATHER_SHAPE.violated(
            op.loc,
            f"`{spelled(op)}` is given indices of rank {len(shape)}, and stock Triton takes rank 1",
            help="reshape the indices to one dimension, and the gathered rows back",
            related=related,
        )
