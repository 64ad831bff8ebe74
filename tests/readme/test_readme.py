"""The README says what is true: its sessions are what the command prints, its table has the invariants that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spyre_lint.output import FORMATS
from spyre_lint.registry import Registry
from tests.readme.sessions import README, SESSION, printed, run
from tests.workflow.projects import LOCAL_CHECK, LOCAL_PAGE

TEXT = README.read_text(encoding="utf-8")
SESSIONS = SESSION.findall(TEXT)


@pytest.mark.parametrize(("arguments", "shown"), SESSIONS, ids=[arguments for arguments, _ in SESSIONS])
def test_sessions_print_what_is_shown(arguments: str, shown: str) -> None:
    assert shown == printed(arguments), "`make readme` writes what is printed now"


def test_there_is_a_clean_and_a_failing_session() -> None:
    assert any(shown.startswith("All clean: ") for _, shown in SESSIONS)
    assert any("error[SPY" in shown for _, shown in SESSIONS)
    assert not [shown for _, shown in SESSIONS if "SPY905" in shown]


def test_the_table_lists_the_invariants_that_exist() -> None:
    rows = re.findall(r"^\| (SPY\d)xx \| `([a-z0-9-]+)` \|", TEXT, re.MULTILINE)
    registry = Registry.load()
    assert rows == sorted({(rule.code[:4], rule.invariant) for rule in registry.rules.values()})


def test_the_configuration_example_is_accepted(tmp_path: Path) -> None:
    example = re.search(r"^```toml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert example is not None
    (tmp_path / "pyproject.toml").write_text(example[1], encoding="utf-8")
    kernel = tmp_path / "kernels" / "norm" / "spyre.py"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(
        "import triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef _norm_kernel_spyre(x_ptr, BLOCK: tl.constexpr):\n    pass\n",
        encoding="utf-8",
    )
    (tmp_path / "docs" / "invariants").mkdir(parents=True)
    plugin = tmp_path / "lint" / "short_names.py"
    plugin.parent.mkdir()
    plugin.write_text(LOCAL_CHECK, encoding="utf-8")
    plugin.with_name("short-names.md").write_text(LOCAL_PAGE, encoding="utf-8")
    done = run(["--select", "SPY901", "."], cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_option_and_format_named_is_one_of_the_command() -> None:
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", TEXT))
    commands = re.findall(r"^  ([a-z]+) ", run(["--help"]).stdout.partition("Commands:")[2], re.MULTILINE)
    helps = "".join(run([command, "--help"]).stdout for command in commands)
    assert named <= set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", helps))
    assert all(f"`{name}`" in TEXT for name in FORMATS)


def test_every_command_named_exists() -> None:
    synopsis = re.findall(r"^    spyre-lint ([a-z]+) ", TEXT, re.MULTILINE)
    listed = run(["--help"]).stdout.partition("Commands:")[2].split()
    assert synopsis
    assert set(synopsis) <= set(listed)


def test_every_make_target_named_exists() -> None:
    targets = re.findall(r"^    make ([a-z-]+)", TEXT, re.MULTILINE)
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    assert {"demo", "test"} <= set(targets)
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
