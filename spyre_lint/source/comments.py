"""Comments that speak to the tool: suppressions and `# [gap]` declarations.

    x = tl.load(p)  # spyre-lint: ignore[SPY101] reason
    # spyre-lint: ignore[raw-pointer-load, SPY110]
    # spyre-lint: ignore-file[SPY601]          (within the first 20 lines)
    d = tl.make_tensor_descriptor(p + off, ...)  # [gap] the compiler takes no base offset yet

A comment covers the whole statement on any of whose lines it stands; alone on its line it covers the statement below
(other comment lines may stand between, blank lines may not). For a compound statement that is its header, and the
decorators of a function or class are part of it. Strings that look like such comments are not comments: only a file
that mentions the markers at all is tokenised.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

LAST_LINE_FOR_FILE: Final = 20
"""`ignore-file` counts only on lines up to this one, where a reader looks for it."""

DIRECTIVE: Final = re.compile(r"#\s*spyre-lint\s*:\s*([A-Za-z][\w-]*)?\s*(?:\[([^\]]*)(\])?)?")
GAP: Final = re.compile(r"#\s*\[gap\]\s*[:\-]?\s*(.*)", re.DOTALL)

SuppressionKind = Literal["ignore", "ignore-file", "unknown"]


@dataclass(frozen=True, slots=True)
class Listed:
    """One code or name inside the brackets of a suppression, with its columns (from 1, end exclusive)."""

    text: str
    column: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Suppression:
    """One suppression comment. It covers lines `first` to `last`, or the whole file for a valid `ignore-file`.

    `word` is the directive as written; `kind` is `unknown` where it is none the tool knows. `closed` is false where the
    bracket is never closed. `codes` is empty for a bare directive.
    """

    kind: SuppressionKind
    word: str
    line: int
    column: int
    end_column: int
    codes: tuple[Listed, ...]
    first: int
    last: int
    closed: bool = True

    @property
    def covers_file(self) -> bool:
        """Whether it is an `ignore-file` in the place where that counts."""
        return self.kind == "ignore-file" and self.line <= LAST_LINE_FOR_FILE


@dataclass(frozen=True, slots=True)
class Gap:
    """One `# [gap] <limitation>` declaration; it speaks for the statement on lines `first` to `last`."""

    limitation: str
    line: int
    column: int
    end_column: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments of a file that matter to the tool. `statements` are the line ranges of its logical lines, if
    known.
    """

    suppressions: tuple[Suppression, ...] = ()
    gaps: tuple[Gap, ...] = ()
    statements: tuple[tuple[int, int], ...] = ()

    def gap_at(self, line: int) -> Gap | None:
        """The declaration that speaks for the statement at a line."""
        return next((gap for gap in self.gaps if gap.first <= line <= gap.last), None)

    def statement_at(self, line: int) -> tuple[int, int]:
        """First and last line of the statement at a line (the line itself where no statement is known)."""
        index = bisect_left(self.statements, (line + 1, 0)) - 1
        if index >= 0 and self.statements[index][0] <= line <= self.statements[index][1]:
            return self.statements[index]
        return (line, line)


NO_COMMENTS: Final = Comments()


def read_comments(text: str) -> Comments:
    """All suppressions and gap declarations of a file, in the order of their lines."""
    if "spyre-lint" not in text and "[gap]" not in text:
        return NO_COMMENTS
    comments, statements = _scan(text)
    suppressions: list[Suppression] = []
    gaps: list[Gap] = []
    owners = _Owners(comments, statements)
    for comment in comments:
        first, last = owners.range_of(comment)
        for directive in _directives(comment, first, last):
            suppressions.append(directive)
        gap = GAP.search(comment.text)
        if gap:
            said = re.split(r"\s*#\s*spyre-lint\s*:", gap.group(1))[0].strip()
            limitation = " ".join(filter(None, (said, *owners.continuation(comment))))
            column = comment.column + gap.start()
            gaps.append(Gap(limitation, comment.line, column, comment.column + len(comment.text), first, last))
    return Comments(tuple(suppressions), tuple(gaps), tuple(statements))


def statement_ranges(text: str) -> list[tuple[int, int]]:
    """First and last line of every statement of a file, in order."""
    return _scan(text)[1]


@dataclass(frozen=True, slots=True)
class _Comment:
    text: str
    line: int
    column: int
    alone: bool


def _scan(text: str) -> tuple[list[_Comment], list[tuple[int, int]]]:
    """All comments, and the line ranges of all statements; of a file that does not tokenise, what comes before."""
    import tokenize

    comments: list[_Comment] = []
    statements: list[tuple[int, int]] = []
    layout = {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
    start = 0  # line of the first token of the statement, 0 before there is one
    is_decorator = at_line_start = False
    lines = iter([line + "\n" for line in text.split("\n")])
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                comments.append(_Comment(token.string, row, column + 1, not token.line[:column].strip()))
            elif token.type == tokenize.NEWLINE:
                if not is_decorator:
                    statements.append((start, token.start[0]))
                    start = 0
                at_line_start = True
            elif token.type not in layout:
                if not start or at_line_start:
                    is_decorator = token.string == "@"
                start = start or token.start[0]
                at_line_start = False
    except (tokenize.TokenError, SyntaxError):
        pass
    return comments, statements


class _Owners:
    """Which statement a comment speaks for."""

    def __init__(self, comments: list[_Comment], statements: list[tuple[int, int]]) -> None:
        self._alone = {comment.line: comment for comment in comments if comment.alone}
        self._starts = {first: (first, last) for first, last in statements}
        self._statements = statements

    def range_of(self, comment: _Comment) -> tuple[int, int]:
        """Lines of the statement a comment covers, the comment's own line included."""
        index = bisect_left(self._statements, (comment.line + 1, 0)) - 1
        if index >= 0:
            first, last = self._statements[index]
            if first <= comment.line <= last:
                return first, last
        if not comment.alone:
            return comment.line, comment.line
        below = comment.line + 1
        while below in self._alone:
            below += 1
        first, last = self._starts.get(below, (comment.line, comment.line))
        return comment.line, max(last, comment.line)

    def continuation(self, comment: _Comment) -> Iterator[str]:
        """Texts of the comment lines that go on right below a comment that is alone on its line."""
        below = comment.line + 1
        while comment.alone and below in self._alone:
            text = self._alone[below].text
            if DIRECTIVE.search(text) or GAP.search(text):
                return
            yield text.lstrip("#").strip()
            below += 1


def _directives(comment: _Comment, first: int, last: int) -> Iterator[Suppression]:
    """The suppressions written in one comment (a comment may hold several, and other tools' markers before them)."""
    for match in DIRECTIVE.finditer(comment.text):
        word = match.group(1) or ""
        kind: SuppressionKind = "unknown"
        if word == "ignore":
            kind = "ignore"
        elif word == "ignore-file":
            kind = "ignore-file"
        codes = tuple(_listed(match, comment.column))
        column = comment.column + match.start()
        end = comment.column + match.end()
        closed = match.group(2) is None or match.group(3) is not None
        yield Suppression(kind, word, comment.line, column, end, codes, first, last, closed)


def _listed(match: re.Match[str], offset: int) -> Iterator[Listed]:
    inside = match.group(2)
    if inside is None:
        return
    for item in re.finditer(r"[^,\s][^,]*", inside):
        text = item.group().rstrip()
        column = offset + match.start(2) + item.start()
        yield Listed(text, column, column + len(text))
