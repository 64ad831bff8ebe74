"""An independent count of jit functions and of raw-pointer accesses: plain `ast`, nothing of the linter.

It knows decorators and assignments in every spelling that the published libraries use, and looks at one file at a time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ACCESSES = {"load", "store"}
_ATOMICS = "atomic_"
_NO_RAW_POINTER = {"make_block_ptr", "advance", "make_tensor_descriptor", "_experimental_make_tensor_descriptor"}


@dataclass(frozen=True, order=True)
class JitFunction:
    """A jit function by the line of its `def`; `pointer_access` tells whether it loads or stores through a pointer."""

    path: str
    line: int
    end_line: int
    name: str
    pointer_access: bool


def jit_functions(path: Path, shown: str) -> list[JitFunction]:
    """The jit functions of a file in the order of their lines; none if it does not parse."""
    source = path.read_bytes()
    if b"jit" not in source:
        return []
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):
        return []
    names = _Names(nodes)
    wrapped = {name for node in nodes for name in _wrapped_by_a_call(node, names)}
    found = []
    for node in nodes:
        if not isinstance(node, ast.FunctionDef):
            continue
        if node.name in wrapped or any(names.is_jit(decorator) for decorator in node.decorator_list):
            access = _pointer_access(node, names)
            found.append(JitFunction(shown, node.lineno, node.end_lineno or node.lineno, node.name, access))
    return sorted(found)


class _Names:
    """What the imports of a file (at any depth) bind names to, as dotted names below `triton`."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.bound: dict[str, str] = {}
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == "triton":
                        self.bound[alias.asname or "triton"] = alias.name if alias.asname else "triton"
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "triton" and not node.level:
                for alias in node.names:
                    self.bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def dotted(self, node: ast.expr) -> str:
        """`triton.language.load` for `tl.load`; empty for what does not come from triton."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in self.bound:
            return ".".join([self.bound[node.id], *reversed(parts)])
        return ""

    def last(self, node: ast.AST) -> str:
        """`load` for a call of `tl.load`; empty for what is no call into triton."""
        return self.dotted(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""

    def is_jit(self, node: ast.expr) -> bool:
        """Whether a decorator is triton's (or gluon's) `jit`, bare or called."""
        if isinstance(node, ast.Call):
            node = node.func
        name = self.dotted(node)
        return name.rpartition(".")[2] == "jit"


def _wrapped_by_a_call(node: ast.AST, names: _Names) -> Iterator[str]:
    """The function's name in `kernel = triton.jit(function)`."""
    if isinstance(node, ast.Call) and names.is_jit(node.func) and node.args and isinstance(node.args[0], ast.Name):
        yield node.args[0].id


def _pointer_access(function: ast.FunctionDef, names: _Names) -> bool:
    """Whether some load, store or atomic goes through an argument that stems from no block pointer or descriptor."""
    clean = _without_raw_pointer(function, names)
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        prefix, _, last = names.dotted(node.func).rpartition(".")
        if prefix != "triton.language" or not (last in _ACCESSES or last.startswith(_ATOMICS)):
            continue
        used = {inner.id for inner in ast.walk(node.args[0]) if isinstance(inner, ast.Name)}
        calls = {names.last(inner) for inner in ast.walk(node.args[0])}
        if used and not used & clean and not calls & _NO_RAW_POINTER:
            return True
    return False


def _without_raw_pointer(function: ast.FunctionDef, names: _Names) -> set[str]:
    """Names that hold a block pointer or a descriptor somewhere in the function."""
    clean: set[str] = set()
    assigned = [node for node in ast.walk(function) if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))]
    before = -1
    while len(clean) > before:
        before = len(clean)
        for node in assigned:
            value = node.value
            if value is None:
                continue
            made = any(names.last(inner) in _NO_RAW_POINTER for inner in ast.walk(value))
            if made or (isinstance(value, ast.Name) and value.id in clean):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                clean |= {inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)}
    return clean
