"""Types and source locations as TTIR prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Literal

Kind = Literal["tile", "scalar", "pointer", "descriptor", "other"]

# MLIR's names of floating-point types and those Triton's users know; integers are the same in both (MLIR's are
# signless, so an unsigned tile shows as `i32` here).
_FLOAT_NAMES = {
    "f16": "fp16",
    "bf16": "bf16",
    "f32": "fp32",
    "f64": "fp64",
    "f8E4M3FN": "fp8e4nv",
    "f8E5M2": "fp8e5",
    "f8E4M3FNUZ": "fp8e4b8",
    "f8E4M3B11FNUZ": "fp8e4b15",
    "f8E5M2FNUZ": "fp8e5b16",
}

_POINTER_BITS = 64
_ELEMENT = re.compile(r"(?:[su]?i|f|bf)(\d+)\w*\Z")
_SHAPED = re.compile(r"(?P<shape>(?:\d+x)*)(?P<element>.+)", re.DOTALL)
_SHORT_ELEMENT = re.compile(r"<?\s*([A-Za-z]\w*)\s*(?:,.*)?>?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class MlirType:
    """A type of TTIR. `shape` and `dtype` say what a tile or a descriptor's block holds.

    `dtype` is the name Triton's users know (`fp16`, `i32`; `*` for tiles of pointers), `element_bits` the width of an
    element; both describe the pointee for a pointer. A rank-0 tensor is a tile without dimensions and weighs nothing.
    """

    kind: Kind
    text: str
    shape: tuple[int, ...] = ()
    dtype: str = ""
    element_bits: int = 0

    @property
    def is_tile(self) -> bool:
        """Whether this is a tensor of rank 1 or more."""
        return self.kind == "tile" and bool(self.shape)

    @property
    def tile_bytes(self) -> int:
        """Bytes a value of this type takes in the scratchpad; an i1 element takes one byte, a pointer eight."""
        if not self.is_tile:
            return 0
        return prod(self.shape) * max(1, self.element_bits // 8)

    def __str__(self) -> str:
        return f"<{'x'.join(map(str, (*self.shape, self.dtype)))}>" if self.is_tile else self.text


def element_name(text: str) -> tuple[str, int]:
    """Name (in Triton's spelling) and width in bits of a scalar element type; an unknown one keeps its text and 0."""
    match = _ELEMENT.match(text)
    if match is None:
        return text, 0
    name = _FLOAT_NAMES.get(text, text)
    if name[0] == "s":
        name = name[1:]
    return name.replace("ui", "u"), int(match.group(1))


@lru_cache(maxsize=4096)
def parse_type(text: str) -> MlirType:
    """The type that `text` spells; one of kind `other` if it is none that TTIR's values have."""
    text = text.strip()
    for prefix in ("tensor<", "!tt.tensordesc<", "<"):
        if text.startswith(prefix) and text.endswith(">"):
            return _shaped(text, text[len(prefix) : -1], "tile" if prefix == "tensor<" else "descriptor")
    if text.startswith("!tt.ptr<"):
        match = _SHORT_ELEMENT.match(text[len("!tt.ptr") :])
        name, bits = element_name(match.group(1)) if match else ("?", 0)
        return MlirType("pointer", text, dtype=name, element_bits=bits)
    if _ELEMENT.match(text):
        name, bits = element_name(text)
        return MlirType("scalar", text, dtype=name, element_bits=bits)
    return MlirType("other", text)


def _shaped(text: str, inner: str, kind: Kind) -> MlirType:
    match = _SHAPED.match(inner)
    if match is None:
        return MlirType("other", text)
    shape = tuple(int(size) for size in match.group("shape").split("x") if size)
    element = match.group("element")
    if element.startswith("!tt.ptr<"):
        return MlirType(kind, text, shape, "*", _POINTER_BITS)
    if element.startswith("tensor<") and element.rstrip().endswith(">"):  # a descriptor spelled around its block type
        return _shaped(text, element.rstrip()[len("tensor<") : -1], kind)
    name, bits = element_name(element.split(",", 1)[0].strip())
    return MlirType(kind, text, shape, name, bits) if bits else MlirType("other", text)


def pointee_tile(type_: MlirType) -> MlirType:
    """What a load through `type_` (a pointer or a tile of pointers) gives."""
    if type_.kind != "tile":
        return MlirType("scalar", type_.text, dtype=type_.dtype, element_bits=type_.element_bits)
    start = type_.text.index("!tt.ptr<") + len("!tt.ptr<")
    element = re.split(r"[,>]", type_.text[start:], maxsplit=1)[0]
    return parse_type(f"tensor<{'x'.join(map(str, type_.shape))}x{element}>")


@dataclass(frozen=True, slots=True)
class Frame:
    """One place in a Python file; line and column from 1."""

    path: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class SourceLoc:
    """Where an operation comes from: the author's name for its value, and the frames, innermost call first."""

    name: str = ""
    frames: tuple[Frame, ...] = ()

    @property
    def line(self) -> int:
        """The line in the kernel itself (the outermost frame); 0 if unknown."""
        return self.frames[-1].line if self.frames else 0


_FILE_LOC = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_NAME_LOC = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:\((.*)\))?\Z', re.DOTALL)
_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)\s*$")


class LocationTable:
    """Resolves the location aliases (`#loc12`) of one module."""

    def __init__(self, text: str) -> None:
        self._aliases = {m.group(1): m.group(2) for m in map(_ALIAS.match, text.splitlines()) if m is not None}
        self._resolved: dict[str, SourceLoc] = {}

    def resolve(self, text: str) -> SourceLoc:
        """The location spelled `text` (an alias or the inside of `loc(...)`); an empty one if it says nothing."""
        text = text.strip()
        known = self._resolved.get(text)
        if known is None:
            known = self._resolved[text] = self._parse(text)
        return known

    def _parse(self, text: str) -> SourceLoc:
        if text.startswith("#"):
            target = self._aliases.get(text)
            return SourceLoc() if target is None else self.resolve(target)
        if text.startswith("callsite(") and text.endswith(")"):
            callee, caller = _split_callsite(text[len("callsite(") : -1])
            inner, outer = self.resolve(callee), self.resolve(caller)
            return SourceLoc(inner.name or outer.name, inner.frames + outer.frames)
        if text.startswith("fused"):
            parts = [self.resolve(part) for part in split_top(text[text.index("[") + 1 : text.rindex("]")])]
            return next((part for part in parts if part.frames), SourceLoc())
        match = _FILE_LOC.match(text)
        if match is not None:
            return SourceLoc("", (Frame(match.group(1), int(match.group(2)), int(match.group(3))),))
        match = _NAME_LOC.match(text)
        if match is not None:
            child = self.resolve(match.group(2)) if match.group(2) else SourceLoc()
            return SourceLoc(match.group(1), child.frames)
        return SourceLoc()


def _split_callsite(text: str) -> tuple[str, str]:
    depth = 0
    for index, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if depth == 0 and text.startswith(" at ", index):
            return text[:index], text[index + 4 :]
    return text, ""


def find_top(text: str, separator: str, start: int = 0) -> int:
    """Index of the first `separator` outside brackets of any kind, from `start` on; -1 if there is none.

    The `>` of an arrow closes nothing.
    """
    depth = 0
    index = start
    while index < len(text):
        if depth == 0 and text.startswith(separator, index):
            return index
        if text.startswith("->", index):
            index += 2
            continue
        char = text[index]
        depth += (char in "([{<") - (char in ")]}>")
        index += 1
    return -1


def split_top(text: str, separator: str = ",") -> list[str]:
    """`text` cut at every `separator` outside brackets, each part stripped; no parts if it is blank."""
    parts: list[str] = []
    start = 0
    while (index := find_top(text, separator, start)) >= 0:
        parts.append(text[start:index].strip())
        start = index + len(separator)
    last = text[start:].strip()
    return [*parts, last] if parts or last else []
