"""Runs kernels in Triton's own interpreter and tells which tiles each program touches.

A script: reads one JSON object on stdin (`path` of a file with kernels, `launches` of `kernel`, `grid`, `scalars` by
parameter) and writes one JSON object a launch on stdout: `programs`, the accesses of each program by its id, or
`error`. An access is kind, pointer, distance of the descriptor's base from it, shape, strides, block shape, offsets;
sizes are elements. Index arithmetic, control flow and the walk over the grid are the interpreter's; no data are behind
the tensors, what is loaded is zero.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, TensorDescHandle, TensorHandle

_SPACING = 1 << 48
"""Bytes between the addresses of two tensors: further than any stride of a launch reaches."""
_ITEM = 4
"""Bytes of an element; all tensors are fp32, save those that rows are picked with."""


class Tensor:
    """What the interpreter asks of a tensor, without storage behind it."""

    def __init__(self, address: int, dtype: tl.dtype) -> None:
        self.address = address
        self.dtype = dtype

    def data_ptr(self) -> int:
        return self.address

    def untyped_storage(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def copy_(self, other: Tensor) -> None:
        assert other.address == self.address

    def new_empty(self, size: int, device: str) -> Tensor:
        return Tensor(0, self.dtype)

    def set_(self, storage: Tensor, *view: object) -> None:
        self.address = storage.address

    def storage_offset(self) -> int:
        return 0

    def size(self) -> tuple[int, ...]:
        return ()

    stride = size


class Log:
    """The accesses of the launch at hand, noted in place of the builder's own."""

    def __init__(self) -> None:
        self.programs: dict[tuple[int, ...], list[list[Any]]] = {}
        self.pointers: list[str] = []

    def install(self) -> None:
        """Take the place of the interpreter's memory accesses through descriptors."""

        def make(builder: Any, base: Any, shape: Any, strides: Any, block: Any, signed: bool, padding: Any) -> Any:
            # Sizes are of the test's choosing: alignment in memory is not looked at, because nothing is in memory.
            return TensorDescHandle(base, shape, strides, block, padding)

        def load(builder: Any, desc: Any, offsets: Any, *hints: Any) -> Any:
            self.note(builder, "load", desc, [_number(offset) for offset in offsets])
            return _zeros(desc.block_shape, desc)

        def gather(builder: Any, desc: Any, rows: Any, offset: Any, *hints: Any) -> Any:
            self.note(builder, "load", desc, [None, _number(offset)])
            return _zeros([len(rows.data), desc.block_shape[-1]], desc)

        def store(builder: Any, desc: Any, value: Any, offsets: Any) -> None:
            self.note(builder, "store", desc, [_number(offset) for offset in offsets])

        def scatter(builder: Any, desc: Any, value: Any, rows: Any, offset: Any) -> None:
            self.note(builder, "store", desc, [None, _number(offset)])

        def reduce(builder: Any, kind: Any, desc: Any, value: Any, offsets: Any) -> None:
            store(builder, desc, value, offsets)

        InterpreterBuilder.create_make_tensor_descriptor = make
        InterpreterBuilder.create_descriptor_load = load
        InterpreterBuilder.create_descriptor_gather = gather
        InterpreterBuilder.create_descriptor_store = store
        InterpreterBuilder.create_descriptor_scatter = scatter
        InterpreterBuilder.create_descriptor_reduce = reduce  # which the interpreter does not have

    def note(self, builder: Any, kind: str, desc: Any, offsets: Sequence[int | None]) -> None:
        """Note an access of the program that the builder is at."""
        number, distance = divmod(_number(desc.base), _SPACING)
        shape, strides = [_number(size) for size in desc.shape], [_number(stride) for stride in desc.strides]
        block = [int(size) for size in desc.block_shape]
        place = [self.pointers[number - 1], distance // _ITEM, shape, strides, block]
        self.programs.setdefault(builder.grid_idx, []).append([kind, *place, offsets])


class PatchOnce:
    """Exchanges the language's functions for interpreted ones once a module, not at every call of a function.

    This process does nothing else with the language, so nothing is ever put back.
    """

    def __init__(self) -> None:
        self.patch = interpreter._patch_lang
        self.patched: set[str] = set()

    def __call__(self, function: Any) -> PatchOnce:
        if function.__module__ not in self.patched:
            self.patched.add(function.__module__)
            self.patch(function)
        return self

    def restore(self) -> None:
        """Called at the end of a launch."""


def _number(handle: Any) -> int:
    return int(handle.data.item())


def _zeros(shape: Sequence[int], desc: Any) -> Any:
    dtype = desc.base.get_element_ty()
    return TensorHandle(np.zeros(shape, dtype=np.int32 if dtype == tl.int32 else np.float32), dtype)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _launch(log: Log, kernel: Any, grid: Sequence[int], scalars: Mapping[str, int]) -> None:
    log.programs = {}
    log.pointers = [name for name in kernel.arg_names if name.endswith("_ptr")]
    arguments: dict[str, Any] = {name: scalars[name] for name in kernel.arg_names if name not in log.pointers}
    for number, name in enumerate(log.pointers, 1):
        dtype = tl.int32 if name in ("ids_ptr", "slots_ptr") else tl.float32
        arguments[name] = Tensor(number * _SPACING, dtype)
    kernel[tuple(grid)](**arguments)


def main() -> None:
    """Serve the launches on stdin."""
    request = json.load(sys.stdin)
    module = _load(Path(request["path"]))
    log = Log()
    log.install()
    interpreter._patch_lang = PatchOnce()
    for item in request["launches"]:
        kernel = getattr(module, item["kernel"])
        assert isinstance(kernel, interpreter.InterpretedFunction)
        try:
            _launch(log, kernel, item["grid"], item["scalars"])
        except Exception as error:
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
        else:
            rank = len(item["grid"])
            print(json.dumps({"programs": [[place[:rank], made] for place, made in log.programs.items()]}))


if __name__ == "__main__":
    main()
