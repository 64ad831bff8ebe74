"""Marked tiles on their way through a kernel: reductions over programs, dots, elementwise work (SPY708, 710, 711)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from spyre_lint.analysis.layout_flow import COMBINING, State, clash, layout_flow
from spyre_lint.analysis.layouts import is_logical, layout_text, marked, sticks
from spyre_lint.analysis.provenance import provenance
from spyre_lint.checks._support import operand_name
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Related
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Expr, compare
from spyre_lint.ir.types import shape_of
from spyre_lint.rules import Rule

INTER_TILE = Rule(
    "SPY708", "layout-through-inter-tile", Level.ERROR, "A tile of a marked descriptor reaches `tl.inter_tile`."
)
CONTRACTION = Rule("SPY710", "contraction-marking", Level.ERROR, "The layouts of a dot's operands do not go together.")
ELEMENTWISE = Rule(
    "SPY711", "elementwise-marking", Level.ERROR, "The operands of an elementwise operation are laid out differently."
)
_LOADS = ("desc_load", "desc_gather")


def judge_flow(instance: KernelInstance) -> Iterator[Finding]:
    """All three rules for one instance."""
    if not instance.analysis(marked):
        return
    for op in instance.ir.walk():
        if op.opcode == "inter_tile":
            yield from _inter_tile(instance, op)
        elif op.opcode in ("dot", "dot_scaled"):
            yield from _contraction(instance, op)
        elif op.opcode in COMBINING:
            yield from _elementwise(instance, op)


def _descriptor(load: Op) -> str:
    return f"`{operand_name(load.operand('desc'), 'the descriptor')}`"


# ---- SPY708 --------------------------------------------------------------------------------------------------------


def _inter_tile(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    load = _marked_load(instance, op.operands[0])
    if load is None:
        yield INTER_TILE.satisfied(op.loc)
        return
    yield INTER_TILE.violated(
        op.loc,
        f"what `tl.inter_tile` reduces was loaded through {_descriptor(load)}, which has a layout: the compiler gives "
        "the tile the physical rank and leaves the reduction's neutral element at the logical one",
        help="leave the descriptor unmarked here: layouts and `tl.inter_tile` go into separate kernels",
        related=(Related("the marked load", load.loc), *instance.related_calls(op)),
    )


def _marked_load(instance: KernelInstance, value: Value) -> Op | None:
    """A load through a marked descriptor that a value comes from, unless a dot is in between."""
    origins, layouts = instance.analysis(provenance), instance.analysis(marked)
    seen: set[Value] = set()
    todo = [value]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        op = current.op
        if op is not None and op.opcode in _LOADS:
            made = origins.descriptor(op.group("desc")[0])
            markers = layouts.get(made, ()) if made is not None else ()
            if any(marker.layout is None or not is_logical(marker.layout) for marker in markers):
                return op
        elif op is None or op.opcode not in ("dot", "dot_scaled"):
            todo.extend(reversed(origins.inputs_of(current)))
    return None


# ---- SPY710 --------------------------------------------------------------------------------------------------------


def _contraction(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    flow = instance.analysis(layout_flow)
    a, b = op.group("a")[0], op.group("b")[0]
    rank_a, rank_b = len(shape_of(a.type) or ()), len(shape_of(b.type) or ())
    if min(rank_a, rank_b) < 2:
        return
    sides = [(a, flow.of(a), rank_a - 1), (b, flow.of(b), rank_b - 2)]
    found = [*_unlike_operands(instance, op, *sides), *_unlike_operands(instance, op, *reversed(sides))]
    yield from found[:1] or _scatter(instance, op, sides)


def _stick(state: State, axis: int) -> int | None:
    """The stick length by which a physical tile is split along a logical axis."""
    if state.kind != "physical" or state.layout is None:
        return None
    return next(iter(sticks(state.layout).get(axis, ())), None)


def _tile(value: Value, fallback: str = "the other operand") -> str:
    return f"`{value.name}`" if value.name else fallback


def _unlike_operands(
    instance: KernelInstance, op: Op, split: tuple[Value, State, int], beside: tuple[Value, State, int]
) -> Iterator[Finding]:
    """`split` and `beside` are the two operands of a dot, each with its contracted axis."""
    (value, state, axis), (other, unlike, across) = split, beside
    length, beyond = _stick(state, axis), _stick(unlike, across)
    extent: Expr = (shape_of(value.type) or ())[axis]
    several = None if length is None else compare(extent, "gt", length)
    if length is None or several is False:
        return
    if unlike.kind == "unmarked":
        said = f"{_tile(other)} comes from {_descriptor(_first(unlike))}, which has no layout"
    elif beyond not in (None, length):
        said = f"{_tile(other)} is split by {beyond} there"
    else:
        return
    where = f"{_tile(value, 'one operand')} has {extent} elements in sticks of {length} on the contracted axis"
    related = (*_loads(state), *instance.related_calls(op))
    if several and state.certain:
        yield CONTRACTION.violated(
            op.loc,
            f"the dot runs over several sticks: {where}, and {said}",
            help="mark the descriptors of both operands, with the same stick length on the contracted axis",
            related=related,
            evidence={"extent": extent.value if extent.is_const else str(extent), "stick": length},
        )
    else:
        message = f"whether the dot runs over several sticks is not known: {where}, and {said}"
        yield CONTRACTION.unproven_at(op.loc, message, related=related)


def _first(state: State) -> Op:
    return min(state.loads, key=lambda load: load.loc)


def _loads(state: State) -> Iterator[Related]:
    for load in sorted(state.loads, key=lambda each: each.loc):
        yield Related(f"loaded through {_descriptor(load)}, which is marked", load.loc)


def _scatter(instance: KernelInstance, op: Op, sides: list[tuple[Value, State, int]]) -> Iterator[Finding]:
    """Several sticks on more than one axis of the result: the compiler has one loop over the sticks of the result."""
    found: dict[tuple[int, int], str] = {}
    for value, state, axis in sides:
        for dimension, (length, *_) in sticks(state.layout or ()).items():
            extent = (shape_of(value.type) or ())[dimension]
            if dimension != axis and state.certain and extent.is_const and extent.value > length:
                count = extent.value // length  # dimensions of operands and result correspond, but for the contracted
                said = f"{count} sticks on axis {dimension}, from {_tile(value, 'an operand')}"
                found.setdefault((dimension, count), said)
    if len(found) > 1:
        yield CONTRACTION.violated(
            op.loc,
            f"the result of the dot has {'; '.join(found.values())}: the compiler loops over one axis",
            help="split only one axis of the result, or use blocks of one stick on the others",
            related=instance.related_calls(op),
        )


# ---- SPY711 --------------------------------------------------------------------------------------------------------


def _elementwise(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    flow = instance.analysis(layout_flow)
    for first, second in combinations(op.operands, 2):
        one, other = flow.of(first), flow.of(second)
        kind = clash(one, other)
        if kind is None:
            continue
        if one.kind != "physical":
            one, other = other, one
        message, help_ = _unlike_tiles(one, other, kind)
        related = (*_loads(one), *(_loads(other) if kind == "physical" else ()), *instance.related_calls(op))
        if one.layout is not None and one.certain and other.certain:
            yield ELEMENTWISE.violated(op.loc, message, help=help_, related=related)
        else:
            message = f"{message}: wrong wherever `{one.open or 'the layout'}` splits a dimension, and nothing gives it"
            yield ELEMENTWISE.unproven_at(op.loc, message, help=help_, related=related)
        return


def _unlike_tiles(one: State, other: State, kind: str) -> tuple[str, str]:
    name = _descriptor(_first(one))
    if kind == "physical":
        layouts = " and ".join(layout_text(each.layout or ()) for each in (one, other))
        return (
            f"tiles of {name} and {_descriptor(_first(other))} meet here in different layouts, {layouts}",
            "give all operands of an elementwise operation the same layout",
        )
    if kind == "reduced":
        return (
            f"a reduction of {name}'s tile meets the tile itself, which has the physical rank; the reduction does not",
            "leave the descriptor unmarked: the compiler has no layout for such a pattern",
        )
    if kind == "unmarked":
        return (
            f"a tile of {name}, which is marked, meets one of {_descriptor(_first(other))}, which is not",
            "mark both or none: all operands of an elementwise operation are laid out alike",
        )
    return (
        f"a tile of {name}, which is marked, meets one that was computed, which is in the logical layout",
        "leave what is added to a result unmarked",
    )
