"""GitHub Actions workflow commands: one annotation per finding, errors first, because a step shows ten of each level.

Escaping follows the toolkit's: in messages `%`, CR and LF; in properties `:` and `,` too. `col` and `endColumn` are
valid only when a range stays on one line.
"""

from __future__ import annotations

from spyre_lint.findings import Finding, Level
from spyre_lint.output.summary import summary_line
from spyre_lint.report import Report

COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}
SHOWN_PER_STEP = 10
"""Annotations of one level that GitHub shows for a step; the rest stand in the log alone."""


def render(report: Report, *, quiet: bool = False) -> str:
    """The annotations, gravest first and in the report's order within a level, then the summary (unless `quiet`)."""
    ordered = sorted(report.findings, key=lambda finding: -finding.level.rank)
    lines = [_annotation(finding) for finding in ordered]
    if not quiet:
        unseen = sum(max(report.summary.levels.get(level.value, 0) - SHOWN_PER_STEP, 0) for level in Level)
        more = f"; {unseen} more than GitHub shows as annotations, all of them are in this log" if unseen else ""
        lines.append(summary_line(report) + more)
    return "".join(f"{line}\n" for line in lines)


def _annotation(finding: Finding) -> str:
    location = finding.location
    properties = {"title": f"{finding.code} {finding.name}", "file": location.path, "line": str(location.line)}
    if location.end_line == location.line:
        properties |= {
            "col": str(location.column),
            "endLine": str(location.end_line),
            "endColumn": str(location.end_column),
        }
    else:
        properties["endLine"] = str(location.end_line)
    parts = [finding.message]
    parts += [f"related: {related.location}: {related.message}" for related in finding.related]
    if finding.help:
        parts.append(f"help: {finding.help}")
    written = ",".join(f"{key}={escape_property(value)}" for key, value in properties.items())
    return f"::{COMMANDS[finding.level]} {written}::{escape_data(chr(10).join(parts))}"


def escape_data(text: str) -> str:
    """The message part of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """The value of a property of a workflow command."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")
