"""The reports on the published kernel libraries, one run of the linter each."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from spyre_lint.engine import check_paths
from spyre_lint.report import Report
from tests.corpus.libraries import LIBRARIES, library_path


@cache
def library_report(name: str) -> Report:
    """The linter's report on a library, computed once: several tests look at it."""
    return check_paths([str(library_path(name))])


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    """The name of each library in turn."""
    name: str = request.param
    return name


@pytest.fixture
def report_on() -> Callable[[str], Report]:
    return library_report
