"""The T1 report for people: a terminal table with reasons below it, and the same as Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from spyre_lint.t1.models import Cause, KernelReport, Status, T1Report

_MARKS: dict[Status, str] = {
    "satisfied": "yes",
    "violated": "NO",
    "unproven": "open",
    "waived": "waived",
    "not applicable": "-",
}
_COLOURS: dict[Status, str] = {"satisfied": "green", "violated": "red", "unproven": "yellow", "waived": "cyan"}
_SHOWN_BINDINGS = 4

Style = Callable[[str, str], str]
"""Colours a text; the second argument is the colour's name."""


def plain(text: str, _colour: str) -> str:
    """The style of text without colour."""
    return text


def render_json(report: T1Report) -> str:
    """The report as one JSON object, in ASCII so that no terminal encoding can break it."""
    return json.dumps(report.model_dump(mode="json"), indent=2) + "\n"


def render_text(report: T1Report, style: Style = plain) -> str:
    """A table of kernels and invariants, then for every kernel what it rests on and what speaks against it."""
    lines = [*_table(report, style), ""]
    for number, name in enumerate(report.invariants, start=1):
        lines.append(f"{number:>2} {name}")
    for kernel in report.kernels:
        lines += ["", *_details(kernel, style)]
    lines += ["", *_remarks(report), _totals(report)]
    return "\n".join(lines) + "\n"


def _table(report: T1Report, style: Style) -> Iterator[str]:
    """Invariants are columns by number; a legend names them."""
    columns = report.invariants
    header = ["kernel", "T1", *(str(number) for number in range(1, len(columns) + 1)), "peak", "cores", "bindings"]
    rows: list[list[str]] = []
    for kernel in report.kernels:
        status = {each.invariant: each.status for each in kernel.invariants}
        marks = [_MARKS[status.get(name, "not applicable")] for name in columns]
        rows.append([kernel.name, _MARKS[kernel.status], *marks, *_figures(kernel)])
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    yield "  ".join(text.ljust(width) for text, width in zip(header, widths, strict=True)).rstrip()
    yield "  ".join("-" * width for width in widths)
    by_mark = {mark: _COLOURS.get(status, "") for status, mark in _MARKS.items()}
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        cells[-1] = cells[-1].rstrip()
        yield "  ".join(
            style(cell, by_mark[text]) if by_mark.get(text) else cell for cell, text in zip(cells, row, strict=True)
        )


def _figures(kernel: KernelReport) -> list[str]:
    peak = "?" if kernel.peak_bytes is None else _bytes(kernel.peak_bytes)
    return [peak, _counts(kernel.core_counts), str(len(kernel.bindings))]


def _bytes(number: int) -> str:
    return f"{number / 1024:.1f} KiB" if number >= 1024 else f"{number} B"


def _counts(counts: Sequence[int]) -> str:
    """Core counts, shortened: the list is the analysis's choice out of 1 to 32."""
    return f"{counts[0]}..{counts[-1]}" if len(counts) > 1 else str(counts[0]) if counts else "?"


def _details(kernel: KernelReport, style: Style) -> Iterator[str]:
    yield f"{kernel.name}: {style(kernel.status, _COLOURS.get(kernel.status, ''))}"
    yield f"  run by    {_bindings(kernel)}"
    if kernel.core_counts:
        yield f"  shown on  {', '.join(map(str, kernel.core_counts))} cores: every tile is done exactly once"
    elif kernel.role == "spyre":
        yield "  shown on  no number of cores: which tiles the programs store could not be followed to the end"
    for each in kernel.invariants:
        for cause in each.causes:
            mark = style(_MARKS[cause.verdict], _COLOURS[cause.verdict])
            yield f"  {mark} {each.invariant}: {_reason(cause)}"
        for cause in each.advice:
            yield f"  note {each.invariant}: {_reason(cause)}"


def _bindings(kernel: KernelReport) -> str:
    if not kernel.bindings:
        return "nothing that was seen: no driver, launch, default or configured binding"
    parts: list[str] = []
    for each in kernel.bindings[:_SHOWN_BINDINGS]:
        peak = f", {each.peak_bytes} bytes at the peak" if each.peak_bytes is not None else ""
        parts.append(f"{each.source} {each.label}{f' on {each.grid}' if each.grid else ''}{peak}")
    more = len(kernel.bindings) - _SHOWN_BINDINGS
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


def _reason(cause: Cause) -> str:
    under = f" (under {cause.binding})" if cause.binding else ""
    settled = f"; settled by {', '.join(cause.settled_by)}" if cause.settled_by else ""
    return f"{cause.code} at {cause.place.path}:{cause.place.line}: {cause.message}{under}{settled}"


def _remarks(report: T1Report) -> Iterator[str]:
    for each in report.unchecked:
        reason = f": {each.reason}" if each.reason else ""
        yield f"not checked: the invariant {each.invariant} ({each.path}){reason}"
    for problem in report.problems:
        yield f"not read: {problem}"


def _totals(report: T1Report) -> str:
    counts = {status: sum(kernel.status == status for kernel in report.kernels) for status in _MARKS}
    told = [f"{number} {status}" for status, number in counts.items() if number]
    return f"T1 of {len(report.kernels)} kernels: {', '.join(told) or 'none'}"


def render_markdown(report: T1Report) -> str:
    """The same as Markdown: one table, then one list per kernel that is not satisfied."""
    columns = report.invariants
    header = ["kernel", "T1", *(f"`{name}`" for name in columns), "peak bytes", "core counts shown", "bindings"]
    lines = ["# T1 report", "", _row(header), _row(["---"] * len(header))]
    for kernel in report.kernels:
        status = {each.invariant: each.status for each in kernel.invariants}
        marks = [_MARKS[status.get(name, "not applicable")] for name in columns]
        peak = "?" if kernel.peak_bytes is None else str(kernel.peak_bytes)
        counts = ", ".join(map(str, kernel.core_counts)) or "?"
        sources = ", ".join(dict.fromkeys(each.source for each in kernel.bindings)) or "none"
        cells = [f"`{kernel.name}`", _MARKS[kernel.status], *marks, peak, counts, f"{len(kernel.bindings)} ({sources})"]
        lines.append(_row(cells))
    for kernel in report.kernels:
        told = [
            f"- {_MARKS[cause.verdict]} `{each.invariant}`: {_escaped(_reason(cause))}"
            for each in kernel.invariants
            for cause in each.causes
        ]
        if told:
            lines += ["", f"## `{kernel.name}`", "", *told]
    remarks = [f"- {_escaped(remark)}" for remark in _remarks(report)]
    if remarks:
        lines += ["", "## Not in this report", "", *remarks]
    return "\n".join([*lines, "", _totals(report)]) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _escaped(text: str) -> str:
    """Text in which `<` and `*` outside of code mean themselves."""
    parts = text.split("`")
    for index in range(0, len(parts), 2):
        parts[index] = parts[index].replace("*", "\\*").replace("<", "&lt;")
    return "`".join(parts)
