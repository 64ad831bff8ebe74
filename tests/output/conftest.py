"""One small set of findings that every output format is shown, and the files they point into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from spyre_lint.findings import Edit, Finding, Fix, Level, Location, Related, Verdict
from spyre_lint.report import Invariant, KernelEntry, Report, Summary
from spyre_lint.rules import Rule

LOAD = Rule("SPY101", "raw-pointer-load", Level.ERROR, "A kernel loads through a raw pointer.", invariant="access")
NARROW = Rule("SPY201", "last-dim-below-16-bytes", Level.ERROR, "The last block dimension is below 16 bytes.")
OVERFLOW = Rule("SPY401", "scratchpad-overflow", Level.WARNING, "The live tiles do not fit the scratchpad.")
BROKEN = Rule("SPY905", "internal-error", Level.ERROR, "A checker failed.")
RULES = (LOAD, NARROW, OVERFLOW, BROKEN)

SOURCES = {
    "kernels/add.py": [
        "import triton",
        "",
        "def _add(x_ptr, n):",
        "\tx = tl.load(x_ptr + i)  # 幅",
        "\ty = tl.load(名前 + x_ptr, mask)",
        "    z = tl.dot(",
        "        x,",
        "        y)",
    ],
    "my kernels/a:b,c%.py": ["desc = tl.make_tensor_descriptor(p, [n], [1], [4])"],
}


def source_line(path: str, line: int) -> str:
    lines = SOURCES.get(path, [])
    return lines[line - 1] if 1 <= line <= len(lines) else ""


FINDINGS = (
    LOAD.violated(
        Location("kernels/add.py", 4, 6, 4, 24),
        "`tl.load` reads through the raw pointer `x_ptr`",
        help="read it with `desc.load([i])`",
        related=(Related("called here", Location("kernels/add.py", 3, 1, 3, 4)),),
        fix=Fix("Load a tile", (Edit(Location("kernels/add.py", 4, 6, 4, 24), "d.load([i])"),)),
    ).with_(kernel="_add", fingerprint="00aa"),
    OVERFLOW.violated(
        Location("kernels/add.py", 6, 9, 8, 11),
        "4 MiB of live tiles, over 2 MiB",
        evidence={"bytes": 4194304, "live": [{"name": "x", "shape": [1024, 1024]}]},
    ).with_(kernel="_add", binding="fp32", fingerprint="00bb"),
    NARROW.unproven_at(
        Location("my kernels/a:b,c%.py", 1, 48, 1, 51),
        "4 elements of an unknown type,\nbelow 16 bytes unless they have 4 bytes: 100%",
    ).with_(fingerprint="00cc"),
)
KERNELS = (
    KernelEntry("kernels/add.py", "_add", 3, "spyre"),
    KernelEntry("my kernels/a:b,c%.py", "_k", 1, "spyre"),
)


@pytest.fixture
def invariant(tmp_path: Path) -> Invariant:
    page = tmp_path / "access.md"
    page.write_text("# Descriptor access\n\nEvery access goes through a descriptor.\n", encoding="utf-8")
    return Invariant("access", "Descriptor access", str(page), (LOAD,))


@pytest.fixture
def make_report(invariant: Invariant) -> Callable[..., Report]:
    """A report over the given findings, with the counts that belong to them."""

    def make(*findings: Finding, suppressed: int = 0, hidden: int = 0, **changes: object) -> Report:
        levels = Counter(finding.level.value for finding in findings)
        verdicts = Counter(finding.verdict.value for finding in findings)
        summary = Summary(
            files=2,
            kernels=2,
            levels={level.value: levels[level.value] for level in Level},
            verdicts={verdict.value: verdicts[verdict.value] for verdict in Verdict},
            suppressed=suppressed,
            hidden=hidden,
        )
        fields: dict[str, object] = {
            "summary": summary,
            "rules": RULES,
            "invariants": (invariant,),
            "kernels": KERNELS,
            "cwd": "/home/some user/repo",
            "tool_version": "1.2.3",
            "failing": sum(finding.level is Level.ERROR for finding in findings),
            "source_line": source_line,
        }
        return Report(findings, **{**fields, **changes})  # type: ignore[arg-type]

    return make


@pytest.fixture
def report(make_report: Callable[..., Report]) -> Report:
    return make_report(*FINDINGS, suppressed=1)
