"""The report of the test repository as it is kept: golden files, the table in the documentation, the schema.

Usage, from the root of the checkout: python -m tests.workflow.golden (writes what the command prints now)
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path

from spyre_lint import __version__
from spyre_lint.t1.models import schema
from tests.workflow.projects import INVARIANTS, NO_DOUBLE, ROOT, run, write

HERE = Path(__file__).parent
REPO = HERE / "repo"
GOLDEN = {"markdown": HERE / "golden" / "report.md", "json": HERE / "golden" / "report.json"}
PAGE = ROOT / "docs" / "report.md"
SCHEMA = ROOT / "docs" / "report.schema.json"
_MARKED = re.compile(r"(?<=<!-- report -->\n).*(?=<!-- /report -->)", re.DOTALL)


def repository(root: Path) -> Path:
    """A copy of the test repository, with invariants of its own: one that is declared, one that nothing checks."""
    shutil.copytree(REPO, root, dirs_exist_ok=True)
    write(
        root,
        {
            f"{INVARIANTS}/no-double.md": NO_DOUBLE,
            f"{INVARIANTS}/tile-fits-scratchpad.md": "# Tiles fit the scratchpad\n\nSee the budget.\n",
            f"{INVARIANTS}/reviewed-by-two.md": "# Reviewed by two\n\nNot a matter of source code.\n",
        },
    )
    return root


def printed(output_format: str) -> str:
    """What `spyre-lint report kernels` prints in the repository; the tool's version is left out."""
    with tempfile.TemporaryDirectory() as directory:
        done = run(repository(Path(directory).resolve()), "report", "kernels", "--format", output_format)
    return done.stdout.replace(f'"version": "{__version__}"', '"version": "0"')


def schema_text() -> str:
    """The schema as it is kept."""
    return json.dumps(schema(), indent=2) + "\n"


def page_with(report: str) -> str:
    """The documentation with the table of a Markdown report in its place."""
    table = "\n".join(line for line in report.splitlines() if line.startswith("|"))
    return _MARKED.sub(lambda _: table + "\n", PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for kind, path in GOLDEN.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(printed(kind), encoding="utf-8")
    PAGE.write_text(page_with(printed("markdown")), encoding="utf-8")
    SCHEMA.write_text(schema_text(), encoding="utf-8")
