"""Validation of configuration files. Imported only when there is a configuration to read.

Every error is a `ConfigError` that names the file (and line and column for broken TOML), the key, what is allowed,
and the nearest valid name where one is close.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr, ValidationError

from spyre_lint.config import (
    DEFAULT_MODEL_CONSTANTS,
    DEFAULT_TILES,
    ConfigBinding,
    ConfigError,
    ConfigPlace,
    PathRule,
    Settings,
    constexpr_value,
)
from spyre_lint.findings import Level
from spyre_lint.registry import Registry
from spyre_lint.source.globs import compile_globs
from spyre_lint.target import SpyreTarget

PositiveInt = Annotated[int, Field(strict=True, gt=0)]
Scalar = StrictBool | StrictInt | StrictFloat | StrictStr
Constexpr = Scalar | list[Any]


class _Model(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=lambda name: name.replace("_", "-"), hide_input_in_errors=True
    )


class Hardware(_Model):
    """`[hardware]`: numbers of the machine that a project knows better. Sizes are bytes, `usable-fraction` a share."""

    cores: PositiveInt | None = None
    scratchpad_bytes: PositiveInt | None = None
    usable_fraction: Annotated[float, Field(strict=True, gt=0, le=1)] | None = None
    min_last_dim_bytes: PositiveInt | None = None
    stick_bytes: PositiveInt | None = None


class PathRuleModel(_Model):
    """`[per-path."glob"]`: rules selected or ignored for the files that match."""

    select: list[StrictStr] | None = None
    ignore: list[StrictStr] = []


class BindingModel(_Model):
    """`[bindings."path::kernel"]`: one way to run a kernel."""

    constexprs: dict[str, Constexpr] = {}
    dtypes: dict[str, StrictStr] = {}
    args: dict[str, StrictInt] = {}
    grid: Annotated[list[PositiveInt], Field(min_length=1, max_length=3)] | None = None


class ConfigModel(_Model):
    """The keys of a configuration."""

    select: list[StrictStr] | None = None
    ignore: list[StrictStr] = []
    fail_on: Literal["error", "warning", "note"] = "error"
    target: Literal["spyre", "stock"] = "spyre"
    exclude: list[StrictStr] = []
    invariants: list[StrictStr] = []
    plugins: list[StrictStr] = []
    model_constants: list[StrictStr] = []
    allow_scalar_loads: StrictBool = False
    roles: dict[str, Literal["spyre", "descriptor", "traced", "original", "deprecated", "launcher"]] = {}
    severity: dict[str, Literal["error", "warning", "note"]] = {}
    per_path: dict[str, PathRuleModel] = {}
    hardware: Hardware = Hardware()
    tiles: dict[str, PositiveInt] = {}
    bindings: dict[str, BindingModel | list[BindingModel]] = {}


def settings_from(table: Any, place: ConfigPlace, registry: Registry) -> Settings:
    """The settings that a configuration's table makes.

    Raises:
        ConfigError: if it is not a valid configuration.
    """
    if not isinstance(table, dict):
        raise ConfigError(f"{place.shown}: {_key(place.prefix, ())} must be a table")
    try:
        model = ConfigModel.model_validate(table)
    except ValidationError as error:
        lines = dict.fromkeys(_explain(problem, table, place.prefix) for problem in error.errors(include_url=False))
        raise ConfigError("\n".join(f"{place.shown}: {line}" for line in lines)) from None
    return _Checker(place.shown, place.prefix, registry, place.root).settings(model)


def _explain(problem: Mapping[str, Any], table: dict[str, Any], prefix: tuple[str, ...]) -> str:
    """One validation problem in words: key, what is wrong, what is allowed."""
    location = [part for part in problem["loc"] if part == "" or isinstance(part, int) or not _is_union_tag(part)]
    key = _key(prefix, location)
    kind = problem["type"]
    if kind == "extra_forbidden":
        allowed = _allowed_keys(location[:-1])
        return f"unknown key {key}{_nearest(str(location[-1]), allowed)}; allowed are {_listing(allowed)}"
    message = str(problem["msg"])
    value = _value_at(table, location)
    if kind == "literal_error":
        allowed = [str(each) for each in re.findall(r"'([^']*)'", str(problem["ctx"]["expected"]))]
        close = _nearest(value, allowed) if isinstance(value, str) else ""
        return f"{key} is {value!r}{close}; allowed are {_listing(allowed)}"
    message = message[0].lower() + message[1:].replace("Input", "it")
    return f"{key}: {message.replace('input', 'it', 1)}" + ("" if value is None else f", not {value!r}")


def _is_union_tag(part: str) -> bool:
    """Whether a part of an error's location names a member of a union and no key."""
    return part in ("bool", "int", "float", "str", "BindingModel", "list[BindingModel]", "list[any]")


def _value_at(table: Any, location: list[str | int]) -> Any:
    value = table
    for part in location:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value if isinstance(value, str | int | float | bool) else type(value).__name__


def _allowed_keys(location: list[str | int]) -> list[str]:
    top = location[0] if location else None
    models: dict[str | int | None, type[BaseModel]] = {
        None: ConfigModel,
        "hardware": Hardware,
        "per-path": PathRuleModel,
        "bindings": BindingModel,
    }
    return [name.replace("_", "-") for name in models[top].model_fields]


def _key(prefix: Iterable[str], location: Iterable[str | int]) -> str:
    """A key as it is written in TOML: dotted, quoted where it must be, list items in brackets."""
    text = ""
    for part in (*prefix, *location):
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        shown = part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'"{part}"'
        text += f".{shown}" if text else shown
    return f"`{text}`"


def _nearest(name: str, allowed: Iterable[str]) -> str:
    close = get_close_matches(name, list(allowed), n=1, cutoff=0.6)
    return f" (did you mean `{close[0]}`?)" if close else ""


def _listing(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


class _Checker:
    """Checks what a model cannot: codes and names of rules, globs, types, paths of bindings."""

    def __init__(self, shown: str, prefix: tuple[str, ...], registry: Registry, root: Path) -> None:
        self.shown = shown
        self.prefix = prefix
        self.registry = registry
        self.root = root

    def fail(self, location: Iterable[str | int], message: str) -> ConfigError:
        return ConfigError(f"{self.shown}: {_key(self.prefix, location)}: {message}")

    def settings(self, model: ConfigModel) -> Settings:
        default = SpyreTarget()
        hardware = {name: value for name, value in model.hardware if value is not None}
        target = replace(default, profile=model.target, **hardware)
        if target.min_last_dim_bytes > target.scratchpad_bytes:
            raise self.fail(("hardware", "min-last-dim-bytes"), "is more than the scratchpad holds")
        self.globs(("exclude",), model.exclude)
        for table, globs in (("roles", model.roles), ("per-path", model.per_path)):
            for glob in globs:
                self.globs((table, glob), [glob])
        return Settings(
            target=target,
            select=None if model.select is None else self.selectors(("select",), model.select),
            ignore=self.selectors(("ignore",), model.ignore),
            severity={self.rule(key): Level(level) for key, level in model.severity.items()},
            per_path=tuple(self.path_rule(glob, rule) for glob, rule in model.per_path.items()),
            fail_on=Level(model.fail_on),
            model_constants=_model_constants(model.model_constants),
            tiles={**model.tiles, **{k: v for k, v in DEFAULT_TILES.items() if k not in model.tiles}},
            allow_scalar_loads=model.allow_scalar_loads,
            bindings=dict(self.bindings(model)),
            roles=dict(model.roles),
            exclude=tuple(model.exclude),
            invariants=self.paths("invariants", model.invariants, directory=True),
            plugins=self.paths("plugins", model.plugins, directory=False),
            root=str(self.root),
            source=self.shown,
        )

    def selectors(self, location: tuple[str, ...], values: Iterable[str]) -> tuple[str, ...]:
        for index, value in enumerate(values):
            if not self.registry.codes(value):
                raise self.fail((*location, index), unknown_rule(self.registry, value))
        return tuple(values)

    def rule(self, text: str) -> str:
        rule = self.registry.find(text)
        if rule is None:
            raise self.fail(("severity", text), unknown_rule(self.registry, text))
        return rule.code

    def path_rule(self, glob: str, rule: PathRuleModel) -> PathRule:
        select = None if rule.select is None else self.selectors(("per-path", glob, "select"), rule.select)
        return PathRule(glob, select, self.selectors(("per-path", glob, "ignore"), rule.ignore))

    def globs(self, location: tuple[str, ...], patterns: Iterable[str]) -> None:
        for pattern in patterns:
            try:
                compile_globs((pattern,))
            except ValueError as error:
                raise self.fail(location, f"{pattern!r} is not a gitignore pattern: {error}") from None

    def paths(self, key: str, values: Iterable[str], *, directory: bool) -> tuple[str, ...]:
        """Paths beside the configuration, absolute."""
        found: list[str] = []
        for index, value in enumerate(values):
            path = self.root / value
            if not (path.is_dir() if directory else path.is_file()):
                kind = "directory" if directory else "file"
                raise self.fail((key, index), f"there is no {kind} {value} beside the configuration")
            found.append(os.path.normpath(path))
        return tuple(found)

    def bindings(self, model: ConfigModel) -> Iterable[tuple[str, tuple[ConfigBinding, ...]]]:
        for key, value in model.bindings.items():
            path, separator, kernel = key.rpartition("::")
            if not separator or not path or not kernel:
                raise self.fail(("bindings", key), 'the key must have the form "path::kernel"')
            if not (self.root / path).is_file():
                raise self.fail(("bindings", key), f"there is no file {path} beside the configuration")
            several = isinstance(value, list)
            entries = value if isinstance(value, list) else [value]
            yield key, tuple(self.binding(key, index if several else None, each) for index, each in enumerate(entries))

    def binding(self, key: str, index: int | None, model: BindingModel) -> ConfigBinding:
        from spyre_lint.ir.types import DTYPES, dtype_named

        location: tuple[str | int, ...] = ("bindings", key) if index is None else ("bindings", key, index)
        for name, text in model.dtypes.items():
            if dtype_named(text) is None:
                raise self.fail(
                    (*location, "dtypes", name),
                    f"{text!r} is no element type; allowed are {_listing(DTYPES)}, with `*` in front for a pointer",
                )
        return ConfigBinding(
            constexprs={name: _plain(value) for name, value in model.constexprs.items()},
            dtypes=dict(model.dtypes),
            args=dict(model.args),
            grid=None if model.grid is None else tuple(model.grid),
        )


def unknown_rule(registry: Registry, text: str) -> str:
    """What to say of a text that names no rule."""
    near = registry.nearest(text)
    hint = f" (did you mean `{near}`?)" if near else ""
    return f"{text!r} is no rule code, code prefix, rule name or invariant{hint}; `spyre-lint rules` lists them"


def _model_constants(configured: Iterable[str]) -> tuple[str, ...]:
    """The default patterns with the configured ones added; `!name` takes a default one out."""
    removed = {pattern[1:] for pattern in configured if pattern.startswith("!")}
    added = [pattern for pattern in configured if not pattern.startswith("!")]
    return (*(pattern for pattern in DEFAULT_MODEL_CONSTANTS if pattern not in removed), *added)


def _plain(value: Any) -> Any:
    """A TOML value as a constexpr: lists become tuples, `"tl.float16"` an element type."""
    if isinstance(value, list):
        return tuple(_plain(each) for each in value)
    return constexpr_value(value) if isinstance(value, str) else value
