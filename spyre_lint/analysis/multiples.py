"""Whether a run-time integer is always a multiple of a block, through branches and what loops carry."""

from __future__ import annotations

from spyre_lint.analysis.provenance import Provenance, provenance
from spyre_lint.analysis.symbolic import SymbolicValues, symbolic_values, with_arguments
from spyre_lint.bindings import Binding
from spyre_lint.context import KernelInstance
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr, divides

_SAME = frozenset({"cast", "hint", "splat", "broadcast"})
_MERGES = frozenset({"if", "for", "while", "noinline_call"})


class Multiples:
    """Divisibility of the scalars of one kernel. The symbolic value decides where it can; else every way must."""

    def __init__(self, symbolic: SymbolicValues, origins: Provenance, binding: Binding | None) -> None:
        self._symbolic = symbolic
        self._origins = origins
        self._binding = binding

    def exact(self, value: Value) -> Expr:
        """The symbolic value, with the arguments put in that the binding gives."""
        return with_arguments(self._symbolic.of(value), self._binding)

    def divides(self, block: Expr, value: Value) -> bool | None:
        """Whether `value` is always (True) or never (False) a multiple of `block`; None where neither is shown.

        An argument that a binding gives may show that it is one; that this one is none says nothing of the next launch.
        """
        answer = divides(block, self._symbolic.of(value))
        return True if answer is None and self._every_way(block, value, set()) else answer

    def _every_way(self, block: Expr, value: Value, assumed: set[Value]) -> bool:
        """Whether all that a value may be are multiples; what a loop carries is one if it starts and goes on as one."""
        if value in assumed or divides(block, self.exact(value)) is True:
            return True
        assumed = assumed | {value}
        op = value.op
        if op is None or op.opcode in _MERGES:
            inputs = self._ways(value)
            return bool(inputs) and all(self._every_way(block, v, assumed) for v in inputs)
        if op.opcode in _SAME:
            return self._every_way(block, op.operands[0], assumed)
        if op.opcode == "where":
            return all(self._every_way(block, v, assumed) for v in (*op.group("x"), *op.group("y")))
        if op.opcode == "elementwise" and op.fn in ("add", "sub", "min", "max"):
            return all(self._every_way(block, v, assumed) for v in op.operands)
        return (
            op.opcode == "elementwise"
            and op.fn == "mul"
            and any(self._every_way(block, v, assumed) for v in op.operands)
        )

    def _ways(self, value: Value) -> list[Value]:
        """What a merged value may be, or, for a loop counter, what it is made of by adding up."""
        inputs = self._origins.inputs_of(value)
        loop = value.block.parent if value.op is None and value.block is not None else None
        if loop is not None and loop.opcode == "for" and value.index == 0:
            return [*loop.group("lb"), *loop.group("step")]
        if value.op is not None and value.op.opcode == "if":
            inputs = inputs[1:]
        return [v for v in inputs if v.op is None or v.op.opcode != "undef"]


def multiples(instance: KernelInstance) -> Multiples:
    """The divisibility of an instance's values."""
    return Multiples(instance.analysis(symbolic_values), instance.analysis(provenance), instance.binding)
