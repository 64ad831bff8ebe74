"""What a run of the linter gives back: the one object that every output format is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from spyre_lint.bindings import KernelId
from spyre_lint.findings import Finding
from spyre_lint.invariants.text import page_text
from spyre_lint.rules import Rule

BUILT_IN: Final = "built in"
"""Origin of the invariants that come with the tool."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """One invariant: a Markdown page and the rules its checker declares.

    `slug` is the file name without suffix, `title` the page's first heading, `page` the path of the Markdown file.
    `origin` says where its checkers come from (`built in`, a package, a file), `files` are the project's own files
    about it.
    """

    slug: str
    title: str
    page: str
    rules: tuple[Rule, ...] = ()
    origin: str = BUILT_IN
    files: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The page's text without front matter (read when asked for).

        Raises:
            OSError: if the page cannot be read.
        """
        return page_text(self.page)


@dataclass(frozen=True, slots=True)
class KernelEntry:
    """A jit function found in a linted file: `path`, qualified `name`, `line` of its `def`, and the role of its file.

    `checked` is false where nothing is asked of it: a helper (analysed inlined into its callers) or a role without
    rules.
    """

    path: str
    name: str
    line: int
    role: str
    is_helper: bool = False
    checked: bool = True

    @property
    def id(self) -> KernelId:
        """The kernel's identity in bindings and launches."""
        return KernelId(self.path, self.name)


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over one run.

    `files` are the linted files, `kernels` the jit functions in them. `levels` and `verdicts` count the findings shown
    (every level and verdict has its key). `suppressed` counts findings that a comment took away, `hidden` those whose
    rule is not selected.
    """

    files: int = 0
    kernels: int = 0
    levels: Mapping[str, int] = field(default_factory=dict)
    verdicts: Mapping[str, int] = field(default_factory=dict)
    suppressed: int = 0
    hidden: int = 0


def _no_source(_path: str, _line: int) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one run.

    `findings` are in their final order (path, line, column, code, message), with levels and fingerprints settled.
    `rules` are all known rules by code, whether they fired or not; `invariants` those of the loaded checks.
    `cwd` is the absolute working directory (forward slashes) that paths are relative to. `source_line(path, line)` is
    the text of a line of a file (from 1; empty where there is none). `failing` is the number of findings at or above
    the failing level; `internal_errors` tells whether a part of the tool failed; `problems` are usage errors that did
    not stop the run (a path that does not exist).
    """

    findings: tuple[Finding, ...]
    summary: Summary
    rules: tuple[Rule, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    kernels: tuple[KernelEntry, ...] = ()
    cwd: str = ""
    tool_version: str = ""
    failing: int = 0
    internal_errors: bool = False
    problems: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """What was left out although it was named, for people."""
    source_line: Callable[[str, int], str] = _no_source

    @property
    def exit_status(self) -> int:
        """0: nothing at or above the failing level; 1: findings; 2: the tool could not do all of its job."""
        if self.internal_errors or self.problems:
            return 2
        return 1 if self.failing else 0
