"""Which axes of a reshape hold the same elements."""

from __future__ import annotations

import pytest

from spyre_lint.analysis.index_tiles import axis_groups, axis_mapping
from tests.analysis.kernels import lowered
from tests.frontend.lowering import only

RESHAPES: dict[str, tuple[str, str, list[tuple[tuple[int, ...], tuple[int, ...]]], dict[int, int] | None]] = {
    "unit dropped": ("[1, BLOCK, 8]", "[BLOCK, 8]", [((0, 1), (0,)), ((2,), (1,))], {1: 0, 2: 1}),
    "unit added": ("[BLOCK, 8]", "[BLOCK, 1, 8]", [((0,), (0,)), ((1,), (1, 2))], {0: 0, 1: 2}),
    "leading two merged": ("[STEP, BLOCK, 8]", "[STEP * BLOCK, 8]", [((0, 1), (0,)), ((2,), (1,))], None),
    "split": ("[4 * BLOCK, 8]", "[4, BLOCK, 8]", [((0,), (0, 1)), ((1,), (2,))], None),
    "all merged": ("[STEP, BLOCK]", "[STEP * BLOCK]", [((0, 1), (0,))], None),
    "rearranged": ("[STEP, BLOCK]", "[BLOCK, STEP]", [((0, 1), (0, 1))], None),
    "last two merged": ("[STEP, 4, 8]", "[STEP, 32]", [((0,), (0,)), ((1, 2), (1,))], None),
}


@pytest.mark.parametrize(("source", "target", "groups", "mapping"), RESHAPES.values(), ids=RESHAPES.keys())
def test_axes_of_reshapes(
    source: str, target: str, groups: list[tuple[tuple[int, ...], tuple[int, ...]]], mapping: dict[int, int] | None
) -> None:
    ir = lowered(f"x = tl.zeros({source}, tl.float32) + n\ny = tl.reshape(x, {target})")
    op = only(ir, "reshape")
    assert axis_mapping(op) == mapping
    assert axis_groups(op) == groups
