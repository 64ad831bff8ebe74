"""Where the sizes of tiles come from (SPY402)."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.constexprs import constexpr_roles, is_flag, is_named_like_tile, problem_constexprs
from spyre_lint.bindings import HostValue, Launch
from spyre_lint.context import KernelContext
from spyre_lint.findings import Finding, Level, Location, Related, Verdict
from spyre_lint.ir.core import Op, Param
from spyre_lint.rules import Rule

TILE_FROM_PROBLEM = Rule(
    "SPY402", "tile-from-problem-size", Level.ERROR, "The size of a tile is computed from a size of the problem."
)


def judge_tiles(context: KernelContext) -> Iterator[Finding]:
    """SPY402 for one kernel: launches and drivers that size its tiles, heuristics, and sizes that are tiles."""
    tiles = _tile_params(context)
    reported: set[str] = set()
    for param, value, place in _given(context, tiles):
        finding = _judge_value(context, tiles[param], value, place)
        if finding.verdict is Verdict.VIOLATED:
            reported.add(param)
        yield finding
    for decorator in context.info.decorators:
        for name in decorator.sets:
            if name in tiles:
                reported.add(name)
                yield TILE_FROM_PROBLEM.violated(
                    decorator.loc,
                    f"a heuristic computes the tile `{name}` of `{context.info.name}` from the launch's arguments: it "
                    "grows with the data",
                    help=_fixed_help(name),
                    related=(Related(f"`{name}` is a tile", tiles[name].loc),),
                    evidence={"parameter": name},
                )
    for size in problem_constexprs(context):
        if size.name in tiles and size.name not in reported:
            yield _size_as_tile(context, size)


def _tile_params(context: KernelContext) -> dict[str, Param]:
    """The parameters that decide tiles and are chosen for the machine, neither switches nor properties of the model."""
    used = context.source.analysis(constexpr_roles).tiles
    return {
        param.name: param
        for param in context.source.ir.params
        if param.name in used and not context.settings.is_model_constant(param.name) and not is_flag(context, param)
    }


def _given(context: KernelContext, tiles: dict[str, Param]) -> Iterator[tuple[str, HostValue, Location]]:
    """What launches and drivers pass for tile parameters, and where."""
    for launch in context.launches:
        for name, value, place in _arguments(launch):
            if name in tiles:
                yield name, value, place
    for driver in context.drivers:
        for name, value in driver.constexprs.items():
            if name in tiles:
                yield name, value, driver.key_locs.get(f"CONSTEXPRS.{name}", driver.loc)


def _arguments(launch: Launch) -> Iterator[tuple[str, HostValue, Location]]:
    for argument in launch.args:
        name = argument.param or argument.keyword
        if name is not None:
            yield name, argument.value, argument.loc


def _judge_value(context: KernelContext, param: Param, value: HostValue, place: Location) -> Finding:
    related = (Related(f"`{param.name}` is a tile of `{context.info.name}`", param.loc),)
    text = f"`{value.text}`" if value.text else "its value"
    low, high = value.bounds
    evidence = {"parameter": param.name, "low": low, "high": high}
    if value.reason == f"the caller chooses {text}" and is_named_like_tile(value.text.rpartition(".")[2]):
        return TILE_FROM_PROBLEM.unproven_at(
            place,
            f"the caller chooses the tile `{param.name}`, and whether it passes a fixed size is not known",
            help=f"give {text} a default, or read it from a constant",
            related=related,
            evidence=evidence,
        )
    if _is_model_dimension(context, param.name, value.text):
        return TILE_FROM_PROBLEM.satisfied(place, evidence=evidence)
    if value.kind in ("problem", "interval") and value.from_problem:
        if high is not None:
            return TILE_FROM_PROBLEM.violated(
                place,
                f"the tile `{param.name}` is computed from a problem size and capped at {high}: every smaller size "
                f"compiles a kernel of its own",
                help=_fixed_help(param.name, high),
                level=Level.WARNING,
                related=related,
                evidence=evidence,
            )
        return TILE_FROM_PROBLEM.violated(
            place,
            f"the tile `{param.name}` is computed from a problem size: {text} grows with the data, and with it the "
            "scratchpad that the tile takes",
            help=_fixed_help(param.name),
            related=related,
            evidence=evidence,
        )
    if value.kind == "unknown" or (value.kind == "interval" and high is None):
        why = value.reason or "its value is not known"
        return TILE_FROM_PROBLEM.unproven_at(
            place,
            f"whether the tile `{param.name}` is a fixed size is not known: {why}",
            help=_fixed_help(param.name),
            related=related,
            evidence=evidence,
        )
    return TILE_FROM_PROBLEM.satisfied(place, evidence=evidence)


def _is_model_dimension(context: KernelContext, name: str, text: str) -> bool:
    """Whether a tile is handed a whole dimension of the model, the one it is named after (`BLOCK_D=D`)."""
    return context.settings.is_model_constant(text) and name.lower().endswith(f"_{text.lower()}")


def _fixed_help(name: str, size: int | None = None) -> str:
    value = f"`{name}={size}`" if size is not None else f"a fixed `{name}`"
    return f"pass {value} and loop over the dimension in the kernel: `for start in range(0, size, {name})`"


def _size_as_tile(context: KernelContext, param: Param) -> Finding:
    roles = context.source.analysis(constexpr_roles)
    name = param.name
    uses = roles.blocks.get(name) or roles.tiles[name]
    made = f"a dimension of the block of `{_name_of(uses[0])}`" if name in roles.blocks else "a dimension of a tile"
    related = (Related(f"`{name}` is {made}", uses[0].loc), *context.source.related_calls(uses[0]))
    return TILE_FROM_PROBLEM.violated(
        param.loc,
        f"`{name}` is a size of the problem and {made} at once: the tile grows with the data",
        help=f"make `{name}` a runtime argument, and loop over the dimension with a tile parameter of fixed size "
        "(a property of the model under another name: add it to `model-constants`)",
        related=related,
        evidence={"parameter": name},
    )


def _name_of(op: Op) -> str:
    return op.results[0].name or "a descriptor"
