from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from spyre_lint.findings import Level, Location
from spyre_lint.output import render, wants_color
from spyre_lint.output.summary import summary_line
from spyre_lint.output.text import LINE_CELLS, cells, printable
from spyre_lint.report import Report, Summary
from spyre_lint.rules import Rule

MakeReport = Callable[..., Report]
RULE = Rule("SPY101", "raw-pointer-load", Level.ERROR, "A kernel loads through a raw pointer.")
ANSI = re.compile(r"\x1b\[[0-9;]*m")

FULL = """\
kernels/add.py:4:6: error[SPY101] raw-pointer-load: `tl.load` reads through the raw pointer `x_ptr`
 4 |     x = tl.load(x_ptr + i)  # 幅
   |         ^^^^^^^^^^^^^^^^^^
  kernel: _add
  related: kernels/add.py:3:1: called here
  help: read it with `desc.load([i])`

kernels/add.py:6:9: warning[SPY401] scratchpad-overflow: 4 MiB of live tiles, over 2 MiB
 6 |     z = tl.dot(
   |         ^^^^^^^...
  kernel: _add, under fp32

my kernels/a:b,c%.py:1:48: note[SPY201] last-dim-below-16-bytes: 4 elements of an unknown type,
    below 16 bytes unless they have 4 bytes: 100%
 1 | desc = tl.make_tensor_descriptor(p, [n], [1], [4])
   |                                                ^^^

Found 1 error, 1 warning, 1 note in 2 kernels of 2 files (1 unproven, 1 suppressed)
"""

CONCISE = """\
kernels/add.py:4:6: error[SPY101] raw-pointer-load: `tl.load` reads through the raw pointer `x_ptr`
kernels/add.py:6:9: warning[SPY401] scratchpad-overflow: 4 MiB of live tiles, over 2 MiB
my kernels/a:b,c%.py:1:48: note[SPY201] last-dim-below-16-bytes: 4 elements of an unknown type,
    below 16 bytes unless they have 4 bytes: 100%
Found 1 error, 1 warning, 1 note in 2 kernels of 2 files (1 unproven, 1 suppressed)
"""


def excerpt(make_report: MakeReport, line: str, location: Location) -> list[str]:
    """The two lines that show `location` in a file whose every line is `line`, without their gutter."""
    report = make_report(RULE.violated(location, "m"), source_line=lambda _path, _line: line)
    shown = render(report).splitlines()[1:3]
    return [text.split(" | ", 1)[1] for text in shown]


def test_full_text(report: Report) -> None:
    assert render(report, "text") == FULL


def test_concise_text(report: Report) -> None:
    assert render(report, "concise") == CONCISE


def test_quiet_leaves_the_summary_out(report: Report) -> None:
    assert render(report, "concise", quiet=True) == "".join(CONCISE.splitlines(keepends=True)[:-1])


def test_statistics_are_sorted_by_count_and_carry_the_gravest_level(make_report: MakeReport) -> None:
    at = Location("a.py", 1)
    findings = [RULE.unproven_at(at, "u"), RULE.violated(at, "v")]
    findings += [Rule("SPY401", "scratchpad-overflow", Level.WARNING, "s.").violated(at, "w") for _ in range(10)]
    findings += [Rule("SPY102", "raw-pointer-store", Level.NOTE, "s.").violated(at, "w") for _ in range(2)]
    text = render(make_report(*findings), "concise", statistics=True, quiet=True)
    assert text.splitlines()[-3:] == [
        "10  warning  SPY401  scratchpad-overflow",
        " 2  error    SPY101  raw-pointer-load (1 error, 1 note)",
        " 2  note     SPY102  raw-pointer-store",
    ]


def test_statistics_of_nothing_are_empty(make_report: MakeReport) -> None:
    assert render(make_report(), statistics=True, quiet=True) == ""


def test_colour_changes_nothing_but_colour(report: Report) -> None:
    for name in ("text", "concise"):
        colored = render(report, name, color=True)
        assert ANSI.sub("", colored) == render(report, name)
    assert "\x1b[1;31merror[SPY101]\x1b[0m" in render(report, color=True)


def test_square_brackets_are_no_markup(make_report: MakeReport) -> None:
    report = make_report(RULE.violated(Location("a.py", 1), "tile [bold]x[/bold] of [64, 64] :smile:"))
    assert "tile [bold]x[/bold] of [64, 64] :smile:" in ANSI.sub("", render(report, color=True))


def test_tabs_count_four_cells_before_and_inside_the_range(make_report: MakeReport) -> None:
    line, underline = excerpt(make_report, "\tx =\ty\n", Location("a.py", 1, 2, 1, 7))
    assert line == "    x =    y"
    assert underline == "    ^^^^^^^^"


def test_wide_and_combining_characters(make_report: MakeReport) -> None:
    line, underline = excerpt(make_report, "名e\u0301 = 前(x)", Location("a.py", 1, 7, 1, 8))
    assert line == "名e\u0301 = 前(x)"
    assert underline == "      ^^"
    assert cells("名前") == 4
    assert cells("e\u0301") == 1


def test_a_range_past_the_end_of_the_line_still_points_somewhere(make_report: MakeReport) -> None:
    line, underline = excerpt(make_report, "abc", Location("a.py", 1, 9, 1, 12))
    assert (line, underline) == ("abc", "   ^")


@pytest.mark.parametrize("line", ["", "   ", "\n"])
def test_no_excerpt_for_a_line_that_is_not_there(make_report: MakeReport, line: str) -> None:
    report = make_report(RULE.violated(Location("a.py", 7), "m"), source_line=lambda _path, _line: line)
    assert render(report, quiet=True) == "a.py:7:1: error[SPY101] raw-pointer-load: m\n\n"


def test_long_lines_are_cut_around_the_range(make_report: MakeReport) -> None:
    text = "a" * 400 + "HERE" + "b" * 400
    line, underline = excerpt(make_report, text, Location("a.py", 1, 401, 1, 405))
    assert len(line) <= LINE_CELLS + 6
    assert line.startswith("...a")
    assert line.endswith("b...")
    assert line[underline.index("^") : underline.rindex("^") + 1] == "HERE"


def test_a_long_range_is_cut_itself(make_report: MakeReport) -> None:
    line, underline = excerpt(make_report, "x" * 1000, Location("a.py", 1, 1, 1, 1001))
    assert line == "x" * LINE_CELLS + "..."
    assert underline == "^" * (LINE_CELLS + 3)


def test_linted_files_do_not_steer_the_terminal(make_report: MakeReport) -> None:
    line, _ = excerpt(make_report, "x = '\x1b[31m\x9b'", Location("a.py", 1, 1, 1, 2))
    assert line == "x = '\ufffd[31m\ufffd'"
    assert printable("n\u00a0b\u2003 \udc80\x07\u202e") == "n\u00a0b\u2003 \ufffd\ufffd\ufffd"


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        (Summary(files=1, kernels=1), "All clean: 1 kernel of 1 file"),
        (
            Summary(files=2, kernels=3, suppressed=2, hidden=1),
            "All clean: 3 kernels of 2 files (2 suppressed, 1 not selected)",
        ),
        (Summary(files=1), "No Triton kernels in 1 file"),
        (Summary(files=0), "No Triton kernels in 0 files"),
        (
            Summary(files=2, kernels=1, levels={"error": 1, "warning": 0, "note": 2}, verdicts={"unproven": 2}),
            "Found 1 error, 2 notes in 1 kernel of 2 files (2 unproven)",
        ),
    ],
)
def test_summary_sentence(make_report: MakeReport, summary: Summary, sentence: str) -> None:
    assert summary_line(replace(make_report(), summary=summary)) == sentence
    assert render(replace(make_report(), summary=summary)) == f"{sentence}\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "expected"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": ""}, False),
        (Terminal(), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_when_colour_is_wanted(stream: io.StringIO, environ: dict[str, str], expected: bool) -> None:
    assert wants_color(stream, environ) is expected


def test_plain_text_imports_no_renderer() -> None:
    program = (
        "import sys\n"
        "from spyre_lint.output import render\n"
        "from spyre_lint.report import Report, Summary\n"
        "render(Report((), Summary()), 'text')\n"
        "heavy = {'rich', 'json', 'pydantic', 'triton', 'astroid'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
