"""In which physical layout the tiles of a kernel are.

A tile that is loaded through a marked descriptor keeps the descriptor's layout through casts, transpositions and
elementwise operations; a contraction or reduction of it is logical again. The Spyre compiler rewrites the marked loads
and everything elementwise behind them to the physical rank, and leaves the rest as it is: two operands of one
elementwise operation must have come out alike. Source: torch-spyre/triton at 661d116f7, `RewriteDescriptorLayout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal

from spyre_lint.analysis.layouts import Layout, is_logical, marked
from spyre_lint.analysis.provenance import provenance
from spyre_lint.context import KernelInstance
from spyre_lint.ir.core import Block, Op, Value
from spyre_lint.ir.types import TileType, shape_of

Kind = Literal["neutral", "physical", "unmarked", "logical", "reduced", "unknown"]
"""`neutral`: scalars of the kernel, constants, positions, which take any layout. `physical`: in the layout of a marked
descriptor. `unmarked`: loaded through an unmarked descriptor, with only elementwise work since. `logical`: made by a
contraction, or from such tiles. `reduced`: a reduction of marked tiles, a scalar too. `unknown`: not followed.
"""

COMBINING = frozenset({"elementwise", "where", "map_elementwise"})
"""Operations whose operands must be in one layout."""

_ROUNDS = 4
"""Walks of a loop's body until what it carries is stable: a state can change twice before it is unknown."""


@dataclass(frozen=True, slots=True)
class State:
    """Where a tile's elements are.

    `layout` is None for a physical tile whose layout is not known: `open` then names the constexpr that gives it.
    `loads` are the loads behind a physical, unmarked or reduced tile. `certain` is False where no binding decides
    whether the marker applies.
    """

    kind: Kind
    layout: Layout | None = None
    open: str = ""
    loads: frozenset[Op] = frozenset()
    certain: bool = True


NEUTRAL = State("neutral")
LOGICAL = State("logical")
UNKNOWN = State("unknown")


def clash(first: State, second: State) -> Kind | None:
    """Why two operands of an elementwise operation do not go together: what the one beside a physical tile is (None:
    they do, or it is not known).
    """
    if first.kind != "physical":
        first, second = second, first
    if first.kind != "physical" or second.kind in ("neutral", "unknown"):
        return None
    if second.kind == "physical":
        if first.layout is None or second.layout is None:
            return None  # of two layouts that nothing gives, nothing says that they differ
        return "physical" if first.layout != second.layout else None
    if first.layout is not None and is_logical(first.layout):
        return None
    if second.kind == "reduced":
        return "reduced" if first.loads & second.loads else None
    return second.kind


class LayoutFlow:
    """The states of all tiles of one kernel."""

    def __init__(self, instance: KernelInstance) -> None:
        self._origins = instance.analysis(provenance)
        self._marked = instance.analysis(marked)
        self._states: dict[Value, State] = {}
        if self._marked:
            self._block(instance.ir.body)

    def of(self, value: Value) -> State:
        """The state of a value."""
        return self._states.get(value, NEUTRAL)

    # ---- regions -------------------------------------------------------------------------------------------------

    def _block(self, block: Block) -> list[State]:
        """Walk a region; the states of what it yields."""
        for op in block.ops:
            if op.opcode in ("for", "while"):
                self._loop(op)
            elif op.opcode == "if":
                sides = [self._block(region) for region in op.regions]
                for result, *yielded in zip(op.results, *sides, strict=True):
                    self._states[result] = reduce(_join, yielded)
            elif op.opcode == "noinline_call":
                for arg, operand in zip(op.regions[0].args, op.operands, strict=True):
                    self._states[arg] = self.of(operand)
                for result, state in zip(op.results, self._block(op.regions[0]), strict=True):
                    self._states[result] = state
            else:
                for result in op.results:
                    self._states[result] = self._result(op, result)
        end = block.terminator
        return [] if end is None else [self.of(value) for value in end.group("values")]

    def _loop(self, op: Op) -> None:
        carried = [self.of(value) for value in op.group("init")]
        leading = 1 if op.opcode == "for" else 0
        for _ in range(_ROUNDS):
            passed = carried
            for region in op.regions:
                for arg, state in zip(region.args[leading:], passed, strict=True):
                    self._states[arg] = state
                passed = self._block(region)
            joined = [_join(before, after) for before, after in zip(carried, passed, strict=True)]
            if joined == carried:
                break
            carried = joined
        for result, state in zip(op.results, carried, strict=True):
            self._states[result] = state

    # ---- operations ----------------------------------------------------------------------------------------------

    def _result(self, op: Op, result: Value) -> State:
        states = [self.of(operand) for operand in op.operands]
        if not isinstance(result.type, TileType):
            if op.opcode == "reduce":
                return _reduced(self._reduced_operand(op))
            return combined(states) if op.opcode in COMBINING or op.opcode == "cast" else NEUTRAL
        if op.opcode in ("desc_load", "desc_gather"):
            return self._loaded(op)
        if op.opcode in ("cast", "hint", "broadcast", "splat"):
            return states[0]
        if op.opcode in ("expand_dims", "trans"):
            return _renumbered(states[0], op)
        if op.opcode in COMBINING:
            return combined(states)
        if op.opcode == "reduce":
            return _reduced(self._reduced_operand(op))
        if op.opcode in ("dot", "dot_scaled"):
            return LOGICAL
        if op.opcode in ("const", "arange", "undef", "random"):
            return NEUTRAL
        if op.opcode in ("reshape", "join", "split", "cat", "scan", "sort", "tile_gather", "histogram"):
            # The compiler says nothing of these on physical tiles; logical ones stay logical.
            state = combined(states)
            return UNKNOWN if state.kind == "physical" else state
        return UNKNOWN

    def _reduced_operand(self, op: Op) -> State:
        """What a reduction reduces; one over all dimensions sees its tile flattened."""
        values = op.group("values")
        if op.attrs.get("whole"):
            values = [v.op.operands[0] if v.op is not None and v.op.opcode == "reshape" else v for v in values]
        return combined([self.of(value) for value in values])

    def _loaded(self, op: Op) -> State:
        made = self._origins.descriptor(op.group("desc")[0])
        if made is None:
            return UNKNOWN
        markers = self._marked.get(made, ())
        if not markers:
            return State("unmarked", loads=frozenset({op}))
        if op.opcode == "desc_gather" and len(shape_of(op.group("index")[0].type) or ()) > 1:
            return UNKNOWN
        certain = all(not marker.conditional for marker in markers)
        layouts = {(marker.layout, marker.param if marker.layout is None else "") for marker in markers}
        if len(layouts) > 1 or any(marker.problems for marker in markers):
            return UNKNOWN  # what is malformed or given twice is told by other means
        layout, param = layouts.pop()
        return State("physical", layout, param, frozenset({op}), certain)


def combined(states: Sequence[State]) -> State:
    """The state of what an elementwise operation makes of operands in these states."""
    return reduce(_combine, states, NEUTRAL)


def _combine(first: State, second: State) -> State:
    if first.kind == "neutral" or second.kind == "neutral":
        return second if first.kind == "neutral" else first
    if "unknown" in (first.kind, second.kind) or clash(first, second) is not None:
        return UNKNOWN
    if "physical" in (first.kind, second.kind):
        if second.kind == "physical" and (first.kind != "physical" or first.layout is None):
            first, second = second, first
        if second.kind == "physical" and (second.layout, second.open) != (first.layout, first.open):
            return UNKNOWN
        return replace(first, loads=first.loads | second.loads, certain=first.certain and second.certain)
    if first.kind == second.kind:
        return replace(first, loads=first.loads | second.loads)
    return LOGICAL


def _join(first: State, second: State) -> State:
    """The state of a value that is one or the other."""
    if first.kind == "neutral" or second.kind == "neutral":
        return second if first.kind == "neutral" else first
    if (first.kind, first.layout, first.open) != (second.kind, second.layout, second.open):
        return LOGICAL if {first.kind, second.kind} <= {"unmarked", "logical", "reduced"} else UNKNOWN
    return replace(first, loads=first.loads | second.loads, certain=first.certain and second.certain)


def _reduced(state: State) -> State:
    if state.kind in ("physical", "reduced"):
        return State("reduced", loads=state.loads, certain=state.certain)
    return LOGICAL if state.kind == "unmarked" else state


def _renumbered(state: State, op: Op) -> State:
    """A physical tile after a view that numbers its logical dimensions anew."""
    if state.layout is None:
        # Behind a view, an open layout is no longer that of its constexpr.
        return state if state.kind != "physical" else replace(state, open=f"{state.open} behind a view")
    if op.opcode == "trans":
        perm: tuple[int, ...] = op.attrs["perm"]
        numbers = {src: position for position, src in enumerate(perm)}
    else:
        axis: int = op.attrs["axis"]
        numbers = {coord.src: coord.src + (coord.src >= axis) for coord in state.layout}
    if any(coord.src not in numbers for coord in state.layout):
        return UNKNOWN
    return replace(state, layout=tuple(replace(coord, src=numbers[coord.src]) for coord in state.layout))


def layout_flow(instance: KernelInstance) -> LayoutFlow:
    """The layouts of an instance's tiles."""
    return LayoutFlow(instance)
