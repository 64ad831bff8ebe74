"""The sentence at the end of a run, and how counts are worded: shared by the formats people read."""

from __future__ import annotations

from collections import Counter

from spyre_lint.findings import Level
from spyre_lint.report import Report

LEVELS = (Level.ERROR, Level.WARNING, Level.NOTE)
"""Gravest first, as counts are listed."""


def plural(count: int, noun: str) -> str:
    """`1 file`, `2 files`: the count with its noun, which takes an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def summary_line(report: Report) -> str:
    """What was found, in how much, and what is not shown: counted, never dropped in silence."""
    summary = report.summary
    where = f"{plural(summary.kernels, 'kernel')} of {plural(summary.files, 'file')}"
    unproven = summary.verdicts.get("unproven", 0)
    asides = [
        f"{count} {word}"
        for count, word in (
            (unproven, "unproven"),
            (summary.suppressed, "suppressed"),
            (summary.hidden, "not selected"),
        )
        if count
    ]
    aside = f" ({', '.join(asides)})" if asides else ""
    counts = [plural(count, level.value) for level in LEVELS if (count := summary.levels.get(level.value, 0))]
    if counts:
        return f"Found {', '.join(counts)} in {where}{aside}"
    if not summary.kernels:
        return f"No Triton kernels in {plural(summary.files, 'file')}{aside}"
    return f"All clean: {where}{aside}"


def statistics_rows(report: Report) -> list[tuple[int, Level, str, str]]:
    """Count, gravest level, code and name per code that was reported: most frequent first, then by code.

    After the name stand the counts of the levels, where a code was reported at several.
    """
    counts = Counter(finding.code for finding in report.findings)
    names = {finding.code: finding.name for finding in report.findings}
    levels = Counter((finding.code, finding.level) for finding in report.findings)
    rows: list[tuple[int, Level, str, str]] = []
    for code in sorted(counts, key=lambda code: (-counts[code], code)):
        seen = [level for level in LEVELS if levels[code, level]]
        split = ", ".join(plural(levels[code, level], level.value) for level in seen)
        rows.append((counts[code], seen[0], code, names[code] + (f" ({split})" if len(seen) > 1 else "")))
    return rows
