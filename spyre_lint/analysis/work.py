"""How a kernel shares its work out: the loops over a program's share, and the sizes that bound the work.

A loop belongs to the distribution where its range is a share: its start depends on the program id, or its end or step
on the number of programs, and neither depends on another loop's counter. Everything else (a loop over K, over a row's
columns, over the keys a query sees) is an inner loop over tiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spyre_lint.analysis.provenance import Provenance, provenance
from spyre_lint.context import KernelInstance
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Call, Expr, Symbol, as_expr

_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_DIVISIONS = frozenset({"floordiv", "cdiv", "mod", "truncdiv", "truncrem"})
_SAME = frozenset({"cast", "hint", "splat"})


@dataclass(frozen=True, slots=True)
class Extent:
    """A compile-time size that decides how much work there is: the constant `op` with its value.

    `whole` tells whether it is a size by itself (a bound, a side of a minimum, the dividend of a count of blocks) and
    not a factor or a summand of one.
    """

    op: Op
    value: Expr
    whole: bool


def _picks_program(origins: Provenance, value: Value) -> bool:
    found = origins.origins(value)
    return bool(found.program_axes) or _has_coordinate(value, set())


def _has_coordinate(value: Value, seen: set[Value]) -> bool:
    """Whether a value is computed from a coordinate of a work slice, which stands for a program id."""
    if value in seen or value.op is None:
        return False
    seen.add(value)
    if value.op.opcode == "wk_slice_coord":
        return True
    return value.op.opcode in ("elementwise", *_SAME) and any(_has_coordinate(v, seen) for v in value.op.operands)


def is_direct(origins: Provenance, value: Value) -> bool:
    """Whether a value depends on no loop: it is the same throughout the kernel's run."""
    found = origins.origins(value)
    return not found.loops and not found.carried


def _is_share(origins: Provenance, loop: Op) -> bool:
    if loop.opcode == "while":
        return any(is_direct(origins, init) and _picks_program(origins, init) for init in _tested(loop))
    lb, ub, step = (loop.group(name)[0] for name in ("lb", "ub", "step"))
    if not all(is_direct(origins, bound) for bound in (lb, ub, step)):
        return False
    return _picks_program(origins, lb) or any(origins.origins(bound).grid_axes for bound in (ub, step))


def _tested(loop: Op) -> Iterator[Value]:
    """Initial values of the carried values that a `while` compares in its condition."""
    condition = loop.regions[0]
    inits = loop.group("init")
    for op in condition.walk():
        if op.opcode == "elementwise" and op.fn in _COMPARISONS:
            for operand in op.operands:
                if operand.block is condition and operand.index < len(inits):
                    yield inits[operand.index]


def distribution_loops(instance: KernelInstance) -> tuple[Op, ...]:
    """The loops over a program's share of the work, in program order."""
    origins = instance.analysis(provenance)
    return tuple(op for op in instance.ir.ops("for", "while") if _is_share(origins, op))


def is_inside(op: Op, loop: Op) -> bool:
    """Whether an operation stands in a loop, at any depth."""
    block = op.block
    while block is not None and block.parent is not None:
        if block.parent is loop:
            return True
        block = block.parent.block
    return False


def work_extents(instance: KernelInstance) -> tuple[Extent, ...]:
    """Compile-time sizes in the bounds of the distribution's loops, one per place, in program order."""
    found: dict[Op, Extent] = {}
    for loop in instance.analysis(distribution_loops):
        for bound in _bounds(loop):
            for extent in _extents(bound, whole=True, seen=set()):
                found.setdefault(extent.op, extent)
    return tuple(found.values())


def _bounds(loop: Op) -> Iterator[Value]:
    if loop.opcode == "for":
        yield from loop.group("ub")
        return
    for op in loop.regions[0].walk():
        if op.opcode == "elementwise" and op.fn in _COMPARISONS:
            yield from op.operands


def _extents(value: Value, *, whole: bool, seen: set[tuple[Value, bool]]) -> Iterator[Extent]:
    op = value.op
    if op is None or (value, whole) in seen:
        return
    seen.add((value, whole))
    if op.opcode == "const":
        held = op.attrs["value"]
        if isinstance(held, (int, Expr)) and not isinstance(held, bool):
            yield Extent(op, as_expr(held), whole)
    elif op.opcode in _SAME:
        yield from _extents(op.operands[0], whole=whole, seen=seen)
    elif op.opcode == "elementwise":
        if op.fn in ("cdiv", "div", "rem"):
            yield from _extents(op.operands[0], whole=True, seen=seen)
        elif op.fn in ("min", "max"):
            for operand in op.operands:
                yield from _extents(operand, whole=whole, seen=seen)
        elif op.fn in ("add", "sub", "mul"):
            for operand in op.operands:
                yield from _extents(operand, whole=False, seen=seen)
    elif op.opcode == "if":
        for region in op.regions:
            end = region.terminator
            if end is not None and value.index < len(end.operands):
                yield from _extents(end.operands[value.index], whole=whole, seen=seen)


def size_symbols(value: Expr) -> set[Symbol]:
    """The symbols that a count or an extent grows with: all but those that only divide."""
    found: set[Symbol] = set()
    for atom in value.atoms():
        if isinstance(atom, Symbol):
            found.add(atom)
        elif isinstance(atom, Call):
            arguments = atom.args[:1] if atom.op in _DIVISIONS else atom.args
            for argument in arguments:
                found |= size_symbols(argument)
    return found


def is_literal(value: Expr) -> bool:
    """Whether a size is a number, or a count of blocks of a number."""
    if value.is_const:
        return True
    return any(call.op in _DIVISIONS and call.args[0].is_const for call in value.calls())


def follows(value: Value, index: Value) -> bool:
    """Whether a value is computed from a loop's counter by arithmetic (and not merely inside that loop)."""
    seen: set[Value] = set()
    todo = [value]
    while todo:
        current = todo.pop()
        if current is index:
            return True
        if current in seen or current.op is None:
            continue
        seen.add(current)
        op = current.op
        if op.opcode in ("elementwise", "where", "expand_dims", "broadcast", "reshape", *_SAME):
            todo.extend(op.operands)
        elif op.opcode == "if":
            ends = [region.terminator for region in op.regions]
            todo.extend(end.operands[current.index] for end in ends if end and current.index < len(end.operands))
    return False
