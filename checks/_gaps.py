"""What the Spyre compiler does not lower: rank-reduced accesses (SPY117) and other known forms (SPY121)."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.checks import _compiler_gaps as known
from spyre_lint.checks._compiler_gaps import CompilerGap
from spyre_lint.checks._support import operand_name, spelled
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Location
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import as_expr
from spyre_lint.ir.types import Shape, shape_of
from spyre_lint.rules import Rule

RANK_REDUCED = Rule(
    "SPY117",
    "rank-reduced-access",
    Level.WARNING,
    "The leading unit dimensions of a block are reshaped away at the load, or added at the store.",
)
COMPILER_GAP = Rule("SPY121", "compiler-gap", Level.NOTE, "A form that the Spyre compiler is known not to lower.")

_VIEWS = frozenset({"expand_dims", "broadcast", "cast", "hint", "reshape", "trans", "splat"})
_RAW_ACCESSES = frozenset({"addptr", "ptr_load", "ptr_store", "ptr_atomic"})
_INDIRECT = frozenset({"desc_gather", "desc_scatter"})


def _is_declared(instance: KernelInstance, *ops: Op) -> bool:
    """Whether a `# [gap]` stands at one of these operations, or at a call they were inlined through."""
    places: list[Location] = [place for op in ops for place in (op.loc, *op.stack)]
    return any(instance.file.gap_at(place) is not None for place in places)


def judge_rank(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    """SPY117 for one reshape of a loaded tile, or one store of a reshaped one."""
    if op.opcode == "reshape":
        if _is_flattening(op):
            return
        source, at = _behind(op.operands[0], "hint"), op
        if source.op is None or source.op.opcode != "desc_load":
            return
        access, whole, reduced = source.op, shape_of(source.type), shape_of(op.result.type)
        does = "is reshaped away right after"
    elif op.opcode == "desc_store":
        value = _behind(op.group("value")[0], "cast", "hint")  # a store converts to the descriptor's type by itself
        if value.op is None or value.op.opcode != "reshape":
            return
        access, at, whole, reduced = op, value.op, shape_of(value.type), shape_of(value.op.operands[0].type)
        does = "is added by a reshape right before"
    else:
        return
    dropped = _leading_units(whole or (), reduced or ())
    if not dropped or _is_declared(instance, access, at):
        return
    name = operand_name(access.operand("desc"), "the descriptor")
    dims = "the leading dimension of 1" if dropped == 1 else f"the {dropped} leading dimensions of 1"
    yield RANK_REDUCED.violated(
        at.loc,
        f"{dims} of `{name}`'s block {does if dropped == 1 else does.replace('is ', 'are ', 1)} `{spelled(access)}`: "
        "the compiler folds the two into one access of lower rank, which it cannot lower",
        help="keep the tile in the rank of its descriptor, or mark the statement `# [gap] rank-reduced access`",
        related=instance.related_calls(at),
    )


def _is_flattening(op: Op) -> bool:
    """Whether this is the first step of a reduction over all axes, which nobody wrote."""
    users = op.block.ops if op.block is not None else []
    return any(user.attrs.get("whole") and op.result in user.operands for user in users)


def _behind(value: Value, *opcodes: str) -> Value:
    while value.op is not None and value.op.opcode in opcodes:
        value = value.op.operands[0]
    return value


def _leading_units(whole: Shape, reduced: Shape) -> int:
    """How many leading dimensions of 1 `whole` has more than `reduced`, if that is all the difference; else 0."""
    dropped = len(whole) - len(reduced)
    if dropped <= 0 or not reduced or whole[dropped:] != reduced:
        return 0
    return dropped if all(extent == as_expr(1) for extent in whole[:dropped]) else 0


def judge_gaps(instance: KernelInstance) -> Iterator[Finding]:
    """SPY121 for all operations of a kernel."""
    if instance.settings.target.profile != "spyre":
        return
    users = _users(instance)
    for op in instance.ir.walk():
        gap = _gap(op, users)
        if gap is not None and not _is_declared(instance, op):
            yield COMPILER_GAP.violated(
                op.loc,
                f"the Spyre compiler does not lower {gap.what} ({known.READ})",
                help=gap.advice,
                related=instance.related_calls(op),
                evidence={"source": gap.source},
            )


def _users(instance: KernelInstance) -> dict[Value, list[Op]]:
    users: dict[Value, list[Op]] = {}
    for op in instance.ir.walk():
        for operand in op.operands:
            users.setdefault(operand, []).append(op)
    return users


def _gap(op: Op, users: dict[Value, list[Op]]) -> CompilerGap | None:
    if op.opcode == "arange" and op.attrs.get("spelling") and _is_computed_with(op, users):
        return known.ARANGE
    if op.opcode == "dot" and len(shape_of(op.group("a")[0].type) or ()) > known.MAX_DOT_RANK:
        return known.DOT_RANK
    if op.opcode == "reduce" and op.fn == "custom" and not _has_neutral_element(op):
        return known.COMBINER
    if op.opcode == "inter_tile" and op.attrs.get("mode") in known.UNSUPPORTED_INTER_TILE_MODES:
        return known.INTER_TILE_MODE
    return None


def _is_computed_with(op: Op, users: dict[Value, list[Op]]) -> bool:
    """Whether an index tile ends in arithmetic: neither only in indices, nor only in the addresses of raw accesses."""
    seen: set[Value] = set()
    todo = [(op.result, False)]
    while todo:
        value, computed = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        for user in users.get(value, ()):
            if user.opcode in _RAW_ACCESSES:
                continue
            if user.opcode in _INDIRECT and value in user.group("index"):
                if computed:
                    return True
            elif user.opcode == "elementwise":
                todo.extend((result, True) for result in user.results)
            elif user.opcode in _VIEWS:
                todo.extend((result, computed) for result in user.results)
            else:
                return True
    return False


def _has_neutral_element(op: Op) -> bool:
    """Whether the combiner's results are made by operations with a neutral element (of an index: by a choice)."""
    end = op.regions[0].terminator if op.regions else None
    if end is None:
        return True
    for position, value in enumerate(end.operands):
        made = value.op
        if made is not None and made.opcode == "where" and position > 0:
            continue
        if made is None or made.opcode != "elementwise" or made.fn not in known.NEUTRAL_FNS:
            return False
    return True
