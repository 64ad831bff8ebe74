"""Which tile sizes fit, asked of simple functions of the sizes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from spyre_lint.analysis.fit import MAX_TILE, MIN_TILE, best_combinations, what_fits


def matmul(sizes: Mapping[str, int]) -> int:
    m, n, k = sizes["M"], sizes["N"], sizes["K"]
    return 2 * (m * k + k * n) + 4 * m * n


def test_largest_size_of_each_with_the_others_as_bound() -> None:
    fits = what_fits(matmul, {"M": 128, "N": 128, "K": 64}, 256 * 1024)
    # 2*(M*64 + 64*128) + 4*M*128 <= 262144 for M <= 384; likewise N; 2*256*K + 65536 <= 262144 for K <= 384.
    assert {f.name: (f.bound, f.largest, f.bytes) for f in fits.largest} == {
        "M": (128, 256, 2 * (256 * 64 + 64 * 128) + 4 * 256 * 128),
        "N": (128, 256, 2 * (128 * 64 + 64 * 256) + 4 * 128 * 256),
        "K": (64, 256, 2 * 2 * 128 * 256 + 4 * 128 * 128),
    }


def test_nothing_fits() -> None:
    (only,) = what_fits(lambda sizes: 1000 + sizes["B"], {"B": 64}, 500).largest
    assert only.largest is None


def test_sizes_that_cannot_be_built_are_left_out() -> None:
    fits = what_fits(lambda sizes: 4 * sizes["B"] if 8 <= sizes["B"] <= 256 else None, {"B": 64}, 1 << 20)
    assert fits.largest[0].largest == 256


@given(st.lists(st.integers(1, 9), min_size=2, max_size=2), st.integers(500, 1 << 20))
def test_combinations_are_full_and_best(weights: list[int], limit: int) -> None:
    def peak(sizes: Mapping[str, int]) -> int:
        return weights[0] * sizes["M"] * sizes["N"] + weights[1] * sizes["M"]

    found = best_combinations(peak, ("M", "N"), limit)
    sizes = [1 << p for p in range(MIN_TILE.bit_length() - 1, MAX_TILE.bit_length())]
    fitting = [(m, n) for m, n in itertools.product(sizes, repeat=2) if peak({"M": m, "N": n}) <= limit]
    if not fitting:
        assert found == ()
        return
    assert found[0].sizes["M"] * found[0].sizes["N"] == max(m * n for m, n in fitting)
    for each in found:
        chosen = dict(each.sizes)
        assert peak(chosen) == each.bytes <= limit
        for name, size in chosen.items():
            assert size == MAX_TILE or peak({**chosen, name: 2 * size}) > limit


def test_too_many_constexprs_give_no_combinations() -> None:
    assert best_combinations(lambda _: 0, tuple("ABCDEF"), 10) == ()
