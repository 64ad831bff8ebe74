"""What `explain` says about one rule of the built-in pages."""

from __future__ import annotations

import pytest

from spyre_lint.engine.explain import explanation
from spyre_lint.registry import Registry


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.load()


@pytest.mark.parametrize(
    ("code", "heading"),
    [
        ("SPY308", "\n### SPY308 partition-dependent\n"),
        ("SPY805", "\n### SPY805 signature-drift\n"),
        ("SPY903", "\n## SPY903 unused-suppression\n"),
    ],
)
def test_a_rule_is_told_without_the_others(registry: Registry, code: str, heading: str) -> None:
    text = explanation(registry, code)
    rule = registry.rules[code]
    assert text.startswith(f"**{code} {rule.name}** ")
    assert text.count(heading) == 1
    others = [f"## {other.code} " for other in registry.rules.values() if other.code != code]
    assert not [each for each in others if each in text]
    assert text.count("```") % 2 == 0
    assert text.endswith(f"`spyre-lint explain {rule.invariant}`")


def test_every_section_is_on_the_page_of_its_invariant(registry: Registry) -> None:
    page = explanation(registry, "grid-fits-32-cores")
    assert [f"SPY30{digit}" for digit in range(1, 10) if f"\n### SPY30{digit} " not in page] == []
    for line in ("## Why", "## The canonical pattern", "## Sources"):
        assert f"\n{line}\n" in explanation(registry, "SPY301") and f"\n{line}\n" in page


def test_the_only_rule_of_a_page_has_all_of_it(registry: Registry) -> None:
    page = explanation(registry, "last-dim-16-bytes")
    assert explanation(registry, "SPY201").endswith(page)
