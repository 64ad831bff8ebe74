"""What a checker plugin is made of: rules, check functions and the results they yield.

A checker module in `checks/` declares its rules and decorates functions with `@check`; it is found by its file name, no
registry lists it. Check functions are generators of `Finding`s made with `rule.violated(...)`, `rule.unproven(...)` and
`rule.satisfied(...)`; the engine settles them over the bindings of a kernel (a violation under one binding is one; what
one binding leaves unproven, another may settle), applies levels and suppressions, and orders them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from spyre_lint.findings import Finding, Fix, Level, Location, Related, Verdict

Scope = Literal["instance", "source", "kernel", "launch", "driver", "file"]
"""What a check function is called with.

`instance`: a `KernelInstance`, once per binding of a kernel (or once unbound); results are settled over all of them.
`source`: the `KernelInstance` lowered with no binding at all, so that every branch is seen.
`kernel`: a `KernelContext`, once per kernel, with all its instances, launches and drivers.
`launch`, `driver`: a `LaunchContext`, `DriverContext`: the host side, with the kernels it reaches.
`file`: a `FileContext`, once per linted file.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """One code. `level` is that of a violated verdict, `unproven` that of an unproven one."""

    code: str
    name: str
    level: Level
    summary: str
    """One sentence that says what is wrong when the rule fires; ends with a full stop."""
    unproven: Level = Level.NOTE
    invariant: str = ""
    """Slug of the invariant; filled in by discovery."""
    silenced_by: tuple[str, ...] = ()
    """Codes that tell of the same cause: where one of them is violated for a kernel, this rule is silent there."""
    silenced_here_by: tuple[str, ...] = ()
    """Likewise, but only where the ranges of the two findings overlap."""
    roles: tuple[str, ...] = ()
    """Roles of the files it is for. Empty: the table of roles decides (of a project's own rules: `spyre`)."""

    def _make(self, verdict: Verdict, level: Level, location: Location, message: str, extra: dict[str, Any]) -> Finding:
        return Finding(self.code, self.name, level, verdict, message, location, **extra)

    def violated(
        self,
        location: Location,
        message: str,
        *,
        help: str = "",
        level: Level | None = None,
        related: Sequence[Related] = (),
        evidence: Mapping[str, Any] | None = None,
        fix: Fix | None = None,
    ) -> Finding:
        """A finding: the rule is shown to be broken at `location`."""
        extra = {"help": help, "related": tuple(related), "evidence": dict(evidence or {}), "fix": fix}
        return self._make(Verdict.VIOLATED, level or self.level, location, message, extra)

    def unproven_at(
        self,
        location: Location,
        message: str,
        *,
        help: str = "",
        level: Level | None = None,
        related: Sequence[Related] = (),
        evidence: Mapping[str, Any] | None = None,
    ) -> Finding:
        """A finding: whether the rule holds depends on something the tool could not see; `message` names it."""
        extra = {"help": help, "related": tuple(related), "evidence": dict(evidence or {})}
        return self._make(Verdict.UNPROVEN, level or self.unproven, location, message, extra)

    def satisfied(self, location: Location, *, evidence: Mapping[str, Any] | None = None) -> Finding:
        """Not shown, but settles unproven results of other bindings at the same place, and feeds the report."""
        return self._make(Verdict.SATISFIED, Level.NOTE, location, "", {"evidence": dict(evidence or {})})


CheckFunction = Callable[[Any], Iterable[Finding]]
F = TypeVar("F", bound=CheckFunction)


@dataclass(frozen=True, slots=True)
class Check:
    """A check function with the rules it can report and what it is called with."""

    function: CheckFunction
    rules: tuple[Rule, ...]
    scope: Scope

    @property
    def name(self) -> str:
        """Module and function, for messages about the check itself."""
        return f"{self.function.__module__.rsplit('.', 1)[-1]}.{self.function.__name__}"


CHECK_ATTRIBUTE = "__spyre_lint_check__"


def check(*rules: Rule, scope: Scope) -> Callable[[F], F]:
    """Mark a generator function as a check that reports `rules` and is called with a context of `scope`."""

    def mark(function: F) -> F:
        setattr(function, CHECK_ATTRIBUTE, Check(function, rules, scope))
        return function

    return mark
