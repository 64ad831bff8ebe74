"""Expressions of host code: displays, operators, subscripts, comprehensions, calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.bindings import HostValue, KernelId
from spyre_lint.frontend import hostexec, hostmath
from spyre_lint.frontend.hostitems import fold, from_problem, hashable, is_kernel, item, iterate, operate, truth
from spyre_lint.frontend.hostvalues import (
    FALSE,
    MAX_ITEMS,
    TRUE,
    BoundLaunch,
    Choice,
    ClassRef,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Method,
    Parameter,
    Partial,
    Shape,
    Table,
    Tensor,
    join,
    known,
    options_of,
    scalar,
    to_host,
    unknown,
)

if TYPE_CHECKING:
    from spyre_lint.frontend.hosteval import Arguments, Interpreter


def expression(machine: Interpreter, node: nodes.NodeNG, frame: Frame) -> Any:
    """The value of an expression."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return unknown(f"`{frame.module.source(node)}` can't be followed")
    return handler(machine, node, frame)


# ---------------------------------------------------------------------- one function per kind of node


def _const(machine: Interpreter, node: nodes.Const, frame: Frame) -> Any:
    value = node.value
    if value is None or isinstance(value, (bool, int, float, str)):
        return known(value)
    return unknown("it is a constant of a kind that is not followed")


def _name(machine: Interpreter, node: nodes.Name, frame: Frame) -> Any:
    return machine.name(node, frame)


def _items(machine: Interpreter, node: nodes.Tuple | nodes.List | nodes.Set, frame: Frame) -> Any:
    result = Items([], "tuple" if isinstance(node, nodes.Tuple) else "set" if isinstance(node, nodes.Set) else "list")
    for element in node.elts:
        if isinstance(element, nodes.Starred):
            values = machine.expr(element.value, frame)
            parts = iterate(values)
            if parts is None:
                result.open = result.open or "it holds a starred value that is not known"
                result.sure = min(result.sure, len(result.items))
                result.sizes = result.sizes or from_problem(values)
            result.items.extend(parts or [])
        else:
            result.items.append(machine.expr(element, frame))
    return result


def _dict(machine: Interpreter, node: nodes.Dict, frame: Frame) -> Any:
    table = Table({})
    for key, value in node.items:
        if isinstance(key, nodes.DictUnpack):
            other = machine.expr(value, frame)
            if isinstance(other, Table):
                table.items.update(other.items)
                table.nodes.update(other.nodes)
                table.open = table.open or other.open
            else:
                table.open = table.open or f"`{frame.module.source(value)}` can't be followed"
            continue
        name = scalar(machine.expr(key, frame))
        content = machine.expr(value, frame)
        if name.is_known and hashable(name.value):
            table.items[name.value] = content
            table.nodes[name.value] = (frame.module, key, value)
        else:
            table.open = table.open or "a key is not known"
    return table


def _bin_op(machine: Interpreter, node: nodes.BinOp, frame: Frame) -> Any:
    return operate(node.op, machine.expr(node.left, frame), machine.expr(node.right, frame))


def _unary(machine: Interpreter, node: nodes.UnaryOp, frame: Frame) -> Any:
    value = machine.expr(node.operand, frame)
    if node.op == "not":
        verdict = truth(value)
        return unknown("it is a condition that is not known") if verdict is None else known(not verdict)
    if isinstance(value, Tensor):
        return value
    number = scalar(value)
    if node.op == "-":
        return hostmath.negate(number)
    if node.op == "~" and number.is_known and isinstance(number.value, int):
        return known(~number.value, number.from_problem)
    return number if node.op == "+" else unknown("the operation is not followed", number.from_problem)


def _bool_op(machine: Interpreter, node: nodes.BoolOp, frame: Frame) -> Any:
    """`a or b` is a value, not a truth: `block or 128`."""
    stop = node.op == "or"
    options: list[Any] = []
    for operand in node.values:
        value = machine.expr(operand, frame)
        verdict = truth(value)
        if operand is not node.values[-1]:
            if verdict is not None and verdict is not stop:
                continue
            if verdict is None and isinstance(value, HostValue) and value.kind == "unknown":
                value = known(stop) if _is_condition(operand) else value
        options.append(value)
        if verdict is stop:
            break
    return fold(options)


def _is_condition(node: nodes.NodeNG) -> bool:
    return isinstance(node, nodes.Compare) or (isinstance(node, nodes.UnaryOp) and node.op == "not")


def _compare(machine: Interpreter, node: nodes.Compare, frame: Frame) -> Any:
    left = machine.expr(node.left, frame)
    verdict: bool | None = True
    for op, operand in node.ops:
        right = machine.expr(operand, frame)
        held = _holds(op, left, right)
        if held is False:
            return FALSE
        verdict = None if held is None else verdict
        left = right
    return TRUE if verdict else unknown("it is a condition that is not known", from_problem(left))


def _holds(op: str, left: Any, right: Any) -> bool | None:
    if op in ("in", "not in"):
        return _contains(left, right) if op == "in" else _invert(_contains(left, right))
    if op in ("is", "is not", "==", "!="):
        verdicts = {_equal(op, a, b) for a in options_of(left) for b in options_of(right)}
        verdict = verdicts.pop() if len(verdicts) == 1 else None
        return verdict if op in ("is", "==") else _invert(verdict)
    return hostmath.compare(op, scalar(left), scalar(right))


def _invert(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


def _equal(op: str, left: Any, right: Any) -> bool | None:
    if isinstance(left, HostValue) and isinstance(right, HostValue):
        return hostmath.compare("is" if op in ("is", "is not") else "==", left, right)
    for value, other in ((left, right), (right, left)):
        nothing = isinstance(value, HostValue) and value.is_known and value.value is None
        if nothing and isinstance(other, (Items, Table, Tensor, Function, ClassRef, Instance, Shape, Partial)):
            return False
    if isinstance(left, (Items, Table)) and isinstance(right, (Items, Table)):
        a, b = to_host(left), to_host(right)
        return bool(a.value == b.value) if a.is_known and b.is_known else None
    if isinstance(left, External) and isinstance(right, External):
        return True if left.name == right.name else None
    return None


def _contains(left: Any, right: Any) -> bool | None:
    key = scalar(left) if isinstance(left, (HostValue, Parameter, Choice)) else to_host(left)
    if isinstance(right, HostValue) and right.is_known and isinstance(right.value, str):
        return key.value in right.value if key.is_known and isinstance(key.value, str) else None
    if not isinstance(right, (Items, Table)) or not key.is_known or not hashable(key.value):
        return None
    if isinstance(right, Table):
        return (
            True if key.value in right.items and not right.open else (None if right.open else key.value in right.items)
        )
    values = [to_host(value) for value in right.items]
    if any(value.is_known and value.value == key.value for value in values):
        return True
    return None if right.open or not all(value.is_known for value in values) else False


def _if_exp(machine: Interpreter, node: nodes.IfExp, frame: Frame) -> Any:
    verdict = truth(machine.expr(node.test, frame))
    if verdict is not None:
        return machine.expr(node.body if verdict else node.orelse, frame)
    saved = frame.names
    values = []
    for holds, branch in ((True, node.body), (False, node.orelse)):
        frame.names = dict(saved)
        hostexec.narrow(machine, node.test, holds, frame)
        values.append(machine.expr(branch, frame))
    frame.names = saved
    return join(values[0], values[1])


def _subscript(machine: Interpreter, node: nodes.Subscript, frame: Frame) -> Any:
    owner = machine.expr(node.value, frame)
    if is_kernel(owner):
        return BoundLaunch(owner, machine.expr(node.slice, frame), node.slice)
    if isinstance(node.slice, nodes.Slice):
        return _slice(machine, owner, node.slice, frame)
    return item(owner, machine.expr(node.slice, frame))


def _slice(machine: Interpreter, owner: Any, node: nodes.Slice, frame: Frame) -> Any:
    bounds: list[int | None] = []
    for part in (node.lower, node.upper, node.step):
        value = known(None) if part is None else scalar(machine.expr(part, frame))
        if not value.is_known or not (value.value is None or isinstance(value.value, int)):
            return unknown("a slice is not known", value.from_problem or from_problem(owner))
        bounds.append(value.value)
    if isinstance(owner, (Shape, Tensor)):
        return owner
    if bounds[2] == 0:
        return unknown("the step of a slice is zero")
    if isinstance(owner, Items) and not owner.open:
        return Items(owner.items[slice(*bounds)], owner.kind)
    if isinstance(owner, HostValue) and owner.is_known and isinstance(owner.value, str):
        return known(owner.value[slice(*bounds)])
    return Parameter("slice") if isinstance(owner, Parameter) else unknown("a slice can't be followed")


def _attribute(machine: Interpreter, node: nodes.Attribute, frame: Frame) -> Any:
    owner = machine.expr(node.expr, frame)
    if isinstance(owner, Choice) and not is_kernel(owner):
        return fold([machine.attribute(option, node.attrname, node, frame) for option in owner.options])
    return machine.attribute(owner, node.attrname, node, frame)


def _lambda(machine: Interpreter, node: nodes.Lambda, frame: Frame) -> Any:
    return Function(frame.module, node, frame)


def _f_string(machine: Interpreter, node: nodes.JoinedStr, frame: Frame) -> Any:
    parts: list[str] = []
    for part in node.values:
        if isinstance(part, nodes.Const):
            parts.append(str(part.value))
            continue
        value = to_host(machine.expr(part.value, frame))
        if not value.is_known or isinstance(value.value, KernelId):
            return unknown("a part of a text is not known", value.from_problem)
        spec = ""
        if part.format_spec is not None:
            found = scalar(machine.expr(part.format_spec, frame))
            spec = str(found.value) if found.is_known else ""
        try:
            shown = repr(value.value) if part.conversion == ord("r") else value.value
            parts.append(format(shown, spec))
        except (TypeError, ValueError):
            return unknown("a text can't be formatted")
    text = "".join(parts)
    return known(text) if len(text) <= MAX_ITEMS else unknown("a text is too long")


def _comprehension(machine: Interpreter, node: nodes.ComprehensionScope, frame: Frame) -> Any:
    inner = Frame(frame.module, outer=frame, owner=node, inlined=frame.inlined)
    results: list[Any] = []
    reason = _generate(machine, node, 0, inner, results)
    if isinstance(node, nodes.DictComp):
        table = Table({}, reason)
        for key, value, where in results:
            name = scalar(key)
            if name.is_known and hashable(name.value):
                table.items[name.value] = value
                table.nodes[name.value] = where
            else:
                table.open = table.open or "a key is not known"
        return table
    return Items(results, "set" if isinstance(node, nodes.SetComp) else "list", reason)


def _generate(machine: Interpreter, node: Any, depth: int, frame: Frame, results: list[Any]) -> str:
    """Run the loops of a comprehension from one depth on; says why the results may be incomplete."""
    if depth == len(node.generators):
        if isinstance(node, nodes.DictComp):
            where = (frame.module, node.key, node.value)
            results.append((machine.expr(node.key, frame), machine.expr(node.value, frame), where))
        else:
            results.append(machine.expr(node.elt, frame))
        return "" if len(results) <= MAX_ITEMS else "it has too many items"
    generator = node.generators[depth]
    items = iterate(machine.expr(generator.iter, frame))
    if items is None:
        return "it loops over a value that is not known"
    for value in items:
        hostexec.assign(machine, generator.target, value, frame, None)
        verdicts = [truth(machine.expr(test, frame)) for test in generator.ifs]
        if any(verdict is False for verdict in verdicts):
            continue
        if None in verdicts:
            return "it is filtered by a condition that is not known"
        reason = _generate(machine, node, depth + 1, frame, results)
        if reason:
            return reason
    return ""


def _named(machine: Interpreter, node: nodes.NamedExpr, frame: Frame) -> Any:
    value = machine.expr(node.value, frame)
    hostexec.assign(machine, node.target, value, frame, node.value)
    return value


def arguments(machine: Interpreter, node: nodes.Call, frame: Frame) -> Arguments:
    """The evaluated arguments of a call, with `*args` and `**kwargs` spread where they are known."""
    from spyre_lint.frontend.hosteval import Arguments

    result = Arguments()
    for argument in node.args:
        if isinstance(argument, nodes.Starred):
            parts = iterate(machine.expr(argument.value, frame))
            if parts is None:
                result.open = f"`*{frame.module.source(argument.value)}` can't be followed"
                result.certain = min(result.certain, len(result.positional))
            result.positional.extend((value, argument) for value in parts or [])
        else:
            result.positional.append((machine.expr(argument, frame), argument))
    for keyword in node.keywords or []:
        value = machine.expr(keyword.value, frame)
        if keyword.arg is not None:
            result.keywords.append((keyword.arg, value, keyword))
            continue
        tables = [option for option in options_of(value) if isinstance(option, Table)]
        if len(tables) != 1 or tables[0].open or value is not tables[0]:
            result.open = f"`**{frame.module.source(keyword.value)}` can't be followed"
        for table in tables[:1]:
            result.keywords.extend((str(key), item, keyword.value) for key, item in table.items.items())
    return result


def _call(machine: Interpreter, node: nodes.Call, frame: Frame) -> Any:
    if isinstance(node.func, nodes.Subscript):
        owner = machine.expr(node.func.value, frame)
        if is_kernel(owner) or (machine.recorder is not None and isinstance(owner, (Parameter, HostValue))):
            grid = machine.expr(node.func.slice, frame)
            _record(machine, node, frame, owner, grid, node.func.slice, arguments(machine, node, frame))
            return unknown("it is the result of a launch")
        if isinstance(node.func.slice, nodes.Slice):
            function = unknown("it can't be called")
        else:
            function = item(owner, machine.expr(node.func.slice, frame))
    else:
        function = machine.expr(node.func, frame)
    args = arguments(machine, node, frame)
    if isinstance(function, Partial) and isinstance(function.target, BoundLaunch):
        _prepend(args, function, node)
        function = function.target
    if isinstance(function, BoundLaunch):
        _record(machine, node, frame, function.kernel, function.grid, function.grid_node, args)
        return unknown("it is the result of a launch")
    if isinstance(function, Method) and function.name in ("run", "warmup") and is_kernel(function.owner):
        _record(machine, node, frame, function.owner, args.keyword("grid"), _keyword_node(node, "grid"), args)
        return unknown("it is the result of a launch")
    return machine.call(function, args, node, frame)


def _keyword_node(node: nodes.Call, name: str) -> nodes.NodeNG | None:
    return next((keyword.value for keyword in node.keywords or [] if keyword.arg == name), None)


def _record(
    machine: Interpreter,
    node: nodes.Call,
    frame: Frame,
    kernel: Any,
    grid: Any,
    grid_node: nodes.NodeNG | None,
    args: Arguments,
) -> None:
    while isinstance(kernel, Partial):
        _prepend(args, kernel, node)
        kernel = kernel.target
    if machine.recorder is not None:
        machine.recorder.launch(frame, node, kernel, grid, grid_node, args)


def _prepend(args: Arguments, partial: Partial, node: nodes.Call) -> None:
    """Put the arguments that `functools.partial` holds before those of the call; keywords of the call win."""
    given = {key for key, _, _ in args.keywords}
    args.positional = [*((value, node) for value in partial.args), *args.positional]
    held = [(key, value, node) for key, value in partial.keywords.items() if key not in given]
    args.keywords = [*held, *args.keywords]


def _await(machine: Interpreter, node: nodes.NodeNG, frame: Frame) -> Any:
    return unknown("it is awaited or yielded")


Handler = Callable[["Interpreter", Any, Frame], Any]

_HANDLERS: dict[type[nodes.NodeNG], Handler] = {
    nodes.Const: _const,
    nodes.Name: _name,
    nodes.Tuple: _items,
    nodes.List: _items,
    nodes.Set: _items,
    nodes.Dict: _dict,
    nodes.BinOp: _bin_op,
    nodes.UnaryOp: _unary,
    nodes.BoolOp: _bool_op,
    nodes.Compare: _compare,
    nodes.IfExp: _if_exp,
    nodes.Subscript: _subscript,
    nodes.Attribute: _attribute,
    nodes.Lambda: _lambda,
    nodes.JoinedStr: _f_string,
    nodes.ListComp: _comprehension,
    nodes.SetComp: _comprehension,
    nodes.DictComp: _comprehension,
    nodes.GeneratorExp: _comprehension,
    nodes.NamedExpr: _named,
    nodes.Call: _call,
    nodes.Await: _await,
    nodes.Yield: _await,
    nodes.YieldFrom: _await,
}
