"""Texts about the rules themselves, for `explain` and `rules`."""

from __future__ import annotations

import re
from pathlib import Path

from spyre_lint.config import ConfigError
from spyre_lint.invariants.text import page_text
from spyre_lint.registry import Registry
from spyre_lint.report import Invariant
from spyre_lint.rules import Rule
from spyre_lint.source.files import relative_path

_SECTION = re.compile(r"#{2,3} ([A-Z]+\d+)\b")


def explanation(registry: Registry, topic: str) -> str:
    """Markdown about a rule (its line, its invariant's page without the other rules) or an invariant (its page).

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
            page = invariant.markdown().rstrip()
            parts.append(page if rule is None else _about(page, rule, invariant.slug))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{invariant.page}: cannot be read: {error}") from None
        parts += _project_files(invariant)
    return "\n\n".join(parts)


def _about(page: str, rule: Rule, slug: str) -> str:
    """The page without the sections (`### CODE name`) of other rules; all of it if this rule has no section there."""
    kept: list[str] = []
    keeps, fenced, found = True, False, False
    for line in page.splitlines():
        fenced ^= line.startswith("```")
        if not fenced and line.startswith(("# ", "## ", "### ")):
            section = _SECTION.match(line)
            keeps = section is None or section[1] == rule.code
            found |= section is not None and keeps
        if keeps:
            kept.append(line)
    if not found or len(kept) == len(page.splitlines()):
        return page
    return "\n".join((*kept, "", f"The other rules of this invariant: `spyre-lint explain {slug}`"))


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
