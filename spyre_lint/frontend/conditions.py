"""Conditions at a module's top level, as far as they can be decided without running anything.

They matter where a name is bound more than once (`if USE_FAST: exp = fast_exp else: exp = tl.exp`). Environment
variables are taken as unset, `TYPE_CHECKING` as false, Python as the oldest version supported or newer.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.frontend.names import is_external_root
from spyre_lint.frontend.syntax import Entry, Guard, Module

if TYPE_CHECKING:
    from spyre_lint.frontend.project import Project

OLDEST_PYTHON = (3, 10)

_ENVIRONMENT = frozenset({"os.environ.get", "os.getenv"})
_CASTS: dict[str, Callable[[Any], Any]] = {"builtins.int": int, "builtins.bool": bool, "builtins.str": str}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}
_METHODS = frozenset({"lower", "upper", "strip"})


class _Undecided(Exception):
    """The condition depends on something that is not known."""


def truth(project: Project, module: Module, node: nodes.NodeNG) -> bool | None:
    """Whether a condition holds; None where it can't be told."""
    try:
        return bool(_value(project, module, node, 0))
    except (_Undecided, TypeError, ValueError, RecursionError):
        return None


def reachable(project: Project, module: Module, guards: Sequence[Guard]) -> bool | None:
    """Whether a statement under these guards runs: True, False, or None where a condition leaves it open."""
    result: bool | None = True
    for guard in guards:
        verdict: bool | None = True
        if isinstance(guard.node, nodes.If):
            held = truth(project, module, guard.node.test)
            verdict = held if guard.branch == "body" or held is None else not held
        elif guard.branch == "handler":
            verdict = None if _may_fail(guard.node) else False
        elif guard.branch == "case":
            verdict = None
        if verdict is False:
            return False
        if verdict is None:
            result = None
    return result


def completes(live: list[Entry], entry: Entry) -> bool:
    """Whether an entry in an `else` branch and those of `live` in the other branches bind the name on every way."""
    for guard in entry.guards:
        if isinstance(guard.node, nodes.If) and guard.branch == "orelse":
            return any(Guard(guard.node, "body") in other.guards for other in live)
    return False


def same_choice(left: Entry, right: Entry) -> bool:
    """Whether two entries stand in branches of the same `if`."""
    ifs = {id(guard.node) for guard in right.guards if isinstance(guard.node, nodes.If)}
    return any(id(guard.node) in ifs for guard in left.guards)


def _may_fail(node: nodes.NodeNG) -> bool:
    """Whether a `try` body imports an optional package; Triton, torch, numpy and the tree's own files are there."""
    for statement in getattr(node, "body", []):
        if isinstance(statement, nodes.Import):
            if any(not is_external_root(name.split(".")[0]) for name, _ in statement.names):
                return True
        elif (
            isinstance(statement, nodes.ImportFrom)
            and not statement.level
            and not is_external_root(statement.modname.split(".")[0])
        ):
            return True
    return False


def _value(project: Project, module: Module, node: nodes.NodeNG, depth: int) -> Any:
    if depth > 30:
        raise _Undecided
    if isinstance(node, nodes.Const):
        return node.value
    if isinstance(node, (nodes.Tuple, nodes.List)):
        return tuple(_value(project, module, item, depth + 1) for item in node.elts)
    if isinstance(node, nodes.UnaryOp) and node.op == "not":
        return not _value(project, module, node.operand, depth + 1)
    if isinstance(node, nodes.BoolOp):
        return _bool_op(project, module, node, depth + 1)
    if isinstance(node, nodes.Compare):
        return _compare(project, module, node, depth + 1)
    if isinstance(node, nodes.Call):
        return _call(project, module, node, depth + 1)
    if isinstance(node, (nodes.Name, nodes.Attribute)):
        return _name(project, module, node, depth + 1)
    raise _Undecided


def _bool_op(project: Project, module: Module, node: nodes.BoolOp, depth: int) -> Any:
    """One deciding operand is enough, wherever it stands."""
    undecided = False
    decisive = node.op == "or"
    for operand in node.values:
        try:
            if bool(_value(project, module, operand, depth)) is decisive:
                return decisive
        except _Undecided:
            undecided = True
    if undecided:
        raise _Undecided
    return not decisive


def _compare(project: Project, module: Module, node: nodes.Compare, depth: int) -> Any:
    if len(node.ops) != 1:
        raise _Undecided
    op, right = node.ops[0]
    if isinstance(node.left, nodes.Attribute) and project.canonical(module, node.left) == "sys.version_info":
        version = _value(project, module, right, depth)
        if op in (">=", ">") and version[:2] <= OLDEST_PYTHON:
            return True
        if op in ("<", "<=") and version[:2] <= OLDEST_PYTHON:
            return False
        raise _Undecided
    return _COMPARE[op](_value(project, module, node.left, depth), _value(project, module, right, depth))


def _call(project: Project, module: Module, node: nodes.Call, depth: int) -> Any:
    if isinstance(node.func, nodes.Attribute) and node.func.attrname in _METHODS and not node.args:
        owner = _value(project, module, node.func.expr, depth)
        if isinstance(owner, str):
            return getattr(owner, node.func.attrname)()
    name = project.canonical(module, node.func)
    if name in _ENVIRONMENT:
        return _value(project, module, node.args[1], depth) if len(node.args) > 1 else None
    if name in _CASTS and len(node.args) == 1:
        return _CASTS[name](_value(project, module, node.args[0], depth))
    raise _Undecided


def _name(project: Project, module: Module, node: nodes.Name | nodes.Attribute, depth: int) -> Any:
    found = project.resolve(module, node)
    if found is None:
        raise _Undecided
    if found.kind == "external" and found.name == "typing.TYPE_CHECKING":
        return False
    values = []
    for option in found.candidates:
        if option.kind != "constant" or option.module is None or option.node is None or option.path:
            raise _Undecided
        values.append(_value(project, option.module, option.node, depth))
    if any(value is not values[0] and value != values[0] for value in values):
        raise _Undecided
    return values[0]
