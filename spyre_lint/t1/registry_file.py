"""The registry of a kernel repository (`kernels.json`): is every kernel in it found, does its T1 status still hold?

    {"kernels": {"rms_norm": {"source": "vllm", "file": "...", "tiers": {"T1": {"status": "satisfied"}}}}}

A registered kernel is the directory of that name; `source`, where it is given, is the directory above it if there are
several. Its T1 status is that of its Spyre-aware kernels.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError

from spyre_lint.config import ConfigError
from spyre_lint.t1.collect import worst
from spyre_lint.t1.json_edit import set_value
from spyre_lint.t1.models import KernelReport, Status, T1Report

TIER: Final = "T1"


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class TierEntry(_Open):
    """What is recorded of one tier."""

    status: StrictStr | None = None


class RegisteredKernel(_Open):
    """One kernel of the registry; keys that other tools use are left alone."""

    source: StrictStr | None = None
    tiers: dict[str, TierEntry] = {}


class KernelRegistry(_Open):
    """The registry file."""

    kernels: dict[str, RegisteredKernel]


@dataclass(slots=True)
class Comparison:
    """A registry against a report. `missing` were not found, `stale` have a recorded status that no longer holds."""

    missing: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    better: list[str] = field(default_factory=list)
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The T1 entry of every kernel that was found."""


@dataclass(frozen=True, slots=True)
class RegistryFile:
    """A registry as it stands on disk."""

    path: str
    text: str
    model: KernelRegistry


def read_registry(path: str) -> RegistryFile:
    """Read a registry.

    Raises:
        ConfigError: if it cannot be read, or is no registry.
    """
    try:
        with Path(path).open(encoding="utf-8", newline="") as stream:
            text = stream.read()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not valid UTF-8 (byte {error.start})") from None
    try:
        return RegistryFile(path, text, KernelRegistry.model_validate_json(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path}: {f'`{where}`: ' if where else ''}{first['msg'].lower()}") from None


def compare(registry: RegistryFile, report: T1Report) -> Comparison:
    """What the registry says against what the report found."""
    found = Comparison()
    for name, entry in registry.model.kernels.items():
        kernels = _kernels_of(name, entry.source, report.kernels)
        if not kernels:
            found.missing.append(f"{name} is registered, and no kernel of it was found")
            continue
        made = _entry(kernels)
        found.entries[name] = made
        recorded = entry.tiers[TIER].status if TIER in entry.tiers else None
        if recorded is None or recorded == made["status"]:
            continue
        change = f"{name}: T1 is recorded as {recorded}, and is {made['status']}"
        if _is_worse(made["status"], recorded):
            found.stale.append(change + _because(made))
        else:
            found.better.append(change)
    return found


def updated(registry: RegistryFile, comparison: Comparison) -> str:
    """The registry's text with the T1 entries of the kernels that were found.

    Raises:
        ConfigError: if the file cannot be edited in place.
    """
    text = registry.text
    for name, made in comparison.entries.items():
        known = registry.model.kernels[name].tiers.get(TIER)
        kept = known.model_dump(exclude_unset=True) if known is not None else {}
        entry = {**{key: value for key, value in kept.items() if key not in ("violated", "unproven", "waived")}, **made}
        if kept == entry:
            continue
        try:
            text = set_value(text, ("kernels", name, "tiers", TIER), entry)
        except ValueError as error:
            raise ConfigError(f"{registry.path}: {error}") from None
    return text


def write_atomically(path: str, text: str) -> None:
    """Replace a file at once, with its permissions: a reader sees the old content or the new.

    Raises:
        ConfigError: if it cannot be written.
    """
    place = Path(os.path.realpath(path))
    temporary = ""
    try:
        mode = stat.S_IMODE(place.stat().st_mode)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="", dir=place.parent, prefix=f".{place.name}.", delete=False
        ) as stream:
            temporary = stream.name
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(place)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise ConfigError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from None


def _kernels_of(name: str, source: str | None, kernels: Iterable[KernelReport]) -> list[KernelReport]:
    here = [kernel for kernel in kernels if Path(kernel.path).parent.name == name]
    sourced = [kernel for kernel in here if Path(kernel.path).parent.parent.name == source]
    return sourced or here


def _entry(kernels: list[KernelReport]) -> dict[str, Any]:
    """The T1 entry of one kernel's directory: status, and the invariants that keep it from being satisfied."""
    counted = [kernel for kernel in kernels if kernel.role != "descriptor"]
    if not counted:
        return {"status": "missing"}
    entry: dict[str, Any] = {"status": worst(kernel.status for kernel in counted)}
    for status in ("violated", "unproven", "waived"):
        names = {each.invariant: None for kernel in counted for each in kernel.invariants if each.status == status}
        if names:
            entry[status] = list(names)
    return entry


_RANK: Final[dict[str, int]] = {"satisfied": 0, "waived": 1, "unproven": 2, "missing": 3, "violated": 4}


def _is_worse(status: Status | str, recorded: str) -> bool:
    """Whether a recorded status promises more than what holds; a status that is not known promises everything."""
    return _RANK.get(status, 0) > _RANK.get(recorded, 0)


def _because(entry: dict[str, Any]) -> str:
    reasons = [f"{status}: {', '.join(entry[status])}" for status in ("violated", "unproven") if status in entry]
    return f" ({'; '.join(reasons)})" if reasons else ""
