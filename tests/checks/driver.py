"""Lints sources that tests write down through the whole engine: discovery, configuration, bindings, levels."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from textwrap import dedent
from typing import Any

from spyre_lint.config import Overrides
from spyre_lint.engine import RunOptions, check_paths
from spyre_lint.findings import Finding
from spyre_lint.invariants.pages import Mark, expected_marks
from spyre_lint.registry import Registry
from spyre_lint.report import Report
from spyre_lint.target import Profile

__all__ = ["codes", "expected_marks", "lint", "lint_report", "marks", "only", "registry"]


@lru_cache(maxsize=1)
def registry() -> Registry:
    """The built-in checks, loaded once. One that cannot be loaded fails a test of its own, not those of the others."""
    return replace(Registry.load(), errors=())


def lint_report(
    source: str,
    *,
    path: str = "kernel.py",
    files: Mapping[str, str] | None = None,
    select: Sequence[str] = (),
    profile: Profile | None = None,
    constexprs: Mapping[str, Any] | None = None,
    dtypes: Mapping[str, str] | None = None,
    strict: bool = False,
    config: str = "",
) -> Report:
    """Lint `source` (dedented) as `path`, with further `files`, in a directory of its own.

    `select`, `profile`, `constexprs`, `dtypes` and `strict` are what the command line sets; `config` is the text of a
    `spyre-lint.toml` beside the file. Everything is linted in one process. An internal error of the tool fails.
    """
    overrides = Overrides(
        select=tuple(select),
        profile=profile,
        constexprs=dict(constexprs or {}),
        dtypes=dict(dtypes or {}),
        strict=strict,
    )
    with tempfile.TemporaryDirectory() as directory, _working_in(directory):
        for name, text in {**(files or {}), path: source}.items():
            place = Path(name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(dedent(text), encoding="utf-8")
        if config:
            Path("spyre-lint.toml").write_text(dedent(config), encoding="utf-8")
        report = check_paths(["."], RunOptions(overrides=overrides, jobs=1), registry=registry())
        broken = [finding.message for finding in report.findings if finding.code == "SPY905"]
        assert not broken, broken
        assert not report.problems, report.problems
        return report


def lint(source: str, **options: Any) -> list[Finding]:
    """The findings of `lint_report`, in their order."""
    return list(lint_report(source, **options).findings)


def codes(findings: Sequence[Finding], prefix: str = "SPY") -> list[str]:
    """Codes of the findings that start with `prefix`, in the order of their places."""
    return [finding.code for finding in findings if finding.code.startswith(prefix)]


def only(findings: Sequence[Finding], code: str) -> Finding:
    """The one finding with this code."""
    found = [finding for finding in findings if finding.code == code]
    assert len(found) == 1, [f"{each.location}: {each.code}: {each.message}" for each in findings]
    return found[0]


def marks(findings: Sequence[Finding]) -> list[Mark]:
    """Path, line and code of each finding, sorted."""
    return sorted((each.location.path, each.location.line, each.code) for each in findings)


@contextmanager
def _working_in(directory: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)
