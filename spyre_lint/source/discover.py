"""Which files a run lints: directories searched, ignore rules, one entry per file.

In directories, Python files (`*.py`) are taken unless a `.gitignore` (nested ones included, up to the root of the
repository), a default exclude or the configured `exclude` leaves them out. A file or directory named on the command
line is taken in spite of ignore files and default excludes, but not in spite of `exclude`: hooks name every changed
file. Symbolic links are followed once: a file or directory reached a second time is the same one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from spyre_lint.config import ConfigResolver, Settings
from spyre_lint.source.files import SourceFile, absolute, relative_path
from spyre_lint.source.globs import decides, matches
from spyre_lint.source.roles import role_of

DEFAULT_EXCLUDES: Final = (
    *(".git", ".hg", ".svn", ".venv", "venv", ".tox", ".nox", ".eggs", "*.egg-info", "node_modules", "__pycache__"),
    *("__pypackages__", "build", "dist", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"),
)
"""Names of directories that are not searched. A directory with a `pyvenv.cfg` (a virtual environment) is not either."""


@dataclass(slots=True)
class Discovery:
    """The files to lint, sorted by display path, and the settings of each.

    `problems` are paths that could not be used at all, in words for the user; `notices` say what was left out on
    purpose although it was named.
    """

    files: list[SourceFile] = field(default_factory=list)
    settings: dict[str, Settings] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def discover(paths: Sequence[str], resolver: ConfigResolver) -> Discovery:
    """Find the Python files under `paths`.

    Raises:
        ConfigError: if a configuration that holds for one of them cannot be used.
    """
    search = _Search(resolver)
    for path in paths:
        search.add(path)
    search.follow_links()
    result = search.result
    result.files.sort(key=lambda file: file.path)
    return result


def make_file(path: str, settings: Settings, *, listed: bool = True) -> SourceFile:
    """A source file with its role for an absolute path."""
    full = path.replace(os.sep, "/")
    role = role_of(full, settings.relative(path), settings.roles)
    return SourceFile(relative_path(path), role=role, abspath=path, listed=listed)


@dataclass(frozen=True, slots=True)
class _IgnoreFile:
    """The patterns of one `.gitignore` and the directory they belong to."""

    directory: str
    patterns: tuple[str, ...]

    def decides(self, path: str, directory: bool) -> bool | None:
        relative = os.path.relpath(path, self.directory).replace(os.sep, "/")
        return decides(self.patterns, relative, directory=directory)


class _Search:
    def __init__(self, resolver: ConfigResolver) -> None:
        self.resolver = resolver
        self.result = Discovery()
        self.seen: set[str] = set()
        self.links: list[tuple[str, list[_IgnoreFile]]] = []

    def add(self, path: str) -> None:
        full = absolute(path)
        place = Path(full)
        try:
            is_directory = place.is_dir()
            exists = is_directory or place.exists()
        except OSError as error:
            self.result.problems.append(f"{path}: {_reason(error)}")
            return
        if is_directory:
            if _excluded(self.resolver.for_directory(str(place.parent)), full, directory=True):
                self.result.notices.append(f"{path}: skipped, excluded by the configuration")
                return
            before = len(self.result.files)
            ignores = [found for found in _ignores_above(place) if found.decides(full, True) is not True]
            self.walk(full, os.path.realpath(full), ignores)
            if len(self.result.files) == before and not self.links:
                self.result.notices.append(f"{path}: no Python files to lint here")
        elif not exists:
            self.result.problems.append(f"{path}: no such file or directory")
        elif place.suffix != ".py":
            self.result.notices.append(f"{path}: skipped, not a Python file (*.py)")
        elif not self.take(full, os.path.realpath(full)):
            self.result.notices.append(f"{path}: skipped, excluded by the configuration")

    def take(self, path: str, real: str) -> bool:
        """Add a file; False if the configuration excludes it."""
        settings = self.resolver.for_directory(str(Path(path).parent))
        if _excluded(settings, path, directory=False):
            return False
        if real not in self.seen:
            self.seen.add(real)
            file = make_file(path, settings)
            self.result.files.append(file)
            self.result.settings[file.path] = settings
        return True

    def walk(self, directory: str, real: str, ignores: list[_IgnoreFile]) -> None:
        """Search one directory; links wait until all real paths are known."""
        if real in self.seen:
            return
        self.seen.add(real)
        settings = self.resolver.for_directory(directory)
        try:
            with os.scandir(directory) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self.result.problems.append(f"{relative_path(directory)}: {_reason(error)}")
            return
        if any(entry.name == ".gitignore" for entry in entries):
            ignores = [*ignores, *_ignore_file(directory)]
        for entry in entries:
            is_directory = _is_directory(entry)
            if not self.wanted(entry, is_directory, ignores):
                continue
            if is_directory and _excluded(settings, entry.path, directory=True):
                continue
            if entry.is_symlink():
                self.links.append((entry.path, ignores))
            elif is_directory:
                self.walk(entry.path, os.path.join(real, entry.name), ignores)  # noqa: PTH118
            else:
                self.take(entry.path, os.path.join(real, entry.name))  # noqa: PTH118

    def wanted(self, entry: os.DirEntry[str], is_directory: bool, ignores: list[_IgnoreFile]) -> bool:
        if is_directory:
            if any(fnmatchcase(entry.name, pattern) for pattern in DEFAULT_EXCLUDES):
                return False
            if Path(entry.path, "pyvenv.cfg").is_file():
                return False
        elif not entry.name.endswith(".py") or not entry.is_file():
            return False
        for ignore in reversed(ignores):
            decision = ignore.decides(entry.path, is_directory)
            if decision is not None:
                return not decision
        return True

    def follow_links(self) -> None:
        """Take what links lead to, unless it was found already."""
        while self.links:
            path, ignores = self.links.pop(0)
            real = os.path.realpath(path)
            if Path(path).is_dir():
                self.walk(path, real, ignores)
            else:
                self.take(path, real)


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _excluded(settings: Settings, path: str, *, directory: bool) -> bool:
    if not settings.exclude:
        return False
    return matches(settings.exclude, settings.relative(path), directory=directory)


def _ignores_above(place: Path) -> Iterator[_IgnoreFile]:
    """The `.gitignore` files of the directories above `place`, from the repository's root down; none outside of one."""
    if (place / ".git").exists():
        return
    above: list[Path] = []
    for directory in place.parents:
        above.append(directory)
        if (directory / ".git").exists():
            for each in reversed(above):
                yield from _ignore_file(str(each))
            return


def _ignore_file(directory: str) -> list[_IgnoreFile]:
    try:
        text = Path(directory, ".gitignore").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    patterns = tuple(line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [_IgnoreFile(directory, patterns)] if patterns else []


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
