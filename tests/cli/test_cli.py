from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from spyre_lint import __version__
from spyre_lint.cli import cli, main
from spyre_lint.registry import Registry, Sources
from tests.fakes import COPY, fake_checks, write_tree

TOP = Path(__file__).resolve().parents[2]
RUN_IT = "\n\ndef run(x, y, n):\n    copy[(4,)](x, y, n, BLOCK=64)\n"

Run = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tree"
    place.mkdir()
    monkeypatch.chdir(place)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def run(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line in the tree with the fake checks."""
    folder = fake_checks(tmp_path / "checks")
    real = Registry.load

    def load(given: str | None = None, *, sources: Sources | None = None) -> Registry:
        return real(given) if given else real(sources=replace(sources or Sources(), folder=str(folder)))

    monkeypatch.setattr(Registry, "load", load)

    def invoke(*args: str) -> Result:
        return CliRunner().invoke(cli, [*args], prog_name="spyre-lint")

    return invoke


def test_check_is_the_default_command(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY + RUN_IT})
    plain, named, bare = run("a.py"), run("check", "a.py"), run()
    assert plain.output == named.output == bare.output
    assert plain.exit_code == named.exit_code == bare.exit_code == 1
    assert plain.stdout.splitlines()[0] == "a.py:8:9: error[SPY101] raw-load: a raw load"
    assert "help: use a descriptor" in plain.stdout
    assert plain.stderr == ""


def test_exit_status(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY + RUN_IT, "clean.py": "x = 1\n"})
    assert run("clean.py").exit_code == 0
    assert run("a.py").exit_code == 1
    assert run("a.py", "--ignore", "SPY101").exit_code == 0
    assert run("a.py", "--ignore=SPY101", "--fail-on", "warning").exit_code == 1
    assert run("gone.py").exit_code == 2
    assert run("--no-such-option").exit_code == 2


def test_missing_paths_are_named_and_others_linted(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY + RUN_IT})
    got = run("gone.py", "a.py", "notes.txt")
    assert got.exit_code == 2
    assert "spyre-lint: error: gone.py: no such file or directory" in got.stderr
    assert "a.py:8:9" in got.stdout


def test_notices_go_to_stderr_unless_quiet(run: Run, root: Path) -> None:
    write_tree(root, {"notes.txt": "x"})
    got = run("notes.txt")
    assert got.stderr == "spyre-lint: note: notes.txt: skipped, not a Python file (*.py)\n"
    assert got.exit_code == 0
    quiet = run("notes.txt", "--quiet")
    assert (quiet.stderr, quiet.stdout) == ("", "")


def test_formats_and_output_file(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY + RUN_IT})
    data = json.loads(run("a.py", "--output-format", "json").stdout)
    assert [each["code"] for each in data["findings"]] == ["SPY101", "SPY102"]
    assert data["summary"]["files"] == 1
    sarif = json.loads(run("a.py", "--output-format", "sarif").stdout)
    assert sarif["version"] == "2.1.0"
    assert "::error" in run("a.py", "--output-format", "github").stdout
    assert len(run("a.py", "--output-format", "concise", "-q").stdout.splitlines()) == 2
    got = run("a.py", "--output-format", "json", "--output-file", "out.json")
    assert (got.stdout, got.exit_code) == ("", 1)
    assert json.loads((root / "out.json").read_text(encoding="utf-8")) == data
    unwritable = run("a.py", "--output-file", "no/such/dir/out.txt")
    assert unwritable.exit_code == 2
    assert unwritable.stderr.startswith("spyre-lint: error: no/such/dir/out.txt: cannot be written: no such file")


def test_statistics_and_colour(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY + RUN_IT})
    assert "1  error" in run("a.py", "--statistics").stdout
    assert "\x1b[" not in run("a.py").stdout
    assert "\x1b[" in run("a.py", "--color", "always").stdout
    assert "\x1b[" not in run("a.py", "--color", "never").stdout


def test_selection(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY + RUN_IT})
    got = run("a.py", "--select", "raw-store,SPY3", "--output-format", "concise", "-q")
    assert [line.split()[1] for line in got.stdout.splitlines()] == ["warning[SPY102]"]
    wrong = run("a.py", "--select", "raw-stroe")
    assert wrong.exit_code == 2
    assert "'raw-stroe' is no rule code" in wrong.stderr
    assert "did you mean raw-store?" in wrong.stderr


def test_bindings_from_the_command_line(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY})
    got = run(
        "a.py", "--constexpr", "BLOCK=4", "--dtype", "x_ptr=*fp16", "--select", "SPY201", "--output-format", "json"
    )
    (finding,) = json.loads(got.stdout)["findings"]
    assert finding["message"] == "BLOCK is 4"
    assert finding["verdict"] == "violated"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--constexpr", "BLOCK"), "'BLOCK' is not of the form NAME=VALUE"),
        (("--constexpr", "=4"), "'=4' is not of the form NAME=VALUE"),
        (("--dtype", "x-ptr=*fp16"), "'x-ptr=*fp16' is not of the form ARG=TYPE"),
        (("--dtype", "x_ptr=*fp17"), "'*fp17' is none of i1"),
        (("--constexpr", "BLCK=4"), "no linted kernel has a parameter BLCK (did you mean BLOCK?)"),
        (("--jobs", "0"), "0 is not in the range"),
        (("--profile", "cuda"), "'cuda' is not one of 'spyre', 'stock'"),
        (("--fail-on", "never"), "'never' is not one of"),
        (("--config", "gone.toml"), "gone.toml: cannot be read: no such file or directory"),
    ],
)
def test_wrong_options(run: Run, root: Path, args: tuple[str, ...], message: str) -> None:
    write_tree(root, {"a.py": COPY})
    got = run("a.py", *args)
    assert got.exit_code == 2
    assert message in got.stderr


def test_wrong_configuration(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY, "spyre-lint.toml": "selct = []\ntarget = 'gpu'\n"})
    got = run("a.py")
    assert (got.exit_code, got.stdout) == (2, "")
    first, second = sorted(got.stderr.splitlines())
    assert first == "spyre-lint: error: spyre-lint.toml: `target` is 'gpu'; allowed are `spyre`, `stock`"
    assert second.startswith(
        "spyre-lint: error: spyre-lint.toml: unknown key `selct` (did you mean `select`?); allowed"
    )


def test_strict(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY})
    assert run("a.py", "--select", "SPY201").exit_code == 0
    assert run("a.py", "--select", "SPY201", "--strict").exit_code == 1


def test_explain(run: Run) -> None:
    by_code, by_name, by_slug = run("explain", "spy201"), run("explain", "small-block"), run("explain", "sizes")
    assert by_code.stdout == by_name.stdout
    assert by_code.stdout.startswith("**SPY201 small-block** (error): BLOCK is small.\n\n# The sizes page\n")
    assert by_slug.stdout == "# The sizes page\n\nWhat `sizes` is about.\n"
    assert run("explain", "SPY905").stdout.startswith("**SPY905 internal-error** (error): ")
    wrong = run("explain", "SPY2O1")
    assert wrong.exit_code == 2
    assert "did you mean `SPY201`?" in wrong.stderr


def test_rules(run: Run) -> None:
    lines = run("rules").stdout.splitlines()
    assert lines[0] == "memory"
    assert lines[1].split() == ["SPY101", "error", "raw-load", "A", "load", "through", "a", "pointer."]
    assert any(line.strip().startswith("SPY903  warning  unused-suppression") for line in lines)


def test_dump(run: Run, root: Path) -> None:
    write_tree(root, {"a.py": COPY + "\n\n@triton.jit\ndef other(p):\n    tl.store(p, 1)\n" + RUN_IT})
    whole = run("dump", "a.py")
    assert whole.exit_code == 0
    assert "# a.py::copy under a.py:18" in whole.stdout
    assert "# a.py::other under unbound" in whole.stdout
    one = run("dump", "a.py::copy", "--unbound")
    assert "# a.py::copy under unbound" in one.stdout
    assert "other" not in one.stdout
    assert "ptr_load" in one.stdout
    wrong = run("dump", "a.py::cpoy")
    assert wrong.exit_code == 2
    assert "a.py: has no kernel cpoy that is checked; it has: copy, other" in wrong.stderr
    assert run("dump", "gone.py").exit_code == 2
    write_tree(root, {"broken.py": "import triton\ndef f(:\n"})
    broken = run("dump", "broken.py")
    assert broken.exit_code == 2
    assert "broken.py:2:" in broken.stderr


def test_a_defect_ends_with_status_2(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tree(root, {"a.py": COPY})

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("spyre_lint.engine.check_paths", broken)
    monkeypatch.setattr(sys, "argv", ["spyre-lint", "a.py"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    shown = capsys.readouterr().err
    assert "RuntimeError: boom" in shown
    assert "this is a defect of spyre-lint" in shown


def spawn(*args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NO_COLOR", "FORCE_COLOR"))
    }
    return subprocess.run(
        [sys.executable, *args], cwd=cwd, env={**kept, "PYTHONPATH": str(TOP), **env},
        capture_output=True, text=True, check=False, encoding="utf-8",
    )  # fmt: skip


def test_version_and_help_as_a_process(tmp_path: Path) -> None:
    assert spawn("-m", "spyre_lint", "--version", cwd=tmp_path).stdout == f"spyre-lint {__version__}\n"
    text = spawn("-m", "spyre_lint", "--help", cwd=tmp_path).stdout
    for command in ("check", "dump", "explain", "rules"):
        assert f"  {command} " in text


HEAVY = ("pydantic", "rich", "triton", "torch", "pathspec", "tomllib", "tomli", "multiprocessing", "jsonschema")


def test_the_default_path_imports_nothing_heavy(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": COPY})
    script = (
        "import sys\nfrom spyre_lint.cli import cli\n"
        "sys.argv = ['spyre-lint', *sys.argv[1:]]\n"
        "try:\n    cli()\nexcept SystemExit:\n    pass\n"
        f"print('IMPORTED', *[name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    (tmp_path / "run.py").write_text(script, encoding="utf-8")
    whole = spawn("run.py", "a.py", cwd=tmp_path)
    assert whole.stdout.splitlines()[-1] == "IMPORTED", whole.stderr
    version = spawn("-X", "importtime", "-m", "spyre_lint", "--version", cwd=tmp_path)
    assert "astroid" not in version.stderr
    assert "spyre_lint.engine" not in version.stderr


def test_an_encoding_that_cannot_show_everything(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": COPY.replace("+ offsets)", "+ offsets)  # é→", 1)})
    got = spawn("-m", "spyre_lint", "a.py", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert got.returncode == 1, got.stderr
    assert "x = tl.load(x_ptr + offsets)  # " in got.stdout
