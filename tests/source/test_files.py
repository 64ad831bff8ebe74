from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from spyre_lint.findings import Location
from spyre_lint.source import files
from spyre_lint.source.files import SourceFile, decode, is_there


def write(path: Path, data: bytes) -> SourceFile:
    path.write_bytes(data)
    return SourceFile(path.name, abspath=str(path))


def test_line_ends_are_those_of_the_parser(tmp_path: Path) -> None:
    file = write(tmp_path / "a.py", b"a = 1\r\nb = '\x0c'\rc = 3\nd = '\xe2\x80\xa8'\n")
    assert file.problem is None
    assert file.text == "a = 1\nb = '\x0c'\nc = 3\nd = '\u2028'\n"
    assert file.lines == ["a = 1", "b = '\x0c'", "c = 3", "d = '\u2028'", ""]
    assert file.line(3) == "c = 3"
    assert file.line(0) == file.line(6) == ""


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfx = '\xc3\xa9'\n", "x = 'é'\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (b"#!/usr/bin/env python\r\n# vim: set fileencoding=cp1252 :\r\nx = '\x80'\r\n", None),
        (b"\xef\xbb\xbf# coding: utf-8\nx = 1\n", "# coding: utf-8\nx = 1\n"),
        (b"x = 'coding'\n", "x = 'coding'\n"),
        (b"", ""),
    ],
)
def test_declared_encodings(data: bytes, text: str | None) -> None:
    if text is None:
        text = "#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\nx = '€'\n"
    assert decode(data) == (text, None)


def test_wrong_bytes_are_a_problem_with_their_line(tmp_path: Path) -> None:
    file = write(tmp_path / "a.py", b"a = 1\r\nb = 2\nc = '\xff'\n")
    assert file.text == ""
    assert file.problem is not None
    assert file.problem.kind == "encoding"
    assert file.problem.line == 3
    assert "0xff" in file.problem.message
    assert "UTF-8" in file.problem.help


@pytest.mark.parametrize(
    "data", [b"# coding: klingon\nx = 1\n", b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", b"# coding: rot13\nx = 1\n"]
)
def test_unusable_declarations_are_problems(data: bytes) -> None:
    text, problem = decode(data)
    assert text == ""
    assert problem is not None
    assert problem.kind == "encoding"


def test_a_file_over_the_limit_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    assert write(tmp_path / "fits.py", b"x = 1\n    ").problem is None
    problem = write(tmp_path / "big.py", b"x = 1\n     ").problem
    assert problem is not None
    assert problem.kind == "size"
    assert "11 bytes" in problem.message
    assert "10" in problem.message


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    problem = SourceFile("gone.py", abspath=str(tmp_path / "gone.py")).problem
    assert problem is not None
    assert problem.kind == "access"


def test_what_cannot_be_opened_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "dir.py").mkdir()
    problem = SourceFile("dir.py", abspath=str(tmp_path / "dir.py")).problem
    assert problem is not None
    assert problem.kind == "access"


def test_pickling_leaves_the_text_behind(tmp_path: Path) -> None:
    file = write(tmp_path / "a.py", b"x = 1\n" * 1000)
    assert len(file.text) == 6000
    data = pickle.dumps(file)
    assert len(data) < 1000
    again = pickle.loads(data)
    assert (again.path, again.role, again.text) == (file.path, file.role, file.text)


def test_pickling_keeps_a_text_that_is_on_no_disk() -> None:
    again = pickle.loads(pickle.dumps(SourceFile("nowhere/a.py", text="x = 1\r\n")))
    assert again.text == "x = 1\n"


def test_gap_at_a_location_of_this_file_only() -> None:
    file = SourceFile("a.py", text="x = f(  # [gap] no base offsets\n    1,\n)\n")
    gap = file.gap_at(Location("a.py", 2, 5))
    assert gap is not None
    assert gap.limitation == "no base offsets"
    assert file.gap_at(Location("b.py", 2, 5)) is None
    assert file.gaps == (gap,)


def test_what_may_not_be_looked_at_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "spyre-lint.toml"
    assert not is_there(path)
    path.touch()
    assert is_there(path)

    def refuse(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_file", refuse)
    assert not is_there(path)
