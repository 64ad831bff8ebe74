from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from spyre_lint.output import render
from spyre_lint.report import Report

EXPECTED: dict[str, Any] = {
    "version": 1,
    "tool": {"name": "spyre-lint", "version": "1.2.3"},
    "findings": [
        {
            "code": "SPY101",
            "name": "raw-pointer-load",
            "level": "error",
            "verdict": "violated",
            "message": "`tl.load` reads through the raw pointer `x_ptr`",
            "help": "read it with `desc.load([i])`",
            "path": "kernels/add.py",
            "line": 4,
            "column": 6,
            "end_line": 4,
            "end_column": 24,
            "kernel": "_add",
            "binding": None,
            "related": [
                {
                    "message": "called here",
                    "path": "kernels/add.py",
                    "line": 3,
                    "column": 1,
                    "end_line": 3,
                    "end_column": 4,
                }
            ],
            "evidence": {},
            "fix": {
                "title": "Load a tile",
                "edits": [
                    {
                        "path": "kernels/add.py",
                        "line": 4,
                        "column": 6,
                        "end_line": 4,
                        "end_column": 24,
                        "text": "d.load([i])",
                    }
                ],
            },
            "fingerprint": "00aa",
        },
        {
            "code": "SPY401",
            "name": "scratchpad-overflow",
            "level": "warning",
            "verdict": "violated",
            "message": "4 MiB of live tiles, over 2 MiB",
            "help": "",
            "path": "kernels/add.py",
            "line": 6,
            "column": 9,
            "end_line": 8,
            "end_column": 11,
            "kernel": "_add",
            "binding": "fp32",
            "related": [],
            "evidence": {"bytes": 4194304, "live": [{"name": "x", "shape": [1024, 1024]}]},
            "fix": None,
            "fingerprint": "00bb",
        },
        {
            "code": "SPY201",
            "name": "last-dim-below-16-bytes",
            "level": "note",
            "verdict": "unproven",
            "message": "4 elements of an unknown type,\nbelow 16 bytes unless they have 4 bytes: 100%",
            "help": "",
            "path": "my kernels/a:b,c%.py",
            "line": 1,
            "column": 48,
            "end_line": 1,
            "end_column": 51,
            "kernel": None,
            "binding": None,
            "related": [],
            "evidence": {},
            "fix": None,
            "fingerprint": "00cc",
        },
    ],
    "summary": {
        "files": 2,
        "kernels": 2,
        "levels": {"error": 1, "warning": 1, "note": 1},
        "verdicts": {"violated": 2, "unproven": 1},
        "suppressed": 1,
        "hidden": 0,
    },
}


def test_the_whole_object_in_its_order(report: Report) -> None:
    text = render(report, "json")
    assert text == json.dumps(EXPECTED, indent=2) + "\n"


def test_nothing_depends_on_the_machine(report: Report, make_report: Callable[..., Report]) -> None:
    elsewhere = make_report(*report.findings, suppressed=1, cwd="C:/Users/x", source_line=lambda _path, _line: "")
    assert render(elsewhere, "json") == render(report, "json")


def test_no_findings(make_report: Callable[..., Report]) -> None:
    parsed = json.loads(render(make_report(), "json"))
    assert parsed["findings"] == []
    assert parsed["summary"]["levels"] == {"error": 0, "warning": 0, "note": 0}
    assert parsed["summary"]["verdicts"] == {"violated": 0, "unproven": 0}


def test_ascii_only_and_lossless(report: Report, make_report: Callable[..., Report]) -> None:
    finding = report.findings[0].with_(message="tile 名前 \u2028 \x1b")
    text = render(make_report(finding), "json")
    assert text.isascii()
    assert json.loads(text)["findings"][0]["message"] == "tile 名前 \u2028 \x1b"
