"""Padding lanes: the zeros a descriptor load fills outside `shape`, followed to where they are reduced.

A load fills lanes outside the descriptor's `shape` with 0 (facts: value of padding lanes). For every tile and every axis that
can have such lanes, the analysis knows what they hold, through elementwise code, casts, `where`, views, dots, branches
and loops, until the axis is reduced. A reduction is right only if its padding lanes hold the identity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from spyre_lint.analysis import lane_values as lanes
from spyre_lint.analysis.index_tiles import Bound, IndexTiles, axis_mapping, index_tiles
from spyre_lint.analysis.lane_values import ZERO, Lane
from spyre_lint.analysis.provenance import Provenance, provenance
from spyre_lint.analysis.symbolic import SymbolicValues, symbolic_values
from spyre_lint.context import KernelInstance
from spyre_lint.ir.core import Block, KernelIR, Op, Value
from spyre_lint.ir.sym import Expr, as_expr, compare, divides
from spyre_lint.ir.types import TileType, shape_of

MAX_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Pad:
    """The padding lanes of one axis of a tile.

    `load` is the access that made them, `load_axis` the descriptor's axis, `offset` the load's offset there, `extent` the
    descriptor's extent, `block` the block dimension; `lane` is what they hold now.
    """

    load: Op
    load_axis: int
    offset: Expr
    extent: Expr
    block: Expr
    lane: Lane

    def holding(self, lane: Lane) -> Pad:
        """The same lanes holding something else."""
        return Pad(self.load, self.load_axis, self.offset, self.extent, self.block, lane)


@dataclass(frozen=True, slots=True)
class State:
    """What is known of a tile: padding by axis; `uniform` where every element is one known number."""

    pads: tuple[tuple[int, Pad], ...] = ()
    uniform: Lane | None = None

    def at(self, axis: int) -> Pad | None:
        """The padding of an axis."""
        return next((pad for position, pad in self.pads if position == axis), None)


NOTHING = State()


@dataclass(frozen=True, slots=True)
class Reduction:
    """A padded axis that is reduced: by a `reduce`, a `scan` that sees the tail, or a `dot` (the contraction).

    `verdict` is True where the lanes hold the identity, False where they provably do not, None where that is not known.
    """

    op: Op
    fn: str
    axis: int
    pad: Pad
    identity: float
    verdict: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TailMask:
    """A `where` that fills the padding lanes of one axis and nothing else; `redundant` if they held that already."""

    op: Op
    axis: int
    pad: Pad
    fill: Lane
    redundant: bool


@dataclass(frozen=True, slots=True)
class ScatterTail:
    """A scatter whose index tile may hold padding lanes."""

    op: Op
    pad: Pad


@dataclass(slots=True)
class PaddingLanes:
    """What the analysis found, in program order."""

    reductions: list[Reduction] = field(default_factory=list)
    masks: list[TailMask] = field(default_factory=list)
    scatters: list[ScatterTail] = field(default_factory=list)


def padding_lanes(instance: KernelInstance) -> PaddingLanes:
    """The padding lanes of an instance."""
    walker = _Walker(
        instance.ir,
        instance.analysis(symbolic_values),
        instance.analysis(index_tiles),
        instance.analysis(provenance),
    )
    return walker.run()


class _Walker:
    def __init__(self, ir: KernelIR, symbolic: SymbolicValues, indices: IndexTiles, origins: Provenance) -> None:
        self._ir = ir
        self._symbolic = symbolic
        self._indices = indices
        self._provenance = origins
        self._states: dict[Value, State] = {}
        self._reductions: dict[tuple[Op, int], Reduction] = {}
        self._masks: dict[tuple[Op, int], TailMask] = {}
        self._scatters: dict[Op, ScatterTail] = {}

    def run(self) -> PaddingLanes:
        self._block(self._ir.body)
        order = {op: position for position, op in enumerate(self._ir.walk())}
        return PaddingLanes(
            sorted(self._reductions.values(), key=lambda r: (order[r.op], r.axis)),
            sorted(self._masks.values(), key=lambda m: (order[m.op], m.axis)),
            sorted(self._scatters.values(), key=lambda s: order[s.op]),
        )

    def state(self, value: Value) -> State:
        """What is known of a value."""
        found = self._states.get(value)
        if found is None:
            found = self._constant(value)
        return found

    def _constant(self, value: Value) -> State:
        op = value.op
        if op is not None and op.opcode == "const":
            held = op.attrs["value"]
            if isinstance(held, (int, float)):
                return State(uniform=Lane(float(held)))
        return NOTHING

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._operation(op)

    def _operation(self, op: Op) -> None:
        handler: Callable[[Op], None] | None = getattr(self, f"_op_{op.opcode}", None)
        if handler is not None:
            handler(op)
        elif op.results and op.opcode in ("cast", "hint", "random", "inter_tile", "inline_asm", "map_elementwise"):
            self._states[op.results[0]] = self._passed(op)

    def _passed(self, op: Op) -> State:
        """Casts and hints keep what lanes hold; other functions keep only that there are such lanes."""
        source = self.state(op.operands[0]) if op.operands else NOTHING
        if op.opcode in ("cast", "hint") and not op.attrs.get("bitcast"):
            return source
        hidden = lanes.unknown(f"the result of `{op.fn or op.opcode}`")
        return State(tuple((axis, pad.holding(hidden)) for axis, pad in source.pads))

    # ---- where padding comes from ------------------------------------------------------------------------

    def _op_desc_load(self, op: Op) -> None:
        self._states[op.result] = State(self._load_pads(op, op.group("offsets"), 0))

    def _op_desc_gather(self, op: Op) -> None:
        index = op.group("index")[0]
        rank = len(shape_of(index.type) or ())
        # A padded index is some row of the source: its lanes hold that row, which is not known.
        hidden = lanes.unknown("a gathered row that the padded index 0 picks")
        rows = tuple((axis, pad.holding(hidden)) for axis, pad in self.state(index).pads)
        self._states[op.result] = State((*rows, *self._load_pads(op, op.group("offsets"), 1, rank)))

    def _load_pads(self, op: Op, offsets: list[Value], first: int, shift: int = 0) -> tuple[tuple[int, Pad], ...]:
        made = self._provenance.descriptor(op.group("desc")[0])
        if made is None or not isinstance(op.result.type, TileType):
            return ()
        block_shape: tuple[Expr, ...] = made.attrs["block_shape"]
        extents = made.group("shape")
        found: list[tuple[int, Pad]] = []
        for position, offset in enumerate(offsets):
            axis = first + position
            if axis >= len(block_shape) or axis >= len(extents) or block_shape[axis] == as_expr(1):
                continue
            extent = self._symbolic.of(extents[axis])
            if divides(block_shape[axis], extent) is True:
                continue
            pad = Pad(op, axis, self._symbolic.of(offset), extent, block_shape[axis], ZERO)
            found.append((position + shift if first else axis, pad))
        return tuple(found)

    # ---- elementwise -------------------------------------------------------------------------------------

    def _axes(self, values: list[Value]) -> list[int]:
        return sorted({axis for value in values for axis, _ in self.state(value).pads})

    def _lane(self, value: Value, axis: int) -> Lane:
        state = self.state(value)
        if state.uniform is not None:
            return state.uniform
        pad = state.at(axis)
        if pad is not None:
            return pad.lane
        return self._unpadded(value)

    def _unpadded(self, value: Value) -> Lane:
        """What a tile without padding on an axis brings into the padding lanes: data, or a mask made of indices."""
        what = f"`{value.name}`" if value.name else "a value computed from the data"
        origins = self._provenance.origins(value)
        if origins.opaque or self._uses_indices(value):
            return lanes.unknown(what)
        return lanes.varying(what) if origins.loads or origins.params else lanes.unknown(what)

    def _uses_indices(self, value: Value) -> bool:
        """Whether an `arange` goes into a value: it may be a mask, whose lanes are not the data's."""
        seen: set[Value] = set()
        todo = [value]
        while todo:
            current = todo.pop()
            op = current.op
            if current in seen or op is None or op.opcode in ("desc_load", "desc_gather", "reduce", "dot"):
                continue
            seen.add(current)
            if op.opcode in ("arange", "if", "for", "while"):
                return True
            todo.extend(op.operands)
        return False

    def _pad(self, values: list[Value], axis: int) -> Pad:
        return next(pad for value in values if (pad := self.state(value).at(axis)) is not None)

    def _op_elementwise(self, op: Op) -> None:
        values = op.operands
        states = [self.state(v) for v in values]
        if values and all(s.uniform is not None for s in states):
            lane = lanes.apply(op.fn, [s.uniform for s in states if s.uniform is not None])
            self._states[op.result] = State(uniform=lane) if lane.is_known else NOTHING
            return
        pads = []
        for axis in self._axes(values):
            lane = self._mask_lane(op, axis, self._pad(values, axis))
            if lane is None:
                lane = lanes.apply(op.fn, [self._lane(v, axis) for v in values])
            pads.append((axis, self._pad(values, axis).holding(lane)))
        self._states[op.result] = State(tuple(pads))

    def _mask_lane(self, op: Op, axis: int, pad: Pad) -> Lane | None:
        """A product with a mask (`x * (cols < n)`) holds 0 in the padding lanes."""
        if op.fn not in ("mul", "and") or len(op.operands) != 2:
            return None
        masks = [self._mask_truth(self._unwrapped(v), axis, pad) for v in op.operands]
        return ZERO if False in masks else None

    def _unwrapped(self, value: Value) -> Value:
        while value.op is not None and value.op.opcode in ("cast", "hint"):
            value = value.op.operands[0]
        return value

    def _mask_truth(self, mask: Value, axis: int, pad: Pad) -> bool | None:
        """What a mask is on the padding lanes of an axis: all False, all True, or not known."""
        bound = self._indices.bound(mask)
        if bound is not None:
            return self._bound_truth(bound, axis, pad)
        op = mask.op
        if op is None:
            return None
        if op.opcode in ("broadcast", "cast", "expand_dims"):
            inner_axis = axis
            if op.opcode == "expand_dims":
                if axis == op.attrs["axis"]:
                    return None
                inner_axis = axis - 1 if axis > op.attrs["axis"] else axis
            return self._mask_truth(op.operands[0], inner_axis, pad)
        if op.opcode == "elementwise" and op.fn in ("and", "or") and len(op.operands) == 2:
            sides = [self._mask_truth(v, axis, pad) for v in op.operands]
            decisive = op.fn == "or"
            if decisive in sides:
                return decisive
            return (not decisive) if all(s is (not decisive) for s in sides) else None
        if op.opcode == "elementwise" and op.fn in ("not", "invert"):
            inner = self._mask_truth(op.operands[0], axis, pad)
            return None if inner is None else not inner
        return None

    def _bound_truth(self, bound: Bound, axis: int, pad: Pad) -> bool | None:
        """Padding lanes have `offset + i >= extent`: a bound at or below the extent is False there."""
        if bound.axis != axis:
            return None
        shifted = bound.limit - bound.base + pad.offset  # the bound as one on `offset + i`
        if compare(shifted, "le", pad.extent) is not True:
            return None
        return not bound.inside

    def _op_where(self, op: Op) -> None:
        cond, x, y = op.group("cond")[0], op.group("x")[0], op.group("y")[0]
        pads = []
        for axis in self._axes([x, y, cond]):
            pad = self._pad([x, y, cond], axis)
            truth = self._mask_truth(cond, axis, pad)
            chosen = self._lane(x, axis), self._lane(y, axis)
            if truth is None:
                lane = lanes.join(*chosen)
            else:
                lane = chosen[0] if truth else chosen[1]
                self._note_mask(op, axis, pad, cond, (x, y) if not truth else (y, x))
            pads.append((axis, pad.holding(lane)))
        self._states[op.result] = State(tuple(pads))

    def _note_mask(self, op: Op, axis: int, pad: Pad, cond: Value, sides: tuple[Value, Value]) -> None:
        """Record a mask that states the descriptor's bound on one axis and nothing else."""
        kept, fill = sides
        bound = self._indices.bound(cond)
        before, after = self.state(kept).at(axis), self.state(fill).uniform
        if bound is None or before is None or after is None or before.load is not pad.load:
            return
        exact = compare(bound.limit - bound.base + pad.offset, "eq", pad.extent) is True
        redundant = exact and before.lane == after and after == ZERO
        self._masks[op, axis] = TailMask(op, axis, pad, after, redundant)

    # ---- views -------------------------------------------------------------------------------------------

    def _op_splat(self, op: Op) -> None:
        self._states[op.result] = self.state(op.operands[0])

    def _op_broadcast(self, op: Op) -> None:
        self._states[op.result] = self.state(op.operands[0])

    def _remapped(self, op: Op, mapping: Callable[[int], int | None]) -> State:
        source = self.state(op.operands[0])
        moved = ((mapping(axis), pad) for axis, pad in source.pads)
        return State(tuple((axis, pad) for axis, pad in moved if axis is not None), source.uniform)

    def _op_expand_dims(self, op: Op) -> None:
        inserted = op.attrs["axis"]
        self._states[op.result] = self._remapped(op, lambda axis: axis + 1 if axis >= inserted else axis)

    def _op_trans(self, op: Op) -> None:
        perm = op.attrs["perm"]
        self._states[op.result] = self._remapped(op, perm.index)

    def _op_reshape(self, op: Op) -> None:
        mapping = axis_mapping(op)
        if mapping is not None:
            self._states[op.result] = self._remapped(op, mapping.get)
            return
        source = self.state(op.operands[0])
        target = shape_of(op.result.type) or ()
        # Padding lanes end up somewhere in the new shape: every axis that is not 1 may have them.
        merged: list[tuple[int, Pad]] = []
        if source.pads:
            pad = source.pads[0][1]
            for _, other in source.pads[1:]:
                pad = pad.holding(lanes.join(pad.lane, other.lane))
            merged = [(axis, pad) for axis, extent in enumerate(target) if extent != as_expr(1)]
        self._states[op.result] = State(tuple(merged), source.uniform)

    def _op_join(self, op: Op) -> None:
        self._states[op.result] = self._joined(self.state(op.operands[0]), self.state(op.operands[1]))

    def _op_cat(self, op: Op) -> None:
        self._states[op.result] = self._joined(self.state(op.operands[0]), self.state(op.operands[1]))

    def _op_split(self, op: Op) -> None:
        for result in op.results:
            self._states[result] = self.state(op.operands[0])

    # ---- reductions --------------------------------------------------------------------------------------

    def _op_reduce(self, op: Op) -> None:
        axis = op.attrs["axis"]
        source = self.state(op.operands[0])
        pad = source.at(axis)
        if pad is not None:
            self._judge(op, op.fn, axis, pad, op.operands[0])
        for result in op.results:
            kept = tuple(
                (position - 1 if position > axis else position, other.holding(lanes.reduced(op.fn, other.lane)))
                for position, other in source.pads
                if position != axis
            )
            self._states[result] = State(kept)

    def _judge(self, op: Op, fn: str, axis: int, pad: Pad, value: Value) -> None:
        identity = lanes.IDENTITY.get(fn)
        if identity is None:
            return
        verdict: bool | None
        reason = ""
        if pad.lane.number is None:
            # A varying lane is no identity for some data; a maximum may still not see it.
            broken = pad.lane.varies and not fn.startswith(("max", "min"))
            verdict, reason = (False if broken else None), pad.lane.reason
        elif pad.lane.number == identity:
            verdict = True
        elif fn.startswith(("max", "min")) and self._harmless(fn, pad.lane.number, value):
            verdict = True
        else:
            verdict = False
        self._reductions[op, axis] = Reduction(op, fn, axis, pad, identity, verdict, reason)

    def _harmless(self, fn: str, number: float, value: Value) -> bool:
        """Whether every real element is at least (for max) what the padding holds: 0 among absolute values."""
        return fn in ("max", "max_with_indices") and number <= 0 and self._nonnegative(value, set())

    def _nonnegative(self, value: Value, seen: set[Value]) -> bool:
        if value in seen:
            return True
        seen.add(value)
        if isinstance(value.type, TileType) and value.type.dtype.kind in ("uint", "bool"):
            return True
        op = value.op
        if op is None:
            return False
        if op.opcode == "const":
            held = op.attrs["value"]
            return isinstance(held, (int, float)) and held >= 0
        if op.opcode == "where":
            return all(self._nonnegative(v, seen) for v in (op.group("x")[0], op.group("y")[0]))
        if op.opcode in ("cast", "hint", "broadcast", "expand_dims", "reshape", "trans", "splat"):
            return self._nonnegative(op.operands[0], seen)
        if op.opcode == "reduce":
            return op.fn in ("sum", "max", "min", "product") and self._nonnegative(op.operands[0], seen)
        if op.opcode != "elementwise":
            return False
        if op.fn in ("abs", "exp", "exp2", "sqrt", "sqrt_rn", "sigmoid", "rsqrt"):
            return True
        if op.fn == "mul" and len(op.operands) == 2 and op.operands[0] is op.operands[1]:
            return True
        if op.fn == "max":
            return any(self._nonnegative(v, seen) for v in op.operands)
        return op.fn in ("add", "mul", "min", "fdiv", "div", "fma") and all(
            self._nonnegative(v, seen) for v in op.operands
        )

    def _op_scan(self, op: Op) -> None:
        axis = op.attrs["axis"]
        source = self.state(op.operands[0])
        pad = source.at(axis) if axis is not None else None
        if pad is not None and op.attrs.get("reverse"):
            self._judge(op, op.fn, axis, pad, op.operands[0])
        hidden = lanes.unknown("a running total carried into the padding lanes")
        for result in op.results:
            pads = (
                (position, other.holding(hidden if position == axis else lanes.reduced(op.fn, other.lane)))
                for position, other in source.pads
            )
            self._states[result] = State(tuple(pads))

    def _op_sort(self, op: Op) -> None:
        hidden = lanes.unknown("sorted padding lanes")
        pads = ((axis, pad.holding(hidden)) for axis, pad in self.state(op.operands[0]).pads)
        self._states[op.result] = State(tuple(pads))

    def _op_dot(self, op: Op) -> None:
        a, b = op.group("a")[0], op.group("b")[0]
        rank = len(shape_of(a.type) or ())
        if rank < 2:
            return
        left, right = self.state(a), self.state(b)
        self._contraction(op, a, b, rank)
        pads: list[tuple[int, Pad]] = []
        for axis, pad in left.pads:
            if axis < rank - 1:
                pads.append((axis, pad))
        for axis, pad in right.pads:
            if axis != rank - 2 and all(axis != known for known, _ in pads):
                pads.append((axis, pad))
        product = State(tuple((axis, pad.holding(_dot_lane(pad.lane))) for axis, pad in pads))
        acc = op.operand("acc")
        self._states[op.result] = product if acc is None else self._added(product, self.state(acc))

    def _contraction(self, op: Op, a: Value, b: Value, rank: int) -> None:
        left, right = self.state(a).at(rank - 1), self.state(b).at(rank - 2)
        pads = [pad for pad in (left, right) if pad is not None]
        if not pads:
            return
        if any(pad.lane == ZERO for pad in pads):
            pad, verdict, reason = next(p for p in pads if p.lane == ZERO), True, ""
        else:
            pad = pads[0]
            vague = pad.lane.number is None and not pad.lane.varies
            verdict, reason = (None if vague else False), pad.lane.reason
        self._reductions[op, rank - 1] = Reduction(op, "dot", rank - 1, pad, 0.0, verdict, reason)

    def _added(self, left: State, right: State) -> State:
        if right.uniform is not None:
            return State(tuple((a, p.holding(lanes.apply("add", [p.lane, right.uniform]))) for a, p in left.pads))
        pads = []
        for axis, pad in left.pads:
            other = right.at(axis)
            lane = lanes.apply("add", [pad.lane, other.lane]) if other else lanes.unknown("the accumulator")
            pads.append((axis, pad.holding(lane)))
        return State(tuple(pads))

    def _op_desc_scatter(self, op: Op) -> None:
        for _, pad in self.state(op.group("index")[0]).pads:
            self._scatters[op] = ScatterTail(op, pad)

    # ---- regions -----------------------------------------------------------------------------------------

    def _joined(self, left: State, right: State) -> State:
        """What holds of a value that is one of two."""
        if left == right:
            return left
        if left.uniform is not None and right.uniform is not None and not left.pads and not right.pads:
            same = lanes.join(left.uniform, right.uniform)
            return State(uniform=same) if same.is_known else NOTHING
        pads = []
        for axis in sorted({a for a, _ in (*left.pads, *right.pads)}):
            sides = [s.at(axis) for s in (left, right)]
            known = next(p for p in sides if p is not None)
            values = [
                p.lane if p is not None else s.uniform or lanes.unknown("a value without padding lanes")
                for p, s in zip(sides, (left, right), strict=True)
            ]
            pads.append((axis, known.holding(lanes.join(*values))))
        return State(tuple(pads))

    def _op_for(self, op: Op) -> None:
        self._loop(op, op.regions[0].args[1:])

    def _op_while(self, op: Op) -> None:
        self._loop(op, op.regions[1].args)

    def _loop(self, op: Op, carried: list[Value]) -> None:
        current = [self.state(v) for v in op.group("init")]
        for _ in range(MAX_ROUNDS):
            for argument, state in zip(carried, current, strict=True):
                self._states[argument] = state
            for region in op.regions:
                if op.opcode == "while" and region is op.regions[0]:
                    for argument, state in zip(region.args, current, strict=True):
                        self._states[argument] = state
                self._block(region)
            end = op.regions[-1].terminator
            yielded = [self.state(v) for v in end.operands] if end is not None else []
            merged = [self._joined(a, b) for a, b in zip(current, yielded, strict=False)]
            if merged == current:
                break
            current = merged
        for result, state in zip(op.results, current, strict=True):
            self._states[result] = state

    def _op_if(self, op: Op) -> None:
        ends = []
        for region in op.regions:
            self._block(region)
            ends.append(region.terminator)
        for index, result in enumerate(op.results):
            sides = [
                self.state(e.operands[index])
                for e in ends
                if e is not None and index < len(e.operands) and not _undefined(e.operands[index])
            ]
            if sides:
                merged = sides[0]
                for side in sides[1:]:
                    merged = self._joined(merged, side)
                self._states[result] = merged

    def _op_noinline_call(self, op: Op) -> None:
        region = op.regions[0]
        for argument, operand in zip(region.args, op.operands, strict=True):
            self._states[argument] = self.state(operand)
        self._block(region)
        end = region.terminator
        for result, value in zip(op.results, end.operands if end is not None else [], strict=False):
            self._states[result] = self.state(value)


def _undefined(value: Value) -> bool:
    return value.op is not None and value.op.opcode == "undef"


def _dot_lane(lane: Lane) -> Lane:
    return lane if lane == ZERO else lanes.unknown("a dot of padding lanes")
