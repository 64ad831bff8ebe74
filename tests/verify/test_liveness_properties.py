"""The backward walk against the definition, point by point, on random straight-line programs."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from spyre_lint.verify.liveness import peak_of
from spyre_lint.verify.ttir import parse_ttir


@dataclass(frozen=True)
class Step:
    """An addition of two earlier tiles (or a view of one), by index modulo what there is."""

    left: int
    right: int
    view: bool


steps = st.lists(st.builds(Step, st.integers(0, 50), st.integers(0, 50), st.booleans()), max_size=12)


@given(steps, st.sampled_from([2, 4]))
def test_peak_is_the_largest_sum_over_points(program: list[Step], element_bytes: int) -> None:
    element = {2: "f16", 4: "f32"}[element_bytes]
    tile = f"tensor<4x4x{element}>"
    lines = [f"%v0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<4x4x{element}> -> {tile}"]
    root = [0]  # the value that each value is a view of, or itself
    uses: list[list[int]] = [[]]  # per root, the operations that use it
    for index, step in enumerate(program, 1):
        left, right = step.left % index, step.right % index
        if step.view:
            lines.append(f"%v{index} = tt.trans %v{left} {{order = array<i32: 1, 0>}} : {tile} -> {tile}")
            root.append(root[left])
            uses.append([])
        else:
            lines.append(f"%v{index} = arith.addf %v{left}, %v{right} : {tile}")
            root.append(index)
            uses.append([])
            uses[root[right]].append(index)
        uses[root[left]].append(index)
    # By definition: at the point after operation p a value is live if it is made by then and used later, or just made.
    weight = 16 * element_bytes
    expected = max(
        weight * sum(root[v] == v and v <= p and (v == p or any(u > p for u in uses[v])) for v in range(len(root)))
        for p in range(len(root))
    )
    body = "\n".join(lines)
    text = f"module {{\ntt.func public @k(%d: !tt.tensordesc<4x4x{element}>, %i: i32) {{\n{body}\ntt.return\n}}\n}}\n"
    assert peak_of(parse_ttir(text)).bytes == expected
