"""`conversion-notes.md`: what a conversion's notes say of each variant, with places for findings.

A section is a heading (`## Spyre-aware conversion`) with list items of the form `- Gaps: none` below it; an item goes
on over indented lines. The layout is that of the conversion skill (sections, `Source`, `Gaps`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from spyre_lint.findings import Location

NAME: Final = "conversion-notes.md"
"""Name of the notes beside a kernel."""

_HEADING: Final = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM: Final = re.compile(r"^\s*[-*+]\s+(?:\*\*|__)?([A-Za-z][\w -]*?)\s*:(?:\*\*|__)?\s*(.*)$")
_BULLET: Final = re.compile(r"^\s*[-*+]\s+")
_FENCE: Final = re.compile(r"^\s*(```|~~~)")


@dataclass(frozen=True, slots=True)
class NotesItem:
    """A `Key: text` item of a section; `loc` is the range of its first line's text."""

    text: str
    loc: Location


@dataclass(slots=True)
class NotesSection:
    """One section with all of its text and the items in it, by lower-case key."""

    title: str
    loc: Location
    items: dict[str, NotesItem] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything below the heading."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes of one kernel. Sections are found by title; upper and lower case do not count."""

    path: str
    text: str
    sections: Mapping[str, NotesSection]

    def section(self, title: str) -> NotesSection | None:
        """The section with a title."""
        return self.sections.get(title.lower())


def read_notes(path: str, text: str) -> Notes:
    """The sections of a notes file; `path` is its display path."""
    sections: dict[str, NotesSection] = {}
    open_sections: list[tuple[int, NotesSection]] = []
    key: str | None = None
    fenced = False
    for number, line in enumerate(text.split("\n"), start=1):
        fenced = fenced is not bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            depth = len(heading.group(1))
            open_sections = [entry for entry in open_sections if entry[0] < depth]
            section = NotesSection(heading.group(2), Location(path, number, 1, number, len(line) + 1))
            sections.setdefault(section.title.lower(), section)
            open_sections.append((depth, section))
            key = None
            continue
        for _, section in open_sections:
            section.lines.append(line)
        if fenced or not open_sections:
            continue
        key = _read_item(path, number, line, open_sections[-1][1], key)
    return Notes(path, text, sections)


def _read_item(path: str, number: int, line: str, section: NotesSection, key: str | None) -> str | None:
    """Add what a line says to a section; the key of the item that the next line may go on with."""
    item = _ITEM.match(line)
    if item:
        key = item.group(1).strip().lower()
        where = Location(path, number, item.start(1) + 1, number, len(line.rstrip()) + 1)
        section.items.setdefault(key, NotesItem(item.group(2).strip(), where))
        return key
    if _BULLET.match(line) and not line.startswith((" ", "\t")):
        return None
    if key is not None and line.strip() and line.startswith((" ", "\t")):
        known = section.items[key]
        section.items[key] = NotesItem(f"{known.text} {line.strip()}".strip(), known.loc)
        return key
    return None
