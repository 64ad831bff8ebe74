"""Every kernel of the two lists gets its verdict, and every counterexample is acted out on the kernel's own source."""

from __future__ import annotations

import re
from functools import cache

import pytest

from spyre_lint.analysis.shadow import coverage_of
from spyre_lint.analysis.shadow_facts import Coverage
from spyre_lint.findings import Verdict
from tests.analysis.acting import Kernels, act, check_complete, check_failure, lowered
from tests.analysis.shadow_right import RIGHT
from tests.analysis.shadow_wrong import EXPECTED, HELPERS, WRONG

_HEADER = "import triton\nimport triton.language as tl\n"
_RIGHT = re.findall(r"def (\w+)\(", RIGHT)
_SHARED_CODES = ("SPY303", "SPY304", "SPY305", "SPY306", "SPY307", "SPY308", "SPY502")
# Kernels that run on one program only, or write where a value loaded from memory says: nothing to act out in full.
_NOT_ACTED = {
    "scatter_rows",
    "first_half_by_design",
    "one_page_by_design",
    "sequential_scan",
    "atomic_split_k",
    "corner_of_known_extents",
}


@cache
def _kernels() -> Kernels:
    return lowered(_HEADER + HELPERS + WRONG + RIGHT)


@cache
def _coverage(name: str) -> Coverage:
    return coverage_of(_kernels().ir(name))


def test_there_are_enough_cases() -> None:
    assert len(EXPECTED) == WRONG.count("@triton.jit")
    assert len(EXPECTED) + len(_RIGHT) >= 80


@pytest.mark.parametrize("name", EXPECTED)
def test_wrong_kernels_are_reported(name: str) -> None:
    shown = _coverage(name)
    assert tuple(sorted({f.code for f in shown.failures})) == EXPECTED[name], [f.sentence for f in shown.failures]
    assert len(shown.failures) == len(EXPECTED[name])


@pytest.mark.parametrize("name", EXPECTED)
def test_counterexamples_hold(name: str) -> None:
    for failure in _coverage(name).failures:
        if failure.counterexample is None:
            assert failure.code in ("SPY304", "SPY307")
            continue
        check_failure(failure, act(_kernels(), name, failure.counterexample))


@pytest.mark.parametrize("name", _RIGHT)
def test_right_kernels_are_silent(name: str) -> None:
    shown = _coverage(name)
    expected = {"SPY307"} if name == "one_core" else set()
    assert {f.code for f in shown.failures} == expected, [f.sentence for f in shown.failures]
    if name != "one_page_by_design":
        assert not shown.open, shown.open
        assert all(shown.verdict(code) is Verdict.SATISFIED for code in _SHARED_CODES)
    assert shown.launches > 0


@pytest.mark.parametrize("name", [name for name in _RIGHT if name not in _NOT_ACTED])
def test_right_kernels_are_right(name: str) -> None:
    check_complete(_kernels(), name)
