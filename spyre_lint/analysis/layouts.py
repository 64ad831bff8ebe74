"""Physical layouts as markers give them: what an entry means, and which descriptors are marked with what.

A layout has one entry per physical dimension. A bare `src` (or `(src, "identity")`) is the logical dimension itself,
`(src, "floordiv", S)` the number of the stick, `(src, "mod", S)` the lane in it; the operations may also be written as
0, 1 and 2. Source: torch-spyre/triton at 661d116f7, what its frontend accepts and its verifier rejects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from spyre_lint.analysis.provenance import provenance
from spyre_lint.context import KernelInstance
from spyre_lint.ir.core import Op

CoordOp = Literal["identity", "floordiv", "mod"]
_OPS: tuple[CoordOp, ...] = ("identity", "floordiv", "mod")


@dataclass(frozen=True, slots=True)
class Coord:
    """One physical dimension: an operation on the logical dimension `src`, with the stick length `arg` for a split."""

    src: int
    op: CoordOp
    arg: int = 0

    @property
    def is_split(self) -> bool:
        """Whether it is the stick or the lane of a split dimension."""
        return self.op != "identity"

    def __str__(self) -> str:
        return f'({self.src}, "{self.op}", {self.arg})' if self.is_split else str(self.src)


Layout = tuple[Coord, ...]


def layout_text(layout: Layout) -> str:
    """A layout as its author would write it."""
    return f"[{', '.join(map(str, layout))}]"


def sticks(layout: Layout) -> dict[int, tuple[int, ...]]:
    """The stick lengths that each split logical dimension is split by; one where the layout is well formed."""
    found: dict[int, tuple[int, ...]] = {}
    for coord in layout:
        if coord.is_split and coord.arg not in found.get(coord.src, ()):
            found[coord.src] = (*found.get(coord.src, ()), coord.arg)
    return found


def is_logical(layout: Layout) -> bool:
    """Whether a layout changes nothing: every dimension as it is, in order."""
    return all(not coord.is_split and coord.src == position for position, coord in enumerate(layout))


def has_tuple_entries(value: Any) -> bool:
    """Whether a layout has entries that are tuples, the ones that only arrive whole in a plain Python object."""
    return isinstance(value, (tuple, list)) and any(isinstance(entry, (tuple, list)) for entry in value)


def read_layout(value: Any) -> Layout | str:
    """A layout from its plain value, or what is wrong with the way it is written."""
    if not isinstance(value, (tuple, list)):
        return f"`{_shown(value)}` is no list of entries"
    coords: list[Coord] = []
    for position, entry in enumerate(value):
        coord = _read_entry(entry)
        if isinstance(coord, str):
            return f"entry {position}, `{_shown(entry)}`, {coord}"
        coords.append(coord)
    return tuple(coords)


def _read_entry(entry: Any) -> Coord | str:
    parts = entry if isinstance(entry, (tuple, list)) else (entry, "identity")
    if len(parts) not in (2, 3):
        return 'is neither `src` nor `(src, "floordiv", S)` nor `(src, "mod", S)`'
    src, operation, arg = (*parts, 0)[:3]
    if not _is_integer(src) or not _is_integer(arg):
        return "has a number in it that is no integer"
    if isinstance(operation, int) and 0 <= operation < len(_OPS):
        operation = _OPS[operation]
    if operation not in _OPS:
        return f'has the operation `{_shown(operation)}`, which is none of "identity", "floordiv" and "mod"'
    return Coord(int(src), operation, int(arg) if operation != "identity" else 0)


def _shown(value: Any) -> str:
    return repr(value).replace("'", '"')


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def malformations(layout: Layout, rank: int | None) -> list[str]:
    """What the compiler's verifier rejects in a layout of a descriptor with `rank` dimensions (None: not known)."""
    if not layout:
        return ["it is empty, and has one entry per physical dimension"]
    found: list[str] = []
    for position, coord in enumerate(layout):
        if coord.src < 0 or (rank is not None and coord.src >= rank):
            dims = f"the descriptor has the dimensions 0 to {rank - 1}" if rank else "dimensions count from 0"
            found.append(f"entry {position}, `{coord}`, names dimension {coord.src}, and {dims}")
        if coord.is_split and coord.arg <= 0:
            found.append(f"entry {position}, `{coord}`, splits by {coord.arg}, and a stick has at least 1 element")
    for src, times in Counter(coord.src for coord in layout).items():
        ops = Counter(coord.op for coord in layout if coord.src == src)
        if times > 1 and ops != {"floordiv": 1, "mod": 1}:
            told = ", ".join(f'{ops[op]} "{op}"' for op in _OPS if ops[op])
            found.append(
                f"dimension {src} appears {times} times ({told}), and a dimension appears once, or twice as one "
                '"floordiv" and one "mod"'
            )
    return found


# ---- markers -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Marker:
    """A `tl.spyre_tensor_layout` of a kernel.

    `made` is the descriptor's `make_descriptor`, None where that is not known. `param` is the constexpr parameter that
    the layout is the value of, if it is one. `problems` says what is wrong with the layout; `layout` is None where it
    is written in a way that cannot be read, or not known (`reason` says why). `conditional` tells that the marker
    stands in a branch on something which no binding gives.
    """

    op: Op
    made: Op | None
    layout: Layout | None
    param: str
    problems: tuple[str, ...] = ()
    reason: str = ""
    conditional: bool = False


def markers(instance: KernelInstance) -> tuple[Marker, ...]:
    """The markers of an instance in program order; one that is given None marks nothing and is left out."""
    origins = instance.analysis(provenance)
    found = []
    for op in instance.ir.ops("layout_marker"):
        form, value = op.attrs["layout_form"], op.attrs["layout"]
        made = origins.descriptor(op.group("desc")[0])
        param, conditional = op.attrs["layout_param"], stands_in_open_branch(op)
        if form == "open":
            found.append(Marker(op, made, None, param, reason=op.attrs["reason"], conditional=conditional))
        elif value is not None:
            layout = read_layout(value)
            if isinstance(layout, str):
                found.append(Marker(op, made, None, param, (layout,), conditional=conditional))
            else:
                problems = tuple(malformations(layout, _rank(made)))
                found.append(Marker(op, made, layout, param, problems, conditional=conditional))
    return tuple(found)


def _rank(made: Op | None) -> int | None:
    """Number of dimensions of a descriptor."""
    return None if made is None or made.attrs.get("unread") else len(made.attrs["block_shape"])


def is_made_in_kernel(marker: Marker) -> bool:
    """Whether a layout has entries that are tuples and is made in the kernel, where Triton makes them its own."""
    return marker.op.attrs["layout_form"] == "kernel" and has_tuple_entries(marker.op.attrs["layout"])


def stands_in_open_branch(op: Op) -> bool:
    """Whether an operation stands in a branch on something that no binding gives."""
    return any(branch.attrs.get("constexpr") for branch, _ in enclosing_branches(op))


def enclosing_branches(op: Op) -> list[tuple[Op, int]]:
    """The `if`s around an operation, each with the number of the region it is in, innermost first."""
    found: list[tuple[Op, int]] = []
    block = op.block
    while block is not None and block.parent is not None:
        parent = block.parent
        if parent.opcode == "if":
            found.append((parent, next(i for i, region in enumerate(parent.regions) if region is block)))
        block = parent.block
    return found


def are_exclusive(first: Op, second: Op) -> bool:
    """Whether two operations stand in different regions of one `if`, so that only one of them happens."""
    regions = dict(enclosing_branches(first))
    return any(regions.get(branch, region) != region for branch, region in enclosing_branches(second))


def marked(instance: KernelInstance) -> dict[Op, Sequence[Marker]]:
    """The markers of each descriptor that has some, by the `make_descriptor`."""
    found: dict[Op, list[Marker]] = {}
    for marker in instance.analysis(markers):
        if marker.made is not None:
            found.setdefault(marker.made, []).append(marker)
    return {made: tuple(each) for made, each in found.items()}
