"""One Python file as text: reading, decoding, lines.

A `SourceFile` is cheap to make and reads its bytes when they are first asked for. What stands in its way (no
permission, a wrong encoding, too many bytes) is kept as a `SourceProblem`, never raised, so that the rest of a run
goes on.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spyre_lint.findings import Location
    from spyre_lint.source.comments import Comments, Gap

MAX_BYTES = 2 * 1024 * 1024
"""Files above this size are generated data, not kernels; they are named in a note and not read."""


def is_there(path: Path) -> bool:
    """Whether this is a file. What stands in a directory that may not be entered is not there, and no error."""
    try:
        return path.is_file()
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """Why a file could not be read. `size` marks a file left out on purpose, everything else is an error."""

    kind: str
    """`size`, `access` or `encoding`."""
    message: str
    help: str
    line: int = 1


class SourceFile:
    """A file by its display path (relative to the working directory, forward slashes), with its role.

    `listed` tells whether it is one of the files to lint; others are read only because a linted one imports them.
    """

    __slots__ = ("_comments", "_lines", "_problem", "_text", "abspath", "listed", "path", "role")

    def __init__(
        self,
        path: str,
        *,
        role: str = "spyre",
        abspath: str | None = None,
        text: str | None = None,
        listed: bool = True,
    ) -> None:
        self.path = path
        self.abspath = abspath or absolute(path)
        self.role = role
        self.listed = listed
        self._text = None if text is None else normalise_newlines(text)
        self._problem: SourceProblem | None = None
        self._lines: list[str] | None = None
        self._comments: Comments | None = None

    def __repr__(self) -> str:
        return f"SourceFile({self.path!r}, role={self.role!r})"

    def __reduce__(self) -> tuple[Callable[..., SourceFile], tuple[str, str, str, str | None, bool]]:
        """Pickled without its text where that can be read again."""
        on_disk = Path(self.abspath).exists()
        return _rebuild, (self.path, self.role, self.abspath, None if on_disk else self._text, self.listed)

    @property
    def text(self) -> str:
        r"""The decoded text with `\n` line ends and without a byte order mark; empty if it could not be read."""
        if self._text is None:
            self._text, self._problem = read_text(self.abspath)
        return self._text

    @property
    def problem(self) -> SourceProblem | None:
        """What kept the file from being read, if anything did."""
        _ = self.text
        return self._problem

    @property
    def lines(self) -> list[str]:
        r"""The lines without their ends. Only `\n` ends a line, as for Python's parser (not form feeds or U+2028)."""
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines

    def line(self, number: int) -> str:
        """The text of a line counted from 1; empty where there is none."""
        lines = self.lines
        return lines[number - 1] if 0 < number <= len(lines) else ""

    @property
    def comments(self) -> Comments:
        """Suppressions and `# [gap]` declarations, found when first asked for."""
        if self._comments is None:
            from spyre_lint.source.comments import read_comments

            self._comments = read_comments(self.text)
        return self._comments

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """All `# [gap]` declarations in the order of their lines."""
        return self.comments.gaps

    def gap_at(self, location: Location) -> Gap | None:
        """The `# [gap]` on the statement at `location`, or on the comment lines right above that statement."""
        return self.comments.gap_at(location.line) if location.path == self.path else None


def _rebuild(path: str, role: str, abspath: str, text: str | None, listed: bool) -> SourceFile:
    return SourceFile(path, role=role, abspath=abspath, text=text, listed=listed)


def absolute(path: str) -> str:
    """An absolute path with `.` and `..` removed; symbolic links stay as they are, since display paths follow them."""
    return os.path.normpath(Path.cwd() / path)


def relative_path(path: str, start: str | None = None) -> str:
    """A path relative to `start` (None: the working directory), with forward slashes; absolute on another drive."""
    try:
        return os.path.relpath(path, start).replace(os.sep, "/")
    except ValueError:
        return path.replace(os.sep, "/")


def normalise_newlines(text: str) -> str:
    r"""Text with every line end written as `\n`, as Python's parser counts lines."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_text(abspath: str) -> tuple[str, SourceProblem | None]:
    """Read and decode a file: its text, or an empty text and what went wrong."""
    try:
        size = Path(abspath).stat().st_size
        if size > MAX_BYTES:
            return "", SourceProblem(
                "size",
                f"the file has {size} bytes, more than the limit of {MAX_BYTES}; it was not read",
                "split the file, or list it under `exclude` if it holds no kernels",
            )
        data = Path(abspath).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return "", SourceProblem(
            "access", f"the file could not be read: {reason}", "check that it exists and may be read"
        )
    return decode(data)


def decode(data: bytes) -> tuple[str, SourceProblem | None]:
    r"""Decode source bytes as Python does (byte order mark, encoding declaration, else UTF-8), with `\n` line ends."""
    encoding = "utf-8"
    has_mark = data.startswith(codecs.BOM_UTF8)
    head = b"\n".join(data[:1024].replace(b"\r", b"\n").split(b"\n")[:4])
    if b"coding" in head:
        import io
        import tokenize

        try:
            encoding = tokenize.detect_encoding(
                io.BytesIO(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).readline
            )[0]
        except SyntaxError as error:
            return "", SourceProblem(
                "encoding",
                f"the encoding declaration is wrong: {error.msg}",
                "declare `utf-8`, or remove the declaration",
            )
    body = data[len(codecs.BOM_UTF8) :] if has_mark else data
    try:
        return normalise_newlines(body.decode("utf-8" if encoding == "utf-8-sig" else encoding)), None
    except UnicodeDecodeError as error:
        before = body[: error.start]
        line = before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
        return "", SourceProblem(
            "encoding",
            f"the file is not valid {encoding}: {error.reason} (byte 0x{body[error.start]:02x})",
            "save the file as UTF-8, or declare its encoding in a `# -*- coding: ... -*-` line at the top",
            line,
        )
    except (LookupError, ValueError) as error:
        return "", SourceProblem("encoding", f"the file could not be decoded: {error}", "save the file as UTF-8")
