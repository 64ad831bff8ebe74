"""The published kernel libraries that the linter is tried on: pinned, downloaded once, never imported.

They are kept below `$SPYRE_LINT_TEST_CACHE` (default `~/.cache/spyre-lint-tests`), one folder per version.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

LIBRARIES = {
    "conch-triton-kernels": "1.3",
    "fla-core": "0.6.0",
    "flag-gems": "5.0.2",
    "liger-kernel": "0.8.5",
}


def cache_folder() -> Path:
    """Where everything that is downloaded for tests and benchmarks is kept."""
    return Path(os.environ.get("SPYRE_LINT_TEST_CACHE") or Path.home() / ".cache" / "spyre-lint-tests")


def library_path(name: str) -> Path:
    """The folder with the unpacked wheel of a library, downloaded if it is not there yet."""
    version = LIBRARIES[name]
    place = cache_folder() / f"{name}-{version}"
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=place.parent) as scratch:
        wheels, unpacked = Path(scratch) / "wheels", Path(scratch) / "unpacked"
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        # The libraries are read and never run, so the interpreter they were made for does not matter.
        any_python = ["--python-version", "3.11", "--implementation", "py", "--abi", "none", "--platform", "any"]
        subprocess.run([*pip, *any_python, "--dest", str(wheels), f"{name}=={version}"], check=True)
        (wheel,) = wheels.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
        for metadata in unpacked.glob("*.dist-info"):
            shutil.rmtree(metadata)
        unpacked.rename(place)  # in one step: a folder that is there is complete
    return place
