"""The worker that asks Triton: what comes back for good kernels, for bad ones, and for modules that misbehave."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spyre_lint.verify.compile import (
    CompileRequest,
    ElementType,
    ModuleAttribute,
    compile_kernel,
    compile_kernels,
    encode_constexpr,
)
from spyre_lint.verify.liveness import peak_of
from spyre_lint.verify.ttir import parse_ttir, tile_types

pytestmark = pytest.mark.verify

COPY = """
import triton
import triton.language as tl

@triton.jit
def copy(x_ptr, o_ptr, n, stride, B: tl.constexpr, DTYPE: tl.constexpr = tl.float32):
    src = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, stride], block_shape=[8, B])
    dst = tl.make_tensor_descriptor(o_ptr, shape=[n, n], strides=[n, stride], block_shape=[8, B])
    x = src.load([0, 0])
    dst.store([0, 0], x.to(DTYPE))
"""


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _copy(path: Path, kernel: str = "copy", **constexprs: Any) -> CompileRequest:
    values: Mapping[str, Any] = {"stride": 1, "B": 16, **constexprs}
    return CompileRequest(path, kernel, {"x_ptr": "*fp16", "o_ptr": "*fp32", "n": "i32"}, values)


def test_the_module_does_not_import_triton() -> None:
    code = "import sys, spyre_lint.verify.compile, spyre_lint.verify.liveness; print('triton' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_ttir_with_locations(tmp_path: Path) -> None:
    path = _write(tmp_path / "k.py", COPY)
    result = compile_kernel(_copy(path))
    assert result.error is None
    assert result.stubbed == ()
    assert result.target
    assert result.ttir is not None
    module = parse_ttir(result.ttir)
    (load,) = [op for op in module.kernel.walk() if op.name == "tt.descriptor_load"]
    assert (load.line, load.loc.frames[0].path) == (9, str(path))
    assert load.results[0].label == "x"


def test_defaults_and_element_types_as_constexprs(tmp_path: Path) -> None:
    path = _write(tmp_path / "k.py", COPY)
    default, narrow = compile_kernels([_copy(path), _copy(path, DTYPE=ElementType("fp16"))])
    assert default.ttir is not None
    assert narrow.ttir is not None
    # fp16 tiles of 8x16: widened once to fp32 where DTYPE says so, or by the store to the fp32 output.
    assert peak_of(parse_ttir(default.ttir)).bytes == peak_of(parse_ttir(narrow.ttir)).bytes == 8 * 16 * 4
    assert tile_types(parse_ttir(default.ttir)) == {("load", (8, 16), "fp16"): 1}


def test_functions_and_tuples_as_constexprs(tmp_path: Path) -> None:
    text = """
import triton, triton.language as tl

@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)

@triton.jit
def apply(x_ptr, n, ACT: tl.constexpr, AT: tl.constexpr):
    d = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[8, 16])
    d.store([AT[0], AT[1]], ACT(d.load([AT[0], AT[1]])))
"""
    path = _write(tmp_path / "k.py", text)
    constexprs = {"ACT": ModuleAttribute("relu"), "AT": (8, 16)}
    result = compile_kernel(CompileRequest(path, "apply", {"x_ptr": "*fp32", "n": "i32"}, constexprs))
    assert result.ttir is not None
    assert "arith.maxnumf" in result.ttir
    with pytest.raises(TypeError, match="object"):
        encode_constexpr(object())


def test_the_frontends_error_has_its_type_and_line(tmp_path: Path) -> None:
    path = _write(tmp_path / "k.py", COPY)
    small, runtime = compile_kernels(
        [
            _copy(path, B=4),
            CompileRequest(path, "copy", {"x_ptr": "*fp16", "o_ptr": "*fp32", "n": "i32", "stride": "i32"}, {"B": 16}),
        ]
    )
    assert small.ttir is None
    assert small.error is not None
    assert (small.error.kind, small.error.type, small.error.line) == ("frontend", "ValueError", 7)
    assert "16 bytes" in small.error.message
    assert runtime.error is not None
    assert (runtime.error.kind, runtime.error.line) == ("frontend", 7)


def test_an_error_in_a_helper_leads_there_from_the_kernel(tmp_path: Path) -> None:
    text = """
import triton, triton.language as tl

@triton.jit
def helper(x):
    return tl.sum(x, 7)

@triton.jit
def kernel(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[8, 16])
    x = helper(d.load([0, 0]))
"""
    path = _write(tmp_path / "k.py", text)
    error = compile_kernel(CompileRequest(path, "kernel", {"x_ptr": "*fp32", "n": "i32"}, {})).error
    assert error is not None
    assert error.kind == "frontend"
    assert error.line == 11
    assert [frame.line for frame in error.frames[:2]] == [11, 6]


def test_bindings_that_do_not_fit_are_told(tmp_path: Path) -> None:
    path = _write(tmp_path / "k.py", COPY)
    requests = [
        CompileRequest(path, "copy", {"x_ptr": "*fp16"}, {"B": 16}),
        CompileRequest(
            path, "copy", {"x_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32", "m": "i32"}, {"stride": 1, "B": 16}
        ),
        CompileRequest(path, "copy", {"x_ptr": "*fp16", "o_ptr": "*fp16", "n": "i32", "B": "i32"}, {"stride": 1}),
        _copy(path, kernel="gone"),
        _copy(path, kernel="tl"),
    ]
    errors = [result.error for result in compile_kernels(requests)]
    kinds = [error.kind for error in errors if error is not None]
    assert kinds == ["request", "request", "request", "kernel", "kernel"]
    messages = [error.message for error in errors if error is not None]
    assert "o_ptr" in messages[0]
    assert "no parameter m" in messages[1]
    assert "parameter B" in messages[2]
    assert "gone" in messages[3]


def test_modules_that_are_not_installed_are_inert(tmp_path: Path) -> None:
    text = f"""
import no_such_framework as nsf
from no_such_framework.nn import Module, functional as F
from no_such_framework.utils import guard
print("on stdout")
LIMIT = nsf.cuda.device_count() or 4

class Layer(Module):
    def __init__(self) -> None:
        super().__init__()

class Function(nsf.autograd.Function):
    pass

run = Function.apply
{COPY}
@guard
@nsf.library.register("copy", mutates=())
@triton.jit
def guarded(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[8, 16])
    d.store([0, 0], tl.zeros((8, 16), tl.float32))
"""
    path = _write(tmp_path / "k.py", text)
    guarded = CompileRequest(path, "guarded", {"x_ptr": "*fp32", "n": "i32"}, {})
    for result in compile_kernels([_copy(path), guarded]):
        assert result.error is None
        assert result.stubbed == ("no_such_framework",)
    refused = compile_kernel(_copy(path), stub_missing=False)
    assert refused.error is not None
    assert (refused.error.kind, refused.error.type) == ("import", "ModuleNotFoundError")


def test_decorated_kernels_are_unwrapped(tmp_path: Path) -> None:
    text = COPY.replace(
        "@triton.jit",
        "@triton.autotune(configs=[triton.Config({'B': 16})], key=['n'])\n"
        "@triton.heuristics({'B': lambda a: 16})\n"
        "@triton.jit",
    )
    result = compile_kernel(_copy(_write(tmp_path / "k.py", text)))
    assert result.error is None


def test_packages_and_neighbours(tmp_path: Path) -> None:
    helper = "import triton\n@triton.jit\ndef twice(x):\n    return x * {factor}\n"
    kernel = """
import triton, triton.language as tl
{imports}
@triton.jit
def scale(x_ptr, n):
    d = tl.make_tensor_descriptor(x_ptr, shape=[n, n], strides=[n, 1], block_shape=[8, 16])
    d.store([0, 0], twice(d.load([0, 0])))
"""
    # A package whose __init__ must not run for a neighbour's sake, and must for a name of its own.
    _write(tmp_path / "lib" / "__init__.py", "raise RuntimeError('not needed')\n")
    _write(tmp_path / "lib" / "ops" / "__init__.py", "FACTOR = 3\n")
    _write(tmp_path / "lib" / "ops" / "help.py", helper.format(factor=2))
    inside = _write(
        tmp_path / "lib" / "ops" / "scale.py", kernel.format(imports="from .help import twice\nfrom . import FACTOR")
    )
    absolute = _write(tmp_path / "lib" / "ops" / "other.py", kernel.format(imports="from lib.ops.help import twice"))
    needs = _write(tmp_path / "lib" / "needs.py", kernel.format(imports="from lib import twice"))
    # Two directories that are no packages, with files of the same names.
    plain = []
    for factor in (5, 7):
        directory = tmp_path / f"kernel-{factor}"
        _write(directory / "help.py", helper.format(factor=float(factor)))
        plain.append(_write(directory / "spyre.py", kernel.format(imports="from help import twice")))
    paths = [inside, absolute, needs, *plain]
    results = compile_kernels([CompileRequest(p, "scale", {"x_ptr": "*fp32", "n": "i32"}, {}) for p in paths])
    assert [result.error for result in (*results[:2], *results[3:])] == [None] * 4
    assert results[2].error is not None
    assert results[2].error.kind == "import"
    assert "not needed" in results[2].error.message
    assert results[3].ttir is not None
    assert "dense<5.0" in results[3].ttir
    assert results[4].ttir is not None
    assert "dense<7.0" in results[4].ttir
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_hang_or_a_crash_costs_only_its_own_kernel(tmp_path: Path) -> None:
    good = _write(tmp_path / "good.py", COPY)
    hangs = _write(tmp_path / "hangs.py", "import time\ntime.sleep(600)\n")
    dies = _write(
        tmp_path / "dies.py", "import os, sys\nprint('last words', file=sys.stderr, flush=True)\nos._exit(3)\n"
    )
    leaves = _write(tmp_path / "leaves.py", "raise SystemExit('no accelerator')\n")
    broken = _write(tmp_path / "broken.py", "def f(:\n")
    paths = [good, hangs, dies, leaves, broken, good]
    results = compile_kernels([_copy(path) for path in paths], timeout=10)
    kinds = [result.error.kind if result.error else "" for result in results]
    assert kinds == ["", "timeout", "crash", "import", "import", ""]
    crash, exit_ = results[2].error, results[3].error
    assert crash is not None
    assert "status 3" in crash.message
    assert "last words" in crash.message
    assert exit_ is not None
    assert (exit_.type, exit_.message) == ("SystemExit", "no accelerator")


def test_without_triton_every_request_says_so(tmp_path: Path) -> None:
    # An interpreter without site-packages has none.
    shim = _write(tmp_path / "python", f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    shim.chmod(0o755)
    path = _write(tmp_path / "k.py", COPY)
    results = compile_kernels([_copy(path), _copy(path)], python=str(shim))
    assert [result.error.kind for result in results if result.error] == ["triton", "triton"]
    assert results[0].error is not None
    assert "triton" in results[0].error.message
