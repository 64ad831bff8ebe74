"""Cold time of the linter against flake8 on the same files: how many times as long it takes to know a kernel.

Both run as a fresh process with two jobs on the unpacked fla-core (about 400 files, 120 000 lines), in turns, and the
best of several runs counts, which is what other work on the machine disturbs least. flake8 is installed into a private
environment beside the library (see `tests.corpus.libraries`) if it is not there yet.

Usage, from the root of the checkout: python -m benchmarks.cold_time [--runs N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

from tests.corpus.libraries import cache_folder, library_path

LIBRARY = "fla-core"
FLAKE8 = "flake8==7.3.0"
JOBS = "2"


def flake8_command() -> list[str]:
    """flake8 of a private environment, made on first use."""
    place = cache_folder() / FLAKE8.replace("==", "-")
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (place / ".complete").exists():
        venv.create(place, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", FLAKE8], check=True)
        (place / ".complete").touch()
    return [str(python), "-m", "flake8", "--isolated", "-j", JOBS]


def linter_command() -> list[str]:
    """The linter of the environment that runs this, from this checkout."""
    return [sys.executable, "-m", "spyre_lint", "check", "--output-format", "concise", "--jobs", JOBS]


def seconds(command: list[str], folder: Path) -> float:
    """Wall time of one run that has to end with findings (exit status 1).

    Raises:
        RuntimeError: if it ends any other way, because its time then says nothing.
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    start = time.perf_counter()
    done = subprocess.run(
        [*command, str(folder)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    elapsed = time.perf_counter() - start
    if done.returncode != 1:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()}")
    return elapsed


def main() -> None:
    """Measure and print the two times and their ratio."""
    parser = argparse.ArgumentParser(description="Cold time of spyre-lint against flake8 on fla-core.")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, the best of which counts (default 3)")
    runs = parser.parse_args().runs
    folder = library_path(LIBRARY)
    sources = list(folder.rglob("*.py"))
    lines = sum(path.read_bytes().count(b"\n") for path in sources)
    print(f"{LIBRARY}: {len(sources)} files, {lines} lines; best of {runs}, {JOBS} jobs", flush=True)
    commands = {"spyre-lint": linter_command(), "flake8": flake8_command()}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(seconds(command, folder))
    for name, measured in times.items():
        print(f"{name:<10}  {min(measured):6.2f} s   (all: {', '.join(f'{each:.2f}' for each in measured)})")
    print(f"ratio       {min(times['spyre-lint']) / min(times['flake8']):6.2f}")


if __name__ == "__main__":
    main()
