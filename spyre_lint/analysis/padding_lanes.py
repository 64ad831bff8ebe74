"""Padding lanes: the zeros a descriptor load fills outside `shape`, followed to where they are reduced.

A load fills lanes outside the descriptor's `shape` with 0. For every tile and every axis that can have such lanes, the
analysis knows what they hold, through elementwise code, casts, `where`, views, dots, branches and loops, until the axis
is reduced. A reduction is right only if its padding lanes hold the identity. What they hold at an axis is said of the
elements that are real on all other axes: what is computed in padding rows never reaches memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spyre_lint.analysis import lane_values as lanes
from spyre_lint.analysis.index_tiles import IndexTiles, axis_groups, axis_mapping, index_tiles
from spyre_lint.analysis.lane_values import ZERO, Lane
from spyre_lint.analysis.padding_masks import PaddingMasks, implied_by_branches, restates
from spyre_lint.analysis.padding_reductions import is_outdone, judge_contraction, judge_reduction, product_lane
from spyre_lint.analysis.padding_state import (
    NOTHING,
    Pad,
    PaddingLanes,
    Reduction,
    RedundantMask,
    ScatterTail,
    State,
    seams,
    taken_apart,
)
from spyre_lint.analysis.provenance import Provenance, provenance
from spyre_lint.analysis.signs import Signs
from spyre_lint.analysis.symbolic import SymbolicValues, symbolic_values, with_arguments
from spyre_lint.bindings import Binding
from spyre_lint.context import KernelInstance
from spyre_lint.ir.core import Block, KernelIR, Op, Value
from spyre_lint.ir.sym import Expr, as_expr, compare, divides
from spyre_lint.ir.types import TileType, shape_of

MAX_ROUNDS = 4
_HIDES = frozenset({"random", "inter_tile", "inline_asm", "map_elementwise", "tile_gather", "sort"})
_STATISTICS = frozenset({"desc_load", "desc_gather", "ptr_load", "block_load", "reduce", "dot"})


def padding_lanes(instance: KernelInstance) -> PaddingLanes:
    """The padding lanes of an instance."""
    walker = _Walker(
        instance.ir,
        instance.analysis(symbolic_values),
        instance.analysis(index_tiles),
        instance.analysis(provenance),
        instance.binding,
    )
    return walker.run()


class _Walker:
    def __init__(
        self,
        ir: KernelIR,
        symbolic: SymbolicValues,
        indices: IndexTiles,
        origins: Provenance,
        binding: Binding | None,
    ) -> None:
        self._ir = ir
        self._symbolic = symbolic
        self._indices = indices
        self._provenance = origins
        self._binding = binding
        self._signs = Signs(origins)
        self._mask = PaddingMasks(indices, self.state)
        self._states: dict[Value, State] = {}
        self._index_free: dict[Value, bool] = {}
        self._reductions: dict[tuple[Op, int], Reduction] = {}
        self._masks: dict[Op, RedundantMask] = {}
        self._scatters: dict[Op, ScatterTail] = {}

    def run(self) -> PaddingLanes:
        self._block(self._ir.body)
        order = {op: position for position, op in enumerate(self._ir.walk())}
        return PaddingLanes(
            sorted(self._reductions.values(), key=lambda r: (order[r.op], r.axis)),
            sorted(self._masks.values(), key=lambda m: order[m.op]),
            sorted(self._scatters.values(), key=lambda s: order[s.op]),
        )

    def state(self, value: Value) -> State:
        """What is known of a value."""
        found = self._states.get(value)
        if found is not None:
            return found
        if value.op is not None and value.op.opcode == "const":
            held = value.op.attrs["value"]
            if isinstance(held, (int, float)):
                return State(uniform=Lane(float(held)))
        return NOTHING

    def _block(self, block: Block) -> None:
        for op in block.ops:
            handler: Callable[[Op], None] | None = getattr(self, f"_op_{op.opcode}", None)
            if handler is not None:
                handler(op)
            elif op.results and op.opcode in _HIDES and op.operands:
                hidden = lanes.unknown(f"the result of `{op.fn or op.opcode}`")
                for result in op.results:
                    self._states[result] = self.state(op.operands[0]).hiding(hidden)

    # ---- where padding comes from ------------------------------------------------------------------------

    def _op_desc_load(self, op: Op) -> None:
        self._states[op.result] = State(self._load_pads(op, op.group("offsets"), 0, 0))

    def _op_desc_gather(self, op: Op) -> None:
        index = op.group("index")[0]
        rank = len(shape_of(index.type) or ())
        rows = tuple((axis, pad.holding(self._picked(op, pad.lane))) for axis, pad in self.state(index).pads)
        self._states[op.result] = State((*rows, *self._load_pads(op, op.group("offsets"), 1, rank - 1)))

    def _picked(self, op: Op, index: Lane) -> Lane:
        """What a gather reads for a padded index: row 0 for 0, and zeros for a row past the end."""
        if self._outside(op, index):
            return ZERO
        return lanes.varying("row 0, which a padded index picks") if index == ZERO else lanes.unknown("a gathered row")

    def _outside(self, op: Op, index: Lane) -> bool | None:
        """Whether a row index is outside of the descriptor's first dimension."""
        made = self._provenance.descriptor(op.group("desc")[0])
        extents = made.group("shape") if made is not None else []
        if index.number is not None:
            if index.number <= 0:
                return index.number < 0
            row = as_expr(int(index.number))
        elif index.scalar is not None:
            row = index.scalar
        else:
            return None
        return compare(row, "ge", self._symbolic.of(extents[0])) if extents else None

    def _load_pads(self, op: Op, offsets: Sequence[Value], first: int, shift: int) -> tuple[tuple[int, Pad], ...]:
        made = self._provenance.descriptor(op.group("desc")[0])
        if made is None or not isinstance(op.result.type, TileType):
            return ()
        block_shape: tuple[Expr, ...] = made.attrs["block_shape"]
        extents = made.group("shape")
        found: list[tuple[int, Pad]] = []
        for axis in range(first, min(len(block_shape), len(extents))):
            if block_shape[axis] == as_expr(1):
                continue
            given = axis - first < len(offsets)
            offset = self._symbolic.of(offsets[axis - first]) if given else as_expr(0)
            extent = self._symbolic.of(extents[axis])
            if not self._is_full(op, offset, extent, block_shape[axis]):
                found.append((axis + shift, Pad(op, axis, offset, extent, block_shape[axis], ZERO)))
        return tuple(found)

    def _is_full(self, op: Op, offset: Expr, extent: Expr, block: Expr) -> bool:
        """Whether a load provably stays inside of an extent."""
        exact = with_arguments(extent, self._binding)
        if divides(block, exact) is True:
            return True
        end = with_arguments(self._symbolic.last(offset), self._binding) + block
        if compare(end, "le", exact) is True:
            return True
        return implied_by_branches(op, extent - offset - block, self._symbolic.of)

    # ---- elementwise -------------------------------------------------------------------------------------

    def _axes(self, values: Sequence[Value]) -> list[int]:
        return sorted({axis for value in values for axis, _ in self.state(value).pads})

    def _pad(self, values: Sequence[Value], axis: int) -> Pad:
        return next(pad for value in values if (pad := self.state(value).at(axis)) is not None)

    def _lane(self, value: Value, axis: int, place: Pad) -> Lane:
        """What a value holds on the padding lanes `place` of an axis."""
        state = self.state(value)
        if state.uniform is not None:
            return state.uniform
        pad = state.at(axis)
        if pad is None:
            return self._unpadded(value)
        return pad.lane if pad.covers(place) else lanes.unknown(f"{_named(value)} or its padding")

    def _unpadded(self, value: Value) -> Lane:
        """What a tile without padding on an axis brings into the padding lanes: data, or a mask made of indices."""
        scalar = self._indices.scalar(value)
        what = f"`{scalar}`" if scalar is not None and not value.name else _named(value)
        if self._is_data(value):
            return lanes.varying(what, scalar)
        return lanes.unknown(what)

    def _is_data(self, value: Value) -> bool:
        """Whether a value varies with the kernel's inputs, and no index tile goes into it that may make it a mask."""
        origins = self._provenance.origins(value)
        if origins.opaque or not (origins.loads or origins.params):
            return False
        if value not in self._index_free:
            self._index_free[value] = not self._uses_indices(value)
        return self._index_free[value]

    def _uses_indices(self, value: Value) -> bool:
        seen: set[Value] = set()
        todo = [value]
        while todo:
            current = todo.pop()
            op = current.op
            if current in seen or (op is not None and op.opcode in _STATISTICS):
                continue
            seen.add(current)
            if op is not None and op.opcode in ("arange", "call", "inline_asm"):
                return True
            todo.extend(self._provenance.inputs_of(current))
        return False

    def _op_elementwise(self, op: Op) -> None:
        values = op.operands
        uniform = [self.state(v).uniform for v in values]
        if values and None not in uniform:
            lane = lanes.apply(op.fn, [each for each in uniform if each is not None])
            self._states[op.result] = State(uniform=lane) if lane.is_known else NOTHING
            return
        pads = []
        for axis in self._axes(values):
            pad = self._pad(values, axis)
            held = ZERO
            if not self._masked_out(op, axis, pad):
                held = lanes.apply(op.fn, [self._lane(v, axis, pad) for v in values])
            pads.append((axis, pad.holding(held)))
        self._states[op.result] = State(tuple(pads))

    def _masked_out(self, op: Op, axis: int, pad: Pad) -> bool:
        """Whether this is a product with a mask that is 0 on the padding lanes: `x * (cols < n)`."""
        if op.fn not in ("mul", "and") or len(op.operands) != 2:
            return False
        others = self._others(op.operands)
        return any(self._mask.truth(v, axis, pad, others) is False for v in op.operands)

    def _others(self, values: Sequence[Value]) -> Callable[[int], Pad | None]:
        return lambda axis: next((p for v in values if (p := self.state(v).at(axis)) is not None), None)

    def _op_where(self, op: Op) -> None:
        cond, x, y = op.group("cond")[0], op.group("x")[0], op.group("y")[0]
        others = self._others([x, y, cond])
        pads = []
        for axis in self._axes([x, y, cond]):
            pad = self._pad([x, y, cond], axis)
            truth = self._mask.truth(cond, axis, pad, others)
            chosen = self._lane(x, axis, pad), self._lane(y, axis, pad)
            if truth is None:
                pads.append((axis, pad.holding(lanes.join(*chosen))))
            else:
                pads.append((axis, pad.holding(chosen[0] if truth else chosen[1], fill=op)))
        self._states[op.result] = State(tuple(pads))
        self._note_mask(op, cond, x, y)

    def _note_mask(self, op: Op, cond: Value, x: Value, y: Value) -> None:
        """Record a mask that states the descriptor's bounds and nothing else, and fills what they fill."""
        self._masks.pop(op, None)
        bounds, kept, fill = self._mask.exact_bounds(cond, inside=True), x, y
        if bounds is None:
            bounds, kept, fill = self._mask.exact_bounds(cond, inside=False), y, x
        if not bounds or self.state(fill).uniform != ZERO:
            return
        pads = []
        for bound in bounds:
            pad = self.state(kept).at(bound.axis)
            if pad is None or pad.folded or pad.lane != ZERO or not restates(bound, pad):
                return
            pads.append((bound.axis, pad))
        self._masks[op] = RedundantMask(op, kept, tuple(pads))

    # ---- views -------------------------------------------------------------------------------------------

    def _op_cast(self, op: Op) -> None:
        source = self.state(op.operands[0])
        zero = all(pad.lane == ZERO for _, pad in source.pads)
        if op.attrs.get("bitcast") and not zero:  # the bits of 0 are those of 0 in every type
            source = source.hiding(lanes.unknown("the bits of another value"))
        self._states[op.result] = source

    def _same(self, op: Op) -> None:
        self._states[op.result] = self.state(op.operands[0])

    _op_hint = _op_splat = _op_broadcast = _same

    def _remapped(self, op: Op, mapping: Callable[[int], int | None]) -> State:
        source = self.state(op.operands[0])
        moved = ((mapping(axis), pad) for axis, pad in source.pads)
        return State(tuple((axis, pad) for axis, pad in moved if axis is not None), source.uniform)

    def _op_expand_dims(self, op: Op) -> None:
        inserted = op.attrs["axis"]
        self._states[op.result] = self._remapped(op, lambda axis: axis + 1 if axis >= inserted else axis)

    def _op_trans(self, op: Op) -> None:
        self._states[op.result] = self._remapped(op, op.attrs["perm"].index)

    def _op_reshape(self, op: Op) -> None:
        mapping = axis_mapping(op)
        if mapping is not None and not op.attrs.get("reorder"):
            self._states[op.result] = self._remapped(op, mapping.get)
            return
        source = self.state(op.operands[0])
        pads: dict[int, Pad] = {}
        for before, after in axis_groups(op):
            inside = [(axis, pad) for axis, pad in source.pads if axis in before]
            if not inside:
                continue
            if len(before) == len(after) == 1 and not op.attrs.get("reorder"):
                pads[after[0]] = inside[0][1]
                continue
            apart = taken_apart(op, inside[0][1], after) if len(before) == 1 else None
            if apart is not None:
                pads.update(apart)
                continue
            lane = inside[0][1].lane
            for _, pad in inside[1:]:
                lane = lanes.join(lane, pad.lane)
            first = inside[0][1]
            spread = first.spread(lane, seams(op, source, before))
            pads.update(dict.fromkeys(after, spread))
        self._states[op.result] = State(tuple(sorted(pads.items())), source.uniform)

    def _op_join(self, op: Op) -> None:
        self._states[op.result] = self._joined(self.state(op.operands[0]), self.state(op.operands[1]))

    _op_cat = _op_join

    def _op_split(self, op: Op) -> None:
        for result in op.results:
            self._states[result] = self.state(op.operands[0])

    # ---- reductions --------------------------------------------------------------------------------------

    def _op_reduce(self, op: Op) -> None:
        axis, tile = op.attrs["axis"], op.operands[0]
        source = self.state(tile)
        if op.attrs.get("whole") and tile.op is not None and tile.op.opcode == "reshape":
            tile = tile.op.operands[0]
            for position, pad in self.state(tile).pads:
                self._judge(op, tile, position, pad)
            return
        found = source.at(axis)
        if found is not None:
            self._judge(op, tile, axis, found)
        for result in op.results:
            hidden = lanes.unknown("the place of an extremum")
            kept = (
                (
                    position - 1 if position > axis else position,
                    pad.holding(hidden if result.index else lanes.reduced(op.fn, pad.lane)),
                )
                for position, pad in source.pads
                if position != axis
            )
            self._states[result] = State(tuple(kept))

    def _judge(self, op: Op, tile: Value, axis: int, pad: Pad) -> None:
        outdone = is_outdone(op, tile, axis, self.state)
        self._reductions[op, axis] = judge_reduction(op, tile, axis, pad, self._signs, outdone=outdone)

    def _op_scan(self, op: Op) -> None:
        axis = op.attrs["axis"]
        source = self.state(op.operands[0])
        pad = source.at(axis) if axis is not None else None
        if pad is not None and op.attrs.get("reverse"):
            self._judge(op, op.operands[0], axis, pad)
        hidden = lanes.unknown("a running total carried into the padding lanes")
        for result in op.results:
            pads = (
                (position, other.holding(hidden if position == axis else lanes.reduced(op.fn, other.lane)))
                for position, other in source.pads
            )
            self._states[result] = State(tuple(pads))

    def _op_dot(self, op: Op) -> None:
        a, b = op.group("a")[0], op.group("b")[0]
        rank = len(shape_of(a.type) or ())
        if rank < 2 or len(shape_of(b.type) or ()) != rank:
            return
        left, right = self.state(a), self.state(b)
        inner = left.at(rank - 1), right.at(rank - 2)
        plain = all(pad is not None or self._unpadded(v).varies for pad, v in zip(inner, (a, b), strict=True))
        judged = judge_contraction(op, rank - 1, *inner, plain=plain)
        if judged is not None:
            self._reductions[op, rank - 1] = judged
        pads = {axis: pad for axis, pad in right.pads if axis != rank - 2}
        pads.update({axis: pad for axis, pad in left.pads if axis < rank - 1})
        product = State(tuple((axis, pad.holding(product_lane(pad.lane))) for axis, pad in sorted(pads.items())))
        acc = op.operand("acc")
        self._states[op.result] = product if acc is None else self._added(product, self.state(acc))

    _op_dot_scaled = _op_dot

    def _added(self, left: State, right: State) -> State:
        if right.uniform is not None:
            return State(tuple((a, p.holding(lanes.apply("add", [p.lane, right.uniform]))) for a, p in left.pads))
        pads = []
        for axis, pad in left.pads:
            other = right.at(axis)
            same = other is not None and other.covers(pad)
            lane = lanes.apply("add", [pad.lane, other.lane]) if other and same else lanes.unknown("the accumulator")
            pads.append((axis, pad.holding(lane)))
        return State(tuple(pads))

    def _op_desc_scatter(self, op: Op) -> None:
        for _, pad in self.state(op.group("index")[0]).pads:
            verdict = False if pad.lane == ZERO else self._outside(op, pad.lane)
            known = self._scatters.get(op)
            if known is None or known.verdict is True or verdict is False:
                self._scatters[op] = ScatterTail(op, pad, verdict)

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
                p.lane if p is not None else s.uniform or lanes.unknown("what another branch or round gives")
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
        for turn in range(MAX_ROUNDS):
            if turn == MAX_ROUNDS - 1:
                current = [s.hiding(lanes.unknown("a value that a loop carries")) for s in current]
            for region in op.regions:
                arguments = carried if region is op.regions[-1] else region.args
                self._states.update(zip(arguments, current, strict=True))
                self._block(region)
            end = op.regions[-1].terminator
            yielded = [self.state(v) for v in end.operands] if end is not None else []
            merged = [self._joined(a, b) for a, b in zip(current, yielded, strict=False)]
            if merged == current:
                break
            current = merged
        self._states.update(zip(op.results, current, strict=True))

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


def _named(value: Value) -> str:
    """The author's name of a value, found behind casts and views too."""
    while not value.name and value.op is not None and len(value.op.operands) == 1:
        value = value.op.operands[0]
    return f"`{value.name}`" if value.name else "a value computed from the data"
