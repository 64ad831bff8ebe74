"""Symbolic expressions as text: Python in the author's names, fit for messages (`2*BLOCK_M*BLOCK_K + 4*BLOCK_M`)."""

from __future__ import annotations

from spyre_lint.ir.atoms import Atom, Call, Monomial, Symbol
from spyre_lint.ir.polynomial import Expr

_OPERATORS = {"floordiv": "//", "truncdiv": "//", "mod": "%", "truncrem": "%", "mul": "*", "power": "**"}


def render(expr: Expr) -> str:
    """The expression as Python source, terms of higher degree first."""
    terms = sorted(expr.terms(), key=lambda item: -item[0].degree)  # stable: ties stay as written
    first = next((i for i, (_, coefficient) in enumerate(terms) if coefficient > 0), 0)
    if first:
        terms.insert(0, terms.pop(first))  # "N - 4*K" rather than "-4*K + N"
    if not terms:
        return str(expr.constant)
    if expr.constant > 0 and terms[0][1] < 0:
        return " ".join([str(expr.constant), *(_signed(mono, c) for mono, c in terms)])
    mono, coefficient = terms[0]
    head = ("-" if coefficient < 0 else "") + _term(mono, abs(coefficient), alone=len(terms) == 1 and coefficient > 0)
    tail = [_signed(mono, c) for mono, c in terms[1:]]
    if expr.constant:
        tail.append(f"{'-' if expr.constant < 0 else '+'} {abs(expr.constant)}")
    return " ".join([head, *tail])


def _signed(mono: Monomial, coefficient: int) -> str:
    return f"{'-' if coefficient < 0 else '+'} {_term(mono, abs(coefficient), alone=True)}"


def _term(mono: Monomial, coefficient: int, *, alone: bool) -> str:
    """A product; `alone` says that an infix call which is the whole term needs no parentheses."""
    single = coefficient == 1 and mono.degree == 1
    factors = [] if coefficient == 1 else [str(coefficient)]
    factors += [_factor(atom, power, bare=single and alone) for atom, power in mono.factors]
    return "*".join(factors)


def _factor(atom: Atom, power: int, *, bare: bool) -> str:
    if isinstance(atom, Symbol):
        text = atom.name
    elif atom.op in _OPERATORS:
        text = _infix(atom) if bare else f"({_infix(atom)})"
    else:
        text = f"{atom.op}({', '.join(str(arg) for arg in atom.args)})"
    return text if power == 1 else f"{text}**{power}"


def _infix(call: Call) -> str:
    left, right = call.args
    operator = _OPERATORS[call.op]
    space = "" if call.op in ("mul", "power") else " "
    return f"{_operand(left, product_ok=bool(space))}{space}{operator}{space}{_operand(right, product_ok=False)}"


def _operand(expr: Expr, *, product_ok: bool) -> str:
    """An operand of an infix operator, in parentheses unless it binds tighter (a product on the left of `//` does)."""
    text = str(expr)
    atom = expr.single_atom()
    if isinstance(atom, Symbol) or (isinstance(atom, Call) and atom.op not in _OPERATORS):
        return text
    if expr.is_const:
        return text if expr.constant >= 0 else f"({text})"
    if product_ok and atom is None and expr.term_count == 1 and not expr.constant:
        ((_, coefficient),) = expr.terms()
        if coefficient > 0:
            return text
    return f"({text})"
