"""Which tile sizes would fit: for each tile constexpr alone, and the best combinations.

Everything is asked of one function from tile sizes to the peak in bytes, so that a formula and an exact lowering serve
alike. Sizes are powers of two.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Peak = Callable[[Mapping[str, int]], "int | None"]
"""Peak in bytes for sizes by name; None where no kernel of these sizes can be built (a tile has too many elements)."""

MIN_TILE: Final = 16
"""Least size tried in combinations: dots and descriptors take no less in most kernels."""

MAX_TILE: Final = 4096
"""Greatest size tried in combinations; a single constexpr is tried up to `MAX_SINGLE`."""

MAX_SINGLE: Final = 1 << 20

_MAX_TRIALS: Final = 3000
_MAX_COMBINATIONS: Final = 5


@dataclass(frozen=True, slots=True)
class LargestTile:
    """The largest power of two that one constexpr can take with the others as they are bound.

    `largest` is None if not even the least size fits; `bytes` is the peak at `largest`.
    """

    name: str
    bound: int
    largest: int | None
    bytes: int


@dataclass(frozen=True, slots=True)
class Combination:
    """Sizes that fit together, with their peak in bytes."""

    sizes: Mapping[str, int]
    bytes: int


@dataclass(frozen=True, slots=True)
class Fits:
    """What fits a limit. `combinations` are the best overall, see `best_combinations`."""

    limit: int
    largest: tuple[LargestTile, ...]
    combinations: tuple[Combination, ...]


def what_fits(peak: Peak, bound: Mapping[str, int], limit: int) -> Fits:
    """What fits `limit` bytes, from the peak as a function of the tile sizes in `bound`."""
    singles = tuple(_largest(peak, bound, name, limit) for name in bound)
    return Fits(limit, singles, best_combinations(peak, tuple(bound), limit))


def _largest(peak: Peak, bound: Mapping[str, int], name: str, limit: int) -> LargestTile:
    """Doubling up from 1: the peak never falls when a tile grows, so the first size that does not fit ends it."""
    best: int | None = None
    best_bytes = 0
    size = 1
    while size <= MAX_SINGLE:
        found = peak({**bound, name: size})
        if found is not None and found <= limit:
            best, best_bytes = size, found
        elif best is not None or (found is not None and found > limit):
            break
        size *= 2
    return LargestTile(name, bound[name], best, best_bytes)


def best_combinations(peak: Peak, names: Sequence[str], limit: int) -> tuple[Combination, ...]:
    """Combinations of powers of two that fit and of which no size can be doubled.

    The best have the largest product of sizes (work done per step); of those the most even come first. Empty for more
    constexprs than can be tried out.
    """
    sizes = [1 << power for power in range(MIN_TILE.bit_length() - 1, MAX_TILE.bit_length())]
    if not names or len(sizes) ** len(names) > _MAX_TRIALS * len(sizes):
        return ()
    fitting: dict[tuple[int, ...], int] = {}
    for chosen in itertools.product(sizes, repeat=len(names)):
        # Whatever fits also fits with one size halved, so most of the grid is never asked.
        if any(size > sizes[0] and _with(chosen, i, size // 2) not in fitting for i, size in enumerate(chosen)):
            continue
        found = peak(dict(zip(names, chosen, strict=True)))
        if found is not None and found <= limit:
            fitting[chosen] = found
    full = [c for c in fitting if not any(_with(c, i, size * 2) in fitting for i, size in enumerate(c))]
    full.sort(key=lambda chosen: (-_product(chosen), max(chosen) // min(chosen), chosen))
    return tuple(Combination(dict(zip(names, c, strict=True)), fitting[c]) for c in full[:_MAX_COMBINATIONS])


def _with(chosen: tuple[int, ...], index: int, size: int) -> tuple[int, ...]:
    return (*chosen[:index], size, *chosen[index + 1 :])


def _product(chosen: tuple[int, ...]) -> int:
    result = 1
    for size in chosen:
        result *= size
    return result
