"""The scratchpad figure: the peak of live tile bytes of a kernel, and what is live there.

`live_tiles(instance)` is the analysis that checks ask for; `peak_of(ir)` the same without settings. The figure is
that of the kernel as Triton's passes leave it (`spyre_lint.analysis.canonical`), weighed at every program point
(`spyre_lint.analysis.liveness`). Under a binding that gives every size it is exact, to the byte.

Without one the tiles' bytes are formulas. The points that no other point is provably at least as heavy as are kept
(`LiveTiles.points`), and all of them are weighed at plausible sizes: constexprs as the settings' `tiles` patterns say
(128, `*_K` 64), an element type that nothing gives 2 bytes (fp16 and bf16, what kernels for this machine are written
in) or, where a dot or a run-time number has made the tile wider, 4 (fp32). `LiveTiles.assumed` holds every size that
was assumed, so that a message can name them.

Where something the frontend could not follow may hold tiles, the figure is a lower bound and `unknown` says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from spyre_lint.analysis.canonical import canonical
from spyre_lint.analysis.dominance import never_above, undominated
from spyre_lint.analysis.liveness import Point, Storage, Weighed, tile_type, weigh
from spyre_lint.findings import Location, Related
from spyre_lint.ir.core import Incomplete, KernelIR, Op
from spyre_lint.ir.sym import Expr, Symbol, const
from spyre_lint.ir.types import DType, OpaqueType, Shape, TileType
from spyre_lint.target import SpyreTarget

if TYPE_CHECKING:
    from spyre_lint.context import KernelInstance

ASSUMED_ELEMENT_BYTES = 2
"""Bytes of an element whose type nothing gives: 16-bit floats are what kernels for this machine are written in."""

ASSUMED_COMPUTED_BYTES = 4
"""Bytes of an element whose type nothing gives but that a dot or a run-time number went into: then it is fp32."""

DEFAULT_TILE = 128

MAX_POINTS = 24
"""Candidates for the peak that are kept; beyond, the lightest at the assumed sizes are dropped."""


@dataclass(frozen=True, slots=True)
class LiveTile:
    """A tile that counts at a program point.

    `name` is the author's name for it, or what makes it (`dot`, `exp`) in parentheses. `bytes` is a number under a
    binding that gives every size, `at_sizes` the number at the exact or assumed sizes. `loc` is where it is made.
    """

    name: str
    shape: Shape
    dtype: DType
    bytes: Expr
    at_sizes: int
    loc: Location

    @property
    def shape_text(self) -> str:
        """The shape as `128x64`."""
        return "x".join(str(extent) for extent in self.shape)

    @property
    def dtype_text(self) -> str:
        """The element type as a message tells it."""
        return str(self.dtype) if self.dtype.is_known else "of unknown type"


@dataclass(frozen=True, slots=True)
class LivePoint:
    """A program point and the tiles that count there, heaviest first.

    `loc` is the operation the point follows (or precedes, where a body begins or a constant becomes storage), `stack`
    the calls through which it was inlined. `at_sizes` is the sum at the exact or assumed sizes.
    """

    bytes: Expr
    at_sizes: int
    loc: Location
    stack: tuple[Location, ...]
    tiles: tuple[LiveTile, ...]

    @property
    def kernel_loc(self) -> Location:
        """The place in the kernel's own body: the operation, or the call it was inlined through."""
        return self.stack[0] if self.stack else self.loc


@dataclass(frozen=True, slots=True)
class LineWeight:
    """The heaviest point of one source line of the kernel's own body, at the exact or assumed sizes."""

    line: int
    bytes: int
    formula: Expr


@dataclass(frozen=True, slots=True)
class LiveTiles:
    """Peak of live tile bytes of a kernel under one binding. See the module's docstring for exact and assumed sizes.

    `points` are the candidates for the peak, the heaviest at the sizes first; exactly one if every size is known.
    `profile` computes the profile over the kernel's lines when it is asked for: only the budget shows it. `unknown`
    says what may hold tiles that were not counted (then every figure is a lower bound).
    """

    points: tuple[LivePoint, ...]
    profile: Callable[[], tuple[LineWeight, ...]]
    assumed: Mapping[Symbol, int]
    unknown: tuple[Incomplete, ...]

    @property
    def lines(self) -> tuple[LineWeight, ...]:
        """The profile over the kernel's lines, in their order."""
        return self.profile()

    @property
    def peak(self) -> LivePoint:
        """The heaviest point at the exact or assumed sizes."""
        return self.points[0]

    @property
    def tiles(self) -> tuple[LiveTile, ...]:
        """The tiles at the peak, heaviest first."""
        return self.peak.tiles

    @property
    def peak_bytes(self) -> int | None:
        """The exact peak in bytes; None if a size was assumed or something was not counted."""
        return None if self.unknown or self.assumed else self.peak.at_sizes

    @property
    def plausible_bytes(self) -> int:
        """The peak at the exact or assumed sizes (a lower bound if `unknown` is not empty)."""
        return self.peak.at_sizes

    @property
    def formula(self) -> str:
        """The peak as a formula in the sizes that are open: the greatest of what the candidate points hold."""
        return _greatest([point.bytes for point in self.points])

    @property
    def formula_in_tiles(self) -> str:
        """The same with element types as assumed, so that only tile sizes are open: shorter, for people."""
        elements = {symbol: size for symbol, size in self.assumed.items() if symbol.kind == "size"}
        return _greatest(undominated(point.bytes.substitute(elements) for point in self.points))

    @property
    def reason(self) -> str:
        """Why there is no exact figure, in words fit for a message; empty if there is one."""
        if self.unknown:
            first = self.unknown[0]
            more = f" (and {len(self.unknown) - 1} more)" if len(self.unknown) > 1 else ""
            return f"{first.reason}, line {first.loc.line}{more}"
        if self.assumed:
            return f"no binding gives {_listed(sorted({s.name for s in self.assumed}))}"
        return ""

    def bytes_at(self, sizes: Mapping[str, int]) -> int:
        """The peak with some open sizes given by name, the rest as assumed."""
        values = {symbol: sizes.get(symbol.name, assumed) for symbol, assumed in self.assumed.items()}
        return max(_evaluate(point.bytes, values) for point in self.points)

    def assumptions(self) -> str:
        """The assumed sizes as text, `BLOCK_M=128, sizeof(x_ptr)=2, 4-byte computed elements`; empty if there are none.

        Types that several operands decide have long names, and follow from the others or are told together.
        """
        computed = {symbol for symbol, size in self.assumed.items() if _is_computed(symbol, size)}
        single = [symbol for symbol in self.assumed if symbol not in computed and " and " not in symbol.name]
        pairs = sorted((symbol.name, self.assumed[symbol]) for symbol in single)
        told = [f"{name}={size}" for name, size in dict(pairs).items()]
        return ", ".join([*told, f"{ASSUMED_COMPUTED_BYTES}-byte computed elements"] if computed else told)

    def describe_tiles(self) -> str:
        """The tiles at the peak as text: `acc 128x128 fp32 65536 bytes (line 12), ...`."""
        weights = (f"{t.bytes} bytes" if t.bytes.is_const else str(t.bytes) for t in self.tiles)
        return ", ".join(
            f"{t.name} {t.shape_text} {t.dtype_text} {weight} (line {t.loc.line})"
            for t, weight in zip(self.tiles, weights, strict=True)
        )

    def related(self) -> tuple[Related, ...]:
        """The tiles at the peak as related locations."""
        return tuple(
            Related(f"`{t.name}`: {t.shape_text} {t.dtype_text}, {t.bytes} bytes live at the peak", t.loc)
            for t in self.tiles
        )

    def evidence(self, target: SpyreTarget) -> dict[str, object]:
        """What a finding about the peak holds as data."""
        return {
            "peak_bytes": self.peak_bytes,
            "plausible_bytes": self.plausible_bytes,
            "scratchpad_bytes": target.scratchpad_bytes,
            "usable_bytes": target.usable_bytes,
            "share": round(self.plausible_bytes / target.scratchpad_bytes, 4),
            "formula": self.formula,
            "assumed": {symbol.name: size for symbol, size in self.assumed.items()},
            "live": [tile_data(tile) for tile in self.tiles],
        }


def tile_data(tile: LiveTile) -> dict[str, object]:
    """A live tile as JSON data: extents and bytes are numbers where they are known, formulas otherwise."""
    return {
        "name": tile.name,
        "shape": [_number_or_text(extent) for extent in tile.shape],
        "dtype": str(tile.dtype),
        "bytes": _number_or_text(tile.bytes),
        "line": tile.loc.line,
    }


def share_text(size: int, target: SpyreTarget) -> str:
    """Bytes as a share of the scratchpad: `1.25 MiB, 62.5 % of the 2 MiB scratchpad`."""
    share = 100 * size / target.scratchpad_bytes
    return f"{size_text(size)}, {share:.1f} % of the {size_text(target.scratchpad_bytes)} scratchpad"


def size_text(size: int) -> str:
    """Bytes with a binary unit, as short as it stays truthful: `96 KiB`, `1.25 MiB`, `640 bytes`."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.2f}".rstrip("0").rstrip(".") + f" {name}"
    return f"{size} bytes"


# ---- the analysis --------------------------------------------------------------------------------------------


def live_tiles(instance: KernelInstance) -> LiveTiles:
    """The analysis of a kernel instance (use it as `instance.analysis(live_tiles)`)."""
    return peak_of(instance.ir, instance.settings.plausible_tile)


def peak_of(ir: KernelIR, plausible: Callable[[str], int] | None = None, *, max_points: int = MAX_POINTS) -> LiveTiles:
    """The peak of live tile bytes of lowered IR.

    `plausible` gives the size assumed for an open constexpr's name. At most `max_points` candidates for the peak are
    kept, the heaviest at these sizes.
    """
    graph = canonical(ir)
    bases = {value for op in ir.ops("make_descriptor") for value in op.group("base")}
    pointers = {p.name for p in ir.params if p.role in ("pointer", "descriptor") or p.value in bases}
    sizes = _Sizes(plausible or (lambda _: DEFAULT_TILE), pointers)
    found = weigh(graph, sizes.bytes_of)
    # The point at the start of a body stands at no operation: it counts only where something is live there.
    weighed = [(weight, point) for weight, point in found.points if point.op is not None or any(point.tiles())]
    heaviest = sorted(weighed, key=lambda p: (-p[0], p[1].order, not p[1].before))
    points = (
        _candidates(heaviest, sizes, max_points) if sizes.assumed else [_live_point(p, sizes) for _, p in heaviest[:1]]
    )
    if not points:
        points = [LivePoint(const(0), 0, ir.loc, (), ())]
    opaque = {(op.loc, reason): op for op in found.opaque for reason in _reasons(op)}
    unknown = [Incomplete(loc, reason, op.stack) for (loc, reason), op in opaque.items()]
    return LiveTiles(tuple(points), partial(_profile, weighed, sizes), sizes.assumed, tuple(unknown))


class _Sizes:
    """Bytes of tiles, with sizes assumed for what nothing gives."""

    def __init__(self, plausible: Callable[[str], int], pointers: Collection[str]) -> None:
        self._plausible = plausible
        self._pointers = pointers
        self.assumed: dict[Symbol, int] = {}
        self._formulas: dict[TileType, Expr] = {}
        self._numbers: dict[TileType, int] = {}

    def formula_of(self, type_: TileType) -> Expr:
        """Bytes of a tile of this type as an expression."""
        if type_ not in self._formulas:
            self._formulas[type_] = type_.byte_expr
        return self._formulas[type_]

    def bytes_of(self, type_: TileType) -> int:
        """Bytes of a tile of this type at the exact or assumed sizes."""
        if type_ not in self._numbers:
            self._numbers[type_] = self._number(self.formula_of(type_))
        return self._numbers[type_]

    def _number(self, size: Expr) -> int:
        if size.is_const:
            return size.value
        for symbol in size.ordered_symbols():
            if symbol not in self.assumed:
                self.assumed[symbol] = self._element(symbol) if symbol.kind == "size" else self._plausible(symbol.name)
        return _evaluate(size, self.assumed)

    def _element(self, symbol: Symbol) -> int:
        """Bytes of an element type that the parameters in `sizeof(a and b)` decide."""
        origins = symbol.name.removeprefix("sizeof(").removesuffix(")").split(" and ")
        stored = all(origin.lstrip("*") in self._pointers for origin in origins)
        return ASSUMED_ELEMENT_BYTES if stored else ASSUMED_COMPUTED_BYTES


def _is_computed(symbol: Symbol, size: int) -> bool:
    """Whether this is the size of an element that was computed, not stored."""
    return symbol.kind == "size" and size == ASSUMED_COMPUTED_BYTES


def _evaluate(size: Expr, values: Mapping[Symbol, int]) -> int:
    if size.is_const:
        return size.value
    try:
        return size.evaluate(dict(values))
    except (KeyError, ArithmeticError):
        return 0


def _reasons(op: Op) -> list[str]:
    return [result.type.reason for result in op.results if isinstance(result.type, OpaqueType)]


def _live_point(point: Point, sizes: _Sizes) -> LivePoint:
    tiles = sorted((_live_tile(tile, sizes) for tile in point.tiles()), key=_tile_order)
    total = const(0)
    for tile in tiles:
        total = total + tile.bytes
    op = point.op
    loc = op.loc if op is not None else tiles[0].loc
    stack = op.stack if op is not None else ()
    return LivePoint(total, sum(tile.at_sizes for tile in tiles), loc, stack, tuple(tiles))


def _tile_order(tile: LiveTile) -> tuple[object, ...]:
    return (-tile.at_sizes, tile.loc, tile.name, tile.shape_text, str(tile.dtype))


def _live_tile(tile: Weighed, sizes: _Sizes) -> LiveTile:
    type_ = tile_type(tile)
    loc = tile.op.loc if tile.op is not None else tile.loc
    if isinstance(tile, Storage):
        name = tile.name or (
            "(accumulator of a dot)" if tile.op.opcode == "dot" else f"(constant for {tile.op.opcode})"
        )
        loc = (tile.value.loc if tile.value is not None else None) or loc
    elif tile.op is not None:
        name = tile.name or f"({tile.op.fn or tile.op.opcode})"
    else:
        name = tile.name or "(carried)"
    assert loc is not None
    return LiveTile(name, type_.shape, type_.dtype, sizes.formula_of(type_), sizes.bytes_of(type_), loc)


def _candidates(heaviest: Sequence[tuple[int, Point]], sizes: _Sizes, max_points: int) -> list[LivePoint]:
    """The points that no other is provably at least as heavy as, the heaviest at the assumed sizes first."""
    kept: list[tuple[Counter[TileType], Expr]] = []
    result: list[LivePoint] = []
    seen: set[frozenset[tuple[TileType, int]]] = set()
    for _, point in heaviest:
        types = Counter(tile_type(tile) for tile in point.tiles())
        key = frozenset(types.items())
        if key in seen:
            continue
        seen.add(key)
        if any(_within(types, other) for other, _ in kept):
            continue
        total = const(0)
        for type_, count in types.items():
            total = total + sizes.formula_of(type_) * count
        if any(never_above(total, other) for _, other in kept):
            continue
        kept.append((types, total))
        result.append(_live_point(point, sizes))
        if len(result) >= max_points:
            break
    return result


def _within(few: Mapping[TileType, int], many: Mapping[TileType, int]) -> bool:
    """Whether every tile of one point counts at the other, too."""
    return all(many.get(type_, 0) >= count for type_, count in few.items())


def _profile(points: Sequence[tuple[int, Point]], sizes: _Sizes) -> tuple[LineWeight, ...]:
    """The heaviest point of each line of the kernel where anything is live (helpers count where they are called)."""
    best: dict[int, tuple[int, Point]] = {}
    for weight, point in points:
        if point.op is None or not weight:
            continue
        line = (point.op.stack[0] if point.op.stack else point.op.loc).line
        if line not in best or weight > best[line][0]:
            best[line] = (weight, point)
    return tuple(
        LineWeight(line, weight, _live_point(point, sizes).bytes) for line, (weight, point) in sorted(best.items())
    )


def _greatest(sums: Iterable[Expr]) -> str:
    """Sums of which none is provably the greatest, as text; proving it again would cost more than it tells."""
    texts = list(dict.fromkeys(str(size) for size in sums))
    return texts[0] if len(texts) == 1 else f"max({', '.join(texts)})"


def _number_or_text(size: Expr) -> int | str:
    return size.value if size.is_const else str(size)


def _listed(names: Sequence[str]) -> str:
    shown = [f"`{name}`" for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
