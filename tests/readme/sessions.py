"""The sessions in the README (```console blocks): what the command prints is written there, not typed.

Usage, from the root of the checkout: python -m tests.readme.sessions (rewrites README.md)
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
SESSION = re.compile(r"^```console\n\$ spyre-lint ([^\n]+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run(arguments: list[str], cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The linter of this checkout with the given arguments."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "spyre_lint", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def printed(arguments: str) -> str:
    """What a session prints on standard output, with one newline at its end."""
    return run(shlex.split(arguments)).stdout.rstrip() + "\n"


def rewritten(text: str) -> str:
    """The README with the output of each of its sessions."""
    return SESSION.sub(lambda found: f"```console\n$ spyre-lint {found[1]}\n{printed(found[1])}```", text)


if __name__ == "__main__":
    README.write_text(rewritten(README.read_text(encoding="utf-8")), encoding="utf-8")
