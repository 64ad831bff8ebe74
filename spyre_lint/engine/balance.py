"""Dealing files to shards, and when that pays."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from spyre_lint.source.files import SourceFile

PARALLEL_FROM: Final = 8
"""Fewest files that can hold kernels for which starting processes pays."""


def tune_collector() -> None:
    """Collect garbage seldom: a run builds large trees that live to its end, and scanning them over and over is
    waste.
    """
    gc.set_threshold(50_000, 20, 50)


def share_out(files: Sequence[SourceFile], weights: Sequence[int], shards: int) -> list[list[str]]:
    """Paths of files for each shard: directories stay together (they import each other), weights are balanced.

    The largest directories are dealt first, each to the lightest shard; one that is larger than a fair share is split.
    Empty shards are left out.
    """
    fair = max(sum(weights) // max(shards, 1), 1)
    groups: dict[tuple[str, int], list[int]] = {}
    for index, file in enumerate(files):
        directory = str(Path(file.path).parent)
        part = 0
        while sum(weights[each] for each in groups.get((directory, part), ())) >= fair:
            part += 1
        groups.setdefault((directory, part), []).append(index)
    loads = [0] * shards
    dealt: list[list[int]] = [[] for _ in range(shards)]
    by_weight = sorted(groups.items(), key=lambda item: (-sum(weights[each] for each in item[1]), item[0]))
    for _, members in by_weight:
        lightest = loads.index(min(loads))
        dealt[lightest] += members
        loads[lightest] += sum(weights[each] for each in members)
    return [[files[index].path for index in sorted(members)] for members in dealt if members]


def default_jobs() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1
