"""The linted tree as Python sees it: modules parsed when asked for, imports and names resolved among them.

`Project` answers two questions about a name or attribute chain. `canonical` gives its dotted name where it is something
of an external package (`tl.load` is `triton.language.load` under any import). `resolve` gives its `Definition` where it
is something of the tree: a jit function, a plain function, a class, a constant. Nothing is imported or run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from astroid import nodes

from spyre_lint.frontend import conditions
from spyre_lint.frontend.imports import ModuleIndex
from spyre_lint.frontend.names import BUILTINS, JIT_DECORATORS, normalize
from spyre_lint.frontend.syntax import Entry, Module, SyntaxProblem, parse

__all__ = ["Definition", "Module", "Project", "SourceText", "SyntaxProblem"]

MAX_DEPTH = 40
"""Longest chain of aliases and re-exports that is followed."""


class SourceText(Protocol):
    """What the project needs of a file of the source layer."""

    @property
    def path(self) -> str:
        """Display path: relative, forward slashes."""

    @property
    def text(self) -> str:
        """Decoded text."""


DefinitionKind = Literal["jit", "function", "class", "constant", "module", "external"]


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name stands for.

    `jit`, `function`, `class`: `node` is the `FunctionDef` or `ClassDef` in `module`; for `k = triton.jit(f)` the one
    of `f`. `constant`: `node` is the value assigned, `path` the way into it for tuple targets. `module`: a file of the
    tree (`module` is None for a directory without `__init__.py`). `external`: `name` is the canonical dotted name.
    `name` is the definition's own name otherwise (a module's dotted name; for a constant the module-level name, if it
    has one). `importer` is the path that imported a module. `alternatives` holds every candidate (this one included)
    where several statements under undecided conditions bind the name; it is empty where the definition is certain.
    """

    kind: DefinitionKind
    name: str
    module: Module | None = None
    node: nodes.NodeNG | None = None
    path: tuple[int, ...] = ()
    importer: str = ""
    alternatives: tuple[Definition, ...] = ()

    @property
    def is_ambiguous(self) -> bool:
        """Whether the name can stand for something else, too."""
        return bool(self.alternatives)

    @property
    def candidates(self) -> tuple[Definition, ...]:
        """Everything the name can stand for; at least this definition."""
        return self.alternatives or (self,)

    @property
    def function(self) -> nodes.FunctionDef | None:
        """The function of a `jit` or `function` definition."""
        return self.node if isinstance(self.node, nodes.FunctionDef) else None


class Project:
    """The files of a tree, parsed lazily.

    `files` maps display paths to anything with `.path` and `.text`. `locate(path)` may return the text of a file that
    was not listed but is imported (None: there is none); what it returns becomes part of the project, see `located`.
    """

    def __init__(
        self,
        files: Mapping[str, SourceText],
        *,
        locate: Callable[[str], str | None] | None = None,
    ) -> None:
        self._files: dict[str, SourceText | str] = dict(files)
        self._locate = locate
        self._modules: dict[str, Module | None] = {}
        self.syntax_errors: dict[str, SyntaxProblem] = {}
        """By path: why a file that was asked for does not parse."""
        self.located: list[str] = []
        """Paths of files that were not listed and have been read through `locate`."""
        self.cache: dict[str, Any] = {}
        """What other parts of the frontend keep for this tree, by their own keys."""
        self._index = ModuleIndex(self._files)
        self._missing: set[str] = set()
        self._resolved: dict[tuple[str, str], Definition | None] = {}
        self._active: set[tuple[str, str]] = set()

    # ------------------------------------------------------------------ files

    @property
    def paths(self) -> list[str]:
        """All known paths, sorted."""
        return sorted(self._files)

    def add(self, path: str, source: SourceText | str) -> None:
        """Add a file (an object with `.text`, or the text itself) that the tree did not list."""
        if path not in self._files:
            self._files[path] = source
            self._index.add(path)
            self._missing.discard(path)
            self._resolved.clear()

    def text(self, path: str) -> str | None:
        """A file's text without parsing it, for cheap questions; None for an unknown path."""
        source = self._files.get(path)
        if source is None:
            return None
        return source if isinstance(source, str) else source.text

    def module(self, path: str) -> Module | None:
        """The parsed file; None where it is unknown or does not parse (then see `syntax_errors`)."""
        if path not in self._modules:
            text = self.text(path)
            if text is None:
                return None
            result = parse(path, text)
            if isinstance(result, SyntaxProblem):
                self.syntax_errors[path] = result
                self._modules[path] = None
            else:
                self._modules[path] = result
        return self._modules[path]

    def modules(self) -> Iterator[Module]:
        """Every file of the tree that parses, by path."""
        for path in self.paths:
            found = self.module(path)
            if found is not None:
                yield found

    def find_module(self, importer: str, dotted: str, level: int = 0) -> str | None:
        """The path of the file that an import in `importer` means, or None where it is not one of the tree's."""
        found = self._index.find(importer, dotted, level)
        if found is not None or self._locate is None:
            return found
        for path in self._index.guesses(importer, dotted, level):
            if path in self._missing:
                continue
            text = self._locate(path)
            if text is None:
                self._missing.add(path)
                continue
            self._files[path] = text
            self._index.add(path)
            self.located.append(path)
            return path
        return None

    # ------------------------------------------------------------------ names

    def canonical(self, module: Module, node: nodes.NodeNG) -> str | None:
        """The canonical dotted name of a name or attribute chain that comes from outside the tree.

        Examples: `triton.language.load`, `triton.jit`, `torch.empty`, `builtins.min`. None for everything else, also
        for a name that could be two different things.
        """
        found = self.resolve(module, node)
        if found is None or found.kind != "external" or found.is_ambiguous:
            return None
        return found.name

    def canonicals(self, module: Module, node: nodes.NodeNG) -> frozenset[str]:
        """All canonical names that an expression can stand for, where conditions leave it open which."""
        found = self.resolve(module, node)
        if found is None:
            return frozenset()
        return frozenset(option.name for option in found.candidates if option.kind == "external")

    def describe(self, module: Module, node: nodes.NodeNG) -> str:
        """A dotted name for an expression, for people: canonical where there is one, else as it is written."""
        found = self.resolve(module, node)
        if found is not None and found.kind == "external":
            return found.name
        return node.as_string() if isinstance(node, (nodes.Name, nodes.Attribute)) else module.source(node)

    def resolve(self, module: Module, node: nodes.NodeNG | str) -> Definition | None:
        """What a global name, a `Name` node or an attribute chain stands for; None where it can't be told.

        A `Name` node is looked up in the scopes around it, a string at the module's top level. Local variables resolve
        only where a single statement binds them.
        """
        try:
            return self._resolve(module, node, 0)
        except RecursionError:
            return None

    def _resolve(self, module: Module, node: nodes.NodeNG | str, depth: int) -> Definition | None:
        if depth > MAX_DEPTH:
            return None
        if isinstance(node, str):
            return self._global(module, node, depth)
        if isinstance(node, (nodes.Name, nodes.AssignName)):
            return self._name(module, node, depth)
        if isinstance(node, nodes.Attribute):
            base = self._resolve(module, node.expr, depth + 1)
            if base is None:
                return None
            members = (self.member(option, node.attrname, depth + 1) for option in base.candidates)
            return combine([member for member in members if member is not None])
        if isinstance(node, nodes.FunctionDef):
            return self._function(module, node)
        if isinstance(node, nodes.IfExp):
            return self._if_expression(module, node, depth + 1)
        if isinstance(node, nodes.Call):
            return self._wrapped(module, node, depth + 1)
        return None

    def _name(self, module: Module, node: nodes.Name | nodes.AssignName, depth: int) -> Definition | None:
        innermost = True
        for scope in scopes_around(node):
            if isinstance(scope, nodes.Module):
                break
            entries = module.scope_of(scope).names.get(node.name)
            if entries and (innermost or not isinstance(scope, nodes.ClassDef)):
                return self._local(module, entries, depth)
            innermost = innermost and not isinstance(scope, nodes.FunctionDef)
        return self._global(module, node.name, depth)

    def _local(self, module: Module, entries: list[Entry], depth: int) -> Definition | None:
        if any(entry.kind in ("param", "other") for entry in entries):
            return None
        if len(entries) > 1 and any(entry.kind == "assign" for entry in entries):
            return None
        return self._from_entries(module, entries, depth)

    def _global(self, module: Module, name: str, depth: int) -> Definition | None:
        key = (module.path, name)
        if key in self._resolved:
            return self._resolved[key]
        if key in self._active:
            return None
        self._active.add(key)
        try:
            found = self._from_entries(module, module.scope.names.get(name, []), depth, name)
            if found is None and name not in module.scope.names:
                found = self._from_stars(module, name, depth)
                if found is None and name in BUILTINS:
                    found = Definition("external", f"builtins.{name}")
        finally:
            self._active.discard(key)
        if not self._active:  # what was found inside a cycle may be incomplete
            self._resolved[key] = found
        return found

    def _from_stars(self, module: Module, name: str, depth: int) -> Definition | None:
        for entry in reversed(module.scope.stars):
            path = self.find_module(module.path, entry.target, entry.level)
            source = None if path is None else self.module(path)
            if source is not None:
                found = self._global(source, name, depth + 1)
                if found is not None and found.name != f"builtins.{name}":
                    return found
            elif entry.target.split(".")[0] == "triton" and name not in BUILTINS:
                return Definition("external", normalize(f"{entry.target}.{name}"))
        return None

    def _from_entries(self, module: Module, entries: list[Entry], depth: int, name: str = "") -> Definition | None:
        live: list[Entry] = []
        for entry in entries:
            verdict = conditions.reachable(self, module, entry.guards)
            if verdict is False:
                continue
            if verdict is True or conditions.completes(live, entry):
                live = [e for e in live if conditions.same_choice(e, entry)] if verdict is None else []
            live.append(entry)
        if not live:  # bound only where an import fails
            live = [entry for entry in entries if any(guard.branch == "handler" for guard in entry.guards)]
        found = [self._entry(module, entry, depth + 1, name) for entry in live]
        return combine([definition for definition in found if definition is not None])

    def _entry(self, module: Module, entry: Entry, depth: int, name: str) -> Definition | None:
        if entry.kind == "import":
            return self._import(module, entry, depth)
        if entry.kind == "def" and isinstance(entry.node, nodes.FunctionDef):
            return self._function(module, entry.node)
        if entry.kind == "class" and isinstance(entry.node, nodes.ClassDef):
            return Definition("class", entry.node.name, module, entry.node)
        if entry.kind != "assign" or entry.value is None:
            return None
        value, path = entry.value, entry.path
        while path and isinstance(value, (nodes.Tuple, nodes.List)) and path[0] < len(value.elts):
            value, path = value.elts[path[0]], path[1:]
        if not path and isinstance(value, (nodes.Name, nodes.Attribute, nodes.IfExp, nodes.Call)):
            found = self._resolve(module, value, depth)
            if found is not None:
                return found
        return Definition("constant", name, module, value, path)

    def _import(self, module: Module, entry: Entry, depth: int) -> Definition | None:
        path = self.find_module(module.path, entry.target, entry.level) if entry.target or entry.level else None
        dotted = entry.target if not entry.level else self._index.absolute(module.path, entry.target, entry.level)
        base = Definition("module", dotted, None if path is None else self.module(path), importer=module.path)
        if entry.attr is None:
            return base if path is not None or self._index.is_package(module.path, dotted) else _external(dotted)
        found = self.member(replace(base, importer=module.path), entry.attr, depth)
        return found or _external(f"{dotted}.{entry.attr}")

    def member(self, base: Definition, name: str, depth: int = 0) -> Definition | None:
        """What `base.name` stands for: a name of a module or class of the tree, a submodule, something external."""
        if depth > MAX_DEPTH:
            return None
        if base.kind == "external":
            return _external(f"{base.name}.{name}")
        if base.kind == "class" and base.module is not None and base.node is not None:
            entries = base.module.scope_of(base.node).names.get(name, [])
            return self._from_entries(base.module, entries, depth)
        if base.kind != "module":
            return None
        if base.module is not None:
            found = self._global(base.module, name, depth)
            if found is not None and found.name != f"builtins.{name}":
                return found
            if name in base.module.scope.names:
                return None
        dotted = f"{base.name}.{name}"
        path = self.find_module(base.importer, dotted)
        if path is None and base.module is not None:
            path = self.find_module(base.module.path, name, 1) if base.module.path.endswith("__init__.py") else None
        if path is not None:
            return Definition("module", dotted, self.module(path), importer=base.importer)
        if self._index.is_package(base.importer, dotted):
            return Definition("module", dotted, importer=base.importer)
        return None if base.module is not None else _external(dotted)

    # ------------------------------------------------------------------ jit functions

    def _function(self, module: Module, node: nodes.FunctionDef) -> Definition:
        return Definition("jit" if self.is_jit(module, node) else "function", node.name, module, node)

    def is_jit(self, module: Module, node: nodes.FunctionDef) -> bool:
        """Whether one of a function's decorators is `triton.jit` in any spelling, or wraps it."""
        decorators = node.decorators.nodes if node.decorators is not None else []
        return any(self.is_jit_decorator(module, decorator) for decorator in decorators)

    def is_jit_decorator(self, module: Module, decorator: nodes.NodeNG, depth: int = 0) -> bool:
        """Whether a decorator (called or not) is `triton.jit`, a partial of it, or a function of the tree around it."""
        target = decorator.func if isinstance(decorator, nodes.Call) else decorator
        if depth > 4 or not isinstance(target, (nodes.Name, nodes.Attribute)):
            return False
        found = self.resolve(module, target)
        for option in found.candidates if found is not None else ():
            if option.kind == "external" and option.name in JIT_DECORATORS:
                return True
            if option.module is None or option.node is None:
                continue
            if option.kind == "constant" and self._is_jit_partial(option.module, option.node):
                return True
            if option.function is not None and self._wraps_jit(option.module, option.function, depth):
                return True
        return False

    def _is_jit_partial(self, module: Module, node: nodes.NodeNG) -> bool:
        if not isinstance(node, nodes.Call):
            return False
        if self.canonicals(module, node.func) & JIT_DECORATORS:  # jit = triton.jit(do_not_specialize=[...])
            return not node.args
        return bool(
            node.args
            and self.canonical(module, node.func) == "functools.partial"
            and self.canonicals(module, node.args[0]) & JIT_DECORATORS
        )

    def _wraps_jit(self, module: Module, function: nodes.FunctionDef, depth: int) -> bool:
        """Whether a function hands one of its (or its inner functions') parameters to `triton.jit`."""
        for call in function.nodes_of_class(nodes.Call):
            if not call.args or not isinstance(call.args[0], nodes.Name):
                continue
            inner = call.func.func if isinstance(call.func, nodes.Call) else call.func
            if not isinstance(inner, (nodes.Name, nodes.Attribute)):
                continue
            handed = module.scope_of(call.scope()).names.get(call.args[0].name, [])
            if any(e.kind == "param" for e in handed) and self.canonicals(module, inner) & JIT_DECORATORS:
                return True
        return False

    def _wrapped(self, module: Module, call: nodes.Call, depth: int) -> Definition | None:
        """`triton.jit(fn)`, `triton.autotune(...)(fn)` and other wrappers of a jit function, as the function itself."""
        if not call.args:
            return None
        inner = (
            self._resolve(module, call.args[0], depth) if isinstance(call.args[0], (nodes.Name, nodes.Call)) else None
        )
        if inner is None or inner.kind not in ("jit", "function"):
            return None
        if self.is_jit_decorator(module, call.func):
            return replace(inner, kind="jit", alternatives=())
        if inner.kind == "jit" and isinstance(call.func, nodes.Call):  # triton.autotune(...)(fn), heuristics(...)(fn)
            return inner
        return None

    def _if_expression(self, module: Module, node: nodes.IfExp, depth: int) -> Definition | None:
        verdict = conditions.truth(self, module, node.test)
        chosen = [node.body, node.orelse] if verdict is None else [node.body if verdict else node.orelse]
        found: list[Definition] = []
        for option in chosen:
            definition = self._resolve(module, option, depth)
            if definition is None and isinstance(option, (nodes.Name, nodes.Attribute)):
                return None
            found.append(definition or Definition("constant", "", module, option))
        return combine(found)


def _external(dotted: str) -> Definition:
    return Definition("external", normalize(dotted))


def combine(found: list[Definition]) -> Definition | None:
    """One definition of several candidates: the first, with all of them as alternatives where they differ."""
    options: list[Definition] = []
    for definition in found:
        options.extend(option for option in definition.candidates if option not in options)
    if not options:
        return None
    if len(options) == 1:
        return replace(options[0], alternatives=())
    return replace(options[0], alternatives=tuple(options))


def scopes_around(node: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    """The scopes a name is looked up in, innermost first. Decorators, defaults and annotations belong outside."""
    child: nodes.NodeNG = node
    parent = node.parent
    while parent is not None:
        if isinstance(parent, (nodes.FunctionDef, nodes.ClassDef)):
            if child in parent.body:
                yield parent
        elif isinstance(parent, nodes.Lambda):
            if child is parent.body:
                yield parent
        elif isinstance(parent, (nodes.ComprehensionScope, nodes.Module)):
            yield parent
        child, parent = parent, parent.parent
