"""Finding the checks: every `<slug>.py` in the checks folder that has a `<slug>.md` beside it is one invariant.

Nothing lists the checks. A module is imported, its functions marked with `rules.check` are collected, and the rules
they declare get the slug as their invariant. What cannot be loaded becomes a `LoadError`, and the other checks still
run.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Final

from spyre_lint.report import Invariant
from spyre_lint.rules import CHECK_ATTRIBUTE, Check, Rule
from spyre_lint.tool_rules import SLUG, TOOL_RULES

_CODE: Final = re.compile(r"SPY[1-9]\d{2}")
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class LoadError:
    """A check module that could not be used: its file and why."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Registry:
    """All known rules, checks and invariants. `folder` is the checks folder they were loaded from (None: the
    built-in).
    """

    checks: tuple[Check, ...]
    rules: Mapping[str, Rule]
    """Rules by code, in the order of their codes; the tool's own are among them."""
    invariants: tuple[Invariant, ...]
    errors: tuple[LoadError, ...] = ()
    folder: str | None = None
    _by_name: dict[str, Rule] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, folder: str | Path | None = None) -> Registry:
        """Load the checks of a folder (None: the built-in ones). Never raises for a broken check; see `errors`."""
        builder = _Builder()
        place = Path(folder) if folder is not None else _builtin_folder()
        for source in sorted(place.glob("*.py")):
            if source.stem.startswith("_"):
                continue
            try:
                builder.add(source, _import(source, builtin=folder is None))
            except ContractError as error:
                builder.errors.append(LoadError(str(source), str(error)))
            except Exception as error:  # a check is third-party code to the engine: whatever it raises is its failure
                builder.errors.append(LoadError(str(source), f"{type(error).__name__}: {error}"))
        return builder.finish(place, None if folder is None else str(folder))

    def find(self, text: str) -> Rule | None:
        """The rule with this code or name (case does not count)."""
        rule = self.rules.get(text.upper())
        if rule is not None:
            return rule
        if not self._by_name:
            self._by_name.update({each.name: each for each in self.rules.values()})
        return self._by_name.get(text.lower())

    def invariant(self, slug: str) -> Invariant | None:
        """The invariant with this slug."""
        return next((each for each in self.invariants if each.slug == slug), None)

    def codes(self, selector: str) -> frozenset[str]:
        """The codes a selector stands for: a code, a code prefix (`SPY1`), a rule name, an invariant's slug, or `ALL`.

        Empty if it stands for nothing.
        """
        if selector == "ALL":
            return frozenset(self.rules)
        rule = self.find(selector)
        if rule is not None:
            return frozenset((rule.code,))
        found = self.invariant(selector)
        if found is not None:
            return frozenset(each.code for each in found.rules)
        prefix = selector.upper()
        if re.fullmatch(r"SPY\d{0,2}", prefix):
            return frozenset(code for code in self.rules if code.startswith(prefix))
        return frozenset()

    def nearest(self, text: str) -> str | None:
        """The known code, name or slug that is most like `text`."""
        names = [*self.rules, *(rule.name for rule in self.rules.values()), *(each.slug for each in self.invariants)]
        upper = text.upper()
        candidate = upper if upper.startswith("SPY") else text.lower()
        matches = get_close_matches(candidate, names, n=1, cutoff=0.6)
        return matches[0] if matches else None


class ContractError(Exception):
    """A check module that does not keep to the contract of checks."""


class _Builder:
    def __init__(self) -> None:
        self.checks: list[Check] = []
        self.rules: dict[str, Rule] = {rule.code: rule for rule in TOOL_RULES}
        self.names: dict[str, str] = {rule.name: rule.code for rule in TOOL_RULES}
        self.pages: list[tuple[str, Path, list[str]]] = []
        self.errors: list[LoadError] = []

    def add(self, source: Path, module: ModuleType) -> None:
        """Take over the checks of one module.

        Raises:
            ContractError: if the module breaks the contract of checks; nothing of it is taken then.
        """
        slug = source.stem
        page = source.with_suffix(".md")
        if not page.is_file():
            raise ContractError(f"the page {page.name} that documents it is missing")
        marked = [getattr(value, CHECK_ATTRIBUTE, None) for value in vars(module).values()]
        checks = [
            each
            for each in dict.fromkeys(marked)  # a second name for a function is no second check
            if isinstance(each, Check) and each.function.__module__ == module.__name__
        ]
        if not checks:
            raise ContractError("it has no function marked with `check`")
        declared: dict[str, Rule] = {}
        for check in checks:
            for rule in check.rules:
                self._validate(rule, declared)
                declared[rule.code] = replace(rule, invariant=slug)
        self.rules.update(declared)
        self.names.update({rule.name: code for code, rule in declared.items()})
        self.checks.extend(replace(each, rules=tuple(declared[rule.code] for rule in each.rules)) for each in checks)
        self.pages.append((slug, page, sorted(declared)))

    def _validate(self, rule: Rule, declared: Mapping[str, Rule]) -> None:
        if not _CODE.fullmatch(rule.code):
            raise ContractError(f"the code {rule.code!r} is not of the form SPY<three digits>")
        if not _NAME.fullmatch(rule.name):
            raise ContractError(f"the name {rule.name!r} of {rule.code} is not in kebab-case")
        if rule.code in self.rules:
            raise ContractError(f"the code {rule.code} is taken by {self.rules[rule.code].name}")
        if rule.code in declared and replace(declared[rule.code], invariant="") != replace(rule, invariant=""):
            raise ContractError(f"the code {rule.code} is declared twice")
        taken = self.names.get(rule.name)
        if taken is None:
            taken = next((code for code, each in declared.items() if each.name == rule.name), None)
        if taken is not None and taken != rule.code:
            raise ContractError(f"the name {rule.name} of {rule.code} is taken by {taken}")

    def finish(self, place: Path, folder: str | None) -> Registry:
        tool_page = place / f"{SLUG}.md"
        if tool_page.is_file():
            self.pages.append((SLUG, tool_page, [rule.code for rule in TOOL_RULES]))
        rules = dict(sorted(self.rules.items()))
        invariants = tuple(
            Invariant(slug, _title(page, slug), str(page), tuple(rules[code] for code in codes))
            for slug, page, codes in sorted(self.pages, key=lambda entry: entry[2][:1])
        )
        checks = tuple(sorted(self.checks, key=lambda check: (check.rules[0].code, check.name)))
        return Registry(checks, rules, invariants, tuple(self.errors), folder)


def _builtin_folder() -> Path:
    package = importlib.import_module("spyre_lint.checks")
    return Path(next(iter(package.__path__)))


def _import(source: Path, *, builtin: bool) -> ModuleType:
    if builtin:
        return importlib.import_module(f"spyre_lint.checks.{source.stem}")
    name = f"spyre_lint_checks_from_{abs(hash(str(source.parent.resolve())))}.{source.stem}"
    spec = importlib.util.spec_from_file_location(name, source)
    if spec is None or spec.loader is None:
        raise ImportError(f"{source.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _title(page: Path, slug: str) -> str:
    """The first heading of a page without its marks; the slug if it has none."""
    try:
        with page.open(encoding="utf-8") as stream:
            for line in stream:
                if line.startswith("# "):
                    return line[2:].strip()
    except (OSError, UnicodeDecodeError):
        pass
    return slug
