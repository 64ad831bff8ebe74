"""Where a failure of a shadow launch comes from in the source, and the sentence that tells its counterexample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from spyre_lint.analysis.shadow_facts import Counterexample
from spyre_lint.analysis.shadow_geometry import Box, Geometry, Space
from spyre_lint.analysis.shadow_judge import Judgement
from spyre_lint.analysis.shadow_launch import Trial
from spyre_lint.analysis.shadow_sizes import Roles
from spyre_lint.analysis.shadow_slice import SAME, UNKNOWN, Slice
from spyre_lint.findings import Location
from spyre_lint.ir.core import KernelIR, Op, Value
from spyre_lint.ir.sym import Expr

# ---- places --------------------------------------------------------------------------------------------------


def offsets_of(op: Op, axes: Iterable[int]) -> list[Value]:
    """What places an access along some dimensions: the offsets there, and the base that its descriptor starts from."""
    offsets = op.group("offsets")
    skipped = 1 if op.group("index") else 0
    found = [offsets[axis - skipped] for axis in axes if 0 <= axis - skipped < len(offsets)]
    owner = op.operand("desc") or op.operand("ptr")
    if owner is not None:
        found.append(owner)
        if owner.op is not None and owner.op.opcode == "make_descriptor":
            found[-1:] = owner.op.group("base")
    return found


def places(cut: Slice, op: Op, axes: Iterable[int]) -> int:
    """The dependencies of an access's place along some dimensions."""
    return cut.all_deps(offsets_of(op, axes))


def work_loops(cut: Slice, mask: int) -> list[Op]:
    """The loops, outermost first, whose counters are in a dependency mask and that go over work: how often they turn
    depends on a size, on the number of programs, or on something unknown.
    """
    work = UNKNOWN
    for bit in (*cut.params.values(), *cut.nprogs.values()):
        work |= bit
    return [op for op, bit in cut.loops.items() if mask & bit and cut.control(op) & work]


def terms(cut: Slice, value: Value, depth: int = 0) -> list[int]:
    """The dependencies of the summands of a scalar, sums under products and pointer additions taken apart."""
    while value.op is not None and value.op.opcode in SAME:
        value = value.op.operands[0]
    op = value.op
    if op is not None and depth < 40:
        if op.opcode == "addptr" or (op.opcode == "elementwise" and op.fn in ("add", "sub")):
            return [term for operand in op.operands for term in terms(cut, operand, depth + 1)]
        if op.opcode == "elementwise" and op.fn == "mul":
            left, right = (terms(cut, operand, depth + 1) for operand in op.operands)
            return [a | b for a in left for b in right]
    return [cut.deps(value)]


def picks_without_loop(cut: Slice, stores: Sequence[Op], axes: Iterable[int]) -> bool:
    """Whether the program id picks a store's tile along one of the dimensions with no loop over the work there.

    A loop that steps by the number of programs makes the program id that is added to its counter a part of the loop.
    Where the id places no store but decides whether one is made, it picks the work as well.
    """
    axes = list(axes)
    for op in stores:
        for axis in axes:
            parts = [term for value in offsets_of(op, (axis,)) for term in terms(cut, value)]
            if any(_is_bare(cut, part, parts) for part in parts):
                return True
        placed = places(cut, op, axes)
        if not any(placed & bit for bit in cut.pids.values()):
            for around in cut.around(op):
                if around.opcode == "if" and _is_bare(cut, cut.control(around), ()):
                    return True
    return False


def _is_bare(cut: Slice, part: int, parts: Sequence[int]) -> bool:
    """Whether a summand has the program id of an axis in it, but nothing that goes on to the next tile of that axis."""
    for axis, bit in cut.pids.items():
        share = cut.nprogs.get(axis, 0)
        if not part & bit or part & share or work_loops(cut, part):
            continue
        if not any(other & share and work_loops(cut, other) for other in parts):
            return True
    return False


def host_share(cut: Slice, stores: Sequence[Op]) -> str:
    """The scalar that the program id is multiplied by to give the first tile of a program: a share of the work that
    the host decides on. Empty if there is none.
    """
    for op in stores:
        loops = [o for o in cut.around(op) if o.opcode in ("for", "while")]
        todo = [*bounds_of(loops), *offsets_of(op, range(8))]
        seen: set[Value] = set()
        while todo:
            value = todo.pop()
            made = value.op
            if value in seen or made is None:
                continue
            seen.add(value)
            if made.opcode == "elementwise" and made.fn == "mul":
                for one, other in (made.operands, reversed(made.operands)):
                    param = cut.param(other)
                    picked = any(cut.deps(one) & bit for bit in cut.pids.values()) and not work_loops(
                        cut, cut.deps(one)
                    )
                    if (
                        picked
                        and param is not None
                        and made in cut.kept
                        and any(cut.deps(v) & cut.deps(value) & ~UNKNOWN for v in bounds_of(loops))
                    ):
                        return param.name
            todo.extend(made.operands)
    return ""


def program_id_op(ir: KernelIR, cut: Slice, mask: int) -> Op | None:
    """The `program_id` read that a dependency mask goes back to; the first one of the kernel where it has none."""
    reads = list(ir.ops("program_id"))
    for op in reads:
        if cut.pids.get(op.attrs["axis"], 0) & mask:
            return op
    return reads[0] if reads else None


def floored_division(cut: Slice, starts: Iterable[Value]) -> Op | None:
    """A division of a size by a tile that rounds down, among what some values are computed from."""
    todo = list(starts)
    seen: set[Value] = set()
    steering = UNKNOWN
    for bit in (*cut.pids.values(), *cut.nprogs.values(), *cut.loops.values()):
        steering |= bit
    while todo:
        value = todo.pop(0)
        if value in seen:
            continue
        seen.add(value)
        op = value.op
        if op is not None and op.opcode == "const" and _holds_floor(op.attrs["value"]):
            return op
        if op is None or not op.operands:
            continue
        if op.opcode == "elementwise" and op.fn == "div" and len(op.operands) == 2:
            dividend, divisor = op.operands
            sizes = cut.deps(dividend)
            if (
                sizes
                and not sizes & steering
                and not cut.deps(divisor) & steering
                and not _rounds_up(dividend, divisor)
            ):
                return op
        if op.opcode == "if":
            for region in cut.regions(op):
                end = region.terminator
                if end is not None:
                    todo.extend(end.operands[value.index : value.index + 1])
        elif op.opcode not in ("for", "while"):
            todo.extend(op.operands)
    return None


def _holds_floor(held: object) -> bool:
    """Whether a compile-time value has a division in it that rounds down."""
    return isinstance(held, Expr) and any(call.op in ("floordiv", "truncdiv") for call in held.calls())


def _rounds_up(dividend: Value, divisor: Value) -> bool:
    """Whether a division is the ceiling idiom `(n + b - 1) // b`."""
    terms: list[tuple[int, Value]] = []

    def collect(value: Value, sign: int) -> None:
        while value.op is not None and value.op.opcode in SAME:
            value = value.op.operands[0]
        op = value.op
        if op is not None and op.opcode == "elementwise" and op.fn in ("add", "sub"):
            collect(op.operands[0], sign)
            collect(op.operands[1], sign if op.fn == "add" else -sign)
        else:
            terms.append((sign, value))

    collect(dividend, 1)
    constants = [_constant(value) for _, value in terms]
    added = [c if s > 0 else -c for (s, _), c in zip(terms, constants, strict=True) if c is not None]
    if not added:
        return False
    block = _constant(divisor)
    total = added[0]
    for more in added[1:]:
        total = total + more
    return block is not None and total == block - 1


def _constant(value: Value) -> Expr | int | None:
    while value.op is not None and value.op.opcode in SAME:
        value = value.op.operands[0]
    if value.op is None or value.op.opcode != "const":
        return None
    held = value.op.attrs["value"]
    return held if isinstance(held, (int, Expr)) else None


def bounds_of(loops: Iterable[Op]) -> list[Value]:
    """The values that bound some loops: upper ends first."""
    found: list[Value] = []
    for op in loops:
        for group in ("ub", "lb", "step"):
            found.extend(op.group(group))
        if op.opcode == "while":
            end = op.regions[0].terminator
            found.extend(end.group("cond") if end is not None else ())
    return found


def tail_place(cut: Slice, accesses: Sequence[Op], axes: Iterable[int]) -> tuple[Location, tuple[Location, ...], bool]:
    """Where a lost tail comes from: the division that rounds down, the loop that ends too early, or the access."""
    axes = list(axes)
    for op in accesses:
        around = cut.around(op)
        loops = [o for o in work_loops(cut, places(cut, op, axes)) if o in around]
        conditions = [v for o in around if o.opcode == "if" for v in o.group("cond")]
        division = floored_division(cut, [*bounds_of(loops), *conditions, *offsets_of(op, axes)])
        if division is not None:
            return division.loc, division.stack, True
        if loops:
            return loops[-1].loc, loops[-1].stack, False
    return accesses[0].loc, accesses[0].stack, False


def overrun_place(cut: Slice, stores: Sequence[Op]) -> tuple[Location, tuple[Location, ...]]:
    """The loop that runs past the end of the work: the outermost one that places a store."""
    for op in stores:
        around = cut.around(op)
        loops = [o for o in work_loops(cut, places(cut, op, range(8))) if o in around]
        if loops:
            return loops[0].loc, loops[0].stack
    return stores[0].loc, stores[0].stack


# ---- sentences -----------------------------------------------------------------------------------------------


def setting(trial: Trial, roles: Roles, names: Iterable[str], grid: tuple[int, ...]) -> str:
    """`with M=65, BLOCK_M=64 on 4 programs`."""
    sizes, tiles = settings_of(trial, roles, names)
    parts = [f"{name}={value}" for name, value in (*sizes.items(), *tiles.items())]
    count = 1
    for axis in grid:
        count *= axis
    shape = f" ({' x '.join(map(str, grid))})" if len(grid) > 1 else ""
    programs = f"on {count} program{'' if count == 1 else 's'}{shape}"
    return f"with {', '.join(parts)} {programs}" if parts else programs


def settings_of(trial: Trial, roles: Roles, names: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
    """The sizes and the tiles that a counterexample has to name."""
    sizes = {name: trial.env[name] for name in names if name in trial.env}
    mentioned: set[str] = set()
    for name in sizes:
        for unit in roles.units.get(name, ()):
            mentioned.update(symbol.name for symbol in unit.symbols())
    tiles = {
        name: trial.env[name] for name in (*roles.tiles, *roles.constants) if name in mentioned and name in trial.env
    }
    return sizes, tiles


def ranges_text(ranges: Sequence[tuple[int, int]], shape: Sequence[int] | None) -> str:
    """`rows 64..64`, `elements 4..7`, `indices [0..1, 4..7, 0..9]`; whole dimensions of a matrix are left out."""

    def span(pair: tuple[int, int]) -> str:
        return f"{pair[0]}..{pair[1]}"

    if len(ranges) == 1:
        return f"elements {span(ranges[0])}"
    if len(ranges) == 2:
        words = [f"{word} {span(pair)}" for word, pair in zip(("rows", "columns"), ranges, strict=True)]
        if shape is not None:
            kept = [w for w, pair, size in zip(words, ranges, shape, strict=True) if pair != (0, size - 1)]
            words = kept or words[:1]
        return ", ".join(words)
    return f"indices [{', '.join(span(pair) for pair in ranges)}]"


def extent_text(shape: Sequence[int], axis: int) -> str:
    """`12 elements`, `1 row`, `3 columns`, `an extent of 4 in dimension 2`."""
    if len(shape) > 2:
        return f"an extent of {shape[axis]} in dimension {axis}"
    word = "element" if len(shape) == 1 else ("row", "column")[axis]
    return f"{shape[axis]} {word}{'' if shape[axis] == 1 else 's'}"


def local_box(geometry: Geometry, judged: Judgement, space: Space, box: Box) -> tuple[Box, tuple[int, ...] | None, int]:
    """A box in the coordinates of the descriptor whose window holds it, its shape, and how far its base is moved."""
    descriptors = judged.trial.recorder.descriptors
    for number, made in enumerate(descriptors):
        placed = geometry.place(number)
        if placed is None or placed[0] is not space:
            continue
        window = geometry.window(number)
        if all(w[0] <= b[0] and b[1] <= w[1] for w, b in zip(window, box, strict=True)):
            moved = tuple((low - s, high - s) for (low, high), s in zip(box, placed[1], strict=True))
            return moved, made.shape, made.offset
    return box, None, 0


def tensor_name(sites: Mapping[int, Op], site: int) -> str:
    """The name of a descriptor, or of the pointer it starts from."""
    op = sites[site]
    if op.result.name:
        return op.result.name
    value: Value | None = op.operand("base")
    while value is not None and not value.name and value.op is not None and value.op.operands:
        value = value.op.operands[0]
    return value.name if value is not None and value.name else "the output"


def counterexample(
    judged: Judgement,
    roles: Roles,
    names: Iterable[str],
    grid: tuple[int, ...],
    tensor: str,
    ranges: Sequence[tuple[int, int]],
    *,
    offsets: Sequence[int] = (),
    program: tuple[int, ...] | None = None,
    other: tuple[int, ...] | None = None,
    base: int = 0,
) -> Counterexample:
    """A counterexample out of a judgement; `ranges` are first and last index."""
    sizes, tiles = settings_of(judged.trial, roles, names)
    return Counterexample(sizes, tiles, grid, tensor, tuple(ranges), tuple(offsets), program, other, base)


def program_text(place: tuple[int, ...]) -> str:
    """`program 3`, `program (1, 2)`."""
    return f"program {place[0]}" if len(place) == 1 else f"program ({', '.join(map(str, place))})"
