"""Whether launches and drivers fit the kernels they run (SPY806, SPY807)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from spyre_lint.bindings import Launch
from spyre_lint.checks._support import counted, listed
from spyre_lint.context import DriverContext, KernelInfo, LaunchContext
from spyre_lint.findings import Finding, Level, Location, Related
from spyre_lint.rules import Rule

LAUNCH_MISMATCH = Rule(
    "SPY806", "launch-mismatch", Level.ERROR, "A launch passes arguments that do not fit the kernel's parameters."
)
DRIVER_MISMATCH = Rule(
    "SPY807", "driver-mismatch", Level.ERROR, "A driver's signature or constexprs do not fit the kernel's parameters."
)

_PLAIN = ("triton.jit", "triton.autotune", "triton.heuristics", "triton.runtime.jit.jit")
"""Decorators under which a launch takes the kernel's own parameters; others may take more, or pass some themselves."""
_FILL_IN = ("triton.autotune", "triton.heuristics")


@dataclass(frozen=True, slots=True)
class Misfit:
    """One way in which arguments do not fit a kernel. `key` tells misfits of several kernels apart from one another."""

    key: tuple[str, ...]
    loc: Location
    message: str
    help: str


# ---------------------------------------------------------------------- launches


def judge_launch(context: LaunchContext) -> Iterator[Finding]:
    """SPY806: what fits none of the kernels that the launch can reach is wrong; what fits one of them is open."""
    pairs = zip(context.kernels, context.roles, strict=True)
    kernels = [info for info, role in pairs if role == "spyre" and _takes_own_parameters(info)]
    if not kernels or len(context.kernels) != len(context.launch.kernels):
        return
    misfits = [(info, list(_launch_misfits(context.launch, info))) for info in kernels]
    if len(kernels) != len(context.kernels) and len(context.kernels) > 1:
        return  # some kernel it can reach takes other arguments: which call is which is not known
    fitting = [info for info, found in misfits if not found]
    if fitting:
        yield from _open(context, [(info, found) for info, found in misfits if found], fitting)
        return
    told: set[tuple[str, ...]] = set()
    for info, found in misfits:
        for misfit in found:
            if misfit.key not in told:
                told.add(misfit.key)
                yield LAUNCH_MISMATCH.violated(
                    misfit.loc,
                    misfit.message,
                    help=misfit.help,
                    related=[Related(f"`{info.name}` is defined here", info.loc)],
                    evidence={"kernel": info.name, "mismatch": list(misfit.key)},
                ).with_(kernel=info.id.name)


def _open(
    context: LaunchContext, wrong: Sequence[tuple[KernelInfo, list[Misfit]]], fitting: Sequence[KernelInfo]
) -> Iterator[Finding]:
    if not wrong:
        return
    info, found = wrong[0]
    yield LAUNCH_MISMATCH.unproven_at(
        context.launch.loc,
        f"the launch fits `{fitting[0].name}`, and if it runs `{info.name}`, {found[0].message}",
        help="tell the kernels apart where they are launched: `if kernel_fn is ...`",
        related=[Related(f"`{info.name}` is defined here", info.loc)],
    )


def _takes_own_parameters(info: KernelInfo) -> bool:
    return not info.open_signature and all(decorator.name in _PLAIN for decorator in info.decorators)


def _launch_misfits(launch: Launch, info: KernelInfo) -> Iterator[Misfit]:
    names = [param.name for param in info.params]
    positional = [argument for argument in launch.args if argument.keyword is None]
    keywords = {argument.keyword: argument for argument in launch.args if argument.keyword is not None}
    spread = launch.open_args
    unknown = {name: value.loc or launch.loc for name, value in launch.stray.items()}
    unknown.update({name: argument.loc for name, argument in keywords.items() if name not in names})
    for name, loc in unknown.items():
        yield Misfit(
            ("unknown", name),
            loc,
            f"`{name}` is no parameter of `{info.name}` and no launch option of Triton{_nearest(name, names)}",
            f"remove it, or add the parameter; the parameters are {listed(names)}",
        )
    if not spread and len(positional) > len(names):
        extra = positional[len(names)]
        yield Misfit(
            ("positional",),
            extra.loc,
            f"the launch passes {counted(len(positional), 'argument')} by position, and `{info.name}` has "
            f"{counted(len(names), 'parameter')}",
            f"remove what is too much; the parameters are {listed(names)}",
        )
    taken = set() if spread else set(names[: len(positional)])
    for name, argument in keywords.items():
        if name in taken:
            yield Misfit(
                ("twice", name),
                argument.loc,
                f"`{name}` of `{info.name}` is passed twice, as argument {names.index(name) + 1} and by keyword",
                "pass it once",
            )
    given = taken | keywords.keys()
    missing = [] if spread else [name for name in _required(info) if name not in given]
    if missing:
        yield Misfit(
            ("missing", *missing),
            launch.loc,
            f"the launch of `{info.name}` gives no value to {listed(missing)}",
            "pass a value, or give the parameter a default",
        )


def _required(info: KernelInfo) -> list[str]:
    """Parameters that a launch must give: those without a default that no decorator sets."""
    tuned = any(decorator.name in _FILL_IN for decorator in info.decorators)
    return [param.name for param in info.params if param.default is None and not (tuned and param.is_constexpr)]


# ---------------------------------------------------------------------- drivers

_TITLES = {
    "driver": ("SIGNATURE", "CONSTEXPRS"),
    "wrapper": ("SIGNATURE", "CONSTEXPR"),
    "fixture": ("SIGNATURE", "constexpr"),
}


def judge_driver(context: DriverContext) -> Iterator[Finding]:
    """SPY807."""
    driver, info = context.driver, context.kernel
    if info is None or context.role not in ("spyre", "traced") or info.open_signature:
        return
    titles = _TITLES[driver.source]
    for misfit in (*_stray_names(context, info, titles), *_absent_names(context, info, titles)):
        yield DRIVER_MISMATCH.violated(
            misfit.loc,
            misfit.message,
            help=misfit.help,
            related=[Related(f"`{info.name}` is defined here", info.loc)],
            evidence={"kernel": info.name, "variant": driver.label, "mismatch": list(misfit.key)},
        )


def _stray_names(context: DriverContext, info: KernelInfo, titles: tuple[str, str]) -> Iterator[Misfit]:
    """Names that are no parameter, and values for parameters that take theirs at run time."""
    driver = context.driver
    constexpr = {param.name: param.is_constexpr for param in info.params}
    for title, part, names in (
        (titles[0], "SIGNATURE", driver.signature),
        (titles[1], "CONSTEXPRS", driver.constexprs),
    ):
        for name in names:
            loc = driver.key_locs.get(f"{part}.{name}", driver.loc)
            if name not in constexpr:
                yield Misfit(
                    ("unknown", name),
                    loc,
                    f"`{title}` of `{driver.label}` names `{name}`, which is no parameter of "
                    f"`{info.name}`{_nearest(name, constexpr)}",
                    f"the parameters are {listed(list(constexpr))}",
                )
            elif part == "CONSTEXPRS" and not constexpr[name] and driver.source != "fixture":
                # a fixture's list says which parameters the test compiles in, runtime ones too
                yield Misfit(
                    ("runtime", name),
                    loc,
                    f"`{title}` of `{driver.label}` gives a value to `{name}`, which `{info.name}` takes at run time",
                    f"give its type in `SIGNATURE`, or annotate it `{name}: tl.constexpr` if it is no problem size",
                )


def _absent_names(context: DriverContext, info: KernelInfo, titles: tuple[str, str]) -> Iterator[Misfit]:
    """Parameters that the driver says nothing of."""
    driver = context.driver
    untyped: list[str] = []
    unset: list[str] = []
    for param in info.params:
        if param.default is not None:
            continue
        if param.is_constexpr:
            if "CONSTEXPRS" not in driver.open_parts and param.name not in driver.constexprs:
                unset.append(param.name)
        elif "SIGNATURE" not in driver.open_parts and param.name not in (*driver.signature, *driver.constexprs):
            untyped.append(param.name)
    for title, missing, what, help_ in (
        (titles[0], untyped, "has no type for", 'add it: `"*fp16"` for a pointer, `"i32"` for an integer'),
        (titles[1], unset, "gives no value to", "add the value the kernel is compiled with"),
    ):
        if missing:
            yield Misfit(
                ("missing", *missing),
                driver.loc,
                f"`{title}` of `{driver.label}` {what} {listed(missing)} of `{info.name}`",
                help_,
            )


def _nearest(name: str, names: Iterable[str]) -> str:
    close = get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""
