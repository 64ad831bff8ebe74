"""Layouts as values: their entries, stick lengths, blocks and extents (SPY703 to SPY706, SPY709)."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.layouts import Marker, is_made_in_kernel, sticks
from spyre_lint.analysis.provenance import provenance
from spyre_lint.checks._layout_places import descriptor_name, layout_name, layout_place, related_marker
from spyre_lint.checks._support import counted, known_size, written
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Related, Verdict
from spyre_lint.ir.core import Op
from spyre_lint.ir.sym import Expr, compare, divides
from spyre_lint.ir.types import DType, dtype_of
from spyre_lint.rules import Rule

MALFORMED = Rule("SPY703", "layout-malformed", Level.ERROR, "A layout's entries do not describe a physical layout.")
STICK = Rule(
    "SPY704", "stick-divisor", Level.ERROR, "A dimension is split into sticks of another size than a stick is."
)
SUB_STICK = Rule(
    "SPY705", "sub-stick-block", Level.ERROR, "A block is smaller than a stick in a dimension that is split."
)
RAGGED = Rule(
    "SPY706", "ragged-stick-extent", Level.ERROR, "The extent of a split dimension is no multiple of a stick."
)
GATHER_ROW = Rule("SPY709", "gather-row-stick-split", Level.ERROR, "The rows that a gather or scatter picks are split.")

_ELEMENT_SIZES = (1, 2, 4, 8)


def judge_value(instance: KernelInstance, marker: Marker) -> Iterator[Finding]:
    """SPY703 to SPY706 and SPY709 for one marker with the layout that its binding gives."""
    where, related = layout_place(instance, marker), tuple(related_marker(instance, marker))
    if marker.problems:
        message = f"{layout_name(marker)}: {'; '.join(marker.problems)}"
        yield MALFORMED.violated(where, message, help=_FORM, related=related)
        return
    if marker.layout is None:
        if instance.binding is not None and instance.binding.source != "defaults":
            reason = instance.binding.open_reasons.get(marker.param, marker.reason)
            message = f"whether {layout_name(marker)} is well formed depends on its value: {reason}"
            yield MALFORMED.unproven_at(where, message, related=related)
        return
    yield MALFORMED.satisfied(where)
    if marker.made is None:
        return
    rows = _row_access(instance, marker.made)
    for dimension, lengths in sticks(marker.layout).items():
        if dimension == 0 and rows is not None:
            yield _split_rows(instance, marker, rows)
            continue
        for finding in _Split(instance, marker, marker.made, dimension, lengths).judge():
            if not (_is_open(finding) and is_made_in_kernel(marker)):  # SPY701 asks for another layout anyway
                yield finding.with_(related=related) if finding.message else finding


_FORM = 'a layout is a list with one entry per physical dimension: `src`, `(src, "floordiv", S)` or `(src, "mod", S)`'


def _row_access(instance: KernelInstance, made: Op) -> Op | None:
    origins = instance.analysis(provenance)
    accesses = instance.ir.ops("desc_gather", "desc_scatter")
    return next((op for op in accesses if origins.descriptor(op.group("desc")[0]) is made), None)


def _split_rows(instance: KernelInstance, marker: Marker, access: Op) -> Finding:
    kind = access.opcode.removeprefix("desc_")
    return GATHER_ROW.violated(
        marker.op.loc,
        f"{layout_name(marker)} splits dimension 0 of {descriptor_name(marker)} into sticks, and a {kind} picks its "
        "rows one by one from there",
        help="split another dimension, or leave the descriptor unmarked",
        related=(Related(f"the {kind}", access.loc), *instance.related_calls(marker.op)),
    )


def _is_open(finding: Finding) -> bool:
    return finding.verdict is Verdict.UNPROVEN


class _Split:
    """One dimension of a descriptor that a layout splits into sticks."""

    def __init__(
        self, instance: KernelInstance, marker: Marker, made: Op, dimension: int, lengths: tuple[int, ...]
    ) -> None:
        self.instance = instance
        self.marker = marker
        self.made = made
        self.dimension = dimension
        self.lengths = lengths
        self.length = max(lengths)
        self.where = layout_place(instance, marker)
        self.dtype: DType = dtype_of(made.result.type)
        self.name = f"dimension {dimension} of {descriptor_name(marker)}"

    def judge(self) -> Iterator[Finding]:
        stick = self._stick()
        yield stick
        block, extent = self._block(), self._extent()
        for finding in (block, extent):
            # What could not be shown of sticks of the wrong size says nothing.
            if finding is not None and not (_is_open(finding) and stick.verdict is Verdict.VIOLATED):
                yield finding

    def _stick(self) -> Finding:
        total = self.instance.settings.target.stick_bytes
        said = " and ".join(map(str, self.lengths))
        size = self.dtype.byte_size
        if size is None:
            possible = [total // each for each in _ELEMENT_SIZES]
            if len(self.lengths) == 1 and self.length in possible:
                needed = total // self.length
                return STICK.unproven_at(
                    self.where,
                    f"{layout_name(self.marker)} splits {self.name} by {said}, a stick of {total} bytes if elements "
                    f"have {counted(needed, 'byte')}, and their type is not known",
                    help="a driver or a launch that gives the element types settles it",
                )
            message = f"{layout_name(self.marker)} splits {self.name} by {said}, and no type makes that a stick"
            right = f"{total} // the bytes of an element"
        elif self.lengths == (total // size,):
            return STICK.satisfied(self.where)
        else:
            bytes_ = " and ".join(counted(each * size, "byte") for each in self.lengths)
            right = str(total // size)
            message = (
                f"{layout_name(self.marker)} splits {self.name} by {said}: {bytes_} of {self.dtype}, and a stick is "
                f"{total} bytes, {right} elements"
            )
        return STICK.violated(
            self.where,
            message,
            help=f"split by {right}, computed from the element type as `{total} // itemsize`",
            evidence={"stick": self.length, "expected": total // size if size else None, "dimension": self.dimension},
        )

    def _block(self) -> Finding | None:
        if self.dimension in self.made.attrs.get("runtime_block_dims", ()):
            return None  # told by SPY108
        block: Expr = self.made.attrs["block_shape"][self.dimension]
        text = self._text("block_shape", block)
        if compare(block, "ge", self.length):
            return SUB_STICK.satisfied(self.where)
        if compare(block, "lt", self.length):
            return SUB_STICK.violated(
                self.where,
                f"the block has {text} elements in {self.name}, less than the stick of {self.length} it is split into",
                help=f"use a block of at least {self.length} there, in multiples of it",
                evidence={"block": block.value if block.is_const else str(block), "stick": self.length},
            )
        return SUB_STICK.unproven_at(
            self.where,
            f"whether the block, {text} elements in {self.name}, holds a stick of {self.length} is not known",
        )

    def _extent(self) -> Finding | None:
        extents = self.made.group("shape")
        if self.dimension >= len(extents):
            return None
        extent = known_size(self.instance, extents[self.dimension])
        text = self._text("shape", extent)
        answer = divides(self.length, extent)
        help_ = f"pad the tensor on the host to a multiple of {self.length} there: no compiler reports the ragged stick"
        if answer:
            return RAGGED.satisfied(self.where)
        if answer is None:
            message = (
                f"the extent of {self.name}, {text}, must be a multiple of {self.length}, and its value is not known"
            )
            return RAGGED.unproven_at(self.where, message, help=help_)
        message = (
            f"the extent of {self.name}, {text}, is no multiple of {self.length}: its last stick ends past the tensor"
        )
        evidence = {"extent": extent.value if extent.is_const else str(extent), "stick": self.length}
        return RAGGED.violated(self.where, message, help=help_, evidence=evidence)

    def _text(self, argument: str, size: Expr) -> str:
        """A size as written, with its value where that says more."""
        said = written(self.made, argument, self.dimension) or str(size)
        return f"`{said}` = {size}" if size.is_const and said != str(size) else f"`{said}`"
