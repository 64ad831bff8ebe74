"""Where values come from: the parameter a pointer is, the descriptor of an access, what a scalar depends on."""

from __future__ import annotations

from dataclasses import dataclass, field

from spyre_lint.context import KernelInstance
from spyre_lint.ir.core import KernelIR, Op, Param, Value

# Operations that hand their first operand on, for pointers and descriptors alike.
_TRANSPARENT = frozenset({"cast", "hint", "splat", "broadcast", "expand_dims", "reshape", "trans"})
_MEMORY = frozenset({"desc_load", "desc_gather", "ptr_load", "block_load", "ptr_atomic"})


@dataclass(frozen=True, slots=True)
class Base:
    """The base of a descriptor or an access: the pointer parameter it starts from, and the additions on the way."""

    param: Param | None
    additions: tuple[Op, ...] = ()
    """`addptr` operations between the parameter and the base, outermost first."""
    reason: str = ""
    """Why no parameter was found."""


@dataclass(slots=True)
class Origins:
    """What a value depends on."""

    params: set[str] = field(default_factory=set)
    program_axes: set[int] = field(default_factory=set)
    grid_axes: set[int] = field(default_factory=set)
    loops: list[Op] = field(default_factory=list)
    """`for` operations whose counter it uses."""
    carried: list[Op] = field(default_factory=list)
    """Loops whose carried values it uses."""
    loads: list[Op] = field(default_factory=list)
    """Reads of memory that its value (not only its place) comes from."""
    opaque: list[Op] = field(default_factory=list)


class Provenance:
    """Follows values of one kernel backwards to where they come from."""

    def __init__(self, ir: KernelIR) -> None:
        self._params = {p.value: p for p in ir.params if p.value is not None}
        self._origins: dict[Value, Origins] = {}

    def param_of(self, value: Value) -> Param | None:
        """The parameter a value is, looking through casts."""
        while value.op is not None and value.op.opcode in _TRANSPARENT:
            value = value.op.operands[0]
        return self._params.get(value)

    def base(self, value: Value) -> Base:
        """The pointer parameter behind a pointer or a tile of pointers."""
        additions: list[Op] = []
        seen: set[Value] = set()
        while value not in seen:
            seen.add(value)
            if value in self._params:
                return Base(self._params[value], tuple(additions))
            op = value.op
            if op is None:
                incoming = self._carried_inputs(value)
                if incoming is None:
                    return Base(None, tuple(additions), "it is a value of a region that can't be followed")
                additions.extend(o for o in _pointer_steps(incoming[1]) if o not in additions)
                value = incoming[0]
            elif op.opcode in _TRANSPARENT:
                value = op.operands[0]
            elif op.opcode == "addptr":
                additions.append(op)
                value = op.operands[0]
            elif op.opcode == "elementwise" and op.fn in ("add", "sub") and op.operands:
                additions.append(op)
                value = next((v for v in op.operands if self._leads_to_pointer(v)), op.operands[0])
            elif op.opcode == "for" or op.opcode == "while":
                value = op.group("init")[value.index]
            else:
                return Base(None, tuple(additions), f"it is the result of `{op.opcode}`")
        return Base(None, tuple(additions), "it goes round in a loop")

    def _leads_to_pointer(self, value: Value) -> bool:
        while (
            value.op is not None and value.op.operands and value.op.opcode in (*_TRANSPARENT, "addptr", "elementwise")
        ):
            value = value.op.operands[0]
        param = self._params.get(value)
        return param is not None and param.role == "pointer"

    def _carried_inputs(self, value: Value) -> tuple[Value, Value] | None:
        """For a carried value of a loop: its initial value and the one the body yields."""
        block = value.block
        parent = block.parent if block is not None else None
        if block is None or parent is None or parent.opcode not in ("for", "while", "noinline_call"):
            return None
        if parent.opcode == "noinline_call":
            return parent.operands[value.index], parent.operands[value.index]
        position = value.index - (1 if parent.opcode == "for" else 0)
        inits = parent.group("init")
        end = parent.regions[-1].terminator
        if position < 0 or position >= len(inits) or end is None or position >= len(end.operands):
            return None
        return inits[position], end.operands[position]

    def descriptor(self, value: Value) -> Op | None:
        """The `make_descriptor` a descriptor value is; None for one made outside the kernel or one of several."""
        seen: set[Value] = set()
        while value not in seen:
            seen.add(value)
            op = value.op
            if op is None:
                incoming = self._carried_inputs(value)
                if incoming is None:
                    return None
                value = incoming[0]
            elif op.opcode == "make_descriptor":
                return op
            elif op.opcode in ("for", "while"):
                value = op.group("init")[value.index]
            elif op.opcode == "if":
                found = {id(made): made for made in self._branch_descriptors(op, value.index) if made is not None}
                return next(iter(found.values())) if len(found) == 1 else None
            else:
                return None
        return None

    def _branch_descriptors(self, op: Op, index: int) -> list[Op | None]:
        made: list[Op | None] = []
        for region in op.regions:
            end = region.terminator
            if end is None or index >= len(end.operands):
                continue
            yielded = end.operands[index]
            if yielded.op is not None and yielded.op.opcode == "undef":
                continue
            made.append(self.descriptor(yielded))
        return made

    def inputs_of(self, value: Value) -> list[Value]:
        """The values that a value is made of one step back, through branches, loops and calls.

        A loop counter is made of the bounds and the step, a carried value or a loop's result of the initial value and
        the one the body yields, a branch's result of both sides and the condition. Parameters are made of nothing.
        """
        op = value.op
        if op is None:
            parent = value.block.parent if value.block is not None else None
            if parent is None:
                return []
            if parent.opcode == "for" and value.index == 0:
                return [*parent.group("lb"), *parent.group("ub"), *parent.group("step")]
            incoming = self._carried_inputs(value)
            return [] if incoming is None else list(incoming)
        if op.opcode in ("if", "for", "while", "noinline_call"):
            inputs = [op.operands[0]] if op.opcode == "if" else []
            for region in op.regions:
                end = region.terminator
                if end is not None and end.opcode == "yield" and value.index < len(end.operands):
                    inputs.append(end.operands[value.index])
            if op.opcode in ("for", "while") and value.index < len(op.group("init")):
                inputs.append(op.group("init")[value.index])
            return inputs
        return list(op.operands)

    def origins(self, value: Value) -> Origins:
        """Everything a value depends on, through arithmetic, branches and loops."""
        found = self._origins.get(value)
        if found is not None:
            return found
        result = Origins()
        seen: set[Value] = set()
        todo = [value]
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            if current in self._params:
                result.params.add(self._params[current].name)
            elif _note(current, result):
                todo.extend(self.inputs_of(current))
        self._origins[value] = result
        return result


def _note(value: Value, result: Origins) -> bool:
    """Enter what a value itself is; tells whether what it is made of counts too."""
    op = value.op
    if op is None:
        parent = value.block.parent if value.block is not None else None
        if parent is not None and parent.opcode == "for" and value.index == 0:
            result.loops.append(parent)
        elif parent is not None and parent.opcode in ("for", "while"):
            result.carried.append(parent)
    elif op.opcode == "program_id":
        result.program_axes.add(op.attrs["axis"])
    elif op.opcode == "num_programs":
        result.grid_axes.add(op.attrs["axis"])
    elif op.opcode in _MEMORY:
        result.loads.append(op)
        return False
    elif op.opcode == "call":
        result.opaque.append(op)
    return True


def _pointer_steps(value: Value) -> list[Op]:
    """`addptr` operations on the way back from a value that a loop yields."""
    steps: list[Op] = []
    while value.op is not None and value.op.operands and value.op.opcode in (*_TRANSPARENT, "addptr"):
        if value.op.opcode == "addptr":
            steps.append(value.op)
        value = value.op.operands[0]
    return steps


def provenance(instance: KernelInstance) -> Provenance:
    """The provenance of an instance's values."""
    return Provenance(instance.ir)
