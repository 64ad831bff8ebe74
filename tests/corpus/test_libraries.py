"""The linter on whole published kernel libraries: no crash, no kernel overlooked, no raw pointer overlooked."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from spyre_lint.engine import RunOptions, check_paths
from spyre_lint.report import Report
from tests.corpus.counting import JitFunction, jit_functions
from tests.corpus.libraries import library_path

pytestmark = pytest.mark.corpus

RAW_POINTER_CODES = {"SPY101", "SPY102", "SPY104"}
LEAST_SHARE = 0.95
"""Of the kernels with pointer accesses, the share in which the linter must report one."""


@cache
def counted(library: str) -> tuple[JitFunction, ...]:
    """The independent count over a library, with paths relative to its folder."""
    folder = library_path(library)
    return tuple(
        function
        for path in sorted(folder.rglob("*.py"))
        for function in jit_functions(path, path.relative_to(folder).as_posix())
    )


@cache
def below(library: str, cwd: str, path: str) -> str:
    """A path of a report relative to the library's folder."""
    return Path(cwd, path).resolve().relative_to(library_path(library).resolve()).as_posix()


def test_no_checker_fails_and_every_file_is_read(library: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(library)
    assert [finding.message for finding in report.findings if finding.code == "SPY905"] == []
    assert [finding.message for finding in report.findings if finding.code == "SPY901"] == []
    assert report.problems == ()
    assert report.exit_status == 1


def test_every_jit_function_is_found(library: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(library)
    functions = counted(library)
    found = {
        (below(library, report.cwd, kernel.path), kernel.line): kernel.name.rpartition(".")[2]
        for kernel in report.kernels
    }
    assert len(functions) > 30
    assert [function for function in functions if found.get((function.path, function.line)) != function.name] == []
    assert len(found) == len(functions)


def test_raw_pointers_are_reported_where_they_are(library: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(library)
    functions = [function for function in counted(library) if function.pointer_access]
    lines: dict[str, list[int]] = defaultdict(list)
    for finding in report.findings:
        if finding.code in RAW_POINTER_CODES:
            lines[below(library, report.cwd, finding.location.path)].append(finding.location.line)
    missed = [function for function in functions if not _reported(lines[function.path], function)]
    share = 1 - len(missed) / len(functions)
    names = "\n".join(f"{function.path}:{function.line} {function.name}" for function in missed[:40])
    assert share >= LEAST_SHARE, f"{share:.1%} of {len(functions)}; without a finding:\n{names}"


def _reported(lines: list[int], function: JitFunction) -> bool:
    """Whether one of the sorted `lines` lies within the function."""
    position = bisect_left(lines, function.line)
    return position < len(lines) and lines[position] <= function.end_line


def test_the_run_is_the_same_with_one_job_and_two() -> None:
    folder = str(library_path("conch-triton-kernels"))
    one, two = (check_paths([folder], RunOptions(jobs=jobs)) for jobs in (1, 2))
    assert one.findings == two.findings
    assert one.kernels == two.kernels
    assert one.summary == two.summary
