"""Helpers of the lowering tests: kernels from text, operations by name."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spyre_lint.bindings import Binding
from spyre_lint.frontend.kernels import kernels_of
from spyre_lint.frontend.lower import lower_kernel
from spyre_lint.frontend.project import Project
from spyre_lint.ir.core import KernelIR, Op, Value

HEADER = "import triton\nimport triton.language as tl\n\n"


@dataclass(frozen=True)
class Text:
    """A file that exists only in a test."""

    path: str
    text: str


def project_of(files: Mapping[str, str]) -> Project:
    """A project of files given as text."""
    return Project({path: Text(path, textwrap.dedent(text)) for path, text in files.items()})


def lower_files(files: Mapping[str, str], path: str, name: str, binding: Binding | None = None) -> KernelIR:
    """Lower a kernel of a project given as text."""
    project = project_of(files)
    module = project.module(path)
    assert module is not None, project.syntax_errors
    kernel = next(k for k in kernels_of(project, module) if k.info.name == name)
    return lower_kernel(project, kernel, binding)


def lower(
    source: str, name: str = "kernel", *, header: str = HEADER, dtypes: Any = None, **constexprs: Any
) -> KernelIR:
    """Lower one kernel of a source text, bound if any constexpr or type is given."""
    binding = None
    if constexprs or dtypes:
        binding = Binding("test", "configuration", constexprs=constexprs, dtypes=dict(dtypes or {}))
    return lower_files({"kernel.py": header + textwrap.dedent(source)}, "kernel.py", name, binding)


def body(statements: str, params: str = "x_ptr, y_ptr, n, BLOCK: tl.constexpr") -> str:
    """A kernel with these statements."""
    return f"@triton.jit\ndef kernel({params}):\n" + textwrap.indent(textwrap.dedent(statements), "    ")


def named(ir: KernelIR, name: str) -> Value:
    """The last value the kernel's author gave this name."""
    values = [r for op in ir.walk() for r in op.results if r.name == name]
    assert values, f"nothing is called {name}"
    return values[-1]


def type_of(ir: KernelIR, name: str) -> str:
    """The type of the last value of a name, as printed."""
    return str(named(ir, name).type)


def only(ir: KernelIR, *opcodes: str) -> Op:
    """The only operation with one of these opcodes."""
    found = list(ir.ops(*opcodes))
    assert len(found) == 1, found
    return found[0]
