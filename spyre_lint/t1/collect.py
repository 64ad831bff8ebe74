"""From a run of the linter to a T1 report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from spyre_lint.bindings import KernelId
from spyre_lint.context import KernelContext
from spyre_lint.engine.levels import Selector
from spyre_lint.engine.results import Outcome, Result
from spyre_lint.engine.run import Run, RunOptions
from spyre_lint.findings import Finding, Level, Verdict
from spyre_lint.invariants.locate import load_registry
from spyre_lint.output.json_ import TOOL_NAME
from spyre_lint.registry import Registry
from spyre_lint.report import Invariant, KernelEntry, Report
from spyre_lint.rules import Rule
from spyre_lint.source.files import relative_path
from spyre_lint.source.roles import kernel_gets, launch_gets
from spyre_lint.t1.evidence import Evidence, evidence_on, place
from spyre_lint.t1.models import (
    Cause,
    InvariantStatus,
    KernelReport,
    Missing,
    Place,
    Status,
    T1Report,
    Tool,
    Unchecked,
)
from spyre_lint.tool_rules import ANALYSIS_INCOMPLETE, INTERNAL_ERROR, SYNTAX_ERROR
from spyre_lint.tool_rules import SLUG as THE_TOOL

BESIDE_THE_KERNEL: Final = "conversion-hygiene"
"""The invariant about files and launches around a kernel: reported, and no part of the kernel's own status."""

ABOUT_SPEED: Final = frozenset({"SPY112", "SPY307", "SPY403"})
"""Rules about work that is done in vain or cores that idle: told as advice, since T1 is about shape."""

_ORDER: Final[tuple[Status, ...]] = ("violated", "unproven", "waived", "satisfied", "not applicable")
_TAIL: Final = "SPY502"
_GRID: Final = "grid-fits-32-cores"
_SCRATCHPAD: Final = "tile-fits-scratchpad"
_AGNOSTIC: Final = "runtime-arg-agnostic"
_FOLLOWED: Final = re.compile(r"SPY[1-57]")
"""Codes of rules that follow a kernel's values, and so say nothing about a part that could not be followed."""


def collect(paths: Sequence[str], options: RunOptions) -> tuple[T1Report, Report]:
    """The T1 report of the kernels below some paths, and the linter's report it was made from.

    Raises:
        ConfigError: if a configuration cannot be used.
    """
    registry = load_registry(paths, config=options.config, plugins=options.plugins, folder=options.checks_folder)
    run = Run(registry, options)
    evidence: dict[KernelId, Evidence] = {}

    def observe(context: KernelContext) -> None:
        evidence[context.info.id] = evidence_on(context)

    report, outcome = run.examine(paths, observe)
    judge = _Judge(run, registry, outcome)
    kernels = [judge.kernel(entry, evidence.get(entry.id)) for entry in report.kernels if entry.checked]
    broken = {SYNTAX_ERROR.code, INTERNAL_ERROR.code}
    problems = [f"{each.location}: {each.message}" for each in report.findings if each.code in broken]
    made = T1Report(
        tool=Tool(name=TOOL_NAME, version=report.tool_version),
        kernels=kernels,
        unchecked=[
            Unchecked(invariant=each.slug, path=relative_path(each.path), reason=each.reason)
            for each in registry.uncovered
        ],
        problems=[*report.problems, *problems],
    )
    return made, report


def worst(statuses: Iterable[Status]) -> Status:
    """The status of a whole: that of its worst part; `not applicable` where there is none."""
    found = list(statuses)
    return next((status for status in _ORDER if status in found), "not applicable")


class _Judge:
    """Sorts the results of a run by kernel and invariant."""

    def __init__(self, run: Run, registry: Registry, outcome: Outcome) -> None:
        self._run = run
        self._registry = registry
        self._selector = Selector(registry)
        self._shown = _by_kernel(outcome.shown)
        self._suppressed = _by_kernel(outcome.suppressed)

    def kernel(self, entry: KernelEntry, evidence: Evidence | None) -> KernelReport:
        """The report on one kernel; without evidence it could not be lowered, and everything is open."""
        invariants = [
            each
            for invariant in self._registry.invariants
            if invariant.slug != THE_TOOL and (each := self._invariant(invariant, entry, evidence)) is not None
        ]
        counted = [each.status for each in invariants if each.invariant != BESIDE_THE_KERNEL]
        role = entry.role if entry.role in ("descriptor", "traced") else "spyre"
        return KernelReport(
            path=entry.path,
            kernel=entry.name,
            line=entry.line,
            role=role,  # type: ignore[arg-type]
            status=worst(counted),
            peak_bytes=evidence.peak_bytes if evidence else None,
            core_counts=evidence.core_counts if evidence else [],
            bindings=evidence.bindings if evidence else [],
            missing=evidence.missing if evidence else Missing(),
            invariants=invariants,
        )

    def _invariant(self, invariant: Invariant, entry: KernelEntry, evidence: Evidence | None) -> InvariantStatus | None:
        selected = self._selector.codes_for(self._run.settings_of(entry.path), entry.path)
        rules = [rule for rule in invariant.rules if rule.code in selected and _applies(rule, entry.role)]
        if not rules:
            return InvariantStatus(invariant=invariant.slug, status="not applicable")
        codes = {rule.code for rule in invariant.rules}
        findings = [each for each in self._shown.get(entry.id, ()) if each.code in codes]
        waived = [each for each in self._suppressed.get(entry.id, ()) if each.code in codes and _counts(each)]
        missing = evidence.missing if evidence else Missing()
        wrong = [each for each in findings if _counts(each)]
        advice = [each for each in findings if each.verdict is Verdict.VIOLATED and not _counts(each)]
        left = [each for each in findings if each.verdict is Verdict.UNPROVEN and each.code not in ABOUT_SPEED]
        if any(_FOLLOWED.match(rule.code) for rule in rules):
            left += [each for each in self._shown.get(entry.id, ()) if each.code == ANALYSIS_INCOMPLETE.code]
        causes = [_cause(each, entry, missing) for each in (*wrong, *left)]
        causes += [_cause(each, entry, missing, waived=True) for each in waived]
        if not wrong and not left:
            # A dropped tail is shown work and told as such: it leaves nothing open about the grid.
            shown = self._shown.get(entry.id, ())
            lost = any(each.code == _TAIL and each.verdict is Verdict.VIOLATED for each in shown)
            causes += _unseen(invariant, entry, evidence, lost=lost)
        status: Status = "satisfied"
        if wrong:
            status = "violated"
        elif len(causes) > len(waived):
            status = "unproven"
        elif waived:
            status = "waived"
        return InvariantStatus(
            invariant=invariant.slug,
            status=status,
            causes=causes,
            advice=[_cause(each, entry, missing) for each in advice],
            evidence=_figures(invariant.slug, evidence) if evidence else {},
        )


def _by_kernel(results: Iterable[Result]) -> dict[KernelId, list[Finding]]:
    found: dict[KernelId, list[Finding]] = {}
    for result in results:
        for kernel in result.kernels:
            found.setdefault(kernel, []).append(result.finding)
    return found


def _applies(rule: Rule, role: str) -> bool:
    return kernel_gets(role, rule.code, rule.roles) or launch_gets([role], rule.code, rule.roles)


def _counts(finding: Finding) -> bool:
    """Whether a violation keeps an invariant from being satisfied: notes do not, nor does what is about speed."""
    violated = finding.verdict is Verdict.VIOLATED
    return violated and finding.level is not Level.NOTE and finding.code not in ABOUT_SPEED


def _cause(finding: Finding, entry: KernelEntry, missing: Missing, *, waived: bool = False) -> Cause:
    return Cause(
        code=finding.code,
        verdict="waived" if waived else "violated" if finding.verdict is Verdict.VIOLATED else "unproven",
        level=finding.level.value,
        message=finding.message,
        place=place(finding.location),
        binding=finding.binding,
        settled_by=_settled_by(finding, entry, missing) if finding.verdict is Verdict.UNPROVEN else [],
    )


def _settled_by(finding: Finding, entry: KernelEntry, missing: Missing) -> list[str]:
    """What a binding has to give for an open finding to be settled: what it names, else all that is missing."""
    if finding.code == ANALYSIS_INCOMPLETE.code:
        return []
    quantity = finding.code.startswith(("SPY2", "SPY4"))
    wanted = _wanted(missing, finding.message, everything=quantity)
    if missing.grid and finding.code in ("SPY301", "SPY302", "SPY309"):
        wanted.append("a grid")
    return wanted


def _wanted(missing: Missing, message: str, *, everything: bool) -> list[str]:
    """What is missing and a message names; if it names nothing, all that is missing (with `everything`)."""
    mentioned = set(re.findall(r"\w+", message))
    constexprs = [name for name in missing.constexprs if name in mentioned]
    dtypes = [name for name in missing.dtypes if name in mentioned]
    if everything and not constexprs and not dtypes:
        constexprs, dtypes = missing.constexprs, missing.dtypes
    sized = re.findall(r"\w+", " ".join(re.findall(r"sizeof\(([^)]*)\)", message)))
    scalars = [name for name in dict.fromkeys(sized) if name != "and" and name not in dtypes]
    return [
        *(f"a value of `{name}`" for name in constexprs),
        *(f"the element type of `{name}`" for name in dtypes),
        *(f"the type of `{name}`" for name in scalars),
    ]


def _unseen(invariant: Invariant, entry: KernelEntry, evidence: Evidence | None, *, lost: bool) -> list[Cause]:
    """What speaks against `satisfied` although no rule says so: that nothing could be looked at."""
    if evidence is None:
        return [_open(entry, INTERNAL_ERROR.code, "the kernel could not be lowered")]
    if invariant.slug == _GRID and evidence.missing.grid and entry.role != "descriptor":
        message = "no launch and no driver was seen that bounds the grid of this kernel"
        return [_open(entry, "SPY301", message, ["a grid"])]
    if invariant.slug == _GRID and not evidence.core_counts and not lost and entry.role == "spyre":
        message = "no number of cores was shown to do every tile once: what the programs store could not be followed"
        return [_open(entry, "SPY303", message)]
    if invariant.slug == _SCRATCHPAD and evidence.peak_bytes is None:
        reasons = [each.peak_reason for each in evidence.bindings if each.peak_reason]
        message = "the peak of live tile bytes is not known under any binding" + (f": {reasons[0]}" if reasons else "")
        return [_open(entry, "SPY401", message, _wanted(evidence.missing, message, everything=True))]
    return []


def _open(entry: KernelEntry, code: str, message: str, settled_by: Sequence[str] = ()) -> Cause:
    where = Place(path=entry.path, line=entry.line, column=1)
    return Cause(code=code, verdict="unproven", level="note", message=message, place=where, settled_by=list(settled_by))


def _figures(slug: str, evidence: Evidence) -> dict[str, Any]:
    """The figures that belong to an invariant."""
    if slug == _SCRATCHPAD:
        return {"peak_bytes": evidence.peak_bytes, "usable_bytes": evidence.usable_bytes}
    if slug in (_GRID, _AGNOSTIC):
        figures: dict[str, Any] = {"core_counts": evidence.core_counts, "launches": evidence.launches}
        if slug == _GRID:
            figures["grids"] = list(dict.fromkeys(each.grid for each in evidence.bindings if each.grid is not None))
        return figures
    return {}
