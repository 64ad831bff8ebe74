"""Boxes on compressed coordinates say the same as plain sets of indices."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyre_lint.analysis.shadow_geometry import Geometry, Space, shift_of
from spyre_lint.analysis.shadow_values import (
    Descriptor,
    LaunchFailed,
    Recorder,
    Unknown,
    cdiv,
    joined,
    select,
    truncdiv,
    truncrem,
)
from spyre_lint.findings import Location

Index = tuple[int, ...]


def _elements(offsets: Index, block: Index, shape: Index) -> set[Index]:
    spans = (range(max(o, 0), min(o + b, s)) for o, b, s in zip(offsets, block, shape, strict=True))
    return set(product(*spans))


@st.composite
def _launches(draw: st.DrawFn) -> tuple[Index, Index, list[Index]]:
    rank = draw(st.integers(1, 3))
    shape = tuple(draw(st.integers(1, 9)) for _ in range(rank))
    block = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    tiles = draw(st.lists(st.tuples(*(st.integers(-5, 12) for _ in range(rank))), max_size=6))
    return shape, block, tiles


@settings(max_examples=300, deadline=None)
@given(_launches())
def test_masks_are_sets(launched: tuple[Index, Index, list[Index]]) -> None:
    shape, block, tiles = launched
    recorder = Recorder([block], 1000)
    number = recorder.make(0, (0, 0), shape, tuple([1] * len(shape)))
    records = sorted({(number, *tile) for tile in tiles})
    geometry = Geometry(recorder, frozenset({0}), records, [number])
    (space,) = geometry.spaces.values()
    window = geometry.windows([number], {})[space.key]
    stored = geometry.masks(records).get(space.key, 0)
    wanted = set(product(*(range(size) for size in shape)))
    touched: set[Index] = set()
    overlap = False
    for record in records:
        elements = _elements(record[1:], block, shape)
        assert geometry.is_outside(record) == (not elements)
        overlap = overlap or bool(elements & touched)
        touched |= elements
    assert space.extent(stored)[0] == len(touched) and space.extent(window)[0] == len(wanted)
    missing = window & ~stored
    assert space.extent(missing)[0] == len(wanted - touched)
    assert geometry.overlaps(records) == overlap
    if missing:
        box = set(product(*(range(low, high) for low, high in space.first_box(missing))))
        assert box and not box & touched and box <= wanted
        for axis in space.lost_axes(missing, window):
            present = {index[axis] for index in touched}
            assert present and present != set(range(shape[axis]))


@given(st.integers(0, 200), st.integers(1, 9), st.integers(1, 9))
def test_shift_of_a_base_is_its_index(offset: int, width: int, extent: int) -> None:
    made = Descriptor(0, 0, offset, (3, min(extent, width)), (width, 1), (1, 1))
    shift = shift_of(made)
    if shift is not None:
        assert shift[0] * width + shift[1] == offset
    else:
        assert offset % width + min(extent, width) > width


def test_views_with_one_stride_share_a_space() -> None:
    recorder = Recorder([(2, 2), (2, 2)], 1000)
    low = recorder.make(0, (0, 0), (4, 3), (6, 1))
    high = recorder.make(1, (0, 3), (4, 3), (6, 1))
    geometry = Geometry(recorder, frozenset({0, 1}), [(low, 0, 0), (high, 0, 0)], [low, high])
    assert len(geometry.spaces) == 1
    assert not geometry.overlaps([(low, 0, 0), (high, 0, 0)])


def test_space_counts_cells() -> None:
    space = Space((0, 1), 2)
    space.add(((0, 4), (0, 10)))
    space.add(((1, 2), (3, 7)))
    space.close()
    assert space.counts == [3, 3]
    assert space.extent(space.mask(((1, 2), (3, 7)))) == (4, ((1, 2), (3, 7)))


@given(st.integers(-50, 50), st.integers(-9, 9).filter(bool))
def test_division_truncates(a: int, b: int) -> None:
    assert truncdiv(a, b) == int(a / b)
    assert truncdiv(a, b) * b + truncrem(a, b) == a


@pytest.mark.parametrize("function", [truncdiv, truncrem, cdiv])
def test_division_by_zero_fails_the_launch(function: object) -> None:
    assert callable(function)
    with pytest.raises(LaunchFailed, match="divides by zero"):
        function(3, 0)


def test_unknown_values_stay_unknown() -> None:
    unknown = Unknown("a value loaded from `x`", Location("k.py", 1))
    results = [unknown + 1, 2 * unknown, -unknown, unknown < 3, truncdiv(unknown, 2), cdiv(7, unknown)]
    assert all(result is unknown for result in [*results, select(unknown, 1, 2)])
    assert select(unknown, 5, 5) == 5
    assert joined(4, 4, unknown) == 4 and joined(4, 5, unknown) is unknown
