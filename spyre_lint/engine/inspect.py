"""Kernels of one file, lowered, for commands that show them (`dump`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from spyre_lint.config import ConfigError
from spyre_lint.context import KernelContext
from spyre_lint.engine.results import Result
from spyre_lint.engine.run import Run, RunOptions
from spyre_lint.engine.shard import Shard
from spyre_lint.registry import Registry
from spyre_lint.source.discover import discover


@dataclass(slots=True)
class Inspection:
    """Kernels that were asked for; `failures` are findings that say why others could not be lowered."""

    contexts: list[KernelContext] = field(default_factory=list)
    failures: list[Result] = field(default_factory=list)


def split_target(target: str) -> tuple[str, str | None]:
    """`PATH::KERNEL` as its two parts; the kernel is None where only a path is given."""
    path, separator, kernel = target.rpartition("::")
    return (path, kernel) if separator and path else (target, None)


def inspect(target: str, options: RunOptions, registry: Registry) -> Inspection:
    """Lower the kernels of `PATH` or the one of `PATH::KERNEL` under all their bindings.

    Raises:
        ConfigError: if the path is no file, has no such kernel, or its configuration cannot be used.
    """
    path, wanted = split_target(target)
    if not Path(path).is_file():
        raise ConfigError(f"{path}: is a directory; name a file" if Path(path).is_dir() else f"{path}: no such file")
    run = Run(registry, options)
    found = discover([path], run.resolver)
    if not found.files:
        raise ConfigError("\n".join((*found.problems, *found.notices)))
    files = run.gather(found)
    shard = Shard(run.job(files), registry)
    index = shard.index()
    usage = run.usage([index])
    result = Inspection()
    display = found.files[0].path
    entry = next(file for file in index.files if file.path == display)
    result.failures += entry.results
    contexts = [] if entry.failed else shard.contexts(display, usage, result.failures)
    result.contexts = [each for each in contexts if wanted in (None, each.info.name)]
    if wanted is not None and not result.contexts and not result.failures:
        names = ", ".join(each.info.name for each in contexts) or "none"
        raise ConfigError(f"{path}: has no kernel {wanted} that is checked; it has: {names}")
    return result
