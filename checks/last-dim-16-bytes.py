"""The last block dimension of a descriptor holds at least 16 bytes (SPY201). The page beside this file says why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spyre_lint.analysis.provenance import provenance
from spyre_lint.checks._support import beyond_bindings, counted, place, violations, written
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Level, Location, Related
from spyre_lint.ir.core import Op
from spyre_lint.ir.sym import Expr, compare
from spyre_lint.ir.types import DType, dtype_of
from spyre_lint.rules import Rule, check

LAST_DIMENSION = Rule(
    "SPY201",
    "last-dim-below-16-bytes",
    Level.ERROR,
    "The last block dimension of a descriptor holds less than 16 bytes.",
)
_LARGEST_ELEMENT = 8
_COMMON_ELEMENT = 2
"""Bytes of fp16 and bf16: a block too small for these is most likely too small."""


@check(LAST_DIMENSION, scope="instance")
def last_dimensions(instance: KernelInstance) -> Iterator[Finding]:
    """Every descriptor under a binding."""
    for op in instance.ir.ops("make_descriptor"):
        yield from _judge(instance, op)


@check(LAST_DIMENSION, scope="kernel")
def last_dimensions_beyond_bindings(context: KernelContext) -> Iterator[Finding]:
    """What is too small for every type, in branches that no binding takes."""
    for op in beyond_bindings(context, "make_descriptor"):
        yield from violations(_judge(context.source, op))


@dataclass(frozen=True, slots=True)
class _Row:
    """One descriptor: `width` elements of `dtype` in the last dimension of its block."""

    instance: KernelInstance
    op: Op
    width: Expr
    dtype: DType

    @property
    def minimum(self) -> int:
        return self.instance.settings.target.min_last_dim_bytes

    def least(self, size: int) -> int:
        """Elements of `size` bytes that reach the minimum."""
        return -(-self.minimum // size)

    @property
    def text(self) -> str:
        """The width as written, with its value where that says more."""
        said = written(self.op, "block_shape", -1) or str(self.width)
        if not self.width.is_const:
            return f"`{said}`"
        return said if said == str(self.width) else f"`{said}` = {self.width}"


def _judge(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    block: tuple[Expr, ...] = op.attrs["block_shape"]
    open_dims = op.attrs.get("runtime_block_dims", ())  # told by SPY108
    if not block or "block_shape" in op.attrs.get("unread", ()) or len(block) - 1 in open_dims:
        return
    row = _Row(instance, op, block[-1], dtype_of(op.result.type))
    where = place(op, "block_shape", -1)
    size = row.dtype.byte_size
    # Without a type, the widest element decides whether it can fit and the narrowest whether it always does.
    if compare(row.width * (size or 1), "ge", row.minimum):
        yield LAST_DIMENSION.satisfied(where)
    elif compare(row.width * (size or _LARGEST_ELEMENT), "lt", row.minimum):
        yield _violated(row, where)
    else:
        yield _unproven(row, where)


def _violated(row: _Row, where: Location) -> Finding:
    size, width = row.dtype.byte_size, row.width
    total = width * (size or _LARGEST_ELEMENT)
    amount = counted(total.value, "byte") if total.is_const else f"{total} bytes"
    if size:
        least, message = row.least(size), f"the last block dimension, {row.text} of {row.dtype}, is {amount}"
        help_ = f"use a last block dimension of at least {least} elements of {row.dtype}"
    else:
        least, message = row.least(1), f"the last block dimension, {row.text}, is at most {amount} whatever its type"
        help_ = f"use a last block dimension of at least {least} elements ({row.least(2)} of a 16-bit type)"
    related = list(row.instance.related_calls(row.op))
    loop = _item_loop(row)
    if loop is not None:
        help_ = (
            "load a batch of items at once: `block_shape=[..., BLOCK_ITEMS]` with BLOCK_ITEMS at least "
            f"{least}, and a loop over batches instead of single items"
        )
        related.append(Related("one item per iteration of this loop", loop.loc))
    elif width.is_const and width.value == 1 and len(row.op.attrs["block_shape"]) > 1:
        help_ += "; a column of single elements never gets there: let the tensor end with another dimension"
    evidence = {
        "elements": width.value if width.is_const else str(width),
        "dtype": row.dtype.name if size else None,
        "bytes": total.value if size and total.is_const else None,
        "least_elements": least,
    }
    return LAST_DIMENSION.violated(
        where,
        f"{message}; a descriptor needs at least {row.minimum}",
        help=help_,
        related=[*related, *_scalar_gap(row)],
        evidence=evidence,
    )


def _unproven(row: _Row, where: Location) -> Finding:
    size, width = row.dtype.byte_size, row.width
    level = Level.NOTE
    message = f"the last block dimension reaches {row.minimum} bytes "
    if size is not None:
        message += f"from {row.text} = {row.least(size)} on, with elements of {row.dtype}, and {row.text} is not known"
    elif width.is_const:
        level = Level.WARNING if width.value * _COMMON_ELEMENT < row.minimum else Level.NOTE
        message = message.replace("dimension ", f"dimension, {row.text}, ")
        message += f"only with elements of at least {row.least(width.value)} bytes, and the element type is not known"
    elif compare(width * _COMMON_ELEMENT, "ge", row.minimum):
        message = (
            f"the last block dimension, {row.text}, is at least {row.least(_COMMON_ELEMENT)}: {row.minimum} bytes with "
            f"16-bit elements or wider ones, but 8-bit ones need {row.least(1)}, and the element type is not known"
        )
    else:
        message += (
            f"from {row.text} = {row.least(2)} on with 16-bit elements ({row.least(4)} with 32-bit, {row.least(1)} "
            "with 8-bit), and neither is known"
        )
    binding = row.instance.binding
    reasons = binding.open_reasons if binding is not None else {}
    told = [reasons[symbol.name] for symbol in width.ordered_symbols() if symbol.name in reasons]
    return LAST_DIMENSION.unproven_at(
        where,
        message + (f": {told[0]}" if told else ""),
        help="a launch or a driver that gives element types and constexprs settles it",
        level=level,
        related=[*row.instance.related_calls(row.op), *_scalar_gap(row)],
    )


def _item_loop(row: _Row) -> Op | None:
    """The distribution loop whose counter is the offset in the last dimension of an access: one item per iteration.

    None where the block holds several items already, and is only too short.
    """
    if not (row.width.is_const and row.width.value == 1):
        return None
    origins = row.instance.analysis(provenance)
    for access in row.instance.ir.ops("desc_load", "desc_store"):
        offsets = access.group("offsets")
        if not offsets or origins.descriptor(access.group("desc")[0]) is not row.op:
            continue
        for loop in origins.origins(offsets[-1]).loops:
            bounds = [*loop.group("lb"), *loop.group("ub")]
            if any(origins.origins(bound).program_axes for bound in bounds):
                return loop
    return None


def _scalar_gap(row: _Row) -> Iterator[Related]:
    gap = row.instance.file.gap_at(row.op.loc)
    if gap is not None and "scalar" in gap.limitation.lower():
        where = Location(row.op.loc.path, gap.line, gap.column, gap.line, gap.end_column)
        yield Related("this declares a scalar descriptor a gap, which does not excuse it: no frontend takes one", where)
