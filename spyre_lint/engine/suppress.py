"""Suppression comments applied to findings, and what is wrong with the comments themselves (SPY903)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

from spyre_lint.engine.results import Result
from spyre_lint.findings import Finding, Level, Location
from spyre_lint.registry import Registry
from spyre_lint.source.comments import LAST_LINE_FOR_FILE, Listed, Suppression
from spyre_lint.source.files import SourceFile
from spyre_lint.tool_rules import INTERNAL_ERROR, UNUSED_SUPPRESSION


class Suppressor:
    """Takes suppressed findings away and remembers which comments did something."""

    def __init__(self, registry: Registry, source: Callable[[str], SourceFile | None]) -> None:
        self._registry = registry
        self._source = source
        self._used: set[tuple[str, int, int]] = set()
        self.suppressed: list[Result] = []
        """What was taken away so far."""

    def apply(self, results: Iterable[Result]) -> list[Result]:
        """The results that no comment suppresses."""
        kept: list[Result] = []
        for result in results:
            if self._suppressed(result.finding):
                self.suppressed.append(result)
            else:
                kept.append(result)
        return kept

    def _suppressed(self, finding: Finding) -> bool:
        file = self._source(finding.location.path)
        if file is None or finding.code == INTERNAL_ERROR.code:
            return False
        hit = False
        line = finding.location.line
        for suppression in file.comments.suppressions:
            if suppression.kind == "unknown" or (suppression.kind == "ignore-file" and not suppression.covers_file):
                continue
            if suppression.kind == "ignore" and not suppression.first <= line <= suppression.last:
                continue
            for listed in suppression.codes:
                rule = self._registry.find(listed.text)
                if rule is not None and rule.code == finding.code:
                    self._used.add((file.path, suppression.line, listed.column))
                    hit = True
        return hit

    def complaints(self, files: Sequence[SourceFile]) -> list[Result]:
        """SPY903 for every comment of `files` that is malformed, names no rule, or suppressed nothing."""
        return [
            Result(finding)
            for file in files
            for suppression in file.comments.suppressions
            for finding in self._judge(file.path, suppression)
        ]

    def _judge(self, path: str, suppression: Suppression) -> Iterable[Finding]:
        whole = Location(path, suppression.line, suppression.column, suppression.line, suppression.end_column)
        if suppression.kind == "unknown":
            near = get_close_matches(suppression.word, ("ignore", "ignore-file"), n=1, cutoff=0.5)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            yield _wrong(whole, f"`{suppression.word}` is no directive of spyre-lint{hint}", _HELP)
        elif not suppression.closed:
            yield _wrong(whole, f"the list of `{suppression.word}` is not closed by `]`", _HELP)
        elif not suppression.codes:
            yield _wrong(whole, f"`{suppression.word}` names no rule, and so suppresses nothing", _HELP)
        elif suppression.kind == "ignore-file" and not suppression.covers_file:
            message = f"`ignore-file` counts only up to line {LAST_LINE_FOR_FILE}, and so suppresses nothing here"
            yield _wrong(
                whole, message, "move it to the top of the file, or suppress single statements with `ignore[...]`"
            )
        else:
            yield from self._judge_codes(path, suppression)

    def _judge_codes(self, path: str, suppression: Suppression) -> Iterable[Finding]:
        seen: set[str] = set()
        for listed in suppression.codes:
            where = Location(path, suppression.line, listed.column, suppression.line, listed.end_column)
            rule = self._registry.find(listed.text)
            if rule is None:
                yield UNUSED_SUPPRESSION.violated(where, self._no_rule(listed.text), help=_HELP)
            elif rule.code in seen:
                yield UNUSED_SUPPRESSION.violated(
                    where, f"{rule.code} ({rule.name}) is listed twice", help="remove one"
                )
            elif (path, suppression.line, listed.column) not in self._used:
                yield self._unused(where, suppression, listed, rule.code, rule.name)
            if rule is not None:
                seen.add(rule.code)

    def _no_rule(self, text: str) -> str:
        """What is wrong with an entry of a list that is no rule."""
        wide = "an invariant" if self._registry.invariant(text) is not None else "a prefix of codes"
        if wide == "an invariant" or any(code.startswith(text.upper()) for code in self._registry.rules):
            return f"`{text}` is {wide}, and a comment suppresses single rules only"
        near = self._registry.nearest(text)
        return f"`{text}` is no rule's code or name" + (f"; did you mean `{near}`?" if near else "")

    def _unused(self, where: Location, suppression: Suppression, listed: Listed, code: str, name: str) -> Finding:
        what = "in this file" if suppression.covers_file else "here"
        alone = len(suppression.codes) == 1
        help_text = "remove the comment" if alone else f"remove `{listed.text}` from the list"
        return UNUSED_SUPPRESSION.violated(where, f"{code} ({name}) has no finding {what} to suppress", help=help_text)


_HELP = "write `# spyre-lint: ignore[CODE, ...]` with codes or names of rules"


def _wrong(where: Location, message: str, help_text: str) -> Finding:
    return UNUSED_SUPPRESSION.violated(where, message, help=help_text, level=Level.ERROR)
