"""Which file of the tree an import means.

Paths are display paths with forward slashes. A relative import is exact. An absolute one (`pkg.sub.mod`) matches a file
whose path ends with `pkg/sub/mod.py` or `pkg/sub/mod/__init__.py`; among several, the one that shares the longest
directory prefix with the importer.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from spyre_lint.frontend.names import is_external_root

MAX_PARENTS = 6
"""How far above a path's visible part a package root is looked for."""


class ModuleIndex:
    """The paths of the known files by the dotted names they can be imported under."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths: set[str] = set()
        self._by_last: dict[str, list[tuple[str, ...]]] = {}
        self._by_parts: dict[tuple[str, ...], str] = {}
        self._directories: set[tuple[str, ...]] = set()
        self._found: dict[tuple[str, str, int], str | None] = {}
        for path in sorted(paths):
            self.add(path)

    def add(self, path: str) -> None:
        """Make a file known."""
        if path in self._paths or not path.endswith(".py"):
            return
        self._paths.add(path)
        parts = _parts(path.removesuffix(".py"))
        self._directories.update(parts[:i] for i in range(len(parts)))
        if parts and parts[-1] == "__init__":
            parts = parts[:-1]
        if not parts:
            return
        self._by_parts[parts] = path  # a package goes before a module of the same name, as for Python
        self._by_last.setdefault(parts[-1], []).append(parts)
        self._found.clear()

    def absolute(self, importer: str, dotted: str, level: int) -> str:
        """A relative import as a dotted name from the visible root of the importer's path."""
        base = list(_parts(posixpath.dirname(importer)))
        base = base[: len(base) - (level - 1)] if level > 1 else base
        return ".".join([*base, *([dotted] if dotted else [])])

    def find(self, importer: str, dotted: str, level: int = 0) -> str | None:
        """The path that an import in `importer` means, or None."""
        key = (posixpath.dirname(importer), dotted, level)
        if key not in self._found:
            self._found[key] = self._find(importer, dotted, level)
        return self._found[key]

    def _find(self, importer: str, dotted: str, level: int) -> str | None:
        wanted = tuple(dotted.split(".")) if dotted else ()
        if level:
            base = posixpath.normpath(posixpath.join(posixpath.dirname(importer), *[".."] * (level - 1)))
            return self._by_parts.get((*_parts(base), *wanted))
        if not wanted or is_external_root(wanted[0]):
            return None
        here = _parts(posixpath.dirname(importer))
        found = [parts for parts in self._by_last.get(wanted[-1], []) if parts[-len(wanted) :] == wanted]
        roots = {parts: parts[: -len(wanted)] for parts in found}
        above = [parts for parts in found if here[: len(roots[parts])] == roots[parts]]
        if above:
            return self._by_parts[max(above, key=lambda parts: (len(roots[parts]), parts))]
        if found and (len(wanted) > 1 or len(found) == 1):
            best = min(found, key=lambda parts: (-_common(parts, here), len(parts), parts))
            return self._by_parts[best]
        return self._beside(here, wanted)

    def _beside(self, here: tuple[str, ...], wanted: tuple[str, ...]) -> str | None:
        """A file beside the importer, where the package root lies above what the paths show."""
        package = wanted[:-1]
        shown = min(len(package), len(here))
        if not package or here[len(here) - shown :] != package[len(package) - shown :]:
            return None
        return self._by_parts.get((*here, wanted[-1])) if len(package) >= len(here) else None

    def is_package(self, importer: str, dotted: str) -> bool:
        """Whether a dotted name is a directory of the tree, seen from `importer` (a package without `__init__.py`)."""
        wanted = tuple(dotted.split("."))
        if not dotted or is_external_root(wanted[0]):
            return False
        here = _parts(posixpath.dirname(importer))
        return any((*here[:i], *wanted) in self._directories for i in range(len(here) + 1))

    def guesses(self, importer: str, dotted: str, level: int = 0) -> list[str]:
        """Paths at which a file that is not known could stand, the likeliest first."""
        tail = dotted.replace(".", "/")
        directory = posixpath.dirname(importer)
        if level:
            bases = [posixpath.join(directory, *[".."] * (level - 1))]
        else:
            if not dotted or is_external_root(dotted.split(".")[0]):
                return []
            bases = [posixpath.join(directory, *[".."] * up) for up in range(MAX_PARENTS + 1)]
        paths: list[str] = []
        for base in bases:
            stem = posixpath.normpath(posixpath.join(base, tail)) if tail else posixpath.normpath(base)
            for path in ([f"{stem}.py"] if tail else []) + [posixpath.join(stem, "__init__.py")]:
                if path not in self._paths and path not in paths:
                    paths.append(path)
        return paths


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part and part != ".")


def _common(left: tuple[str, ...], right: tuple[str, ...]) -> int:
    count = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        count += 1
    return count
