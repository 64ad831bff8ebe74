"""What `spyre-lint budget` tells: per kernel and binding the peak of live tile bytes, and which tile sizes would fit.

The peak is that of `spyre_lint.analysis.live_tiles`. Which sizes would fit is asked of the peak's formula in the tile
constexprs, if the formula gives the exact peak at the sizes that are bound; otherwise the kernel is lowered again for
every size that is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spyre_lint.analysis.constexprs import constexpr_roles
from spyre_lint.analysis.fit import Fits, Peak, what_fits
from spyre_lint.analysis.live_tiles import LiveTiles, live_tiles, peak_of
from spyre_lint.bindings import DTypeName, KernelId
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.ir.core import KernelIR
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import TileType

# Points of the formula that sizes are tried with; no kernel seen has more that no other one covers.
_MAX_POINTS = 200


@dataclass(frozen=True, slots=True)
class BindingBudget:
    """The scratchpad of one kernel under one binding. `source` is None where nothing binds the kernel."""

    label: str
    source: str | None
    constexprs: Mapping[str, Any]
    dtypes: Mapping[str, str]
    live: LiveTiles
    formula: str
    """The peak in the tile constexprs; the reason where it can't be computed."""
    fits: Fits | None
    """None where no tile size can be chosen."""


@dataclass(frozen=True, slots=True)
class KernelBudget:
    """The scratchpad of one kernel under all its bindings; the limits are bytes of one core."""

    path: str
    kernel: str
    usable_bytes: int
    scratchpad_bytes: int
    bindings: tuple[BindingBudget, ...]


def budget_of(context: KernelContext) -> KernelBudget:
    """The budget of a kernel under all its bindings."""
    target = context.settings.target
    used = context.source.analysis(constexpr_roles).tiles
    names = [param.name for param in context.info.params if param.name in used]
    tiles = [name for name in names if not context.settings.is_model_constant(name)]
    return KernelBudget(
        context.info.id.path,
        context.info.name,
        target.usable_bytes,
        target.scratchpad_bytes,
        tuple(_binding_budget(instance, tiles) for instance in context.instances),
    )


def _binding_budget(instance: KernelInstance, tiles: Iterable[str]) -> BindingBudget:
    live = instance.analysis(live_tiles)
    binding = instance.binding
    constants = instance.ir.constants
    bound = {name: constants[name] for name in tiles if type(constants.get(name)) is int}
    open_sizes = {symbol.name: size for symbol, size in live.assumed.items() if symbol.kind == "constexpr"}
    chosen = {name: bound.get(name, open_sizes.get(name)) for name in tiles}
    sizes = {name: size for name, size in chosen.items() if size is not None}
    formula = live
    peak: Peak | None = None
    if bound and not live.unknown:
        opened = instance.reopen(tuple(bound))
        if opened is not None:
            formula = peak_of(opened, _sizes_or(instance, bound), max_points=_MAX_POINTS)
            if not formula.unknown and formula.plausible_bytes == live.plausible_bytes:
                peak = _by_formula(opened, formula, instance)
            else:
                formula, peak = live, _by_lowering(instance)
    elif sizes:
        formula = peak_of(instance.ir, instance.settings.plausible_tile, max_points=_MAX_POINTS)
        peak = _by_formula(instance.ir, formula, instance)
    limit = instance.settings.target.usable_bytes
    return BindingBudget(
        label=instance.label,
        source=binding.source if binding is not None else None,
        constexprs={name: plain_constant(value) for name, value in (binding.constexprs if binding else {}).items()},
        dtypes=dict(binding.dtypes) if binding is not None else {},
        live=live,
        formula=live.reason if live.unknown else formula.formula,
        fits=what_fits(peak, sizes, limit) if peak is not None and sizes else None,
    )


def _sizes_or(instance: KernelInstance, bound: Mapping[str, int]) -> Any:
    return lambda name: bound[name] if name in bound else instance.settings.plausible_tile(name)


def _by_formula(ir: KernelIR, live: LiveTiles, instance: KernelInstance) -> Peak:
    """The peak as a function of sizes, from a formula; no tile may exceed the largest tensor."""
    most = instance.settings.target.max_tensor_elements
    counts = {
        result.type.elements
        for op in ir.walk()
        for result in op.results
        if isinstance(result.type, TileType) and not result.type.elements.is_const
    }
    ordered = sorted(counts, key=str)

    def peak(sizes: Mapping[str, int]) -> int | None:
        values = {symbol.name: sizes.get(symbol.name, size) for symbol, size in live.assumed.items()}
        try:
            if any(count.evaluate(values) > most for count in ordered):
                return None
        except KeyError:
            pass
        return live.bytes_at(sizes)

    return peak


def _by_lowering(instance: KernelInstance) -> Peak:
    """The same by lowering the kernel for the sizes asked for; None where the result can't be weighed exactly."""
    most = instance.settings.target.max_tensor_elements
    known: dict[tuple[tuple[str, int], ...], int | None] = {}

    def peak(sizes: Mapping[str, int]) -> int | None:
        key = tuple(sorted(sizes.items()))
        if key not in known:
            assert instance.relower is not None
            ir = instance.relower(sizes, ())
            known[key] = None if _too_large(ir, most) else peak_of(ir).peak_bytes
        return known[key]

    return peak


def _too_large(ir: KernelIR, most: int) -> bool:
    elements = (r.type.elements for op in ir.walk() for r in op.results if isinstance(r.type, TileType))
    return any(count.is_const and count.value > most for count in elements)


def plain_constant(value: Any) -> Any:
    """A constexpr's value as JSON has it: element types and functions by name, tuples as lists."""
    if isinstance(value, (DTypeName, KernelId)):
        return value.name
    if isinstance(value, (tuple, list)):
        return [plain_constant(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain_constant(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value) if isinstance(value, Expr) else repr(value)
