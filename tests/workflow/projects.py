"""Small projects that bring invariants of their own, and the command run on them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from click.testing import CliRunner

from spyre_lint.cli import cli

ROOT = Path(__file__).resolve().parents[2]

INVARIANTS = ".agents/skills/_shared/invariants"

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def _scale_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n], [1], [BLOCK])
    for b in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        x = x_desc.load([b * BLOCK])
        y_desc.store([b * BLOCK], (x.to(tl.float64) * 0.5).to(tl.float32))


def scale(x, y):
    n = x.numel()
    _scale_kernel[(min(32, n),)](x, y, n, BLOCK=1024)
"""

NO_DOUBLE = """\
---
code: TEAM101
level: warning
message: the units compute in 32 bits at most
help: keep tiles in fp32
forbidden-attributes: [tl.float64, tl.int64]
---
# No double precision

What is computed in fp64 on a GPU is computed in software here.

```python valid
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [64], [1], [64])
    x_desc.store([0], x_desc.load([0]).to(tl.float32))
```

```python invalid TEAM101
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [64], [1], [64])
    x_desc.store([0], x_desc.load([0]).to(tl.float64))  # <- TEAM101
```
"""

LOCAL_CHECK = """\
from spyre_lint.findings import Level
from spyre_lint.rules import Rule, check

SHORT = Rule("TEAM201", "short-names", Level.ERROR, "A value has a name of one letter.")


@check(SHORT, scope="source")
def short(instance):
    for op in instance.ir.ops("desc_load"):
        for value in op.results:
            if len(value.name) == 1:
                yield SHORT.violated(op.loc, f"the tile is called `{value.name}`", help="name it after what it holds")
"""

LOCAL_PAGE = """\
# Names of tiles

A tile is named after what it holds.

```python invalid short-names
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [64], [1], [64])
    x = x_desc.load([0])  # <- short-names
    x_desc.store([0], x)
```
"""

PACKAGE_CHECK = (
    LOCAL_CHECK.replace("TEAM201", "ACME7")
    .replace("short-names", "row-blocks")
    .replace(
        """    for op in instance.ir.ops("desc_load"):
        for value in op.results:
            if len(value.name) == 1:
                yield SHORT.violated(op.loc, f"the tile is called `{value.name}`", help="name it after what it holds")
""",
        """    for op in instance.ir.ops("make_descriptor"):
        if len(op.attrs["block_shape"]) == 1:
            yield SHORT.violated(op.loc, "the block has one dimension", help="view the tensor as rows")
""",
    )
)
PACKAGE_PAGE = "# Blocks of rows\n\nBlocks have rows and columns.\n"


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write files below a directory."""
    for name, text in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(dedent(text), encoding="utf-8")


def install(site: Path) -> Path:
    """A directory for the import path that holds a distribution with a checker, as an installer leaves it there."""
    write(
        site,
        {
            "acme_spyre/__init__.py": "",
            "acme_spyre/row_blocks.py": PACKAGE_CHECK,
            "acme_spyre/row-blocks.md": PACKAGE_PAGE,
            "acme_spyre_checks-1.2.dist-info/METADATA": "Name: acme-spyre-checks\nVersion: 1.2\n",
            "acme_spyre_checks-1.2.dist-info/RECORD": "",
            "acme_spyre_checks-1.2.dist-info/entry_points.txt": """
            [spyre_lint.checks]
            row-blocks = acme_spyre.row_blocks
            """,
        },
    )
    return site


@dataclass(frozen=True)
class Done:
    """What a run of the command gave."""

    returncode: int
    stdout: str
    stderr: str


def run(cwd: Path, *arguments: str, path: Path | None = None) -> Done:
    """The command, started in a directory; with a further directory on the import path, in a process of its own."""
    if path is None:
        return _run_here(cwd, arguments)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(path))), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "spyre_lint", *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def _run_here(cwd: Path, arguments: Sequence[str]) -> Done:
    before = Path.cwd()
    os.chdir(cwd)
    try:
        result = CliRunner().invoke(cli, [*arguments], prog_name="spyre-lint", env={"NO_COLOR": "1"})
    finally:
        os.chdir(before)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)
