"""Output formats: one module per format, all fed from the same `Report`.

`render` picks the module by name and imports it only then: the text of a clean run should not pay for SARIF.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from spyre_lint.report import Report

FORMATS: Mapping[str, str] = {
    "text": "text",
    "concise": "text",
    "json": "json_",
    "sarif": "sarif",
    "github": "github",
}
"""Name of a format to the module that renders it."""

DEFAULT_FORMAT = "text"


def render(
    report: Report, format: str = DEFAULT_FORMAT, *, color: bool = False, statistics: bool = False, quiet: bool = False
) -> str:
    """The report in a format of `FORMATS`, ending with a newline unless it is empty.

    `color`, `statistics` (counts per code) and `quiet` (no summary) matter to the formats people read; the
    machine-readable ones are the same with and without.

    Raises:
        KeyError: if there is no such format.
    """
    module = import_module(f"{__name__}.{FORMATS[format]}")
    text: str
    if format in ("text", "concise"):
        text = module.render(report, color=color, concise=format == "concise", statistics=statistics, quiet=quiet)
    elif format == "github":
        text = module.render(report, quiet=quiet)
    else:
        text = module.render(report)
    return text


def wants_color(stream: TextIO, environ: Mapping[str, str] | None = None) -> bool:
    """Whether text for `stream` may be coloured: a terminal, `FORCE_COLOR`, and never with `NO_COLOR` or TERM=dumb.

    Follows no-color.org and force-color.org: a variable counts when it is set and not empty, and `NO_COLOR` wins.
    """
    env = os.environ if environ is None else environ
    if env.get("NO_COLOR"):
        return False
    if env.get("FORCE_COLOR"):
        return True
    return env.get("TERM") != "dumb" and stream.isatty()
