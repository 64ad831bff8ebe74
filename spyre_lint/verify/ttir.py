"""A parser for the text of TTIR modules, and what is counted in them.

It understands the shape of MLIR's text (results, operands, regions, blocks, successors, locations) and only as much of
each operation's own syntax as its result types need. An operation it cannot read raises `TtirError` with its line:
a referee that guesses is none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from spyre_lint.verify.mlir_types import (
    LocationTable,
    MlirType,
    SourceLoc,
    find_top,
    parse_type,
    pointee_tile,
    split_top,
)


class TtirError(ValueError):
    """The text is no TTIR that this parser knows; the message has the line number and the line."""


@dataclass(eq=False, slots=True)
class Value:
    """One SSA value. `name` is its SSA name (`%acc_8`, `%4#1`), `label` the author's name for it, or empty."""

    name: str
    type: MlirType
    label: str = ""

    def __repr__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclass(eq=False, slots=True)
class Successor:
    """A block that a branch may go to, with the values handed to its arguments."""

    label: str
    operands: list[Value]


@dataclass(eq=False, slots=True)
class Operation:
    """One operation; `index` is its place in the text (operations are numbered in textual order, from 0)."""

    name: str
    index: int
    operands: list[Value] = field(default_factory=list)
    results: list[Value] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    successors: list[Successor] = field(default_factory=list)
    head: str = ""
    """The operation's own text without results and location (string literals emptied)."""
    loc: SourceLoc = field(default_factory=SourceLoc)
    symbol: str = ""
    """The function a `tt.call` calls, or a `tt.func` defines."""

    @property
    def line(self) -> int:
        """Line of the kernel file this comes from; 0 if unknown."""
        return self.loc.line

    def walk(self) -> Iterator[Operation]:
        """This operation and all in its regions, in textual order."""
        yield self
        for region in self.regions:
            for block in region.blocks:
                for op in block.ops:
                    yield from op.walk()


@dataclass(eq=False, slots=True)
class Block:
    """A straight run of operations; `label` is empty for an unlabelled entry block."""

    label: str = ""
    args: list[Value] = field(default_factory=list)
    ops: list[Operation] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Region:
    """Blocks of one region, the entry first."""

    blocks: list[Block] = field(default_factory=list)


@dataclass(eq=False)
class Module:
    """A parsed TTIR module."""

    functions: dict[str, Operation]

    @cached_property
    def kernel(self) -> Operation:
        """The public function: the kernel itself."""
        for function in self.functions.values():
            if re.match(r"tt\.func public\b", function.head):
                return function
        raise TtirError("the module has no public function")


def parse_ttir(text: str) -> Module:
    """Parse the text of a TTIR module, printed with or without locations; `TtirError` if it can't be read."""
    return _Parser(text).module()


_SSA = re.compile(r"%[\w$.-]+(?:#\d+)?")
_RESULTS = re.compile(r"((?:%[\w$.-]+(?::\d+)?(?:, )?)+) = ")
_RESULT = re.compile(r"(%[\w$.-]+)(?::(\d+))?")
_OP_NAME = re.compile(r'"?([a-z_]\w*(?:\.\w+)*)"?')
_SYMBOL = re.compile(r'@("[^"]*"|[\w$.-]+)')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMMENT = re.compile(r"\s*// .*$")
_UNIQUE_SUFFIX = re.compile(r"_\d+\Z")
_ANONYMOUS = re.compile(r"%(?:\d+|arg\d+|cst|c-?\w*_i\d+|true|false)\Z")
_FOR = re.compile(
    r"scf\.for(?: unsigned)? (%\S+) = (%\S+) to (%\S+) step (%\S+)"
    r"(?: iter_args\((.*?)\) -> \((.*)\))?\s*: (\w+)\Z"
)
_WHILE = re.compile(r"scf\.while(?: \((.*?)\))? : \((.*?)\) -> (.*)\Z")

_BOOLEAN_RESULT = {"arith.cmpi", "arith.cmpf", "math.isnan", "math.isinf", "math.isfinite", "math.isnormal"}
_FIRST_TYPE = {"tt.addptr", "tt.advance", "math.fpowi"}
_LAST_TYPE = {"arith.select", "tt.make_tensor_descriptor"}


class _Parser:
    def __init__(self, text: str) -> None:
        self._locations = LocationTable(text)
        self._lines = text.splitlines()
        self._at = 0
        self._count = 0
        self._scopes: list[dict[str, Value]] = [{}]
        self._closing_line = ""  # the line that ended the region parsed last
        self._closing_text = ""  # what stood on it after the bracket, without its location

    def module(self) -> Module:
        functions: dict[str, Operation] = {}
        while (line := self._next()) is not None:
            if line.startswith("module"):
                continue
            if line.startswith("}"):  # the end of the module
                continue
            op = self._operation(line)
            if op.name != "tt.func":
                raise self._error(f"{op.name} outside a function")
            functions[op.symbol] = op
        if not functions:
            raise TtirError("the text holds no function")
        return Module(functions)

    # Lines

    def _next(self) -> str | None:
        """The next line that is neither blank nor a location alias, stripped, without comments."""
        while self._at < len(self._lines):
            line = _COMMENT.sub("", self._lines[self._at].strip())
            self._at += 1
            if line and not line.startswith("#"):
                return line
        return None

    def _error(self, message: str) -> TtirError:
        line = self._lines[self._at - 1].strip() if 0 < self._at <= len(self._lines) else ""
        return TtirError(f"TTIR line {self._at}: {message}: {line[:200]}")

    def _strip_loc(self, line: str) -> tuple[str, SourceLoc]:
        start = line.rfind(" loc(")
        if start < 0 or not line.endswith(")"):
            return line, SourceLoc()
        return line[:start].rstrip(), self._locations.resolve(line[start + len(" loc(") : -1])

    # Values

    def _define(self, name: str, type_: MlirType, loc: SourceLoc | None = None) -> Value:
        label = loc.name if loc is not None else ""
        if not label and not _ANONYMOUS.match(_UNIQUE_SUFFIX.sub("", name.split("#")[0])):
            label = _UNIQUE_SUFFIX.sub("", name[1:].split("#")[0])
        value = Value(name, type_, label)
        self._scopes[-1][name] = value
        return value

    def _use(self, name: str) -> Value:
        for scope in reversed(self._scopes):
            value = scope.get(name)
            if value is not None:
                return value
        raise self._error(f"{name} is used before it is defined")

    def _uses(self, text: str) -> list[Value]:
        return [self._use(name) for name in _SSA.findall(text)]

    def _typed_args(self, text: str) -> list[Value]:
        """Block arguments spelled `%a: type {attributes} loc(...), ...`, defined in the current scope."""
        args = []
        for part in split_top(text):
            name, _, rest = part.partition(":")
            rest, loc = self._strip_loc(rest.strip())
            attributes = find_top(rest, " {")
            args.append(self._define(name.strip(), parse_type(rest if attributes < 0 else rest[:attributes]), loc))
        return args

    # Operations and regions

    def _operation(self, line: str) -> Operation:
        index, self._count = self._count, self._count + 1
        line, loc = self._strip_loc(line)
        names: list[str] = []
        match = _RESULTS.match(line)
        if match is not None:
            for result in _RESULT.finditer(match.group(1)):
                count = int(result.group(2) or 0)
                names.extend([f"{result.group(1)}#{i}" for i in range(count)] if count else [result.group(1)])
            line = line[match.end() :]
        match = _OP_NAME.match(line)
        if match is None:
            raise self._error("no operation")
        op = Operation(match.group(1), index, loc=loc)
        op.head = op.name + _STRING.sub('""', line[match.end() :])
        if op.name == "tt.func":
            self._function(op, line)
            return op
        if op.name.startswith("scf.") and line.endswith("{"):
            types = self._structured(op)
        else:
            types = self._plain(op, len(names))
        if len(types) != len(names):
            raise self._error(f"{op.name} has {len(names)} results, {len(types)} types are readable")
        op.results = [self._define(n, t, op.loc) for n, t in zip(names, types, strict=True)]
        return op

    def _function(self, op: Operation, line: str) -> None:
        match = _SYMBOL.search(line)
        if match is None:
            raise self._error("a function without a name")
        op.symbol = match.group(1).strip('"')
        op.head = line[: match.start()].strip()
        self._scopes.append({})
        opening = line.index("(", match.end())
        args = self._typed_args(line[opening + 1 : _closing(line, opening)])
        if line.endswith("{"):
            op.loc = self._regions(op, args)
        self._scopes.pop()

    def _structured(self, op: Operation) -> list[MlirType]:
        """Parse `scf.for`, `scf.while` or `scf.if`; returns the types of its results."""
        head = op.head[:-1].rstrip()
        self._scopes.append({})
        if op.name == "scf.for":
            match = _FOR.match(head)
            if match is None:
                raise self._error("a loop that can't be read")
            pairs = [part.split(" = ") for part in split_top(match.group(5) or "")]
            types = [parse_type(text) for text in split_top(match.group(6) or "")]
            op.operands = [self._use(name) for name in (*match.groups()[1:4], *(init for _, init in pairs))]
            args = [self._define(match.group(1), parse_type(match.group(7)))]
            args += [self._define(name, type_) for (name, _), type_ in zip(pairs, types, strict=True)]
        elif op.name == "scf.while":
            match = _WHILE.match(head)
            if match is None:
                raise self._error("a loop that can't be read")
            pairs = [part.split(" = ") for part in split_top(match.group(1) or "")]
            op.operands = [self._use(init) for _, init in pairs]
            initial = [parse_type(text) for text in split_top(match.group(2))]
            args = [self._define(name, type_) for (name, _), type_ in zip(pairs, initial, strict=True)]
            types = _type_list(match.group(3))
        elif op.name == "scf.if":
            condition, _, rest = head.partition("->")
            op.operands, args, types = self._uses(condition), [], _type_list(rest)
        else:
            raise self._error(f"{op.name} is not known")
        loc = self._regions(op, args)
        op.loc = loc if loc.frames else op.loc
        self._scopes.pop()
        return types

    def _plain(self, op: Operation, results: int) -> list[MlirType]:
        """Parse an operation whose regions, if any, are in generic form; returns the types of its results."""
        generic = op.head.endswith("({")
        head = op.head[:-2] if generic else op.head
        if head.endswith("{"):
            raise self._error(f"{op.name} is not known")
        for label, operands in re.findall(r"(\^\w+)(?:\(([^)]*)\))?", head):
            op.successors.append(Successor(label, self._uses(operands)))
        match = _SYMBOL.search(head)
        op.symbol = match.group(1).strip('"') if match is not None and op.name == "tt.call" else ""
        op.operands = self._uses(head)
        if generic:
            op.loc = self._regions(op, [])
            head = op.head = head.rstrip() + " " + _COMMENT.sub("", self._closing_text)
        return self._result_types(op, head, results)

    def _result_types(self, op: Operation, head: str, results: int) -> list[MlirType]:
        if results == 0:
            return []
        colon = find_top(head, " : ")
        if colon < 0:
            if op.name == "arith.constant":  # `arith.constant true`
                return [parse_type("i1")]
            raise self._error(f"{op.name} shows no type")
        text = head[colon + 3 :]
        arrow = find_top(text, "->")
        if arrow >= 0:
            types = _type_list(text[arrow + 2 :])
            return types * results if len(types) == 1 else types
        to = find_top(text, " to ")
        if to >= 0:
            return [parse_type(text[to + 4 :])]
        types = [parse_type(part) for part in split_top(text)]
        if op.name in _BOOLEAN_RESULT:
            first = types[0]
            shape = "".join(f"{size}x" for size in first.shape)
            return [parse_type(f"tensor<{shape}i1>" if first.kind == "tile" else "i1")]
        if op.name == "tt.load":
            return [pointee_tile(types[0])]
        if op.name in _FIRST_TYPE or (len(types) == 1 and results > 1):
            return types[:1] * results
        return types[-1:] if op.name in _LAST_TYPE else types

    def _regions(self, op: Operation, entry_args: list[Value]) -> SourceLoc:
        """Parse regions up to the line that closes the last one; keeps that line's rest and returns its location."""
        self._scopes.append({value.name: value for value in entry_args})
        while True:
            op.regions.append(self._region(entry_args if not op.regions else []))
            line = self._closing_line
            if line.endswith("{") and line.startswith(("} else", "} do", "}, {")):
                self._scopes[-1] = {}
                continue
            break
        self._scopes.pop()
        line, loc = self._strip_loc(line)
        self._closing_text = line.lstrip("})").strip()
        return loc

    def _region(self, entry_args: list[Value]) -> Region:
        region = Region([Block(args=entry_args)])
        while (line := self._next()) is not None:
            if line.startswith("}"):
                self._closing_line = line
                return region
            if line.startswith("^"):
                label, _, args = line.rstrip(":").partition("(")
                block = region.blocks[-1]
                if block.ops or block.args:
                    block = Block()
                    region.blocks.append(block)
                block.label = label
                block.args = self._typed_args(args.rstrip()[:-1]) if args else []
                continue
            region.blocks[-1].ops.append(self._operation(line))
        raise self._error("a region is not closed")


def _closing(text: str, opening: int) -> int:
    """Index of the bracket that closes the one at `opening`."""
    depth = 0
    index = opening
    while index < len(text):
        if text.startswith("->", index):
            index += 2
            continue
        depth += (text[index] in "([{<") - (text[index] in ")]}>")
        if depth == 0:
            return index
        index += 1
    raise TtirError(f"unbalanced brackets: {text[:200]}")


def _type_list(text: str) -> list[MlirType]:
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    return [parse_type(part) for part in split_top(text)]


# What is counted

_COUNTED = {
    "tt.descriptor_load": "load",
    "tt.descriptor_gather": "gather",
    "tt.dot": "dot",
    "tt.dot_scaled": "dot",
    "tt.reduce": "reduce",
}

TileKey = tuple[str, tuple[int, ...], str]
"""Kind (`load`, `gather`, `dot`, `reduce`), shape, element type in Triton's spelling."""


@dataclass(frozen=True, slots=True)
class TileSite:
    """One counted tile: its key, and where the operation comes from (`loc.line` is the line in the kernel)."""

    key: TileKey
    loc: SourceLoc


def tile_sites(module: Module, functions: Sequence[str] | None = None) -> list[TileSite]:
    """The tiles that descriptor loads and gathers, dots and reductions give, in textual order.

    Over the module's functions, or those named. Each result of an operation counts; a reduction to a scalar has an
    empty shape. MLIR's integers are signless: an unsigned tile counts as signed.
    """
    chosen = [module.functions[name] for name in functions] if functions is not None else module.functions.values()
    sites: list[TileSite] = []
    for function in chosen:
        for op in function.walk():
            kind = _COUNTED.get(op.name)
            if kind is not None:
                keys = [(kind, value.type.shape, _signless(value.type.dtype)) for value in op.results]
                sites.extend(TileSite(key, op.loc) for key in keys)
    return sites


def tile_types(module: Module, functions: Sequence[str] | None = None) -> Counter[TileKey]:
    """How often each kind of operation gives each type of tile; see `tile_sites` for what is counted."""
    return Counter(site.key for site in tile_sites(module, functions))


def _signless(dtype: str) -> str:
    return f"i{dtype[1:]}" if dtype[:1] == "u" else dtype
