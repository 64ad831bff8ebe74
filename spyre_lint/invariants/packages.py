"""Checkers that installed packages bring: entry points of the group `spyre_lint.checks`.

    [project.entry-points."spyre_lint.checks"]
    no-double = "acme_spyre.no_double"

The name is the invariant's slug, the value a module that keeps to the contract of checks. Asking `importlib.metadata`
costs more than a small run; it is asked only where some package's metadata mentions the group at all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

GROUP: Final = "spyre_lint.checks"


@dataclass(frozen=True, slots=True)
class PackagedChecker:
    """One entry point: the slug it is registered for, the package it comes from, and how it is loaded."""

    slug: str
    origin: str
    load: Callable[[], ModuleType]


def installed_checkers() -> list[PackagedChecker]:
    """The checkers of all installed packages, in the order of their names."""
    if not any(_mentions_group(Path(entry)) for entry in dict.fromkeys(sys.path) if entry):
        return []
    from importlib.metadata import entry_points

    found: list[PackagedChecker] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        dist = entry.dist
        origin = f"package {dist.name} {dist.version}" if dist is not None else f"package of {entry.value}"
        found.append(PackagedChecker(entry.name, origin, entry.load))
    return found


def _mentions_group(directory: Path) -> bool:
    """Whether the metadata of a package in a directory of the import path mentions the group."""
    try:
        with os.scandir(directory) as listing:
            names = [entry.path for entry in listing if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    wanted = GROUP.encode()
    for name in names:
        try:
            if wanted in Path(name, "entry_points.txt").read_bytes():
                return True
        except OSError:
            continue
    return False
