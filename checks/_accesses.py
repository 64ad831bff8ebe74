"""What is handed to a descriptor's `load`, `store`, `gather` and their like (SPY111)."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.checks._support import counted, operand_name, place, spelled
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level
from spyre_lint.ir.core import Op
from spyre_lint.ir.sym import compare
from spyre_lint.ir.types import DescriptorType, Shape, shape_of
from spyre_lint.rules import Rule

OFFSET_RANK = Rule(
    "SPY111",
    "offset-rank-mismatch",
    Level.ERROR,
    "An access does not fit its descriptor: other number of offsets, or a tile of another shape.",
)


def judge_fit(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    """SPY111 for one access through a descriptor whose block shape is known."""
    desc = op.operand("desc")
    block = desc.type.block_shape if desc is not None and isinstance(desc.type, DescriptorType) else None
    if desc is None or block is None:
        return
    name = operand_name(desc, "the descriptor")
    related = instance.related_calls(op)
    offsets, rank = len(op.group("offsets")), len(block)
    if op.opcode in ("desc_gather", "desc_scatter"):
        rows = shape_of(op.group("index")[0].type)
        wrong = offsets > rank - 1
        block = (*rows, *block[1:]) if rows else ()
        wanted, given = f"at most {counted(rank - 1, 'offset')} beside the indices", str(offsets)
    else:
        wrong = offsets != rank
        wanted, given = counted(rank, "offset"), str(offsets)
    if wrong:
        yield OFFSET_RANK.violated(
            place(op, "offsets"),
            f"`{spelled(op)}` takes {wanted}, one per dimension of `{name}`, and is given {given}",
            help="give the place of the block's first element in every dimension",
            related=related,
        )
    value = op.operand("value")
    shape = shape_of(value.type) if value is not None else None
    if value is not None and shape is not None and block and _differ(shape, block):
        yield OFFSET_RANK.violated(
            place(op, "value"),
            f"`{spelled(op)}` is given {_tile(shape)} where `{name}` takes {_tile(block)}",
            help="store a tile of exactly that shape: `tl.reshape` or `tl.broadcast_to` it first",
            related=related,
        )


def _differ(shape: Shape, block: Shape) -> bool:
    """Whether two shapes are provably different."""
    return len(shape) != len(block) or any(
        compare(have, "eq", want) is False for have, want in zip(shape, block, strict=True)
    )


def _tile(shape: Shape) -> str:
    return f"a tile of [{', '.join(map(str, shape))}]" if shape else "a scalar"
