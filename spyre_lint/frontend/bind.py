"""Bindings of a kernel: every concrete way it is run, from what configuration, drivers and launches say.

Strongest first: configuration, drivers, wrappers, fixtures, launches, defaults. What the command line says holds on top
of each of them; on its own it is a binding only where nothing else binds the kernel.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spyre_lint.bindings import Argument, Binding, Driver, HostValue, KernelId, Launch
from spyre_lint.context import KernelInfo, ParamInfo
from spyre_lint.findings import Location
from spyre_lint.frontend.hostvalues import describe_unknown
from spyre_lint.ir.types import dtype_named

MAX_BINDINGS = 16
"""Most bindings a kernel is analysed under; the weakest are left out."""


def bindings_for(
    info: KernelInfo,
    launches: Iterable[Launch],
    drivers: Iterable[Driver],
    config_bindings: Iterable[Binding],
    cli_constexprs: Mapping[str, Any],
    cli_dtypes: Mapping[str, str],
) -> list[Binding]:
    """The bindings of a kernel, at most `MAX_BINDINGS`, without repetitions.

    `launches` and `drivers` may be those of the whole tree: only the kernel's own are used. A constexpr that a source
    does not settle takes its default, or stays open with the reason in `open_reasons`.
    """
    found: list[Binding] = list(config_bindings)
    order = ("driver", "wrapper", "fixture")
    own = [driver for driver in drivers if driver.kernel == info.id]
    found += [from_driver(info, d) for d in sorted(own, key=lambda d: (order.index(d.source), d.loc.path))]
    found += [from_launch(info, launch) for launch in launches if info.id in launch.kernels]
    mine = {param.name for param in info.params}
    constexprs = {name: value for name, value in cli_constexprs.items() if name in mine}
    dtypes = {name: value for name, value in cli_dtypes.items() if name in mine}
    if not found:
        if constexprs or dtypes:
            found = [Binding("command line", "command line")]
        elif any(param.is_constexpr and default_value(param) is not None for param in info.params):
            found = [Binding("defaults", "defaults", info.loc)]
    settled = [_with_command_line(_with_defaults(info, binding), constexprs, dtypes) for binding in found]
    return _distinct(settled)[:MAX_BINDINGS]


def number_of_bindings(info: KernelInfo, launches: Iterable[Launch], drivers: Iterable[Driver]) -> int:
    """How many launches and drivers run a kernel: more than `MAX_BINDINGS` means that some are not analysed."""
    return sum(info.id in launch.kernels for launch in launches) + sum(d.kernel == info.id for d in drivers)


def constexpr_names(info: KernelInfo) -> frozenset[str]:
    """The kernel's compile-time parameters."""
    return frozenset(param.name for param in info.params if param.is_constexpr)


# ---------------------------------------------------------------------- sources


def from_driver(info: KernelInfo, driver: Driver) -> Binding:
    """The binding one driver entry makes. Parameters that it gives a constexpr's value count as constexprs."""
    constexprs: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    places: dict[str, Location] = {}
    mine = {param.name for param in info.params}
    for name, value in driver.constexprs.items():
        if name not in mine:
            continue
        if value.loc is not None:
            places[name] = value.loc
        if value.is_known:
            constexprs[name] = value.value
        else:
            reasons[name] = describe_unknown(value)
    dtypes: dict[str, str] = {}
    for name, value in driver.signature.items():
        if name in mine and name not in driver.constexprs and value.is_known and isinstance(value.value, str):
            spelled = _type_name(value.value)
            if spelled is not None:
                dtypes[name] = spelled
    args = {name: value for name, value in driver.args.items() if name in mine and name not in constexprs}
    return Binding(driver.label, driver.source, driver.loc, constexprs, dtypes, args, driver.grid, reasons, places)


def _type_name(text: str) -> str | None:
    """A signature's type in Triton's spelling (`*fp16`, `i32`, `tensordesc<fp16[64]>`); None for what is no type."""
    if text.startswith("tensordesc"):
        return text
    text = text.split(":")[0]  # "*fp16:16" carries an alignment
    dtype = dtype_named(text)
    return None if dtype is None else dtype.name


def from_launch(info: KernelInfo, launch: Launch) -> Binding:
    """The binding one launch makes."""
    constexpr = constexpr_names(info)
    constexprs: dict[str, Any] = {}
    dtypes: dict[str, str] = {}
    args: dict[str, HostValue] = {}
    reasons: dict[str, str] = {}
    places: dict[str, Location] = {}
    tensors = {param.name for param in info.params if param.used_as}
    for name, argument in match_arguments(info, launch).items():
        value = argument.value
        if name in constexpr:
            places[name] = argument.loc
            if value.is_known:
                constexprs[name] = value.value
            else:
                reasons[name] = _because(launch, argument)
            continue
        if argument.pointee is not None:
            dtypes[name] = f"*{argument.pointee}"
        elif name not in tensors:
            scalar = _scalar_type(value)
            if scalar is not None:
                dtypes[name] = scalar
        if value.kind in ("interval", "problem") or (value.is_known and _is_scalar(value.value)):
            args[name] = value
    for name in constexpr - constexprs.keys() - reasons.keys():
        if launch.open_args:
            reasons[name] = f"the launch at {launch.label} has arguments that can't be followed"
    return Binding(launch.label, "launch", launch.loc, constexprs, dtypes, args, launch.grid, reasons, places)


def _scalar_type(value: HostValue) -> str | None:
    """The type that Triton gives a number of the host; a size that is not known exactly is one that fits 32 bits."""
    if value.kind in ("interval", "problem"):
        return "i32"
    if not value.is_known or isinstance(value.value, bool):
        return None
    if isinstance(value.value, int):
        return "i32" if -(2**31) <= value.value < 2**31 else "i64"
    return "fp32" if isinstance(value.value, float) else None


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float))


def _because(launch: Launch, argument: Argument) -> str:
    value = argument.value
    text = f"`{value.text}`" if value.text else "its value"
    return f"{text} at {launch.label} is not exact: {describe_unknown(value)}"


def match_arguments(info: KernelInfo, launch: Launch) -> dict[str, Argument]:
    """A launch's arguments by the parameter of this kernel they reach; what reaches none is left out."""
    matched: dict[str, Argument] = {}
    names = [param.name for param in info.params]
    mine = set(names)
    several = len(launch.kernels) > 1
    position = 0
    for argument in launch.args:
        name = argument.param
        if argument.keyword is not None:
            name = argument.keyword
        else:
            if several and name is None and not launch.open_args and position < len(names):
                name = names[position]
            position += 1
        if name in mine and name is not None:
            matched.setdefault(name, argument)
    return matched


# ---------------------------------------------------------------------- completion


def default_value(param: ParamInfo) -> tuple[Any] | None:
    """A literal default as a 1-tuple; None where there is none or it is no literal."""
    if param.default is None:
        return None
    try:
        return (ast.literal_eval(param.default),)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _with_defaults(info: KernelInfo, binding: Binding) -> Binding:
    """A binding with defaults for the constexprs that it leaves open without a reason, and reasons for the others."""
    constexprs = dict(binding.constexprs)
    reasons = dict(binding.open_reasons)
    tuned = [d.name for d in info.decorators if d.name in ("triton.autotune", "triton.heuristics")]
    for param in info.params:
        if not param.is_constexpr or param.name in constexprs or param.name in reasons:
            continue
        default = default_value(param)
        if default is not None:
            constexprs[param.name] = default[0]
        elif param.default is not None:
            reasons[param.name] = f"its default `{param.default}` is no literal"
        elif tuned:
            reasons[param.name] = f"{' and '.join(dict.fromkeys(tuned))} may set it"
        else:
            reasons[param.name] = f"nothing gives `{param.name}` a value"
    return replace(binding, constexprs=constexprs, open_reasons=reasons)


def _with_command_line(binding: Binding, constexprs: Mapping[str, Any], dtypes: Mapping[str, str]) -> Binding:
    if not constexprs and not dtypes:
        return binding
    reasons = {name: reason for name, reason in binding.open_reasons.items() if name not in constexprs}
    return replace(
        binding,
        constexprs={**binding.constexprs, **constexprs},
        dtypes={**binding.dtypes, **dtypes},
        args={name: value for name, value in binding.args.items() if name not in constexprs},
        open_reasons=reasons,
        constexpr_locs={name: loc for name, loc in binding.constexpr_locs.items() if name not in constexprs},
    )


def _distinct(bindings: Sequence[Binding]) -> list[Binding]:
    """Bindings without those that run the kernel just as an earlier one does."""
    seen: set[str] = set()
    result: list[Binding] = []
    for binding in bindings:
        key = repr(
            (
                sorted((name, _plain(value)) for name, value in binding.constexprs.items()),
                sorted(binding.dtypes.items()),
                sorted((name, _bounds(value)) for name, value in binding.args.items()),
                None if binding.grid is None or binding.grid.dims is None else [_bounds(d) for d in binding.grid.dims],
            )
        )
        if key not in seen:
            seen.add(key)
            result.append(binding)
    return result


def _plain(value: Any) -> str:
    return f"{value.path}::{value.name}" if isinstance(value, KernelId) else repr(value)


def _bounds(value: HostValue) -> str:
    return repr((value.kind, value.value if value.is_known else value.bounds))
