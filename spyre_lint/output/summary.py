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
    """Count, gravest level, code and name per code that was reported: most frequent first, then by code."""
    counts = Counter(finding.code for finding in report.findings)
    gravest: dict[str, Level] = {}
    names: dict[str, str] = {}
    for finding in report.findings:
        names.setdefault(finding.code, finding.name)
        known = gravest.get(finding.code)
        if known is None or finding.level.rank > known.rank:
            gravest[finding.code] = finding.level
    return [(counts[code], gravest[code], code, names[code]) for code in sorted(counts, key=lambda c: (-counts[c], c))]
