"""What a lowering carries along: the builder, the function being lowered, what could not be followed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.bindings import Binding
from spyre_lint.findings import Location
from spyre_lint.frontend.callsite import canonical_api
from spyre_lint.frontend.global_names import GlobalNames
from spyre_lint.ir.builder import Builder
from spyre_lint.ir.core import Block, Incomplete, Op, Use, Value
from spyre_lint.ir.sym import Expr, symbol
from spyre_lint.ir.types import OpaqueType, Type

if TYPE_CHECKING:
    from spyre_lint.frontend.kernels import Kernel
    from spyre_lint.frontend.project import Module, Project

MAX_OPS = 60_000
"""A kernel that unrolls or inlines past this many operations is cut off: the rest is opaque and said to be so."""
MAX_INLINE_DEPTH = 24


class Returned:
    """A statement list ended in `return`; `value` is what it returns."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Frame:
    """One function being lowered: its module, its names, and how deep it is inlined."""

    __slots__ = ("depth", "env", "function", "module")

    def __init__(self, module: Module, function: nodes.FunctionDef, env: dict[str, Any], depth: int) -> None:
        self.module = module
        self.function = function
        self.env = env
        self.depth = depth


class LoweringState(ABC):
    """State of one kernel's lowering, and the operations every layer above builds on."""

    def __init__(self, project: Project, kernel: Kernel, binding: Binding | None) -> None:
        self.project = project
        self.binding = binding
        self.incomplete: list[Incomplete] = []
        self.uses: dict[Use, None] = {}
        self._reported: set[tuple[Location, str]] = set()
        loc = kernel.info.loc
        self.b = Builder(loc)
        self.frame = Frame(kernel.module, kernel.node, {}, 0)
        self.scope = GlobalNames(project)
        self._symbol_uid = 0
        self.loop_depth = 0
        self.region_depth = 0
        """How many loops and branches stand around the insertion point, callers included (early returns excluded)."""
        self.active: list[nodes.FunctionDef] = [kernel.node]

    @property
    def env(self) -> dict[str, Any]:
        """Names of the function being lowered."""
        return self.frame.env

    def location(self, node: nodes.NodeNG) -> Location:
        """Source range of a node of the function being lowered."""
        return self.frame.module.location(node)

    def give_up(self, reason: str, loc: Location | None = None) -> Value:
        """Record that something could not be followed, and return an opaque value that says why."""
        loc = loc or self.b.loc
        if (loc, reason) not in self._reported:
            self._reported.add((loc, reason))
            self.incomplete.append(Incomplete(loc, reason, self.b.stack))
        return self.opaque(reason)

    def note_call(self, name: str, keywords: Iterable[str] = ()) -> None:
        """Record that a function is called at the current place."""
        self.uses.setdefault(Use("call", canonical_api(name), self.b.loc, self.b.stack, tuple(keywords)))

    def note_name(self, name: str, node: nodes.NodeNG) -> None:
        """Record that a name from outside, or an attribute of a value, is read."""
        self.uses.setdefault(Use("name", canonical_api(name), self.location(node), self.b.stack))

    def opaque(self, reason: str, *args: Value, callee: str = "") -> Value:
        """An opaque value made from `args`, without recording anything."""
        return self.b.make("call", {"args": args}, OpaqueType(reason), callee=callee)

    def fresh_symbol(self, name: str, kind: str, lo: int | None = None) -> Expr:
        """A symbolic integer that is none of those made before."""
        self._symbol_uid += 1
        return symbol(name, kind, lo=lo, uid=self._symbol_uid)

    @property
    def exhausted(self) -> bool:
        """Whether the kernel has grown past what is analysed."""
        return self.b.op_count > MAX_OPS

    def make(self, opcode: str, groups: Mapping[str, Sequence[Value]], result: Type, **attrs: Any) -> Value:
        """Append an operation with one result."""
        return self.b.make(opcode, groups, result, **attrs)

    def emit(
        self, opcode: str, groups: Mapping[str, Sequence[Value]], results: Sequence[Type] = (), **attrs: Any
    ) -> Op:
        """Append an operation with any number of results."""
        return self.b.op(opcode, groups, results, **attrs)

    def in_branch(self, body: Callable[[], Any]) -> tuple[Block, dict[str, Any], Any]:
        """`in_region` for one side of a branch that Triton keeps as a region."""
        self.region_depth += 1
        try:
            return self.in_region(body)
        finally:
            self.region_depth -= 1

    def in_region(self, body: Callable[[], Any], args: Sequence[Value] = ()) -> tuple[Block, dict[str, Any], Any]:
        """Lower `body` into a fresh region with its own copy of the names; returns region, names and result."""
        frame = self.frame
        outer = frame.env
        frame.env = dict(outer)
        block = Block(args)
        try:
            with self.b.inside(block):
                result = body()
            return block, frame.env, result
        finally:
            frame.env = outer

    # ---- what the layers above provide --------------------------------------------------------------------

    @abstractmethod
    def expr(self, node: nodes.NodeNG) -> Any:
        """The value of an expression."""

    @abstractmethod
    def call(self, function: Any, args: list[Any], kwargs: dict[str, Any], node: nodes.Call) -> Any:
        """Call anything a kernel can name."""

    @abstractmethod
    def assign(self, target: nodes.NodeNG, value: Any, *, constexpr: bool = False) -> None:
        """Bind a target."""

    @abstractmethod
    def run(self, statements: Sequence[nodes.NodeNG]) -> Returned | None:
        """Lower a statement list."""

    @abstractmethod
    def run_function_body(self, function: nodes.FunctionDef) -> Any:
        """Lower a function's body in the current frame and return what it returns."""
