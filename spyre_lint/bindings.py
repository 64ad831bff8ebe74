"""Bindings, launches and drivers: how the kernels of a tree are run, read statically.

A `Binding` is one concrete way to run a kernel. A `Launch` is one `kernel[grid](...)` on the host, a `Driver` one entry
of a lowering driver (`lower.py`), a model wrapper or a fixture. All of it is plain, picklable data: host code is
evaluated by the frontend and never run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from spyre_lint.findings import Location

HostKind = Literal["known", "interval", "problem", "unknown"]


@dataclass(frozen=True, slots=True)
class HostValue:
    """What is known of a value on the host.

    `known`: `value` is it (int, float, bool, str, None, tuple/list/dict of such, or a `DTypeName`/`KernelId`).
    `interval`: an integer between `lo` and `hi` (None: open). `problem`: an integer computed from the problem's sizes
    and bounded only by `lo`/`hi` where those are given. `unknown`: `reason` says why, in words fit for a message.
    `from_problem` tells whether a problem size went into the value (`min(128, n)` is an interval that it did go into).
    `text` is the source expression, `loc` where it stands.
    """

    kind: HostKind
    value: Any = None
    lo: int | None = None
    hi: int | None = None
    reason: str = ""
    from_problem: bool = False
    text: str = ""
    loc: Location | None = None

    @property
    def is_known(self) -> bool:
        """Whether the exact value is known."""
        return self.kind == "known"

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """Least and greatest integer it can be; (None, None) where nothing is known."""
        if self.kind == "known":
            exact = isinstance(self.value, int)
            return (int(self.value), int(self.value)) if exact else (None, None)
        return (self.lo, self.hi)


@dataclass(frozen=True, slots=True)
class KernelId:
    """Names a jit function: the file it is defined in (as the source layer names it) and its qualified name."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class DTypeName:
    """An element type as a host value (`torch.float16`, `tl.bfloat16`); `name` is Triton's short name."""

    name: str


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a launch. `keyword` is None for a positional one; `param` the parameter it reaches, if known."""

    value: HostValue
    loc: Location
    keyword: str | None = None
    param: str | None = None
    pointee: str | None = None
    """Element type where the argument is a tensor of known type (`torch.empty(..., dtype=torch.float16)`)."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A launch grid: one value per axis; `dims` is None where not even the rank could be read (`reason` says why)."""

    dims: tuple[HostValue, ...] | None
    loc: Location
    reason: str = ""
    text: str = ""

    @property
    def product_bounds(self) -> tuple[int | None, int | None]:
        """Least and greatest number of programs."""
        if self.dims is None:
            return (None, None)
        low: int | None = 1
        high: int | None = 1
        for dim in self.dims:
            lo, hi = dim.bounds
            low = None if low is None or lo is None else low * max(lo, 0)
            high = None if high is None or hi is None else high * max(hi, 0)
        return (low, high)


@dataclass(frozen=True, slots=True)
class HostFact:
    """Something a launch depends on that concerns a rule: a device query, a heuristic, an autotune decorator."""

    kind: str
    loc: Location
    text: str = ""


@dataclass(frozen=True, slots=True)
class Launch:
    """One `kernel[grid](...)`, `kernel.run(...)` or `kernel.warmup(...)`; `kernels` are all jit functions it can
    reach.
    """

    kernels: tuple[KernelId, ...]
    loc: Location
    grid: Grid | None
    args: tuple[Argument, ...]
    options: Mapping[str, HostValue] = field(default_factory=dict)
    """Launch options (`num_warps=4`) by name; names that are parameters of the kernel are in `args`."""
    stray: Mapping[str, HostValue] = field(default_factory=dict)
    """Keywords that are neither parameters of any kernel it reaches nor known launch options."""
    open_args: bool = False
    """Whether it has `*args` or `**kwargs` that could not be read."""
    facts: tuple[HostFact, ...] = ()
    label: str = ""
    """`file:line`, the label of the binding made from it."""


@dataclass(frozen=True, slots=True)
class Driver:
    """One entry of a lowering driver, model wrapper or fixture: a kernel with its signature, constexprs and grid."""

    kernel: KernelId | None
    source: Literal["driver", "wrapper", "fixture"]
    label: str
    loc: Location
    signature: Mapping[str, HostValue] = field(default_factory=dict)
    constexprs: Mapping[str, HostValue] = field(default_factory=dict)
    args: Mapping[str, HostValue] = field(default_factory=dict)
    grid: Grid | None = None
    open_parts: frozenset[str] = frozenset()
    """`SIGNATURE`, `CONSTEXPRS`: which of them may have keys that could not be read."""
    key_locs: Mapping[str, Location] = field(default_factory=dict)
    """Where each SIGNATURE or CONSTEXPRS key stands, under `SIGNATURE.name` and `CONSTEXPRS.name`."""


BindingSource = Literal["command line", "configuration", "driver", "wrapper", "fixture", "launch", "defaults"]


@dataclass(frozen=True, slots=True)
class Binding:
    """One concrete way a kernel is run.

    `constexprs` holds exact values (int, float, bool, str, None, tuples, DTypeName, KernelId); constexprs it leaves
    open are absent. `dtypes` holds Triton type names by parameter (`*fp16` for a pointer, `i32` for a scalar). `args`
    what is known of runtime arguments. `open_reasons` says, for each constexpr left open, why; `constexpr_locs` where
    the values stand that a file gives.
    """

    label: str
    source: BindingSource
    loc: Location | None = None
    constexprs: Mapping[str, Any] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    args: Mapping[str, HostValue] = field(default_factory=dict)
    grid: Grid | None = None
    open_reasons: Mapping[str, str] = field(default_factory=dict)
    constexpr_locs: Mapping[str, Location] = field(default_factory=dict)
