"""Shards in worker processes: one process per shard, which keeps its trees between the two steps of a run.

The parent sends a step's name and argument over a pipe and gets the step's result back. What crosses the pipe was
made by this program in this run; linted code never does.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from spyre_lint.engine.results import FileIndex, Index, Result, Usage, internal_error
from spyre_lint.engine.shard import Job, Shard
from spyre_lint.findings import Location
from spyre_lint.registry import Registry
from spyre_lint.source.files import SourceFile

PARALLEL_FROM: Final = 8
"""Fewest files that can hold kernels for which starting processes pays."""


class ShardFailure(Exception):
    """A worker died or could not answer."""


class Shards:
    """One or several shards behind one interface. Use as a context manager: leaving it ends the workers."""

    def __init__(self, jobs: Sequence[Job], registry: Registry) -> None:
        self._jobs = jobs
        self._local = Shard(jobs[0], registry) if len(jobs) == 1 else None
        self._workers = [] if self._local is not None else _start(jobs)
        self._dead: set[int] = set()
        self._lost: list[Result] = []

    def __enter__(self) -> Shards:
        return self

    def __exit__(self, *_: object) -> None:
        for process, connection in self._workers:
            with contextlib.suppress(OSError):
                connection.close()
            process.terminate()
            process.join()

    def index(self) -> list[Index]:
        """The index of every shard; of one whose worker died, its files marked as failed."""
        if self._local is not None:
            return [self._local.index()]
        return [
            Index([FileIndex(path, failed=True) for path in job.own]) if answer is None else answer
            for job, answer in zip(self._jobs, self._ask("index", None), strict=True)
        ]

    def check(self, usage: Usage) -> list[Result]:
        """The results of all shards together; a SPY905 for each file of one whose worker died."""
        if self._local is not None:
            return self._local.check(usage)
        found = [result for results in self._ask("check", usage) for result in results or ()]
        return [*self._lost, *found]

    def _ask(self, step: str, argument: Any) -> list[Any]:
        """One answer per shard, None from the dead."""
        living = [index for index in range(len(self._workers)) if index not in self._dead]
        for index in living:
            with contextlib.suppress(OSError):
                self._workers[index][1].send((step, argument))
        answers: list[Any] = [None] * len(self._workers)
        for index in living:
            try:
                answers[index] = self._workers[index][1].recv()
            except (EOFError, OSError):
                self._dead.add(index)
                failure = ShardFailure("the worker process ended without an answer")
                self._lost += [
                    internal_error(f"checking {path}", failure, Location(path, 1)) for path in self._jobs[index].own
                ]
        return answers


def _start(jobs: Sequence[Job]) -> list[tuple[Any, Connection]]:
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    workers: list[tuple[Any, Connection]] = []
    inherited: list[Connection] = []
    for job in jobs:
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, job, tuple(inherited)), daemon=True)
        process.start()
        theirs.close()
        inherited.append(ours)
        workers.append((process, ours))
    return workers


def _serve(connection: Connection, job: Job, inherited: tuple[Connection, ...]) -> None:
    """The loop of a worker: answers steps until the parent closes its end."""
    for other in inherited:  # a forked worker holds the parent's ends of earlier pipes; they would never seem closed
        with contextlib.suppress(OSError):
            other.close()
    tune_collector()
    shard = Shard(job)
    while True:
        try:
            step, argument = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            answer = shard.index() if step == "index" else shard.check(argument)
            connection.send(answer)
        except KeyboardInterrupt:
            return
        if step == "index":
            gc.freeze()


def tune_collector() -> None:
    """Collect garbage seldom: a run builds large trees that live to its end, and scanning them over and over is
    waste.
    """
    gc.set_threshold(50_000, 20, 50)


def share_out(files: Sequence[SourceFile], weights: Sequence[int], shards: int) -> list[list[str]]:
    """Paths of files for each shard: directories stay together (they import each other), weights are balanced.

    The largest directories are dealt first, each to the lightest shard; one that is larger than a fair share is split.
    Empty shards are left out.
    """
    fair = max(sum(weights) // max(shards, 1), 1)
    groups: dict[tuple[str, int], list[int]] = {}
    for index, file in enumerate(files):
        directory = str(Path(file.path).parent)
        part = 0
        while sum(weights[each] for each in groups.get((directory, part), ())) >= fair:
            part += 1
        groups.setdefault((directory, part), []).append(index)
    loads = [0] * shards
    dealt: list[list[int]] = [[] for _ in range(shards)]
    by_weight = sorted(groups.items(), key=lambda item: (-sum(weights[each] for each in item[1]), item[0]))
    for _, members in by_weight:
        lightest = loads.index(min(loads))
        dealt[lightest] += members
        loads[lightest] += sum(weights[each] for each in members)
    return [[files[index].path for index in sorted(members)] for members in dealt if members]


def default_jobs() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1
