"""Texts about the rules themselves, for `explain` and `rules`."""

from __future__ import annotations

from spyre_lint.config import ConfigError
from spyre_lint.registry import Registry
from spyre_lint.rules import Rule


def explanation(registry: Registry, topic: str) -> str:
    """Markdown about a rule (its own lines, then its invariant's page) or an invariant (its page).

    Raises:
        ConfigError: if there is no such rule or invariant, or its page cannot be read.
    """
    rule = registry.find(topic)
    invariant = registry.invariant(rule.invariant if rule is not None else topic)
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
    return "\n\n".join(parts)


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
