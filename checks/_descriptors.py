"""How a descriptor is made: strides, block shape, padding (SPY106 to SPY109, SPY118)."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.provenance import provenance
from spyre_lint.checks._support import counted, known_size, place
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Location
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Expr, compare, const, divides
from spyre_lint.ir.types import dtype_of
from spyre_lint.rules import Rule

INNER_STRIDE = Rule(
    "SPY106",
    "inner-stride-not-one",
    Level.ERROR,
    "The last stride of a descriptor is not the constant 1.",
    unproven=Level.WARNING,
)
STRIDE_ALIGNMENT = Rule(
    "SPY107", "stride-misaligned", Level.ERROR, "An outer stride of a descriptor is no multiple of 16 bytes."
)
BLOCK_CONSTEXPR = Rule(
    "SPY108", "block-shape-not-constexpr", Level.ERROR, "A block dimension depends on a run-time value."
)
BLOCK_VALID = Rule(
    "SPY109", "block-shape-invalid", Level.ERROR, "A descriptor's shape, strides and block shape do not make sense."
)
PADDING = Rule("SPY118", "non-zero-padding-option", Level.WARNING, "A descriptor asks for a padding other than zero.")

_TYPED_BY_DRIVER = ("driver", "wrapper", "fixture")


def judge_descriptor(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    """All rules of this module for one `make_descriptor`."""
    unread = op.attrs.get("unread", ())
    if "strides" not in unread:
        yield from _inner_stride(instance, op)
        yield from _outer_strides(instance, op)
    if "block_shape" not in unread:
        yield from _runtime_blocks(instance, op)
        yield from _block_shape(instance, op)
    yield from _padding(instance, op)


def _inner_stride(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    strides = op.group("strides")
    if not strides:
        return
    where, related = place(op, "strides", -1), instance.related_calls(op)
    stride = known_size(instance, strides[-1])
    name = strides[-1].name or str(stride)
    is_one = compare(stride, "eq", 1)
    typed = _typed_as_integer(instance, strides[-1])
    reads = "the last dimension of a descriptor is contiguous"
    if is_one and not typed:
        yield INNER_STRIDE.satisfied(where)
    elif is_one is False:
        message = f"the last stride is {stride}, and {reads}: it must be the constant 1"
        help_ = "put the dimension with stride 1 last and `tl.trans` the loaded tile, or make the tensor contiguous"
        yield INNER_STRIDE.violated(where, message, help=help_, related=related)
    elif typed:
        message = f"the last stride `{name}` is typed `{typed}`, a run-time value: it must be the constant 1"
        help_ = f"write the literal 1, or pass `{name}` as a `tl.constexpr` with the value 1"
        yield INNER_STRIDE.violated(where, message, help=help_, related=related)
    else:
        message = f"whether the last stride `{name}` is 1 depends on the launch: Triton takes it only where it is 1"
        help_ = "write the literal 1"
        yield INNER_STRIDE.unproven_at(where, message, help=help_, related=related)


def _typed_as_integer(instance: KernelInstance, stride: Value) -> str:
    """The run-time type that a driver gives a stride or what it is computed from; empty if there is none."""
    origins = instance.analysis(provenance).origins(stride)
    binding = instance.binding
    if binding is not None and binding.source in _TYPED_BY_DRIVER:
        for name in sorted(origins.params):
            if name in binding.dtypes:
                return binding.dtypes[name]
    return ""


def _outer_strides(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    target = instance.settings.target
    dtype = dtype_of(op.result.type)
    for position, value in enumerate(op.group("strides")[:-1]):
        stride = known_size(instance, value)
        sizes = (dtype.byte_size,) if dtype.byte_size is not None else (1, 2, 4, 8)
        answers = {divides(target.stride_alignment_bytes, stride * size) for size in sizes}
        where = place(op, "strides", position)
        if answers == {True}:
            yield STRIDE_ALIGNMENT.satisfied(where)
        elif answers == {False}:
            size = f" of {dtype} are {stride * sizes[0]} bytes" if dtype.is_known else " of any type"
            yield STRIDE_ALIGNMENT.violated(
                where,
                f"the stride of dimension {position}: {stride} elements{size}, "
                f"no multiple of {target.stride_alignment_bytes} bytes",
                help="pad the rows of the tensor on the host so that each starts at such a multiple",
                related=instance.related_calls(op),
            )


def _runtime_blocks(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    for position in op.attrs.get("runtime_block_dims", ()):
        entry = op.attrs["block_exprs"][position]
        name = f" (`{entry.name}`)" if isinstance(entry, Value) and entry.name else ""
        yield BLOCK_CONSTEXPR.violated(
            place(op, "block_shape", position),
            f"dimension {position} of the block shape{name} depends on a run-time value",
            help="use a `tl.constexpr` parameter for the size of the block, and loop over the dimension block by block",
            related=instance.related_calls(op),
        )


def _block_shape(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    target = instance.settings.target
    block: tuple[Expr, ...] = op.attrs["block_shape"]
    unread = op.attrs.get("unread", ())
    related = instance.related_calls(op)

    def wrong(where: Location, message: str, help_: str) -> Finding:
        return BLOCK_VALID.violated(where, message, help=help_, related=related)

    ranks = {"block shape": len(block)}
    ranks |= {name: len(op.group(name)) for name in ("shape", "strides") if name not in unread}
    if len(set(ranks.values())) > 1:
        told = ", ".join(f"{name} {counted(rank, 'dimension')}" for name, rank in ranks.items())
        yield wrong(op.loc, f"the ranks differ: {told}", "give each of them one entry per dimension")
    elif not 1 <= len(block) <= target.max_descriptor_rank:
        message = f"a descriptor has 1 to {target.max_descriptor_rank} dimensions, this one {len(block)}"
        yield wrong(place(op, "block_shape"), message, "merge dimensions that are contiguous in memory")
    elements = const(1)
    for position, dim in enumerate(block):
        elements = elements * dim
        where = place(op, "block_shape", position)
        if compare(dim, "lt", 1):
            yield wrong(
                where, f"dimension {position} of the block shape is {dim}, below 1", "use a block of at least 1"
            )
        elif target.power_of_two_blocks and dim.is_const and dim.value & (dim.value - 1):
            message = f"dimension {position} of the block shape is {dim}, and stock Triton takes powers of two only"
            yield wrong(where, message, "round it up: lanes outside of `shape` read 0 and are not written")
    if compare(elements, "gt", target.max_tensor_elements):
        message = f"the block has {elements} elements, more than the {target.max_tensor_elements} of the largest tile"
        yield wrong(place(op, "block_shape"), message, "use a smaller block and loop over the dimension")


def _padding(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    padding = op.attrs.get("padding", "zero")
    if padding in ("zero", ""):
        return
    where, related = place(op, "padding_option"), instance.related_calls(op)
    if padding == "unknown":
        yield PADDING.unproven_at(where, "which padding this descriptor asks for is not known", related=related)
        return
    yield PADDING.violated(
        where,
        f"the descriptor asks for the padding `{padding}`, but lanes outside of its shape read 0 on Spyre",
        help="leave `padding_option` away, and set the tail with `tl.where` where 0 is wrong for it",
        related=related,
    )
