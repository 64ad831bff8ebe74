"""Setting one value in a JSON text and leaving everything else as it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: where its key and its value begin, and where the value ends."""

    key: str
    start: int
    value: int
    end: int


def set_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the value at a path of object keys set; objects on the way are made where they are missing.

    New lines are indented as their neighbours are; an object on one line stays on it.

    Raises:
        ValueError: if the text is no JSON, or a value on the way is no object.
    """
    loaded = json.loads(text)
    changed = _set(text, _skip(text, 0), list(path), value)
    expected = loaded
    for key in path[:-1]:
        expected = expected.setdefault(key, {})
    expected[path[-1]] = value
    if json.loads(changed) != loaded:
        raise ValueError("the text could not be edited in place")
    return changed


def _set(text: str, start: int, path: list[str], value: Any) -> str:
    if text[start] != "{":
        raise ValueError(f"the value at offset {start} is no object")
    members = _members(text, start)
    # Of a key that is written twice the last one counts.
    known = next((member for member in reversed(members) if member.key == path[0]), None)
    if known is not None and len(path) > 1:
        return _set(text, known.value, path[1:], value)
    for key in reversed(path[1:]):
        value = {key: value}
    if known is not None:
        return text[: known.value] + _written(text, known.start, value) + text[known.end :]
    return _added(text, start, members, path[0], value)


def _added(text: str, start: int, members: list[_Member], key: str, value: Any) -> str:
    """An object with one more member, at its end."""
    name = json.dumps(key, ensure_ascii=False)
    if members:
        last = members[-1]
        between = text[members[-2].end : last.start] if len(members) > 1 else f",{text[start + 1 : last.start]}"
        if "\n" not in between and len(members) == 1:
            between = ", "
        written = _written(text, last.start, value) if "\n" in between else json.dumps(value, ensure_ascii=False)
        return f"{text[: last.end]}{between}{name}: {written}{text[last.end :]}"
    newline = _newline(text)
    outer = _indentation(text, start)
    inner = outer + _unit(text)
    written = json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", f"{newline}{inner}")
    close = text.index("}", start)
    return f"{text[:start]}{{{newline}{inner}{name}: {written}{newline}{outer}}}{text[close + 1 :]}"


def _written(text: str, at: int, value: Any) -> str:
    """A value as it is written for a key at an offset: over several lines only where the key has a line of its own."""
    before = text[:at].rpartition("\n")[2]
    if before.strip():
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", f"{_newline(text)}{before}")


def _members(text: str, start: int) -> list[_Member]:
    found: list[_Member] = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)
        _, stop = _DECODER.raw_decode(text, value)
        found.append(_Member(key, at, value, stop))
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _indentation(text: str, at: int) -> str:
    line = text[:at].rpartition("\n")[2]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """What one level is indented by: the spaces before the first key."""
    found = re.search(r"\{\r?\n([ \t]+)\"", text)
    return found.group(1) if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
