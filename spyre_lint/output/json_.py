"""The JSON contract, version 1: one object with the findings in their order and the counts of the run.

The object: `version` (1), `tool` (name, version), `findings`, `summary` (files, kernels, counts per level and verdict,
suppressed, hidden). A finding: `code`, `name`, `level`, `verdict`, `message`, `help`, `path` (relative to the working
directory, forward slashes), `line`, `column`, `end_line`, `end_column` (from 1, characters, the end exclusive),
`kernel`, `binding` (or null), `related`, `evidence`, `fix` (or null), `fingerprint`. Content and order do not depend on
the machine.
"""

from __future__ import annotations

import json
from typing import Any

from spyre_lint.findings import Finding, Fix, Level, Location, Verdict
from spyre_lint.report import Report

VERSION = 1
TOOL_NAME = "spyre-lint"


def render(report: Report) -> str:
    """The report as one JSON object, in ASCII so that no terminal encoding can break it."""
    return json.dumps(as_object(report), indent=2, allow_nan=False) + "\n"


def as_object(report: Report) -> dict[str, Any]:
    """The report as the contract's object, of what JSON can hold."""
    summary = report.summary
    return {
        "version": VERSION,
        "tool": {"name": TOOL_NAME, "version": report.tool_version},
        "findings": [finding_object(finding) for finding in report.findings],
        "summary": {
            "files": summary.files,
            "kernels": summary.kernels,
            "levels": {level.value: summary.levels.get(level.value, 0) for level in reversed(Level)},
            "verdicts": {
                verdict.value: summary.verdicts.get(verdict.value, 0)
                for verdict in (Verdict.VIOLATED, Verdict.UNPROVEN)
            },
            "suppressed": summary.suppressed,
            "hidden": summary.hidden,
        },
    }


def finding_object(finding: Finding) -> dict[str, Any]:
    """One finding as the contract's object."""
    return {
        "code": finding.code,
        "name": finding.name,
        "level": finding.level.value,
        "verdict": finding.verdict.value,
        "message": finding.message,
        "help": finding.help,
        **_place(finding.location),
        "kernel": finding.kernel,
        "binding": finding.binding,
        "related": [{"message": related.message, **_place(related.location)} for related in finding.related],
        "evidence": dict(finding.evidence),
        "fix": _fix(finding.fix),
        "fingerprint": finding.fingerprint,
    }


def _place(location: Location) -> dict[str, Any]:
    return {
        "path": location.path,
        "line": location.line,
        "column": location.column,
        "end_line": location.end_line,
        "end_column": location.end_column,
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    return {"title": fix.title, "edits": [{**_place(edit.location), "text": edit.text} for edit in fix.edits]}
