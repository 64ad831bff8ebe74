"""Symbolic integers against Python's own arithmetic, on random expressions and assignments."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from spyre_lint.ir import intervals
from spyre_lint.ir.sym import (
    Expr,
    Symbol,
    as_expr,
    cdiv,
    compare,
    const,
    divides,
    exact_quotient,
    floordiv,
    largest_divisor,
    maximum,
    minimum,
    mod,
    next_power_of_2,
    power,
    split,
    symbol,
    truncdiv,
    truncrem,
)

SYMBOLS = (
    symbol("N", "arg", lo=0),
    symbol("K", "arg", lo=1, hi=40),
    symbol("BLOCK", "constexpr", lo=1),
    symbol("WIDE", "constexpr", lo=2, multiple_of=16),
    symbol("pid", "pid", lo=0, hi=31),
    symbol("x", "opaque"),
    symbol("x", "memory", hi=3, uid=1),
    symbol("four", "opaque", multiple_of=4),
)

BINARY: dict[str, tuple[Callable[[Expr, Expr], Expr], Callable[[int, int], int]]] = {
    "+": (lambda a, b: a + b, lambda a, b: a + b),
    "-": (lambda a, b: a - b, lambda a, b: a - b),
    "*": (lambda a, b: a * b, lambda a, b: a * b),
    "//": (floordiv, lambda a, b: a // b),
    "%": (mod, lambda a, b: a % b),
    "cdiv": (cdiv, lambda a, b: (a + b - 1) // b),
    "truncdiv": (truncdiv, lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
    "truncrem": (truncrem, lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1)),
    "min": (minimum, min),
    "max": (maximum, max),
}
DIVIDING = frozenset({"//", "%", "cdiv", "truncdiv", "truncrem"})


@dataclass(frozen=True)
class Tree:
    """A random expression, kept as written so that plain Python can evaluate it."""

    op: str
    args: tuple[Tree, ...] = ()
    leaf: int | Expr = 0

    def build(self, rename: Callable[[Expr], Expr] = lambda e: e) -> Expr:
        """The expression under test."""
        if self.op == "leaf":
            return rename(self.leaf) if isinstance(self.leaf, Expr) else const(self.leaf)
        if self.op == "next_power_of_2":
            return next_power_of_2(self.args[0].build(rename))
        return BINARY[self.op][0](self.args[0].build(rename), self.args[1].build(rename))

    def run(self, values: dict[Symbol, int]) -> int:
        """The same in Python; ZeroDivisionError where a divisor is zero."""
        if self.op == "leaf":
            return values[symbol_of(self.leaf)] if isinstance(self.leaf, Expr) else self.leaf
        args = [a.run(values) for a in self.args]
        if self.op == "next_power_of_2":
            return 0 if args[0] <= 0 else next(1 << k for k in range(80) if 1 << k >= args[0])
        return BINARY[self.op][1](args[0], args[1])


def symbol_of(leaf: Expr) -> Symbol:
    """The symbol that a leaf is."""
    (found,) = leaf.symbols()
    return found


leaves = st.one_of(
    st.integers(-9, 9).map(lambda n: Tree("leaf", leaf=n)),
    st.sampled_from((16, 32, 128)).map(lambda n: Tree("leaf", leaf=n)),
    st.sampled_from(SYMBOLS).map(lambda s: Tree("leaf", leaf=s)),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda op, a, b: Tree(op, (a, b)), st.sampled_from(sorted(BINARY)), inner, inner),
        st.builds(lambda a: Tree("next_power_of_2", (a,)), inner),
    ),
    max_leaves=8,
)


@st.composite
def assignments(draw: st.DrawFn) -> dict[Symbol, int]:
    """Admissible values of all symbols, mostly near the ends of their intervals."""
    values = {}
    for leaf in SYMBOLS:
        s = symbol_of(leaf)
        lo, hi = s.bounds
        low = lo if lo is not None else (-100 if hi is None else hi - 100)
        high = hi if hi is not None else low + 200
        values[s] = draw(st.integers(low // s.multiple_of, high // s.multiple_of)) * s.multiple_of
    return values


def built(tree: Tree) -> Expr:
    """The tree's expression, unless it divides by a constant zero."""
    try:
        return tree.build()
    except ZeroDivisionError:
        assume(False)
        raise


def value_or_skip(tree: Tree, values: dict[Symbol, int]) -> int:
    """The tree's value, unless it has none here."""
    try:
        return tree.run(values)
    except ZeroDivisionError:
        assume(False)
        raise


# The same examples in every run: a failure here is a reason to look, never a matter of luck.
relaxed = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@relaxed
@given(trees, assignments())
def test_evaluates_as_python_does_and_within_bounds(tree: Tree, values: dict[Symbol, int]) -> None:
    expected = value_or_skip(tree, values)
    expr = built(tree)
    assert expr.evaluate(values) == expected
    lo, hi = expr.bounds()
    assert lo is None or lo <= expected
    assert hi is None or expected <= hi
    divisor = largest_divisor(expr)
    assert expected == 0 if divisor == 0 else expected % divisor == 0


@relaxed
@given(trees, assignments(), st.sets(st.sampled_from(SYMBOLS)))
def test_substitution_keeps_the_value(tree: Tree, values: dict[Symbol, int], chosen: set[Expr]) -> None:
    expected = value_or_skip(tree, values)
    expr = built(tree)
    numbers = {symbol_of(s): values[symbol_of(s)] for s in chosen}
    partly = expr.substitute(numbers)
    assert not partly.symbols() & set(numbers)
    assert partly.evaluate(values) == expected
    assert expr.substitute(values).value == expected


@relaxed
@given(trees, trees, assignments())
def test_substitution_of_expressions_composes(outer: Tree, inner: Tree, values: dict[Symbol, int]) -> None:
    x = symbol_of(SYMBOLS[5])  # unbounded, so any expression is admissible for it
    value = value_or_skip(inner, values)
    expected = value_or_skip(outer, {**values, x: value})
    assert built(outer).substitute({x: built(inner)}).evaluate(values) == expected


@relaxed
@given(trees, trees, assignments(), st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"]))
def test_compare_is_never_contradicted(a: Tree, b: Tree, values: dict[Symbol, int], op: str) -> None:
    left, right = value_or_skip(a, values), value_or_skip(b, values)
    answer = compare(built(a), op, built(b))
    truth = {
        "lt": left < right,
        "le": left <= right,
        "gt": left > right,
        "ge": left >= right,
        "eq": left == right,
        "ne": left != right,
    }
    assert answer is None or answer == truth[op]


@relaxed
@given(trees, trees, assignments())
def test_divides_is_never_contradicted(d: Tree, e: Tree, values: dict[Symbol, int]) -> None:
    divisor, value = value_or_skip(d, values), value_or_skip(e, values)
    truth = value == 0 if divisor == 0 else value % divisor == 0
    for dividend, expected in ((built(e), truth), (built(d) * built(e), True)):
        answer = divides(built(d), dividend)
        assert answer is None or answer == expected


@relaxed
@given(trees, trees, assignments())
def test_split_is_an_identity(a: Tree, b: Tree, values: dict[Symbol, int]) -> None:
    value_or_skip(a, values)
    by = value_or_skip(b, values)
    dividend, divisor = built(a), built(b)
    assume(divisor != 0)
    quotient, rest = split(dividend, divisor)
    assert quotient.evaluate(values) * by + rest.evaluate(values) == dividend.evaluate(values)
    exact = exact_quotient(dividend * divisor, divisor)
    assert exact is None or exact.evaluate(values) * by == dividend.evaluate(values) * by


@relaxed
@given(trees, trees)
def test_equal_expressions_hash_alike_in_any_order(a: Tree, b: Tree) -> None:
    left, right = built(a), built(b)
    for one, other in (
        (left + right, right + left),
        (left * right, right * left),
        (left - right, -(right - left)),
        (minimum(left, right), minimum(right, left)),
        (maximum(left, right), maximum(right, left)),
    ):
        assert one == other
        assert hash(one) == hash(other)
        assert one.sort_key == other.sort_key
    assert pickle.loads(pickle.dumps(left)) == left


@relaxed
@given(trees, assignments())
def test_text_is_python_with_the_value(tree: Tree, values: dict[Symbol, int]) -> None:
    expected = value_or_skip(tree, values)
    names: dict[str, object] = {}
    renamed: dict[Expr, Expr] = {}
    for i, leaf in enumerate(SYMBOLS):
        s = symbol_of(leaf)
        renamed[leaf] = symbol(f"s{i}", s.kind, lo=s.lo, hi=s.hi, multiple_of=s.multiple_of)
        names[f"s{i}"] = values[s]
    try:
        expr = tree.build(lambda leaf: renamed[leaf])
    except ZeroDivisionError:
        return
    text = str(expr)
    assume(all(call not in repr_of_calls(expr) for call in ("truncdiv", "truncrem")))  # they print as // and %
    functions = {
        "cdiv": intervals.cdiv_int,
        "min": min,
        "max": max,
        "next_power_of_2": intervals.next_power_of_2_int,
    }
    assert eval(text, {"__builtins__": {}}, {**names, **functions}) == expected


def repr_of_calls(expr: Expr) -> set[str]:
    """Names of all calls in an expression."""
    found = set()
    for call in expr.calls():
        found.add(call.op)
        for arg in call.args:
            found |= repr_of_calls(arg)
    return found


@relaxed
@given(trees, st.integers(0, 4), assignments())
def test_power_is_repeated_product(tree: Tree, exponent: int, values: dict[Symbol, int]) -> None:
    expected = value_or_skip(tree, values)
    assert power(built(tree), exponent).evaluate(values) == expected**exponent


intervals_of_ints = st.tuples(st.none() | st.integers(-12, 12), st.none() | st.integers(-12, 12)).filter(
    lambda i: i[0] is None or i[1] is None or i[0] <= i[1]
)


def inside(draw: st.DrawFn, interval: intervals.Interval) -> int:
    """A number in an interval."""
    lo, hi = interval
    low = lo if lo is not None else (-40 if hi is None else hi - 40)
    return draw(st.integers(low, hi if hi is not None else low + 80))


@st.composite
def two_intervals(draw: st.DrawFn) -> tuple[intervals.Interval, intervals.Interval, int, int]:
    """Two intervals and a number in each."""
    a, b = draw(intervals_of_ints), draw(intervals_of_ints)
    return a, b, inside(draw, a), inside(draw, b)


@settings(max_examples=600, deadline=None, derandomize=True)
@given(two_intervals())
def test_intervals_contain_the_result(case: tuple[intervals.Interval, intervals.Interval, int, int]) -> None:
    a, b, x, y = case
    results = [
        (intervals.add(a, b), x + y),
        (intervals.neg(a), -x),
        (intervals.mul(a, b), x * y),
        (intervals.minimum(a, b), min(x, y)),
        (intervals.maximum(a, b), max(x, y)),
        (intervals.next_power_of_2(a), intervals.next_power_of_2_int(x)),
        (intervals.int_power(a, 2), x**2),
        (intervals.int_power(a, 3), x**3),
    ]
    if y:
        results += [
            (intervals.floordiv(a, b), x // y),
            (intervals.mod(a, b), x % y),
            (intervals.cdiv(a, b), (x + y - 1) // y),
            (intervals.truncdiv(a, b), BINARY["truncdiv"][1](x, y)),
            (intervals.truncrem(a, b), BINARY["truncrem"][1](x, y)),
        ]
    if y >= 0:
        results.append((intervals.power(a, b), x**y))
    for (lo, hi), value in results:
        assert lo is None or lo <= value
        assert hi is None or value <= hi


finite_intervals = st.tuples(st.integers(-9, 9), st.integers(0, 12)).map(lambda pair: (pair[0], sum(pair)))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(finite_intervals, finite_intervals)
def test_finite_products_and_quotients_are_tight(a: tuple[int, int], b: tuple[int, int]) -> None:
    numbers = [(x, y) for x in range(a[0], a[1] + 1) for y in range(b[0], b[1] + 1)]
    products = [x * y for x, y in numbers]
    assert intervals.mul(a, b) == (min(products), max(products))
    if b[0] > 0 or b[1] < 0:
        quotients = [x // y for x, y in numbers]
        assert intervals.floordiv(a, b) == (min(quotients), max(quotients))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers() | st.booleans())
def test_numbers_are_equal_to_their_constants(n: int) -> None:
    expr = as_expr(n)
    assert expr == n
    assert hash(expr) == hash(n)
    assert expr.is_const
    assert expr.value == n
    assert str(expr) == str(int(n))
