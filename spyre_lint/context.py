"""What checks are called with: kernels under their bindings, launches, drivers, files.

An analysis is a function of a `KernelInstance`; `instance.analysis(function)` computes it when first asked for and
keeps the result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from spyre_lint.bindings import Binding, Driver, KernelId, Launch
from spyre_lint.findings import Location, Related
from spyre_lint.ir.core import KernelIR, Op

if TYPE_CHECKING:
    from spyre_lint.config import Settings
    from spyre_lint.source.beside import Beside
    from spyre_lint.source.files import SourceFile

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Decorator:
    """A decorator of a kernel: canonical dotted name (`triton.autotune`), its range and the ranges of inner Configs."""

    name: str
    loc: Location
    parts: tuple[Location, ...] = ()
    sets: tuple[str, ...] = ()
    """For `triton.heuristics`: the parameters it sets from a problem size."""
    count: int = 0
    """How many Configs it tries, where they are the items of one list; 0 where that can't be told from the source."""


@dataclass(frozen=True, slots=True)
class ParamInfo:
    """A parameter as written: name, whether it is a `tl.constexpr`, its default's text, and where it stands."""

    name: str
    loc: Location
    is_constexpr: bool
    default: str | None = None
    used_as: str = ""
    """`pointer` or `descriptor` where the kernel's own text uses it as one."""


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """A jit function as defined: what is known before any lowering."""

    id: KernelId
    loc: Location
    """Range of the `def` line's name."""
    params: tuple[ParamInfo, ...]
    decorators: tuple[Decorator, ...] = ()
    is_helper: bool = False
    open_signature: bool = False
    """Whether it takes `*args` or `**kwargs`."""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.id.name


@dataclass(frozen=True, slots=True)
class MaskedFill:
    """What a masked load of the original kernel fills its lanes with (`other=`), as written, and where."""

    text: str
    loc: Location


def _no_fills() -> list[MaskedFill]:
    return []


@dataclass(slots=True)
class KernelInstance:
    """A kernel lowered under one binding (`binding` is None: under none)."""

    info: KernelInfo
    ir: KernelIR
    binding: Binding | None
    settings: Settings
    file: SourceFile
    relower: Callable[[Mapping[str, Any], Collection[str]], KernelIR] | None = None
    """Lowers the kernel again under its binding, with some constexprs changed and others left open."""
    original_fills: Callable[[], list[MaskedFill]] = _no_fills
    """The fills of the kernels in `original.py` beside the kernel's file."""
    _analyses: dict[Any, Any] = field(default_factory=dict)

    def reopen(self, names: Collection[str]) -> KernelIR | None:
        """The kernel under its binding without the values of some constexprs; None where it can't be lowered again."""
        return None if self.relower is None else self.relower({}, names)

    def analysis(self, function: Callable[[KernelInstance], T]) -> T:
        """The result of an analysis, computed once."""
        if function not in self._analyses:
            self._analyses[function] = function(self)
        result: T = self._analyses[function]
        return result

    def related_calls(self, op: Op) -> tuple[Related, ...]:
        """The calls through which `op` was inlined from helpers, outermost first; empty in the kernel's own body."""
        return self.related_stack(op.stack)

    def related_stack(self, stack: tuple[Location, ...]) -> tuple[Related, ...]:
        """The same for the stack of calls that something else was met through."""
        return tuple(Related(f"reached from `{self.info.name}` through this call", place) for place in stack)

    @property
    def label(self) -> str:
        """The binding's label, or `unbound`."""
        return self.binding.label if self.binding else "unbound"


@dataclass(slots=True)
class KernelContext:
    """A kernel with everything known about how it is run. `instances` is never empty: `[source]` if nothing binds
    it.
    """

    info: KernelInfo
    file: SourceFile
    settings: Settings
    source: KernelInstance
    instances: list[KernelInstance]
    launches: list[Launch] = field(default_factory=list)
    drivers: list[Driver] = field(default_factory=list)


@dataclass(slots=True)
class LaunchContext:
    """A launch with the kernels it reaches (those whose definition was found)."""

    launch: Launch
    kernels: list[KernelInfo]
    roles: list[str]
    """The role of the file of each kernel in `kernels`."""
    file: SourceFile
    settings: Settings


@dataclass(slots=True)
class DriverContext:
    """A driver entry with the kernel it names, if its definition was found."""

    driver: Driver
    kernel: KernelInfo | None
    role: str | None
    file: SourceFile
    settings: Settings


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call in a jit function by its canonical name (`triton.language.load`); that of a value's method is `.load`."""

    name: str
    loc: Location


def _no_kernels(_name: str) -> list[KernelInfo]:
    return []


def _no_calls() -> list[NamedCall]:
    return []


@dataclass(slots=True)
class FileContext:
    """A linted file with the kernels it defines, and the files beside it."""

    file: SourceFile
    kernels: list[KernelInfo]
    settings: Settings
    beside: Beside
    kernels_beside: Callable[[str], list[KernelInfo]] = _no_kernels
    """The jit functions of a file with this name in the same directory; none where there is no such file."""
    calls: Callable[[], list[NamedCall]] = _no_calls
    """Every call in the file's jit functions, helpers included, in source order."""
