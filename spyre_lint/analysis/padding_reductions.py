"""Whether padding lanes that are reduced hold the identity of the reduction."""

from __future__ import annotations

from collections.abc import Callable

from spyre_lint.analysis import lane_values as lanes
from spyre_lint.analysis.lane_values import ZERO, Lane
from spyre_lint.analysis.padding_state import Pad, Reduction, State
from spyre_lint.analysis.signs import Signs
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import as_expr
from spyre_lint.ir.types import shape_of


def judge_reduction(op: Op, tile: Value, axis: int, pad: Pad, signs: Signs, *, outdone: bool) -> Reduction:
    """A `reduce` or `scan` over the lanes `pad` of axis `axis` of `tile`; `outdone` is what `is_outdone` says of it."""
    fn = op.fn
    identity = lanes.IDENTITY.get(fn)
    if identity is None:
        reason = f"{pad.lane}, and what the combiner leaves as it is is not known"
        return Reduction(op, fn, tile, axis, pad, None, None, reason)
    verdict: bool | None
    if pad.lane.number is None:
        # A varying lane is no identity for some data; a maximum may still not see it.
        broken = pad.lane.varies and not fn.startswith(("max", "min"))
        verdict = False if broken else True if outdone else None
    else:
        verdict = pad.lane.number == identity or _harmless(fn, pad.lane.number, tile, signs)
    return Reduction(op, fn, tile, axis, pad, identity, verdict, pad.lane.reason)


def _harmless(fn: str, number: float, tile: Value, signs: Signs) -> bool:
    """Whether every real element is at least (for a maximum) what the padding holds: 0 among absolute values."""
    if fn.startswith("max"):
        return number <= 0 and signs.nonnegative(tile)
    return fn.startswith("min") and number >= 0 and signs.nonpositive(tile)


def is_outdone(op: Op, tile: Value, axis: int, states: Callable[[Value], State]) -> bool:
    """Whether `max(x, m)` with masked x is reduced to its maximum: padding lanes hold m, and others no less."""
    made = tile.op
    while made is not None and made.opcode in ("cast", "hint"):
        made = made.operands[0].op
    if made is None or made.opcode != "elementwise" or made.fn != op.fn or op.fn not in ("max", "min"):
        return False
    sides = [states(v).at(axis) for v in made.operands]
    masked = [pad is not None and pad.lane.number == lanes.IDENTITY[op.fn] for pad in sides]
    return any(masked) and all(mask or _is_uniform(v, axis) for mask, v in zip(masked, made.operands, strict=True))


def _is_uniform(value: Value, axis: int) -> bool:
    """Whether a tile provably holds the same along an axis."""
    op = value.op
    if op is not None and op.opcode == "broadcast":
        shape = shape_of(op.operands[0].type)
        return shape is not None and shape[axis] == as_expr(1)
    return op is not None and op.opcode in ("splat", "const")


def judge_contraction(op: Op, axis: int, left: Pad | None, right: Pad | None, *, plain: bool) -> Reduction | None:
    """The contraction of a `dot`, with the padding lanes of that axis in each operand; `axis` is the left one's.

    `plain` tells of an operand without such lanes that it is data there, and not masked in some way of its own.
    """
    pads = [pad for pad in (left, right) if pad is not None]
    if not pads:
        return None
    tile = op.group("a")[0] if left is not None else op.group("b")[0]
    zeros = [pad for pad in pads if pad.lane == ZERO]
    rest = [pad for pad in pads if pad.lane != ZERO]
    # A product is 0 as soon as one side is, if that side is 0 on all the lanes where the other is not.
    if all(any(zero.covers(pad) for zero in zeros) for pad in rest):
        return Reduction(op, "dot", tile, axis, pads[0], 0.0, True)
    pad = rest[0]
    tile = op.group("a")[0] if pad is left else op.group("b")[0]
    vague = bool(zeros) or not plain or any(each.lane.number is None and not each.lane.varies for each in rest)
    reason = pad.lane.reason or f"{pad.lane}"
    return Reduction(op, "dot", tile, axis if pad is left else axis - 1, pad, 0.0, None if vague else False, reason)


def product_lane(lane: Lane) -> Lane:
    """What a `dot` makes of padding lanes of an axis that it keeps: a row of zeros gives a row of zeros."""
    return lane if lane == ZERO else lanes.unknown("a dot of padding lanes")
