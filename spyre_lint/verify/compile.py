"""Ask Triton's frontend for the TTIR of kernels, without a GPU.

The work is done by a worker process (`spyre_lint.verify.worker`), because it imports the kernels' modules: their code
runs. Importing this module imports neither Triton nor anything of the linted project.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from spyre_lint.verify.mlir_types import Frame

ErrorKind = Literal["frontend", "import", "kernel", "request", "timeout", "crash", "triton"]
"""`frontend`: Triton rejects the kernel. `import`: the module could not be imported. `kernel`: it has no such kernel.
`request`: the binding does not fit the kernel's parameters. `timeout`, `crash`: the worker hung or died on it.
`triton`: there is no usable Triton."""

# Seconds that importing Triton itself may take, on top of a request's own limit.
_START_SECONDS = 120.0
_STDERR_TAIL = 2000


@dataclass(frozen=True, slots=True)
class ElementType:
    """A constexpr that is an element type (`tl.float16`), by Triton's short name (`fp16`)."""

    name: str


@dataclass(frozen=True, slots=True)
class ModuleAttribute:
    """A constexpr that is an object of the kernel's module (an activation function, say), by its name there."""

    name: str


@dataclass(frozen=True)
class CompileRequest:
    """One kernel under one binding.

    `path` is its Python file, `kernel` its name there (dotted inside a class). `signature` gives the types of runtime
    parameters in Triton's spelling (`*fp16`, `i32`, `fp32`); `constexprs` the values of the others: numbers, strings,
    None, `ElementType`, `ModuleAttribute`, and lists, tuples and dicts of these. A runtime integer that is always 1 at
    launch (an inner stride) is specialised by Triton: give it as a constexpr 1. Parameters in neither take their
    default. Divisibility hints are left out: no pass up to TTIR looks at them.
    """

    path: Path
    kernel: str
    signature: Mapping[str, str]
    constexprs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CompileError:
    """Why there is no TTIR. `type` and `message` are those of the exception at the bottom, `line` is where in the
    kernel (0 if unknown), `frames` lead from the kernel down into helpers.
    """

    kind: ErrorKind
    type: str
    message: str
    line: int = 0
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class CompileResult:
    """TTIR with source locations, or the error. `stubbed` names modules that were not installed and were replaced by
    inert ones so that the kernel's module could be imported; `target` is the backend and architecture compiled for.
    """

    request: CompileRequest
    ttir: str | None = None
    error: CompileError | None = None
    stubbed: tuple[str, ...] = ()
    target: str = ""


def compile_kernel(request: CompileRequest, **options: Any) -> CompileResult:
    """`compile_kernels` for a single request."""
    return compile_kernels([request], **options)[0]


def compile_kernels(
    requests: Sequence[CompileRequest],
    *,
    timeout: float = 60.0,
    stub_missing: bool = True,
    search_paths: Sequence[Path] = (),
    python: str = sys.executable,
) -> list[CompileResult]:
    """Compile every request, in order, in as few worker processes as possible.

    `timeout` is in seconds, for each request with the import of its module. After a hang or a crash a new worker goes
    on with the rest. `stub_missing` lets modules that are not installed be replaced by inert ones; `search_paths` are
    added to the end of the module search path. Nothing is raised for what a kernel does: errors are results.
    """
    results: list[CompileResult] = []
    while len(results) < len(requests):
        rest = requests[len(results) :]
        header = {
            "requests": [_encode_request(request) for request in rest],
            "stub_missing": stub_missing,
            "search_paths": [str(path.resolve()) for path in search_paths],
        }
        with _worker(python, json.dumps(header)) as worker:
            try:
                ready = worker.message(_START_SECONDS)
            except queue.Empty:
                ready = {"fatal": {"type": "TimeoutError", "message": "Triton did not start in time"}}
            if ready is None or "fatal" in ready:
                fatal = ready["fatal"] if ready else {"type": "", "message": worker.stderr_tail()}
                error = CompileError("triton", fatal["type"], fatal["message"])
                return [*results, *(CompileResult(request, error=error) for request in rest)]
            for request in rest:
                try:
                    message = worker.message(timeout)
                except queue.Empty:
                    error = CompileError("timeout", "TimeoutError", f"no result within {timeout:g} s")
                    results.append(CompileResult(request, error=error, target=ready["target"]))
                    break
                if message is None:
                    error = CompileError("crash", "", worker.stderr_tail())
                    results.append(CompileResult(request, error=error, target=ready["target"]))
                    break
                results.append(_decode_result(request, message, ready["target"]))
    return results


class _Worker:
    """A running worker: its messages arrive through a thread, so that waiting for one can time out."""

    def __init__(self, process: subprocess.Popen[str], errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:
                self._messages.put(json.loads(line))
        except ValueError:  # the pipe was closed, or a line was cut short by a crash
            pass
        self._messages.put(None)

    def message(self, timeout: float) -> dict[str, Any] | None:
        """The next message, None at the end; `queue.Empty` after `timeout` seconds."""
        return self._messages.get(timeout=timeout)

    def stderr_tail(self) -> str:
        """How the worker ended, with the end of what it wrote to stderr."""
        code = self._process.wait()
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace").strip()
        return f"the worker ended with status {code}: {text[-_STDERR_TAIL:]}".rstrip(": ")


@contextmanager
def _worker(python: str, header: str) -> Iterator[_Worker]:
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [python, "-m", "spyre_lint.verify.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(),
            encoding="utf-8",
        )
        try:
            assert process.stdin is not None
            try:
                process.stdin.write(header)
                process.stdin.close()
            except BrokenPipeError:  # it died at once; the missing messages tell
                pass
            yield _Worker(process, errors)
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _environment() -> dict[str, str]:
    """The caller's environment without Triton's switches (interpreter mode, overrides, dumps), with this package."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("TRITON_", "MLIR_", "LLVM_"))}
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, kept.get("PYTHONPATH", "").split(os.pathsep))]
    kept["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    # No byte code beside the linted files; and the working directory must not hide installed packages.
    kept.update(PYTHONDONTWRITEBYTECODE="1", PYTHONSAFEPATH="1", PYTHONWARNINGS="ignore")
    return kept


def _encode_request(request: CompileRequest) -> dict[str, Any]:
    return {
        "path": str(Path(request.path).resolve()),
        "kernel": request.kernel,
        "signature": dict(request.signature),
        "constexprs": {name: encode_constexpr(value) for name, value in request.constexprs.items()},
    }


def encode_constexpr(value: Any) -> Any:
    """A constexpr as JSON: what JSON has no word for becomes an object with one key that says what it is.

    `TypeError` for a value that can't be handed to the worker.
    """
    if isinstance(value, ElementType):
        return {"dtype": value.name}
    if isinstance(value, ModuleAttribute):
        return {"attribute": value.name}
    if isinstance(value, tuple):
        return {"tuple": [encode_constexpr(item) for item in value]}
    if isinstance(value, list):
        return [encode_constexpr(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[encode_constexpr(key), encode_constexpr(item)] for key, item in value.items()]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a constexpr of type {type(value).__name__} can't be compiled with: {value!r}")


def _decode_result(request: CompileRequest, message: dict[str, Any], target: str) -> CompileResult:
    stubbed = tuple(message.get("stubbed", ()))
    fault = message.get("error")
    if fault is None:
        return CompileResult(request, ttir=message["ttir"], stubbed=stubbed, target=target)
    frames = tuple(Frame(*frame) for frame in fault["frames"])
    line = next((frame.line for frame in frames if Path(frame.path) == Path(request.path).resolve()), 0)
    error = CompileError(fault["kind"], fault["type"], fault["message"], line, frames)
    return CompileResult(request, error=error, stubbed=stubbed, target=target)
