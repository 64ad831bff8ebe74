"""The pages of the invariants are tests: what they call right must be silent, what they call wrong must be reported."""

from __future__ import annotations

from collections import Counter

import pytest

from spyre_lint.invariants.pages import judge_block
from spyre_lint.registry import Registry
from spyre_lint.report import Invariant
from spyre_lint.tool_rules import SLUG
from tests.checks.driver import lint
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
    assert judge_block(block, findings, INVARIANTS[block.slug], REGISTRY) == []


@pytest.mark.parametrize("invariant", CHECKED, ids=lambda invariant: invariant.slug)
def test_page_has_a_section_for_every_rule(invariant: Invariant) -> None:
    assert sections_of(invariant.markdown()) == {rule.code: rule.name for rule in invariant.rules}


@pytest.mark.parametrize("code", [rule.code for invariant in CHECKED for rule in invariant.rules])
def test_rule_is_shown_from_both_sides(code: str) -> None:
    counts = Counter(block.valid for block in BLOCKS if block.section == code or code in block.codes)
    assert min(counts[True], counts[False]) >= BLOCKS_PER_CODE, counts
