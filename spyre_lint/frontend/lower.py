"""Lowers a jit function to kernel IR, the way Triton's own frontend walks it.

The lowering runs the function's syntax once under a binding: what Triton knows at compile time is computed, what it
knows at run time becomes operations. Constexprs that the binding leaves open are symbols; a branch on one is kept
with both sides. The lowering is total: what it cannot follow becomes an opaque value and an `Incomplete` entry, and
everything around it is lowered all the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spyre_lint.bindings import Binding, DTypeName, KernelId
from spyre_lint.findings import Location
from spyre_lint.frontend.control_flow import ControlFlow
from spyre_lint.frontend.global_names import host_to_value
from spyre_lint.frontend.usage import usage_of
from spyre_lint.frontend.values import TupleValue
from spyre_lint.ir.core import KernelIR, Param, Value
from spyre_lint.ir.sym import Expr, symbol
from spyre_lint.ir.types import (
    DescriptorType,
    DType,
    ScalarType,
    Type,
    dtype_named,
    pointer_to,
    unknown_dtype,
)

if TYPE_CHECKING:
    from spyre_lint.frontend.kernels import Kernel
    from spyre_lint.frontend.project import Project

_TILE_NAME = re.compile(r"(?i)block|blk|tile|chunk|stick|group|dim|size|^b[a-z]{1,2}$|^[A-Z][A-Z0-9]?$")


class Lowering(ControlFlow):
    """Lowers one kernel."""


def lower_kernel(project: Project, kernel: Kernel, binding: Binding | None = None) -> KernelIR:
    """Lower a kernel under a binding (under none: every constexpr is a symbol, every type unknown)."""
    lowering = Lowering(project, kernel, binding)
    params, constants, symbols = _bind_parameters(lowering, kernel, binding)
    ir = KernelIR(
        name=kernel.info.name,
        path=kernel.info.id.path,
        loc=kernel.info.loc,
        params=params,
        body=lowering.b.block,
        constants=constants,
        open_symbols=symbols,
        incomplete=lowering.incomplete,
    )
    try:
        lowering.run_function_body(kernel.node)
    except RecursionError:
        lowering.give_up("the kernel nests too deep to be followed", kernel.info.loc)
    ir.params[:] = [_learnt(param) for param in params]
    ir.uses = list(lowering.uses)
    return ir


def _learnt(param: Param) -> Param:
    """A parameter as its use told it while the kernel and its helpers were lowered."""
    made_outside = param.role == "unknown" and param.value is not None and isinstance(param.value.type, DescriptorType)
    return replace(param, role="descriptor") if made_outside else param


def _bind_parameters(
    lowering: Lowering, kernel: Kernel, binding: Binding | None
) -> tuple[list[Param], dict[str, Any], dict[str, Expr]]:
    usage = usage_of(lowering.project, kernel.module, kernel.node)
    constexprs = dict(binding.constexprs) if binding else {}
    dtypes = dict(binding.dtypes) if binding else {}
    params: list[Param] = []
    constants: dict[str, Any] = {}
    symbols: dict[str, Expr] = {}
    for info in kernel.info.params:
        has_default = info.default is not None
        if info.is_constexpr or info.name in constexprs:
            if info.name in constexprs:
                bound = constexprs[info.name]
                value = lowering_constant(lowering, bound, info.name)
                constants[info.name] = bound
                params.append(
                    Param(info.name, "constexpr", info.loc, is_bound=True, bound=bound, has_default=has_default)
                )
            else:
                tile_like = info.name in usage.tiles or (info.name not in usage.flags and _TILE_NAME.search(info.name))
                value = symbol(info.name, "constexpr", lo=1 if tile_like else None)
                constants[info.name] = symbols[info.name] = value
                params.append(Param(info.name, "constexpr", info.loc, has_default=has_default))
            lowering.env[info.name] = value
            continue
        param, argument = _runtime_parameter(lowering, info.name, info.loc, dtypes.get(info.name), usage.parameters)
        params.append(Param(info.name, param[0], info.loc, dtype=param[1], value=argument, has_default=has_default))
        lowering.env[info.name] = argument
    return params, constants, symbols


def _runtime_parameter(
    lowering: Lowering, name: str, loc: Location, dtype_name: str | None, usage: Mapping[str, str]
) -> tuple[tuple[Any, DType | None], Value]:
    known = dtype_named(dtype_name) if dtype_name else None
    used_as = usage.get(name, "")
    role: Any
    type_: Type
    if used_as == "descriptor" or (dtype_name or "").startswith("tensordesc"):
        role, element = "descriptor", unknown_dtype(name)
        type_ = DescriptorType(element, None)
    elif known is not None and known.pointee is not None:
        role, element = "pointer", known.pointee
        type_ = ScalarType(known)
    elif known is not None and used_as != "pointer":
        role, element = "scalar", known
        type_ = ScalarType(known)
    elif used_as == "pointer":
        role, element = "pointer", unknown_dtype(name)
        type_ = ScalarType(pointer_to(element))
    else:
        role, element = "unknown", unknown_dtype(name)
        type_ = ScalarType(element)
    with lowering.b.at(loc):
        argument = lowering.b.value(type_, name)
    lowering.b.block.add_arg(argument)
    return (role, element if element.is_known else None), argument


def lowering_constant(lowering: Lowering, bound: Any, name: str) -> Any:
    """A binding's value for the constexpr `name` as the lowering sees it; tuples and lists tell where they are from."""
    if isinstance(bound, (DTypeName, KernelId)):
        return host_to_value(lowering.scope, bound)
    if isinstance(bound, (tuple, list)):
        return TupleValue(tuple(lowering_constant(lowering, item, name) for item in bound), origin=name)
    return bound
