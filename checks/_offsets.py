"""Where the blocks of an access start: multiples of the block (SPY110), and not the same place for ever (SPY119)."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.multiples import multiples
from spyre_lint.analysis.provenance import Provenance, provenance
from spyre_lint.checks._support import block_text, operand_name, place, spelled, written
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Location, Related
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Expr, Symbol, as_expr
from spyre_lint.ir.types import DescriptorType, OpaqueType
from spyre_lint.rules import Rule

OFFSET_MULTIPLE = Rule(
    "SPY110",
    "offset-not-block-multiple",
    Level.ERROR,
    "An access does not start at a multiple of the block.",
    unproven=Level.WARNING,
)
LOOP_INVARIANT = Rule(
    "SPY119", "loop-invariant-access", Level.WARNING, "A load reads the same block in every round of a loop."
)

_WRITES = ("desc_store", "desc_scatter", "desc_atomic", "ptr_store", "ptr_atomic", "block_store")


def judge_offsets(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    """SPY110 for one access through a descriptor whose block shape is known."""
    desc = op.group("desc")[0]
    block = desc.type.block_shape if isinstance(desc.type, DescriptorType) else None
    indirect = op.opcode in ("desc_gather", "desc_scatter")
    for position, offset in enumerate(op.group("offsets") if block is not None else ()):
        axis = position + 1 if indirect else position
        if block is None or axis >= len(block) or block[axis] == as_expr(1):
            continue
        where = place(op, "y_offset") if indirect else place(op, "offsets", position)
        found = instance.analysis(multiples)
        answer = found.divides(block[axis], offset)
        if answer is True:
            yield OFFSET_MULTIPLE.satisfied(where)
        else:
            yield _judge(instance, op, offset, axis, found.exact(offset), answer is False, where)


def _judge(
    instance: KernelInstance, op: Op, offset: Value, axis: int, exact: Expr, never: bool, where: Location
) -> Finding:
    name = operand_name(op.operand("desc"), "the descriptor")
    indirect = op.opcode in ("desc_gather", "desc_scatter")
    said = ("" if indirect else written(op, "offsets", axis)) or offset.name or str(exact)
    block = block_text(instance, op, axis)
    related = instance.related_calls(op)
    value = f" = {exact}" if exact.is_const and said != str(exact) else ""
    start = f"`{spelled(op)}` starts at `{said}`{value} in dimension {axis} of `{name}`"
    if never:
        message = f"{start}, which is no multiple of its block, {block}, for any size"
        help_ = "count in blocks and pass `i * BLOCK`; what is skipped before the first block is a dimension of its own"
        return OFFSET_MULTIPLE.violated(where, message, help=help_, related=related)
    reason, help_ = _reason(instance, offset, exact)
    message = f"{start}, and whether that is a multiple of its block, {block}, is not known{reason}"
    return OFFSET_MULTIPLE.unproven_at(where, message, help=help_, related=related)


def _reason(instance: KernelInstance, offset: Value, exact: Expr) -> tuple[str, str]:
    """Why a multiple is not shown, and what to do about it."""
    origins = instance.analysis(provenance).origins(offset)
    if isinstance(offset.type, OpaqueType):
        return f": {offset.type.reason}", "pass a number of blocks times the block"
    if origins.opaque:
        made = origins.opaque[0].result.type
        reason = made.reason if isinstance(made, OpaqueType) else "a call that could not be followed"
        return f": it depends on {reason}", "pass a number of blocks times the block"
    if origins.loads:
        return ": it comes from memory", "begin at the multiple below it and mask the lanes before the start"
    kinds = {each.kind for each in exact.ordered_symbols()}
    if origins.program_axes and ("nprog" in kinds or not (origins.loops or "constexpr" in kinds)):
        help_ = "share out whole blocks: `tl.cdiv(tl.cdiv(n, BLOCK), num_cores)` for each core, and load at `i * BLOCK`"
        return ": the share of a program is counted in elements", help_
    if origins.params and isinstance(exact.single_atom(), Symbol):
        return ": it is an argument", "pass the number of the block, and multiply it by the block in the kernel"
    open_names = [s.name for s in exact.ordered_symbols() if s.kind == "constexpr"]
    if open_names and not origins.params:
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(open_names))
        return f": {names} not bound", "a launch or a driver that gives these values settles it"
    return "", "count in blocks: let the loop run over `range(0, tl.cdiv(n, BLOCK))` and pass `i * BLOCK`"


def judge_invariance(instance: KernelInstance) -> Iterator[Finding]:
    """SPY119 for all loads of a kernel."""
    origins = instance.analysis(provenance)
    for op in instance.ir.ops("desc_load", "desc_gather"):
        loop = _innermost_loop(op)
        if loop is None or _in_condition(op, loop) or _varies(origins, op, loop) or _is_written(origins, op, loop):
            continue
        counter = loop.regions[0].args[0].name if loop.opcode == "for" else ""
        over = f" over `{counter}`" if counter and counter != "_" else ""
        name = operand_name(op.operand("desc"), "the descriptor")
        yield LOOP_INVARIANT.violated(
            op.loc,
            f"`{spelled(op)}` reads the same block of `{name}` in every round of the loop{over}: none of its offsets "
            "changes there",
            help="advance the offset with the loop if another block is meant, else load it once before the loop",
            related=[Related(f"the loop{over}", loop.loc), *instance.related_calls(op)],
        )


def _innermost_loop(op: Op) -> Op | None:
    block = op.block
    while block is not None and block.parent is not None:
        if block.parent.opcode in ("for", "while"):
            return block.parent
        block = block.parent.block
    return None


def _in_condition(op: Op, loop: Op) -> bool:
    return loop.opcode == "while" and any(inner is op for inner in loop.regions[0].walk())


def _varies(origins: Provenance, op: Op, loop: Op) -> bool:
    """Whether what a load reads, or whether it is reached at all, changes from round to round."""
    deciding = [value for group in ("desc", "index", "offsets") for value in op.group(group)]
    block = op.block
    while block is not None and block.parent is not None and block.parent is not loop:
        if block.parent.opcode == "if" and not block.parent.attrs.get("constexpr"):
            deciding.append(block.parent.operands[0])
        block = block.parent.block
    inside = set(loop.walk())
    for value in deciding:
        found = origins.origins(value)
        if loop in found.loops or loop in found.carried or found.opaque:
            return True
        if any(load in inside for load in found.loads) or isinstance(value.type, OpaqueType):
            return True
    return False


def _is_written(origins: Provenance, op: Op, loop: Op) -> bool:
    """Whether the loop also writes what the load reads, or something that cannot be told from it."""
    read = _tensor(origins, op)
    for other in loop.walk():
        if other.opcode in _WRITES:
            written_to = _tensor(origins, other)
            if read is None or written_to is None or read == written_to:
                return True
        elif other.opcode == "inline_asm" or (other.opcode == "call" and other.attrs.get("callee")):
            return True
    return False


def _tensor(origins: Provenance, op: Op) -> str | None:
    """The pointer parameter of the tensor that an access touches."""
    desc = op.operand("desc")
    if desc is None:
        param = origins.base(op.operands[0]).param
    else:
        made = origins.descriptor(desc)
        param = origins.param_of(desc) if made is None else origins.base(made.group("base")[0]).param
    return None if param is None else param.name
