"""From what checks yield to findings: one result per rule and place.

A check may report the same rule at the same place many times: for several bindings, for several calls of an inlined
helper, for several kernels that share a helper. `settle_kernel` decides over the bindings of one kernel, `merge` over
kernels, `silence` over rules that tell of one cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from spyre_lint.bindings import Binding, KernelId
from spyre_lint.engine.results import Result
from spyre_lint.findings import Finding, Location, Related, Verdict
from spyre_lint.rules import Rule

MAX_RELATED = 8
"""Related locations kept when findings merge; a helper may have hundreds of callers."""

_WORST = {Verdict.VIOLATED: 2, Verdict.UNPROVEN: 1, Verdict.SATISFIED: 0}

Key = tuple[str, Location]


@dataclass(frozen=True, slots=True)
class Group:
    """Everything that was found about a kernel in one view of it: under one binding, or without any (`binding`
    None).
    """

    findings: Sequence[Finding]
    binding: Binding | None = None


def settle_kernel(groups: Iterable[Group]) -> list[Finding]:
    """One finding per rule and place.

    Within a view the worst verdict counts (another call of the same helper may be fine). Over the views a violation
    under one binding is one; else what one view shows to be right settles what another left open; else it stays open.
    """
    by_key: dict[Key, list[tuple[Finding, Binding | None]]] = {}
    bound = 0
    for group in groups:
        bound += group.binding is not None
        worst: dict[Key, Finding] = {}
        for finding in group.findings:
            key = (finding.code, finding.location)
            known = worst.get(key)
            worst[key] = finding if known is None else _worse(known, finding)
        for key, finding in worst.items():
            by_key.setdefault(key, []).append((finding, group.binding))
    settled = (_over_bindings(views, bound) for views in by_key.values())
    return [finding for finding in settled if finding is not None]


def _worse(first: Finding, second: Finding) -> Finding:
    """The graver of two findings at one place under one view, with the related locations of both."""
    key_first = (_WORST[first.verdict], first.level.rank)
    key_second = (_WORST[second.verdict], second.level.rank)
    kept, other = (second, first) if key_second > key_first else (first, second)
    if other.verdict is not kept.verdict:
        return kept
    return _join_related(kept, other)


def _over_bindings(views: list[tuple[Finding, Binding | None]], bound: int) -> Finding | None:
    violated = [view for view in views if view[0].verdict is Verdict.VIOLATED]
    if violated:
        return _under(violated, bound)
    if any(finding.verdict is Verdict.SATISFIED for finding, _ in views):
        return None
    return _under(views, bound)


def _under(views: list[tuple[Finding, Binding | None]], bound: int) -> Finding:
    """The gravest of the views, labelled with the binding it was shown under and naming the others.

    What is the same under each of several bindings (`bound` of them) depends on none, and gets no label.
    """
    finding, binding = max(views, key=lambda view: view[0].level.rank)
    if binding is None or finding.binding is not None:
        return finding
    same = sum(other.message == finding.message for other, under in views if under is not None)
    if same == bound > 1:
        return finding
    finding = finding.with_(binding=binding.label)
    others = [other for _, other in views if other is not None and other is not binding]
    if others:
        labels = list(dict.fromkeys(other.label for other in others))
        also = [Related(f"also under {other.label}", other.loc) for other in others if other.loc is not None]
        related = (*finding.related, *also)[: max(MAX_RELATED, len(finding.related))]
        finding = finding.with_(related=related, evidence={**finding.evidence, "also_under": labels})
    return finding


def _join_related(kept: Finding, other: Finding) -> Finding:
    new = [each for each in other.related if each not in kept.related]
    room = max(MAX_RELATED - len(kept.related), 0)
    return kept.with_(related=(*kept.related, *new[:room])) if new[:room] else kept


def merge(results: Iterable[Result]) -> list[Result]:
    """One result per rule and place over all kernels; the kernels of all of them, the violation before the open one."""
    merged: dict[Key, Result] = {}
    for result in sorted(results, key=_order):
        key = (result.finding.code, result.finding.location)
        known = merged.get(key)
        if known is None:
            merged[key] = result
            continue
        finding = _worse(known.finding, result.finding)
        merged[key] = Result(finding, tuple(dict.fromkeys((*known.kernels, *result.kernels))))
    return list(merged.values())


def _order(result: Result) -> tuple[tuple[str, int, int, str, str], list[tuple[str, str]], str]:
    kernels = [(kernel.path, kernel.name) for kernel in result.kernels]
    return (result.finding.sort_key, kernels, result.finding.binding or "")


def silence(results: Sequence[Result], rules: Mapping[str, Rule]) -> list[Result]:
    """Drop what tells of a cause that another rule's violation tells better (`Rule.silenced_by`, `silenced_here_by`).

    A finding about several kernels goes only if it is silenced for each of them.
    """
    violated: dict[str, list[Result]] = {}
    for result in results:
        if result.finding.verdict is Verdict.VIOLATED:
            violated.setdefault(result.finding.code, []).append(result)

    def silenced(result: Result) -> bool:
        rule = rules.get(result.finding.code)
        if rule is None:
            return False
        here = result.finding.location
        if any(
            overlap(other.finding.location, here) for code in rule.silenced_here_by for other in violated.get(code, ())
        ):
            return True
        by: set[KernelId] = set()
        for code in rule.silenced_by:
            for other in violated.get(code, ()):
                by.update(other.kernels)
        return bool(result.kernels) and by.issuperset(result.kernels)

    return [result for result in results if not silenced(result)]


def overlap(first: Location, second: Location) -> bool:
    """Whether two ranges of source text share a character."""
    if first.path != second.path:
        return False
    starts = (first.line, first.column) < (second.end_line, second.end_column)
    return starts and (second.line, second.column) < (first.end_line, first.end_column)
