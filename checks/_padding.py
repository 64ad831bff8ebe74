"""Lanes past the end of a tensor: masks that repeat `shape` (SPY112), reductions (SPY113), scatters (SPY122)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from spyre_lint.analysis.index_tiles import index_tiles
from spyre_lint.analysis.padding_lanes import padding_lanes
from spyre_lint.analysis.padding_state import Pad, Reduction, RedundantMask, ScatterTail
from spyre_lint.checks._support import block_text, extent_text, place, spelled, written
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Related
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.types import DType, TileType, dtype_of
from spyre_lint.rules import Rule

REDUNDANT_MASK = Rule(
    "SPY112", "redundant-tail-mask", Level.WARNING, "A mask sets lanes to 0 that a descriptor load has filled with 0."
)
TAIL_FILL = Rule(
    "SPY113",
    "non-identity-tail-fill",
    Level.ERROR,
    "A reduction runs over lanes past the end of a tensor that do not hold its identity.",
)
SCATTER_TAIL = Rule(
    "SPY122",
    "scatter-tail",
    Level.ERROR,
    "A scatter writes rows for indices that are past the end of the index tensor.",
)

_CALLS = {
    "sum": ("`tl.sum`", "a sum", "0"),
    "max": ("`tl.max`", "a maximum", "-inf"),
    "min": ("`tl.min`", "a minimum", "inf"),
    "max_with_indices": ("the maximum with its index", "it", "-inf"),
    "min_with_indices": ("the minimum with its index", "it", "inf"),
    "product": ("the product", "it", "1"),
    "dot": ("`tl.dot`", "a sum", "0"),
    "xor": ("the exclusive or", "it", "0"),
    "or": ("the or", "it", "0"),
    "and": ("the and", "it", "all bits set"),
}


def judge_padding(instance: KernelInstance, ops: Collection[Op] | None = None) -> Iterator[Finding]:
    """All rules of this module for one instance; about these operations only, if some are given."""
    found = instance.analysis(padding_lanes)
    blamed = {each.pad.fill for each in found.reductions if each.verdict is False}
    for mask in found.masks:
        if mask.op not in blamed and (ops is None or mask.op in ops):  # a mask with the wrong fill is not redundant
            yield _redundant(instance, mask)
    for reduction in found.reductions:
        if ops is None or reduction.op in ops:
            yield _judge_reduction(instance, reduction)
    for scatter in found.scatters:
        if ops is None or scatter.op in ops:
            yield _judge_scatter(instance, scatter)


def _redundant(instance: KernelInstance, mask: RedundantMask) -> Finding:
    ends = " and ".join(extent_text(instance, pad.load, pad.load_axis) for _, pad in mask.pads)
    tile = _tile_name(mask.kept)
    return REDUNDANT_MASK.violated(
        mask.op.loc,
        f"this mask sets the lanes of {tile} past the end of {ends} to 0, which they hold already: the descriptor's "
        "`shape` says where the tensor ends",
        help=f"use {tile} as it is; a mask is needed where these lanes must hold something else, as -inf for a maximum",
        related=[*_loads(pad.load for _, pad in mask.pads), *instance.related_calls(mask.op)],
    )


def _loads(ops: Iterator[Op]) -> Iterator[Related]:
    for op in dict.fromkeys(ops):
        yield Related("loaded here, with 0 in the lanes past the end", op.loc)


def _judge_reduction(instance: KernelInstance, reduction: Reduction) -> Finding:
    op, pad = reduction.op, reduction.pad
    if reduction.verdict is True:
        return TAIL_FILL.satisfied(op.loc)
    call, who, identity = _CALLS.get(reduction.fn, ("this reduction", "it", "its identity"))
    what = f"{call} reduces axis {reduction.axis} of {_tile_name(reduction.tile)}"
    end = f"past the end of {_extent(instance, pad)}"
    related = [*_origin(pad), *_original_fills(instance), *instance.related_calls(op)]
    evidence = {"axis": reduction.axis, "lane": str(pad.lane), "identity": identity, "extent": str(pad.extent)}
    help_ = _mask_help(instance, reduction)
    if reduction.verdict is None:
        known = f"whether the lanes {end} hold {identity} is not known: they hold {reduction.reason or pad.lane}"
        return TAIL_FILL.unproven_at(op.loc, f"{what}; {known}", help=help_, related=related, evidence=evidence)
    held = f"its lanes {end} hold {pad.lane}, and {who} needs {identity} there"
    open_names = {each.name for each in pad.extent.symbols() if each.kind == "constexpr"}
    if open_names and len(open_names) == len(pad.extent.symbols()):
        names = " and ".join(f"`{name}`" for name in sorted(open_names | {s.name for s in pad.block.symbols()}))
        known = f"{held}; there are none if the block divides the extent, and nothing binds {names}"
        return TAIL_FILL.unproven_at(op.loc, f"{what}; {known}", help=help_, related=related, evidence=evidence)
    return TAIL_FILL.violated(op.loc, f"{what}; {held}", help=help_, related=related, evidence=evidence)


def _extent(instance: KernelInstance, pad: Pad) -> str:
    block = block_text(instance, pad.load, pad.load_axis)
    return f"{extent_text(instance, pad.load, pad.load_axis)} (in blocks of {block})"


def _origin(pad: Pad) -> Iterator[Related]:
    if pad.fill is not None:
        yield Related("these lanes are set here", pad.fill.loc)
    yield from _loads(iter([pad.load]))


def _original_fills(instance: KernelInstance) -> Iterator[Related]:
    """What the original kernel filled its masked lanes with, where that was not what a descriptor fills in."""
    for fill in instance.original_fills():
        if fill.text not in ("0", "0.0", "0."):
            yield Related(f"the original fills masked lanes with `{fill.text}`", fill.loc)


def _tile_name(value: Value) -> str:
    """The author's name of a tile, found behind casts and views too."""
    while (
        not value.name and value.op is not None and value.op.opcode in ("cast", "broadcast", "reshape", "expand_dims")
    ):
        value = value.op.operands[0]
    return f"`{value.name}`" if value.name else "the tile"


def _mask_help(instance: KernelInstance, reduction: Reduction) -> str:
    tile, fill = reduction.tile, _fill(reduction.fn, dtype_of(reduction.tile.type))
    inner = _exponent(tile) if reduction.fn == "sum" else None
    if inner is not None:  # exp(-inf) is 0
        tile, fill = inner, 'float("-inf")'
    if not fill:
        return "set these lanes with `tl.where` to a value that the combiner leaves out"
    name = _tile_name(tile).strip("`")
    if name == "the tile":  # the expression has no name, but a factor of it that is 0 makes all of it 0
        name = _factor_name(tile) if reduction.fn in ("sum", "dot") else ""
    masked = f"`tl.where({_inside(instance, reduction)}, {name or '...'}, {fill})`"
    if not name:
        return f"set them first: {masked} around what is reduced"
    return f"set them first: {masked}" + (" before the exponential" if inner is not None else "")


def _factor_name(tile: Value) -> str:
    """The author's name of a factor of this product that has the product's shape; empty if there is none."""
    op = tile.op
    while op is not None and op.opcode == "cast":
        op = op.operands[0].op
    if op is None or op.opcode != "elementwise" or op.fn != "mul" or not isinstance(tile.type, TileType):
        return ""
    shape = tile.type.shape
    named = (each for each in op.operands if each.name and isinstance(each.type, TileType) and each.type.shape == shape)
    return next((each.name for each in named), "")


def _exponent(tile: Value) -> Value | None:
    """The named tile x in `exp(x - m)`."""
    op = tile.op
    while op is not None and op.opcode == "cast":
        op = op.operands[0].op
    if op is None or op.opcode != "elementwise" or op.fn not in ("exp", "exp2"):
        return None
    value = op.operands[0]
    while not value.name and value.op is not None and value.op.opcode in ("elementwise", "cast") and value.op.operands:
        value = value.op.operands[0]
    return value if value.name and isinstance(value.type, TileType) else None


def _fill(fn: str, dtype: DType) -> str:
    bits = dtype.bits or 32
    if fn.startswith(("max", "min")):
        high = fn.startswith("min")
        if not dtype.is_integer:
            return 'float("inf")' if high else 'float("-inf")'
        if dtype.kind != "int":
            return f"{2**bits - 1}" if high else "0"
        return f"{2 ** (bits - 1) - 1}" if high else f"-{2 ** (bits - 1)}"
    number = {"sum": "0", "dot": "0", "xor": "0", "or": "0", "product": "1", "and": "-1"}.get(fn, "")
    return number if dtype.is_integer or not number else f"{number}.0"


def _inside(instance: KernelInstance, reduction: Reduction) -> str:
    """The mask of the lanes inside the tensor, in the kernel's own names where it has them."""
    pad, axis = reduction.pad, reduction.axis
    rank = len(reduction.tile.type.shape) if isinstance(reduction.tile.type, TileType) else 1
    index = _index_name(instance, pad, reduction.op)
    if rank > 1:
        places = ", ".join(":" if position == axis else "None" for position in range(rank))
        index = f"({index})[{places}]" if " + " in index else f"{index}[{places}]"
    return f"{index} < {extent_text(instance, pad.load, pad.load_axis).strip('`')}"


def _index_name(instance: KernelInstance, pad: Pad, user: Op) -> str:
    """The kernel's name of the index tile of these lanes, or the expression that makes one."""
    tiles = instance.analysis(index_tiles)
    for op in instance.ir.ops("elementwise", "arange"):
        made = op.result
        if not made.name or op.stack != user.stack or not isinstance(made.type, TileType) or made.type.rank != 1:
            continue
        tile = tiles.index(made)
        if tile is not None and tile.base == pad.offset and made.type.shape[0] == pad.block:
            return made.name
    gathered = pad.load.opcode == "desc_gather"
    offset = (written(pad.load, "offsets", pad.load_axis) if not gathered else "") or str(pad.offset)
    lanes = f"tl.arange(0, {block_text(instance, pad.load, pad.load_axis, value=False).strip('`')})"
    return lanes if offset == "0" else f"{offset} + {lanes}"


def _judge_scatter(instance: KernelInstance, scatter: ScatterTail) -> Finding:
    op, pad = scatter.op, scatter.pad
    where = place(op, "x_offsets")
    if scatter.verdict is True:
        return SCATTER_TAIL.satisfied(where)
    index = _tile_name(op.group("index")[0])
    rows = extent_text(instance, op, 0).strip("`")
    lane = _index_name(instance, pad, op)
    extent = extent_text(instance, pad.load, pad.load_axis).strip("`")
    name = index.strip("`") if index.startswith("`") else "idx"
    help_ = f"send these rows out of bounds: `tl.where({lane} < {extent}, {name}, {rows})`"
    end = f"past the end of {_extent(instance, pad)}"
    related = [*_origin(pad), *instance.related_calls(op)]
    if scatter.verdict is False:
        message = (
            f"`{spelled(op)}` writes a row for every index, and {end} the indices {index} hold 0: row 0 is overwritten"
        )
        return SCATTER_TAIL.violated(where, message, help=help_, related=related)
    message = (
        f"`{spelled(op)}` writes a row for every index, and whether those {end} are outside of the target is not "
        f"known: they hold {pad.lane}"
    )
    return SCATTER_TAIL.unproven_at(where, message, help=help_, related=related)
