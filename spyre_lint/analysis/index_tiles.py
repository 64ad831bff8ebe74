"""Tiles of indices and the masks made of them: which lanes of an axis `offset + arange < extent` lets through."""

from __future__ import annotations

from dataclasses import dataclass

from spyre_lint.analysis.symbolic import SymbolicValues, symbolic_values
from spyre_lint.context import KernelInstance
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Expr, as_expr, exact_quotient
from spyre_lint.ir.types import ScalarType, TileType, shape_of

_VIEWS = frozenset({"broadcast", "cast", "hint"})
_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_NEGATED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


@dataclass(frozen=True, slots=True)
class IndexTile:
    """A tile whose element at position i of axis `axis` is `base + i`."""

    axis: int
    base: Expr


@dataclass(frozen=True, slots=True)
class Bound:
    """A mask on one axis: true exactly for lanes with `base + i < limit` (`inside`), or exactly for the others."""

    axis: int
    base: Expr
    limit: Expr
    inside: bool


class IndexTiles:
    """Index tiles and masks of one kernel, recognised on demand."""

    def __init__(self, symbolic: SymbolicValues) -> None:
        self._symbolic = symbolic
        self._index: dict[Value, IndexTile | None] = {}

    def index(self, value: Value) -> IndexTile | None:
        """The index tile a value is, if it is one."""
        if value not in self._index:
            self._index[value] = None
            self._index[value] = self._compute(value)
        return self._index[value]

    def _compute(self, value: Value) -> IndexTile | None:
        op = value.op
        if op is None or not isinstance(value.type, TileType):
            return None
        if op.opcode == "arange":
            return IndexTile(0, as_expr(op.attrs["start"]))
        if op.opcode in _VIEWS:
            return self.index(op.operands[0])
        if op.opcode == "expand_dims":
            inner = self.index(op.operands[0])
            return None if inner is None else IndexTile(_shifted(inner.axis, op.attrs["axis"]), inner.base)
        if op.opcode == "trans":
            inner = self.index(op.operands[0])
            return None if inner is None else IndexTile(op.attrs["perm"].index(inner.axis), inner.base)
        if op.opcode == "reshape":
            return self._reshaped(op)
        if op.opcode == "elementwise" and op.fn in ("add", "sub"):
            return self._moved(op)
        return None

    def _reshaped(self, op: Op) -> IndexTile | None:
        inner = self.index(op.operands[0])
        mapping = axis_mapping(op)
        if inner is None or mapping is None or inner.axis not in mapping:
            return None
        return IndexTile(mapping[inner.axis], inner.base)

    def _moved(self, op: Op) -> IndexTile | None:
        left, right = op.operands
        tile, other = self.index(left), self.scalar(right)
        if tile is None and op.fn == "add":
            tile, other = self.index(right), self.scalar(left)
        if tile is None or other is None:
            return None
        return IndexTile(tile.axis, tile.base + other if op.fn == "add" else tile.base - other)

    def scalar(self, value: Value) -> Expr | None:
        """The symbolic value of a scalar, a splatted scalar or a constant tile; None for a tile that varies."""
        while value.op is not None and value.op.opcode in ("splat", "broadcast", "cast", "expand_dims", "reshape"):
            value = value.op.operands[0]
        if value.op is not None and value.op.opcode == "const":
            held = value.op.attrs["value"]
            return as_expr(held) if isinstance(held, (int, Expr)) else None
        if not isinstance(value.type, ScalarType) or value.type.dtype.is_float:
            return None
        return self._symbolic.of(value)

    def bound(self, mask: Value) -> Bound | None:
        """The bound that a mask of one comparison states; None for any other mask."""
        op = mask.op
        if op is None:
            return None
        if op.opcode in ("broadcast", "cast"):
            return self.bound(op.operands[0])
        if op.opcode == "expand_dims":
            inner = self.bound(op.operands[0])
            return None if inner is None else _with_axis(inner, _shifted(inner.axis, op.attrs["axis"]))
        if op.opcode == "elementwise" and op.fn in ("not", "invert"):
            inner = self.bound(op.operands[0])
            return None if inner is None else Bound(inner.axis, inner.base, inner.limit, not inner.inside)
        if op.opcode != "elementwise" or op.fn not in _FLIPPED or len(op.operands) != 2:
            return None
        return self._comparison(op)

    def _comparison(self, op: Op) -> Bound | None:
        fn, (left, right) = op.fn, op.operands
        tile, limit = self.index(left), self.scalar(right)
        if tile is None:
            tile, limit, fn = self.index(right), self.scalar(left), _FLIPPED[fn]
        if tile is None or limit is None or fn in ("eq", "ne"):
            return None
        if fn in ("le", "gt"):  # i <= limit is i < limit + 1
            limit = limit + 1
        return Bound(tile.axis, tile.base, limit, fn in ("lt", "le"))


def _shifted(axis: int, inserted: int) -> int:
    return axis + 1 if axis >= inserted else axis


def _with_axis(bound: Bound, axis: int) -> Bound:
    return Bound(axis, bound.base, bound.limit, bound.inside)


def axis_mapping(op: Op) -> dict[int, int] | None:
    """Where each axis of a reshape's operand goes, if the reshape only adds or drops axes of extent 1; else None."""
    source, target = shape_of(op.operands[0].type), shape_of(op.results[0].type)
    if source is None or target is None:
        return None
    one = as_expr(1)
    kept_source = [axis for axis, extent in enumerate(source) if extent != one]
    kept_target = [axis for axis, extent in enumerate(target) if extent != one]
    if [source[a] for a in kept_source] != [target[a] for a in kept_target]:
        return None
    return dict(zip(kept_source, kept_target, strict=True))


def axis_groups(op: Op) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Axes of a reshape's operand and result that hold the same elements, in the smallest groups that can be told."""
    source, target = shape_of(op.operands[0].type) or (), shape_of(op.results[0].type) or ()
    groups: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    left = right = 0
    start = (0, 0)
    before, after = as_expr(1), as_expr(1)
    while left < len(source) and right < len(target):
        before, after = before * source[left], after * target[right]
        left, right = left + 1, right + 1
        while before != after and (left < len(source) or right < len(target)):
            # Take the next axis of the side that provably holds less; of the left one where nothing can be told.
            take_left = left < len(source) and (right == len(target) or not _holds_less(after, before))
            if take_left:
                before, left = before * source[left], left + 1
            else:
                after, right = after * target[right], right + 1
        if before != after:
            break
        groups.append((tuple(range(start[0], left)), tuple(range(start[1], right))))
        start = (left, right)
    if start[0] < len(source) or start[1] < len(target):
        groups.append((tuple(range(start[0], len(source))), tuple(range(start[1], len(target)))))
    return groups


def _holds_less(first: Expr, second: Expr) -> bool:
    quotient = exact_quotient(second, first)
    return quotient is not None and quotient != as_expr(1)


def index_tiles(instance: KernelInstance) -> IndexTiles:
    """The index tiles and masks of an instance."""
    return IndexTiles(instance.analysis(symbolic_values))
