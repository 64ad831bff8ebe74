"""The figures on the page about the peak are those of the analysis (`test_peak_agrees` holds these against Triton)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spyre_lint.analysis.live_tiles import LiveTiles, peak_of
from spyre_lint.bindings import Binding
from spyre_lint.frontend.kernels import kernels_of
from spyre_lint.frontend.lower import lower_kernel
from tests.frontend.lowering import project_of
from tests.verify.test_peak_agrees import CASES, static_peak

PAGE = (Path(__file__).parents[2] / "docs" / "how-the-peak-is-counted.md").read_text(encoding="utf-8")
COMPARED = re.findall(r"^\| `(\w+)` [^|]*\| `\w+` \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def example() -> LiveTiles:
    source = re.search(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert source is not None
    project = project_of({"example.py": source[1]})
    module = project.module("example.py")
    assert module is not None
    (kernel,) = kernels_of(project, module)
    types = {"x_ptr": "*fp16", "y_ptr": "*fp16", "N": "i32"}
    binding = Binding("page", "command line", constexprs={"BM": 64, "BN": 128}, dtypes=types)
    return peak_of(lower_kernel(project, kernel, binding))


def test_the_lines_of_the_worked_example(example: LiveTiles) -> None:
    shown = [(int(line), int(size)) for line, size in re.findall(r"^\| (\d+) \| (\d+) \| `", PAGE, re.MULTILINE)]
    assert shown == [(weight.line, weight.bytes) for weight in example.lines]
    said = re.search(r"The peak is (\d+) bytes", PAGE)
    assert said is not None
    assert int(said[1]) == example.peak_bytes


def test_the_peaks_of_the_compared_kernels() -> None:
    cases = [case for case in CASES if case.path.stem == "simulated"]
    assert [name for name, *_ in COMPARED] == [case.kernel for case in cases]
    assert [int(ours) for _, ours, _, _ in COMPARED] == [static_peak(case).peak_bytes for case in cases]
    assert all(int(theirs) - int(ours) == int(difference) for _, ours, theirs, difference in COMPARED)
