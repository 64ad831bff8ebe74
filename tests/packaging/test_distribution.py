"""The distribution as people install it: wheel, sdist, editable, and a bare checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "node_modules"
)
RAW_POINTERS = """\
import triton
import triton.language as tl


@triton.jit
def _copy_kernel(x_ptr, y_ptr):
    tl.store(y_ptr, tl.load(x_ptr))
"""
Install = Callable[[str], Path]


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    """Standard output of a command that must succeed, in an environment that knows nothing of this checkout."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env={**clean, **env}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, links kept, so that building leaves nothing behind in the real ones."""
    place = tmp_path_factory.mktemp("checkout") / "spyre-lint"
    shutil.copytree(ROOT, place, symlinks=True, ignore=SKIPPED)
    return place


@pytest.fixture(scope="session")
def distribution(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from the sdist."""
    place = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", place, checkout, cwd=place)
    return place


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Install a pip requirement without its dependencies into a fresh environment; returns the environment.

    The dependencies are borrowed from the environment that runs the tests.
    """

    def into_environment(requirement: str) -> Path:
        place = tmp_path / "environment"
        venv.create(place, with_pip=False, symlinks=True)
        (site_packages(place) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
        pip = (sys.executable, "-m", "pip", "--python", place / "bin" / "python", "install", "--quiet", "--no-deps")
        run(*pip, *requirement.split(" ", 1), cwd=tmp_path)
        return place

    return into_environment


def site_packages(environment: Path) -> Path:
    return Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))


def sources(top: Path) -> set[str]:
    """What must be installed: the package's modules, and the checks with their pages, as paths below site-packages."""
    package = {path.relative_to(top).as_posix() for path in (top / "spyre_lint").rglob("*.py")}
    package = {path for path in package if not path.startswith("spyre_lint/checks/")}
    checks = {f"spyre_lint/checks/{path.name}" for path in (top / "checks").iterdir() if path.suffix in (".py", ".md")}
    return package | checks | {"spyre_lint/py.typed"}


def assert_works(environment: Path, cwd: Path) -> None:
    """The command runs, knows the rules and has their pages; `checks` is no top-level name."""
    command = environment / "bin" / "spyre-lint"
    assert re.search(r"\d+\.\d+", run(command, "--version", cwd=cwd))
    page = run(command, "explain", "SPY101", cwd=cwd)
    assert "raw-pointer-load" in page
    assert "make_tensor_descriptor" in page
    bad = cwd / "kernel.py"
    bad.write_text(RAW_POINTERS, encoding="utf-8")
    done = subprocess.run([str(command), str(bad)], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "error[SPY101]" in done.stdout
    probe = (
        "import importlib.util, spyre_lint.checks as c\n"
        "assert c.__name__ == 'spyre_lint.checks'\n"
        "assert importlib.util.find_spec('checks') is None, 'checks is importable at top level'\n"
    )
    run(environment / "bin" / "python", "-c", probe, cwd=cwd)
    assert not [path.name for path in site_packages(environment).iterdir() if path.name.startswith("checks")]


def test_wheel_has_every_module_and_page_and_nothing_else(distribution: Path, checkout: Path) -> None:
    (wheel,) = distribution.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == sources(checkout)


def test_sdist_has_what_the_tests_and_the_demo_need(distribution: Path) -> None:
    (sdist,) = distribution.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "Makefile", "checks/__init__.py"} <= names
    assert {path.split("/")[0] for path in names} >= {"spyre_lint", "checks", "examples", "tests", "benchmarks"}


def test_wheel_states_licence_and_python_versions(distribution: Path) -> None:
    (wheel,) = distribution.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = archive.read(path).decode("utf-8").splitlines()
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: <3.15,>=3.10" in metadata
    required = [line for line in metadata if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert not [line for line in required if "triton" in line], "Triton is an extra"


def test_wheel_installs_and_works(distribution: Path, install: Install, tmp_path: Path) -> None:
    (wheel,) = distribution.glob("*.whl")
    assert_works(install(str(wheel)), tmp_path)


def test_sdist_installs_and_works(distribution: Path, install: Install, tmp_path: Path) -> None:
    (sdist,) = distribution.glob("*.tar.gz")
    assert_works(install(str(sdist)), tmp_path)


def test_editable_installs_and_works_without_the_link(checkout: Path, install: Install, tmp_path: Path) -> None:
    """A platform without symbolic links has a plain file where the link to `checks/` is."""
    copy = tmp_path / "copy"
    shutil.copytree(checkout, copy, symlinks=True, ignore=SKIPPED)
    link = copy / "spyre_lint" / "checks"
    if link.is_symlink():
        link.unlink()
        link.write_text("../checks", encoding="utf-8")
    assert_works(install(f"--editable {copy}"), tmp_path)
    assert (copy / "checks" / "descriptor-access.md").read_text(encoding="utf-8")


def test_checkout_runs_without_being_installed(checkout: Path, tmp_path: Path) -> None:
    page = run(sys.executable, "-m", "spyre_lint", "explain", "SPY101", cwd=tmp_path, PYTHONPATH=str(checkout))
    assert "raw-pointer-load" in page
