"""Acts out kernels in plain Python: their own source, run with a tiny stand-in for `tl` that notes what is touched.

It shares nothing with the shadow launch: elements are sets of indices, programs are run one by one, and strides are
whatever the test hands in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import SimpleNamespace
from typing import Any

from spyre_lint.analysis.shadow_facts import Counterexample, Failure
from spyre_lint.bindings import Binding
from spyre_lint.frontend.kernels import kernels_of
from spyre_lint.frontend.lower import lower_kernel
from spyre_lint.frontend.project import Project
from spyre_lint.ir.core import KernelIR

Element = tuple[str, int, tuple[int, ...]]
"""Pointer, distance of the descriptor's base from it, index."""


@dataclass(frozen=True)
class _Text:
    path: str
    text: str


class Kernels:
    """The kernels of one source text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.project = Project({"kernels.py": _Text("kernels.py", text)})
        module = self.project.module("kernels.py")
        assert module is not None
        self.by_name = {kernel.info.name: kernel for kernel in kernels_of(self.project, module)}

    def ir(self, name: str, constexprs: Mapping[str, Any] | None = None) -> KernelIR:
        """A kernel lowered with no binding, or with these constexprs bound."""
        binding = Binding("test", "configuration", constexprs=constexprs) if constexprs else None
        ir = lower_kernel(self.project, self.by_name[name], binding)
        assert not ir.incomplete, ir.incomplete
        return ir


def lowered(text: str) -> Kernels:
    """The kernels of a source text."""
    return Kernels(text)


@dataclass
class Pointer:
    """A pointer parameter, moved by some elements."""

    name: str
    offset: int = 0

    def __add__(self, offset: int) -> Pointer:
        return Pointer(self.name, self.offset + offset)


class Anything:
    """A tile of data: whatever is done with it gives a tile of data."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: self

    def __getitem__(self, key: Any) -> Anything:
        return self

    def _same(self, *others: Any) -> Anything:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _same
    __lt__ = __le__ = __gt__ = __ge__ = _same


@dataclass
class Touched:
    """What one program touches, and the tiles that it stores outside of their tensor."""

    stored: list[Element] = field(default_factory=list)
    loaded: list[Element] = field(default_factory=list)
    outside: list[tuple[int, ...]] = field(default_factory=list)
    windows: set[Element] = field(default_factory=set)
    """All elements of the descriptors that are stored to."""


@dataclass
class Launched:
    """All programs of a launch, by their ids."""

    programs: dict[tuple[int, ...], Touched]
    bases: dict[str, str]
    """Pointer by the name of the variable its descriptor is kept in."""


class _Descriptor:
    def __init__(self, machine: Machine, base: Pointer, shape: Sequence[int], block: Sequence[int]) -> None:
        self.machine = machine
        self.base = base
        self.shape = tuple(shape)
        self.block = tuple(block)
        self.noted: set[int] = set()

    def _elements(self, offsets: Sequence[int]) -> Iterator[Element]:
        spans = [
            range(max(offset, 0), min(offset + block, size))
            for offset, block, size in zip(offsets, self.block, self.shape, strict=True)
        ]
        for index in product(*spans):
            yield (self.base.name, self.base.offset, index)

    def load(self, offsets: Sequence[int]) -> Anything:
        self.machine.touched.loaded.extend(self._elements(offsets))
        return Anything()

    def store(self, offsets: Sequence[int], value: Any) -> None:
        elements = list(self._elements(offsets))
        if not elements:
            self.machine.touched.outside.append(tuple(offsets))
        self.machine.touched.stored.extend(elements)
        if id(self.machine.touched) not in self.noted:
            self.noted.add(id(self.machine.touched))
            whole = product(*(range(size) for size in self.shape))
            self.machine.touched.windows.update((self.base.name, self.base.offset, index) for index in whole)

    def atomic_add(self, offsets: Sequence[int], value: Any) -> None:
        self.store(offsets, value)

    def gather(self, rows: Any, offset: int) -> Anything:
        return Anything()

    def scatter(self, value: Any, rows: Any, offset: int) -> None:
        """Where rows go is not known here."""


class Machine:
    """Stands in for `triton` and `tl` while programs run one after the other."""

    def __init__(self, text: str) -> None:
        self.place: tuple[int, ...] = ()
        self.grid: tuple[int, ...] = ()
        self.touched = Touched()
        anything = Anything()
        tl = SimpleNamespace(
            constexpr=int,
            float32="fp32",
            program_id=lambda axis: self.place[axis],
            num_programs=lambda axis: self.grid[axis],
            cdiv=lambda a, b: -(-a // b),
            minimum=min,
            maximum=max,
            make_tensor_descriptor=lambda base, shape, strides, block_shape: _Descriptor(
                self, base, shape, block_shape
            ),
        )
        for name in ("zeros", "full", "sum", "dot", "exp", "trans", "arange", "where"):
            setattr(tl, name, lambda *args, **kwargs: anything)
        self.names: dict[str, Any] = {"triton": SimpleNamespace(jit=lambda function: function), "tl": tl}
        body = "\n".join(line for line in text.splitlines() if not line.startswith("import "))
        exec(compile(body, "kernels.py", "exec"), self.names)


def launch(kernels: Kernels, name: str, arguments: Mapping[str, int], grid: tuple[int, ...]) -> Launched:
    """Run all programs of a kernel; parameters without an argument are strides if they are no pointers."""
    machine = Machine(kernels.text)
    machine.grid = (*grid, 1, 1, 1)[:3]
    params = kernels.by_name[name].info.params
    values: dict[str, Any] = {}
    for position, param in enumerate(params):
        if param.name.endswith("_ptr"):
            values[param.name] = Pointer(param.name)
        elif param.name == "NUM_CORES":
            values[param.name] = machine.grid[0] * machine.grid[1] * machine.grid[2]
        else:
            unnamed = 10**6 + 10**5 * position if "stride" in param.name else 8  # a size that does not matter
            values[param.name] = arguments.get(param.name, unnamed)
    programs: dict[tuple[int, ...], Touched] = {}
    for place in product(*(range(count) for count in grid)):
        machine.place = (*place, 0, 0, 0)[:3]
        machine.touched = programs[place] = Touched()
        machine.names[name](**values)
    return Launched(programs, {})


def act(kernels: Kernels, name: str, example: Counterexample) -> Launched:
    """Run the launch of a counterexample."""
    constants = {"D": 2}
    return launch(kernels, name, {**constants, **example.tiles, **example.sizes}, example.grid)


def _of_tensor(elements: Sequence[Element], example: Counterexample) -> set[tuple[int, ...]]:
    pointer = re_descriptor(example.tensor)
    return {index for name, base, index in elements if name == pointer and base == example.base}


def re_descriptor(tensor: str) -> str:
    """The pointer that a descriptor of these tests is made from: `out_desc` of `out_ptr`."""
    special = {"a_desc": "x_ptr", "low_desc": "out_ptr", "high_desc": "out_ptr"}
    return special.get(tensor, tensor.replace("_desc", "_ptr")) if tensor != "a_desc" else "a_ptr"


def check_failure(failure: Failure, launched: Launched) -> None:
    """The counterexample of a failure is what happens."""
    example = failure.counterexample
    assert example is not None
    if failure.kind == "overrun":
        assert example.program is not None
        assert example.offsets in launched.programs[example.program].outside
        return
    concerned = set(product(*(range(low, high + 1) for low, high in example.ranges)))
    assert concerned
    if failure.kind == "double":
        assert example.program is not None and example.other is not None and example.program != example.other
        for place in (example.program, example.other):
            assert concerned <= _of_tensor(launched.programs[place].stored, example)
        return
    loaded = "never loaded" in failure.sentence
    for touched in launched.programs.values():
        assert not concerned & _of_tensor(touched.loaded if loaded else touched.stored, example)


def check_complete(kernels: Kernels, name: str) -> None:
    """A kernel stores every element of its outputs exactly once, on several grids and sizes, and nothing outside."""
    ir = kernels.ir(name)
    axes = max((op.attrs["axis"] for op in ir.ops("program_id")), default=-1) + 1
    by_axes: dict[int, list[tuple[int, ...]]] = {
        0: [(1,)],
        1: [(1,), (2,), (5,), (32,)],
        2: [(1, 1), (2, 3), (4, 8)],
        3: [(1, 1, 1), (2, 2, 3)],
    }
    grids = by_axes[axes]
    tiles = {p.name: 2 + 2 * i for i, p in enumerate(p for p in ir.params if "BLOCK" in p.name)}
    tiles |= {"HEAD_DIM": 4, "GROUP": 3, "D": 4, "PAGE": 4, "STORE_LSE": 1}
    if name == "literal_width":
        tiles["BLOCK_H"] = 1024
    sizes = [p.name for p in ir.params if p.role not in ("constexpr", "pointer") or p.name in ("M", "N")]
    for scale in (1, 3, 7):
        arguments = {size: scale + i for i, size in enumerate(s for s in sizes if "stride" not in s)}
        if "n_tiles" in arguments:
            arguments["n_tiles"] = -(-arguments["n"] // tiles["BLOCK"])
        if "n_elements" in arguments:
            arguments["n_elements"] = arguments["M"] * arguments["N"]
        for grid in grids:
            programs = launch(kernels, name, {**tiles, **arguments}, grid).programs
            windows = set().union(*(touched.windows for touched in programs.values()))
            stored: set[Element] = set()
            for touched in programs.values():
                own = set(touched.stored)
                assert not own & stored
                stored |= own
                assert not touched.outside
            assert stored == windows
