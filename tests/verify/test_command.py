"""`spyre-lint verify`: the linter against Triton's own frontend, and what it says where there is nothing to compare."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from spyre_lint.analysis import live_tiles as analysis
from spyre_lint.analysis.live_tiles import LiveTiles
from spyre_lint.cli import cli
from spyre_lint.context import KernelInstance
from spyre_lint.ir.sym import const
from spyre_lint.target import DEFAULT_TARGET
from spyre_lint.verify import command, rejections

pytestmark = pytest.mark.verify

ROOT = Path(__file__).parents[2]

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(
        x_ptr,
        shape=[n, n],
        strides=[n, 1],
        block_shape=[8, BLOCK],
    )
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n, n], strides=[n, 1], block_shape=[8, BLOCK])
    x = x_desc.load([0, 0])
    y_desc.store([0, 0], x + x)
"""
BIND = ("--dtype=x_ptr=*fp16", "--dtype=y_ptr=*fp16", "--dtype=n=i32")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    write(tmp_path / "kernel.py", KERNEL)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.write_text(textwrap.dedent(text), encoding="utf-8")


def verify(*args: str) -> Result:
    return CliRunner().invoke(cli, ["verify", *args], prog_name="spyre-lint")


def data(*args: str) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(verify(*args, "--allow-import", "--format", "json").stdout)
    assert written["version"] == 1
    return written


def only(*args: str) -> dict[str, Any]:
    (kernel,) = data(*args)["kernels"]
    (binding,) = kernel["bindings"]
    assert isinstance(binding, dict)
    return binding


# ---- it runs code, and says so ---------------------------------------------------------------------------------------


def test_refuses_without_permission_and_runs_nothing(tree: Path) -> None:
    write(tree / "kernel.py", KERNEL + "\nopen('ran', 'w').close()\n")
    result = verify("kernel.py", "--constexpr=BLOCK=32", *BIND)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "imports their modules and so runs their code" in result.stderr
    assert "--allow-import" in result.stderr
    assert not (tree / "ran").exists()


def test_with_permission_the_module_runs_and_is_announced(tree: Path) -> None:
    write(tree / "kernel.py", KERNEL + "\nopen('ran', 'w').close()\n")
    result = verify("kernel.py", "--allow-import", "--constexpr=BLOCK=32", *BIND)
    assert result.exit_code == 0
    assert "note: the modules of the kernels are imported, which runs their code" in result.stderr
    assert (tree / "ran").exists()


def test_the_help_says_that_modules_run() -> None:
    assert "Runs the kernels' modules" in " ".join(verify("--help").stdout.split())


# ---- agreement -------------------------------------------------------------------------------------------------------


def test_the_examples_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    made = data("examples/kernels")
    bindings = [binding for kernel in made["kernels"] for binding in kernel["bindings"]]
    driven = [binding for binding in bindings if binding["source"] == "driver"]
    assert len(driven) >= 15
    assert {binding["status"] for binding in driven} == {"agrees"}
    assert made["summary"]["agrees"] == len(driven)
    assert all(binding["peak_bytes"] == binding["triton_peak_bytes"] > 0 for binding in driven)
    assert all(binding["tiles"] > 0 for binding in driven)
    open_ = [binding for binding in bindings if binding["source"] == "launch"]
    assert all(binding["status"] == "not verified" and "is not known" in binding["reason"] for binding in open_)
    assert made["triton"] and made["target"]


@pytest.mark.usefixtures("tree")
def test_agreement_in_words() -> None:
    result = verify("kernel.py", "--allow-import", "--constexpr=BLOCK=32", *BIND)
    assert result.exit_code == 0
    assert "double  kernel.py\n  command line (command line): agrees: peak 512 bytes, 1 tile\n" in result.stdout
    assert "1 binding compared: all agree with Triton " in result.stdout
    assert "\x1b" not in result.stdout


def test_an_unrolled_loop_agrees_although_its_loads_are_copied(tree: Path) -> None:
    text = KERNEL.replace("    x = x_desc", "    for i in tl.range(0, n, 8, loop_unroll_factor=3):\n        x = x_desc")
    text = text.replace("load([0, 0])", "load([i, 0])").replace(
        "    y_desc.store([0, 0]", "        y_desc.store([i, 0]"
    )
    write(tree / "kernel.py", text)
    binding = only("kernel.py", "--constexpr=BLOCK=32", *BIND)
    assert (binding["status"], binding["tiles"]) == ("agrees", 4)


def test_a_function_as_constexpr(tree: Path) -> None:
    text = KERNEL.replace("BLOCK: tl.constexpr", "ACT: tl.constexpr, BLOCK: tl.constexpr").replace("x + x", "ACT(x)")
    helper = "@triton.jit\ndef twice(x):\n    return x + x\n\n\n"
    write(tree / "kernel.py", text.replace("@triton.jit", helper + "@triton.jit", 1))
    driver = """
    from kernel import double, twice

    KERNEL = double
    SIGNATURE = {"x_ptr": "*fp16", "y_ptr": "*fp16", "n": "i32"}
    CONSTEXPRS = {"ACT": twice, "BLOCK": 32}
    GRID = (1,)
    """
    write(tree / "lower.py", driver)
    made = data("kernel.py")
    statuses = {kernel["kernel"]: [binding["status"] for binding in kernel["bindings"]] for kernel in made["kernels"]}
    assert statuses["double"] == ["agrees"]


# ---- differences -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("tree")
def test_a_peak_that_is_not_tritons_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def doctored(instance: KernelInstance) -> LiveTiles:
        true = analysis.live_tiles(instance)
        point = true.points[0]
        tile = replace(point.tiles[0], shape=(const(4), const(32)), at_sizes=256)
        return replace(true, points=(replace(point, at_sizes=256, bytes=const(256), tiles=(tile,)),))

    monkeypatch.setattr(command, "live_tiles", doctored)
    arguments = ("kernel.py", "--allow-import", "--constexpr=BLOCK=32", *BIND)
    result = verify(*arguments)
    assert result.exit_code == 1
    assert "    peak (they part at line 15)\n" in result.stdout
    assert "      spyre-lint: 256 bytes at line 15, with 4x32xfp16\n" in result.stdout
    assert "      Triton:     512 bytes at line 15, with 8x32xfp16\n" in result.stdout
    assert "1 of 1 binding differs from Triton " in result.stdout
    (difference,) = only("kernel.py", "--constexpr=BLOCK=32", *BIND)["differences"]
    assert (difference["what"], difference["line"]) == ("peak", 15)


@pytest.mark.usefixtures("tree")
def test_a_tile_that_triton_has_not_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    true = command.static_sites

    def doctored(instance: KernelInstance) -> list[command.Site]:
        return [*true(instance), (("dot", (8, 32), "fp32"), 16)]

    monkeypatch.setattr(command, "static_sites", doctored)
    result = verify("kernel.py", "--allow-import", "--constexpr=BLOCK=32", *BIND)
    assert result.exit_code == 1
    assert "    tiles (they part at line 16)\n" in result.stdout
    assert "      spyre-lint: 1 of dot 8x32 fp32\n      Triton:     0 of dot 8x32 fp32\n" in result.stdout


def test_an_error_of_triton_that_the_linter_has_not_is_a_difference(tree: Path) -> None:
    # The store is a SPY502, too: that the kernel forgets a part of its output is not what Triton complains of.
    write(tree / "kernel.py", KERNEL.replace("x + x)", 'x + "x")'))
    result = verify("kernel.py", "--allow-import", "--constexpr=BLOCK=32", *BIND)
    assert result.exit_code == 1
    assert "    error (they part at line 16)\n      spyre-lint: no such error in this statement\n" in result.stdout


def test_an_error_of_the_linter_that_triton_has_not_is_a_difference(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree / "spyre-lint.toml", "[hardware]\nmin-last-dim-bytes = 128\n")
    binding = only("kernel.py", "--constexpr=BLOCK=32", *BIND)
    assert binding["status"] == "agrees"  # the project's own limit is not Triton's
    (tree / "spyre-lint.toml").unlink()
    monkeypatch.setattr("spyre_lint.verify.rejections.DEFAULT_TARGET", replace(DEFAULT_TARGET, min_last_dim_bytes=128))
    write(tree / "spyre-lint.toml", "[hardware]\nmin-last-dim-bytes = 128\n")
    binding = only("kernel.py", "--constexpr=BLOCK=32", *BIND)
    assert binding["status"] == "differs"
    assert {each["what"] for each in binding["differences"]} == {"error"}
    assert binding["differences"][0]["linter"].startswith("SPY201: ")


# ---- what both reject ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("tree")
def test_sixteen_bytes_are_an_error_of_both() -> None:
    arguments = ("kernel.py", "--constexpr=BLOCK=4", *BIND)
    binding = only(*arguments)
    assert binding["status"] == "agrees"
    error = binding["triton_error"]
    assert (error["type"], error["codes"], error["line"]) == ("ValueError", ["SPY201"], 8)
    assert "16 bytes" in error["message"]
    result = verify(*arguments, "--allow-import")
    assert result.exit_code == 0
    assert "agrees: both reject it: SPY201; line 8: ValueError: " in result.stdout


@pytest.mark.usefixtures("tree")
def test_a_suppressed_finding_counts(tree: Path) -> None:
    text = KERNEL.replace("8, BLOCK],\n", "8, BLOCK],  # spyre-lint: ignore[SPY201] on purpose\n")
    write(tree / "kernel.py", text)
    assert only("kernel.py", "--constexpr=BLOCK=4", *BIND)["triton_error"]["codes"] == ["SPY201"]


def test_another_error_in_the_statement_does_not_stand_for_the_sixteen_bytes(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tree / "kernel.py", KERNEL.replace("x_ptr,\n        shape", "x_ptr + n,\n        shape"))
    assert only("kernel.py", "--constexpr=BLOCK=4", *BIND)["status"] == "agrees"
    true = rejections.is_error
    monkeypatch.setattr(
        rejections, "is_error", lambda finding, rules: finding.code != "SPY201" and true(finding, rules)
    )
    assert only("kernel.py", "--constexpr=BLOCK=4", *BIND)["status"] == "differs"


# ---- what can't be compared ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("tree")
def test_a_kernel_without_a_binding() -> None:
    result = verify("kernel.py", "--allow-import")
    assert result.exit_code == 2
    assert "no binding: not verified: nothing binds it" in result.stdout
    assert "Nothing was compared; 1 not verified" in result.stdout


@pytest.mark.usefixtures("tree")
def test_a_binding_that_leaves_something_open() -> None:
    assert only("kernel.py", *BIND)["reason"].startswith("`BLOCK` has no value")
    assert only("kernel.py", "--constexpr=BLOCK=32", *BIND[:2])["reason"] == "the type of `n` is not known"


def test_tiles_that_only_the_spyre_build_takes(tree: Path) -> None:
    write(tree / "kernel.py", KERNEL.replace("[8, BLOCK]", "[12, BLOCK]"))
    binding = only("kernel.py", "--constexpr=BLOCK=32", *BIND)
    assert binding["status"] == "not verified"
    assert "only the Spyre build" in binding["reason"]
    assert binding["triton_error"]["codes"] == []
    # For stock Triton the linter knows better.
    assert only("kernel.py", "--profile=stock", "--constexpr=BLOCK=32", *BIND)["triton_error"]["codes"] == ["SPY109"]


def test_gathers_that_only_the_spyre_build_has(tree: Path) -> None:
    text = """
    import triton
    import triton.language as tl


    @triton.jit
    def rows(x_ptr, i_ptr, y_ptr, n, BLOCK: tl.constexpr):
        x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, 8, n], strides=[8 * n, n, 1], block_shape=[1, 8, BLOCK])
        i_desc = tl.make_tensor_descriptor(i_ptr, shape=[n], strides=[1], block_shape=[16])
        y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n, 8, n], strides=[8 * n, n, 1], block_shape=[16, 8, BLOCK])
        y_desc.store([0, 0, 0], x_desc.gather(i_desc.load([0]), 0))
    """
    write(tree / "kernel.py", text)
    binding = only("kernel.py", "--constexpr=BLOCK=32", "--dtype=i_ptr=*i32", *BIND)
    assert (binding["status"], binding["triton_error"]["codes"]) == ("not verified", [])
    assert binding["reason"].startswith("only the Spyre build of Triton gathers")


def test_a_rejection_of_a_module_that_is_not_installed(tree: Path) -> None:
    text = KERNEL.replace("import triton\n", "import no_such_package\nimport triton\n", 1)
    write(tree / "kernel.py", text.replace("x + x)", "(x + x).to(no_such_package.float16))"))
    binding = only("kernel.py", "--constexpr=BLOCK=32", *BIND)
    assert (binding["status"], binding["stubbed"]) == ("not verified", ["no_such_package"])
    assert binding["reason"] == "`no_such_package` is not installed, and the kernel needs it"


def test_a_module_that_hangs(tree: Path) -> None:
    write(tree / "kernel.py", KERNEL + "\nimport time\ntime.sleep(60)\n")
    result = verify("kernel.py", "--allow-import", "--timeout=0.5", "--constexpr=BLOCK=32", *BIND)
    assert result.exit_code == 2
    assert "could not be verified: Triton took too long: no result within 0.5 s" in result.stdout


def test_a_module_that_can_not_be_imported(tree: Path) -> None:
    write(tree / "kernel.py", KERNEL + "\nraise OSError('no card')\n")
    result = verify("kernel.py", "--allow-import", "--constexpr=BLOCK=32", *BIND)
    assert result.exit_code == 2
    assert "could not be verified: its module can't be imported: OSError: no card" in result.stdout


def test_a_path_that_does_not_exist_is_a_problem(tree: Path) -> None:
    result = verify("kernel.py", "nowhere.py", "--allow-import", "--constexpr=BLOCK=32", *BIND)
    assert result.exit_code == 2
    assert "nowhere.py" in result.stderr
    assert "agrees: peak 512 bytes" in result.stdout


def test_without_triton(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = tree / "absent" / "triton"
    absent.mkdir(parents=True)
    write(absent / "__init__.py", "raise ModuleNotFoundError(\"No module named 'triton'\")\n")
    monkeypatch.setenv("PYTHONPATH", str(absent.parent))
    result = verify("kernel.py", "--allow-import", "--constexpr=BLOCK=32", *BIND)
    assert result.exit_code == 2
    assert "no usable Triton" in result.stderr
    assert "spyre-lint[verify]" in result.stderr
    assert "must not displace a Spyre build of Triton" in result.stderr


# ---- the default path ------------------------------------------------------------------------------------------------


def test_checking_imports_neither_triton_nor_the_referee(tree: Path) -> None:
    code = "import sys\nfrom spyre_lint.cli import cli\ncli(['check', 'kernel.py'], standalone_mode=False)\n"
    watched = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('\\nimported:', sorted(m for m in sys.modules "
        "if m.split('.')[0] in ('triton', 'torch') or m.startswith('spyre_lint.verify'))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", watched + code],
        cwd=tree, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "1 kernel" in done.stdout, done.stderr
    assert done.stdout.rstrip().endswith("imported: []")


def test_the_command_itself_imports_no_triton() -> None:
    code = "import sys, spyre_lint.verify.command, spyre_lint.output.verify; print('triton' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
