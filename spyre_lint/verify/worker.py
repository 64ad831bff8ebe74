"""The worker behind `spyre_lint.verify.compile`: imports kernels' modules and lets Triton make their TTIR.

Run as `python -m spyre_lint.verify.worker`. Reads one JSON object on stdin (`requests`, `stub_missing`,
`search_paths`) and writes one JSON object a line on stdout: `{"target", "triton"}` when Triton is there (or
`{"fatal"}`), then for every request in order `{"ttir"}` or `{"error"}`, both with `stubbed`. Whatever the imported
modules print goes to stderr.
"""

from __future__ import annotations

import gc
import io
import json
import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from spyre_lint.verify.modules import InertFinder, ModuleLoader, find_kernel


class RequestError(ValueError):
    """The binding does not fit the kernel's parameters."""


def main() -> None:
    """Serve the requests on stdin."""
    if sys.version_info < (3, 11):  # later Pythons heed PYTHONSAFEPATH: no working directory at the front
        sys.path.pop(0)
    request = json.load(sys.stdin)
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)  # prints of imported modules, and of MLIR, must not mix with the messages
        sys.stdin = io.StringIO()
        sys.argv = [sys.argv[0]]
        warnings.simplefilter("ignore")
        try:
            frontend = TritonFrontend()
        except Exception as error:
            _send(out, {"fatal": {"type": type(error).__name__, "message": str(error)}})
            return
        _send(out, {"target": frontend.target_name, "triton": frontend.version})
        loader = ModuleLoader(request["search_paths"], InertFinder() if request["stub_missing"] else None)
        for item in request["requests"]:
            _send(out, _serve(frontend, loader, item))


def _send(out: IO[str], message: Mapping[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


def _serve(frontend: TritonFrontend, loader: ModuleLoader, item: Mapping[str, Any]) -> dict[str, Any]:
    path = Path(item["path"])
    try:
        module = loader.load(path)
    except (Exception, SystemExit) as error:
        return _fault("import", error, str(error), [], loader)
    try:
        kernel = find_kernel(module, item["kernel"], frontend.is_kernel)
    except LookupError as error:
        return _fault("kernel", error, str(error), [], loader)
    try:
        signature, constants = _binding(kernel, item, module, frontend)
    except RequestError as error:
        return _fault("request", error, str(error), [], loader)
    try:
        ttir = frontend.ttir(kernel, signature, constants)
    except Exception as error:
        bottom, message, frames = frontend.explain(kernel, error)
        return _fault("frontend", bottom, message, frames, loader)
    return {"ttir": ttir, "stubbed": loader.stubbed()}


def _fault(
    kind: str, error: BaseException, message: str, frames: list[tuple[str, int, int]], loader: ModuleLoader
) -> dict[str, Any]:
    fault = {"kind": kind, "type": type(error).__name__, "message": message, "frames": frames}
    return {"error": fault, "stubbed": loader.stubbed()}


def _binding(
    kernel: Any, item: Mapping[str, Any], module: ModuleType, frontend: TritonFrontend
) -> tuple[dict[str, str], dict[str, Any]]:
    """Signature (every parameter; `constexpr` for those with a value) and constants, as Triton wants them."""
    types: Mapping[str, str] = item["signature"]
    given = {name: _decode(value, module, frontend) for name, value in item["constexprs"].items()}
    names = list(kernel.arg_names)
    unknown = sorted({*types, *given} - set(names))
    if unknown:
        raise RequestError(f"{item['kernel']} has no parameter {', '.join(unknown)}")
    signature: dict[str, str] = {}
    constants: dict[str, Any] = {}
    for name in names:
        default = kernel.signature.parameters[name].default
        if name in given:
            constants[name] = given[name]
        elif name in types and not kernel.params[names.index(name)].is_constexpr:
            signature[name] = types[name]
            continue
        elif name not in types and default is not kernel.signature.parameters[name].empty:
            constants[name] = default
        else:
            raise RequestError(f"parameter {name} of {item['kernel']} has neither a type nor a value")
        signature[name] = "constexpr"
    return signature, constants


def _decode(value: Any, module: ModuleType, frontend: TritonFrontend) -> Any:
    """The inverse of `compile.encode_constexpr`."""
    if isinstance(value, list):
        return [_decode(item, module, frontend) for item in value]
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    if tag == "tuple":
        return tuple(_decode(item, module, frontend) for item in content)
    if tag == "dict":
        return {_decode(key, module, frontend): _decode(item, module, frontend) for key, item in content}
    if tag == "dtype":
        return frontend.element_type(content)
    found: Any = module
    for part in content.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise RequestError(f"the module has no {content}")
    return found


class TritonFrontend:
    """The installed Triton: its frontend and the passes up to TTIR, for one target."""

    def __init__(self) -> None:
        import triton
        from triton._C.libtriton import ir
        from triton.backends.compiler import Language
        from triton.compiler import ASTSource
        from triton.compiler.compiler import make_backend
        from triton.compiler.errors import CompilationError
        from triton.runtime.jit import JITFunction

        self._ir = ir
        self._source = ASTSource
        self._jit: Any = JITFunction
        self._compilation_error = CompilationError
        self._target = self._choose_target()
        self._backend = make_backend(self._target)
        self._options = self._backend.parse_options({})
        stages: dict[str, Any] = {}
        self._backend.add_stages(stages, self._options, Language.TRITON)
        self._make_ttir = stages["ttir"]
        self.version = str(triton.__version__)
        self.target_name = f"{self._target.backend}:{self._target.arch}"

    @staticmethod
    def _choose_target() -> Any:
        """The Spyre backend where it is installed; else an NVIDIA target with hardware descriptors, because older
        ones have their descriptors rewritten to pointers before TTIR is done.
        """
        from triton.backends import backends
        from triton.backends.compiler import GPUTarget

        if "spyre" in backends:
            return GPUTarget("spyre", 1, 1)
        if "nvidia" in backends:
            return GPUTarget("cuda", 90, 32)
        raise RuntimeError(f"no backend that keeps descriptors in TTIR; installed: {', '.join(sorted(backends))}")

    def is_kernel(self, value: Any) -> bool:
        """Whether this is a jit function itself (no autotuner around it)."""
        return isinstance(value, self._jit)

    def element_type(self, name: str) -> Any:
        """`tl.dtype` by its short name."""
        from triton import language

        try:
            return language.dtype(name)
        except Exception as error:
            raise RequestError(f"{name} is no element type") from error

    def ttir(self, kernel: Any, signature: dict[str, str], constants: dict[str, Any]) -> str:
        """TTIR with locations, as text; raises what Triton raises."""
        context = self._ir.context()
        self._ir.load_dialects(context)
        self._backend.load_dialects(context)
        codegen = dict(self._backend.get_codegen_implementation(self._options))
        # The floor for the sides of a dot belongs to the GPU's tensor cores; Spyre has none.
        codegen["min_dot_size"] = lambda lhs, rhs: (1, 1, 1)
        source = self._source(kernel, signature, constants)
        module = source.make_ir(self._target, self._options, codegen, self._backend.get_module_map(), context)
        return str(self._make_ttir(module, {}))

    def explain(self, kernel: Any, error: BaseException) -> tuple[BaseException, str, list[tuple[str, int, int]]]:
        """The exception at the bottom, its message, and where: frames from the kernel down into helpers."""
        frames: list[tuple[str, int, int]] = []
        message = ""
        functions: list[Any] | None = None
        current: BaseException | None = error
        bottom = error
        while current is not None:
            bottom = current
            if isinstance(current, self._compilation_error):
                if functions is None:
                    functions = [f for f in gc.get_objects() if isinstance(f, self._jit)]
                message = current.error_message or message
                # Equal sources may stand in several files: the caller's own file goes first.
                same = [f for f in functions if f.src == current.src]
                file = frames[-1][0] if frames else kernel.file_name
                function = min(same, key=lambda f: (f.file_name != file, f.file_name), default=None)
                if function is not None and hasattr(current.node, "lineno"):
                    line = function.def_file_line_number + current.node.lineno - 1
                    frames.append((function.file_name, line, current.node.col_offset + 1))
            else:
                message = str(current) or message
            current = current.__cause__
        return bottom, message, frames


if __name__ == "__main__":
    main()
