"""What elementwise functions make of a padding lane, held against NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyre_lint.analysis import lane_values as lanes
from spyre_lint.analysis.lane_values import ZERO, Lane

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "fdiv": np.divide, "min": np.minimum, "max": np.maximum,
    "exp": np.exp, "exp2": np.exp2, "abs": np.abs, "neg": np.negative, "sqrt": np.sqrt, "tanh": np.tanh,
    "lt": np.less, "ge": np.greater_equal, "eq": np.equal,
}  # fmt: skip
UNARY = ("exp", "exp2", "abs", "neg", "sqrt", "tanh")
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, -2.0, 100.0, math.inf, -math.inf])


@given(st.sampled_from(sorted(FUNCTIONS)), NUMBERS, NUMBERS)
def test_known_lanes_compute_as_numpy_does(fn: str, left: float, right: float) -> None:
    given_ = [left] if fn in UNARY else [left, right]
    found = lanes.apply(fn, [Lane(number) for number in given_])
    if fn == "mul" and 0.0 in given_:  # the data is taken to be finite
        assert found == ZERO
        return
    with np.errstate(all="ignore"):
        expected = float(FUNCTIONS[fn](*map(np.float64, given_)))
    if found.number is None:
        assert math.isnan(expected) or math.isinf(expected)
    else:
        assert found.number == pytest.approx(expected)


@pytest.mark.parametrize(
    ("fn", "operands", "varies"),
    [
        ("sub", [ZERO, lanes.varying("m")], True),
        ("exp", [lanes.varying("m")], True),
        ("mul", [lanes.varying("m"), lanes.varying("m")], True),
        ("sub", [lanes.varying("m"), lanes.varying("m")], False),
        ("fdiv", [lanes.varying("m"), lanes.varying("m")], False),
        ("max", [lanes.varying("m"), ZERO], False),
        ("lt", [lanes.varying("m"), ZERO], False),
        ("add", [lanes.varying("m"), lanes.unknown("a mask")], False),
    ],
)
def test_data_in_padding_lanes(fn: str, operands: list[Lane], varies: bool) -> None:
    found = lanes.apply(fn, operands)
    assert (found.number, found.varies) == (None, varies)


def test_zero_and_infinity_absorb_data() -> None:
    data = lanes.varying("m")
    assert lanes.apply("mul", [ZERO, data]) == ZERO
    assert lanes.apply("fdiv", [ZERO, data]) == ZERO
    assert lanes.apply("sub", [Lane(-math.inf), data]) == Lane(-math.inf)
    assert lanes.apply("sub", [data, Lane(math.inf)]) == Lane(-math.inf)
    assert lanes.apply("exp", [lanes.apply("sub", [Lane(-math.inf), data])]) == ZERO


@pytest.mark.parametrize("fn", sorted(lanes.IDENTITY))
def test_identities_stay(fn: str) -> None:
    lane = Lane(lanes.IDENTITY[fn])
    assert lanes.reduced(fn, lane) == lane


def test_one_of_two() -> None:
    assert lanes.join(ZERO, ZERO) == ZERO
    assert str(lanes.join(ZERO, Lane(-math.inf))) == "0 or -inf"
    assert not lanes.join(ZERO, lanes.varying("m")).varies
