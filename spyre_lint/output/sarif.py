"""SARIF 2.1.0 for code scanning: one run, every rule of the tool, findings with relative URIs and stable fingerprints.

What a consumer ignores is still there where the standard asks for it (`originalUriBaseIds`, `columnKind`,
`toolExecutionNotifications`). Two things are left out on purpose: suppressed findings, which code scanning would show
as open, and `primaryLocationLineHash`, which the upload action computes itself.
Source: the OASIS standard, sections 3.11 (messages), 3.14 (runs), 3.20 (invocations), 3.27 (results), 3.30 (regions),
3.49 (rules); GitHub's documentation of the properties it reads and of their limits (descriptions 1024 characters, names
255, no empty strings).
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

from spyre_lint.findings import Finding, Fix, Level, Location
from spyre_lint.output.json_ import TOOL_NAME
from spyre_lint.report import Invariant, Report
from spyre_lint.rules import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE_ID = "%SRCROOT%"
FINGERPRINT_KEY = "spyreLint/v1"
INTERNAL_ERROR = "SPY905"
DESCRIPTION_LIMIT = 1024
_PROBLEM_SEVERITY = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


def render(report: Report) -> str:
    """The report as a SARIF log, in ASCII so that no terminal encoding can break it."""
    return json.dumps(as_log(report), indent=2, allow_nan=False) + "\n"


def as_log(report: Report) -> dict[str, Any]:
    """The report as a SARIF log object with one run."""
    index = {rule.code: position for position, rule in enumerate(report.rules)}
    invariants = {invariant.slug: invariant for invariant in report.invariants}
    run = {
        "tool": {
            "driver": {
                "name": TOOL_NAME,
                "version": report.tool_version,
                "semanticVersion": report.tool_version,
                "rules": [_rule(rule, invariants.get(rule.invariant)) for rule in report.rules],
            }
        },
        "automationDetails": {"id": f"{TOOL_NAME}/"},
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {BASE_ID: _base(report)},
        "columnKind": "unicodeCodePoints",
        "results": [_result(report, finding, index) for finding in report.findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule, invariant: Invariant | None) -> dict[str, Any]:
    page = _page(invariant)
    title = rule.name.replace("-", " ").capitalize()
    described: dict[str, Any] = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{title}."},
        "fullDescription": {"text": _limited(rule.summary or f"{title}.")},
        "help": {"text": f"{rule.summary or title} More: {TOOL_NAME} explain {rule.code}"},
        "defaultConfiguration": {"level": rule.level.value},
        "properties": {
            "tags": ["triton", "spyre", *([rule.invariant] if rule.invariant else [])],
            "precision": "very-high",
            "problem.severity": _PROBLEM_SEVERITY[rule.level],
        },
    }
    if page:
        described["help"]["markdown"] = page
    return described


def _page(invariant: Invariant | None) -> str:
    """The invariant's Markdown; empty where there is no page to read (a log without it is still a good log)."""
    if invariant is None:
        return ""
    try:
        return invariant.markdown()
    except (OSError, UnicodeDecodeError):
        return ""


def _limited(text: str) -> str:
    return text if len(text) <= DESCRIPTION_LIMIT else text[: DESCRIPTION_LIMIT - 3] + "..."


def _base(report: Report) -> dict[str, Any]:
    base: dict[str, Any] = {"description": {"text": "The directory that the linter was started in."}}
    if report.cwd:
        base["uri"] = _directory_uri(report.cwd)
    return base


def _invocation(report: Report) -> dict[str, Any]:
    """Whether the tool could do its job; what it could not do is a notification, whether it is also a result or not."""
    notifications = [
        {
            "level": "error",
            "message": {"text": finding.message},
            "associatedRule": {"id": finding.code},
            "locations": [{"physicalLocation": _physical(report, finding.location)}],
        }
        for finding in report.findings
        if finding.code == INTERNAL_ERROR
    ]
    notifications += [{"level": "error", "message": {"text": problem}} for problem in report.problems]
    invocation: dict[str, Any] = {
        "executionSuccessful": not notifications and not report.internal_errors,
        "exitCode": report.exit_status,
        "toolExecutionNotifications": notifications,
    }
    if report.cwd:
        invocation["workingDirectory"] = {"uri": _directory_uri(report.cwd)}
    return invocation


def _result(report: Report, finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": _physical(report, finding.location)}
    if finding.kernel:
        name = f"{finding.location.path}::{finding.kernel}"
        location["logicalLocations"] = [{"name": finding.kernel, "fullyQualifiedName": name, "kind": "function"}]
    properties: dict[str, Any] = {"verdict": finding.verdict.value}
    if finding.binding:
        properties["binding"] = finding.binding
    if finding.evidence:
        properties["evidence"] = dict(finding.evidence)
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.level.value,
        "message": {"text": _message(finding)},
        "locations": [location],
        "properties": properties,
    }
    if finding.code in index:
        result["ruleIndex"] = index[finding.code]
    if finding.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": related.message or "related"},
                "physicalLocation": _physical(report, related.location),
            }
            for number, related in enumerate(finding.related, start=1)
        ]
    if finding.fingerprint:
        result["partialFingerprints"] = {FINGERPRINT_KEY: finding.fingerprint}
    if finding.fix:
        result["fixes"] = [_fix(report, finding.fix)]
    return result


def _message(finding: Finding) -> str:
    """Message, the related places as embedded links (consumers show only those that are linked to), help."""
    parts = [_unlinked(finding.message or finding.name)]
    for number, related in enumerate(finding.related, start=1):
        title = (related.message or "related").replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        parts.append(f"[{title}]({number})")
    if finding.help:
        parts.append(f"Help: {_unlinked(finding.help)}")
    return "\n".join(parts)


def _unlinked(text: str) -> str:
    """`text` with brackets that would read as an embedded link (`x[i](j)`) escaped."""
    return _LINK.sub(r"\\[", text)


def _fix(report: Report, fix: Fix) -> dict[str, Any]:
    by_path: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        replacement = {"deletedRegion": _region(edit.location), "insertedContent": {"text": edit.text}}
        by_path.setdefault(edit.location.path, []).append(replacement)
    changes = [
        {"artifactLocation": _artifact(report, path), "replacements": replacements}
        for path, replacements in by_path.items()
    ]
    return {"description": {"text": fix.title}, "artifactChanges": changes}


def _physical(report: Report, location: Location) -> dict[str, Any]:
    return {"artifactLocation": _artifact(report, location.path), "region": _region(location)}


def _region(location: Location) -> dict[str, int]:
    """Lines and columns from 1, the end column exclusive: the finding's own convention."""
    return {
        "startLine": location.line,
        "startColumn": location.column,
        "endLine": location.end_line,
        "endColumn": location.end_column,
    }


def _artifact(report: Report, path: str) -> dict[str, str]:
    """A path below the working directory relative to it, any other as an absolute URI."""
    if path.startswith("/") or re.match(r"[A-Za-z]:/", path):
        return {"uri": _absolute_uri(path)}
    if (path == ".." or path.startswith("../")) and report.cwd:
        above, below = report.cwd.rstrip("/"), path
        while below.startswith("../"):
            above, below = above.rpartition("/")[0], below[3:]
        return {"uri": _absolute_uri(f"{above}/{below}")}
    return {"uri": quote(path, safe="/", errors="surrogateescape"), "uriBaseId": BASE_ID}


def _absolute_uri(path: str) -> str:
    """`file:` URI of an absolute path; the colon of a Windows drive stays one."""
    drive, rest = (path[:2], path[2:]) if re.match(r"[A-Za-z]:/", path) else ("", path)
    return f"file://{'/' if drive else ''}{drive}{quote(rest, safe='/', errors='surrogateescape')}"


def _directory_uri(path: str) -> str:
    return _absolute_uri(path.rstrip("/") + "/")
