"""Findings as a compiler prints them: place, code, message, the source line with the range underlined, what to do.

The text is built as styled segments. Without colour they are joined, which costs nothing; with colour they go through
rich, imported only then.
"""

from __future__ import annotations

import re

from spyre_lint.findings import Finding, Level, Location
from spyre_lint.output.summary import statistics_rows, summary_line
from spyre_lint.report import Report

Segment = tuple[str, str]
"""A piece of text and the name of its style (`STYLES`; empty: plain)."""

STYLES = {
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "place": "bold",
    "frame": "blue",
    "help": "bold green",
}
TAB_CELLS = 4
LINE_CELLS = 160
"""Source lines longer than this many cells are cut to the part around the range."""
_CUT = "..."
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def render(
    report: Report, *, color: bool = False, concise: bool = False, statistics: bool = False, quiet: bool = False
) -> str:
    """The findings for people, then the counts per code (`statistics`), then the summary (unless `quiet`).

    `concise` gives one line per finding.
    """
    segments: list[Segment] = []
    for finding in report.findings:
        segments += _headline(finding)
        if not concise:
            segments += _excerpt(report, finding.location, finding.level.value)
            segments += _remarks(finding)
            segments.append(("\n", ""))
    if statistics:
        segments += _statistics(report)
    if not quiet:
        segments.append((f"{summary_line(report)}\n", ""))
    return _colored(segments) if color else "".join(text for text, _ in segments)


def _headline(finding: Finding) -> list[Segment]:
    level = finding.level.value
    return [
        (f"{printable(str(finding.location))}:", "place"),
        (" ", ""),
        (f"{level}[{finding.code}]", level),
        (f" {finding.name}: {_wrapped(finding.message)}\n", ""),
    ]


def _excerpt(report: Report, location: Location, style: str) -> list[Segment]:
    """The first line of a range with the range underlined; nothing where the file has no such line."""
    line = report.source_line(location.path, location.line).rstrip("\r\n")
    if not line.strip():
        return []
    start = min(max(location.column - 1, 0), len(line))
    goes_on = location.end_line > location.line
    end = len(line.rstrip()) if goes_on else min(location.end_column - 1, len(line))
    end = max(end, start + 1)
    # Each part is widened on its own, so that the underline has the cells the terminal gives the text above it.
    before, inside, after = (displayed(part) for part in (line[:start], line[start:end], line[end:]))
    before, inside, after = _fit(before, inside, after)
    underline = "^" * max(cells(inside), 1) + (_CUT if goes_on else "")
    number = str(location.line)
    gutter = " " * len(number)
    return [
        (f" {number} | ", "frame"),
        (f"{before}{inside}{after}".rstrip() + "\n", ""),
        (f" {gutter} | ", "frame"),
        (" " * cells(before), ""),
        (underline + "\n", style),
    ]


def _fit(before: str, inside: str, after: str) -> tuple[str, str, str]:
    """Cut the three parts of a line to `LINE_CELLS`, keeping the range and what stands nearest to it."""
    if len(before) + len(inside) + len(after) <= LINE_CELLS:
        return before, inside, after
    if len(inside) > LINE_CELLS:
        inside = inside[:LINE_CELLS] + _CUT
        after = ""
    room = max(LINE_CELLS - len(inside), 0) // 2
    if len(before) > room:
        before = _CUT + before[len(before) - room :]
    if len(after) > room:
        after = after[:room] + _CUT
    return before, inside, after


def _remarks(finding: Finding) -> list[Segment]:
    segments: list[Segment] = []
    if finding.kernel:
        under = f", under {finding.binding}" if finding.binding else ""
        segments += [("  kernel:", "frame"), (f" {printable(finding.kernel + under)}\n", "")]
    for related in finding.related:
        place = printable(str(related.location))
        segments += [("  related:", "frame"), (f" {place}: {_wrapped(related.message)}\n", "")]
    if finding.help:
        segments += [("  help:", "help"), (f" {_wrapped(finding.help)}\n", "")]
    return segments


def _statistics(report: Report) -> list[Segment]:
    rows = statistics_rows(report)
    if not rows:
        return []
    width = len(str(rows[0][0]))
    level_width = max(len(level.value) for level in Level)
    segments: list[Segment] = []
    for count, level, code, name in rows:
        segments += [
            (f"{count:>{width}}  ", ""),
            (f"{level.value:<{level_width}}", level.value),
            (f"  {code}  {name}\n", ""),
        ]
    return segments


def _wrapped(message: str) -> str:
    """A message with its further lines, if any, indented below it."""
    return "\n    ".join(printable(line) for line in message.splitlines())


def printable(text: str) -> str:
    """`text` with control characters, direction overrides and lone surrogates replaced.

    Linted files do not get to steer a terminal, nor to show a reader another program than the one that runs.
    """
    return text if text.isprintable() else "".join("\ufffd" if _UNSAFE.match(char) else char for char in text)


def displayed(text: str) -> str:
    """`text` as the excerpt shows it: tabs as four spaces, nothing that a terminal would obey."""
    return printable(text.replace("\t", " " * TAB_CELLS))


def cells(text: str) -> int:
    """Columns that `text` takes on a terminal: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _colored(segments: list[Segment]) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    styled = Text(end="")
    for text, style in segments:
        styled.append(text, STYLES.get(style, ""))
    stream = StringIO()
    console = Console(file=stream, force_terminal=True, color_system="standard", legacy_windows=False, no_color=False)
    console.print(styled, soft_wrap=True, highlight=False, end="")
    return stream.getvalue()
