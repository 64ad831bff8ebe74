"""Settings: what a run is asked to do, as one frozen record per configuration file.

`Settings` is plain data that checks, analyses and the engine share. A table `[tool.spyre-lint]` in `pyproject.toml`,
or the same keys at top level of `spyre-lint.toml`, is validated by `spyre_lint.config_models`; that module and the
validation library behind it are imported only when such a table exists.

The nearest configuration upwards from a file's directory holds for the file (a `pyproject.toml` without the table
does not count; `spyre-lint.toml` goes before `pyproject.toml` in the same directory). Globs are gitignore patterns
relative to the directory of the configuration file, or to the working directory where there is none.
"""

from __future__ import annotations

import fnmatch
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from spyre_lint.findings import Finding, Level, Verdict
from spyre_lint.source.files import absolute, is_there, relative_path
from spyre_lint.target import DEFAULT_TARGET, Profile, SpyreTarget

if TYPE_CHECKING:
    from spyre_lint.registry import Registry

TABLE: Final = "spyre-lint"
"""Name of the table in `pyproject.toml`, below `tool`."""

CONFIG_NAMES: Final = ("spyre-lint.toml", "pyproject.toml")

DEFAULT_MODEL_CONSTANTS: Final = (
    *("head_dim", "head_size", "HEAD_DIM", "HEAD_SIZE", "D", "DMODEL", "BLOCK_DMODEL", "Lk", "Lv", "HEADS", "KV_HEADS"),
    *("num_heads", "NUM_HEADS", "NUM_KV_HEADS", "STICK", "GROUP_SIZE", "CACHE_BLOCK_SIZE", "NUM_KV_SPLITS"),
)
"""Constexpr names that stand for a property of the model, not of a request. Source: the definition of model
constants.
"""

DEFAULT_TILES: Final[Mapping[str, int]] = {"*_K": 64, "*": 128}
"""Plausible tile sizes by name pattern, for kernels that nothing binds; the first matching pattern counts."""


class ConfigError(Exception):
    """A configuration that cannot be used; the message names the file, the key and what is allowed."""


def constexpr_value(text: str) -> Any:
    """A constexpr given as text: an element type where it is written `tl.float16` or `torch.float16`, else the text."""
    for prefix in ("tl.", "triton.language.", "torch."):
        if text.startswith(prefix):
            from spyre_lint.bindings import DTypeName
            from spyre_lint.ir.types import dtype_named

            dtype = dtype_named(text[len(prefix) :])
            return text if dtype is None else DTypeName(dtype.name)
    return text


@dataclass(frozen=True, slots=True)
class PathRule:
    """`per-path`: rules selected or ignored for files that match a glob (`select` None: as elsewhere)."""

    glob: str
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfigBinding:
    """`bindings."path::kernel"`: one way to run a kernel, given by the project.

    `constexprs` are exact values (element types as `DTypeName`), `dtypes` Triton type names by parameter (`*fp16`,
    `i32`), `args` known runtime integers, `grid` the number of programs per axis.
    """

    constexprs: Mapping[str, Any] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    args: Mapping[str, int] = field(default_factory=dict)
    grid: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. `root` is the absolute directory that globs and binding paths are relative to.

    `select` and `ignore` hold codes, code prefixes (`SPY1`), rule names, invariant slugs or `ALL`; `select` None
    means all rules. `cli_constexprs` and `cli_dtypes` come from the command line and hold for every kernel.
    """

    target: SpyreTarget = DEFAULT_TARGET
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Level] = field(default_factory=dict)
    per_path: tuple[PathRule, ...] = ()
    fail_on: Level = Level.ERROR
    strict: bool = False
    model_constants: tuple[str, ...] = DEFAULT_MODEL_CONSTANTS
    tiles: Mapping[str, int] = field(default_factory=lambda: DEFAULT_TILES)
    allow_scalar_loads: bool = False
    bindings: Mapping[str, tuple[ConfigBinding, ...]] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()
    """The project's directories of invariant files, absolute."""
    plugins: tuple[str, ...] = ()
    """The project's Python checkers, absolute paths of files."""
    cli_constexprs: Mapping[str, Any] = field(default_factory=dict)
    cli_dtypes: Mapping[str, str] = field(default_factory=dict)
    root: str = ""
    source: str | None = None
    """The configuration file these settings come from, as shown in messages."""

    def is_model_constant(self, name: str) -> bool:
        """Whether a constexpr's name matches a model-constant pattern (case counts; `*`, `?` and `[...]` are wild)."""
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.model_constants)

    def plausible_tile(self, name: str) -> int:
        """The size assumed for an unbound tile constexpr, in elements."""
        for pattern, size in self.tiles.items():
            if fnmatch.fnmatchcase(name, pattern):
                return size
        return DEFAULT_TILES["*"]

    def bindings_for(self, path: str, kernel: str) -> tuple[tuple[str, ConfigBinding], ...]:
        """Configured bindings of a kernel with their labels: the key, numbered where it has several.

        A key's path is relative to `root`; `kernel` is the qualified name.
        """
        if not self.bindings:
            return ()
        relative = self.relative(path)
        found: list[tuple[str, ConfigBinding]] = []
        for key, bindings in self.bindings.items():
            where, _, name = key.rpartition("::")
            if name == kernel and os.path.normpath(where).replace(os.sep, "/") == relative:
                several = len(bindings) > 1
                found += [(f"{key} #{n}" if several else key, each) for n, each in enumerate(bindings, start=1)]
        return tuple(found)

    def relative(self, path: str) -> str:
        """A file's path relative to `root`, with forward slashes; absolute where it lies on another drive."""
        return relative_path(absolute(path), self.root or None)

    def failing(self, finding: Finding) -> bool:
        """Whether a finding makes the run fail: at or above `fail_on`, or unproven under `strict`."""
        return finding.level.rank >= self.fail_on.rank or (self.strict and finding.verdict is Verdict.UNPROVEN)


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line sets on top of any configuration; None and empty leave a setting alone.

    `select` replaces the configured `select` and `ignore` and every `per-path` `select`; `ignore` is added to what is
    ignored.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Level | None = None
    strict: bool = False
    profile: Profile | None = None
    constexprs: Mapping[str, Any] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)

    def apply(self, settings: Settings) -> Settings:
        """`settings` with these overrides."""
        changes: dict[str, Any] = {}
        if self.select:
            changes["select"], changes["ignore"] = self.select, ()
            changes["per_path"] = tuple(replace(rule, select=None) for rule in settings.per_path)
        if self.ignore:
            changes["ignore"] = (*changes.get("ignore", settings.ignore), *self.ignore)
        if self.fail_on is not None:
            changes["fail_on"] = self.fail_on
        if self.strict:
            changes["strict"] = True
        if self.profile is not None:
            changes["target"] = replace(settings.target, profile=self.profile)
        if self.constexprs:
            changes["cli_constexprs"] = dict(self.constexprs)
        if self.dtypes:
            changes["cli_dtypes"] = dict(self.dtypes)
        return replace(settings, **changes) if changes else settings


class ConfigResolver:
    """Finds the settings that hold for a directory, reading each configuration file once.

    `config` names one file to use everywhere instead of the search.
    """

    def __init__(self, registry: Registry, *, config: str | None = None, overrides: Overrides | None = None) -> None:
        self._registry = registry
        self._overrides = overrides or Overrides()
        self._by_directory: dict[Path, Settings] = {}
        self._default = self._overrides.apply(Settings(root=str(Path.cwd())))
        self._fixed: Settings | None = None
        if config is not None:
            self._fixed = self._load(Path(absolute(config)), required=True)

    def for_directory(self, directory: str) -> Settings:
        """The settings for files in an absolute directory.

        Raises:
            ConfigError: if the configuration that holds there cannot be used.
        """
        if self._fixed is not None:
            return self._fixed
        chain: list[Path] = []
        settings: Settings | None = None
        for current in (Path(directory), *Path(directory).parents):
            settings = self._by_directory.get(current)
            if settings is not None:
                break
            chain.append(current)
            settings = self._in_directory(current)
            if settings is not None:
                break
        found = settings or self._default
        for seen in chain:
            self._by_directory[seen] = found
        return found

    def _in_directory(self, directory: Path) -> Settings | None:
        for name in CONFIG_NAMES:
            path = directory / name
            if is_there(path):
                settings = self._load(path, required=False)
                if settings is not None:
                    return settings
        return None

    def _load(self, path: Path, *, required: bool) -> Settings | None:
        shown = relative_path(str(path))
        document = read_toml(path, shown)
        table: Any = document
        prefix: tuple[str, ...] = ()
        if path.name == "pyproject.toml":
            table, prefix = _own_table(document), ("tool", TABLE)
            if table is None and required:
                raise ConfigError(f"{shown}: has no table [tool.{TABLE}]")
        if table is None:
            return None
        from spyre_lint.config_models import settings_from

        return self._overrides.apply(settings_from(table, ConfigPlace(shown, prefix, path.parent), self._registry))


@dataclass(frozen=True, slots=True)
class ConfigPlace:
    """Where a configuration stands: its file as shown in messages, the keys above its table, the file's directory."""

    shown: str
    prefix: tuple[str, ...]
    root: Path


def _own_table(document: dict[str, Any]) -> Any:
    tool = document.get("tool")
    return tool.get(TABLE) if isinstance(tool, dict) else None


def read_toml(path: Path, shown: str) -> dict[str, Any]:
    """A TOML file's content; a file without any mention of this tool need not be read further, and gives an empty one.

    Raises:
        ConfigError: if it cannot be read, or is no TOML; the message gives line and column.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{shown}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    if path.name == "pyproject.toml" and TABLE.encode() not in data:
        return {}
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown}: is not valid UTF-8 (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
        where, text = (f":{place[1]}:{place[2]}", message[: place.start()]) if place else ("", message)
        raise ConfigError(f"{shown}{where}: is not valid TOML: {text}") from None
