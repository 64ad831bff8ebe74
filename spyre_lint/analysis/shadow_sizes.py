"""The sizes a shadow launch is run with: which parameters are sizes, which strides, and which values they take.

Strides follow from shapes (a row-major tensor). A scalar that only scales an address gets a number so large that no two
addresses meet by chance. Everything else that decides what is stored is a size, and takes values around the tiles that
it is cut into: less than one, exactly one, one more than one, several, ragged, more than there are cores.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from spyre_lint.analysis import shadow_values as values
from spyre_lint.analysis.shadow_slice import LOADS, SAME, STORES, Slice
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Expr, const
from spyre_lint.ir.types import TileType

CORES_NAME = re.compile(r"(?i)^(n|num|number_of)_?(cores?|programs?|progs?|sms?|ctas?|workers?)$|^grid_?size$")
"""Names of a parameter that holds the number of programs of the launch."""
_NEUTRAL_NAME = re.compile(r"(?i)start|begin|offset|first|base")
CORE_COUNTS = (1, 2, 3, 4, 5, 8, 16, 31, 32)
_FEW_GRIDS: dict[int, tuple[tuple[int, ...], ...]] = {
    1: ((1,), (2,), (3,), (5,), (8,), (32,)),
    2: (*product((1, 2, 3), repeat=2), (1, 5), (5, 1), (5, 5), (1, 8), (8, 1), (4, 8), (1, 32), (32, 1)),
    3: (*product((1, 2), repeat=3), (1, 1, 3), (1, 3, 1), (3, 1, 1), (3, 3, 3), (1, 1, 32), (1, 32, 1), (32, 1, 1)),
}
"""Grids that most sizes are run on; some are run on all that the core counts make."""
FAR = 1_000_003
"""Steps of scalars that only scale addresses are multiples of this prime."""
_TILE_SIZES = (4, 2, 8, 16)
"""What open tile constexprs are set to, in the order of the parameters; further ones take the last."""
_CONSTANT = 2
"""What other open constexprs are set to (group sizes, counts of heads)."""
MAX_TILES = 60
"""Sizes with more output tiles than this are left out, save those that make one dimension alone long."""


@dataclass(slots=True)
class Roles:
    """What the scalars of a kernel are for, by name. `units` are the tiles that a size is cut into."""

    sizes: list[str] = field(default_factory=list)
    strides: dict[str, list[tuple[Op, int]]] = field(default_factory=dict)
    """Stride parameters with the descriptors and dimensions they are passed for; none if they only scale addresses."""
    tiles: list[str] = field(default_factory=list)
    cores: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    in_shape: set[str] = field(default_factory=set)
    in_control: set[str] = field(default_factory=set)
    for_stores: set[str] = field(default_factory=set)
    positions: set[str] = field(default_factory=set)
    """Sizes that only say where something is stored: they bound nothing."""
    units: dict[str, list[Expr]] = field(default_factory=dict)
    bound: dict[str, int] = field(default_factory=dict)
    """Sizes that are constexprs with a value: they are made smaller, but stay as ragged as they are."""
    spans: dict[str, int] = field(default_factory=dict)
    """Largest constant extent that an open tile constexpr cuts."""


def roles_of(whole: Slice, stores: Slice, known: Mapping[str, int]) -> Roles:
    """The roles of the scalars that `whole` (all accesses) needs; `stores` tells which matter for stores, `known` are
    the integers that a binding gives to open constexprs.
    """
    roles = Roles()
    shape, control, strides, divided = _uses(whole)
    ir = whole.ir
    tile_symbols = _tile_symbols(whole)
    for param in ir.params:
        name = param.name
        bit = whole.params.get(name, 0)
        if not bit:
            continue
        in_shape, in_control = bool(shape & bit), bool(control & bit)
        if in_shape:
            roles.in_shape.add(name)
        if in_control:
            roles.in_control.add(name)
        if param.role == "constexpr":
            is_size = in_shape or bool(divided & bit)
            if name in tile_symbols:
                roles.tiles.append(name)
            elif CORES_NAME.search(name):
                roles.cores.append(name)
            elif is_size:
                roles.sizes.append(name)
                if name in known:
                    roles.bound[name] = known[name]
            else:
                roles.constants.append(name)
        elif CORES_NAME.search(name) and not in_shape:
            roles.cores.append(name)
        elif in_shape or in_control:
            roles.sizes.append(name)
        elif param.role in ("scalar", "unknown"):
            roles.strides[name] = _stride_uses(whole, name) if strides & bit else []
    _find_spans(whole, roles)
    bounding = divided
    for op in whole.order:
        if op.opcode in ("for", "while", "if"):
            bounding |= whole.control(op)
    for name in roles.sizes:
        if name not in roles.in_shape and not whole.params[name] & bounding:
            roles.positions.add(name)
        roles.units[name] = _units(whole, name)
        if any(stores.params.get(name, 0) & mask for mask in _store_masks(stores)):
            roles.for_stores.add(name)
    return roles


def _store_masks(stores: Slice) -> list[int]:
    shape, control, _, _ = _uses(stores)
    return [shape | control]


def _uses(cut: Slice) -> tuple[int, int, int, int]:
    """Dependencies of shapes, of control and offsets, of strides, and of what is divided or compared."""
    shape = control = strides = divided = 0
    for op in cut.order:
        if op.opcode in ("make_descriptor", "make_block_ptr"):
            shape |= cut.all_deps(op.group("shape"))
            strides |= cut.all_deps(op.group("strides"))
            control |= cut.all_deps(op.group("offsets"))
        elif op.opcode in STORES or op.opcode in LOADS:
            masks = op.group("mask")
            control |= cut.all_deps((*op.group("offsets"), *masks))
            divided |= cut.all_deps(masks)
        elif op.opcode in ("for", "while", "if"):
            control |= cut.control(op)
        elif op.opcode == "elementwise" and op.fn in ("div", "rem", "cdiv"):
            divided |= cut.all_deps(op.operands[:1])
    return shape, control, strides, divided


def _tile_symbols(cut: Slice) -> set[str]:
    """Open constexprs in block shapes and tile shapes."""
    names: set[str] = set()
    for op in cut.ir.walk():
        dims: Sequence[Any] = ()
        if op.opcode in ("make_descriptor", "make_block_ptr"):
            dims = op.attrs.get("block_shape") or ()
        elif op.opcode == "arange":
            dims = (op.attrs.get("end"),)
        elif op.opcode == "const" and isinstance(op.result.type, TileType):
            dims = op.result.type.shape
        for dim in dims:
            if isinstance(dim, Expr):
                names.update(symbol.name for symbol in dim.symbols())
    return names


def _stride_uses(cut: Slice, name: str) -> list[tuple[Op, int]]:
    uses: list[tuple[Op, int]] = []
    for op in cut.order:
        if op.opcode in ("make_descriptor", "make_block_ptr"):
            for axis, value in enumerate(op.group("strides")):
                param = cut.param(value)
                if param is not None and param.name == name:
                    uses.append((op, axis))
    return uses


def _held(value: Value) -> Expr | None:
    """A constant operand as an expression."""
    while value.op is not None and value.op.opcode in SAME:
        value = value.op.operands[0]
    if value.op is None or value.op.opcode != "const":
        return None
    held = value.op.attrs["value"]
    return held if isinstance(held, Expr) else const(held) if isinstance(held, int) else None


def _names(cut: Slice, value: Value) -> str:
    """The parameter or open constexpr that a value is, or empty."""
    param = cut.param(value)
    if param is not None:
        return param.name
    held = _held(value)
    return str(held) if held is not None and str(held) in cut.ir.open_symbols else ""


def _find_spans(cut: Slice, roles: Roles) -> None:
    """Constant extents and the tiles they are cut into: the tiles must not be so small that there are thousands."""

    def span(extent: Value, tile: Expr | None) -> None:
        held = _held(extent)
        if held is not None and held.is_const and tile is not None and str(tile) in roles.tiles:
            roles.spans[str(tile)] = max(roles.spans.get(str(tile), 0), held.value)

    for op in cut.order:
        if op.opcode in ("make_descriptor", "make_block_ptr"):
            for value, block in zip(op.group("shape"), op.attrs.get("block_shape") or (), strict=False):
                span(value, block if isinstance(block, Expr) else None)
        elif op.opcode == "for":
            span(op.group("ub")[0], _held(op.group("step")[0]))
        elif op.opcode == "elementwise" and op.fn in ("div", "cdiv") and len(op.operands) == 2:
            span(op.operands[0], _held(op.operands[1]))


def _units(cut: Slice, name: str) -> list[Expr]:
    """The tiles that a size is cut into: blocks of dimensions it is the extent of, divisors, loop steps."""
    found: list[Expr] = []
    for op in cut.order:
        if op.opcode in ("make_descriptor", "make_block_ptr"):
            for value, block in zip(op.group("shape"), op.attrs.get("block_shape") or (), strict=False):
                if _names(cut, value) == name:
                    found.append(block)
        elif op.opcode == "elementwise" and op.fn in ("div", "cdiv") and len(op.operands) == 2:
            divisor = _held(op.operands[1])
            if divisor is not None and _names(cut, op.operands[0]) == name:
                found.append(divisor)
        elif op.opcode == "for":
            upper, step = op.group("ub")[0], _held(op.group("step")[0])
            if step is not None and _names(cut, upper) == name:
                found.append(step)
    if not found:  # a size that only a mask compares with is cut into what the addresses count up
        ends = [op.attrs.get("end") for op in cut.order if op.opcode == "arange"]
        found = [end for end in ends if isinstance(end, Expr)]
    return list(dict.fromkeys(found))


def grids_for(axes: int, cores: int, thorough: bool) -> list[tuple[int, ...]]:
    """Launch grids of a rank, products within the number of cores, smallest first."""
    grids = {tuple(min(count, cores) for count in grid) for grid in _FEW_GRIDS[axes]}
    if thorough:
        grids |= set(product(sorted({min(c, cores) for c in CORE_COUNTS}), repeat=axes))
    grids = {grid for grid in grids if _product(grid) <= cores}
    return sorted(grids, key=lambda grid: (_product(grid), grid))


def _product(numbers: Sequence[int]) -> int:
    total = 1
    for number in numbers:
        total *= number
    return total


def tile_values(roles: Roles, known: Mapping[str, int]) -> dict[str, int]:
    """Values of the open constexprs that are no sizes: those given, else small ones."""
    chosen: dict[str, int] = {}
    for position, name in enumerate(roles.tiles):
        small = _TILE_SIZES[min(position, len(_TILE_SIZES) - 1)]
        while small * 8 < roles.spans.get(name, 0):
            small *= 2
        chosen[name] = known.get(name, small)
    for name in roles.constants:
        chosen[name] = known.get(name, _CONSTANT)
    return chosen


def unit_of(roles: Roles, name: str, tiles: Mapping[str, int]) -> list[int]:
    """The sizes of a size's tiles under an assignment, smallest first; [1] if it is not cut into any."""
    found: set[int] = set()
    for expr in roles.units.get(name, ()):
        try:
            found.add(expr.evaluate(tiles))
        except (KeyError, ZeroDivisionError, ValueError, OverflowError):
            continue
    return sorted(unit for unit in found if unit >= 1) or [1]


def plan(
    roles: Roles, names: Sequence[str], tiles: Mapping[str, int], moved: Collection[str], long: bool = True
) -> list[dict[str, int]]:
    """Assignments of the sizes in `names`, those with few tiles first; sizes that are not in `moved` stay at two tiles.

    `long` asks for more tiles than there are cores, too.
    """
    units = {name: unit_of(roles, name, tiles) for name in names}
    base = {name: 2 * units[name][-1] for name in names}
    swept = [name for name in names if name in moved]
    found: list[dict[str, int]] = [base]

    def together(count: int, less: int = 0) -> None:
        found.append(base | {n: max(1, count * units[n][-1] - (less if units[n][-1] > 1 else 0)) for n in swept})

    together(1)
    together(1, 1)
    together(2, -1)
    together(3)
    together(3, 1)
    for name in swept:
        for unit in units[name]:
            for size in (
                1,
                unit - 1,
                unit,
                unit + 1,
                3 * unit - 1,
                *([3 * unit, 5 * unit + 1, 7 * unit, 33 * unit + 1] if long else []),
            ):
                others = base if len(swept) < 4 else base | {n: units[n][-1] for n in swept if n != name}
                found.append(others | {name: max(1, size)})
    found = [{n: settled(roles, n, size, units[n][-1]) for n, size in sizes.items()} for sizes in found]
    unique = {tuple(sizes.values()): sizes for sizes in found}

    def tiles_in(sizes: Mapping[str, int]) -> list[int]:
        return [-(-sizes[n] // units[n][-1]) for n in swept]

    kept = [s for s in unique.values() if _product(tiles_in(s)) <= MAX_TILES or sum(t > 4 for t in tiles_in(s)) <= 1]
    return sorted(kept, key=lambda s: (_product(tiles_in(s)), sum(s.values()), tuple(s.values())))


def aligned(roles: Roles, names: Sequence[str], tilings: Sequence[Mapping[str, int]], count: int) -> dict[str, int]:
    """Sizes that are multiples of every tile of every assignment, `count` of the largest at least."""
    sizes: dict[str, int] = {}
    for name in names:
        step = 1
        for tiles in tilings:
            for unit in unit_of(roles, name, tiles):
                step = step * unit // _gcd(step, unit)
        sizes[name] = max(2, count * step)
    return sizes


def settled(roles: Roles, name: str, size: int, unit: int) -> int:
    """A size as it can be: one that a binding gives is no larger than there, and as ragged."""
    if name not in roles.bound:
        return size
    value = roles.bound[name]
    rest = value % unit
    near = (size - rest + unit // 2) // unit * unit + rest
    while near > value:
        near -= unit
    return near if near >= 1 else min(value, rest or unit)


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def with_strides(roles: Roles, env: dict[str, int]) -> dict[str, int]:
    """The assignment with strides added: extents that follow, or distances that nothing reaches."""
    scale = FAR
    for name, uses in roles.strides.items():
        best = 0
        for op, axis in uses:
            following = [evaluate(value, env) for value in op.group("shape")[axis + 1 :]]
            if all(isinstance(size, int) for size in following):
                best = max(best, _product(following))
        if best > 0:
            env[name] = best
        else:
            env[name] = scale
            scale *= 4099
    return env


def evaluate(value: Value, env: Mapping[str, int]) -> Any:
    """The number of a scalar that depends on parameters alone; None if it depends on anything else."""
    op = value.op
    if op is None:
        return env.get(value.name) if value.block is not None and value.block.parent is None else None
    if op.opcode in SAME:
        return evaluate(op.operands[0], env)
    if op.opcode == "const":
        held = op.attrs["value"]
        try:
            return held.evaluate(env) if isinstance(held, Expr) else held
        except (KeyError, ZeroDivisionError, ValueError, OverflowError):
            return None
    if op.opcode != "elementwise" or op.fn not in _EVALUATED:
        return None
    operands = [evaluate(operand, env) for operand in op.operands]
    if any(not isinstance(operand, int) for operand in operands):
        return None
    try:
        return _EVALUATED[op.fn](*operands)
    except values.LaunchFailed:
        return None


_EVALUATED: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": values.truncdiv,
    "rem": values.truncrem,
    "cdiv": values.cdiv,
    "min": min,
    "max": max,
}


def neutral(name: str) -> bool:
    """Whether a name says that a scalar is where something starts, so that 0 is its plain value."""
    return _NEUTRAL_NAME.search(name) is not None


def formulas(roles: Roles, name: str, others: Sequence[str], tiles: Mapping[str, int]) -> Iterator[tuple[str, Any]]:
    """What a scalar that only the host relates to the sizes may be: text, and a function of the other sizes."""
    terms: list[tuple[str, tuple[tuple[str, int], ...]]] = []
    for other in others:
        terms.append((other, ((other, 1),)))
        for unit in unit_of(roles, other, tiles):
            if unit > 1:
                terms.append((f"cdiv({other}, {unit})", ((other, unit),)))
    combined = [] if name in roles.in_shape else list(terms)
    for i, (text, factors) in enumerate(terms):
        for more_text, more in terms[i + 1 :]:
            if factors[0][0] != more[0][0]:
                combined.append((f"{text} * {more_text}", factors + more))
    if len(others) >= 3:
        combined.append((" * ".join(others), tuple((other, 1) for other in others)))
        combined.append(("the number of tiles", tuple((o, unit_of(roles, o, tiles)[-1]) for o in others)))

    def function(factors: tuple[tuple[str, int], ...]) -> Any:
        return lambda env: _product([-(-env[other] // unit) for other, unit in factors])

    for text, factors in combined:
        yield text, function(factors)
    if name in roles.in_shape:
        for other in others:
            for tile, value in tiles.items():
                yield f"{other} * {tile}", lambda env, other=other, value=value: env[other] * value
    if name not in roles.in_shape:
        yield "1", lambda env: 1
        yield "0", lambda env: 0
