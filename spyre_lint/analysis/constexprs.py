"""What a kernel's `tl.constexpr` parameters are for: tiles, extents, flags, properties of the model.

Read off the kernel lowered without any binding, where each of them is a symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spyre_lint.analysis.symbolic import symbolic_values
from spyre_lint.analysis.work import size_symbols, work_extents
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.ir.core import Op, Param
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import TileType

_TILE_NAME = re.compile(
    r"block|blk|tile|chunk|stick|unroll|split|^B[A-Z]{1,2}$|^B_|(^|_)(cores?|programs?|groups?|stages?|warps?)(_|$)",
    re.IGNORECASE,
)
_COUNT_NAME = re.compile(r"^(n|num)_?\w*(blocks|blks|tiles|chunks|groups)$", re.IGNORECASE)


@dataclass(slots=True)
class ConstexprRoles:
    """Uses of constexpr parameters by name; places in program order.

    `tiles`: operations whose tile shape, block shape or loop step it decides. `extents`: descriptors whose `shape` it
    is part of, with the dimension. `work`: constants in the bounds of the distributed work.
    """

    tiles: dict[str, list[Op]] = field(default_factory=dict)
    blocks: dict[str, list[Op]] = field(default_factory=dict)
    """The descriptors among `tiles`."""
    extents: dict[str, list[tuple[Op, int]]] = field(default_factory=dict)
    work: dict[str, list[Op]] = field(default_factory=dict)


def constexpr_roles(instance: KernelInstance) -> ConstexprRoles:
    """How the constexprs of an unbound instance are used."""
    roles = ConstexprRoles()
    values = instance.analysis(symbolic_values)
    for op in instance.ir.walk():
        for name in _named(_tile_sizes(op)):
            roles.tiles.setdefault(name, []).append(op)
        if op.opcode == "make_descriptor":
            for name in _named(op.attrs["block_shape"]):
                roles.blocks.setdefault(name, []).append(op)
            for dimension, value in enumerate(op.group("shape")):
                for symbol in size_symbols(values.of(value)):
                    if symbol.kind == "constexpr":
                        roles.extents.setdefault(symbol.name, []).append((op, dimension))
    for extent in instance.analysis(work_extents):
        for symbol in size_symbols(extent.value):
            if symbol.kind == "constexpr":
                roles.work.setdefault(symbol.name, []).append(extent.op)
    return roles


def _tile_sizes(op: Op) -> Iterator[Expr]:
    """Expressions of compile-time sizes that make an operation's tiles."""
    if op.opcode in ("make_descriptor", "make_block_ptr"):
        yield from op.attrs["block_shape"]
    elif op.opcode == "arange":
        yield from (op.attrs["start"], op.attrs["end"])
    elif op.opcode == "const" and isinstance(op.result.type, TileType):
        yield from op.result.type.shape
    elif op.opcode == "for":
        step = op.group("step")[0].op
        if step is not None and step.opcode == "const" and isinstance(step.attrs["value"], Expr):
            yield step.attrs["value"]


def _named(sizes: Iterable[object]) -> list[str]:
    found: dict[str, None] = {}
    for size in sizes:
        if isinstance(size, Expr):
            found.update({symbol.name: None for symbol in size.ordered_symbols() if symbol.kind == "constexpr"})
    return list(found)


def is_named_like_tile(name: str) -> bool:
    """Whether a constexpr's name says that it is chosen for the machine (a block, a split, a core count), not data.

    A count of blocks (`NUM_BLOCKS`) comes from the data.
    """
    return _TILE_NAME.search(name) is not None and _COUNT_NAME.match(name) is None


def is_flag(context: KernelContext, param: Param) -> bool:
    """Whether a constexpr is used as a switch: a truth value, None or a name under every binding that gives it."""
    given = [
        bound.bound
        for instance in context.instances
        if (bound := instance.ir.param(param.name)) is not None and bound.is_bound
    ]
    if given:
        return all(value is None or isinstance(value, (bool, str)) for value in given)
    default = next((p.default for p in context.info.params if p.name == param.name), None)
    return default in ("True", "False", "None")


def problem_constexprs(context: KernelContext) -> list[Param]:
    """The constexprs that hold a size of the problem: an extent or a bound of the work, and no tile by name, no
    property of the model, no flag.
    """
    roles = context.source.analysis(constexpr_roles)
    return [
        param
        for param in context.source.ir.params
        if param.role == "constexpr"
        and (param.name in roles.extents or param.name in roles.work)
        and not context.settings.is_model_constant(param.name)
        and not is_named_like_tile(param.name)
        and not is_flag(context, param)
    ]
