"""The code blocks of the invariants' pages, as test cases.

A block's info string is `python valid [OPTIONS]` or `python invalid CODES [OPTIONS]`. Options: `stock` lints for
stock Triton; `path=<path>` names the file (default `kernel.py`). A line `# file: <path>` in a block starts another file
of the same directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spyre_lint.report import Invariant
from spyre_lint.target import Profile

_FENCE = re.compile(r"^```(python|py)\b(.*)$")
_FILE = re.compile(r"^# file: (\S+)$")
_SECTION = re.compile(r"^#{2,4} (SPY\d{3}) (\S+)")


@dataclass(frozen=True)
class PageBlock:
    """One code block of a page. `line` is that of its opening fence; `section` the code whose section it stands in."""

    slug: str
    line: int
    section: str
    valid: bool
    codes: tuple[str, ...]
    profile: Profile | None
    files: tuple[tuple[str, str], ...]

    @property
    def id(self) -> str:
        """Name of the test case."""
        return f"{self.slug}.md:{self.line}"


def sections_of(page: str) -> dict[str, str]:
    """Rule name by code, for the sections of a page."""
    return {match.group(1): match.group(2) for match in map(_SECTION.match, page.splitlines()) if match}


def blocks_of(invariant: Invariant) -> Iterator[PageBlock]:
    """The Python blocks of an invariant's page.

    Raises:
        ValueError: for a block that is tagged neither `valid` nor `invalid` with codes, or is never closed.
    """
    section = ""
    start = 0
    info = ""
    body: list[str] | None = None
    for number, line in enumerate(invariant.markdown().splitlines(), start=1):
        fence = _FENCE.match(line)
        heading = _SECTION.match(line)
        if body is None and fence:
            start, info, body = number, fence.group(2), []
        elif body is None and heading:
            section = heading.group(1)
        elif body is not None and line == "```":
            yield _block(invariant.slug, start, section, info, body)
            body = None
        elif body is not None:
            body.append(line)
    if body is not None:
        raise ValueError(f"{invariant.slug}.md:{start}: the block is not closed")


def _block(slug: str, line: int, section: str, info: str, body: list[str]) -> PageBlock:
    kind, codes, profile, path = "", [], None, "kernel.py"
    for word in info.split():
        if word in ("valid", "invalid"):
            kind = word
        elif re.fullmatch(r"SPY\d{3},?", word):
            codes.append(word.rstrip(","))
        elif word == "stock":
            profile = "stock"
        elif word.startswith("path="):
            path = word.removeprefix("path=")
        else:
            raise ValueError(f"{slug}.md:{line}: `{word}` is no option of a code block")
    if not kind or (kind == "invalid") is not bool(codes):
        raise ValueError(f"{slug}.md:{line}: tag the block `python valid` or `python invalid SPY...`")
    files: list[tuple[str, list[str]]] = [(path, [])]
    for text in body:
        named = _FILE.match(text)
        if named:
            files.append((named.group(1), []))
        else:
            files[-1][1].append(text)
    texts = tuple((name, "\n".join(lines) + "\n") for name, lines in files if any(lines) or len(files) == 1)
    profile_: Profile | None = "stock" if profile else None
    return PageBlock(slug, line, section, kind == "valid", tuple(codes), profile_, texts)
