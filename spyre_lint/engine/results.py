"""What passes between the shards of a run and the engine: plain, picklable records."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from spyre_lint.bindings import Driver, KernelId, Launch
from spyre_lint.context import KernelInfo
from spyre_lint.findings import Finding, Location
from spyre_lint.tool_rules import INTERNAL_ERROR


@dataclass(frozen=True, slots=True)
class Result:
    """A finding with the kernels it is about (none for findings about a file)."""

    finding: Finding
    kernels: tuple[KernelId, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a run: those shown in their final order, those a comment took away, and how many were not
    selected.
    """

    shown: Sequence[Result]
    suppressed: Sequence[Result] = ()
    hidden: int = 0


@dataclass(slots=True)
class FileIndex:
    """What one file defines and runs. `failed` says that it could not be read or parsed; `results` then tell why."""

    path: str
    kernels: list[KernelInfo] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    drivers: list[Driver] = field(default_factory=list)
    calls: frozenset[KernelId] = frozenset()
    """Jit functions that those of the file call: the helpers, wherever they are defined."""
    results: list[Result] = field(default_factory=list)
    failed: bool = False


@dataclass(slots=True)
class Index:
    """The files of a shard, and the kernels of unlisted files that its launches and drivers reach."""

    files: list[FileIndex] = field(default_factory=list)
    elsewhere: dict[KernelId, KernelInfo] = field(default_factory=dict)
    read_besides: tuple[str, ...] = ()
    """Files that were read because a listed one imports them."""


@dataclass(frozen=True, slots=True)
class Usage:
    """How kernels are run, seen over all shards: what a shard needs besides its own index."""

    kernels: Mapping[KernelId, KernelInfo]
    launches: Mapping[KernelId, tuple[Launch, ...]]
    drivers: Mapping[KernelId, tuple[Driver, ...]]
    roles: Mapping[str, str]
    """Role of every file that a kernel is defined in."""
    helpers: frozenset[KernelId] = frozenset()
    """Jit functions that other jit functions call."""

    def known(self, info: KernelInfo) -> KernelInfo:
        """A kernel of one file with what all files tell of it: whether it is a helper."""
        return replace(info, is_helper=True) if info.id in self.helpers else info


def internal_error(what: str, error: BaseException, location: Location, kernels: tuple[KernelId, ...] = ()) -> Result:
    """A SPY905 result for something that failed with an exception; names it and where in the tool it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    detail = str(error).splitlines()[0] if str(error) else ""
    reason = f"{type(error).__name__}: {detail}" if detail else type(error).__name__
    finding = INTERNAL_ERROR.violated(
        location,
        f"{what} failed: {reason}{where}",
        help="this is a defect of the linter or of a check, not of the linted code; the rest of the run went on",
    )
    return Result(finding.with_(kernel=kernels[0].name) if len(kernels) == 1 else finding, kernels)
