"""The invariant files of a project's directories, each with what its front matter declares."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spyre_lint.invariants.text import split_front_matter, title_of

if TYPE_CHECKING:
    from spyre_lint.rules import Check

_NO_INVARIANTS = ("readme", "index")
"""Markdown files that tell about the directory."""


@dataclass(frozen=True, slots=True)
class InvariantFile:
    """One file. `problem` says why its front matter cannot be used; `line` is where that stands."""

    slug: str
    path: str
    title: str
    declared: Sequence[Check] = ()
    problem: str = ""
    line: int = 1


def read_invariants(directories: Iterable[str]) -> list[InvariantFile]:
    """The files `*.md` of the directories, in the order of directories and names; a file reached twice counts once."""
    found: list[InvariantFile] = []
    seen: set[str] = set()
    for directory in directories:
        for path in sorted(Path(directory).glob("*.md")):
            real = os.path.realpath(path)
            if path.stem.lower() in _NO_INVARIANTS or not path.is_file() or real in seen:
                continue
            seen.add(real)
            found.append(read_invariant(path))
    return found


def read_invariant(path: Path) -> InvariantFile:
    """One invariant file."""
    slug = path.stem.replace("_", "-").lower()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.reason if isinstance(error, UnicodeDecodeError) else (error.strerror or str(error)).lower()
        return InvariantFile(slug, str(path), slug, problem=f"the file cannot be read: {reason}")
    title = title_of(text, slug)
    front, _ = split_front_matter(text)
    if front is None:
        return InvariantFile(slug, str(path), title)
    from spyre_lint.invariants.front_matter import FrontMatterError, declarations

    try:
        rules = declarations(front, slug, title)
    except FrontMatterError as error:
        return InvariantFile(slug, str(path), title, problem=str(error), line=error.line)
    if not rules:
        return InvariantFile(slug, str(path), title)
    from spyre_lint.invariants.declared import checks_from

    return InvariantFile(slug, str(path), title, checks_from(rules))
