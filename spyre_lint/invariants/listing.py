"""What is active: every invariant with its rules, where its checker comes from, and which files of the project it
covers.
"""

from __future__ import annotations

from collections.abc import Sequence

from spyre_lint.registry import Registry
from spyre_lint.source.files import relative_path

NO_CHECKER = "no checker"


def listing(registry: Registry) -> str:
    """One line per invariant, and one per file of the project below it."""
    rows: list[tuple[str, str, str]] = []
    below: list[list[str]] = []
    for each in registry.invariants:
        rows.append((each.slug, _codes([rule.code for rule in each.rules]), each.origin))
        below.append([f"covers {relative_path(path)}" for path in each.files])
    for lost in registry.uncovered:
        if registry.invariant(lost.slug) is not None:
            below[[row[0] for row in rows].index(lost.slug)].append(f"{relative_path(lost.path)}: {lost.reason}")
            continue
        reason = f"{NO_CHECKER}: {lost.reason}" if lost.reason else f"{NO_CHECKER}: kernels are not checked against it"
        rows.append((lost.slug, "-", reason))
        below.append([relative_path(lost.path)])
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    lines: list[str] = []
    for (slug, codes, origin), details in zip(rows, below, strict=True):
        lines.append(f"{slug:<{widths[0]}}  {codes:<{widths[1]}}  {origin}")
        lines += [f"    {detail}" for detail in details]
    return "\n".join(lines)


def _codes(codes: Sequence[str]) -> str:
    if not codes:
        return "-"
    return codes[0] if len(codes) == 1 else f"{codes[0]} to {codes[-1]}, {len(codes)} rules"
