"""The pages of the invariants are tests: what they call right must be silent, what they call wrong must be reported."""

from __future__ import annotations

from collections import Counter

import pytest

from spyre_lint.registry import Registry
from spyre_lint.report import Invariant
from spyre_lint.tool_rules import SLUG
from tests.checks.driver import expected_marks, lint, marks
from tests.checks.pages import PageBlock, blocks_of, sections_of

REGISTRY = Registry.load()
INVARIANTS = {invariant.slug: invariant for invariant in REGISTRY.invariants}
CHECKED = [invariant for invariant in REGISTRY.invariants if invariant.slug != SLUG]
BLOCKS = [block for invariant in REGISTRY.invariants for block in blocks_of(invariant)]
BLOCKS_PER_CODE = 2
"""Least number of valid and of invalid blocks for each code: near misses need both sides."""


def test_every_check_loads() -> None:
    assert [(error.path, error.message) for error in REGISTRY.errors] == []


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.id)
def test_block(block: PageBlock) -> None:
    (path, text), *others = block.files
    findings = lint(text, path=path, files=dict(others), profile=block.profile)
    own = {rule.code for rule in INVARIANTS[block.slug].rules}
    shown = [f"{each.location} {each.code} {each.verdict.value}: {each.message}" for each in findings]
    if block.valid:
        assert [each for each in findings if each.code in own] == [], shown
        return
    named = set(block.codes)
    assert named <= own, f"{block.id} names codes of other invariants"
    expected = sorted(mark for name, body in block.files for mark in expected_marks(name, body))
    assert {code for _, _, code in expected} == named, f"{block.id} names {named} and marks {expected}"
    assert marks([each for each in findings if each.code in own]) == expected, shown


@pytest.mark.parametrize("invariant", CHECKED, ids=lambda invariant: invariant.slug)
def test_page_has_a_section_for_every_rule(invariant: Invariant) -> None:
    assert sections_of(invariant.markdown()) == {rule.code: rule.name for rule in invariant.rules}


@pytest.mark.parametrize("code", [rule.code for invariant in CHECKED for rule in invariant.rules])
def test_rule_is_shown_from_both_sides(code: str) -> None:
    counts = Counter(block.valid for block in BLOCKS if block.section == code or code in block.codes)
    assert min(counts[True], counts[False]) >= BLOCKS_PER_CODE, counts
