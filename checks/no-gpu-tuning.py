"""No tuning for GPUs (SPY6xx): autotune, heuristics, hints, launch options, GPU-only functions."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.tiles import tile_constexprs
from spyre_lint.checks._support import counted, place, spelled, views
from spyre_lint.context import KernelContext, LaunchContext
from spyre_lint.findings import Finding, Level, Related
from spyre_lint.ir.core import Op
from spyre_lint.rules import Rule, check

AUTOTUNE = Rule("SPY601", "autotune", Level.ERROR, "Tile sizes are found by timing launches.")
HEURISTICS = Rule("SPY602", "heuristics", Level.WARNING, "Constexprs are set by a function of the arguments.")
HINT = Rule("SPY603", "compiler-hint", Level.ERROR, "A hint speaks to the GPU compiler.")
LAUNCH_OPTION = Rule("SPY604", "gpu-launch-option", Level.WARNING, "A launch or loop option is one of GPUs.")
GPU_ONLY = Rule("SPY605", "gpu-only-api", Level.ERROR, "A function or option exists on GPUs only.")

GPU_OPTIONS = {
    "num_warps": "warps",
    "num_stages": "stages of a software pipeline",
    "num_ctas": "thread-block clusters",
    "maxnreg": "registers per thread",
    "waves_per_eu": "waves per execution unit",
    "matrix_instr_nonkdim": "matrix instructions of a GPU",
    "kpack": "packing for matrix instructions of a GPU",
}
LOOP_OPTIONS = {
    "num_stages": "stages of a software pipeline",
    "warp_specialize": "warps",
    "flatten": "the pipelining of a nest of loops",
}
CACHE_OPTIONS = {
    "cache_modifier": "the caches of a GPU",
    "eviction_policy": "the caches of a GPU",
    "volatile": "the caches of a GPU",
}


@check(AUTOTUNE, HEURISTICS, GPU_ONLY, scope="kernel")
def decorators(context: KernelContext) -> Iterator[Finding]:
    """Decorators of the kernel."""
    for decorator in context.info.decorators:
        if decorator.name == "triton.autotune" or decorator.parts:
            count = f" among {counted(decorator.count, 'configuration')}" if decorator.count > 1 else ""
            yield AUTOTUNE.violated(
                decorator.loc,
                f"`@{decorator.name}` picks tile sizes by timing launches{count}: on Spyre they follow from the "
                "scratchpad budget and from how the compiler schedules the whole program",
                help="remove it; choose sizes whose live tiles fit the scratchpad and pass them as literals",
                related=[Related("a configuration it tries", part) for part in decorator.parts],
            )
        elif decorator.name == "triton.heuristics":
            sized = [name for name in decorator.sets if name in context.source.analysis(tile_constexprs)]
            told = ", ".join(f"`{name}`" for name in sized)
            message = "`@triton.heuristics` computes constexprs from the arguments of each launch"
            if sized:
                message += f", and sets the tile size {told} from a problem size, which no scratchpad bounds"
            help_ = "give fixed tile sizes at the launch, and loop over the dimension" if sized else ""
            yield HEURISTICS.violated(
                decorator.loc,
                message,
                help=help_ or "compute the constexprs in the host code that launches the kernel",
                level=Level.ERROR if sized else None,
            )
        elif decorator.name.startswith("triton.experimental.gluon"):
            yield GPU_ONLY.violated(
                decorator.loc,
                "Gluon kernels are written for the layouts and memories of a GPU",
                help="write the kernel in `triton.language` with tensor descriptors",
            )


@check(HINT, LAUNCH_OPTION, GPU_ONLY, scope="kernel")
def operations(context: KernelContext) -> Iterator[Finding]:
    """What the kernel's body says to a GPU."""
    for instance in views(context):
        for op in instance.ir.walk():
            related = instance.related_calls(op)
            if op.opcode == "hint":
                yield HINT.violated(
                    op.loc,
                    f"`{spelled(op)}` makes a promise to the GPU compiler about an address or a number",
                    help="remove it: descriptors carry shapes and strides, and there are no addresses to vectorise",
                    related=related,
                )
            elif op.opcode == "for":
                for keyword in _options(op, LOOP_OPTIONS):
                    message = f"`{keyword}=` of `tl.range` is about {LOOP_OPTIONS[keyword]}, and Spyre has none"
                    help_ = "remove it: the compiler schedules the loop"
                    yield LAUNCH_OPTION.violated(place(op, keyword), message, help=help_, related=related)
            for keyword in _options(op, CACHE_OPTIONS) if op.opcode != "for" else ():
                message = f"`{keyword}=` of `{spelled(op)}` is about {CACHE_OPTIONS[keyword]}, and Spyre has none"
                help_ = "remove it: the compiler plans what stays in the scratchpad"
                yield GPU_ONLY.violated(place(op, keyword), message, help=help_, related=related)
            told = _gpu_only(op)
            if told:
                yield GPU_ONLY.violated(op.loc, told[0], help=told[1], related=related)


def _options(op: Op, known: dict[str, str]) -> list[str]:
    return [keyword for keyword in op.attrs.get("keywords", ()) if keyword in known]


def _gpu_only(op: Op) -> tuple[str, str] | None:
    """Message and help for an operation that only a GPU has."""
    if op.opcode == "inline_asm":
        return ("inline assembly is code for one kind of GPU", "write the computation with functions of `tl`")
    if op.opcode == "barrier":
        return (f"`{spelled(op)}` waits for the threads of a GPU", "remove it: a program runs on one core")
    api = str(op.attrs.get("api") or op.attrs.get("callee") or "")
    if "libdevice." in api:
        return (
            f"`libdevice.{api.rpartition('.')[2]}` is a function of the GPU vendor's library",
            "use the function of `tl` (`tl.exp`, `tl.erf`, `tl.sqrt`, ...) or write it out with them",
        )
    if api.removeprefix("triton.language.").startswith(("extra.cuda", "extra.hip")):
        return (f"`tl.{api.removeprefix('triton.language.')}` exists on one kind of GPU only", "leave it out")
    return None


@check(LAUNCH_OPTION, GPU_ONLY, scope="launch")
def launches(context: LaunchContext) -> Iterator[Finding]:
    """Options of a launch, and what its host code asks of a GPU."""
    for name, value in context.launch.options.items():
        if name in GPU_OPTIONS:
            yield LAUNCH_OPTION.violated(
                value.loc or context.launch.loc,
                f"the launch option `{name}` sets {GPU_OPTIONS[name]}, and Spyre has none",
                help="remove it",
            )
    for fact in context.launch.facts:
        what = f"`{fact.text}`" if fact.text else "this"
        message = (
            f"{what} asks what kind of GPU is there"
            if fact.kind == "gpu-config"
            else (f"{what} asks a GPU for its number of processors or other properties, and the launch depends on it")
        )
        cores = context.settings.target.cores
        help_ = (
            "keep one configuration: the kernel is for Spyre"
            if fact.kind == "gpu-config"
            else (f"write the number of cores down: Spyre has {cores}, so `grid = (min({cores}, n_tiles),)`")
        )
        yield GPU_ONLY.violated(fact.loc, message, help=help_)
