"""Divisions of problem sizes that may not come out even (SPY503)."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.constexprs import constexpr_roles, problem_constexprs
from spyre_lint.analysis.symbolic import SymbolicValues, symbolic_values
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Level
from spyre_lint.ir.core import Op, Value
from spyre_lint.ir.sym import Call, Expr, divides
from spyre_lint.ir.types import ScalarType
from spyre_lint.rules import Rule

UNGUARDED_DIVISION = Rule(
    "SPY503",
    "unguarded-division",
    Level.WARNING,
    "A size of the problem is divided and what is left over is dropped.",
    silenced_here_by=("SPY502",),
)

_DIVISIONS = frozenset({"floordiv", "mod", "truncdiv", "truncrem"})
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_SAME = frozenset({"cast", "hint", "splat", "broadcast", "expand_dims"})

Division = tuple[Expr, Expr]
"""Dividend and divisor."""


def judge_divisions(instance: KernelInstance) -> Iterator[Finding]:
    """SPY503: `//` and `%` of runtime sizes outside of rounding up and of guards."""
    values = instance.analysis(symbolic_values)
    found = [(op, division) for op in instance.ir.ops("elementwise") if (division := _division(op, values)) is not None]
    guarded = {division for op, division in found if op.fn == "rem" and _is_compared(op.result, instance)}
    for op, (dividend, divisor) in found:
        if (dividend, divisor) in guarded or not _is_size(instance, dividend):
            continue
        if _rounds_up(dividend, divisor) or divides(divisor, dividend) or _tail_is_told(op, dividend, values, instance):
            continue
        if any(symbol.kind in ("nprog", "pid") for symbol in divisor.symbols()):
            continue  # a share of the work: the shadow launch shows whether anything is lost
        yield _unguarded(instance, op, dividend, divisor)


def judge_constexpr_divisions(context: KernelContext) -> Iterator[Finding]:
    """SPY503: divisions at compile time of sizes that are constexpr, judged under every binding."""
    sizes = _constexpr_sizes(context)
    seen: set[Call] = set()
    for op in context.source.ir.ops("const"):
        held = op.attrs["value"]
        for call in _calls(held) if isinstance(held, Expr) else ():
            symbols = {symbol.name for argument in call.args for symbol in argument.symbols()}
            if (
                call.op in _DIVISIONS
                and call not in seen
                and symbols & sizes
                and symbols <= context.source.ir.constants.keys()
            ):
                seen.add(call)
                yield _judge_constexprs(context, op, call)


def _constexpr_sizes(context: KernelContext) -> set[str]:
    """Constexprs that hold a size of the problem and are no tiles."""
    tiles = context.source.analysis(constexpr_roles).tiles
    return {param.name for param in problem_constexprs(context) if param.name not in tiles}


def _calls(expr: Expr) -> Iterator[Call]:
    for call in expr.calls():
        yield call
        for argument in call.args:
            yield from _calls(argument)


def _judge_constexprs(context: KernelContext, op: Op, call: Call) -> Finding:
    dividend, divisor = call.args
    sign = "//" if call.op in ("floordiv", "truncdiv") else "%"
    related = context.source.related_calls(op)
    open_under: list[KernelInstance] = []
    for instance in context.instances:
        values = {name: value for name, value in instance.ir.constants.items() if type(value) is int}
        try:
            left, right = dividend.evaluate(values), divisor.evaluate(values)
        except KeyError:
            open_under.append(instance)
            continue
        if right and left % right:
            finding = UNGUARDED_DIVISION.violated(
                op.loc,
                f"`{dividend} {sign} {divisor}` is {left} {sign} {right}, which leaves {left % right} over",
                help=f"round up with `tl.cdiv({dividend}, {divisor})`, or bind sizes that divide",
                related=related,
                evidence={"dividend": left, "divisor": right},
            )
            return finding.with_(binding=instance.binding.label) if instance.binding is not None else finding
    if len(open_under) < len(context.instances):
        return UNGUARDED_DIVISION.satisfied(op.loc)
    return UNGUARDED_DIVISION.unproven_at(
        op.loc,
        f"whether `{dividend} {sign} {divisor}` comes out even is not known: no binding gives both",
        help=f"round up with `tl.cdiv({dividend}, {divisor})`, or give the sizes in a driver",
        related=related,
    )


def _division(op: Op, values: SymbolicValues) -> Division | None:
    if op.fn not in ("div", "rem") or not isinstance(op.result.type, ScalarType):
        return None
    if op.result.type.dtype.is_float:
        return None
    return values.of(op.operands[0]), values.of(op.operands[1])


def _is_size(instance: KernelInstance, dividend: Expr) -> bool:
    """Whether a dividend is made of runtime arguments alone, and not of properties of the model."""
    symbols = dividend.symbols()
    sizes = [symbol for symbol in symbols if symbol.kind == "arg"]
    if dividend.calls() or not sizes or any(symbol.kind not in ("arg", "constexpr") for symbol in symbols):
        return False
    return any(not instance.settings.is_model_constant(symbol.name) for symbol in sizes)


def _rounds_up(dividend: Expr, divisor: Expr) -> bool:
    """Whether this is `(n + b - 1) // b`, so that nothing is left over."""
    rest = dividend - divisor + 1
    if rest.constant != 0:
        return False
    return divisor.is_const or not rest.symbols() & divisor.symbols()


def _tail_is_told(op: Op, dividend: Expr, values: SymbolicValues, instance: KernelInstance) -> bool:
    """Whether the end of the whole blocks, `n // b * b`, is compared with the size: then the tail has its own way."""
    quotient = values.of(op.result).single_atom()
    if not isinstance(quotient, Call):
        return False
    for other in instance.ir.ops("elementwise"):
        if other.fn in _COMPARISONS:
            left, right = (values.of(operand) for operand in other.operands)
            for one, two in ((left, right), (right, left)):
                if quotient in _calls(one) and dividend.symbols() & two.symbols():
                    return True
    return False


def _is_compared(value: Value, instance: KernelInstance) -> bool:
    """Whether a remainder decides something: a comparison, an assertion, a branch."""
    followed = {value}
    for op in instance.ir.walk():
        if not any(operand in followed for operand in op.operands):
            continue
        if op.opcode in ("assert", "if", "condition") or (op.opcode == "elementwise" and op.fn in _COMPARISONS):
            return True
        if op.opcode in _SAME:
            followed.update(op.results)
    return False


def _unguarded(instance: KernelInstance, op: Op, dividend: Expr, divisor: Expr) -> Finding:
    if op.fn == "div":
        what = f"`{dividend} // {divisor}` drops what is left over where `{dividend}` is no multiple of {divisor}"
        help_ = f"round up with `tl.cdiv({dividend}, {divisor})` and let the descriptor's `shape` cut the last tile off"
    else:
        what = f"`{dividend} % {divisor}` is taken, and nothing tells whether it is 0"
        help_ = "compare it with 0, or walk the tail with `tl.cdiv` blocks, which needs no remainder"
    return UNGUARDED_DIVISION.violated(
        op.loc,
        what,
        help=f"{help_}; if it always comes out even, say so: `tl.device_assert({dividend} % {divisor} == 0)`",
        related=instance.related_calls(op),
        evidence={"dividend": str(dividend), "divisor": str(divisor)},
    )
