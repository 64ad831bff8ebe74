"""The files that stand beside a linted one: read here when a check asks for them, so that checks open nothing."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from spyre_lint.source.files import SourceFile, read_text, relative_path
from spyre_lint.source.header import Header, read_header
from spyre_lint.source.notes import NAME as NOTES
from spyre_lint.source.notes import Notes, read_notes


class Beside:
    """A file's directory as the layout of a kernel repository sees it."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._place = Path(file.abspath)

    @property
    def name(self) -> str:
        """The file's own name."""
        return self._place.name

    @property
    def directory(self) -> str:
        """The name of the directory the file is in: that of the kernel."""
        return self._place.parent.name

    def path(self, name: str) -> str:
        """Display path of a file beside this one, whether it exists or not."""
        return relative_path(str(self._place.with_name(name)))

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        return name == self.name or self._place.with_name(name).is_file()

    @cached_property
    def header(self) -> Header:
        """The file's own header."""
        return read_header(self._file)

    @cached_property
    def original_header(self) -> Header | None:
        """The header of `original.py`; None where there is no such file that can be read."""
        if self.name == "original.py" or not self.exists("original.py"):
            return None
        place = str(self._place.with_name("original.py"))
        other = SourceFile(relative_path(place), role="original", abspath=place, listed=False)
        return read_header(other) if other.problem is None else None

    @cached_property
    def notes(self) -> Notes | None:
        """The conversion notes; None where there are none that can be read."""
        if not self.exists(NOTES):
            return None
        text, problem = read_text(str(self._place.with_name(NOTES)))
        return None if problem is not None else read_notes(self.path(NOTES), text)
