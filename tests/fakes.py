"""A folder of small checks, so that tests of the engine do not depend on the rules."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

MEMORY = """
from spyre_lint.findings import Level
from spyre_lint.rules import Rule, check

LOAD = Rule("SPY101", "raw-load", Level.ERROR, "A load through a pointer.")
STORE = Rule("SPY102", "raw-store", Level.WARNING, "A store through a pointer.", silenced_by=("SPY201",))


@check(LOAD, STORE, scope="source")
def raw(instance):
    for op in instance.ir.ops("ptr_load"):
        yield LOAD.violated(op.loc, "a raw load", help="use a descriptor", related=instance.related_calls(op))
    for op in instance.ir.ops("ptr_store"):
        yield STORE.violated(op.loc, "a raw store", related=instance.related_calls(op))
"""

SIZES = """
from spyre_lint.findings import Level
from spyre_lint.rules import Rule, check

SMALL = Rule("SPY201", "small-block", Level.ERROR, "BLOCK is small.")


@check(SMALL, scope="instance")
def small(instance):
    param = instance.ir.param("BLOCK")
    if param is None:
        return
    if not param.is_bound:
        yield SMALL.unproven_at(param.loc, "BLOCK is not known")
    elif param.bound < 8:
        yield SMALL.violated(param.loc, f"BLOCK is {param.bound}", evidence={"block": param.bound})
    else:
        yield SMALL.satisfied(param.loc)
"""

HOST = """
from spyre_lint.findings import Level, Location
from spyre_lint.rules import Rule, check

GRID = Rule("SPY301", "big-grid", Level.ERROR, "A launch of more programs than there are cores.")
UNUSED = Rule("SPY302", "never-run", Level.NOTE, "Nothing runs the kernel.")
NAMED = Rule("SPY801", "file-named", Level.NOTE, "The file is called bad.py.")
CRASH = Rule("SPY802", "crash", Level.NOTE, "Raises in kernels called explode.")


@check(GRID, scope="launch")
def launched(context):
    low, _ = context.launch.grid.product_bounds if context.launch.grid else (None, None)
    if low is not None and low > context.settings.target.cores:
        yield GRID.violated(context.launch.grid.loc, f"{low} programs")


@check(GRID, scope="driver")
def driven(context):
    low, _ = context.driver.grid.product_bounds if context.driver.grid else (None, None)
    if low is not None and low > context.settings.target.cores:
        yield GRID.violated(context.driver.grid.loc, f"{low} programs in {context.driver.label}")


@check(UNUSED, scope="kernel")
def run(context):
    if not context.launches and not context.drivers:
        yield UNUSED.violated(context.info.loc, "never run")


@check(NAMED, scope="file")
def named(context):
    if context.file.path.endswith("bad.py"):
        yield NAMED.violated(Location(context.file.path, 1), f"a bad name for {len(context.kernels)} kernels")


@check(CRASH, scope="kernel")
def crash(context):
    if context.info.name == "explode":
        raise RuntimeError("boom")
    yield from ()
"""

FAKE_CHECKS: Mapping[str, str] = {"memory": MEMORY, "sizes": SIZES, "host": HOST}


def fake_checks(folder: Path, checks: Mapping[str, str] = FAKE_CHECKS) -> Path:
    """Write checks and their pages into a new folder."""
    folder.mkdir(parents=True)
    for slug, source in checks.items():
        (folder / f"{slug}.py").write_text(source, encoding="utf-8")
        (folder / f"{slug}.md").write_text(f"# The {slug} page\n\nWhat `{slug}` is about.\n", encoding="utf-8")
    return folder


def write_tree(root: Path, files: Mapping[str, str]) -> None:
    """Write files below a directory; texts are dedented."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")


HEADER = "import triton\nimport triton.language as tl\n\n\n"

COPY = (
    HEADER
    + """@triton.jit
def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(y_ptr + offsets, x)
"""
)
"""A kernel with one raw load on line 8 and one raw store on line 9."""
