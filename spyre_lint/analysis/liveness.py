"""Which tiles are live at every program point, and what they weigh.

The definition (facts: "Peak of live tile bytes"), as it is read here:

- Program points lie between operations, before the first one of a region included. At a point a tile is live if it was
  defined before and an operation that control may still reach uses it; or if the point is the one right after its
  definition (so a result nobody uses weighs once). A result and an operand that dies there never count together.
- Liveness follows control flow exactly: what only one side of a branch uses is not live on the other.
- Views weigh nothing; a use of a view is a use of the value under it. `arange` weighs nothing.
- Constants and splats weigh at the point right before the operation that takes them as accumulator of a dot, as a
  value to store, as the initial value of a loop or as the value a loop's body yields; one copy for each such operand.
  A dot without accumulator has a zero one.
- A loop-carried value hands over from initial value to region argument to yielded value to result. A value defined
  outside a loop and used inside is live at every point inside.
- A call of a helper that is not inlined puts the helper's own peak on top of what is live both before and after.

A tile weighs product(shape) x element bytes; i1 takes one byte an element, a pointer eight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from spyre_lint.analysis.folds import VIEWS
from spyre_lint.analysis.graph import SCALAR_REGIONS, Graph
from spyre_lint.findings import Location
from spyre_lint.ir.core import Block, Op, Value
from spyre_lint.ir.types import OpaqueType, TileType

# Values that are made where they are needed and weigh nothing before.
_IMMATERIAL = frozenset({"const", "splat", "arange", "undef"})

# Operations that need an operand as storage: which group, whose last operand it is.
_STORAGE_GROUP = {
    "dot": "acc",
    "desc_store": "value",
    "desc_scatter": "value",
    "desc_atomic": "value",
    "ptr_store": "value",
    "ptr_atomic": "values",
    "block_store": "value",
}
_LOOPS = frozenset({"for", "while"})

# Groups whose operands are single numbers, so that an unknown one there holds no tile.
_SCALAR_GROUPS = frozenset({"cond", "lb", "ub", "step", "offsets", "base", "shape", "strides", "desc", "axis"})


@dataclass(frozen=True, slots=True, eq=False)
class Storage:
    """A copy of a constant or splat that an operation needs; `name` is that of what it becomes."""

    type: TileType
    name: str
    op: Op
    value: Value | None

    @property
    def loc(self) -> Location:
        """The operation that needs it."""
        return self.op.loc


Weighed = Value | Storage


@dataclass(frozen=True, slots=True)
class Point:
    """A program point: right after `op`, or right before it (`before`: a region's start, or storage for constants).

    `order` is the operation's place in program order.
    """

    op: Op | None
    order: int
    before: bool
    live: frozenset[Value]
    extra: tuple[Weighed, ...] = ()

    def tiles(self) -> Iterator[Weighed]:
        """Everything that weighs at the point."""
        yield from self.live
        yield from self.extra


Weigh = Callable[[TileType], int]


def tile_type(tile: Weighed) -> TileType:
    """The type of something that weighs."""
    assert isinstance(tile.type, TileType)
    return tile.type


@dataclass(slots=True)
class Liveness:
    """All program points of a kernel in reverse control-flow order, and the unknown values that may hold tiles."""

    points: list[tuple[int, Point]] = field(default_factory=list)
    """Every point with its weight under the `weigh` it was walked with."""
    opaque: list[Op] = field(default_factory=list)


def weigh(graph: Graph, size: Weigh) -> Liveness:
    """Walk the canonical body; `size` gives the bytes of a tile of one type.

    Calls that are not inlined are weighed by the same `size`, so that their heaviest point can be told.
    """
    return _Walk(graph, size).run()


class _Walk:
    def __init__(self, graph: Graph, size: Weigh) -> None:
        self._graph = graph
        self._size = size
        self._weights: dict[Weighed, int] = {}
        self._order: dict[Op, int] = {}
        self._roots: dict[Value, Value | None] = {}
        self._constants: set[Value] = set()
        self._free: dict[Op, frozenset[Value]] = {}
        self._found = Liveness()
        self._sink = self._found.points

    def run(self) -> Liveness:
        for op in self._graph.front:
            self._classify(op)
        self._classify_block(self._graph.body)
        self._block(self._graph.body, frozenset(), None)
        return self._found

    # ---- what the values are -----------------------------------------------------------------------------

    def _classify_block(self, block: Block) -> None:
        for arg in block.args:
            if isinstance(arg.type, TileType):
                self._roots[arg] = arg
        for op in block.ops:
            self._classify(op)
            if op.opcode not in SCALAR_REGIONS:
                for region in op.regions:
                    self._classify_block(region)

    def _classify(self, op: Op) -> None:
        self._order[op] = len(self._order)
        for value in op.results:
            if op.opcode in _IMMATERIAL:
                if op.opcode != "arange":
                    self._constants.add(value)
            elif op.opcode in VIEWS:
                under = op.operands[0]
                self._roots[value] = self._roots.get(under)
                if under in self._constants:
                    self._constants.add(value)
            elif isinstance(value.type, TileType):
                self._roots[value] = value
            elif isinstance(value.type, OpaqueType) and self._may_hold_tiles(value):
                self._found.opaque.append(op)

    def _may_hold_tiles(self, value: Value) -> bool:
        users = self._graph.users_of(value)
        if not users:
            return bool(value.op is not None and value.op.attrs.get("callee"))
        for user in users:
            scalar = {i for name in _SCALAR_GROUPS for i in range(*user.groups.get(name, (0, 0)))}
            if any(operand is value and i not in scalar for i, operand in enumerate(user.operands)):
                return True
        return False

    def _used(self, op: Op) -> frozenset[Value]:
        """Tiles that `op` itself uses, its regions aside."""
        roots = (self._roots.get(value) for value in op.operands)
        return frozenset(root for root in roots if root is not None)

    def _free_roots(self, op: Op) -> frozenset[Value]:
        """Tiles defined outside `op` and used in its regions."""
        known = self._free.get(op)
        if known is None:
            used: set[Value] = set()
            inside: set[Value] = set()
            for region in op.regions:
                inside.update(region.args)
                for inner in region.ops:
                    used |= self._used(inner)
                    inside.update(inner.results)
                    if inner.regions and inner.opcode not in SCALAR_REGIONS:
                        used |= self._free_roots(inner)
            known = self._free[op] = frozenset(used - inside)
        return known

    # ---- backward walk -----------------------------------------------------------------------------------

    def _block(self, block: Block, after: frozenset[Value], parent: Op | None) -> frozenset[Value]:
        """Live at the region's start (its arguments left out), if `after` is live once control leaves it."""
        live = after
        for op in reversed(block.ops):
            live = self._before(op, live, parent)
        self._record(live, parent, before=True)
        return live - frozenset(block.args)

    def _before(self, op: Op, after: frozenset[Value], parent: Op | None) -> frozenset[Value]:
        results = frozenset(value for value in op.results if self._roots.get(value) is value)
        self._record(after | results, op)
        across = after - results
        live = across | self._used(op)
        if op.opcode in _LOOPS:
            through = across | self._free_roots(op)
            for region in op.regions:
                self._block(region, through, op)
            live |= through
        elif op.opcode == "if":
            for region in op.regions:
                live |= self._block(region, across, op)
        elif op.opcode == "noinline_call":
            self._record_call(op, across)
        copies = tuple(self._copies(op, parent))
        if copies or (op.opcode in _STORAGE_GROUP and not op.results):
            # For a store this is the point after what comes before it: its line shows what it stores.
            self._record(live, op, copies, before=True)
        return live

    def _record_call(self, op: Op, across: frozenset[Value]) -> None:
        """The helper's own heaviest point, on top of what is live before and after the call."""
        outer, self._sink = self._sink, []
        self._block(op.regions[0], frozenset(), op)
        inside, self._sink = self._sink, outer
        heaviest = max(inside, key=lambda found: (found[0], -found[1].order), default=None)
        if heaviest is not None:
            self._record(across, op, tuple(heaviest[1].tiles()))

    def _copies(self, op: Op, parent: Op | None) -> Iterator[Storage]:
        """Constants and splats that `op` needs as storage."""
        needed: list[Value] = []
        names: list[str] = []
        group = _STORAGE_GROUP.get(op.opcode)
        if group is not None:
            needed = op.group(group)[-1:]
            names = [op.result.name if op.opcode == "dot" else ""] if op.results or needed else []
            if op.opcode == "dot" and not needed and isinstance(op.result.type, TileType):
                yield Storage(op.result.type, op.result.name, op, None)
        elif op.opcode in _LOOPS:
            needed, names = op.group("init"), [result.name for result in op.results]
        elif op.opcode == "yield" and parent is not None and parent.opcode in _LOOPS:
            needed, names = op.group("values"), [result.name for result in parent.results]
        for value, name in zip(needed, [*names, *[""] * len(needed)], strict=False):
            if value in self._constants and isinstance(value.type, TileType):
                yield Storage(value.type, value.name or name, op, value)

    # ---- points ------------------------------------------------------------------------------------------

    def _record(
        self, live: frozenset[Value], op: Op | None, extra: tuple[Weighed, ...] = (), *, before: bool = False
    ) -> None:
        weight = self._weight(live) + self._weight(extra)
        if weight or not self._sink:
            self._sink.append((weight, Point(op, self._order[op] if op is not None else -1, before, live, extra)))

    def _weight(self, tiles: Iterable[Weighed]) -> int:
        total = 0
        for tile in tiles:
            size = self._weights.get(tile)
            if size is None:
                size = self._weights[tile] = self._size(tile_type(tile))
            total += size
        return total
