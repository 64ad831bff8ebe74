"""The README says what is true: its sessions are what the command prints, its table has the invariants that exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from spyre_lint.output import FORMATS
from spyre_lint.registry import Registry

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"^```console\n\$ (.+?)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def block(language: str) -> str:
    """The first fenced block of a language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(("command", "shown"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_sessions_print_what_is_shown(command: str, shown: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "spyre-lint"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "spyre_lint", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.rstrip() == shown.rstrip()


def test_there_are_sessions_for_a_clean_and_for_a_failing_run() -> None:
    assert [command for command, shown in SESSIONS if "All clean" in shown or "error[" in shown] == [
        command for command, _ in SESSIONS
    ]
    assert len(SESSIONS) >= 2


def test_the_table_lists_the_invariants_that_exist() -> None:
    rows = re.findall(r"^\| (SPY\d)xx \| `([a-z0-9-]+)` \|", README, re.MULTILINE)
    registry = Registry.load()
    expected = {(rule.code[:4], rule.invariant) for rule in registry.rules.values()}
    assert set(rows) == expected
    assert len(rows) == len(set(rows))


def test_the_configuration_example_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(block("toml"), encoding="utf-8")
    kernel = tmp_path / "kernels" / "norm" / "spyre.py"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(
        "import triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef _norm_kernel_spyre(x_ptr, BLOCK: tl.constexpr):\n    pass\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "spyre_lint", "--select", "SPY901", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_every_option_and_format_named_is_one_of_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spyre_lint", "check", "--help"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README))
    assert named <= set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", done.stdout))
    assert all(f"`{name}`" in README for name in FORMATS)
