"""Values, operations and regions of the kernel IR.

An `Op` has an opcode, operands, results, attributes and regions; `OPCODES` below says for every opcode what they
mean. Named groups of operands (`op.group("offsets")`) keep checks free of index arithmetic. The IR is structured:
no jumps, an early `return` leaves the rest of the function in the `if`'s other region.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from spyre_lint.findings import Location
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import DType, Type

# opcode: operand groups -> results; {attributes}; regions. `x?` is an optional group, `x*` one of any length.
OPCODES: dict[str, str] = {
    "const": "() -> 1 scalar or splat tile; {value: int|float|bool|Expr}",
    "undef": "() -> 1; what a name holds on a path that never defines it",
    "program_id": "() -> i32; {axis: int}",
    "num_programs": "() -> i32; {axis: int}",
    "elementwise": "args* -> 1; {fn: str (ELEMENTWISE_FNS)}; operands already promoted and broadcast",
    "cast": "value -> 1; {bitcast: bool}; numeric, pointer or bit cast",
    "where": "cond, x, y -> 1",
    "splat": "value -> tile; scalar to tile (a view)",
    "broadcast": "value -> tile; dimensions of 1 stretched (a view)",
    "expand_dims": "value -> tile; {axis} (a view)",
    "reshape": "value -> tile (a view); {reorder: bool}",
    "trans": "value -> tile (a view); {perm: tuple[int, ...]}",
    "join": "a, b -> tile with a new last dimension 2",
    "split": "value -> 2 tiles without the last dimension",
    "cat": "a, b -> tile",
    "arange": "() -> i32 tile; {start: Expr, end: Expr}",
    "addptr": "ptr, offset -> pointer or tile of pointers",
    "ptr_load": "ptr, mask?, other? -> 1; {keywords}",
    "ptr_store": "ptr, value, mask? -> 0; {keywords}",
    "ptr_atomic": "ptr, values*, mask? -> 1; {fn}",
    "make_block_ptr": "base, shape*, strides*, offsets* -> block pointer; {block_shape, order}",
    "advance": "ptr, offsets* -> block pointer",
    "block_load": "ptr -> tile; {boundary_check, padding_option, keywords}; through a block pointer",
    "block_store": "ptr, value -> 0; {boundary_check, keywords}",
    "make_descriptor": "base, shape*, strides* -> descriptor; {block_shape: tuple[Expr], padding: str}",
    "desc_load": "desc, offsets* -> tile; {keywords}",
    "desc_store": "desc, offsets*, value -> 0; {keywords}",
    "desc_gather": "desc, index, offsets* -> tile; one row per index",
    "desc_scatter": "desc, index, offsets*, value -> 0",
    "desc_atomic": "desc, offsets*, value -> 0; {fn}",
    "layout_marker": "desc -> 0; {layout: plain Python value, layout_param, layout_name, reason, "
    "layout_form: host|kernel|open}",
    "dot": "a, b, acc? -> tile; {out_dtype, input_precision}",
    "dot_scaled": "a, a_scale?, b, b_scale?, acc? -> tile",
    "reduce": "values* -> as many; {fn: sum|max|min|product|xor|and|or|argmax|argmin|max_with_indices|"
    "min_with_indices|custom, axis: int|None, keep_dims: bool}; custom: 1 region (the combiner)",
    "scan": "values* -> as many; {fn: sum|product|max|custom, axis: int, reverse: bool}; custom: 1 region",
    "sort": "value -> tile; {axis, descending, fn: sort|topk|bitonic}",
    "tile_gather": "value, index -> tile; {axis}; tl.gather, within a tile",
    "histogram": "value, mask? -> tile",
    "map_elementwise": "args* -> any; 1 region (the function)",
    "random": "seed, offset, rest* -> 1; {fn}",
    "hint": "value -> 1, the same value; {fn: multiple_of|max_contiguous|max_constancy|assume}",
    "inline_asm": "args* -> any; {is_pure: bool}",
    "barrier": "() -> 0",
    "assert": "cond -> 0",
    "print": "args* -> 0",
    "wk_slice_coord": "() -> i32; {slices: value, axis: str}",
    "inter_tile": "value -> 1 of the same type; {axis, combiner, mode, slices}",
    "call": "args* -> 1 opaque; {callee: str}; a call that could not be followed",
    "for": "lb, ub, step, init* -> as many as init; {static: bool, keywords}; 1 region: iv, carried*; ends in yield",
    "while": "init* -> as many; 2 regions with the carried values: condition (ends in condition), body (yield)",
    "if": "cond -> any; {constexpr: bool, early_return: bool}; 2 regions, each ends in yield",
    "noinline_call": "args* -> any; {callee: str}; 1 region (the callee's body, its arguments as region arguments); a "
    "call of a helper marked noinline",
    "yield": "values* -> 0; ends a region",
    "condition": "cond, values* -> 0; ends the first region of a while",
}

# Arithmetic, comparison and mathematical functions of `elementwise`. Integer `div` and `rem` truncate as in C (Triton's
# run-time semantics of `//` and `%`); `fdiv` is floating-point division.
ELEMENTWISE_FNS: dict[str, str] = {
    **dict.fromkeys(("add", "sub", "mul", "div", "rem", "fdiv", "pow", "min", "max"), "arithmetic"),
    **dict.fromkeys(("and", "or", "xor", "shl", "shr", "ashr"), "bitwise"),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), "comparison"),
    **dict.fromkeys(("neg", "not", "invert", "abs"), "unary"),
    **dict.fromkeys(
        (
            *("exp", "exp2", "log", "log2", "sin", "cos", "tan", "sqrt", "sqrt_rn", "rsqrt", "erf", "tanh", "sigmoid"),
            *("floor", "ceil", "fma", "clamp", "umulhi", "div_rn", "cdiv", "fdiv_fast", "extern"),
        ),
        "math",
    ),
}


class Value:
    """One SSA value. `op` is the operation that makes it (None for a region argument), `block` the region it enters."""

    __slots__ = ("block", "id", "index", "loc", "name", "op", "type")

    def __init__(self, id_: int, type_: Type, *, name: str = "", loc: Location | None = None) -> None:
        self.id = id_
        self.type = type_
        self.name = name
        """The name the kernel's author gave it, or empty."""
        self.loc = loc
        self.op: Op | None = None
        self.block: Block | None = None
        self.index = 0
        """Which result of `op`, or which argument of `block`, this is."""

    def __repr__(self) -> str:
        return f"%{self.id}{'.' + self.name if self.name else ''}: {self.type}"


class Op:
    """One operation; see `OPCODES` for what each opcode holds."""

    __slots__ = ("attrs", "block", "groups", "loc", "opcode", "operands", "regions", "results", "stack")

    def __init__(
        self,
        opcode: str,
        groups: Mapping[str, Sequence[Value]],
        results: list[Value],
        attrs: dict[str, Any],
        regions: list[Block],
        loc: Location,
        stack: tuple[Location, ...] = (),
    ) -> None:
        self.opcode = opcode
        self.groups: dict[str, tuple[int, int]] = {}
        self.operands: list[Value] = []
        for name, values in groups.items():
            self.groups[name] = (len(self.operands), len(self.operands) + len(values))
            self.operands.extend(values)
        self.results = results
        self.attrs = attrs
        self.regions = regions
        self.loc = loc
        self.stack = stack
        """Calls through which this operation was inlined, outermost first; empty in the kernel's own body."""
        self.block: Block | None = None
        for index, result in enumerate(results):
            result.op, result.index = self, index
        for region in regions:
            region.parent = self

    def group(self, name: str) -> list[Value]:
        """Operands of one named group; empty if the group is absent."""
        start, end = self.groups.get(name, (0, 0))
        return self.operands[start:end]

    def operand(self, name: str) -> Value | None:
        """The only operand of a group, or None if the group is absent or empty."""
        values = self.group(name)
        return values[0] if values else None

    @property
    def result(self) -> Value:
        """The first result (IndexError if there is none)."""
        return self.results[0]

    @property
    def fn(self) -> str:
        """The function of an elementwise, reduce, scan, atomic or hint operation; empty for others."""
        return str(self.attrs.get("fn", ""))

    def walk(self) -> Iterator[Op]:
        """This operation and all inside its regions, in program order."""
        yield self
        for region in self.regions:
            yield from region.walk()

    def __repr__(self) -> str:
        return f"{self.opcode}({', '.join(map(repr, self.operands))}) @ {self.loc}"


class Block:
    """A region: arguments, then operations; the last is a `yield` or `condition` (none in a kernel's body)."""

    __slots__ = ("args", "ops", "parent")

    def __init__(self, args: Sequence[Value] = ()) -> None:
        self.args: list[Value] = []
        self.ops: list[Op] = []
        self.parent: Op | None = None
        for arg in args:
            self.add_arg(arg)

    def add_arg(self, arg: Value) -> None:
        """Append an argument."""
        arg.block, arg.index = self, len(self.args)
        self.args.append(arg)

    def append(self, op: Op) -> None:
        """Append an operation."""
        op.block = self
        self.ops.append(op)

    @property
    def terminator(self) -> Op | None:
        """The closing `yield` or `condition`, if there is one."""
        return self.ops[-1] if self.ops and self.ops[-1].opcode in ("yield", "condition") else None

    def walk(self) -> Iterator[Op]:
        """All operations, nested ones included, in program order."""
        for op in self.ops:
            yield from op.walk()


def replace_uses(region: Block, old: Value, new: Value) -> None:
    """Make every operation in a region use `new` where it used `old`."""
    for op in region.walk():
        if old in op.operands:
            op.operands = [new if operand is old else operand for operand in op.operands]


ParamRole = Literal["pointer", "scalar", "constexpr", "descriptor", "unknown"]


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a kernel. `bound` is a constexpr's value under the binding (None is a value: see `is_bound`)."""

    name: str
    role: ParamRole
    loc: Location
    dtype: DType | None = None
    """Element type under the binding (of a pointer: what it points to)."""
    value: Value | None = None
    """The region argument that stands for a runtime parameter."""
    is_bound: bool = False
    bound: Any = None
    has_default: bool = False


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Something the frontend could not follow."""

    loc: Location
    reason: str
    stack: tuple[Location, ...] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """A function that a kernel calls, or a name from outside that it reads.

    `name` is canonical in every spelling: `triton.language.load`, `triton.language.tensor_descriptor.load` for a
    descriptor's method, `triton.language.tensor.T` for a tile's attribute, the plain name of a helper.
    """

    kind: Literal["call", "name"]
    name: str
    loc: Location
    stack: tuple[Location, ...] = ()
    keywords: tuple[str, ...] = ()
    """Names passed by keyword."""


@dataclass
class KernelIR:
    """A kernel lowered under one binding (or under none: constexprs are then symbols).

    `constants` holds the value or symbol of each constexpr parameter; `open_symbols` the symbols of those unbound.
    """

    name: str
    path: str
    loc: Location
    params: list[Param]
    body: Block
    constants: dict[str, Any] = field(default_factory=dict)
    open_symbols: dict[str, Expr] = field(default_factory=dict)
    incomplete: list[Incomplete] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    """What the kernel calls and names, compile-time calls included, once per place; helpers with their calls."""

    def walk(self) -> Iterator[Op]:
        """All operations in program order."""
        return iter(self._everything)

    def ops(self, *opcodes: str) -> Iterator[Op]:
        """All operations with one of these opcodes, in program order."""
        if len(opcodes) == 1:
            return iter(self._by_opcode.get(opcodes[0], ()))
        if not any(opcode in self._by_opcode for opcode in opcodes):
            return iter(())
        return (op for op in self._everything if op.opcode in opcodes)

    @cached_property
    def _everything(self) -> tuple[Op, ...]:
        # Lowered once, then only read: checks ask for operations thousands of times.
        return tuple(self.body.walk())

    @cached_property
    def _by_opcode(self) -> dict[str, list[Op]]:
        found: dict[str, list[Op]] = {}
        for op in self._everything:
            found.setdefault(op.opcode, []).append(op)
        return found

    def param(self, name: str) -> Param | None:
        """The parameter with this name."""
        return next((p for p in self.params if p.name == name), None)
