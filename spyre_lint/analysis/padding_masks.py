"""What a mask is on padding lanes: true, false, or not known."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spyre_lint.analysis.index_tiles import Bound, IndexTiles
from spyre_lint.analysis.padding_state import Pad, State
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Expr, compare
from spyre_lint.ir.types import shape_of

_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_NEGATED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}

States = Callable[[Value], State]


class PaddingMasks:
    """Judges masks of index tiles (`cols < n`, `cols <= rows`), of loaded tiles, and what logic makes of them."""

    def __init__(self, indices: IndexTiles, states: States) -> None:
        self._indices = indices
        self._states = states

    def truth(self, mask: Value, axis: int, pad: Pad, others: Callable[[int], Pad | None]) -> bool | None:
        """What `mask` is on the padding lanes of an axis, as far as the other axes are real.

        `others` gives the padding of the other axes of the tile that the mask is applied to.
        """
        number = self._held(mask, axis)
        if number is not None:
            return bool(number)
        bound = self._indices.bound(mask)
        if bound is not None:
            return self._bound(bound, axis, pad)
        op = mask.op
        if op is None:
            return None
        if op.opcode in ("broadcast", "cast", "hint"):
            return self.truth(op.operands[0], axis, pad, others)
        if op.opcode == "expand_dims":
            inserted = op.attrs["axis"]
            if axis == inserted:
                return None
            return self.truth(
                op.operands[0],
                axis - (axis > inserted),
                pad,
                lambda other: others(other + (other >= inserted)),
            )
        if op.opcode != "elementwise":
            return None
        if op.fn in ("and", "or") and len(op.operands) == 2:
            sides = [self.truth(v, axis, pad, others) for v in op.operands]
            decisive = op.fn == "or"
            if decisive in sides:
                return decisive
            return (not decisive) if all(side is (not decisive) for side in sides) else None
        if op.fn in ("not", "invert"):
            inner = self.truth(op.operands[0], axis, pad, others)
            return None if inner is None else not inner
        return self._relation(op, axis, pad, others)

    def _held(self, mask: Value, axis: int) -> float | None:
        state = self._states(mask)
        if state.uniform is not None:
            return state.uniform.number
        own = state.at(axis)
        return own.lane.number if own is not None else None

    def _bound(self, bound: Bound, axis: int, pad: Pad) -> bool | None:
        """Padding lanes have `offset + i >= extent`: a bound at or below the extent is False there."""
        if bound.axis != axis or pad.folded:
            return None
        shifted = bound.limit - bound.base + pad.offset  # the bound as one on `offset + i`
        if compare(shifted, "le", pad.extent) is not True:
            return None
        return not bound.inside

    def _relation(self, op: Op, axis: int, pad: Pad, others: Callable[[int], Pad | None]) -> bool | None:
        """A comparison of index tiles of two axes: `cols <= rows` is false where cols is past the end of both."""
        if op.fn not in _FLIPPED or len(op.operands) != 2 or pad.folded:
            return None
        fn, (left, right) = op.fn, op.operands
        tile, other = self._indices.index(left), self._indices.index(right)
        if tile is None or other is None or tile.axis == other.axis:
            return None
        if other.axis == axis:
            tile, other, fn = other, tile, _FLIPPED[fn]
        if tile.axis != axis:
            return None
        least = tile.base - pad.offset + pad.extent  # the padding lanes of `tile` are at least this
        limit = self._limit(other.axis, other.base, op, others)  # the real lanes of `other` are below this
        if fn in ("lt", "gt"):
            negated = fn == "lt"
            shown = compare(least, "ge", limit - 1 if negated else limit)
        else:
            negated = fn == "le"
            shown = compare(least, "ge", limit if negated else limit - 1)
        return (not negated) if shown is True else None

    def _limit(self, axis: int, base: Expr, op: Op, others: Callable[[int], Pad | None]) -> Expr:
        pad = others(axis)
        if pad is not None and not pad.folded:
            return base - pad.offset + pad.extent
        shape = shape_of(op.result.type) or ()
        return base + shape[axis]

    def exact_bounds(self, mask: Value, *, inside: bool) -> list[Bound] | None:
        """The bounds whose conjunction a mask is (not `inside`: its negation); None where it is anything else."""
        op = mask.op
        bound = self._indices.bound(mask)
        if bound is not None:
            return [bound] if bound.inside is inside else None
        if op is None:
            return None
        if op.opcode in ("broadcast", "cast"):
            return self.exact_bounds(op.operands[0], inside=inside)
        if op.opcode == "expand_dims":
            inner, inserted = self.exact_bounds(op.operands[0], inside=inside), op.attrs["axis"]
            if inner is None:
                return None
            return [Bound(b.axis + (b.axis >= inserted), b.base, b.limit, b.inside) for b in inner]
        if op.opcode == "elementwise" and op.fn in ("not", "invert"):
            return self.exact_bounds(op.operands[0], inside=not inside)
        if op.opcode == "elementwise" and op.fn == ("and" if inside else "or") and len(op.operands) == 2:
            sides = [self.exact_bounds(v, inside=inside) for v in op.operands]
            found = [bound for side in sides if side is not None for bound in side]
            return None if None in sides else found
        return None


def restates(bound: Bound, pad: Pad) -> bool:
    """Whether a bound is exactly the descriptor's own on the axis of these lanes."""
    return compare(bound.limit - bound.base + pad.offset, "eq", pad.extent) is True


def implied_by_branches(op: Op, slack: Expr, value_of: Callable[[Value], Expr]) -> bool:
    """Whether `slack >= 0` follows from a condition of a branch that `op` stands in."""
    block = op.block
    while block is not None and block.parent is not None:
        parent = block.parent
        if parent.opcode == "if" and parent.regions:
            for known in _known(parent.operands[0], block is parent.regions[0], value_of):
                if compare(slack - known, "ge", 0) is True:
                    return True
        block = parent.block
    return False


def _known(condition: Value, holds: bool, value_of: Callable[[Value], Expr]) -> Iterator[Expr]:
    """Expressions that are not negative where a condition holds, or where it does not."""
    op = condition.op
    if op is None or op.opcode != "elementwise":
        return
    if op.fn == ("and" if holds else "or"):
        for side in op.operands:
            yield from _known(side, holds, value_of)
    elif op.fn in ("not", "invert"):
        yield from _known(op.operands[0], not holds, value_of)
    elif len(op.operands) == 2 and (op.fn in _FLIPPED or op.fn == ("eq" if holds else "ne")):
        left, right = (value_of(v) for v in op.operands)
        fn = op.fn if holds or op.fn not in _NEGATED else _NEGATED[op.fn]
        if fn in ("lt", "le"):
            yield right - left - (1 if fn == "lt" else 0)
        elif fn in ("gt", "ge"):
            yield left - right - (1 if fn == "gt" else 0)
        else:
            yield right - left
            yield left - right
