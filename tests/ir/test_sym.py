"""Symbolic integers: normal form, simplification, text, bounds and proofs, in both directions."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import pytest

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
    is_nonnegative,
    is_positive,
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

M = symbol("M", "arg", lo=1)
N = symbol("N", "arg", lo=0)
STRIDE = symbol("stride", "arg")
BLOCK_M = symbol("BLOCK_M", "constexpr", lo=1)
BLOCK_N = symbol("BLOCK_N", "constexpr", lo=1)
BLOCK_K = symbol("BLOCK_K", "constexpr", lo=1)
WIDE = symbol("WIDE", "constexpr", lo=2)
PID = symbol("pid", "pid", lo=0, hi=31)
NPROG = symbol("num_programs", "nprog", lo=1, hi=32)
I = symbol("i", "iv", lo=0)  # noqa: E741 - the induction variable
X = symbol("x", "memory")


def sym(expr: Expr) -> Symbol:
    """The one symbol of an expression."""
    (found,) = expr.symbols()
    return found


# -- identity ------------------------------------------------------------------------------------------------------


def test_equal_polynomials_are_equal_however_written() -> None:
    assert (BLOCK_M + 1) * (BLOCK_N - 1) == BLOCK_N * BLOCK_M - BLOCK_M + BLOCK_N - 1
    assert hash(BLOCK_M * BLOCK_N) == hash(BLOCK_N * BLOCK_M)
    assert BLOCK_M - BLOCK_M == 0
    assert BLOCK_M != BLOCK_N
    assert BLOCK_M + 1 != BLOCK_M
    assert 3 - BLOCK_M == -(BLOCK_M - 3)


def test_symbols_differ_by_every_field() -> None:
    base = symbol("x", "opaque")
    for other in (
        symbol("y", "opaque"),
        symbol("x", "arg"),
        symbol("x", "opaque", lo=0),
        symbol("x", "opaque", hi=0),
        symbol("x", "opaque", multiple_of=2),
        symbol("x", "opaque", uid=1),
    ):
        assert base != other
        assert compare(base, "eq", other) is None
    assert base == symbol("x", "opaque")


def test_symbols_reject_impossible_facts() -> None:
    with pytest.raises(ValueError, match="multiple_of is 0"):
        symbol("x", "arg", multiple_of=0)
    with pytest.raises(ValueError, match="lower bound 2 is above upper bound 1"):
        symbol("x", "arg", lo=2, hi=1)


def test_an_expression_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="no truth value"):
        bool(BLOCK_M)
    with pytest.raises(TypeError, match="no truth value"):
        bool(const(0))


def test_value_is_for_constants() -> None:
    assert (BLOCK_M * 0 + 7).value == 7
    assert as_expr(True).value == 1
    with pytest.raises(ValueError, match="BLOCK_M is not a constant"):
        _ = BLOCK_M.value
    with pytest.raises(TypeError, match="not an integer expression"):
        as_expr("8")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        BLOCK_M + 1.5  # type: ignore[operator]


def test_copies_and_pickles_are_equal() -> None:
    expr = minimum(cdiv(N, BLOCK_M) * 2, mod(X, 7)) + BLOCK_K * BLOCK_M
    assert pickle.loads(pickle.dumps(expr)) == expr
    assert copy.deepcopy(expr) == expr


def test_a_pickle_is_equal_in_another_process() -> None:
    """Hashes of strings differ from process to process, so none may travel."""
    expr = minimum(cdiv(N, BLOCK_M), X) + BLOCK_K
    code = (
        "import pickle, sys; from spyre_lint.ir.sym import *; "
        "e = pickle.loads(bytes.fromhex(sys.argv[1])); "
        "N = symbol('N', 'arg', lo=0); B = symbol('BLOCK_M', 'constexpr', lo=1); X = symbol('x', 'memory'); "
        "made = minimum(X, cdiv(N, B)) + symbol('BLOCK_K', 'constexpr', lo=1); "
        "assert made == e and made in {e}; print(e)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, pickle.dumps(expr).hex()], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(expr)


# -- text ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (2 * BLOCK_M * BLOCK_K + 4 * BLOCK_M, "2*BLOCK_M*BLOCK_K + 4*BLOCK_M"),
        (4 * BLOCK_M + 2 * BLOCK_M * BLOCK_K, "2*BLOCK_M*BLOCK_K + 4*BLOCK_M"),
        (const(-3), "-3"),
        (-X, "-x"),
        (-X - 1, "-x - 1"),
        (5 - N, "5 - N"),
        (N - 4 * BLOCK_K, "N - 4*BLOCK_K"),
        (-4 * BLOCK_K + N, "N - 4*BLOCK_K"),
        (BLOCK_M * BLOCK_M, "BLOCK_M**2"),
        (cdiv(N, BLOCK_M), "cdiv(N, BLOCK_M)"),
        (cdiv(N, 128), "cdiv(N, 128)"),
        (floordiv(N, BLOCK_M), "N // BLOCK_M"),
        (floordiv(N, BLOCK_M) + 1, "N // BLOCK_M + 1"),
        (floordiv(N, BLOCK_M) * BLOCK_M, "(N // BLOCK_M)*BLOCK_M"),
        (-floordiv(N, BLOCK_M), "-(N // BLOCK_M)"),
        (floordiv(N + 3, BLOCK_M), "(N + 3) // BLOCK_M"),
        (floordiv(3 * N, BLOCK_M), "3*N // BLOCK_M"),
        (floordiv(N, 2 * BLOCK_M), "N // (2*BLOCK_M)"),
        (mod(floordiv(N, BLOCK_M), BLOCK_K), "(N // BLOCK_M) % BLOCK_K"),
        (truncdiv(X, BLOCK_M), "x // BLOCK_M"),
        (truncrem(X, 4), "x % 4"),
        (minimum(32, cdiv(N, BLOCK_M)), "min(32, cdiv(N, BLOCK_M))"),
        (next_power_of_2(N), "next_power_of_2(N)"),
        (power(2, N), "2**N"),
        (power(WIDE + 1, N), "(WIDE + 1)**N"),
    ],
)
def test_text(expr: Expr, text: str) -> None:
    assert str(expr) == text
    assert repr(expr) == f"Expr({text})"


# -- simplification ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [BLOCK_M, const(128), BLOCK_M * BLOCK_N, 2 * BLOCK_M, BLOCK_M + BLOCK_N])
def test_the_spellings_of_ceiling_division_are_equal(block: Expr) -> None:
    expected = cdiv(N, block)
    assert floordiv(N + block - 1, block) == expected
    assert -floordiv(-N, block) == expected
    assert floordiv(N - 1, block) + 1 == expected
    assert hash(floordiv(N + block - 1, block)) == hash(expected)
    assert floordiv(N, block) != expected


@pytest.mark.parametrize(
    ("expr", "simple"),
    [
        (floordiv(N * BLOCK_M, BLOCK_M), N),
        (floordiv(N * BLOCK_M * 6, BLOCK_M * 2), 3 * N),
        (mod(N * BLOCK_M, BLOCK_M), const(0)),
        (floordiv(I * BLOCK_M + BLOCK_M - 1, BLOCK_M), I),
        (mod(I * BLOCK_M + BLOCK_M - 1, BLOCK_M), BLOCK_M - 1),
        (floordiv(I * 32 + PID, 32), I),
        (mod(I * 32 + PID, 32), PID),
        (floordiv(PID - 32, 32), const(-1)),
        (mod(PID - 32, 32), PID),
        (cdiv(I * BLOCK_M, BLOCK_M), I),
        (cdiv(N + BLOCK_M, BLOCK_M), cdiv(N, BLOCK_M) + 1),
        (cdiv(PID + 1, 32), const(1)),
        (cdiv(PID, 32), cdiv(PID, 32)),
        (floordiv(N * (M + 1), M + 1), N),
        (mod(N * (M + 1) + M, M + 1), M),
        (floordiv(floordiv(N, BLOCK_M), BLOCK_K), floordiv(N, BLOCK_M * BLOCK_K)),
        (cdiv(cdiv(N, BLOCK_M), 4), cdiv(N, BLOCK_M * 4)),
        (floordiv(4 * N, 8), floordiv(N, 2)),
        (floordiv(4 * N + 3, 8), floordiv(N, 2)),
        (floordiv(N * BLOCK_M, BLOCK_M * BLOCK_N), floordiv(N, BLOCK_N)),
        (mod(4 * N + 1, 8), 4 * mod(N, 2) + 1),
        (mod(N * BLOCK_M, BLOCK_M * BLOCK_N), BLOCK_M * mod(N, BLOCK_N)),
        (mod(mod(X, 8), 4), mod(X, 4)),
        (mod(mod(X, BLOCK_M * 2), BLOCK_M), mod(X, BLOCK_M)),
        (mod(mod(X, 4), 8), mod(X, 4)),
        (floordiv(X, -3), -cdiv(X, 3)),
        (floordiv(X, 1), X),
        (mod(X, 1), const(0)),
        (truncdiv(N, BLOCK_M), floordiv(N, BLOCK_M)),
        (truncrem(N, BLOCK_M), mod(N, BLOCK_M)),
        (truncdiv(-N, BLOCK_M), -floordiv(N, BLOCK_M)),
        (truncrem(-N, BLOCK_M), -mod(N, BLOCK_M)),
        (truncdiv(X * BLOCK_M, BLOCK_M), X),
        (truncrem(X * BLOCK_M, BLOCK_M), const(0)),
        (truncdiv(PID - 15, 32), const(0)),
        (truncrem(PID - 15, 32), PID - 15),
        (minimum(N, N), N),
        (minimum(PID, 31), PID),
        (minimum(PID, PID + 1), PID),
        (maximum(PID, PID + 1), PID + 1),
        (minimum(N, minimum(M, 4)), minimum(N, M, 4)),
        (minimum(N, maximum(N, M)), N),
        (maximum(minimum(N, M), N), N),
        (minimum(N, 0), const(0)),
        (maximum(N, 0), N),
        (next_power_of_2(next_power_of_2(N)), next_power_of_2(N)),
        (next_power_of_2(symbol("D", "constexpr", lo=65, hi=128)), const(128)),
        (power(BLOCK_M, 2), BLOCK_M * BLOCK_M),
        (power(2, 10), const(1024)),
        (power(X, 0), const(1)),
    ],
)
def test_simplification(expr: Expr, simple: Expr) -> None:
    assert expr == simple


def test_c_and_python_division_differ_below_zero() -> None:
    assert truncdiv(-7, 2).value == -3
    assert floordiv(-7, 2).value == -4
    assert truncrem(-7, 2).value == -1
    assert mod(-7, 2).value == 1
    assert truncdiv(X, 2) != floordiv(X, 2)
    assert truncdiv(X, 2).evaluate({"x": -7}) == -3
    assert floordiv(X, 2).evaluate({"x": -7}) == -4


def test_what_is_not_provable_is_not_simplified() -> None:
    assert floordiv(N, BLOCK_M) * BLOCK_M != N
    assert not mod(N, BLOCK_M).is_const
    assert not floordiv(I * BLOCK_M + BLOCK_N, BLOCK_M).is_const
    assert str(mod(STRIDE, BLOCK_M)) == "stride % BLOCK_M"
    assert minimum(N, M).calls()


@pytest.mark.parametrize("function", [floordiv, mod, cdiv, truncdiv, truncrem])
def test_division_by_zero_raises(function: object) -> None:
    assert callable(function)
    with pytest.raises(ZeroDivisionError):
        function(N, 0)
    with pytest.raises(ZeroDivisionError):
        function(N, BLOCK_M - BLOCK_M)
    with pytest.raises(ZeroDivisionError):
        function(N, X).evaluate({"N": 3, "x": 0})


@pytest.mark.parametrize(("n", "expected"), [(-5, 0), (0, 0), (1, 1), (2, 2), (3, 4), (64, 64), (65, 128)])
def test_next_power_of_2_of_numbers(n: int, expected: int) -> None:
    assert next_power_of_2(n).value == expected
    assert next_power_of_2(X).evaluate({"x": n}) == expected


def test_absurd_numbers_are_not_computed() -> None:
    huge = power(2, 10**9)
    assert not huge.is_const
    with pytest.raises(OverflowError):
        huge.evaluate({})
    with pytest.raises(ValueError, match="is no integer"):
        power(2, -1)


def test_growing_expressions_stay_small() -> None:
    clamped, doubled, product = X, BLOCK_M, X
    for step in range(100):
        clamped = minimum(clamped + mod(clamped, 7), N)
        doubled = doubled * (doubled + N)
        product = product * (X + N + M) + step
    for expr in (clamped, doubled, product):
        assert expr.size < 2000
        assert len(str(expr)) < 20000
        assert pickle.loads(pickle.dumps(expr)) == expr
    assert doubled.bounds()[0] == 1


# -- values --------------------------------------------------------------------------------------------------------


def test_evaluate_by_name_and_by_symbol() -> None:
    expr = cdiv(N, BLOCK_M) * BLOCK_K + PID
    assert expr.evaluate({"N": 100, "BLOCK_M": 32, "BLOCK_K": 10, "pid": 3}) == 43
    assert expr.evaluate({sym(N): 100, sym(BLOCK_M): 32, sym(BLOCK_K): 10, sym(PID): 3}) == 43
    twin = symbol("N", "arg", lo=0, uid=1)
    mixed: dict[str | Symbol, int] = {"N": 5, sym(twin): 3}
    assert (N - twin).evaluate(mixed) == 2
    with pytest.raises(KeyError, match="BLOCK_K"):
        expr.evaluate({"N": 100, "BLOCK_M": 32, "pid": 3})


def test_substitute_is_simultaneous_and_simplifies() -> None:
    expr = floordiv(N, BLOCK_M) + N * BLOCK_M
    assert expr.substitute({sym(N): BLOCK_M, sym(BLOCK_M): N}) == floordiv(BLOCK_M, N) + N * BLOCK_M
    assert expr.substitute({sym(N): BLOCK_M * 3}) == 3 + 3 * BLOCK_M * BLOCK_M
    assert expr.substitute({sym(N): 64, sym(BLOCK_M): 16}).value == 4 + 1024
    assert expr.substitute({sym(M): 1}) is expr
    with pytest.raises(ZeroDivisionError):
        expr.substitute({sym(BLOCK_M): 0})


def test_symbols_are_found_inside_calls() -> None:
    expr = minimum(cdiv(N, BLOCK_M), X) * PID
    assert expr.symbols() == {sym(N), sym(BLOCK_M), sym(X), sym(PID)}
    assert [s.name for s in expr.ordered_symbols()] == ["N", "BLOCK_M", "x", "pid"]


def test_linear_in() -> None:
    assert (I * BLOCK_M + N).linear_in(sym(I)) == (BLOCK_M, N)
    assert N.linear_in(sym(I)) == (const(0), N)
    assert (I * I).linear_in(sym(I)) is None
    assert (I + mod(I, 3)).linear_in(sym(I)) is None
    assert (I * mod(I, 3)).linear_in(sym(I)) is None


def test_split_and_exact_quotient() -> None:
    assert split(I * BLOCK_M + N, BLOCK_M) == (I, N)
    assert split(10 * I + 7, const(5)) == (2 * I + 1, const(2))
    assert exact_quotient(6 * BLOCK_M * BLOCK_K, 2 * BLOCK_K) == 3 * BLOCK_M
    assert exact_quotient(6 * BLOCK_M + 1, 3) is None
    assert exact_quotient(BLOCK_M, 0) is None
    assert exact_quotient((N + 1) * (M + 2), N + 1) == M + 2


@pytest.mark.parametrize(
    ("expr", "bounds"),
    [
        (PID * 2 + 1, (1, 63)),
        (-PID, (-31, 0)),
        (PID * NPROG, (0, 992)),
        (N + 1, (1, None)),
        (-N, (None, 0)),
        (X, (None, None)),
        (X * X, (0, None)),
        (mod(X, 8), (0, 7)),
        (mod(X, BLOCK_M), (0, None)),
        (truncrem(X, 8), (-7, 7)),
        (minimum(N, 32), (0, 32)),
        (minimum(X, 32), (None, 32)),
        (maximum(X, 32), (32, None)),
        (cdiv(M, BLOCK_M), (1, None)),
        (floordiv(M, BLOCK_M), (0, None)),
        (floordiv(PID, 4), (0, 7)),
        (next_power_of_2(PID), (0, 32)),
        (symbol("s", "arg", lo=1, hi=100, multiple_of=16), (16, 96)),
        (BLOCK_M * BLOCK_N - BLOCK_M, (0, None)),
        (power(2, PID), (1, 2**31)),
    ],
)
def test_bounds(expr: Expr, bounds: tuple[int | None, int | None]) -> None:
    assert expr.bounds() == bounds


# -- proofs --------------------------------------------------------------------------------------------------------

WORK = cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
SHARE = cdiv(WORK, NPROG)
BLOCKS_N = cdiv(N, BLOCK_N)


@pytest.mark.parametrize(
    ("a", "op", "b", "answer"),
    [
        (PID, "lt", 32, True),
        (PID, "ge", 32, False),
        (PID, "lt", 31, None),
        (N, "ge", 0, True),
        (N, "gt", 0, None),
        (N, "lt", 0, False),
        (M, "gt", 0, True),
        (PID, "eq", 32, False),
        (PID, "ne", 32, True),
        (N, "eq", N + 0, True),
        (N, "ne", N + 1, True),
        (N, "eq", M, None),
        (2 * X, "eq", 2 * STRIDE + 1, False),
        (mod(N, BLOCK_M), "lt", BLOCK_M, True),
        (mod(N, BLOCK_M), "le", N, True),
        (floordiv(N, BLOCK_M) * BLOCK_M, "le", N, True),
        (cdiv(N, BLOCK_M) * BLOCK_M, "ge", N, True),
        (cdiv(N, BLOCK_M) * BLOCK_M, "lt", N + BLOCK_M, True),
        (cdiv(N, BLOCK_M) * BLOCK_M, "gt", N, None),
        (floordiv(N, BLOCK_M), "le", cdiv(N, BLOCK_M), True),
        (floordiv(N + 1, BLOCK_M), "ge", floordiv(N, BLOCK_M), True),
        (floordiv(N, BLOCK_M) * BLOCK_M + mod(N, BLOCK_M), "eq", N, True),
        (truncdiv(X, 3) * 3 + truncrem(X, 3), "eq", X, True),
        (minimum((PID + 1) * SHARE, WORK), "le", WORK, True),
        (SHARE * NPROG, "ge", WORK, True),
        (floordiv(WORK, NPROG) * NPROG, "ge", WORK, None),
        (mod(I, BLOCKS_N), "lt", BLOCKS_N, True),
        ((BLOCK_M - 1) * (BLOCK_N - 1), "ge", 0, True),
        ((BLOCK_M - 2) * (BLOCK_N - 1), "ge", 0, None),
        (BLOCK_M * BLOCK_N, "ge", BLOCK_N, True),
        (BLOCK_M * BLOCK_M, "ge", BLOCK_M, True),
        (maximum(N, M), "ge", N, True),
        (minimum(N, M), "le", maximum(N, M), True),
        (minimum(N, M), "lt", maximum(N, M), None),
        (next_power_of_2(N), "ge", N, True),
        (next_power_of_2(M), "lt", 2 * M, True),
        (next_power_of_2(N), "gt", N, None),
        (I * BLOCK_M + BLOCK_M, "gt", I * BLOCK_M, True),
        (symbol("s", "arg", multiple_of=4) + 1, "ne", 0, True),
        (10, "gt", 3, True),
        (10, "le", 3, False),
    ],
)
def test_compare(a: int | Expr, op: str, b: int | Expr, answer: bool | None) -> None:
    assert compare(a, op, b) is answer
    mirrored = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}[op]
    assert compare(b, mirrored, a) is answer
    negated = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}[op]
    assert compare(a, negated, b) is (None if answer is None else not answer)


def test_compare_rejects_other_operators() -> None:
    with pytest.raises(ValueError, match="unknown comparison '<'"):
        compare(N, "<", M)


def test_signs() -> None:
    assert is_nonnegative(N)
    assert not is_nonnegative(X)
    assert is_positive(cdiv(M, BLOCK_M))
    assert not is_positive(cdiv(N, BLOCK_M))


ALIGNED = symbol("aligned", "arg", multiple_of=16)


@pytest.mark.parametrize(
    ("d", "e", "answer"),
    [
        (4, 8 * I, True),
        (4, 4 * I + 2, False),
        (4, 2 * I, None),
        (4, const(3), False),
        (4, const(12), True),
        (1, X, True),
        (0, const(0), True),
        (0, N + 1, False),
        (-4, 8 * I, True),
        (64, symbol("k", "iv", lo=1, hi=63), False),
        (64, symbol("k", "iv", lo=0, hi=63), None),
        (16, ALIGNED * 3 + 32, True),
        (16, ALIGNED + 8, False),
        (32, ALIGNED * STRIDE * 2, True),
        (32, ALIGNED * STRIDE, None),
        (BLOCK_M, I * BLOCK_M, True),
        (BLOCK_M, (I + PID * NPROG) * BLOCK_M, True),
        (BLOCK_M, I * BLOCK_M + N, None),
        (BLOCK_M, I * BLOCK_M + 1, None),
        (WIDE, I * WIDE + 1, False),
        (WIDE, I * WIDE - 1, False),
        (2 * BLOCK_M, 4 * I * BLOCK_M, True),
        (2 * BLOCK_M, I * BLOCK_M, None),
        (16 * BLOCK_M, ALIGNED * BLOCK_M, True),
        (BLOCK_M, floordiv(N, BLOCK_M) * BLOCK_M, True),
        (BLOCK_M, N - mod(N, BLOCK_M), True),
        (BLOCK_M, mod(I, BLOCKS_N) * BLOCK_M, True),
        (BLOCK_M, mod(I * BLOCK_M, N * BLOCK_M), True),
        (BLOCK_M, minimum(I * BLOCK_M, 4 * BLOCK_M), True),
        (BLOCK_M, minimum(I * BLOCK_M, N), None),
        (WIDE, maximum(I * WIDE + 1, WIDE - 1), False),
        (128, maximum(I * 128, 256), True),
        (4, 4 * X - mod(X, 4) + X, True),
        (4, X - truncrem(X, 4) + 1, False),
        (64, next_power_of_2(symbol("D", "constexpr", lo=33)), True),
        (64, next_power_of_2(N), None),
        (minimum(BLOCK_M, BLOCK_N), I * BLOCK_M * BLOCK_N, True),
        (BLOCK_M + BLOCK_N, I * BLOCK_M + BLOCK_N * I, True),
        (symbol("B", "constexpr", lo=16, multiple_of=16), 16 * X + 8, False),
    ],
)
def test_divides(d: int | Expr, e: Expr, answer: bool | None) -> None:
    assert divides(d, e) is answer


@pytest.mark.parametrize(
    ("expr", "divisor"),
    [
        (const(0), 0),
        (const(-12), 12),
        (X, 1),
        (6 * X + 9, 3),
        (ALIGNED * 2 + 48, 16),
        (minimum(4 * X, 6 * N), 2),
        (mod(4 * X, 6), 2),
        (ALIGNED * ALIGNED, 256),
    ],
)
def test_largest_divisor(expr: Expr, divisor: int) -> None:
    assert largest_divisor(expr) == divisor
