from __future__ import annotations

from typing import Any

import pytest

from spyre_lint.bindings import Binding, KernelId
from spyre_lint.engine.results import Result
from spyre_lint.engine.settle import MAX_RELATED, Group, merge, overlap, settle_kernel, silence
from spyre_lint.findings import Finding, Level, Location, Related, Verdict
from spyre_lint.rules import Rule

RULE = Rule("SPY201", "narrow", Level.ERROR, "Too narrow.")
HERE = Location("a.py", 10, 5, 10, 20)
THERE = Location("a.py", 12, 5, 12, 20)
A, B, C = (Binding(label, "driver", Location("lower.py", line)) for line, label in enumerate("ABC", start=1))


def wrong(message: str = "wrong", where: Location = HERE, **extra: Any) -> Finding:
    return RULE.violated(where, message, **extra)


def open_(message: str = "open", where: Location = HERE) -> Finding:
    return RULE.unproven_at(where, message)


def right(where: Location = HERE) -> Finding:
    return RULE.satisfied(where)


def verdicts(findings: list[Finding]) -> list[tuple[Verdict, str, str | None]]:
    return [(finding.verdict, finding.message, finding.binding) for finding in findings]


def test_a_violation_under_one_binding_is_one() -> None:
    got = settle_kernel([Group([right()], A), Group([wrong()], B), Group([open_()], C)])
    assert verdicts(got) == [(Verdict.VIOLATED, "wrong", "B")]


def test_what_one_binding_leaves_open_another_settles() -> None:
    assert settle_kernel([Group([open_()], A), Group([right()], B)]) == []
    assert settle_kernel([Group([open_()]), Group([right()], B)]) == []


def test_what_nothing_settles_stays_open_once() -> None:
    got = settle_kernel([Group([open_("under A")], A), Group([open_("under B")], B)])
    assert verdicts(got) == [(Verdict.UNPROVEN, "under A", "A")]
    assert got[0].evidence == {"also_under": ["B"]}


def test_within_one_view_the_worst_call_of_a_helper_counts() -> None:
    assert verdicts(settle_kernel([Group([right(), open_()], A)])) == [(Verdict.UNPROVEN, "open", "A")]
    assert verdicts(settle_kernel([Group([open_(), wrong(), right()], A)])) == [(Verdict.VIOLATED, "wrong", "A")]
    assert settle_kernel([Group([right(), right()], A)]) == []


def test_places_and_rules_do_not_mix() -> None:
    other = Rule("SPY401", "big", Level.ERROR, "Too big.")
    got = settle_kernel([Group([open_(), right(THERE), other.unproven_at(HERE, "size")], A), Group([right()], B)])
    assert [(finding.code, finding.location) for finding in got] == [("SPY401", HERE)]


def test_several_bindings_are_named() -> None:
    got = settle_kernel([Group([wrong("8 bytes")], A), Group([wrong("4 bytes")], B), Group([right()], C)])
    assert verdicts(got) == [(Verdict.VIOLATED, "8 bytes", "A")]
    assert got[0].evidence == {"also_under": ["B"]}
    assert got[0].related == (Related("also under B", Location("lower.py", 2)),)


def test_what_is_the_same_under_every_binding_depends_on_none() -> None:
    assert verdicts(settle_kernel([Group([wrong()], A), Group([wrong()], B)])) == [(Verdict.VIOLATED, "wrong", None)]
    assert verdicts(settle_kernel([Group([wrong()], A)])) == [(Verdict.VIOLATED, "wrong", "A")]
    got = settle_kernel([Group([wrong()], A), Group([wrong()], B), Group([], C)])
    assert verdicts(got) == [(Verdict.VIOLATED, "wrong", "A")]


def test_the_gravest_violation_is_kept() -> None:
    got = settle_kernel([Group([wrong("near", level=Level.WARNING)], A), Group([wrong("over")], B)])
    assert verdicts(got) == [(Verdict.VIOLATED, "over", "B")]
    assert got[0].level is Level.ERROR


def test_what_is_shown_without_any_binding_gets_no_label() -> None:
    got = settle_kernel([Group([wrong()]), Group([wrong()], A)])
    assert verdicts(got) == [(Verdict.VIOLATED, "wrong", None)]


def test_a_label_the_check_gave_is_kept() -> None:
    got = settle_kernel([Group([wrong().with_(binding="grid of 4")], A)])
    assert got[0].binding == "grid of 4"


def result(finding: Finding, *names: str) -> Result:
    return Result(finding, tuple(KernelId("a.py", name) for name in names))


def test_a_helper_called_from_three_kernels_is_reported_once() -> None:
    calls = [Related(f"call {number}", Location("a.py", number)) for number in (1, 2, 3)]
    found = [result(wrong(related=[call]).with_(kernel=name), name) for call, name in zip(calls, "zxy", strict=True)]
    for order in (found, found[::-1]):
        (got,) = merge(order)
        assert got.finding.kernel == "x"
        assert set(got.finding.related) == set(calls)
        assert [kernel.name for kernel in got.kernels] == ["x", "y", "z"]


def test_violation_wins_over_open_in_another_kernel() -> None:
    (got,) = merge([result(open_(), "a"), result(wrong(), "b")])
    assert got.finding.verdict is Verdict.VIOLATED
    assert len(got.kernels) == 2


def test_related_places_are_limited() -> None:
    found = [result(wrong(related=[Related("call", Location("a.py", n))]), f"k{n:02}") for n in range(1, 30)]
    (got,) = merge(found)
    assert len(got.finding.related) == MAX_RELATED


RULES = {
    rule.code: rule
    for rule in (
        Rule("SPY303", "loop", Level.ERROR, "No loop.", silenced_by=("SPY304",)),
        Rule("SPY304", "pid", Level.ERROR, "No pid."),
        Rule("SPY503", "division", Level.WARNING, "Division.", silenced_here_by=("SPY502",)),
        Rule("SPY502", "ragged", Level.ERROR, "Ragged."),
    )
}


def of(code: str, where: Location, *names: str, verdict: Verdict = Verdict.VIOLATED) -> Result:
    rule = RULES[code]
    finding = rule.violated(where, "x") if verdict is Verdict.VIOLATED else rule.unproven_at(where, "x")
    return result(finding, *names)


def left(*results: Result) -> list[str]:
    return [each.finding.code for each in silence(results, RULES)]


def test_one_cause_gives_one_finding_per_kernel() -> None:
    assert left(of("SPY303", HERE, "k"), of("SPY304", THERE, "k")) == ["SPY304"]
    assert left(of("SPY303", HERE, "k"), of("SPY304", THERE, "other")) == ["SPY303", "SPY304"]


def test_only_violations_silence() -> None:
    unproven = of("SPY304", THERE, "k", verdict=Verdict.UNPROVEN)
    assert left(of("SPY303", HERE, "k"), unproven) == ["SPY303", "SPY304"]
    assert left(of("SPY303", HERE, "k", verdict=Verdict.UNPROVEN), of("SPY304", THERE, "k")) == ["SPY304"]


def test_a_shared_finding_goes_only_where_every_kernel_is_silenced() -> None:
    assert left(of("SPY303", HERE, "a", "b"), of("SPY304", THERE, "a")) == ["SPY303", "SPY304"]
    assert left(of("SPY303", HERE, "a", "b"), of("SPY304", THERE, "a"), of("SPY304", HERE, "b")) == ["SPY304", "SPY304"]


def test_silencing_at_the_same_expression() -> None:
    inside = Location("a.py", 10, 8, 10, 12)
    assert left(of("SPY503", inside, "k"), of("SPY502", HERE, "k")) == ["SPY502"]
    assert left(of("SPY503", THERE, "k"), of("SPY502", HERE, "k")) == ["SPY503", "SPY502"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (Location("a.py", 1, 1, 1, 5), Location("a.py", 1, 5, 1, 9), False),
        (Location("a.py", 1, 1, 1, 6), Location("a.py", 1, 5, 1, 9), True),
        (Location("a.py", 1, 9, 3, 2), Location("a.py", 2, 1, 2, 4), True),
        (Location("a.py", 1, 1, 1, 5), Location("b.py", 1, 1, 1, 5), False),
    ],
)
def test_overlap(first: Location, second: Location, expected: bool) -> None:
    assert overlap(first, second) is expected
    assert overlap(second, first) is expected
