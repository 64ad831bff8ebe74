"""What is known of padding lanes: the records that the analysis of padding keeps and the checks read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from spyre_lint.analysis.lane_values import Lane
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Expr, as_expr, compare
from spyre_lint.ir.types import shape_of


@dataclass(frozen=True, slots=True)
class Pad:
    """The padding lanes of one axis of a tile.

    `load` is the access that made them, `load_axis` the descriptor's axis, `offset` the load's offset there, `extent`
    the descriptor's extent, `block` the block dimension; `lane` is what they hold now.
    """

    load: Op
    load_axis: int
    offset: Expr
    extent: Expr
    block: Expr
    lane: Lane
    fill: Op | None = None
    """The `where` that last set these lanes, if one did."""
    folded: bool = False
    """Whether a reshape has spread the lanes, so that they are no longer the last ones of their axis."""
    parts: Seams = ()
    """Extents and padding of the axes that a reshape made one, in order: what undoes it finds them again."""

    def holding(self, lane: Lane, fill: Op | None = None) -> Pad:
        """The same lanes holding something else."""
        return replace(self, lane=lane, fill=fill or self.fill)

    def spread(self, lane: Lane, parts: Seams) -> Pad:
        """The lanes after a reshape that has spread them over an axis, made of `parts`."""
        return replace(self, lane=lane, folded=True, parts=parts)

    def covers(self, other: Pad) -> bool:
        """Whether these are provably the same lanes as another's: same place, same extent."""
        if self.folded or other.folded:
            return self.load is other.load and self.load_axis == other.load_axis
        shifted = compare(self.offset, "eq", other.offset)
        return shifted is True and compare(self.extent, "eq", other.extent) is True


@dataclass(frozen=True, slots=True)
class State:
    """What is known of a tile: padding by axis; `uniform` where every element is one known number."""

    pads: tuple[tuple[int, Pad], ...] = ()
    uniform: Lane | None = None

    def at(self, axis: int) -> Pad | None:
        """The padding of an axis."""
        return next((pad for position, pad in self.pads if position == axis), None)

    def hiding(self, lane: Lane) -> State:
        """The same lanes, all of them holding something else."""
        return State(tuple((axis, pad.holding(lane)) for axis, pad in self.pads))


NOTHING = State()
Seams: TypeAlias = "tuple[tuple[Expr, Pad | None], ...]"
"""Extent and padding of each axis that a reshape has made one with its neighbours."""


def seams(op: Op, source: State, axes: tuple[int, ...]) -> Seams:
    """Axes of a reshape's operand that it makes one, as what undoes it has to find them again."""
    shape = shape_of(op.operands[0].type)
    if shape is None or len(axes) == 1 or op.attrs.get("reorder"):
        return ()
    return tuple((shape[axis], source.at(axis)) for axis in axes if shape[axis] != as_expr(1))


def taken_apart(op: Op, pad: Pad, axes: tuple[int, ...]) -> dict[int, Pad] | None:
    """Padding of the axes a reshape makes of one, if an earlier reshape had made that one of just these."""
    shape = shape_of(op.results[0].type)
    if shape is None or not pad.parts or op.attrs.get("reorder"):
        return None
    wide = [axis for axis in axes if shape[axis] != as_expr(1)]
    if [shape[axis] for axis in wide] != [extent for extent, _ in pad.parts]:
        return None
    parts = zip(wide, pad.parts, strict=True)
    return {axis: part.holding(pad.lane, pad.fill) for axis, (_, part) in parts if part is not None}


@dataclass(frozen=True, slots=True)
class Reduction:
    """A padded axis that is reduced: by a `reduce`, a `scan` that sees the tail, or a `dot` (the contraction).

    `tile` is what is reduced, with `axis` one of its axes (a reduction over all axes has a record for each). `verdict`
    is True where the lanes hold the identity, False where they provably do not, None where that is not known.
    `identity` is None where the combiner is not one of the named ones.
    """

    op: Op
    fn: str
    tile: Value
    axis: int
    pad: Pad
    identity: float | None
    verdict: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RedundantMask:
    """A `where` that sets lanes outside of the descriptor's shape to 0, which they hold already, and no others."""

    op: Op
    kept: Value
    pads: tuple[tuple[int, Pad], ...]


@dataclass(frozen=True, slots=True)
class ScatterTail:
    """A scatter whose index tile has padding lanes; `verdict` is True where these rows are outside of the target."""

    op: Op
    pad: Pad
    verdict: bool | None


@dataclass(slots=True)
class PaddingLanes:
    """What the analysis found, in program order."""

    reductions: list[Reduction] = field(default_factory=list)
    masks: list[RedundantMask] = field(default_factory=list)
    scatters: list[ScatterTail] = field(default_factory=list)
