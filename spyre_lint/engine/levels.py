"""Which findings are shown and how grave they are, by the settings of the file they are in."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from spyre_lint.config import Settings
from spyre_lint.findings import Finding, Verdict
from spyre_lint.registry import Registry
from spyre_lint.source.globs import matches
from spyre_lint.tool_rules import ALWAYS_REPORTED, INTERNAL_ERROR


class Selector:
    """Answers whether a rule is selected for a file."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._codes = lru_cache(maxsize=None)(self._expand)
        self._shown: dict[tuple[int, str], tuple[Settings, frozenset[str]]] = {}

    def _expand(self, selectors: tuple[str, ...]) -> frozenset[str]:
        return frozenset().union(*(self._registry.codes(each) for each in selectors))

    def codes_for(self, settings: Settings, path: str) -> frozenset[str]:
        """The codes shown for a file: `select` without `ignore`, then every matching `per-path` in order.

        Errors that keep a file from being checked stay shown unless they are ignored by name; internal errors always.
        """
        key = (id(settings), path)
        known = self._shown.get(key)
        if known is not None:
            return known[1]
        selected = frozenset(self._registry.rules) if settings.select is None else self._codes(settings.select)
        ignored = self._codes(settings.ignore)
        relative = settings.relative(path) if settings.per_path else ""
        for rule in settings.per_path:
            if matches((rule.glob,), relative):
                selected = selected if rule.select is None else self._codes(rule.select)
                ignored |= self._codes(rule.ignore)
        codes = ((selected | ALWAYS_REPORTED) - ignored) | {INTERNAL_ERROR.code}
        self._shown[key] = (settings, codes)
        return codes

    def unknown(self, selectors: Iterable[str]) -> list[str]:
        """The selectors that stand for nothing."""
        return [each for each in selectors if not self._registry.codes(each)]


def with_level(finding: Finding, settings: Settings) -> Finding:
    """A finding at the level that `severity` gives its rule; an unproven one is never raised above its own."""
    level = settings.severity.get(finding.code)
    if level is None or level is finding.level:
        return finding
    if finding.verdict is Verdict.UNPROVEN and level.rank > finding.level.rank:
        return finding
    return finding.with_(level=level)
