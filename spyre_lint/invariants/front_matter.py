"""Front matter that declares rules: an invariant without any Python.

    ---
    code: TEAM101
    level: error
    message: tiles are kept in 32 bits
    forbidden-attributes: [tl.float64]
    required-arguments: {tl.dot: [input_precision]}
    ---

Front matter without such keys (a title, a description) declares nothing. Names are dotted, `tl.` stands for
`triton.language.`, `desc.` for the methods of descriptors, `tile.` for those of tiles; `*` is wild.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError

from spyre_lint.invariants.text import FrontMatter

_PREFIXES: Final = {
    "tl.": "triton.language.",
    "desc.": "triton.language.tensor_descriptor.",
    "tile.": "triton.language.tensor.",
}

Pattern = Annotated[str, Field(strict=True, pattern=r"^[A-Za-z_*?][\w.*?]*$")]


class FrontMatterError(Exception):
    """Front matter that cannot be used; `line` is counted in the file."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


class DeclaredRule(BaseModel):
    """One declared rule, as it stands in front matter."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=lambda name: name.replace("_", "-"), hide_input_in_errors=True
    )

    code: Annotated[str, Field(strict=True, pattern=r"^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$")] | None = None
    name: Annotated[str, Field(strict=True, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")] | None = None
    level: Literal["error", "warning", "note"] = "error"
    roles: Annotated[list[Literal["spyre", "descriptor", "traced"]], Field(min_length=1)] = ["spyre"]
    message: StrictStr | None = None
    help: StrictStr = ""
    forbidden_calls: list[Pattern] = []
    required_calls: list[Pattern] = []
    forbidden_decorators: list[Pattern] = []
    required_decorators: list[Pattern] = []
    forbidden_arguments: dict[Pattern, list[StrictStr]] = {}
    required_arguments: dict[Pattern, list[StrictStr]] = {}
    forbidden_attributes: list[Pattern] = []


DECLARING: Final = tuple(
    name.replace("_", "-") for name in DeclaredRule.model_fields if name.startswith(("forbidden_", "required_"))
)
"""Keys that make front matter a declaration."""
_ALLOWED: Final = tuple(name.replace("_", "-") for name in DeclaredRule.model_fields)
_METADATA: Final = frozenset({"title", "description", "summary", "slug", "tags", "source", "sources", "date", "since"})
"""Keys that are left to the project's own tools, beside a declaration too."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared rule with its identity filled in and its names made canonical."""

    code: str
    name: str
    title: str
    model: DeclaredRule


def declarations(front: FrontMatter, slug: str, title: str) -> list[Declaration]:
    """The rules that front matter declares; none where it is about something else.

    Raises:
        FrontMatterError: if it cannot be read, or declares something that cannot be understood.
    """
    table = _parse(front)
    several = table.get("rules")
    if several is None:
        parts = [{key: value for key, value in table.items() if key not in _METADATA}]
        if not any(key in DECLARING for key in parts[0]):
            _misspelt(parts[0])
            return []
    elif isinstance(several, list) and several and all(isinstance(each, dict) for each in several):
        parts = list(several)
    else:
        raise FrontMatterError("`rules` must be a list of tables")
    found: list[Declaration] = []
    for index, part in enumerate(parts):
        model = _validated(part, "" if several is None else f"rules[{index}].")
        if several is not None and model.name is None:
            raise FrontMatterError(f"`rules[{index}]` has no `name`, which each of several rules must have")
        if (model.code or "").startswith("SPY"):
            raise FrontMatterError(f"`code` is {model.code}: codes that begin with SPY are the linter's own")
        name = model.name or slug
        found.append(Declaration(model.code or name.upper(), name, title, model))
    return found


def canonical_pattern(pattern: str) -> str:
    """A name as it is compared: with the full name of its module."""
    for short, full in _PREFIXES.items():
        if pattern.startswith(short):
            return full + pattern[len(short) :]
    return pattern


def _parse(front: FrontMatter) -> dict[str, Any]:
    if front.language == "toml":
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib
        try:
            return tomllib.loads(front.text)
        except tomllib.TOMLDecodeError as error:
            place = re.search(r"at line (\d+)", str(error))
            raise FrontMatterError(f"the front matter is no TOML: {error}", int(place[1]) + 1 if place else 1) from None
    import yaml

    try:
        table = yaml.safe_load(front.text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise FrontMatterError(f"the front matter is no YAML: {reason}", mark.line + 2 if mark else 1) from None
    except (ValueError, RecursionError) as error:
        raise FrontMatterError(f"the front matter is no YAML: {error}") from None
    if table is None:
        return {}
    if not isinstance(table, dict) or not all(isinstance(key, str) for key in table):
        raise FrontMatterError("the front matter must be a table of keys and values")
    return table


def _misspelt(table: Mapping[str, Any]) -> None:
    """Complain of a key that was meant to declare something."""
    for key in table:
        near = get_close_matches(key.replace("_", "-").lower(), DECLARING, n=1, cutoff=0.75)
        if near:
            raise FrontMatterError(f"unknown key `{key}` (did you mean `{near[0]}`?)")


def _validated(part: Mapping[str, Any], prefix: str) -> DeclaredRule:
    try:
        model = DeclaredRule.model_validate(part)
    except ValidationError as error:
        raise FrontMatterError(
            "; ".join(dict.fromkeys(_explain(each, prefix) for each in error.errors(include_url=False)))
        ) from None
    if not any(getattr(model, key.replace("-", "_")) for key in DECLARING):
        raise FrontMatterError(f"`{prefix.rstrip('.') or 'the front matter'}` forbids and requires nothing")
    return model


def _explain(problem: Mapping[str, Any], prefix: str) -> str:
    location = [str(part) for part in problem["loc"] if part != "[key]"]
    key = prefix + ".".join(location)
    if problem["type"] == "extra_forbidden":
        near = get_close_matches(location[-1].replace("_", "-"), _ALLOWED, n=1, cutoff=0.6)
        hint = f" (did you mean `{near[0]}`?)" if near else ""
        return f"unknown key `{key}`{hint}; allowed are {', '.join(f'`{name}`' for name in _ALLOWED)}"
    message = str(problem["msg"]).replace("Input", "it")
    if problem["type"] == "string_pattern_mismatch":
        message = "it is not of the form that is asked for"
    return f"`{key}`: {message[0].lower()}{message[1:]}"
