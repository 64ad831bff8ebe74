"""Calls of Triton's own functions: one registry from canonical names to lowering handlers.

Every spelling of an API (`tl.load`, `triton.language.load`, `from triton.language import load as ld`, `x.to(...)`)
reaches the same handler under its canonical name, so no other module knows spellings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.findings import Location

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering
    from spyre_lint.frontend.syntax import Module

MISSING = object()


class Places:
    """Where the arguments of a call stand. Worked out when asked for: only findings need it."""

    __slots__ = ("_module", "_node", "_params")

    def __init__(self, module: Module, node: nodes.Call | None, params: tuple[str, ...]) -> None:
        self._module = module
        self._node = node
        self._params = params

    def argument(self, name: str) -> Location | None:
        """The argument for a parameter as written; None if it was not passed or came out of a starred one."""
        found = self._find(name)
        return None if found is None else self._module.location(found)

    def items(self, name: str) -> list[tuple[Location, str]]:
        """The entries of an argument that is written as a list or tuple, with their text; empty for any other."""
        found = self._find(name)
        if not isinstance(found, (nodes.List, nodes.Tuple)) or any(isinstance(e, nodes.Starred) for e in found.elts):
            return []
        return [(self._module.location(entry), self._module.source(entry)) for entry in found.elts]

    def _find(self, name: str) -> nodes.NodeNG | None:
        if self._node is None:
            return None
        for keyword in self._node.keywords or ():
            if keyword.arg == name:
                value: nodes.NodeNG = keyword.value
                return value
        index = self._params.index(name) if name in self._params else -1
        before: list[nodes.NodeNG] = self._node.args[: index + 1]
        if not 0 <= index < len(before) or any(isinstance(argument, nodes.Starred) for argument in before):
            return None
        return before[index]


@dataclass(slots=True)
class CallSite:
    """A call with its arguments evaluated. `keywords` are the names passed by keyword, in order."""

    name: str
    args: list[Any]
    kwargs: dict[str, Any]
    loc: Location
    params: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    node: Any = None
    arg_nodes: list[Any] = field(default_factory=list)

    def get(self, name: str, default: Any = None) -> Any:
        """The argument for a parameter, by keyword or position; `default` if it was not passed."""
        if name in self.kwargs:
            return self.kwargs[name]
        if name in self.params:
            index = self.params.index(name)
            if index < len(self.args):
                return self.args[index]
        return default

    def places(self, lw: Lowering) -> Places:
        """Where the arguments stand. A method's owner is an argument that is not written among them."""
        starred = any(isinstance(argument, nodes.Starred) for argument in self.arg_nodes)
        owned = 0 if starred else max(len(self.args) - len(self.arg_nodes), 0)
        return Places(lw.frame.module, self.node, self.params[owned:])

    def rest(self, first: str) -> list[Any]:
        """Positional arguments from parameter `first` on (for `*shape`-like parameters)."""
        return self.args[self.params.index(first) :] if first in self.params else []


Handler = Callable[["Lowering", CallSite], Any]


@dataclass(frozen=True, slots=True)
class _Entry:
    handler: Handler
    params: tuple[str, ...]


_REGISTRY: dict[str, _Entry] = {}
_METHODS: dict[str, str] = {}

TL = "triton.language."
GLUON = "triton.experimental.gluon.language."


def builtin(*names: str, params: str = "", method: bool = False) -> Callable[[Handler], Handler]:
    """Register a handler for canonical names (a bare name means one of `triton.language`).

    `params` are the parameter names in order; `method` says that the function is also a method of tiles.
    """

    def register(handler: Handler) -> Handler:
        for name in names:
            full = name if "." in name else TL + name
            _REGISTRY[full] = _Entry(handler, tuple(params.split()))
            if method:
                _METHODS[full.rsplit(".", 1)[-1]] = full
        return handler

    return register


_FAMILIES: dict[str, _Entry] = {}


def builtin_prefix(*prefixes: str) -> Callable[[Handler], Handler]:
    """Register one handler for every function of a module."""

    def register(handler: Handler) -> Handler:
        for prefix in prefixes:
            _FAMILIES[prefix] = _Entry(handler, ())
        return handler

    return register


def method_name(attribute: str) -> str | None:
    """Canonical name of the function that a tile's method stands for (`to` is `triton.language.cast`)."""
    return _METHODS.get(attribute)


def alias_method(attribute: str, function: str) -> None:
    """Make `x.attribute(...)` stand for the function `function` of `triton.language`."""
    _METHODS[attribute] = TL + function


# Modules that re-export the functions of triton.language under another prefix, longest first.
_PREFIXES = (
    GLUON,
    "triton.language.standard.",
    "triton.language.semantic.",
    "triton.language.random.",
    "triton.language.core.",
    "triton.language.math.",
)


def canonical_api(name: str) -> str:
    """The name under which an API is registered: `triton.language.math.exp` is `triton.language.exp`."""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return TL + name[len(prefix) :]
    return name


def lookup(name: str) -> tuple[Handler, tuple[str, ...]] | None:
    """Handler and parameters of a canonical name, or None if nothing is registered for it."""
    entry = _REGISTRY.get(name)
    if entry is None:
        entry = next((family for prefix, family in _FAMILIES.items() if name.startswith(prefix)), None)
    if entry is None:
        entry = _REGISTRY.get(canonical_api(name))
    return None if entry is None else (entry.handler, entry.params)


def is_known(name: str) -> bool:
    """Whether a handler is registered for a canonical name."""
    return lookup(name) is not None
