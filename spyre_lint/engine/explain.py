"""Texts about the rules themselves, for `explain` and `rules`."""

from __future__ import annotations

from pathlib import Path

from spyre_lint.config import ConfigError
from spyre_lint.invariants.text import page_text
from spyre_lint.registry import Registry
from spyre_lint.report import Invariant
from spyre_lint.rules import Rule
from spyre_lint.source.files import relative_path


def explanation(registry: Registry, topic: str) -> str:
    """Markdown about a rule (its own lines, then its invariant's page) or an invariant (its page).

    Raises:
        ConfigError: if there is no such rule or invariant, or its page cannot be read.
    """
    rule = registry.find(topic)
    invariant = registry.invariant(rule.invariant if rule is not None else topic)
    lost = next((each for each in registry.uncovered if each.slug == topic), None)
    if rule is None and invariant is None and lost is not None:
        reason = lost.reason or "it has no checker, and kernels are not checked against it"
        return "\n\n".join((f"**{lost.slug}**: {reason}", _text(lost.path)))
    if rule is None and invariant is None:
        near = registry.nearest(topic)
        hint = f" (did you mean `{near}`?)" if near else ""
        raise ConfigError(f"{topic!r} is no rule's code or name and no invariant{hint}; `spyre-lint rules` lists them")
    parts = [] if rule is None else [_heading(rule)]
    if invariant is not None:
        try:
            parts.append(invariant.markdown().rstrip())
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{invariant.page}: cannot be read: {error}") from None
        parts += _project_files(invariant)
    return "\n\n".join(parts)


def _project_files(invariant: Invariant) -> list[str]:
    """What the project's own files say of an invariant that has another page."""
    parts: list[str] = []
    for path in invariant.files:
        if Path(path) != Path(invariant.page):
            parts += [f"---\n\nIn this project, `{relative_path(path)}`:", _text(path)]
    return parts


def _text(path: str) -> str:
    try:
        return page_text(path).rstrip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{relative_path(path)}: cannot be read: {error}") from None


def _heading(rule: Rule) -> str:
    return f"**{rule.code} {rule.name}** ({rule.level.value}): {rule.summary}"


def rule_list(registry: Registry) -> str:
    """One line per rule under a line per invariant."""
    lines: list[str] = []
    width = max((len(rule.name) for rule in registry.rules.values()), default=0)
    group: str | None = None
    for rule in registry.rules.values():
        if rule.invariant != group:
            group = rule.invariant
            lines += ["", group] if lines else [group]
        lines.append(f"  {rule.code}  {rule.level.value:<7}  {rule.name:<{width}}  {rule.summary}")
    return "\n".join(lines)
