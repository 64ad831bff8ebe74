"""Peak of live tile bytes of a TTIR function: the figure the static analysis must reach.

A tile is a tensor value of rank 1 or more; it weighs product(shape) x element bytes (i1 takes one byte, a pointer
eight). The rules, as they are read here:

- Program points lie between operations, before the first one of a block included. At a point a tile is live if it was
  defined before and an operation that control may still reach uses it; or if the point is the one right after its
  definition (so a result nobody uses weighs once). An operation's result and an operand that dies there never count
  together.
- Liveness follows control flow exactly: what only one side of a branch uses is not live on the other. This holds for
  `scf.if` and for the blocks of an early return alike.
- Views (`VIEWS`) weigh nothing; a use of a view is a use of the value under it. `tt.make_range` weighs nothing.
- Constants and splats are not storage until something needs them as such: they weigh at the point right before the
  operation that takes them as accumulator of a dot, as a value to store, as the initial value of a loop or as the
  value a loop's body yields; one copy for each such operand. A view of a constant is a constant.
- Loops: initial value, carried argument, yielded value and result hand over to each other: the argument weighs (by
  its own type) from the start of the body to its last use there, the value that is yielded from its definition to
  the end of the body, the result from right after the loop. Two of them count together only where both have uses
  ahead. A value defined outside a loop and used inside is live at every point inside.
- A call (a noinline helper, or one that Triton could not inline) puts the helper's own peak on top of the values that
  are live both before and after the call.
- Combiners of reductions and scans work on scalars and weigh nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spyre_lint.verify.ttir import Block, Module, Operation, Region, TtirError, Value

VIEWS = frozenset({"tt.expand_dims", "tt.broadcast", "tt.reshape", "tt.trans", "tt.splat"})

# Values that are made where they are needed; the first two weigh where they are needed as storage.
_IMMATERIAL = frozenset({"arith.constant", "tt.splat", "tt.make_range", "ub.poison"})

# Operations that need one of their operands as storage, and which: the accumulator of a dot, the value that is stored.
_STORAGE_OPERAND = {
    "tt.dot": 2,
    "tt.descriptor_store": -1,
    "tt.descriptor_scatter": -1,
    "tt.descriptor_reduce": -1,
    "tt.store": 1,
    "tt.atomic_rmw": 1,
    "tt.atomic_cas": 2,
}
_SCALAR_REGIONS = frozenset({"tt.reduce", "tt.scan", "tt.map_elementwise"})
_LOOPS = frozenset({"scf.for", "scf.while"})

# Operands of `scf.for` before the initial values: lower bound, upper bound, step.
_FOR_BOUNDS = 3


@dataclass(frozen=True, slots=True)
class LiveTile:
    """A tile that counts at the peak. `label` is the author's name for it, or empty; `line` where it is made."""

    label: str
    type: str
    bytes: int
    line: int


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest sum of live tiles: `bytes`, reached at `operation` (its index, name and line in the kernel file).

    The point is right after the operation, or right before it where constants become storage or a body begins.
    """

    bytes: int
    operation: str = ""
    index: int = -1
    line: int = 0
    live: tuple[LiveTile, ...] = ()


def peak_of(module: Module, function: str | None = None) -> Peak:
    """The peak of the module's kernel, or of the function named.

    Raises `TtirError` for operations with regions that are not known, and for recursive calls.
    """
    op = module.kernel if function is None else module.functions[function]
    return _Liveness(module).function(op, ())


class _Liveness:
    """One module's liveness; what each function adds at a call is kept."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._peaks: dict[str, Peak] = {}

    def function(self, op: Operation, callers: tuple[str, ...]) -> Peak:
        """Peak of one `tt.func`; `callers` are the functions on the way to it."""
        if op.symbol in callers:
            raise TtirError(f"{op.symbol} calls itself")
        known = self._peaks.get(op.symbol)
        if known is None:
            walk = _FunctionWalk(self, op, (*callers, op.symbol))
            known = self._peaks[op.symbol] = walk.peak()
        return known

    def called(self, op: Operation, callers: tuple[str, ...]) -> Peak:
        """Peak of the function that `op` calls."""
        callee = self._module.functions.get(op.symbol)
        if callee is None:
            raise TtirError(f"{op.symbol} is called and not defined")
        return self.function(callee, callers)


class _FunctionWalk:
    """Walks one function backwards and keeps the heaviest point."""

    def __init__(self, owner: _Liveness, op: Operation, callers: tuple[str, ...]) -> None:
        self._owner = owner
        self._op = op
        self._callers = callers
        self._root: dict[Value, Value | None] = {}  # None: nothing is kept alive
        self._constants: set[Value] = set()  # constants, splats and views of them
        self._made: dict[Value, Operation] = {}
        self._free: dict[Operation, frozenset[Value]] = {}
        self._best: tuple[int, int, int] = (0, 0, 0)  # bytes, -index, and 1 before / 0 after the operation
        self._peak = Peak(0, op.name, op.index, op.line)
        self._recording = True
        for inner in op.walk():
            self._classify(inner)

    def peak(self) -> Peak:
        """Walk the function; its heaviest point."""
        for region in self._op.regions:
            self._region(region, frozenset(), self._op)
        return self._peak

    # What the values are

    def _classify(self, op: Operation) -> None:
        for value in op.results:
            self._made[value] = op
            if op.name in _IMMATERIAL:
                self._root[value] = None
                if op.name != "tt.make_range":
                    self._constants.add(value)
            elif op.name in VIEWS:
                under = op.operands[0]
                self._root[value] = self._root.get(under)
                if under in self._constants:
                    self._constants.add(value)
            elif value.type.is_tile:
                self._root[value] = value
        for region in op.regions:
            for block in region.blocks:
                self._root.update((arg, arg) for arg in block.args if arg.type.is_tile)

    def _roots(self, values: Iterable[Value]) -> frozenset[Value]:
        roots = (self._root.get(value) for value in values)
        return frozenset(root for root in roots if root is not None)

    def _used(self, op: Operation) -> frozenset[Value]:
        """Roots that `op` itself uses, its regions aside."""
        return self._roots([*op.operands, *(value for s in op.successors for value in s.operands)])

    def _free_roots(self, op: Operation) -> frozenset[Value]:
        """Roots defined outside `op` and used in its regions."""
        known = self._free.get(op)
        if known is None:
            used: set[Value] = set()
            inside: set[Value] = set()
            for inner in op.walk():
                for region in inner.regions:
                    inside.update(arg for block in region.blocks for arg in block.args)
                if inner is not op:
                    used |= self._used(inner)
                    inside.update(inner.results)
            known = self._free[op] = frozenset(used - inside)
        return known

    # Backward walk

    def _region(self, region: Region, after: frozenset[Value], parent: Operation) -> frozenset[Value]:
        """Live at the region's entry (its arguments left out), if `after` is live once control leaves the region."""
        if len(region.blocks) == 1:
            return self._block(region.blocks[0], after, parent)
        entries: dict[str, frozenset[Value]] = {block.label: frozenset() for block in region.blocks}
        recording, self._recording = self._recording, False
        changed = True
        while changed:
            changed = False
            for block in reversed(region.blocks):
                entry = self._block(block, self._leaving(block, entries, after), parent)
                changed = changed or entry != entries[block.label]
                entries[block.label] = entry
        self._recording = recording
        for block in region.blocks:
            self._block(block, self._leaving(block, entries, after), parent)
        return entries[region.blocks[0].label]

    @staticmethod
    def _leaving(block: Block, entries: dict[str, frozenset[Value]], after: frozenset[Value]) -> frozenset[Value]:
        successors = block.ops[-1].successors if block.ops else []
        if not successors:
            return after
        return frozenset().union(*(entries[successor.label] for successor in successors))

    def _block(self, block: Block, after: frozenset[Value], parent: Operation) -> frozenset[Value]:
        """Live at the block's start (its arguments left out)."""
        live = after
        for op in reversed(block.ops):
            live = self._before(op, live, parent)
        self._record(live, parent, before=True)
        return live - frozenset(block.args)

    def _before(self, op: Operation, after: frozenset[Value], parent: Operation) -> frozenset[Value]:
        results = frozenset(value for value in op.results if self._root.get(value) is value)
        self._record(after | results, op)
        across = after - results
        live = across | self._used(op)
        if op.name in _LOOPS:
            live |= self._loop(op, across)
        elif op.name == "scf.if":
            live |= frozenset().union(*(self._region(region, across, op) for region in op.regions))
        elif op.regions and op.name not in _SCALAR_REGIONS:
            raise TtirError(f"{op.name} has regions whose meaning is not known")
        elif op.name == "tt.call":
            callee = self._owner.called(op, self._callers)
            # An argument that dies at the call is the helper's alone.
            self._record(across, op, extra=callee.live, total=callee.bytes)
        copies = tuple(self._tile(value) for value in self._materialised(op, parent))
        if copies:
            self._record(live, op, extra=copies, before=True)
        return live

    def _loop(self, op: Operation, across: frozenset[Value]) -> frozenset[Value]:
        through = across | self._free_roots(op)
        for region in op.regions:
            self._region(region, through, op)
        return through

    def _materialised(self, op: Operation, parent: Operation) -> list[Value]:
        """Operands of `op` that must be storage although constants and splats are none of their own."""
        heavy: list[Value] = []
        if op.name in _STORAGE_OPERAND:
            heavy = [op.operands[_STORAGE_OPERAND[op.name]]]
        elif op.name == "scf.for":
            heavy = op.operands[_FOR_BOUNDS:]
        elif op.name == "scf.while" or (op.name == "scf.yield" and parent.name in _LOOPS):
            heavy = op.operands
        return [value for value in heavy if value in self._constants and value.type.is_tile]

    # Points

    def _record(
        self,
        live: frozenset[Value],
        op: Operation,
        *,
        extra: tuple[LiveTile, ...] = (),
        total: int | None = None,
        before: bool = False,
    ) -> None:
        """Weigh one point; `extra` counts besides the live values, with `total` bytes if given."""
        if not self._recording:
            return
        weight = sum(value.type.tile_bytes for value in live)
        weight += sum(tile.bytes for tile in extra) if total is None else total
        rank = (weight, -op.index, int(before))
        if weight and rank > self._best:
            self._best = rank
            tiles = sorted((self._tile(v) for v in live), key=lambda t: (-t.bytes, t.line, t.label, t.type))
            self._peak = Peak(weight, op.name, op.index, op.line, (*tiles, *extra))

    def _tile(self, value: Value) -> LiveTile:
        made = self._made.get(value)
        return LiveTile(value.label, str(value.type), value.type.tile_bytes, made.line if made is not None else 0)
