"""Statements of host code: assignments, branches, loops, as the evaluation of host code follows them.

A branch whose condition is not known is followed on both sides and joined. One decided only by a parameter's default is
followed on both sides too, since callers choose, but what comes after it sees the default's side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.bindings import HostValue, KernelId
from spyre_lint.frontend import hostitems, hostmath
from spyre_lint.frontend.hostcode import qualified_name
from spyre_lint.frontend.hostvalues import (
    NONE,
    Choice,
    Frame,
    Function,
    Instance,
    Items,
    Parameter,
    Table,
    Tensor,
    fork,
    integer,
    is_integer,
    join,
    known,
    options_of,
    scalar,
    unknown,
)
from spyre_lint.frontend.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spyre_lint.frontend.hosteval import Interpreter

NEXT, RETURN, RAISE, BREAK, CONTINUE = "next", "return", "raise", "break", "continue"
MAX_UNROLL = 64
"""Longest loop over known items that is followed item by item."""


def run(machine: Interpreter, body: list[nodes.NodeNG], frame: Frame) -> str:
    """Run statements; says how they end: `next` where the code after them runs."""
    for node in body:
        machine.step()
        outcome = _statement(machine, node, frame)
        if outcome != NEXT:
            return outcome
    return NEXT


def _statement(machine: Interpreter, node: nodes.NodeNG, frame: Frame) -> str:
    if isinstance(node, nodes.Assign):
        value = machine.expr(node.value, frame)
        for target in node.targets:
            assign(machine, target, value, frame, node.value)
    elif isinstance(node, nodes.AnnAssign):
        if node.value is not None:
            assign(machine, node.target, machine.expr(node.value, frame), frame, node.value)
    elif isinstance(node, nodes.AugAssign):
        _augmented(machine, node, frame)
    elif isinstance(node, nodes.Expr):
        machine.expr(node.value, frame)
    elif isinstance(node, nodes.If):
        return _if(machine, node, frame)
    elif isinstance(node, nodes.For):
        return _for(machine, node, frame)
    elif isinstance(node, nodes.While):
        return _while(machine, node, frame)
    elif isinstance(node, nodes.Return):
        frame.returns.append(NONE if node.value is None else machine.expr(node.value, frame))
        return RETURN
    elif isinstance(node, nodes.With):
        for expression, target in node.items:
            value = machine.expr(expression, frame)
            if target is not None:
                assign(machine, target, value, frame, None)
        return run(machine, node.body, frame)
    elif isinstance(node, (nodes.Try, nodes.TryStar)):
        return _try(machine, node, frame)
    elif isinstance(node, nodes.FunctionDef):
        _define(machine, node, frame)
    elif isinstance(node, nodes.Assert):
        narrow(machine, node.test, True, frame)
    elif isinstance(node, nodes.Raise):
        return RAISE
    elif isinstance(node, nodes.Break):
        return BREAK
    elif isinstance(node, nodes.Continue):
        return CONTINUE
    elif isinstance(node, nodes.Match):
        return _match(machine, node, frame)
    elif isinstance(node, nodes.Delete):
        for target in node.targets:
            if isinstance(target, nodes.DelName):
                frame.names.pop(target.name, None)
    return NEXT


def _define(machine: Interpreter, node: nodes.FunctionDef, frame: Frame) -> None:
    """A nested function or kernel. At a module's top level the project resolves these names itself."""
    if isinstance(frame.owner, (nodes.Module, nodes.ClassDef)):
        return
    if machine.project.is_jit(frame.module, node):
        frame.names[node.name] = known(KernelId(frame.module.path, qualified_name(node)))
    else:
        frame.names[node.name] = machine.defined[node] = Function(frame.module, node, frame)


def assign(machine: Interpreter, target: nodes.NodeNG, value: Any, frame: Frame, source: nodes.NodeNG | None) -> None:
    """Bind a target of an assignment, a loop or a `with`."""
    if isinstance(target, nodes.AssignName):
        frame.names[target.name] = value
        if source is not None and mentions(source, frame.soft):
            frame.soft.add(target.name)
        else:
            frame.soft.discard(target.name)
    elif isinstance(target, (nodes.Tuple, nodes.List)):
        _unpack(machine, target, value, frame, source)
    elif isinstance(target, nodes.Starred):
        assign(machine, target.value, value, frame, source)
    elif isinstance(target, nodes.Subscript):
        owner = machine.expr(target.value, frame)
        key = scalar(machine.expr(target.slice, frame))
        _store_item(frame, target, owner, key, value, source)
    elif isinstance(target, nodes.AssignAttr):
        owner = machine.expr(target.expr, frame)
        if isinstance(owner, Instance):
            owner.attributes[target.attrname] = value


def _unpack(machine: Interpreter, target: nodes.NodeNG, value: Any, frame: Frame, source: nodes.NodeNG | None) -> None:
    starred = any(isinstance(item, nodes.Starred) for item in target.elts)
    for position, item in enumerate(target.elts):
        if starred:
            piece: Any = Parameter("item") if hostitems.from_problem(value) else unknown("it is unpacked with a star")
        else:
            piece = hostitems.item(value, known(position))
        assign(machine, item, piece, frame, source)


def _store_item(
    frame: Frame, target: nodes.Subscript, owner: Any, key: HostValue, value: Any, source: nodes.NodeNG | None
) -> None:
    if isinstance(owner, Table):
        if key.is_known and hostitems.hashable(key.value):
            owner.items[key.value] = value
            owner.nodes[key.value] = (frame.module, target.slice, source)
        else:
            owner.open = owner.open or "it is filled under keys that are not known"
    elif isinstance(owner, Items):
        if key.is_known and isinstance(key.value, int) and -len(owner.items) <= key.value < len(owner.items):
            owner.items[key.value] = value
        else:
            owner.open = owner.open or "it is filled at positions that are not known"


def _augmented(machine: Interpreter, node: nodes.AugAssign, frame: Frame) -> None:
    change = machine.expr(node.value, frame)
    target = node.target
    if isinstance(target, nodes.AssignName):
        before = frame.names.get(target.name)
        if before is None:
            return
        if isinstance(before, Items) and isinstance(change, Items) and node.op == "+=":
            before.items.extend(change.items)
            before.open = before.open or change.open
        elif isinstance(before, Table) and isinstance(change, Table) and node.op == "|=":
            before.items.update(change.items)
            before.nodes.update(change.nodes)
            before.open = before.open or change.open
        else:
            frame.names[target.name] = hostitems.operate(node.op[:-1], before, change)
    elif isinstance(target, nodes.Subscript):
        owner = machine.expr(target.value, frame)
        key = scalar(machine.expr(target.slice, frame))
        value = hostitems.operate(node.op[:-1], hostitems.item(owner, key), change)
        _store_item(frame, target, owner, key, value, node.value)


def mentions(node: nodes.NodeNG, names: set[str]) -> bool:
    """Whether an expression reads one of these variables."""
    return bool(names) and any(isinstance(part, nodes.Name) and part.name in names for part in walk(node))


# ---------------------------------------------------------------------- branches


def _if(machine: Interpreter, node: nodes.If, frame: Frame) -> str:
    verdict = hostitems.truth(machine.expr(node.test, frame))
    soft = verdict is not None and mentions(node.test, frame.soft)
    if verdict is not None and not soft:
        return run(machine, node.body if verdict else node.orelse, frame)
    before, soft_before = frame.names, set(frame.soft)
    results: list[tuple[str, dict[str, Any], set[str]]] = []
    for taken, body in ((True, node.body), (False, node.orelse)):
        memo: dict[int, Any] = {}
        frame.names = {name: fork(value, memo) for name, value in before.items()}
        frame.soft = set(soft_before)
        if verdict is not taken:
            narrow(machine, node.test, taken, frame)
        results.append((run(machine, body, frame), frame.names, frame.soft))
    alive = [result for result in results if result[0] == NEXT]
    if not alive:
        frame.names, frame.soft = results[0][1], results[0][2]
        outcomes = {outcome for outcome, _, _ in results}
        return next(kind for kind in (RETURN, BREAK, CONTINUE, RAISE) if kind in outcomes)
    if len(alive) == 2 and soft:
        alive = [results[0 if verdict else 1]]
    if len(alive) == 1:
        frame.names, frame.soft = alive[0][1], alive[0][2]
        return NEXT
    frame.names = merge(alive[0][1], alive[1][1])
    frame.soft = alive[0][2] | alive[1][2]
    return NEXT


def merge(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """Variables after a branch; one that only one side binds has that side's value."""
    merged = {name: join(value, right[name]) if name in right else value for name, value in left.items()}
    merged.update({name: value for name, value in right.items() if name not in left})
    return merged


def narrow(machine: Interpreter, test: nodes.NodeNG, holds: bool, frame: Frame) -> None:
    """Take into account that a condition holds (or does not)."""
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        narrow(machine, test.operand, not holds, frame)
    elif isinstance(test, nodes.BoolOp):
        if (test.op == "and") is holds:
            for operand in test.values:
                narrow(machine, operand, holds, frame)
    elif isinstance(test, nodes.Name):
        value = frame.names.get(test.name)
        if isinstance(value, HostValue) and value.is_known and isinstance(value.value, bool):
            frame.names[test.name] = known(holds)
        elif holds:
            _not_none(frame, test.name)
    elif isinstance(test, nodes.Compare) and len(test.ops) == 1:
        op, right = test.ops[0]
        op = op if holds else hostmath.NEGATED.get(op, "")
        if op in ("in", "not in") and isinstance(right, nodes.Attribute) and right.attrname in ("arg_names", "params"):
            _narrow_by_parameter(machine, right.expr, machine.expr(test.left, frame), op, frame)
            return
        if op in ("in", "not in"):
            _narrow_membership(machine, test.left, op, machine.expr(right, frame), frame)
            return
        if isinstance(test.left, nodes.Name):
            _narrow_name(machine, test.left.name, op, machine.expr(right, frame), frame)
        if isinstance(right, nodes.Name):
            _narrow_name(machine, right.name, hostmath.MIRRORED.get(op, ""), machine.expr(test.left, frame), frame)


def _not_none(frame: Frame, name: str) -> None:
    value = frame.names.get(name)
    if isinstance(value, HostValue) and value.is_known and value.value is None:
        frame.names[name] = Parameter(name)
    elif isinstance(value, Choice):
        rest = tuple(o for o in value.options if not (isinstance(o, HostValue) and o.is_known and o.value is None))
        frame.names[name] = rest[0] if len(rest) == 1 else Choice(rest)


def _narrow_name(machine: Interpreter, name: str, op: str, other: Any, frame: Frame) -> None:
    value = frame.names.get(name)
    if value is None:
        return
    exact = isinstance(other, HostValue) and other.is_known
    if op in ("==", "is") and exact:
        frame.names[name] = other
    elif op in ("!=", "is not") and exact:
        if other.value is None:
            _not_none(frame, name)
        elif isinstance(other.value, KernelId):
            frame.names[name] = _other_kernels(machine, name, (other.value,), frame)
    elif isinstance(value, (HostValue, Parameter)) and isinstance(other, (HostValue, Parameter)):
        narrowed = hostmath.narrow(op, scalar(value), scalar(other))
        if narrowed.bounds != scalar(value).bounds:
            frame.names[name] = narrowed


def _narrow_membership(machine: Interpreter, tested: nodes.NodeNG, op: str, group: Any, frame: Frame) -> None:
    """What a variable that holds a kernel can be where it is (not) one of a tuple of kernels."""
    if not isinstance(tested, nodes.Name) or frame.names.get(tested.name) is None:
        return
    members = group.items if isinstance(group, Items) and not group.open else []
    kernels = [_kernel(member) for member in members]
    if not members or None in kernels:
        return
    if op == "not in":
        frame.names[tested.name] = _other_kernels(machine, tested.name, kernels, frame)
        return
    value = frame.names[tested.name]
    # One of several that it was known to be, or, where a default or a caller's choice stood, any of the group.
    options = [option for option in options_of(value) if _kernel(option) in kernels] or list(members)
    frame.names[tested.name] = options[0] if len(options) == 1 else Choice(tuple(options))


def _narrow_by_parameter(machine: Interpreter, owner: nodes.NodeNG, tested: Any, op: str, frame: Frame) -> None:
    """What a variable that holds a kernel can be where the kernel has (no) parameter of some name."""
    from spyre_lint.frontend.hostcalls import kernel_parameters

    name = scalar(tested)
    if not isinstance(owner, nodes.Name) or not name.is_known or frame.names.get(owner.name) is None:
        return
    options: list[Any] = []
    for option in options_of(frame.names[owner.name]):
        kernel = _kernel(option)
        params = kernel_parameters(machine, kernel) if kernel is not None else None
        if params is None or (name.value in params) is (op == "in"):
            options.append(option)
    # A default that the condition rules out leaves a kernel that only the caller knows.
    frame.names[owner.name] = Parameter(owner.name)
    if options:
        frame.names[owner.name] = options[0] if len(options) == 1 else Choice(tuple(options))


def _other_kernels(machine: Interpreter, name: str, excluded: Sequence[KernelId | None], frame: Frame) -> Any:
    """What a parameter that holds a kernel can be if it is none of `excluded`: its value, or what it is compared to."""
    value = frame.names[name]
    options = [option for option in options_of(value) if _kernel(option) not in excluded]
    if options:
        return options[0] if len(options) == 1 else Choice(tuple(options))
    owner = frame.owner
    for compare in owner.nodes_of_class(nodes.Compare) if isinstance(owner, nodes.FunctionDef) else ():
        if isinstance(compare.left, nodes.Name) and compare.left.name == name:
            other = machine.expr(compare.ops[0][1], frame)
            members = other.items if isinstance(other, Items) else (other,)
            options.extend(m for m in members if _kernel(m) not in (None, *excluded) and m not in options)
    if not options:
        return Parameter(name)
    return options[0] if len(options) == 1 else Choice(tuple(options))


def _kernel(value: Any) -> KernelId | None:
    return value.value if isinstance(value, HostValue) and isinstance(value.value, KernelId) else None


def _try(machine: Interpreter, node: nodes.Try, frame: Frame) -> str:
    before = dict(frame.names)
    outcome = run(machine, [*node.body, *node.orelse], frame)
    after, soft = frame.names, frame.soft
    handled = [NEXT]
    for handler in node.handlers:
        memo: dict[int, Any] = {}
        frame.names = {name: fork(value, memo) for name, value in before.items()}
        handled.append(run(machine, handler.body, frame))
    frame.names, frame.soft = after, soft
    last = run(machine, node.finalbody, frame)
    return last if last != NEXT else outcome


def _match(machine: Interpreter, node: nodes.Match, frame: Frame) -> str:
    before, soft = frame.names, frame.soft
    alive: list[dict[str, Any]] = [before]
    for case in node.cases:
        memo: dict[int, Any] = {}
        frame.names = {name: fork(value, memo) for name, value in before.items()}
        if run(machine, case.body, frame) == NEXT:
            alive.append(frame.names)
    merged = alive[0]
    for names in alive[1:]:
        merged = merge(merged, names)
    frame.names, frame.soft = merged, soft
    return NEXT


# ---------------------------------------------------------------------- loops


def _for(machine: Interpreter, node: nodes.For, frame: Frame) -> str:
    source = machine.expr(node.iter, frame)
    items = hostitems.iterate(source)
    if items is not None and len(items) <= MAX_UNROLL:
        for value in items:
            assign(machine, node.target, value, frame, node.iter)
            outcome = run(machine, node.body, frame)
            if outcome == BREAK:
                return NEXT
            if outcome in (RETURN, RAISE):
                return outcome
        return run(machine, node.orelse, frame)
    element: Any = Tensor() if isinstance(source, Tensor) else unknown("it depends on the pass through a loop")
    if hostitems.from_problem(source):
        element = Parameter("loop variable")
    return _unknown_passes(machine, node, frame, element)


def _while(machine: Interpreter, node: nodes.While, frame: Frame) -> str:
    if hostitems.truth(machine.expr(node.test, frame)) is False:
        return run(machine, node.orelse, frame)
    return _unknown_passes(machine, node, frame, None)


def _unknown_passes(machine: Interpreter, node: nodes.For | nodes.While, frame: Frame, element: Any) -> str:
    """A loop that runs an unknown number of times: its body once, with what it changes forgotten before and after."""
    for name, value in _changed(machine, node, frame).items():
        frame.names[name] = value
    before = frame.names
    memo: dict[int, Any] = {}
    frame.names = {name: fork(value, memo) for name, value in before.items()}
    if isinstance(node, nodes.For):
        assign(machine, node.target, element, frame, None)
    run(machine, node.body, frame)
    frame.names = merge(before, frame.names)
    if isinstance(node, nodes.While):
        narrow(machine, node.test, False, frame)
    return NEXT


def _changed(machine: Interpreter, node: nodes.NodeNG, frame: Frame) -> dict[str, Any]:
    """What is left of the variables that a loop's body changes: bounds where it only makes them smaller or larger."""
    changed: dict[str, Any] = {}
    for target in (part for part in walk(node) if isinstance(part, nodes.AssignName)):
        name, statement = target.name, target.statement()
        if name not in frame.names or statement is node:
            continue
        value = frame.names[name]
        after: Any = unknown("it changes in a loop", hostitems.from_problem(value))
        if isinstance(statement, nodes.AugAssign) and isinstance(value, HostValue) and is_integer(value):
            lo, hi = value.bounds
            if statement.op in ("//=", ">>=") and lo is not None and lo >= 0:
                after = integer(min(lo, 1), hi, value.kind == "problem", value.from_problem, "it changes in a loop")
            elif statement.op in ("*=", "<<=", "+=") and lo is not None and lo >= 0:
                after = integer(lo, None, True, True, "it changes in a loop")
        elif name in changed:
            continue
        changed[name] = after
    return changed
