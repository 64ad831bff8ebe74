"""The linter on whole published kernel libraries: no crash, no kernel overlooked, no raw pointer overlooked."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from spyre_lint.engine import RunOptions, check_paths
from spyre_lint.report import Report
from tests.corpus.counting import JitFunction, jit_functions

pytestmark = pytest.mark.corpus

RAW_POINTER_CODES = {"SPY101", "SPY102", "SPY104"}
LEAST_SHARE = 0.95
"""Of the kernels with pointer accesses, the share in which the linter must report one."""


def counted(folder: Path, report: Report) -> list[JitFunction]:
    """The independent count, with paths as the report writes them."""
    shown = {Path(report.cwd, path).resolve(): path for path in {kernel.path for kernel in report.kernels}}
    return [
        function
        for path in sorted(folder.rglob("*.py"))
        for function in jit_functions(path, shown.get(path.resolve(), str(path)))
    ]


def test_no_checker_fails_and_every_file_is_read(library: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(library)
    assert [finding.message for finding in report.findings if finding.code == "SPY905"] == []
    assert [finding.message for finding in report.findings if finding.code == "SPY901"] == []
    assert report.problems == ()
    assert report.exit_status == 1


def test_every_jit_function_is_found(
    library: str, path_of: Callable[[str], Path], report_on: Callable[[str], Report]
) -> None:
    report = report_on(library)
    functions = counted(path_of(library), report)
    found = {(kernel.path, kernel.line): kernel.name.rpartition(".")[2] for kernel in report.kernels}
    assert len(functions) > 30
    assert [function for function in functions if found.get((function.path, function.line)) != function.name] == []
    assert len(found) == len(functions)


def test_raw_pointers_are_reported_where_they_are(
    library: str, path_of: Callable[[str], Path], report_on: Callable[[str], Report]
) -> None:
    report = report_on(library)
    functions = [function for function in counted(path_of(library), report) if function.pointer_access]
    lines: dict[str, list[int]] = defaultdict(list)
    for finding in report.findings:
        if finding.code in RAW_POINTER_CODES:
            lines[finding.location.path].append(finding.location.line)
    missed = [function for function in functions if not _reported(lines[function.path], function)]
    share = 1 - len(missed) / len(functions)
    names = "\n".join(f"{function.path}:{function.line} {function.name}" for function in missed[:40])
    assert share >= LEAST_SHARE, f"{share:.1%} of {len(functions)}; without a finding:\n{names}"


def _reported(lines: list[int], function: JitFunction) -> bool:
    """Whether one of the sorted `lines` lies within the function."""
    position = bisect_left(lines, function.line)
    return position < len(lines) and lines[position] <= function.end_line


def test_the_run_is_the_same_with_one_job_and_two(path_of: Callable[[str], Path]) -> None:
    folder = str(path_of("conch-triton-kernels"))
    one, two = (check_paths([folder], RunOptions(jobs=jobs)) for jobs in (1, 2))
    assert one.findings == two.findings
    assert one.kernels == two.kernels
    assert one.summary == two.summary
