"""The code blocks of an invariant's page as cases, and running them.

A block's info string is `python valid [OPTIONS]` or `python invalid CODES [OPTIONS]`; codes or names of rules. Options:
`stock` lints for stock Triton; `path=<path>` names the file (default `kernel.py`). A line `# file: <path>` in a block
starts another file of the same directory. In invalid blocks a comment `# <- CODE` marks each line to be reported.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from spyre_lint.findings import Finding
from spyre_lint.registry import Registry
from spyre_lint.report import Invariant
from spyre_lint.target import Profile

Mark = tuple[str, int, str]
"""A finding as blocks compare it: path, line, code."""

_FENCE: Final = re.compile(r"^```(python|py)\b(.*)$")
_FILE: Final = re.compile(r"^# file: (\S+)$")
_SECTION: Final = re.compile(r"^#{2,4} ([A-Z][A-Z0-9-]*\d) (\S+)")
_RULE: Final = r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*"
_MARKER: Final = re.compile(rf"#\s*<-\s*({_RULE}(?:,\s*{_RULE})*)")


@dataclass(frozen=True)
class PageBlock:
    """One code block of a page. `line` is that of its opening fence; `section` the code whose section it stands in."""

    slug: str
    line: int
    section: str
    valid: bool
    codes: tuple[str, ...]
    profile: Profile | None
    files: tuple[tuple[str, str], ...]

    @property
    def id(self) -> str:
        """Name of the case."""
        return f"{self.slug}.md:{self.line}"


class BlockError(ValueError):
    """A block that is tagged wrongly or never closed; the message names its line."""


def sections_of(page: str) -> dict[str, str]:
    """Rule name by code, for the sections of a page."""
    return {match.group(1): match.group(2) for match in map(_SECTION.match, page.splitlines()) if match}


def blocks_of(slug: str, page: str, *, strict: bool = True) -> Iterator[PageBlock]:
    """The Python blocks of a page. Without `strict`, blocks that are not tagged `valid` or `invalid` are left out.

    Raises:
        BlockError: for a block that is tagged wrongly (with `strict`: or not at all), or is never closed.
    """
    section = ""
    start = 0
    info = ""
    body: list[str] | None = None
    for number, line in enumerate(page.splitlines(), start=1):
        fence = _FENCE.match(line)
        heading = _SECTION.match(line)
        if body is None and fence:
            start, info, body = number, fence.group(2), []
        elif body is None and heading:
            section = heading.group(1)
        elif body is not None and line == "```":
            if strict or {"valid", "invalid"} & set(info.split()):
                yield _block(slug, start, section, info, body)
            body = None
        elif body is not None:
            body.append(line)
    if body is not None:
        raise BlockError(f"{slug}.md:{start}: the block is not closed")


def _block(slug: str, line: int, section: str, info: str, body: list[str]) -> PageBlock:
    kind, codes, path = "", [], "kernel.py"
    profile: Profile | None = None
    for word in info.split():
        if word in ("valid", "invalid"):
            kind = word
        elif word == "stock":
            profile = "stock"
        elif word.startswith("path="):
            path = word.removeprefix("path=")
        elif kind == "invalid" and re.fullmatch(rf"{_RULE},?", word):
            codes.append(word.rstrip(","))
        else:
            raise BlockError(f"{slug}.md:{line}: `{word}` is no option of a code block")
    if not kind or (kind == "invalid") is not bool(codes):
        raise BlockError(f"{slug}.md:{line}: tag the block `python valid` or `python invalid CODE...`")
    files: list[tuple[str, list[str]]] = [(path, [])]
    for text in body:
        named = _FILE.match(text)
        if named:
            files.append((named.group(1), []))
        else:
            files[-1][1].append(text)
    texts = tuple((name, "\n".join(lines) + "\n") for name, lines in files if any(lines) or len(files) == 1)
    for name, _ in texts:
        if name.startswith("/") or ".." in name.split("/"):
            raise BlockError(f"{slug}.md:{line}: `{name}` is no path below a directory")
    return PageBlock(slug, line, section, kind == "valid", tuple(codes), profile, texts)


def expected_marks(path: str, text: str) -> Iterator[Mark]:
    """What the `# <- SPY101, SPY102` comments of a source ask for: one mark per code and line."""
    for number, line in enumerate(text.split("\n"), start=1):
        for marker in _MARKER.finditer(line):
            for code in marker.group(1).split(","):
                yield (path, number, code.strip())


def judge_block(block: PageBlock, findings: Sequence[Finding], invariant: Invariant, registry: Registry) -> list[str]:
    """What is wrong with the findings for a block, in words; nothing if they are as the page says.

    Only findings of the invariant's own rules count. `findings` have paths relative to the block's directory.
    """
    own = {rule.code for rule in invariant.rules}
    got = sorted((each.location.path, each.location.line, each.code) for each in findings if each.code in own)
    said = {(each.location.path, each.location.line, each.code): each.message for each in findings}
    if block.valid:
        return [f"{_place(mark)} is reported in a valid block: {said[mark]}" for mark in got]
    problems: list[str] = []
    named: set[str] = set()
    for text in block.codes:
        rule = registry.find(text)
        if rule is None or rule.code not in own:
            problems.append(f"`{text}` is no rule of this invariant")
        else:
            named.add(rule.code)
    expected: list[Mark] = []
    for path, text in block.files:
        for _, line, code in expected_marks(path, text):
            rule = registry.find(code)
            expected.append((path, line, rule.code if rule is not None else code))
    marked = {code for _, _, code in expected}
    if not problems and marked != named:
        problems.append(f"the block names {_listing(named)} and marks {_listing(marked)} with `# <- CODE`")
    problems += [f"{_place(mark)} is marked and not reported" for mark in _without(expected, got)]
    problems += [f"{_place(mark)} is reported and not marked: {said[mark]}" for mark in _without(got, expected)]
    return problems


def _without(marks: Sequence[Mark], others: Sequence[Mark]) -> list[Mark]:
    """Marks that have no counterpart, each of the others counted once."""
    left = list(others)
    rest: list[Mark] = []
    for mark in sorted(marks):
        if mark in left:
            left.remove(mark)
        else:
            rest.append(mark)
    return rest


def _place(mark: Mark) -> str:
    return f"{mark[2]} at {mark[0]}:{mark[1]}"


def _listing(codes: set[str]) -> str:
    return ", ".join(sorted(codes)) or "nothing"


def lint_block(block: PageBlock, registry: Registry) -> list[Finding]:
    """Lint the files of a block in a directory of their own; paths of the findings are relative to it."""
    from spyre_lint.config import Overrides
    from spyre_lint.engine import RunOptions, check_paths
    from spyre_lint.source.files import absolute, relative_path

    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        for name, text in block.files:
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        (root / "spyre-lint.toml").write_text("", encoding="utf-8")  # no configuration from above counts
        options = RunOptions(overrides=Overrides(profile=block.profile), jobs=1)
        report = check_paths([str(root)], options, registry=registry)
        return [
            each.with_(location=replace(each.location, path=relative_path(absolute(each.location.path), str(root))))
            for each in report.findings
        ]


def run_block(block: PageBlock, invariant: Invariant, registry: Registry) -> list[str]:
    """Lint a block and judge it; see `judge_block`."""
    findings = lint_block(block, registry)
    broken = [each.message for each in findings if each.code == "SPY905"]
    return broken or judge_block(block, findings, invariant, registry)
