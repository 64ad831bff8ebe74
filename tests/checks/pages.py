"""The code blocks of the built-in invariants' pages, as test cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spyre_lint.invariants.pages import PageBlock, sections_of
from spyre_lint.invariants.pages import blocks_of as blocks_of_page
from spyre_lint.report import Invariant

__all__ = ["PageBlock", "blocks_of", "sections_of"]


def blocks_of(invariant: Invariant) -> Iterator[PageBlock]:
    """The Python blocks of an invariant's page; an untagged one is an error."""
    return blocks_of_page(invariant.slug, Path(invariant.page).read_text(encoding="utf-8"))
