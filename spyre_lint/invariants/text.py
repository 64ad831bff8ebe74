"""The text of an invariant file: its front matter, its title, what is shown of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

_FENCES: Final = {"---": "yaml", "+++": "toml"}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The block between `---` lines (YAML) or `+++` lines (TOML) that a file begins with."""

    language: Literal["yaml", "toml"]
    text: str


def split_front_matter(text: str) -> tuple[FrontMatter | None, str]:
    """Front matter and the rest; the rest is the whole text where there is none, or it is never closed."""
    lines = text.removeprefix("\ufeff").split("\n")
    fence = lines[0].rstrip() if lines else ""
    language = _FENCES.get(fence)
    if language is None:
        return None, text
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == fence:
            inside = "\n".join(lines[1:number])
            kind: Literal["yaml", "toml"] = "yaml" if language == "yaml" else "toml"
            return FrontMatter(kind, inside), "\n".join(lines[number + 1 :]).lstrip("\n")
    return None, text


def title_of(text: str, fallback: str) -> str:
    """The first heading without its marks."""
    found = re.search(r"^# +(.+?)\s*$", split_front_matter(text)[1], re.MULTILINE)
    return found.group(1) if found else fallback


def page_text(path: str) -> str:
    """What people read of a page: the file without its front matter.

    Raises:
        OSError: if it cannot be read.
        UnicodeDecodeError: if it is no UTF-8.
    """
    return split_front_matter(Path(path).read_text(encoding="utf-8"))[1]
