"""What the checks share: places, names and numbers as messages show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spyre_lint.analysis.provenance import provenance
from spyre_lint.analysis.symbolic import symbolic_values, with_arguments
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Location, Verdict
from spyre_lint.ir.core import Op, Param, Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import DescriptorType

_LANGUAGE = "triton.language."
_METHODS = _LANGUAGE + "tensor_descriptor."


def place(op: Op, argument: str, item: int | None = None) -> Location:
    """Where an argument of the call that `op` was made from stands; the whole call if it is not written there.

    `item` picks an entry (negative: from the end) of an argument that is written as a list or tuple.
    """
    entry = _entry(op, argument, item) if item is not None else None
    if entry is not None:
        return entry[0]
    places = op.attrs.get("places")
    found: Location | None = None if places is None else places.argument(argument)
    return found or op.loc


def written(op: Op, argument: str, item: int) -> str:
    """The text of an entry of a list argument; empty where none is written there."""
    entry = _entry(op, argument, item)
    return "" if entry is None else entry[1]


def _entry(op: Op, argument: str, item: int) -> tuple[Location, str] | None:
    places = op.attrs.get("places")
    entries: list[tuple[Location, str]] = [] if places is None else places.items(argument)
    return entries[item] if -len(entries) <= item < len(entries) else None


def spelled(op: Op) -> str:
    """The function an operation was made from, as an author writes it: `tl.load`, `x_desc.load`."""
    name = str(op.attrs.get("spelling") or op.attrs.get("api") or op.opcode)
    if name.startswith(_METHODS):
        return f"{operand_name(op.operand('desc'), 'descriptor')}.{name.removeprefix(_METHODS)}"
    return f"tl.{name.removeprefix(_LANGUAGE)}" if name.startswith(_LANGUAGE) else name


def operand_name(value: Value | None, fallback: str) -> str:
    """The author's name of a value, or `fallback` where it has none."""
    return value.name if value is not None and value.name else fallback


def pointer(instance: KernelInstance, value: Value | None) -> Param | None:
    """The pointer parameter behind an address; behind a choice of addresses, if all of them start from the same."""
    if value is None:
        return None
    origins = instance.analysis(provenance)
    found = origins.base(value).param
    if found is not None:
        return found
    named = (instance.ir.param(name) for name in origins.origins(value).params)
    pointers = [param for param in named if param is not None and param.role == "pointer"]
    return pointers[0] if len(pointers) == 1 else None


def known_size(instance: KernelInstance, value: Value) -> Expr:
    """The symbolic value of a scalar, with the run-time arguments put in that the binding gives exactly."""
    return with_arguments(instance.analysis(symbolic_values).of(value), instance.binding)


def block_text(instance: KernelInstance, access: Op, axis: int, *, value: bool = True) -> str:
    """A block dimension of the descriptor of an access as written, with its value where that says more."""
    desc = access.group("desc")[0]
    block = desc.type.block_shape if isinstance(desc.type, DescriptorType) else None
    if block is None or axis >= len(block):
        return "its block"
    made, size = instance.analysis(provenance).descriptor(desc), str(block[axis])
    said = (written(made, "block_shape", axis) if made is not None else "") or size
    return f"`{said}` = {size}" if value and said != size else f"`{said}`"


def extent_text(instance: KernelInstance, access: Op, axis: int) -> str:
    """An extent of the descriptor of an access as written."""
    made = instance.analysis(provenance).descriptor(access.group("desc")[0])
    if made is None or axis >= len(made.group("shape")):
        return "the tensor"
    extent = made.group("shape")[axis]
    return f"`{written(made, 'shape', axis) or instance.analysis(symbolic_values).of(extent)}`"


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 byte`, `4 bytes`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def views(context: KernelContext) -> Iterator[KernelInstance]:
    """The kernel with every branch, then under each of its bindings: for facts that hold wherever they are met."""
    yield context.source
    for instance in context.instances:
        if instance is not context.source:
            yield instance


def beyond_bindings(context: KernelContext, *opcodes: str) -> Iterator[Op]:
    """Operations with one of these opcodes that stand where no binding leads, as they are without a binding."""
    reached = {(op.opcode, op.loc) for instance in context.instances for op in instance.ir.ops(*opcodes)}
    return (op for op in context.source.ir.ops(*opcodes) if (op.opcode, op.loc) not in reached)


def violations(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Only what is shown to be wrong: where constexprs are open, a binding may settle the rest."""
    return (finding for finding in findings if finding.verdict is Verdict.VIOLATED)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "`a`, `b` and `c`"."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
