"""Runs small kernels on NumPy: descriptors with zero fill and clamped stores, and the functions the suites use.

One program does all the work. This is a second opinion on what a kernel computes, independent of the analyses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Tile(np.ndarray[Any, Any]):
    """A NumPy array with the methods of a tile."""

    def to(self, dtype: Any) -> Tile:
        return self.astype(dtype).view(Tile)


def tile(values: Any) -> Any:
    """A tile of these values."""
    return np.asarray(values).view(Tile)


class Pointer:
    """A flat piece of memory; its stores count too."""

    def __init__(self, memory: Array) -> None:
        self.memory = memory.reshape(-1)
        self.dtype = SimpleNamespace(element_ty=memory.dtype)


class Descriptor:
    """Blocks of a strided tensor: 0 outside of `shape` on loads, nothing written there on stores."""

    def __init__(self, base: Pointer, shape: Sequence[int], strides: Sequence[int], block_shape: Sequence[int]) -> None:
        self.memory, self.shape, self.strides, self.block = base.memory, shape, strides, block_shape

    def _places(self, indices: Sequence[Array]) -> tuple[Array, Array]:
        inside: Any = True
        address: Any = 0
        for index, extent, stride in zip(indices, self.shape, self.strides, strict=True):
            inside = inside & (index >= 0) & (index < extent)
            address = address + index * stride
        return np.where(inside, address, 0), np.broadcast_to(inside, np.shape(address))

    def _block(self, offsets: Sequence[int]) -> list[Array]:
        return list(np.ogrid[tuple(slice(o, o + b) for o, b in zip(offsets, self.block, strict=True))])

    def _rows(self, rows: Any, offsets: Sequence[int]) -> list[Array]:
        starts = [*offsets, *[0] * (len(self.block) - 1 - len(offsets))]
        rest = [np.arange(o, o + b) for o, b in zip(starts, self.block[1:], strict=True)]
        return list(np.ix_(np.asarray(rows).astype(np.int64), *rest))

    def _read(self, indices: Sequence[Array]) -> Any:
        address, inside = self._places(indices)
        return tile(np.where(inside, self.memory[address], np.zeros((), self.memory.dtype)))

    def _write(self, indices: Sequence[Array], value: Any) -> None:
        address, inside = self._places(indices)
        self.memory[address[inside]] = np.broadcast_to(value, address.shape)[inside]

    def load(self, offsets: Sequence[int]) -> Any:
        return self._read(self._block(offsets))

    def store(self, offsets: Sequence[int], value: Any) -> None:
        self._write(self._block(offsets), value)

    def gather(self, rows: Any, *offsets: int) -> Any:
        return self._read(self._rows(rows, offsets))

    def scatter(self, value: Any, rows: Any, *offsets: int) -> None:
        self._write(self._rows(rows, offsets), value)


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(values: Any, axis: int | None = None, keep_dims: bool = False) -> Any:
        return tile(function(np.asarray(values), axis=axis, keepdims=keep_dims))

    return reduce


LANGUAGE = SimpleNamespace(
    constexpr=int,
    float32=np.float32,
    int32=np.int32,
    make_tensor_descriptor=Descriptor,
    program_id=lambda axis: 0,
    num_programs=lambda axis: 1,
    cdiv=lambda a, b: -(-a // b),
    arange=lambda start, end: tile(np.arange(start, end)),
    zeros=lambda shape, dtype: tile(np.zeros(shape, dtype)),
    full=lambda shape, value, dtype: tile(np.full(shape, value, dtype)),
    where=lambda cond, x, y: tile(np.where(cond, x, y)),
    maximum=lambda a, b: tile(np.maximum(a, b)),
    minimum=lambda a, b: tile(np.minimum(a, b)),
    abs=lambda x: tile(np.abs(x)),
    exp=lambda x: tile(np.exp(x)),
    sqrt=lambda x: tile(np.sqrt(x)),
    trans=lambda x: tile(np.transpose(x)),
    reshape=lambda x, shape: tile(np.reshape(x, shape)),
    dot=lambda a, b, acc=0: tile(np.matmul(a, b) + acc),
    sum=_reduction(np.sum),
    max=_reduction(np.max),
    min=_reduction(np.min),
    argmax=lambda x, axis: tile(np.argmax(x, axis=axis)),
    cumsum=lambda x, axis, reverse=False: tile(
        np.flip(np.cumsum(np.flip(x, axis), axis=axis), axis) if reverse else np.cumsum(x, axis=axis)
    ),
    reduce=lambda x, axis, combine: tile(np.multiply.reduce(np.asarray(x), axis=axis)),
    static_range=range,
)


def run(source: str, *args: Any, **constexprs: int) -> None:
    """Run the function `kernel` of a source, a suite's own text; arrays among `args` are its memory.

    The combiner of a `tl.reduce` is taken to be a product.
    """
    names: dict[str, Any] = {"tl": LANGUAGE, "triton": SimpleNamespace(jit=lambda function: function)}
    lines = [line for line in source.splitlines() if not line.startswith("import ")]
    exec("from __future__ import annotations\n" + "\n".join(lines), names)
    memory = [Pointer(each) if isinstance(each, np.ndarray) else each for each in args]
    with np.errstate(all="ignore"):
        names["kernel"](*memory, **constexprs)
