"""Turns the slice of a kernel into a Python function that runs one program of a shadow launch.

The text is made of this module's own templates, numbered names and integers alone: nothing of the linted source goes
into it. It has three layers, so that work is done once where it can be: `prepare` (sizes and tiles), `launch` (grid),
`program` (program ids and everything inside loops and branches).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spyre_lint.analysis import shadow_values as values
from spyre_lint.analysis.shadow_slice import (
    LOADS,
    REGIONS,
    SAME,
    STORES,
    UNKNOWN,
    Slice,
    slices_of,
    source_of_unknown,
)
from spyre_lint.ir.core import Block, Op, Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import BlockPointerType, dtype_of, shape_of

MAX_OPS = 6000
"""A slice with more operations than this is not run."""
_MAX_NESTING = 60

# With known operands, plain Python does it; `truncdiv` and the rest cope with unknown ones.
_PLAIN = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "and": "{0} & {1}", "or": "{0} | {1}",
    "xor": "{0} ^ {1}", "shl": "{0} << {1}", "shr": "{0} >> {1}", "ashr": "{0} >> {1}", "neg": "-{0}",
    "lt": "{0} < {1}", "le": "{0} <= {1}", "gt": "{0} > {1}", "ge": "{0} >= {1}", "abs": "abs({0})",
    "div": "truncdiv({0}, {1})", "rem": "truncrem({0}, {1})", "cdiv": "cdiv({0}, {1})", "fdiv": "fdiv({0}, {1})",
}  # fmt: skip
_KNOWN = {
    **_PLAIN, "eq": "{0} == {1}", "ne": "{0} != {1}", "not": "not {0}", "invert": "~{0}",
    "min": "({0} if {0} < {1} else {1})", "max": "({0} if {0} > {1} else {1})",
    "div": "({0} // {1} if {0} >= 0 < {1} else truncdiv({0}, {1}))",
    "rem": "({0} % {1} if {0} >= 0 < {1} else truncrem({0}, {1}))",
    "cdiv": "(-(-{0} // {1}) if {0} >= 0 < {1} else cdiv({0}, {1}))",
}  # fmt: skip
_DOUBTED = {
    **_PLAIN, "eq": "equal({0}, {1})", "ne": "unequal({0}, {1})", "not": "negated({0})", "invert": "~{0}",
    "min": "minimum({0}, {1})", "max": "maximum({0}, {1})",
}  # fmt: skip
_MAY_FAIL = frozenset({"div", "rem", "cdiv", "fdiv", "shl", "shr", "ashr"})


class TooLarge(Exception):
    """The slice has too many operations, or nests too deep."""


class Code:
    """The compiled slice.

    `prepare(recorder, arguments, constants)` gives `launch(n0, n1, n2)`, that `program(p0, p1, p2, add)`; `arguments`
    are the values of `params` in order (integers; pointers are numbers of parameters), `constants` those of `exprs`.
    `sites` are the `make_descriptor` and `make_block_ptr` operations by number, `pointers` the parameters that raw
    pointers and descriptors start from. Raises TooLarge.
    """

    def __init__(self, cut: Slice) -> None:
        if len(cut.order) > MAX_OPS:
            raise TooLarge
        self.cut = cut
        self.exprs: list[Expr] = []
        self.params: list[str] = []
        self.sites: list[Op] = []
        self.pointers: list[str] = []
        self._constants: list[Any] = []
        self._names: dict[Value, str] = {}
        self._level: dict[Value, int] = {}
        self._lines: list[list[str]] = [[], [], []]
        self._fresh = 0
        self._accesses = frozenset(cut.accesses)
        self._expr_names: dict[Expr, str] = {}
        self._parameters()
        self._block(cut.ir.body, 2, 0)
        self.text = self._assemble()
        self.prepare = self._compile()

    # ---- assembling --------------------------------------------------------------------------------------

    def _assemble(self) -> str:
        lines = ["def prepare(R, A, K):"]
        lines += [f"    a{i} = A[{i}]" for i in range(len(self.params))]
        lines += [f"    k{i} = K[{i}]" for i in range(len(self.exprs))]
        lines += ["    make = R.make", "    rng = R.range"]
        lines += ["    " + line for line in self._lines[0]]
        lines += ["    def launch(n0, n1, n2):"]
        lines += ["        " + line for line in self._lines[1]]
        lines += ["        def program(p0, p1, p2, add):"]
        lines += ["            " + line for line in self._lines[2] or ["pass"]]
        return "\n".join([*lines, "        return program", "    return launch", ""])

    def _compile(self) -> Callable[..., Any]:
        names: dict[str, Any] = {
            name: getattr(values, name)
            for name in (
                *(
                    "Unknown",
                    "truncdiv",
                    "truncrem",
                    "cdiv",
                    "fdiv",
                    "minimum",
                    "maximum",
                    "equal",
                    "unequal",
                    "negated",
                ),
                *("select", "whole", "moved", "advanced", "joined", "first_unknown"),
            )
        }
        names["C"] = self._constants
        try:
            exec(compile(self.text, "<shadow launch>", "exec"), names)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise TooLarge from error
        prepare: Callable[..., Any] = names["prepare"]
        return prepare

    def _constant(self, value: Any) -> str:
        self._constants.append(value)
        return f"C[{len(self._constants) - 1}]"

    def _expr(self, expr: Expr) -> str:
        if expr.is_const:
            return _literal(expr.value)
        if expr not in self._expr_names:
            self._expr_names[expr] = f"k{len(self.exprs)}"
            self.exprs.append(expr)
        return self._expr_names[expr]

    def _parameters(self) -> None:
        for param in self.cut.ir.params:
            if param.value is None:
                continue
            self._level[param.value] = 0
            if param.role == "descriptor":
                reason = f"`{param.name}`, a descriptor made outside the kernel"
                self._names[param.value] = self._constant(values.Unknown(reason, param.loc))
            elif param.role == "pointer":
                self._names[param.value] = f"({len(self.pointers)}, 0)"
                self.pointers.append(param.name)
            elif param.value in self.cut.needed:
                self._names[param.value] = f"a{len(self.params)}"
                self.params.append(param.name)

    def _emit(self, level: int, depth: int, text: str) -> None:
        if level < 2:
            self._lines[level].append(text)
        else:
            if depth > _MAX_NESTING:
                raise TooLarge
            self._lines[2].append("    " * depth + text)

    # ---- operands ----------------------------------------------------------------------------------------

    def _name(self, value: Value) -> str:
        found = self._names.get(value)
        if found is None:
            reason, loc, stack = source_of_unknown(value)
            found = self._names[value] = self._constant(values.Unknown(reason, loc, stack))
            self._level[value] = 0
        return found

    def _tuple(self, operands: list[Value]) -> str:
        names = [self._name(value) for value in operands]
        return f"({', '.join(names)},)" if names else "()"

    def _operand(self, op: Op, group: str) -> str:
        value = op.operand(group)
        return "0" if value is None else self._name(value)

    def _level_of(self, operands: list[Value]) -> int:
        for value in operands:
            self._name(value)
        return max((self._level.get(value, 2) for value in operands), default=0)

    # ---- operations --------------------------------------------------------------------------------------

    def _block(self, block: Block, level: int, depth: int) -> None:
        for op in block.ops:
            if op not in self.cut.kept:
                continue
            if op.opcode in REGIONS:
                getattr(self, f"_{op.opcode}")(op, depth)
            elif op.opcode in STORES or op.opcode in LOADS:
                if op in self._accesses:
                    self._access(op, depth)
            elif any(result in self.cut.needed for result in op.results):
                self._compute(op, depth)

    def _define(self, op: Op, depth: int, text: str, level: int) -> None:
        """Give an operation's result a name, in the outermost layer that knows its operands."""
        name = f"v{op.result.id}"
        self._emit(level, depth, f"{name} = {text}")
        self._names[op.result] = name
        self._level[op.result] = level

    def _compute(self, op: Op, depth: int) -> None:
        handler = getattr(self, f"_op_{op.opcode}", None)
        if handler is not None:
            handler(op, depth)
        elif op.opcode in SAME:
            self._same(op, depth)

    def _same(self, op: Op, depth: int) -> None:
        source = op.operands[0]
        if op.opcode == "cast" and dtype_of(source.type).is_float and dtype_of(op.result.type).is_integer:
            self._define(op, depth, f"whole({self._name(source)})", self._level_of(op.operands))
            return
        self._names[op.result] = self._name(source)
        self._level[op.result] = self._level.get(source, 2)

    def _op_const(self, op: Op, depth: int) -> None:
        held = op.attrs["value"]
        self._level[op.result] = 0
        if isinstance(held, Expr):
            self._names[op.result] = self._expr(held)
        elif isinstance(held, int):
            self._names[op.result] = _literal(held)
        else:
            self._names[op.result] = self._constant(held)

    def _op_arange(self, op: Op, depth: int) -> None:
        start = op.attrs.get("start", 0)
        self._level[op.result] = 0
        self._names[op.result] = self._expr(start) if isinstance(start, Expr) else _literal(int(start))

    def _op_program_id(self, op: Op, depth: int) -> None:
        axis = op.attrs["axis"]
        self._names[op.result] = f"p{axis}" if axis in (0, 1, 2) else "0"
        self._level[op.result] = 2

    def _op_num_programs(self, op: Op, depth: int) -> None:
        axis = op.attrs["axis"]
        self._names[op.result] = f"n{axis}" if axis in (0, 1, 2) else "1"
        self._level[op.result] = 1

    def _op_wk_slice_coord(self, op: Op, depth: int) -> None:
        slices = slices_of(op)
        if slices is None:
            return
        table = self._constant([entry[op.attrs["axis"]] for entry in slices])
        self._define(op, depth, f"{table}[p0]", 2)

    def _op_elementwise(self, op: Op, depth: int) -> None:
        operands = [self._name(value) for value in op.operands]
        doubted = any(self.cut.is_unknown(value) for value in op.operands)
        template = (_DOUBTED if doubted else _KNOWN).get(op.fn)
        if template is None:
            return
        if op.fn == "invert" and dtype_of(op.result.type).bits == 1:
            template = "negated({0})"
        level = self._level_of(op.operands)
        divisor = operands[-1]
        safe = op.fn not in _MAY_FAIL or (divisor.isdigit() and divisor != "0") or divisor.startswith("k")
        if depth and not safe:
            level = 2
        self._define(op, depth, template.format(*operands), level)

    def _op_where(self, op: Op, depth: int) -> None:
        names = [self._name(value) for value in op.operands]
        doubted = self.cut.is_unknown(op.operands[0])
        text = f"select({', '.join(names)})" if doubted else f"({names[1]} if {names[0]} else {names[2]})"
        self._define(op, depth, text, self._level_of(op.operands))

    def _op_addptr(self, op: Op, depth: int) -> None:
        text = f"moved({self._operand(op, 'ptr')}, {self._operand(op, 'offset')})"
        self._define(op, depth, text, self._level_of(op.operands))

    def _op_make_descriptor(self, op: Op, depth: int) -> None:
        self._define(op, depth, self._made(op), 2 if depth else self._level_of(op.operands))

    def _made(self, op: Op) -> str:
        self.sites.append(op)
        shape, strides = self._tuple(op.group("shape")), self._tuple(op.group("strides"))
        return f"make({len(self.sites) - 1}, {self._operand(op, 'base')}, {shape}, {strides})"

    def _op_make_block_ptr(self, op: Op, depth: int) -> None:
        offsets = self._tuple(op.group("offsets"))
        self._define(op, depth, f"({self._made(op)}, *{offsets})", 2 if depth else self._level_of(op.operands))

    def _op_advance(self, op: Op, depth: int) -> None:
        text = f"advanced({self._operand(op, 'ptr')}, {self._tuple(op.group('offsets'))})"
        self._define(op, depth, text, self._level_of(op.operands))

    # ---- accesses ----------------------------------------------------------------------------------------

    def _lanes(self, op: Op) -> str:
        """How many elements a store through raw pointers covers from its first lane on; 1 for tiles of several rows."""
        pointer = op.operand("ptr")
        shape = shape_of(pointer.type) if pointer is not None else None
        return self._expr(shape[0]) if shape is not None and len(shape) == 1 else "1"

    def _access(self, op: Op, depth: int) -> None:
        if op.opcode in ("ptr_store", "ptr_atomic"):
            mask = "True" if op.operand("mask") is None else self._operand(op, "mask")
            self._emit(2, depth, f"R.touch(add, {self._operand(op, 'ptr')}, {mask}, {self._lanes(op)})")
            return
        if op.opcode in ("block_store", "block_load"):
            pointer = op.operand("ptr")
            name = self._operand(op, "ptr")
            if pointer is not None and isinstance(pointer.type, BlockPointerType):
                self._emit(
                    2,
                    depth,
                    f"R.access(add, *(({name}, ()) if isinstance({name}, Unknown) else ({name}[0], {name}[1:])))",
                )
            return
        owner = op.operand("desc")
        if owner is None:
            return
        offsets = [self._name(value) for value in op.group("offsets")]
        doubted = self.cut.is_unknown(owner) or any(self.cut.is_unknown(v) for v in op.group("offsets"))
        index = op.operand("index")
        if index is not None:
            reason, loc, stack = source_of_unknown(index)
            offsets.insert(0, self._constant(values.Unknown(reason, loc, stack)))
            doubted = True
        if self._name(owner).startswith("C["):
            doubted = True
        place = self._name(owner)
        if doubted or self.cut.doubtful(op):
            self._emit(2, depth, f"R.access(add, {place}, ({', '.join(offsets)},))")
        else:
            self._emit(2, depth, f"add(({', '.join([place, *offsets])},))")

    # ---- regions -----------------------------------------------------------------------------------------

    def _fresh_name(self) -> str:
        self._fresh += 1
        return f"t{self._fresh}"

    def _bind(self, value: Value) -> str:
        name = self._names[value] = f"v{value.id}"
        self._level[value] = 2
        return name

    def _assign(self, depth: int, targets: list[str], sources: list[str]) -> None:
        pairs = [(t, s) for t, s in zip(targets, sources, strict=True) if t != s]
        if pairs:
            self._emit(2, depth, f"{', '.join(t for t, _ in pairs)} = {', '.join(s for _, s in pairs)}")

    def _for(self, op: Op, depth: int) -> None:
        bounds = [self._operand(op, group) for group in ("lb", "ub", "step")]
        doubted = bool(self.cut.control(op) & UNKNOWN)
        body = op.regions[0]
        carried = sorted(self.cut.carried.get(op, ()))
        inits = [self._name(op.group("init")[i]) for i in carried]
        args = [self._bind(body.args[i + 1]) for i in carried]
        counter = self._bind(body.args[0])
        self._assign(depth, args, inits)
        unknown = self._fresh_name()
        if doubted:
            self._emit(2, depth, f"{unknown} = first_unknown({', '.join(bounds)})")
            for arg in args:
                self._emit(2, depth, f"if {unknown} is not None: {arg} = {unknown}")
        self._emit(2, depth, f"for {counter} in {'R.loop' if doubted else 'rng'}({', '.join(bounds)}):")
        before = len(self._lines[2])
        self._block(body, 2, depth + 1)
        end = body.terminator
        if end is not None:
            self._assign(depth + 1, args, [self._name(end.operands[i]) for i in carried])
        if len(self._lines[2]) == before:
            self._emit(2, depth + 1, "pass")
        if doubted:
            for arg in args:
                self._emit(2, depth, f"if {unknown} is not None: {arg} = {unknown}")
        for arg, i in zip(args, carried, strict=True):
            self._names[op.results[i]] = arg
            self._level[op.results[i]] = 2
        # A result keeps the argument's name: nothing assigns that name after the loop, unless the loop runs again.

    def _while(self, op: Op, depth: int) -> None:
        head, body = op.regions
        carried = sorted(self.cut.carried.get(op, ()))
        end = head.terminator
        if end is None:
            return
        args = [self._bind(head.args[i]) for i in carried]
        self._assign(depth, args, [self._name(op.group("init")[i]) for i in carried])
        unknown = self._fresh_name()
        self._emit(2, depth, f"{unknown} = None")
        self._emit(2, depth, "while True:")
        inner = depth + 1
        self._block(head, 2, inner)
        handed = [self._bind(op.results[i]) for i in carried]
        self._assign(inner, handed, [self._name(end.group("values")[i]) for i in carried])
        condition = self._name(end.group("cond")[0])
        self._emit(2, inner, f"if {unknown} is not None:")
        for name in handed:
            self._emit(2, inner + 1, f"{name} = {unknown}")
        self._emit(2, inner + 1, "R.doubt.pop()")
        self._emit(2, inner + 1, "break")
        if self.cut.control(op) & UNKNOWN:
            self._emit(2, inner, f"if isinstance({condition}, Unknown):")
            self._emit(2, inner + 1, f"{unknown} = {condition}")
            for name in handed:
                self._emit(2, inner + 1, f"{name} = {unknown}")
            self._emit(2, inner + 1, f"R.doubt.append({unknown})")
            self._emit(2, inner, f"elif not {condition}: break")
        else:
            self._emit(2, inner, f"if not {condition}: break")
        self._emit(2, inner, "R.burn()")
        for name, i in zip(handed, carried, strict=True):
            self._names[body.args[i]] = name
            self._level[body.args[i]] = 2
        self._block(body, 2, inner)
        last = body.terminator
        if last is not None:
            self._assign(inner, args, [self._name(last.operands[i]) for i in carried])

    def _if(self, op: Op, depth: int) -> None:
        condition = op.operand("cond")
        if condition is None:
            return
        results = [i for i, result in enumerate(op.results) if result in self.cut.needed]
        names = [self._bind(op.results[i]) for i in results]
        if op in self.cut.choices:
            self._side(self.cut.regions(op)[0], depth, results, names)
            return
        name = self._name(condition)
        if self.cut.control(op) & UNKNOWN:
            self._both_sides(op, depth, name, results, names)
            return
        for keyword, region in zip((f"if {name}:", "else:"), op.regions, strict=True):
            self._emit(2, depth, keyword)
            before = len(self._lines[2])
            self._side(region, depth + 1, results, names)
            if len(self._lines[2]) == before:
                self._emit(2, depth + 1, "pass")

    def _side(self, region: Block, depth: int, results: list[int], names: list[str]) -> None:
        self._block(region, 2, depth)
        end = region.terminator
        if end is not None:
            self._assign(depth, names, [self._name(end.operands[i]) for i in results])

    def _both_sides(self, op: Op, depth: int, condition: str, results: list[int], names: list[str]) -> None:
        """A branch on a value that may be unknown: each side once, results joined."""
        held = self._fresh_name()
        olds = [self._fresh_name() for _ in names]
        side = self._fresh_name()
        self._emit(2, depth, f"{held} = {condition}")
        for old in olds:
            self._emit(2, depth, f"{old} = R")  # a value that no side yields: "not set"
        self._emit(2, depth, f"for {side} in R.sides({held}):")
        for keyword, region in zip((f"if {side}:", "else:"), op.regions, strict=True):
            self._emit(2, depth + 1, keyword)
            before = len(self._lines[2])
            self._side(region, depth + 2, results, names)
            if len(self._lines[2]) == before:
                self._emit(2, depth + 2, "pass")
        for name, old in zip(names, olds, strict=True):
            self._emit(2, depth + 1, f"if {old} is not R: {name} = joined({old}, {name}, {held})")
            self._emit(2, depth + 1, f"{old} = {name}")

    def _noinline_call(self, op: Op, depth: int) -> None:
        region = op.regions[0]
        for arg, operand in zip(region.args, op.operands, strict=False):
            self._names[arg] = self._name(operand)
            self._level[arg] = self._level.get(operand, 2)
        results = [i for i, result in enumerate(op.results) if result in self.cut.needed]
        self._side(region, depth, results, [self._bind(op.results[i]) for i in results])


def _literal(number: int) -> str:
    return str(number) if number >= 0 else f"({number})"
