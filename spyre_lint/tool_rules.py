"""Rules about the tool itself and its use. The engine reports them; no checker module declares them.

Their page is `checks/the-tool-itself.md`.
"""

from __future__ import annotations

from typing import Final

from spyre_lint.findings import Level
from spyre_lint.rules import Rule

SLUG: Final = "the-tool-itself"
"""Slug of the invariant page that these rules belong to."""

SYNTAX_ERROR: Final = Rule(
    "SPY901",
    "syntax-error",
    Level.ERROR,
    "The file cannot be read as Python: it does not parse or decode, is nested too deeply, or is too large.",
    invariant=SLUG,
)
WITHOUT_CHECKER: Final = Rule(
    "SPY902",
    "invariant-without-checker",
    Level.WARNING,
    "An invariant of the project has no checker: the kernels are not checked against it.",
    invariant=SLUG,
)
UNUSED_SUPPRESSION: Final = Rule(
    "SPY903",
    "unused-suppression",
    Level.WARNING,
    "A suppression comment suppresses nothing, or is not one the tool understands.",
    invariant=SLUG,
)
ANALYSIS_INCOMPLETE: Final = Rule(
    "SPY904",
    "analysis-incomplete",
    Level.NOTE,
    "Something in the kernel could not be followed, so that rules about it stay unproven.",
    invariant=SLUG,
)
INTERNAL_ERROR: Final = Rule(
    "SPY905",
    "internal-error",
    Level.ERROR,
    "A part of the linter itself failed; the rest of the run went on, and the exit status is 2.",
    invariant=SLUG,
)

TOOL_RULES: Final = (SYNTAX_ERROR, WITHOUT_CHECKER, UNUSED_SUPPRESSION, ANALYSIS_INCOMPLETE, INTERNAL_ERROR)

ALWAYS_REPORTED: Final = frozenset({"SPY901", "SPY905"})
"""Codes that a `select` of other rules does not hide: a file that was not checked must not pass for a clean one."""
