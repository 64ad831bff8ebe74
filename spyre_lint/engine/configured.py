"""Bindings that the configuration gives, and what in it (or on the command line) fits no kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from spyre_lint.bindings import Binding, Grid, HostValue
from spyre_lint.config import ConfigBinding, Settings
from spyre_lint.context import KernelInfo
from spyre_lint.findings import Location


def configured_bindings(settings: Settings, info: KernelInfo) -> list[Binding]:
    """The bindings that the configuration of a kernel's file gives for it."""
    where = Location(settings.source or "", 1)
    return [_binding(label, given, where) for label, given in settings.bindings_for(info.id.path, info.id.name)]


def _binding(label: str, given: ConfigBinding, where: Location) -> Binding:
    grid = None
    if given.grid is not None:
        dims = tuple(HostValue("known", size, text=str(size)) for size in given.grid)
        grid = Grid(dims, where, text=str(given.grid))
    args = {name: HostValue("known", value, text=str(value)) for name, value in given.args.items()}
    return Binding(label, "configuration", where, dict(given.constexprs), dict(given.dtypes), args, grid)


def misfits(settings: Iterable[Settings], kernels: Mapping[str, Sequence[KernelInfo]]) -> list[str]:
    """Configured bindings, `--constexpr` and `--dtype` that reach no kernel of the run, in words for the user.

    `kernels` holds the kernels of every linted file, by display path. What is configured for files outside of this run
    is left alone.
    """
    problems: dict[str, None] = {}
    distinct = {id(each): each for each in settings}.values()
    for each in distinct:
        if each.bindings:
            by_path = {each.relative(path): found for path, found in kernels.items()}
            for key, bindings in each.bindings.items():
                where, _, name = key.rpartition("::")
                found = by_path.get(where.removeprefix("./"))
                if found is None:
                    continue
                info = next((k for k in found if k.id.name == name), None)
                if info is None:
                    near = _near(name, [k.id.name for k in found])
                    problems[f'{each.source}: bindings."{key}": {where} has no kernel {name}{near}'] = None
                    continue
                for binding in bindings:
                    names = (*binding.constexprs, *binding.dtypes, *binding.args)
                    for parameter, near in _unknown_parameters(names, [info]):
                        problems[f'{each.source}: bindings."{key}": no parameter {parameter} in {name}{near}'] = None
    everything = [info for found in kernels.values() for info in found]
    for each in distinct if everything else ():
        for option, given in (("--constexpr", list(each.cli_constexprs)), ("--dtype", list(each.cli_dtypes))):
            for name, near in _unknown_parameters(given, everything):
                problems[f"{option}: no linted kernel has a parameter {name}{near}"] = None
    return list(problems)


def _unknown_parameters(names: Iterable[str], kernels: Sequence[KernelInfo]) -> list[tuple[str, str]]:
    """Names that no kernel has as a parameter, each with a hint at the nearest."""
    if any(info.open_signature for info in kernels):
        return []
    known = {param.name for info in kernels for param in info.params}
    return [(name, _near(name, sorted(known))) for name in names if name not in known]


def _near(name: str, names: Sequence[str]) -> str:
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""
