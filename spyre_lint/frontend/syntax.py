"""Parsed files: astroid trees, source ranges, and the names a scope binds.

astroid is used as a parser only: no transforms, no inference, no import of linted code.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from astroid import nodes
from astroid.builder import AstroidBuilder
from astroid.exceptions import AstroidError, AstroidSyntaxError
from astroid.manager import AstroidManager
from astroid.raw_building import InspectBuilder

from spyre_lint.findings import Location

MAX_SOURCE_TEXT = 200
"""Longest piece of source text quoted in a result, in characters."""


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """Why a file does not parse; `line` and `column` count from 1."""

    message: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Guard:
    """One branch a statement stands in: `node` is the `if`, `try`, loop or `with`; `branch` which part of it."""

    node: nodes.NodeNG
    branch: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement that binds a name in a scope.

    `value` is the expression assigned, `path` the way into it for tuple targets (`a, (b, c) = v`: c is (1, 1)).
    `target` is the dotted module of an import, `level` its leading dots, `attr` the imported name (None: the module).
    """

    kind: Literal["import", "assign", "def", "class", "param", "other"]
    node: nodes.NodeNG
    value: nodes.NodeNG | None = None
    path: tuple[int, ...] = ()
    target: str = ""
    level: int = 0
    attr: str | None = None
    guards: tuple[Guard, ...] = ()


@dataclass(slots=True)
class Scope:
    """The names that the statements of one module, class or function body bind, in source order."""

    names: dict[str, list[Entry]]
    stars: list[Entry]
    """`from m import *` statements."""


class Module:
    """A parsed file.

    `path` is the display path the source layer gave, `text` the file's text with LF line ends, `tree` its astroid
    module. Positions are lines and columns from 1; columns count characters, where astroid counts UTF-8 bytes.
    """

    def __init__(self, path: str, text: str, tree: nodes.Module) -> None:
        self.path = path
        self.text = text
        self.tree = tree
        self.lines = text.split("\n")
        self._scopes: dict[nodes.NodeNG, Scope] = {}
        self._calls: list[nodes.Call | nodes.Subscript] | None = None

    def __repr__(self) -> str:
        return f"Module({self.path!r})"

    @property
    def scope(self) -> Scope:
        """The module's own names."""
        return self.scope_of(self.tree)

    @property
    def calls(self) -> list[nodes.Call | nodes.Subscript]:
        """All calls and subscripts of the file, in source order."""
        if self._calls is None:
            self._calls = [node for node in walk(self.tree) if isinstance(node, (nodes.Call, nodes.Subscript))]
        return self._calls

    def scope_of(self, node: nodes.NodeNG) -> Scope:
        """The names a module, class, function, lambda or comprehension binds (parameters included)."""
        scope = self._scopes.get(node)
        if scope is None:
            scope = self._scopes[node] = build_scope(node)
        return scope

    def column(self, line: int, offset: int) -> int:
        """The column, counted in characters from 1, of a UTF-8 byte offset in a line."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        if text.isascii():
            return offset + 1
        return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace")) + 1

    def location(self, node: nodes.NodeNG) -> Location:
        """The range of a node; its end is exclusive. A node without a position gets line 1."""
        line = node.lineno or getattr(node, "fromlineno", None) or 1
        end_line = getattr(node, "end_lineno", None) or line
        start = self.column(line, getattr(node, "col_offset", None) or 0)
        end_offset = getattr(node, "end_col_offset", None)
        end = start + 1 if end_offset is None else self.column(end_line, end_offset)
        return Location(self.path, line, start, end_line, end)

    def name_location(self, node: nodes.FunctionDef | nodes.ClassDef) -> Location:
        """The range of the name in `def name` or `class name`."""
        # `lineno` is that of the first decorator; `position` reaches from the keyword to the end of the name.
        position = node.position
        if position is None:
            return self.location(node)
        line, end = position.end_lineno, self.column(position.end_lineno, position.end_col_offset)
        return Location(self.path, line, end - len(node.name), line, end)

    def source(self, node: nodes.NodeNG) -> str:
        """The text of a node on one line, shortened where it is long."""
        at = self.location(node)
        rows = self.lines[at.line - 1 : at.end_line]
        if not rows:
            return ""
        rows[-1] = rows[-1][: at.end_column - 1]
        rows[0] = rows[0][at.column - 1 :]
        text = " ".join(" ".join(rows).split())
        return text if len(text) <= MAX_SOURCE_TEXT else text[: MAX_SOURCE_TEXT - 3] + "..."


class _TreeBuilder(AstroidBuilder):  # type: ignore[misc]  # astroid ships no types
    """Builds a tree and nothing else.

    The steps left out follow star imports and infer what attributes are set on: both read other modules, installed ones
    included, which linting must not do, and take far longer than parsing. Left out as well are the trees of the
    built-in types, which only inference needs and which take longer to make than astroid takes to import.
    """

    def __init__(self) -> None:
        InspectBuilder.__init__(self, AstroidManager())
        self._apply_transforms = False

    def add_from_names_to_locals(self, node: nodes.ImportFrom, global_name: object) -> None:
        """Names that imports bind are found in `Scope`, not in the tree."""

    def delayed_assattr(self, node: nodes.AssignAttr) -> None:
        """Attributes set on objects are of no interest."""


def parse(path: str, text: str) -> Module | SyntaxProblem:
    """Parse a file's text. Never raises: what does not parse is a `SyntaxProblem`.

    That includes null bytes, text that UTF-8 cannot hold, and nesting too deep for the parser.
    """
    collecting = gc.isenabled()
    gc.disable()  # a tree is all live objects: collecting while it is built costs a third of the time and frees nothing
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            builder = _TreeBuilder()
            tree = builder.string_build(text, modname=path, path=path)
        return Module(path, text, tree)
    except AstroidSyntaxError as error:
        return _problem(error.error)
    except (RecursionError, MemoryError) as error:
        return _problem(error)
    except (SyntaxError, ValueError, AstroidError) as error:
        return _problem(error)
    finally:
        if collecting:
            gc.enable()


def _problem(error: BaseException | None) -> SyntaxProblem:
    if isinstance(error, SyntaxError):
        return SyntaxProblem(error.msg or "invalid syntax", max(error.lineno or 1, 1), max(error.offset or 1, 1))
    if isinstance(error, (RecursionError, MemoryError)):
        return SyntaxProblem("nesting is too deep for the parser")
    return SyntaxProblem(str(error) or type(error).__name__)


def walk(node: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    """A node and everything below it, in source order; iterative, since it runs over whole files often."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        below = list(current.get_children())
        below.reverse()
        stack.extend(below)


def build_scope(owner: nodes.NodeNG) -> Scope:
    """Collect what a scope's own statements bind; nested functions and classes are names, not entered."""
    scope = Scope({}, [])
    if isinstance(owner, (nodes.FunctionDef, nodes.Lambda)):
        for argument in parameter_nodes(owner):
            _add(scope, argument.name, Entry("param", argument))
    if isinstance(owner, (nodes.Module, nodes.ClassDef, nodes.FunctionDef)):
        _collect(scope, owner.body, ())
    elif isinstance(owner, nodes.ComprehensionScope):
        for generator in owner.generators:
            _targets(scope, generator.target, None, generator, ())
    return scope


def parameter_nodes(function: nodes.FunctionDef | nodes.Lambda) -> list[nodes.AssignName]:
    """All parameters in order: positional, `*args`, keyword-only, `**kwargs`."""
    arguments = function.args
    found: list[nodes.AssignName] = [*(arguments.posonlyargs or []), *(arguments.args or [])]
    if arguments.vararg_node is not None:
        found.append(arguments.vararg_node)
    found.extend(arguments.kwonlyargs or [])
    if arguments.kwarg_node is not None:
        found.append(arguments.kwarg_node)
    return found


def _add(scope: Scope, name: str, entry: Entry) -> None:
    scope.names.setdefault(name, []).append(entry)


def _collect(scope: Scope, body: list[nodes.NodeNG], guards: tuple[Guard, ...]) -> None:
    for node in body:
        if isinstance(node, nodes.Import):
            for name, alias in node.names:
                bound = alias or name.split(".")[0]
                _add(scope, bound, Entry("import", node, target=name if alias else bound, guards=guards))
        elif isinstance(node, nodes.ImportFrom):
            _collect_from(scope, node, guards)
        elif isinstance(node, nodes.Assign):
            for target in node.targets:
                _targets(scope, target, node.value, node, guards)
        elif isinstance(node, nodes.AnnAssign):
            if node.value is not None:
                _targets(scope, node.target, node.value, node, guards)
        elif isinstance(node, nodes.AugAssign):
            _targets(scope, node.target, None, node, guards)
        elif isinstance(node, nodes.FunctionDef):
            _add(scope, node.name, Entry("def", node, guards=guards))
        elif isinstance(node, nodes.ClassDef):
            _add(scope, node.name, Entry("class", node, guards=guards))
        else:
            _collect_compound(scope, node, guards)


def _collect_from(scope: Scope, node: nodes.ImportFrom, guards: tuple[Guard, ...]) -> None:
    level = node.level or 0
    for name, alias in node.names:
        entry = Entry("import", node, target=node.modname or "", level=level, attr=name, guards=guards)
        if name == "*":
            scope.stars.append(entry)
        else:
            _add(scope, alias or name, entry)


def _collect_compound(scope: Scope, node: nodes.NodeNG, guards: tuple[Guard, ...]) -> None:
    if isinstance(node, nodes.For):
        _targets(scope, node.target, None, node, guards)
    elif isinstance(node, nodes.With):
        for _, target in node.items:
            if target is not None:
                _targets(scope, target, None, node, guards)
    for branch, body in branches(node):
        _collect(scope, body, (*guards, Guard(node, branch)))


def branches(node: nodes.NodeNG) -> Iterator[tuple[str, list[nodes.NodeNG]]]:
    """The statement lists of a compound statement by name (`body`, `orelse`, `handler`, `finalbody`, `case`)."""
    if isinstance(node, (nodes.If, nodes.For, nodes.While)):
        yield "body", node.body
        yield "orelse", node.orelse
    elif isinstance(node, nodes.With):
        yield "body", node.body
    elif isinstance(node, (nodes.Try, nodes.TryStar)):
        yield "body", node.body
        for handler in node.handlers:
            yield "handler", handler.body
        yield "orelse", node.orelse
        yield "finalbody", node.finalbody
    elif isinstance(node, nodes.Match):
        for case in node.cases:
            yield "case", case.body


def _targets(
    scope: Scope,
    target: nodes.NodeNG,
    value: nodes.NodeNG | None,
    statement: nodes.NodeNG,
    guards: tuple[Guard, ...],
    path: tuple[int, ...] = (),
) -> None:
    if isinstance(target, nodes.AssignName):
        kind: Literal["assign", "other"] = "other" if value is None else "assign"
        _add(scope, target.name, Entry(kind, statement, value=value, path=path, guards=guards))
    elif isinstance(target, (nodes.Tuple, nodes.List)):
        starred = any(isinstance(item, nodes.Starred) for item in target.elts)
        for position, item in enumerate(target.elts):
            _targets(scope, item, None if starred else value, statement, guards, (*path, position))
    elif isinstance(target, nodes.Starred):
        _targets(scope, target.value, None, statement, guards)
