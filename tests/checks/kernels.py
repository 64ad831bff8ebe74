"""Small kernels for near-miss suites: a body with the usual parameters and descriptors around it."""

from __future__ import annotations

from textwrap import dedent, indent

from spyre_lint.findings import Finding
from tests.checks.driver import lint

HEADER = "import triton\nimport triton.language as tl\n\n\n"
PARAMS = "x_ptr, w_ptr, out_ptr, stride, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr"
DESCRIPTORS = """\
x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
w_desc = tl.make_tensor_descriptor(w_ptr, shape=[N], strides=[1], block_shape=[BLOCK_N])
y_desc = tl.make_tensor_descriptor(out_ptr, shape=[M, N], strides=[stride, 1], block_shape=[BLOCK_M, BLOCK_N])
r_desc = tl.make_tensor_descriptor(out_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
pid = tl.program_id(0)
"""


def kernel(body: str, *, params: str = PARAMS, descriptors: str = DESCRIPTORS, before: str = "") -> str:
    """A module with one kernel; `before` stands above it."""
    inside = indent(dedent(descriptors) + dedent(body).strip("\n"), "    ")
    above = dedent(before).strip("\n") + "\n\n\n" if before else ""
    return f"{HEADER}{above}@triton.jit\ndef kernel({params}):\n{inside}\n"


def over_rows(body: str) -> str:
    """A body inside the loop over a program's blocks of rows, which start at `row`."""
    loop = "for m in range(pid, tl.cdiv(M, BLOCK_M), tl.num_programs(0)):\n    row = m * BLOCK_M\n"
    return loop + indent(dedent(body).strip("\n"), "    ")


def found(source: str, *codes: str, **options: object) -> list[Finding]:
    """The findings with one of these codes."""
    return [each for each in lint(source, **options) if each.code in codes]


def texts(source: str, findings: list[Finding]) -> list[str]:
    """What the findings point at in a source of one file, up to the end of the first line."""
    lines = source.splitlines()
    result = []
    for each in findings:
        where = each.location
        end = where.end_column - 1 if where.end_line == where.line else None
        result.append(lines[where.line - 1][where.column - 1 : end])
    return result
