"""The header of a kernel file: the comment lines at its top, as the layout of a kernel repository wants them.

# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: ...
#
# Spyre-aware conversion of <kernel>.
# Original: <path>
# Changes summarized in <path of the notes>.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from spyre_lint.findings import Location

if TYPE_CHECKING:
    from spyre_lint.source.files import SourceFile

LICENSE: Final = "SPDX-License-Identifier"
COPYRIGHT: Final = "SPDX-FileCopyrightText"
ORIGINAL: Final = "Original"

_ENTRY: Final = re.compile(rf"^#+\s*({LICENSE}|{COPYRIGHT}|{ORIGINAL})\s*:\s*(.*?)\s*$", re.IGNORECASE)
_CONVERTS: Final = re.compile(r"\bconversion of\s+`?([A-Za-z_]\w*)")
_NAMES: Final = {name.lower(): name for name in (LICENSE, COPYRIGHT, ORIGINAL)}


@dataclass(frozen=True, slots=True)
class HeaderEntry:
    """One `Name: value` line. `loc` is the range of the comment."""

    name: str
    value: str
    loc: Location


@dataclass(frozen=True, slots=True)
class Header:
    """The entries of a header in the order of their lines; `converts` is the kernel it says it is a conversion of."""

    entries: tuple[HeaderEntry, ...] = ()
    converts: str | None = None

    def all(self, name: str) -> list[HeaderEntry]:
        """The entries of a name."""
        return [entry for entry in self.entries if entry.name == name]

    def first(self, name: str) -> HeaderEntry | None:
        """The first entry of a name."""
        return next(iter(self.all(name)), None)


def read_header(file: SourceFile) -> Header:
    """The header of a file: the comment lines before its first line of code."""
    lines = list(_comment_lines(file.lines))
    entries: list[HeaderEntry] = []
    for number, line in lines:
        found = _ENTRY.match(line.strip())
        if found:
            start = len(line) - len(line.lstrip()) + 1
            where = Location(file.path, number, start, number, len(line.rstrip()) + 1)
            entries.append(HeaderEntry(_NAMES[found.group(1).lower()], found.group(2), where))
    converts = _CONVERTS.search(" ".join(line.strip().lstrip("#").strip() for _, line in lines))
    return Header(tuple(entries), converts.group(1) if converts else None)


def _comment_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text.startswith("#"):
            yield number, line
        elif text:
            return
