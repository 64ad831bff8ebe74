"""Shards in worker processes: one process per shard, which keeps its trees between the two steps of a run.

The parent sends a step's name and argument over a pipe and gets the step's result back. What crosses the pipe was
made by this program in this run; linted code never does.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from spyre_lint.engine.balance import tune_collector
from spyre_lint.engine.results import FileIndex, Index, Result, Usage, internal_error
from spyre_lint.engine.shard import Job, Shard
from spyre_lint.findings import Location


class ShardFailure(Exception):
    """A worker died or could not answer."""


class Workers:
    """Several shards, each in a process. Use as a context manager: leaving it ends the processes."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = jobs
        self._workers = _start(jobs)
        self._dead: set[int] = set()
        self._lost: list[Result] = []

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for process, connection in self._workers:
            with contextlib.suppress(OSError):
                connection.close()
            process.terminate()
            process.join()

    def index(self) -> list[Index]:
        """The index of every shard; of one whose worker died, its files marked as failed."""
        return [
            Index([FileIndex(path, failed=True) for path in job.own]) if answer is None else answer
            for job, answer in zip(self._jobs, self._ask("index", None), strict=True)
        ]

    def check(self, usage: Usage) -> list[Result]:
        """The results of all shards together; a SPY905 for each file of one whose worker died."""
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
                answer = self._workers[index][1].recv()
            except (EOFError, OSError):
                answer = ShardFailure("the worker process ended without an answer")
            if isinstance(answer, ShardFailure):
                self._dead.add(index)
                self._lost += [
                    internal_error(f"checking {path}", answer, Location(path, 1)) for path in self._jobs[index].own
                ]
            else:
                answers[index] = answer
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
            connection.send(shard.index() if step == "index" else shard.check(argument))
        except KeyboardInterrupt:
            return
        except Exception as error:
            connection.send(ShardFailure(f"{type(error).__name__}: {error}"))
        if step == "index":
            gc.freeze()
