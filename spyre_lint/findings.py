"""What a check reports: one model that every output format is fed from.

Plain dataclasses, because findings are on the default path and start-up time is a feature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any


class Level(str, Enum):
    """How much a finding weighs; ordered from the mildest to the gravest by `rank`."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0 for a note, 1 for a warning, 2 for an error."""
        return ("note", "warning", "error").index(self.value)


class Verdict(str, Enum):
    """What the tool knows: shown wrong, shown right, or dependent on something it could not see."""

    VIOLATED = "violated"
    UNPROVEN = "unproven"
    SATISFIED = "satisfied"


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A range of source text: lines and columns from 1, columns count characters, the end column is exclusive."""

    path: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0

    def __post_init__(self) -> None:
        if self.end_line == 0:
            object.__setattr__(self, "end_line", self.line)
        if self.end_column == 0:
            object.__setattr__(self, "end_column", self.column + 1)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that helps to understand a finding."""

    message: str
    location: Location


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `location` by `text`."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that would mend the finding."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of one rule at one place.

    `binding` is the label of the binding it was shown under (None: under any). `evidence` is the rule's own data
    (bytes, sizes, a counterexample) and holds only what JSON can hold. `fingerprint` is filled in by the engine.
    """

    code: str
    name: str
    level: Level
    verdict: Verdict
    message: str
    location: Location
    help: str = ""
    kernel: str | None = None
    binding: str | None = None
    related: Sequence[Related] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    fix: Fix | None = None
    fingerprint: str = ""

    def with_(self, **changes: Any) -> Finding:
        """A copy with some fields changed."""
        return replace(self, **changes)

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Order of findings in every output: path, line, column, code, then message."""
        return (self.location.path, self.location.line, self.location.column, self.code, self.message)
