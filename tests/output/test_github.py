from __future__ import annotations

from collections.abc import Callable

from spyre_lint.findings import Level, Location
from spyre_lint.output import render
from spyre_lint.report import Report
from spyre_lint.rules import Rule

EXPECTED = """\
::error title=SPY101 raw-pointer-load,file=kernels/add.py,line=4,col=6,endLine=4,endColumn=24::\
`tl.load` reads through the raw pointer `x_ptr`%0Arelated: kernels/add.py:3:1: called here%0A\
help: read it with `desc.load([i])`
::warning title=SPY401 scratchpad-overflow,file=kernels/add.py,line=6,endLine=8::4 MiB of live tiles, over 2 MiB
::notice title=SPY201 last-dim-below-16-bytes,file=my kernels/a%3Ab%2Cc%25.py,line=1,col=48,endLine=1,endColumn=51::\
4 elements of an unknown type,%0Abelow 16 bytes unless they have 4 bytes: 100%25
Found 1 error, 1 warning, 1 note in 2 kernels of 2 files (1 unproven, 1 suppressed)
"""


def test_annotations(report: Report) -> None:
    assert render(report, "github") == EXPECTED


def test_errors_come_first_whatever_the_order_of_the_findings(
    report: Report, make_report: Callable[..., Report]
) -> None:
    reverse = make_report(*reversed(report.findings), suppressed=1)
    assert render(reverse, "github") == EXPECTED


def test_carriage_returns_do_not_end_a_command(make_report: Callable[..., Report]) -> None:
    rule = Rule("SPY101", "raw-pointer-load", Level.ERROR, "s.")
    report = make_report(rule.violated(Location("a\r\nb.py", 1, 1, 1, 2), "one\r\n::error::two"))
    text = render(report, "github", quiet=True)
    assert text == (
        "::error title=SPY101 raw-pointer-load,file=a%0D%0Ab.py,line=1,col=1,endLine=1,endColumn=2::"
        "one%0D%0A::error::two\n"
    )


def test_what_github_does_not_show_is_counted(make_report: Callable[..., Report]) -> None:
    rule = Rule("SPY101", "raw-pointer-load", Level.ERROR, "s.")
    report = make_report(*(rule.violated(Location("a.py", line), "m") for line in range(1, 14)))
    lines = render(report, "github").splitlines()
    assert len(lines) == 14
    assert lines[-1] == (
        "Found 13 errors in 2 kernels of 2 files; 3 more than GitHub shows as annotations, all of them are in this log"
    )


def test_no_findings(make_report: Callable[..., Report]) -> None:
    assert render(make_report(), "github") == "All clean: 2 kernels of 2 files\n"
