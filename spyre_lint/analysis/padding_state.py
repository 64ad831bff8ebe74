"""What is known of padding lanes: the records that the analysis of padding keeps and the checks read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from spyre_lint.analysis.lane_values import Lane
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Expr, compare


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

    def holding(self, lane: Lane, fill: Op | None = None) -> Pad:
        """The same lanes holding something else."""
        return replace(self, lane=lane, fill=fill or self.fill)

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
