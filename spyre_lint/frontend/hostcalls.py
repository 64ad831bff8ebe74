"""Calls in host code: Triton's, torch's and Python's functions, and methods of containers, texts and tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.bindings import DTypeName, HostValue, KernelId
from spyre_lint.frontend import hostitems, hostmath
from spyre_lint.frontend.hostcode import (
    DEVICE_QUERY,
    INTEGER_MAKERS,
    KEEPS_DTYPE,
    SIZE_ATTRIBUTES,
    TENSOR_MAKERS,
)
from spyre_lint.frontend.hostmethods import device_query, dtype_name, is_device_answer, method
from spyre_lint.frontend.hostvalues import (
    MAX_ITEMS,
    NONE,
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
    problem,
    scalar,
    to_host,
    unknown,
)
from spyre_lint.frontend.syntax import Module, parameter_nodes
from spyre_lint.ir.types import dtype_named

if TYPE_CHECKING:
    from spyre_lint.frontend.hosteval import Arguments, Interpreter

_TRANSPARENT = frozenset(
    {"torch.library.wrap_triton", "torch._library.wrap_triton", "builtins.tuple", "builtins.list", "copy.copy"}
    | {"copy.deepcopy", "builtins.frozenset", "builtins.set", "triton.language.constexpr", "torch.compile"}
    | {"functools.lru_cache", "functools.cache", "torch.Size", "triton.runtime.constexpr"}
)


def call(machine: Interpreter, function: Any, args: Arguments, node: nodes.NodeNG, frame: Frame) -> Any:
    """The value a call returns."""
    if isinstance(function, Function):
        return machine.call_function(function, args)
    if isinstance(function, External):
        return _external(machine, function.name, args, node, frame)
    if isinstance(function, Partial):
        merged = type(args)(
            [*((value, node) for value in function.args), *args.positional],
            [*((key, value, node) for key, value in function.keywords.items()), *args.keywords],
            args.open,
        )
        return call(machine, function.target, merged, node, frame)
    if isinstance(function, Method):
        return method(machine, function.owner, function.name, args)
    if isinstance(function, ClassRef):
        return _construct(machine, function, args)
    if isinstance(function, Choice):
        results = [call(machine, option, args, node, frame) for option in function.options]
        result = results[0]
        for other in results[1:]:
            result = join(result, other)
        return result
    text = frame.module.source(node.func) if isinstance(node, nodes.Call) else "call"
    if DEVICE_QUERY.search(text):
        return device_query(text)
    return unknown(f"the result of `{text}` is not known", any(hostitems.from_problem(v) for v in args.values))


def attribute(machine: Interpreter, owner: Any, name: str, node: nodes.NodeNG) -> Any:
    """The value of an attribute of something that is no module, class or object of the tree."""
    if name in ("shape", "strides"):
        return Shape()
    if name in ("numel", "size", "stride", *SIZE_ATTRIBUTES):
        return Method(owner, name)
    if name == "ndim":
        return problem()
    if isinstance(owner, Tensor):
        if name == "dtype":
            return (
                unknown("the tensor's element type is not known")
                if owner.dtype is None
                else known(DTypeName(owner.dtype))
            )
        return owner if name in ("T", "mT", "H", "data", "grad") else Method(owner, name)
    if isinstance(owner, (Items, Table)):
        return Method(owner, name)
    if DEVICE_QUERY.search(name):
        return device_query(name)
    if isinstance(owner, Parameter):
        if name == "dtype":
            return unknown("the tensor's element type is not known")
        return (
            Method(owner, name)
            if isinstance(node.parent, nodes.Call) and node.parent.func is node
            else Parameter(f"{owner.name}.{name}")
        )
    if isinstance(owner, HostValue):
        return _scalar_attribute(machine, owner, name, node)
    if isinstance(owner, Choice) and hostitems.is_kernel(owner):
        return Method(owner, name)
    return (
        Method(owner, name) if isinstance(owner, (Shape, Instance)) else unknown(f"the attribute `{name}` is not known")
    )


def _scalar_attribute(machine: Interpreter, owner: HostValue, name: str, node: nodes.NodeNG) -> Any:
    if is_device_answer(owner):
        return Method(owner, name) if isinstance(node.parent, nodes.Call) and node.parent.func is node else owner
    if owner.is_known and isinstance(owner.value, KernelId):
        if name in ("arg_names", "params"):
            names = kernel_parameters(machine, owner.value)
            return Items([known(item) for item in names], "list") if names is not None else unknown("no such kernel")
        if name == "__name__":
            return known(owner.value.name.split(".")[-1])
        return owner if name == "fn" else Method(owner, name)
    if owner.is_known and isinstance(owner.value, DTypeName):
        dtype = dtype_named(owner.value.name)
        if name == "itemsize" and dtype is not None and dtype.byte_size is not None:
            return known(dtype.byte_size)
        if name == "primitive_bitwidth" and dtype is not None and dtype.bits is not None:
            return known(dtype.bits)
        if name == "is_floating_point" and dtype is not None:
            return known(dtype.is_float)
    if owner.is_known and isinstance(owner.value, str):
        return Method(owner, name)
    if owner.kind == "unknown" and isinstance(node.parent, nodes.Call) and node.parent.func is node:
        return Method(owner, name)
    return unknown(owner.reason or f"the attribute `{name}` is not known", owner.from_problem)


def kernel_parameters(machine: Interpreter, kernel: KernelId) -> list[str] | None:
    """The parameter names of a jit function."""
    from spyre_lint.frontend.kernels import find_function

    found = find_function(machine.project, kernel)
    return None if found is None else [item.name for item in parameter_nodes(found[1])]


def _construct(machine: Interpreter, cls: ClassRef, args: Arguments) -> Any:
    """An object: `__init__` is followed; without one (a dataclass) the arguments become attributes."""
    instance = Instance(cls)
    method = machine.class_attribute(cls, "__init__")
    if isinstance(method, Function):
        machine.call_function(Function(method.module, method.node, method.outer, bound=instance), args)
        return instance
    names = [
        statement.target.name
        for statement in cls.node.body
        if isinstance(statement, nodes.AnnAssign) and isinstance(statement.target, nodes.AssignName)
    ]
    instance.attributes.update(zip(names, args.values, strict=False))
    instance.attributes.update({key: value for key, value, _ in args.keywords})
    return instance


# ---------------------------------------------------------------------- functions of external packages


def _external(machine: Interpreter, name: str, args: Arguments, node: nodes.NodeNG, frame: Frame) -> Any:
    handler = _FUNCTIONS.get(name)
    if handler is not None:
        return handler(machine, args)
    values = args.values
    if name in _TRANSPARENT:
        if not values:
            return Items([], "tuple" if name.endswith("tuple") else "list")
        parts = hostitems.iterate(values[0])
        kind = name.rpartition(".")[2]
        if parts is not None and kind in ("tuple", "list", "set"):
            return Items(parts, kind)  # type: ignore[arg-type]
        return values[0]
    if name == "functools.partial" and values:
        return Partial(values[0], tuple(values[1:]), {key: value for key, value, _ in args.keywords})
    if name.startswith("math.") or name.startswith("numpy."):
        return _math(name.rpartition(".")[2], values)
    head, _, last = name.rpartition(".")
    if head in ("torch", "torch.Tensor"):
        made = _torch(machine, last, args, frame)
        if made is not None:
            return made
    if DEVICE_QUERY.search(name):
        return device_query(name)
    if name in ("os.environ.get", "os.getenv"):
        return values[1] if len(values) > 1 else NONE
    return unknown(f"the result of {name} is not known", any(hostitems.from_problem(value) for value in values))


def _torch(machine: Interpreter, name: str, args: Arguments, frame: Frame) -> Any:
    """Tensors that torch makes. Without `dtype=` it is that of the tensor they are like, else torch's default, fp32."""
    if name in TENSOR_MAKERS:
        chosen = args.keyword("dtype")
        if chosen is not None and not (isinstance(chosen, HostValue) and chosen.is_known and chosen.value is None):
            return Tensor(dtype_name(chosen))
        first = args.values[0] if args.values else None
        if name.endswith("_like"):
            return Tensor(first.dtype if isinstance(first, Tensor) else None)
        if name in INTEGER_MAKERS:
            return Tensor("i64" if name != "arange" else None)
        return Tensor(None if name in ("full", "tensor", "as_tensor") else "fp32")
    if name in KEEPS_DTYPE or name in ("cat", "stack", "relu", "neg"):
        first = args.values[0] if args.values else None
        items = first.items if isinstance(first, Items) else [first]
        dtypes = {value.dtype if isinstance(value, Tensor) else None for value in items}
        return Tensor(dtypes.pop() if len(dtypes) == 1 else None)
    return None


def _math(name: str, values: list[Any]) -> Any:
    if name == "prod" and values:
        return _product(values[0])
    numbers = [scalar(value) for value in values]
    if name == "ceil" and numbers:
        return hostmath.to_integer(numbers[0], up=True)
    if name in ("floor", "trunc") and numbers:
        return hostmath.to_integer(numbers[0])
    function = getattr(math, name, None)
    if callable(function) and all(number.is_known for number in numbers) and name not in ("factorial", "perm", "comb"):
        try:
            return known(function(*(number.value for number in numbers)), any(n.from_problem for n in numbers))
        except (TypeError, ValueError, ArithmeticError):
            return unknown(f"{name} fails")
    return unknown(f"the result of {name} is not exact", any(number.from_problem for number in numbers))


def _product(value: Any) -> Any:
    items = hostitems.iterate(value)
    if items is None:
        return problem() if hostitems.from_problem(value) else unknown("a product of values that are not known")
    total = known(1)
    for item in items:
        total = hostmath.binary("*", total, scalar(item))
    return total


def _numpy_dtype(machine: Interpreter, args: Arguments) -> Any:
    """`numpy.dtype("float16")`, or of a type that is one already."""
    value = scalar(args.get(0, "dtype") or unknown("no argument"))
    if value.is_known and isinstance(value.value, str):
        dtype = dtype_named(value.value)
        return value if dtype is None else known(DTypeName(dtype.name))
    return value


def _cdiv(machine: Interpreter, args: Arguments) -> Any:
    left, right = args.get(0, "x"), args.get(1, "y")
    if left is None or right is None:
        return unknown("cdiv lacks an argument")
    return hostmath.ceil_divide(scalar(left), scalar(right))


def _extreme(smallest: bool) -> Callable[[Interpreter, Arguments], Any]:
    def function(machine: Interpreter, args: Arguments) -> Any:
        values = args.values
        if len(values) == 1:
            items = hostitems.iterate(values[0])
            if items is None:
                return problem() if hostitems.from_problem(values[0]) else unknown("its items are not known")
            values = items
        if not values or args.keyword("key") is not None:
            return unknown("its arguments can't be compared")
        return hostmath.extreme([scalar(value) for value in values], smallest=smallest)

    return function


def _length(machine: Interpreter, args: Arguments) -> Any:
    value = args.get(0, "obj")
    if isinstance(value, (Items, Table)) and not value.open:
        return known(len(value.items))
    if isinstance(value, HostValue) and value.is_known and isinstance(value.value, (str, tuple, list, dict)):
        return known(len(value.value))
    return problem()


def _range(machine: Interpreter, args: Arguments) -> Any:
    bounds = [scalar(value) for value in args.values]
    if bounds and all(bound.is_known and isinstance(bound.value, int) for bound in bounds) and len(bounds) <= 3:
        try:
            numbers = range(*(bound.value for bound in bounds))
        except (TypeError, ValueError):
            return unknown("its range is not valid")
        if len(numbers) <= MAX_ITEMS:
            return Items([known(number) for number in numbers])
    if any(bound.from_problem for bound in bounds):
        return Items([Parameter("loop variable")], "list", "the range depends on a problem size")
    return unknown("its range is not known")


def _sorted(machine: Interpreter, args: Arguments) -> Any:
    host = to_host(args.get(0, "iterable"))
    if not host.is_known or args.keyword("key") is not None:
        return unknown("what is sorted is not known", host.from_problem)
    flipped = args.keyword("reverse")
    try:
        values = sorted(host.value, reverse=bool(hostitems.truth(flipped)) if flipped is not None else False)
    except TypeError:
        return unknown("what is sorted can't be compared")
    return hostitems.lift(values)


def _dict(machine: Interpreter, args: Arguments) -> Any:
    table = Table({}, args.open)
    for value in args.values[:1]:
        if isinstance(value, Table):
            table = Table(dict(value.items), value.open or args.open, dict(value.nodes))
        else:
            for pair in hostitems.iterate(value) or []:
                parts = hostitems.iterate(pair) or []
                key = scalar(parts[0]) if len(parts) == 2 else unknown("it is no pair")
                if key.is_known and hostitems.hashable(key.value):
                    table.items[key.value] = parts[1]
                else:
                    table.open = "a key is not known"
            if hostitems.iterate(value) is None:
                table.open = "its items are not known"
    owner = machine.module_of(args.keywords[0][2]) if args.keywords else None
    for name, value, where in args.keywords:
        table.items[name] = value
        if isinstance(owner, Module):
            table.nodes[name] = (owner, where, where.value if isinstance(where, nodes.Keyword) else None)
    return table


def _zip(machine: Interpreter, args: Arguments) -> Any:
    columns = [hostitems.iterate(value) for value in args.values]
    if any(column is None for column in columns):
        return unknown("what is zipped is not known")
    return Items([Items(list(row), "tuple") for row in zip(*(c or [] for c in columns), strict=False)])


def _product_of(machine: Interpreter, args: Arguments) -> Any:
    rows: list[list[Any]] = [[]]
    for value in args.values:
        items = hostitems.iterate(value)
        if items is None or len(rows) * len(items) > MAX_ITEMS:
            return unknown("the product is not known")
        rows = [[*row, item] for row in rows for item in items]
    return Items([Items(row, "tuple") for row in rows])


def _enumerate(machine: Interpreter, args: Arguments) -> Any:
    items = hostitems.iterate(args.get(0, "iterable"))
    start = scalar(args.get(1, "start") or known(0))
    if items is None or not start.is_known:
        return unknown("what is enumerated is not known")
    return Items([Items([known(start.value + i), item], "tuple") for i, item in enumerate(items)])


def _sum(machine: Interpreter, args: Arguments) -> Any:
    items = hostitems.iterate(args.get(0, "iterable"))
    if items is None:
        return unknown("what is added up is not known", hostitems.from_problem(args.get(0, "iterable")))
    total = known(0)
    for item in items:
        total = hostmath.binary("+", total, scalar(item))
    return total


def _cast(function: Callable[[Any], Any]) -> Callable[[Interpreter, Arguments], Any]:
    def cast(machine: Interpreter, args: Arguments) -> Any:
        value = args.get(0, "x")
        host = scalar(value) if value is not None else unknown("its argument is missing")
        if function is int:
            return hostmath.to_integer(host)
        if function is bool:
            verdict = hostitems.truth(value)
            return unknown("it is a condition that is not known") if verdict is None else known(verdict)
        if not host.is_known or isinstance(host.value, (KernelId, DTypeName)):
            return unknown(host.reason or "it is not exact", host.from_problem)
        try:
            return known(function(host.value), host.from_problem)
        except (TypeError, ValueError, OverflowError):
            return unknown("it can't be converted")

    return cast


def _quantifier(every: bool) -> Callable[[Interpreter, Arguments], Any]:
    def function(machine: Interpreter, args: Arguments) -> Any:
        verdicts = [hostitems.truth(item) for item in hostitems.iterate(args.get(0, "iterable")) or [None]]
        if (not every) in verdicts:
            return known(not every)
        return unknown("it is a condition that is not known") if None in verdicts else known(every)

    return function


def _reduce(machine: Interpreter, args: Arguments) -> Any:
    """`functools.reduce`: over a tensor's sizes it is a size again (their product, mostly)."""
    value = args.get(1, "iterable")
    items = hostitems.iterate(value)
    function = args.get(0, "function")
    if items is None or not (isinstance(function, External) and function.name == "operator.mul"):
        return problem() if hostitems.from_problem(value) else unknown("what functools.reduce does is not followed")
    total = scalar(args.get(2, "initial") or known(1))
    for item in items:
        total = hostmath.binary("*", total, scalar(item))
    return total


def _getattr(machine: Interpreter, args: Arguments) -> Any:
    name = scalar(args.get(1, "name") or unknown("its name is missing"))
    owner = args.get(0, "object")
    if not name.is_known or not isinstance(name.value, str):
        return unknown("an attribute's name is not known")
    where = args.positional[0][1]
    root = machine.module_of(where)
    if root is None:
        return unknown("an attribute can't be followed")
    found = machine.attribute(owner, name.value, where, machine.module_frame(root))
    if isinstance(found, HostValue) and found.kind == "unknown" and len(args.positional) > 2:
        return args.positional[2][0]
    return found


_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "triton.cdiv": _cdiv,
    "triton.language.cdiv": _cdiv,
    "triton.next_power_of_2": lambda m, a: hostmath.next_power_of_2(scalar(a.get(0, "n") or unknown("no argument"))),
    "builtins.min": _extreme(smallest=True),
    "builtins.max": _extreme(smallest=False),
    "builtins.len": _length,
    "builtins.range": _range,
    "builtins.sorted": _sorted,
    "builtins.dict": _dict,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.sum": _sum,
    "builtins.int": _cast(int),
    "builtins.float": _cast(float),
    "builtins.bool": _cast(bool),
    "builtins.str": _cast(str),
    "builtins.abs": lambda m, a: hostmath.absolute(scalar(a.get(0, "x") or unknown("no argument"))),
    "builtins.round": lambda m, a: hostmath.to_integer(scalar(a.get(0, "x") or unknown("no argument"))),
    "builtins.all": _quantifier(every=True),
    "builtins.any": _quantifier(every=False),
    "builtins.getattr": _getattr,
    "itertools.product": _product_of,
    "functools.reduce": _reduce,
    "numpy.dtype": _numpy_dtype,
}
