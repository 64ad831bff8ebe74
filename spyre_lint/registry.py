"""All rules, checks and invariants of a run: the built-in ones, and those a project brings.

Nothing lists the built-in checks: every `<slug>.py` in the checks folder that has a `<slug>.md` beside it is one
invariant. A module is imported, its functions marked with `rules.check` are collected, and the rules they declare get
the slug as their invariant. A project adds invariant files, Python checkers and installed packages (`Sources`). What
cannot be loaded becomes a `LoadError`, an invariant file that nothing checks an `Uncovered`; the rest still runs.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Final

from spyre_lint.report import BUILT_IN, Invariant
from spyre_lint.rules import CHECK_ATTRIBUTE, Check, Rule
from spyre_lint.tool_rules import SLUG, TOOL_RULES

_CODE: Final = re.compile(r"SPY[1-9]\d{2}")
_OTHER_CODE: Final = re.compile(r"(?!SPY)[A-Z][A-Z0-9]*(-[A-Z0-9]+)*")
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the checks of a run come from; absolute paths.

    `folder` replaces the built-in checks; `directories` hold the project's invariant files; `plugins` are its Python
    checkers; `packages` tells whether installed packages may bring checkers.
    """

    folder: str | None = None
    directories: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    packages: bool = False


@dataclass(frozen=True, slots=True)
class LoadError:
    """A check module that could not be used: its file (or the package's name) and why."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Uncovered:
    """An invariant file that no checker stands for, or whose front matter cannot be used (`reason` says why)."""

    path: str
    slug: str
    title: str
    reason: str = ""
    line: int = 1


@dataclass(frozen=True, slots=True)
class Registry:
    """All known rules, checks and invariants, and where they were loaded from."""

    checks: tuple[Check, ...]
    rules: Mapping[str, Rule]
    """Rules by code: the built-in ones in the order of their codes, then those of the project."""
    invariants: tuple[Invariant, ...]
    errors: tuple[LoadError, ...] = ()
    uncovered: tuple[Uncovered, ...] = ()
    sources: Sources = Sources()
    _by_name: dict[str, Rule] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, folder: str | Path | None = None, *, sources: Sources | None = None) -> Registry:
        """Load the checks of a folder (None: the built-in ones), or of several sources.

        Never raises for a broken check; see `errors`.
        """
        given = sources or Sources(folder=None if folder is None else str(folder))
        builder = _Builder(given)
        place = Path(given.folder) if given.folder is not None else _builtin_folder()
        for source in sorted(place.glob("*.py")):
            if not source.stem.startswith("_"):
                builder.attempt(source, partial(builder.add_builtin, source))
        if given.packages or given.plugins or given.directories:
            builder.extend()
        return builder.finish(place)

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
        if re.fullmatch(r"[A-Z]{2,}\d*", prefix):
            return frozenset(code for code in self.rules if _extends(code, prefix))
        return frozenset()

    def nearest(self, text: str) -> str | None:
        """The known code, name or slug that is most like `text`."""
        names = [*self.rules, *(rule.name for rule in self.rules.values()), *(each.slug for each in self.invariants)]
        upper = text.upper()
        matches = get_close_matches(upper if upper.startswith("SPY") else text.lower(), names, n=1, cutoff=0.6)
        matches = matches or get_close_matches(upper, names, n=1, cutoff=0.6)
        return matches[0] if matches else None


class ContractError(Exception):
    """A check module that does not keep to the contract of checks."""


@dataclass(slots=True)
class _Entry:
    """An invariant while the registry is built."""

    slug: str
    page: Path
    codes: list[str] = field(default_factory=list)
    origin: str = BUILT_IN
    files: list[str] = field(default_factory=list)


class _Builder:
    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.checks: list[Check] = []
        self.rules: dict[str, Rule] = {rule.code: rule for rule in TOOL_RULES}
        self.names: dict[str, str] = {rule.name: rule.code for rule in TOOL_RULES}
        self.entries: dict[str, _Entry] = {}
        self.errors: list[LoadError] = []
        self.uncovered: list[Uncovered] = []

    def attempt(self, source: Path | str, load: Callable[[], None]) -> None:
        """Load something; what goes wrong is kept as an error."""
        try:
            load()
        except ContractError as error:
            self.errors.append(LoadError(str(source), str(error)))
        except Exception as error:  # a check is third-party code to the engine: whatever it raises is its failure
            self.errors.append(LoadError(str(source), f"{type(error).__name__}: {error}"))

    # ------------------------------------------------------------------ built-in checks

    def add_builtin(self, source: Path) -> None:
        """Take over the checks of a module in the checks folder, which is documented beside itself."""
        module = _import(source, builtin=self.sources.folder is None)
        page = source.with_suffix(".md")
        if not page.is_file():
            raise ContractError(f"the page {page.name} that documents it is missing")
        self.add(checks_of(module), _Entry(source.stem, page), builtin=True)

    # ------------------------------------------------------------------ what a project brings

    def extend(self) -> None:
        """Packages, then local modules, then invariant files: each may document or cover what came before."""
        from spyre_lint.invariants.files import read_invariants

        files = read_invariants(self.sources.directories)
        pages = {each.slug: Path(each.path) for each in files}
        if self.sources.packages:
            from spyre_lint.invariants.packages import installed_checkers

            for checker in installed_checkers():
                self.attempt(
                    checker.origin, partial(self.add_module, checker.load, checker.slug, checker.origin, pages)
                )
        for plugin in self.sources.plugins:
            path = Path(plugin)
            slug = path.stem.replace("_", "-")
            load = partial(_import, path, builtin=False)
            self.attempt(plugin, partial(self.add_module, load, slug, f"plugin {path.name}", pages))
        for file in files:
            if file.declared:
                entry = _Entry(file.slug, Path(file.path), origin=f"front matter of {Path(file.path).name}")
                self.attempt(file.path, partial(self.add, file.declared, entry, builtin=False))
            known = self.entries.get(file.slug)
            if known is not None:
                known.files.append(file.path)
            if file.problem or known is None:
                self.uncovered.append(Uncovered(file.path, file.slug, file.title, file.problem, file.line))

    def add_module(self, load: Callable[[], ModuleType], slug: str, origin: str, pages: Mapping[str, Path]) -> None:
        """Take over the checks of a project's module: its page stands beside it, or is the project's invariant file."""
        module = load()
        if not _NAME.fullmatch(slug):
            raise ContractError(f"the name {slug!r} is not in kebab-case")
        place = Path(module.__file__ or "")
        beside = [place.with_name(f"{slug}.md"), place.with_suffix(".md")]
        page = next((each for each in beside if each.is_file()), pages.get(slug))
        if page is None and slug in self.entries:
            page = self.entries[slug].page
        if page is None:
            raise ContractError(f"the page {slug}.md that documents it is missing")
        self.add(checks_of(module), _Entry(slug, page, origin=origin), builtin=False)

    # ------------------------------------------------------------------ rules

    def add(self, checks: Iterable[Check], entry: _Entry, *, builtin: bool) -> None:
        """Take over checks for an invariant; all of them or, if one breaks the contract, none.

        Raises:
            ContractError: if one of their rules breaks the contract of checks.
        """
        checks = list(checks)
        declared: dict[str, Rule] = {}
        for check in checks:
            for rule in check.rules:
                self._validate(rule, declared, builtin)
                roles = rule.roles or (() if builtin else ("spyre",))
                declared[rule.code] = replace(rule, invariant=entry.slug, roles=roles)
        self.rules.update(declared)
        self.names.update({rule.name: code for code, rule in declared.items()})
        self.checks.extend(replace(each, rules=tuple(declared[rule.code] for rule in each.rules)) for each in checks)
        known = self.entries.setdefault(entry.slug, entry)
        if known is not entry:
            known.origin = f"{known.origin}, {entry.origin}"
        known.codes = sorted({*known.codes, *declared}, key=_code_order)

    def _validate(self, rule: Rule, declared: Mapping[str, Rule], builtin: bool) -> None:
        if builtin and not _CODE.fullmatch(rule.code):
            raise ContractError(f"the code {rule.code!r} is not of the form SPY<three digits>")
        if not builtin and not _OTHER_CODE.fullmatch(rule.code):
            raise ContractError(
                f"the code {rule.code!r} is not of the form ABC123 (capitals, digits, dashes; not SPY..., "
                "which are the linter's own)"
            )
        if not _NAME.fullmatch(rule.name):
            raise ContractError(f"the name {rule.name!r} of {rule.code} is not in kebab-case")
        if rule.code in self.rules:
            raise ContractError(f"the code {rule.code} is taken by {self.rules[rule.code].name}")
        known = declared.get(rule.code)
        if known is not None and replace(known, invariant="", roles=()) != replace(rule, invariant="", roles=()):
            raise ContractError(f"the code {rule.code} is declared twice")
        taken = self.names.get(rule.name)
        if taken is None:
            taken = next((code for code, each in declared.items() if each.name == rule.name), None)
        if taken is not None and taken != rule.code:
            raise ContractError(f"the name {rule.name} of {rule.code} is taken by {taken}")

    def finish(self, place: Path) -> Registry:
        tool_page = place / f"{SLUG}.md"
        if tool_page.is_file():
            self.entries[SLUG] = _Entry(SLUG, tool_page, [rule.code for rule in TOOL_RULES])
        rules = {code: self.rules[code] for code in sorted(self.rules, key=_code_order)}
        entries = sorted(self.entries.values(), key=lambda entry: _code_order(entry.codes[0]))
        invariants = tuple(
            Invariant(
                entry.slug,
                _title(entry.page, entry.slug),
                str(entry.page),
                tuple(rules[code] for code in entry.codes),
                entry.origin,
                tuple(entry.files),
            )
            for entry in entries
        )
        checks = tuple(sorted(self.checks, key=lambda check: (_code_order(check.rules[0].code), check.name)))
        errors, uncovered = tuple(self.errors), tuple(self.uncovered)
        return Registry(checks, rules, invariants, errors, uncovered, self.sources)


def checks_of(module: ModuleType) -> list[Check]:
    """The functions of a module that are marked as checks; imported ones are not its own.

    Raises:
        ContractError: if there are none.
    """
    marked = [getattr(value, CHECK_ATTRIBUTE, None) for value in vars(module).values()]
    found = [
        each
        for each in dict.fromkeys(marked)  # a second name for a function is no second check
        if isinstance(each, Check) and each.function.__module__ == module.__name__
    ]
    if not found:
        raise ContractError("it has no function marked with `check`")
    return found


def _code_order(code: str) -> tuple[bool, str]:
    """Built-in codes first, the tool's own last among them."""
    return (not code.startswith("SPY"), code)


def _extends(code: str, prefix: str) -> bool:
    """Whether a code begins with a prefix of it: its letters, or its letters and some of the digits."""
    if not code.startswith(prefix):
        return False
    return prefix[-1].isdigit() or code[len(prefix) : len(prefix) + 1].isdigit()


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
    from spyre_lint.invariants.text import title_of

    try:
        return title_of(page.read_text(encoding="utf-8"), slug)
    except (OSError, UnicodeDecodeError):
        return slug
