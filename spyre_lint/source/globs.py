"""Matching paths against gitignore patterns. The library behind it is imported when the first pattern is compiled."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathspec


@lru_cache(maxsize=1024)
def compile_globs(patterns: tuple[str, ...]) -> pathspec.GitIgnoreSpec:
    """Compile gitignore patterns.

    Raises:
        ValueError: if a pattern is malformed.
    """
    import pathspec

    return pathspec.GitIgnoreSpec.from_lines(patterns)


def matches(patterns: tuple[str, ...], path: str, *, directory: bool = False) -> bool:
    """Whether a relative path (forward slashes) matches; of several patterns the last that applies counts.

    A path outside of the directory that the patterns belong to (it begins with `..` or is absolute) matches nothing.
    """
    if not patterns or path.startswith(("../", "/")) or path in (".", ".."):
        return False
    return compile_globs(patterns).match_file(f"{path}/" if directory else path)


def decides(patterns: tuple[str, ...], path: str, *, directory: bool = False) -> bool | None:
    """True if the last applicable pattern ignores a path, False if it takes it back (`!`), None if none applies."""
    return compile_globs(patterns).check_file(f"{path}/" if directory else path).include
