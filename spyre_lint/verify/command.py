"""What `spyre-lint verify` tells: whether Triton's own frontend sees a kernel as the linter does.

Every kernel is compiled to TTIR under each binding that says all of it, and three things are compared: the tiles that
loads, gathers, dots and reductions give, the peak of live tile bytes, and what the frontend rejects (then the linter
must have found an error in that statement). A difference is a finding of the tool against itself.

Compiling imports the kernels' modules, in worker processes: their code runs. This module imports neither.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from spyre_lint.analysis.canonical import canonical
from spyre_lint.analysis.graph import SCALAR_REGIONS
from spyre_lint.analysis.live_tiles import LiveTiles, live_tiles
from spyre_lint.bindings import DTypeName, KernelId
from spyre_lint.config import ConfigError
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.engine.run import Run, RunOptions
from spyre_lint.findings import Finding
from spyre_lint.invariants.locate import load_registry
from spyre_lint.ir.core import Block, Op
from spyre_lint.ir.types import ScalarType, TileType, Type, dtype_of
from spyre_lint.registry import Registry
from spyre_lint.verify import liveness
from spyre_lint.verify.compile import (
    CompileError,
    CompileRequest,
    CompileResult,
    ElementType,
    ModuleAttribute,
    compile_kernels,
    encode_constexpr,
)
from spyre_lint.verify.rejections import Rejection, accepted_errors, errors_of, excuse, rejection_of
from spyre_lint.verify.ttir import TileKey, TtirError, parse_ttir, tile_sites

Site = tuple[TileKey, int]
"""What a tile is, and the line of the kernel it comes from."""

Status = Literal["agrees", "differs", "not verified", "failed"]
"""`not verified`: there is nothing to compare. `failed`: there should be, but compiling did not get that far."""

DEFAULT_TIMEOUT = 60.0
"""Seconds that one kernel under one binding may take, its module's import included."""

_KINDS = {"desc_load": "load", "desc_gather": "gather", "dot": "dot", "dot_scaled": "dot", "reduce": "reduce"}


@dataclass(frozen=True, slots=True)
class Difference:
    """Something the linter and Triton do not agree on; `line` is the first one of the kernel's file where they part
    (0 if it is not known).
    """

    what: Literal["peak", "tiles", "error"]
    linter: str
    triton: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class BindingVerdict:
    """One binding of a kernel. Peaks are bytes, None where one side has no figure; `tiles` is how many were compared.

    `reason` says why there is no comparison. `stubbed` names modules that are not installed and were replaced.
    """

    label: str
    source: str | None
    status: Status
    reason: str = ""
    peak_bytes: int | None = None
    triton_peak_bytes: int | None = None
    tiles: int = 0
    rejection: Rejection | None = None
    differences: tuple[Difference, ...] = ()
    stubbed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelVerdict:
    """One kernel under all its bindings."""

    path: str
    kernel: str
    bindings: tuple[BindingVerdict, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome of one run. `target` is the backend and architecture compiled for, `triton` the version that did it
    (both empty if nothing was compiled). `problems` are usage errors that did not stop the run.
    """

    kernels: tuple[KernelVerdict, ...]
    target: str = ""
    triton: str = ""
    problems: tuple[str, ...] = ()

    def count(self, status: Status) -> int:
        """Bindings with a status."""
        return sum(binding.status == status for kernel in self.kernels for binding in kernel.bindings)

    @property
    def exit_status(self) -> int:
        """0: all that was compared agrees; 1: a difference; 2: something could not be compared that should have been,
        or nothing was.
        """
        if self.problems or self.count("failed") or not (self.count("agrees") or self.count("differs")):
            return 2
        return 1 if self.count("differs") else 0


def verify(
    paths: Sequence[str],
    options: RunOptions,
    *,
    allow_import: bool,
    timeout: float = DEFAULT_TIMEOUT,
    registry: Registry | None = None,
    python: str = sys.executable,
) -> Verification:
    """Compare every kernel of files and directories, under every binding, with what Triton's frontend makes of it.

    Raises:
        ConfigError: without `allow_import`; if a path or configuration can't be used; if there is no usable Triton.
    """
    if not allow_import:
        raise ConfigError(
            "verify has Triton compile the kernels, which imports their modules and so runs their code; nothing was "
            "run. Give --allow-import if you trust it"
        )
    registry = registry or load_registry(paths, config=options.config, plugins=options.plugins)
    run = Run(registry, options)
    contexts: list[KernelContext] = []
    report, outcome = run.examine(paths, contexts.append)
    found = [result.finding for result in (*outcome.shown, *outcome.suppressed)]
    errors = errors_of(found, registry)
    contexts.sort(key=lambda context: context.info.loc)
    reasons = {id(instance): why_not(instance) for context in contexts for instance in context.instances}
    asked = [each for context in contexts for each in context.instances if not reasons[id(each)]]
    results = compile_kernels([request_of(each) for each in asked], timeout=timeout, python=python)
    _require_triton(results)
    compiled = {id(instance): result for instance, result in zip(asked, results, strict=True)}

    def verdict(instance: KernelInstance) -> BindingVerdict:
        base = BindingVerdict(instance.label, instance.binding.source if instance.binding else None, "not verified")
        result = compiled.get(id(instance))
        if result is None:
            return replace(base, reason=reasons[id(instance)])
        return replace(_compare(base, instance, result, errors), stubbed=result.stubbed)

    return Verification(
        tuple(
            KernelVerdict(context.info.id.path, context.info.name, tuple(verdict(each) for each in context.instances))
            for context in contexts
        ),
        target=next((result.target for result in results if result.target), ""),
        triton=_triton_version() if results else "",
        problems=report.problems,
    )


def _require_triton(results: Iterable[CompileResult]) -> None:
    error = next((result.error for result in results if result.error and result.error.kind == "triton"), None)
    if error is not None:
        said = f"{error.type}: {error.message}" if error.type else error.message
        raise ConfigError(
            f"there is no usable Triton in this environment ({said}). The extra `spyre-lint[verify]` installs the "
            "stock one (Linux). Give it an environment of its own: it must not displace a Spyre build of Triton"
        )


def _triton_version() -> str:
    try:
        return version("triton")
    except PackageNotFoundError:
        return ""


# ---- what can be compiled ----------------------------------------------------------------------------------------


def why_not(instance: KernelInstance) -> str:
    """Why a kernel can't be compiled under its binding; empty if it can."""
    binding = instance.binding
    if binding is None:
        return "nothing binds it"
    if instance.info.open_signature:
        return "it takes *args or **kwargs"
    for param in instance.info.params:
        if param.name in binding.constexprs:
            try:
                encode_constexpr(_constexpr(binding.constexprs[param.name]))
            except TypeError:
                return f"the value of `{param.name}` can't be handed over"
        elif param.is_constexpr:
            reason = binding.open_reasons.get(param.name)
            return f"`{param.name}` has no value" + (f": {reason}" if reason else "")
        elif param.name not in binding.dtypes:
            return f"the type of `{param.name}` is not known"
    return ""


def request_of(instance: KernelInstance) -> CompileRequest:
    """What to compile for a kernel whose binding says everything (see `why_not`)."""
    binding = instance.binding
    assert binding is not None
    constexprs = {name: _constexpr(value) for name, value in binding.constexprs.items()}
    signature = {name: type_ for name, type_ in binding.dtypes.items() if name not in constexprs}
    return CompileRequest(Path(instance.file.abspath), instance.info.name, signature, constexprs)


def _constexpr(value: Any) -> Any:
    """A constexpr of a binding as the compiler takes it."""
    if isinstance(value, DTypeName):
        return ElementType(value.name)
    if isinstance(value, KernelId):
        return ModuleAttribute(value.name)
    if isinstance(value, (tuple, list)):
        return type(value)(_constexpr(item) for item in value)
    if isinstance(value, dict):
        return {key: _constexpr(item) for key, item in value.items()}
    return value


# ---- comparing ---------------------------------------------------------------------------------------------------


def _compare(
    base: BindingVerdict, instance: KernelInstance, result: CompileResult, errors: Sequence[Finding]
) -> BindingVerdict:
    if result.error is not None:
        if result.error.kind != "frontend":
            return replace(base, status="failed", reason=_failure(result.error))
        rejection = rejection_of(instance, result.error, errors)
        if rejection.codes:
            return replace(base, status="agrees", rejection=rejection)
        why = excuse(instance, result, result.error)
        if why:
            return replace(base, status="not verified", reason=why, rejection=rejection)
        difference = Difference("error", "no such error in this statement", rejection.text, result.error.line)
        return replace(base, status="differs", rejection=rejection, differences=(difference,))
    assert result.ttir is not None
    missed = tuple(
        Difference("error", f"{each.code}: {each.message}", "no error", each.location.line)
        for each in accepted_errors(instance, result, errors)
    )
    live = instance.analysis(live_tiles)
    if live.peak_bytes is None:
        reason = f"the linter has no figure: {live.reason}"
        return replace(base, status="differs" if missed else "not verified", reason=reason, differences=missed)
    try:
        module = parse_ttir(result.ttir)
        peak = liveness.peak_of(module)
    except TtirError as error:
        return replace(base, status="failed", reason=f"Triton's TTIR can't be read: {error}")
    ours = list(static_sites(instance))
    theirs = [(site.key, site.loc.line) for site in tile_sites(module)]
    differences = [*missed, *_compare_tiles(ours, theirs, once=_is_unrolled(instance))]
    if live.peak_bytes != peak.bytes:
        parting = min((d.line for d in differences if d.what == "tiles" and d.line), default=0)
        differences.append(_peak_difference(live, peak, parting))
    return replace(
        base,
        status="differs" if differences else "agrees",
        peak_bytes=live.peak_bytes,
        triton_peak_bytes=peak.bytes,
        tiles=len(theirs),
        differences=tuple(differences),
    )


def _failure(error: CompileError) -> str:
    """Why a kernel did not get compiled."""
    said = " ".join(error.message.split())
    detail = f"{error.type}: {said}" if error.type and said else error.type or said
    return {
        "timeout": f"Triton took too long: {said}",
        "import": f"its module can't be imported: {detail}",
        "crash": f"the worker died: {said}",
        "kernel": said,
        "request": said,
    }.get(error.kind, detail)


def static_sites(instance: KernelInstance) -> Iterator[Site]:
    """The linter's side of `ttir.tile_sites`: each tile that a load, gather, dot or reduction gives once Triton's
    passes are done, with the line of the kernel it comes from. A helper marked noinline counts once.
    """
    yield from _sites(canonical(instance.ir).body, set())


def _sites(block: Block, helpers: set[tuple[object, ...]]) -> Iterator[Site]:
    for op in block.ops:
        kind = _KINDS.get(op.opcode)
        if kind is not None:
            for result in op.results:
                yield (kind, *_shape_and_type(result.type)), _kernel_line(op)
        if op.opcode in SCALAR_REGIONS:
            continue
        if op.opcode == "noinline_call":
            called = (op.attrs.get("callee"), *(str(operand.type) for operand in op.operands))
            if called in helpers:
                continue
            helpers.add(called)
        for region in op.regions:
            yield from _sites(region, helpers)


def _shape_and_type(type_: Type) -> tuple[tuple[int, ...], str]:
    """Shape and element type as the referee names them; MLIR's integers have no sign."""
    shape = tuple(extent.value for extent in type_.shape) if isinstance(type_, TileType) else ()
    name = dtype_of(type_).name if isinstance(type_, (TileType, ScalarType)) else str(type_)
    return shape, f"i{name[1:]}" if name[:1] == "u" else name


def _kernel_line(op: Op) -> int:
    return (op.stack[0] if op.stack else op.loc).line


def _is_unrolled(instance: KernelInstance) -> bool:
    """Whether Triton copies a loop's body several times; the linter leaves that out, as it does not move the peak."""
    return any("loop_unroll_factor" in (op.attrs.get("keywords") or {}) for op in instance.ir.ops("for"))


def _compare_tiles(ours: Sequence[Site], theirs: Sequence[Site], *, once: bool) -> Iterator[Difference]:
    """One difference for each type of tile that does not occur equally often (`once`: at all), by line."""
    left, right = Counter(key for key, _ in ours), Counter(key for key, _ in theirs)
    found: list[Difference] = []
    for key in sorted({*left, *right}):
        here, there = left[key], right[key]
        if here == there or (once and here and there):
            continue
        lines = Counter(line for each, line in ours if each == key)
        other = Counter(line for each, line in theirs if each == key)
        apart = sorted((lines - other) | (other - lines))
        kind, shape, dtype = key
        what = f"{kind} {'x'.join(map(str, shape)) or 'scalar'} {dtype}"
        found.append(Difference("tiles", f"{here} of {what}", f"{there} of {what}", apart[0] if apart else 0))
    yield from sorted(found, key=lambda each: each.line)


def _peak_difference(live: LiveTiles, peak: liveness.Peak, parting: int) -> Difference:
    """The peaks with the tiles that only one of them holds."""
    ours = Counter(f"{tile.shape_text}x{tile.dtype}" for tile in live.tiles)
    theirs = Counter(tile.type.strip("<>") for tile in peak.live)
    at = live.peak.kernel_loc.line
    lines = [tile.loc.line for tile in live.tiles if f"{tile.shape_text}x{tile.dtype}" in ours - theirs]
    lines += [tile.line for tile in peak.live if tile.line and tile.type.strip("<>") in theirs - ours]
    return Difference(
        "peak",
        f"{live.peak_bytes} bytes at line {at}{_only(ours - theirs)}",
        f"{peak.bytes} bytes at line {peak.line}{_only(theirs - ours)}",
        parting or min(lines, default=min(at, peak.line or at)),
    )


def _only(types: Mapping[str, int]) -> str:
    """Types of tiles that only one side holds at its peak."""
    said = ", ".join(f"{count} x {type_}" if count > 1 else type_ for type_, count in sorted(types.items()))
    return f", with {said}" if said else ""
