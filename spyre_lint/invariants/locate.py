"""Where the checks of a run come from: what the configuration of its paths names, and invariants found by their place.

Invariants directories are found at `**/_shared/**/invariants/` below the project: the directory of the configuration,
the root of the repository, the working directory where it is above the paths, and the paths. Only what the
configuration for the paths themselves says about `invariants` and `plugins` counts, since rules are the same for a
whole run.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from spyre_lint.config import CONFIG_NAMES, TABLE, read_toml
from spyre_lint.registry import Registry, Sources
from spyre_lint.source.files import absolute, is_there, relative_path

SHARED: Final = "_shared"
INVARIANTS: Final = "invariants"

MAX_DIRECTORIES: Final = 2_000
"""Most directories searched for invariants below a project, the nearest ones first."""


def load_registry(
    paths: Sequence[str], *, config: str | None = None, plugins: bool = True, folder: str | None = None
) -> Registry:
    """The registry of a run over paths. With `plugins` false no code of the project or of packages is loaded.

    Raises:
        ConfigError: if a configuration cannot be read.
    """
    return Registry.load(sources=sources_for(paths, config=config, plugins=plugins, folder=folder))


def sources_for(
    paths: Sequence[str], *, config: str | None = None, plugins: bool = True, folder: str | None = None
) -> Sources:
    """The sources of a run over paths; see `load_registry`."""
    directories: dict[str, None] = {}
    modules: dict[str, None] = {}
    roots: dict[str, None] = {}
    for place in _configurations(paths, config):
        table = _table(place)
        roots[str(place.parent)] = None
        directories.update(dict.fromkeys(_existing(table, "invariants", place, directory=True)))
        if plugins:
            modules.update(dict.fromkeys(_existing(table, "plugins", place, directory=False)))
    for start in _starts(paths):
        roots[str(_repository(start) or start)] = None
        roots[str(start)] = None
        if Path.cwd() in start.parents:
            roots[str(Path.cwd())] = None
    for directory in _found_below(list(roots)):
        directories.setdefault(directory)
    return Sources(folder, tuple(directories), tuple(modules), packages=plugins)


def _starts(paths: Iterable[str]) -> list[Path]:
    """The directories that the paths of a run are, or are in."""
    found: dict[Path, None] = {}
    for path in paths:
        place = Path(absolute(path))
        found[place if place.is_dir() else place.parent] = None
    return list(found)


def _configurations(paths: Sequence[str], config: str | None) -> list[Path]:
    """The configuration files that hold for the paths."""
    if config is not None:
        return [Path(absolute(config))]
    found: dict[Path, None] = {}
    for start in _starts(paths):
        for directory in (start, *start.parents):
            place = next((directory / name for name in CONFIG_NAMES if _is_ours(directory / name)), None)
            if place is not None:
                found[place] = None
                break
    return list(found)


def _is_ours(path: Path) -> bool:
    if not is_there(path):
        return False
    return path.name != "pyproject.toml" or _table(path) is not None


def _table(path: Path) -> Any:
    document: Any = read_toml(path, relative_path(str(path)))
    if path.name != "pyproject.toml":
        return document
    tool = document.get("tool")
    return tool.get(TABLE) if isinstance(tool, dict) else None


def _existing(table: Any, key: str, place: Path, *, directory: bool) -> list[str]:
    """The paths that a key lists, absolute; what is wrong with the key's form is said when all of it is validated."""
    listed = table.get(key, []) if isinstance(table, dict) else []
    found: list[str] = []
    for item in listed if isinstance(listed, list) else []:
        if not isinstance(item, str):
            continue
        path = place.parent / item
        if not (path.is_dir() if directory else path.is_file()):
            continue  # said with the key's full name when the configuration is validated
        found.append(os.path.normpath(path))
    return found


def _repository(start: Path) -> Path | None:
    """The root of the repository that a directory is in."""
    return next((each for each in (start, *start.parents) if (each / ".git").exists()), None)


def _found_below(roots: Sequence[str]) -> list[str]:
    """Directories `invariants` somewhere below a `_shared`, in the order of their paths; each real one once."""
    from spyre_lint.source.discover import DEFAULT_EXCLUDES

    plain = frozenset(pattern for pattern in DEFAULT_EXCLUDES if "*" not in pattern)
    wild = tuple(pattern for pattern in DEFAULT_EXCLUDES if "*" in pattern)
    queue = deque((root, SHARED in Path(root).parts) for root in roots)
    seen: set[str] = set()
    found: dict[str, str] = {}
    while queue and len(seen) < MAX_DIRECTORIES:
        directory, shared = queue.popleft()
        real = os.path.realpath(directory)
        if real in seen:
            continue
        seen.add(real)
        try:
            with os.scandir(directory) as listing:
                entries = sorted((entry for entry in listing if _is_directory(entry)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name in plain or any(fnmatchcase(entry.name, pattern) for pattern in wild):
                continue
            if shared and entry.name == INVARIANTS:
                found.setdefault(os.path.realpath(entry.path), entry.path)
            queue.append((entry.path, shared or entry.name == SHARED))
    return sorted(found.values())


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
