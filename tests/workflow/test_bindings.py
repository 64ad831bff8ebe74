"""Every source of bindings makes a finding provable on its own; where two disagree, both are checked and named."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from spyre_lint.findings import Finding, Verdict
from tests.checks.driver import lint

KERNEL = """\
import functools

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, y_ptr, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [BLOCK_M, BLOCK_N])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n, n], [n, 1], [BLOCK_M, BLOCK_N])
    for m in range(tl.program_id(0), tl.cdiv(n, BLOCK_M), tl.num_programs(0)):
        for k in range(0, n, BLOCK_N):
            x = x_desc.load([m * BLOCK_M, k])
            y_desc.store([m * BLOCK_M, k], x * 2)
"""
HERE = "@"
"""Label of the binding that the launch on the line with `#@` makes."""
OTHER = """

@triton.jit
def copy_kernel(x_ptr, y_ptr, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [BLOCK_M, BLOCK_N])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n, n], [n, 1], [BLOCK_M, BLOCK_N])
    for m in range(tl.program_id(0), tl.cdiv(n, BLOCK_M), tl.num_programs(0)):
        for k in range(0, n, BLOCK_N):
            y_desc.store([m * BLOCK_M, k], x_desc.load([m * BLOCK_M, k]))
"""
SIGNATURE = '{"x_ptr": "*fp16", "y_ptr": "*fp16", "n": "i32"}'
LARGE = "1024"
"""With BLOCK_M of 1024: tiles of 2 MiB in fp16, two of them."""


@dataclass(frozen=True)
class Source:
    """One way to say that BLOCK_N is `{n}`: `code` after the kernel, other files, or what `lint` is called with."""

    code: str = ""
    files: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    path: str = "kernel.py"
    label: str = ""
    kernel: str = KERNEL

    def findings(self, n: str) -> list[Finding]:
        """SPY401 with BLOCK_N as given."""
        files = {name: text.replace("{n}", n) for name, text in self.files.items()}
        options = {
            name: (value.replace("{n}", n) if isinstance(value, str) else {**value, "BLOCK_N": int(n)})
            for name, value in self.options.items()
        }
        source = (self.kernel + self.code).replace("{n}", n)
        found = [each for each in lint(source, path=self.path, files=files, **options) if each.code == "SPY401"]
        return [each for each in found if each.kernel != "copy_kernel"]


def host(launch: str, before: str = "") -> str:
    return f"""
{before}

def run(n):
    x = torch.empty((n, n), dtype=torch.float16)
    y = torch.empty((n, n), dtype=torch.float16)
    {launch}
"""


MODEL_KERNEL = KERNEL.replace("double_kernel", "triton_fused_0")
MODEL_WRAPPER = f"""
from . import triton_kernel

SIGNATURE = {SIGNATURE[:-1]}, "BLOCK_M": "i32", "BLOCK_N": "i32"}}
CONSTEXPR = ["BLOCK_M", "BLOCK_N"]
BLOCK_M = 1024
BLOCK_N = {{n}}
GRID = (12,)
KERNEL_FN = triton_kernel.triton_fused_0
"""
FIXTURE = f"""
from kernel import double_kernel

SIGNATURE = {SIGNATURE[:-1]}, "BLOCK_M": "i32", "BLOCK_N": "i32"}}
VARIANTS = {{
    "default": {{
        "kernel_fn": double_kernel,
        "constexpr": ["BLOCK_M", "BLOCK_N"],
        "params": {{"n": 4096, "BLOCK_M": 1024, "BLOCK_N": 64}},
        "grid": [4],
    }},
    "wide": {{"base": "default", "params": {{"n": 4096, "BLOCK_M": 1024, "BLOCK_N": {{n}}}}}},
}}
"""
DTYPES = {"x_ptr": "*fp16", "y_ptr": "*fp16"}

SOURCES = {
    "command line": Source(options={"constexprs": {"BLOCK_M": 1024}, "config": "", "dtypes": DTYPES}),
    "configuration": Source(
        options={
            "config": '[bindings."kernel.py::double_kernel"]\nconstexprs = { BLOCK_M = 1024, BLOCK_N = {n} }\n'
            'dtypes = { x_ptr = "*fp16", y_ptr = "*fp16" }\n'
        },
        label="kernel.py::double_kernel",
    ),
    "driver": Source(
        f"""
VARIANTS = {{
    "wide": {{
        "KERNEL": double_kernel,
        "SIGNATURE": {SIGNATURE},
        "CONSTEXPRS": {{"BLOCK_M": 1024, "BLOCK_N": {{n}}}},
        "GRID": [32],
    }}
}}
""",
        label="wide",
    ),
    "driver built by a helper": Source(
        files={
            "lower.py": f"""
            from kernel import double_kernel
            from sizes import ROWS


            def variant(n):
                return {{
                    "KERNEL": double_kernel,
                    "SIGNATURE": {SIGNATURE},
                    "CONSTEXPRS": {{"BLOCK_M": ROWS, "BLOCK_N": n}},
                    "GRID": [32],
                }}


            VARIANTS = {{f"n{{size}}": variant(size) for size in (64, {{n}})}}
            """,
            "sizes.py": "ROWS = 1024\n",
        },
        label="n1024",
    ),
    "driver entry assigned later": Source(
        f"""
VARIANTS = {{}}
VARIANTS["late"] = dict(KERNEL=double_kernel, SIGNATURE={SIGNATURE}, CONSTEXPRS=dict(BLOCK_M=1024, BLOCK_N={{n}}))
""",
        label="late",
    ),
    "driver at module level": Source(
        files={
            "lower.py": f"""
            from kernel import double_kernel as KERNEL

            SIGNATURE = {SIGNATURE}
            CONSTEXPRS = {{"BLOCK_M": 1024, "BLOCK_N": {{n}}}}
            GRID = [32]
            """
        },
        label="kernel",
    ),
    "wrapper of a traced model": Source(
        kernel=MODEL_KERNEL,
        path="models/M/op/triton_kernel.py",
        files={"models/M/op/wrapper.py": MODEL_WRAPPER},
        label="triton_fused_0",
    ),
    "fixture": Source(files={"meta.py": FIXTURE}, label="wide"),
    "fixture with lists": Source(
        files={"meta.py": FIXTURE.replace('"BLOCK_N": {n}', '"BLOCK_N": [16, {n}]')}, label="wide[BLOCK_N=1024]"
    ),
    "launch": Source(
        host("double_kernel[(min(32, n),)](x, y, n, BLOCK_M=1024, BLOCK_N={n})  #@"), label=HERE
    ),
    "launch with unpacked arguments": Source(
        host("double_kernel[(32,)](x, y, n, **{'BLOCK_M': 1024, 'BLOCK_N': {n}})  #@"), label=HERE
    ),
    "launch through a variable": Source(
        host("kernel = double_kernel\n    kernel[(32,)](x, y, n, 1024, {n})  #@"), label=HERE
    ),
    "bound launch": Source(
        host("launch = double_kernel[(32,)]\n    launch(x, y, n, BLOCK_M=1024, BLOCK_N={n})  #@"), label=HERE
    ),
    "launch of a parameter's default": Source(
        host("launch(n)", "def launch(n, kernel_fn=double_kernel, block={n}):\n"
             "    x = torch.empty((n, n), dtype=torch.float16)\n"
             "    y = torch.empty((n, n), dtype=torch.float16)\n"
             "    kernel_fn[(32,)](x, y, n, BLOCK_M=1024, BLOCK_N=block)  #@\n"),
        label=HERE,
    ),
    "launch told apart by the kernel": Source(
        OTHER
        + host("launch(n, copy_kernel)\n    launch(n, double_kernel)", """
def launch(n, kernel_fn):
    x = torch.empty((n, n), dtype=torch.float16)
    y = torch.empty((n, n), dtype=torch.float16)
    if kernel_fn is double_kernel:
        kernel_fn[(32,)](x, y, n, BLOCK_M=1024, BLOCK_N={n})  #@
    else:
        kernel_fn[(32,)](x, y, n, BLOCK_M=64, BLOCK_N=64)
"""),
        label=HERE,
    ),
    "launch out of a dict of kernels": Source(
        OTHER
        + host("KERNELS['double'][(32,)](x, y, n, BLOCK_M=1024, BLOCK_N={n})  #@",
               "KERNELS = {'copy': copy_kernel, 'double': double_kernel}\n"),
        label=HERE,
    ),
    "launch through functools.partial": Source(
        host("launch = functools.partial(double_kernel[(32,)], x, y, n, BLOCK_M=1024)\n    launch(BLOCK_N={n})  #@"),
        label=HERE,
    ),
    "kernel.run": Source(
        host("double_kernel.run(x, y, n, BLOCK_M=1024, BLOCK_N={n}, grid=(32,), warmup=False)  #@"), label=HERE
    ),
    "kernel.warmup": Source(
        host("double_kernel.warmup(x, y, n, BLOCK_M=1024, BLOCK_N={n}, grid=(1,))  #@"), label=HERE
    ),
    "defaults": Source(
        kernel=KERNEL.replace("BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr",
                              "BLOCK_M: tl.constexpr = 1024, BLOCK_N: tl.constexpr = {n}"),
        options={"config": "", "dtypes": DTYPES},
    ),
}  # fmt: skip


def launched(source: str) -> str:
    """The label of the launch that is marked in a source."""
    return f"kernel.py:{source[: source.rindex('#@')].count(chr(10)) + 1}"


def violations(findings: list[Finding]) -> list[Finding]:
    return [each for each in findings if each.verdict is Verdict.VIOLATED]


@pytest.mark.parametrize("name", SOURCES)
def test_the_source_alone_makes_it_provable(name: str) -> None:
    source = SOURCES[name]
    [found] = violations(source.findings(LARGE))
    assert (launched(source.kernel + source.code) if source.label == HERE else source.label) in (found.binding or "")
    assert source.findings("64") == []


def test_without_any_source_it_is_open() -> None:
    found = [each for each in lint(KERNEL) if each.code == "SPY401"]
    assert [each.verdict for each in found] == [Verdict.UNPROVEN]


def test_two_sources_that_disagree_are_both_checked_and_named() -> None:
    driver, launch = SOURCES["driver"], SOURCES["launch"]
    large, small = driver.code.replace("{n}", LARGE), launch.code.replace("{n}", "64")
    [found] = violations([each for each in lint(KERNEL + large + small) if each.code == "SPY401"])
    assert found.binding == "wide"
    small, large = driver.code.replace("{n}", "64"), launch.code.replace("{n}", LARGE)
    [found] = violations([each for each in lint(KERNEL + small + large) if each.code == "SPY401"])
    assert found.binding == launched(KERNEL + small + large)


def test_what_is_wrong_under_two_of_three_bindings_names_both() -> None:
    code = SOURCES["driver"].code.replace("{n}", LARGE) + SOURCES["launch"].code.replace("{n}", "2048")
    code += SOURCES["launch"].code.replace("def run", "def small").replace("{n}", "64")
    [found] = violations([each for each in lint(KERNEL + code) if each.code == "SPY401"])
    labels = {found.binding, *found.evidence["also_under"]}
    assert labels == {"wide", launched((KERNEL + code).rpartition("def small")[0])}
    assert any(each.message.startswith(f"under {found.evidence['also_under'][0]}: ") for each in found.related)


def test_fixture_combinations_are_capped_and_said_so() -> None:
    many = ", ".join(str(16 * (index + 1)) for index in range(19))
    source = Source(files={"meta.py": FIXTURE.replace('"BLOCK_N": {n}', f'"BLOCK_N": [{{n}}, {many}]')})
    [found] = violations(source.findings(LARGE))
    assert "one of the first 16" in (found.binding or "")
