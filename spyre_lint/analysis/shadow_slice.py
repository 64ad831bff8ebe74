"""The part of a kernel that decides where it stores and loads: what a shadow launch has to run, and what it depends on.

Arithmetic on data falls away. A tile that goes into an address stands for its first lane: an `arange` is its start, a
splat its scalar. What is read from memory, and what cannot be followed, is an unknown value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spyre_lint.findings import Location
from spyre_lint.ir.core import Block, KernelIR, Op, Param, Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import OpaqueType

STORES = frozenset({"desc_store", "desc_scatter", "desc_atomic", "ptr_store", "ptr_atomic", "block_store"})
LOADS = frozenset({"desc_load", "desc_gather", "block_load"})
REGIONS = frozenset({"for", "while", "if", "noinline_call"})
SAME = frozenset({"cast", "hint", "splat", "broadcast", "expand_dims", "reshape", "trans"})
"""Operations whose first lane is their operand's."""

_MAKERS = frozenset({"make_descriptor", "make_block_ptr", "advance", "addptr"})
_LEAVES = frozenset({"const", "arange", "program_id", "num_programs", "wk_slice_coord"})
FUNCTIONS = frozenset(
    {
        *("add", "sub", "mul", "div", "rem", "cdiv", "fdiv", "min", "max", "and", "or", "xor", "shl", "shr", "ashr"),
        *("eq", "ne", "lt", "le", "gt", "ge", "neg", "not", "invert", "abs"),
    }
)
"""Functions of `elementwise` that are run; the others make unknown values."""

UNKNOWN = 1
"""The dependency bit of unknown values."""


class Slice:
    """The operations and values that the accesses of a kernel need, with what each value depends on.

    Dependencies are bit sets: `params` (and open constexprs) by name, `pids` and `nprogs` by axis, `loops` by op.
    Control counts: what a branch yields depends on its condition, what a loop does on its bounds.
    """

    def __init__(self, ir: KernelIR, opcodes: frozenset[str], choices: Mapping[Op, bool] | None = None) -> None:
        """`choices` decides branches on constexprs that no binding gives; the other side of one is no part of it."""
        self.ir = ir
        self.choices: Mapping[Op, bool] = choices or {}
        self.accesses = [op for op in ir.walk() if op.opcode in opcodes and self._is_reached(op)]
        self.kept: set[Op] = set()
        self.needed: set[Value] = set()
        self.carried: dict[Op, set[int]] = {}
        self.params: dict[str, int] = {}
        self.pids: dict[int, int] = {}
        self.nprogs: dict[int, int] = {}
        self.loops: dict[Op, int] = {}
        self._bits = UNKNOWN
        self._by_value: dict[Value, Param] = {p.value: p for p in ir.params if p.value is not None}
        self._deps: dict[Value, int] = {}
        self._todo: list[Value] = []
        for op in self.accesses:
            self._keep(op)
        while self._todo:
            self._expand(self._todo.pop())
        self.order = [op for op in ir.walk() if op in self.kept]
        self._settle()

    def regions(self, op: Op) -> list[Block]:
        """The regions of an operation that can be run."""
        if op in self.choices:
            return [op.regions[0 if self.choices[op] else 1]]
        return op.regions

    def _is_reached(self, op: Op) -> bool:
        block = op.block
        while block is not None and block.parent is not None:
            if not any(block is region for region in self.regions(block.parent)):
                return False
            block = block.parent.block
        return True

    # ---- what is needed ----------------------------------------------------------------------------------

    def param(self, value: Value) -> Param | None:
        """The parameter that a value stands for, looking through casts."""
        while value.op is not None and value.op.opcode in SAME:
            value = value.op.operands[0]
        return self._by_value.get(value)

    def _need(self, values: Iterable[Value]) -> None:
        for value in values:
            if value not in self.needed:
                self.needed.add(value)
                self._todo.append(value)

    def _keep(self, op: Op) -> None:
        """Keep an operation and all regions around it."""
        if op in self.kept:
            return
        self.kept.add(op)
        if op.opcode in STORES or op.opcode in LOADS:
            for group in ("desc", "ptr", "offsets", "mask"):
                self._need(op.group(group))
        elif op.opcode == "for":
            for group in ("lb", "ub", "step"):
                self._need(op.group(group))
        elif op.opcode == "if" and op not in self.choices:
            self._need(op.group("cond"))
        elif op.opcode == "while":
            end = op.regions[0].terminator
            self._need(end.group("cond") if end is not None else ())
        block = op.block
        if block is not None and block.parent is not None:
            self._keep(block.parent)

    def _expand(self, value: Value) -> None:
        op = value.op
        if op is None:
            self._expand_argument(value)
        elif op.opcode in REGIONS:
            self._keep(op)
            self._expand_result(op, value.index)
        elif self.runs(op):
            self._keep(op)
            self._need(op.operands)

    def runs(self, op: Op) -> bool:
        """Whether the launch runs an operation; the results of others are unknown."""
        if any(isinstance(result.type, OpaqueType) for result in op.results):
            return False
        if op.opcode == "elementwise":
            return op.fn in FUNCTIONS
        return op.opcode in SAME or op.opcode in _MAKERS or op.opcode in _LEAVES or op.opcode == "where"

    def _expand_argument(self, value: Value) -> None:
        parent = value.block.parent if value.block is not None else None
        if parent is None:
            return
        self._keep(parent)
        if parent.opcode == "noinline_call":
            self._need(parent.operands[value.index : value.index + 1])
        elif parent.opcode == "for" and value.index > 0:
            self._carry(parent, value.index - 1)
        elif parent.opcode == "while":
            self._carry(parent, value.index)

    def _expand_result(self, op: Op, index: int) -> None:
        if op.opcode in ("for", "while"):
            self._carry(op, index)
            return
        for region in self.regions(op):
            end = region.terminator
            if end is not None:
                self._need(end.operands[index : index + 1])

    def _carry(self, loop: Op, index: int) -> None:
        """A loop's carried value is needed: its start, what the body yields, and its names in every region."""
        indices = self.carried.setdefault(loop, set())
        if index in indices:
            return
        indices.add(index)
        self._need(loop.group("init")[index : index + 1])
        self._need(loop.results[index : index + 1])
        shift = 1 if loop.opcode == "for" else 0
        for region in loop.regions:
            self._need(region.args[index + shift : index + shift + 1])
            end = region.terminator
            if end is not None:
                self._need((end.group("values") or end.operands)[index : index + 1])

    # ---- what it depends on ------------------------------------------------------------------------------

    def _bit(self) -> int:
        self._bits <<= 1
        return self._bits

    def name_bit(self, name: str) -> int:
        """The bit of a parameter or open constexpr."""
        if name not in self.params:
            self.params[name] = self._bit()
        return self.params[name]

    def deps(self, value: Value) -> int:
        """The dependencies of a value."""
        return self._deps.get(value, 0)

    def all_deps(self, values: Iterable[Value]) -> int:
        """The dependencies of several values together."""
        total = 0
        for value in values:
            total |= self._deps.get(value, 0)
        return total

    def is_unknown(self, value: Value) -> bool:
        """Whether a value can be unknown."""
        return bool(self.deps(value) & UNKNOWN)

    def _settle(self) -> None:
        for param in self.ir.params:
            if param.value is not None and param.value in self.needed:
                self._deps[param.value] = self.name_bit(param.name)
        for name in self.ir.open_symbols:
            self.name_bit(name)
        ordered = self._in_program_order()
        changed = True
        while changed:
            changed = False
            for value in ordered:
                new = self._compute(value)
                if new != self._deps.get(value, 0):
                    self._deps[value] = new
                    changed = True

    def _in_program_order(self) -> list[Value]:
        """Needed values: region arguments before what is inside, results of regions after it."""
        place: dict[Op, int] = {}
        after: dict[Op, int] = {}

        def number(block: Block) -> None:
            for op in block.ops:
                place[op] = len(place) + len(after)
                for region in op.regions:
                    number(region)
                after[op] = len(place) + len(after)

        number(self.ir.body)

        def key(value: Value) -> tuple[int, int]:
            if value.op is not None:
                return (after.get(value.op, -1), value.id)
            parent = value.block.parent if value.block is not None else None
            return (-1 if parent is None else place.get(parent, -1), value.id)

        return sorted(self.needed, key=key)

    def _compute(self, value: Value) -> int:
        if value in self._by_value and value.op is None:
            return self._deps.get(value, 0)
        op = value.op
        if op is None:
            return self._argument_deps(value)
        if op.opcode in REGIONS:
            return self._result_deps(op, value.index)
        if op.opcode == "const":
            held = op.attrs["value"]
            return self._expr_deps(held) if isinstance(held, Expr) else 0
        if op.opcode == "arange":
            start = op.attrs.get("start", 0)
            return self._expr_deps(start) if isinstance(start, Expr) else 0
        if op.opcode in ("program_id", "wk_slice_coord"):
            axis = op.attrs["axis"] if op.opcode == "program_id" else 0
            if axis not in self.pids:
                self.pids[axis] = self._bit()
            known = op.opcode == "program_id" or slices_of(op) is not None
            return self.pids[axis] | (0 if known else UNKNOWN)
        if op.opcode == "num_programs":
            axis = op.attrs["axis"]
            if axis not in self.nprogs:
                self.nprogs[axis] = self._bit()
            return self.nprogs[axis]
        return self.all_deps(op.operands) if self.runs(op) else UNKNOWN

    def _expr_deps(self, expr: Expr) -> int:
        total = 0
        for symbol in expr.symbols():
            total |= self.params.get(symbol.name, 0) if symbol.name in self.ir.open_symbols else UNKNOWN
        return total

    def control(self, op: Op) -> int:
        """What decides how often a region operation runs what is inside."""
        if op.opcode == "for":
            return self.all_deps((*op.group("lb"), *op.group("ub"), *op.group("step")))
        if op.opcode == "while":
            end = op.regions[0].terminator
            return self.all_deps(end.group("cond")) if end is not None else UNKNOWN
        return 0 if op in self.choices else self.all_deps(op.group("cond"))

    def loop_bit(self, op: Op) -> int:
        """The bit of a loop's counter and carried values."""
        if op not in self.loops:
            self.loops[op] = self._bit()
        return self.loops[op]

    def _argument_deps(self, value: Value) -> int:
        parent = value.block.parent if value.block is not None else None
        if parent is None:
            return UNKNOWN
        if parent.opcode == "noinline_call":
            return self.all_deps(parent.operands[value.index : value.index + 1])
        base = self.loop_bit(parent) | self.control(parent)
        if parent.opcode == "for" and value.index == 0:
            return base
        return base | self._carried_deps(parent, value.index - (1 if parent.opcode == "for" else 0))

    def _carried_deps(self, loop: Op, index: int) -> int:
        end = loop.regions[-1].terminator
        yielded = end.operands[index : index + 1] if end is not None else []
        return self.all_deps((*loop.group("init")[index : index + 1], *yielded))

    def _result_deps(self, op: Op, index: int) -> int:
        if op.opcode in ("for", "while"):
            return self.control(op) | self._carried_deps(op, index)
        total = self.control(op) if op.opcode == "if" else 0
        for region in self.regions(op):
            end = region.terminator
            total |= self.all_deps(end.operands[index : index + 1]) if end is not None else UNKNOWN
        return total

    def doubtful(self, op: Op) -> bool:
        """Whether an unknown value can decide that an operation is run."""
        block: Block | None = op.block
        while block is not None and block.parent is not None:
            if self.control(block.parent) & UNKNOWN:
                return True
            block = block.parent.block
        return False

    def around(self, op: Op) -> list[Op]:
        """The region operations around an operation, innermost first."""
        found: list[Op] = []
        block = op.block
        while block is not None and block.parent is not None:
            found.append(block.parent)
            block = block.parent.block
        return found


def slices_of(op: Op) -> tuple[dict[str, int], ...] | None:
    """The work slices of a `wk_slice_coord` or `inter_tile`, if they are known and whole."""
    slices = op.attrs.get("slices")
    if not isinstance(slices, (tuple, list)) or not slices:
        return None
    if not all(isinstance(entry, dict) for entry in slices):
        return None
    axis = op.attrs.get("axis", "")
    if any(not isinstance(entry.get(axis), int) for entry in slices):
        return None
    return tuple(slices)


def source_of_unknown(value: Value) -> tuple[str, Location, tuple[Location, ...]]:
    """Why a value is unknown, in words fit for a message, and where that stands."""
    op = value.op
    loc = value.loc or Location("", 1)
    if op is None:
        return (f"`{value.name}`" if value.name else "a value that cannot be followed", loc, ())
    if op.opcode in LOADS or op.opcode in ("ptr_load", "ptr_atomic"):
        owner = next(iter((*op.group("desc"), *op.group("ptr"))), None)
        name = _owner_name(owner)
        return (f"a value loaded from {name}" if name else "a value loaded from memory", op.loc, op.stack)
    if isinstance(value.type, OpaqueType):
        return (value.type.reason, op.loc, op.stack)
    if op.opcode == "wk_slice_coord":
        return ("the work slices, which no binding gives", op.loc, op.stack)
    for operand in op.operands:
        if operand.op is not None and operand.op.opcode not in _LEAVES:
            inner = source_of_unknown(operand)
            if inner[0].startswith("a value loaded"):
                return inner
    return (f"the result of `{op.fn or op.opcode}`", op.loc, op.stack)


def _owner_name(value: Value | None) -> str:
    while value is not None:
        if value.name:
            return f"`{value.name}`"
        value = value.op.operands[0] if value.op is not None and value.op.operands else None
    return ""
