"""Runs launches: every program of a grid for one assignment of sizes, with the accesses each makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

from spyre_lint.analysis.shadow_code import Code
from spyre_lint.analysis.shadow_sizes import Roles, with_strides
from spyre_lint.analysis.shadow_values import LaunchCapped, LaunchFailed, Record, Recorder
from spyre_lint.ir.core import Op
from spyre_lint.ir.sym import Expr

MAX_ITERATIONS = 150_000
"""Loop iterations and accesses that are run for one kernel, all launches together."""
MAX_PROGRAMS = 30_000
"""Programs that are run for one kernel, all launches together."""


@dataclass(slots=True)
class Launch:
    """What the programs of one launch touch. `live` are the descriptors made, `failed` says what went wrong.

    `broken` says what a program did that has no meaning: it counts up to there, so what nobody stored is still seen.
    """

    grid: tuple[int, ...]
    programs: list[set[Record]]
    live: frozenset[int]
    failed: str = ""
    broken: str = ""
    union: frozenset[Record] = field(init=False)
    """Everything touched."""

    def __post_init__(self) -> None:
        self.union = frozenset().union(*self.programs)

    @property
    def repeats(self) -> bool:
        """Whether two programs make the same access."""
        return sum(map(len, self.programs)) != len(self.union)

    def ids(self) -> list[tuple[int, ...]]:
        """The program ids in the order of `programs`."""
        return program_ids(self.grid)


@lru_cache(maxsize=256)
def program_ids(grid: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All program ids of a grid, the first axis fastest."""
    return [tuple(reversed(place)) for place in product(*(range(count) for count in reversed(grid)))]


@dataclass(slots=True)
class Budget:
    """What may still be run for a kernel; shared by all its runners."""

    iterations: int = MAX_ITERATIONS
    programs: int = MAX_PROGRAMS
    launches: int = 0
    launched_programs: int = 0
    capped: bool = False


@dataclass(slots=True)
class Runner:
    """Runs one compiled slice. `tiles` are the open constexprs that are no sizes."""

    code: Code
    roles: Roles
    tiles: Mapping[str, int]
    budget: Budget
    _fixed: dict[Any, int] = field(default_factory=dict)

    def number(self, expr: Any, env: Mapping[str, int]) -> int:
        """An expression's value; one in tiles alone is computed once."""
        if not isinstance(expr, Expr):
            return int(expr)
        found = self._fixed.get(expr)
        if found is None:
            found = _number(expr, env)
            if all(symbol.name in self.tiles for symbol in expr.symbols()):
                self._fixed[expr] = found
        return found

    def trial(self, sizes: Mapping[str, int]) -> Trial:
        """One assignment of sizes, ready to be launched."""
        env = with_strides(self.roles, {**self.tiles, **sizes})
        return Trial(self, dict(sizes), env)


@dataclass(slots=True)
class Trial:
    """Launches under one assignment of sizes."""

    runner: Runner
    sizes: dict[str, int]
    env: dict[str, int]
    recorder: Recorder = field(init=False)
    _prepared: dict[int, tuple[Any, frozenset[int]] | str] = field(default_factory=dict)
    _launches: dict[tuple[int, ...], Launch] = field(default_factory=dict)

    def __post_init__(self) -> None:
        number = self.runner.number
        blocks = [tuple(number(dim, self.env) for dim in block_of(op)) for op in self.runner.code.sites]
        self.recorder = Recorder(blocks, self.runner.budget.iterations)

    def launch(self, grid: tuple[int, ...]) -> Launch:
        """All programs of a grid."""
        if grid not in self._launches:
            self._launches[grid] = self._run(grid)
        return self._launches[grid]

    def _run(self, grid: tuple[int, ...]) -> Launch:
        budget = self.runner.budget
        ids = program_ids(grid)
        if budget.programs < len(ids) or budget.iterations <= 0:
            budget.capped = True
            return Launch(grid, [], frozenset(), "is not run: the analysis is capped")
        budget.programs -= len(ids)
        budget.launches += 1
        budget.launched_programs += len(ids)
        cores = len(ids) if self.runner.roles.cores else 0
        if cores not in self._prepared:
            self._prepared[cores] = self._prepare(cores)
        prepared = self._prepared[cores]
        if isinstance(prepared, str):
            return Launch(grid, [], frozenset(), prepared)
        recorder = self.recorder
        recorder.fuel = budget.iterations
        recorder.live = set(prepared[1])
        programs: list[set[Record]] = []
        failed = broken = ""
        whole = (*grid, 1, 1, 1)[:3]
        try:
            launch = prepared[0](*whole)
            for place in ids:
                touched: set[Record] = set()
                programs.append(touched)
                try:
                    launch(*(*place, 0, 0, 0)[:3], touched.add)
                except LaunchFailed as error:
                    broken = broken or str(error)
        except (LaunchFailed, LaunchCapped, ValueError, OverflowError, TypeError, IndexError) as error:
            failed, budget.capped = _failure(error, budget.capped)
            recorder.doubt.clear()
        budget.iterations = recorder.fuel - sum(map(len, programs))
        return Launch(grid, programs, frozenset(recorder.live), failed, broken)

    def _prepare(self, cores: int) -> tuple[Any, frozenset[int]] | str:
        code = self.runner.code
        env = self.env | dict.fromkeys(self.runner.roles.cores, cores)
        self.recorder.live = set()
        try:
            arguments = [env.get(name, 1) for name in code.params]
            constants = [self.runner.number(expr, env) for expr in code.exprs]
            return code.prepare(self.recorder, arguments, constants), frozenset(self.recorder.live)
        except (LaunchFailed, LaunchCapped, ValueError, OverflowError, TypeError) as error:
            return _failure(error, False)[0]


def _failure(error: Exception, capped: bool) -> tuple[str, bool]:
    if isinstance(error, LaunchCapped):
        return "is not run to its end: the analysis is capped", True
    return str(error) or "cannot be run", capped


def block_of(op: Op) -> tuple[Any, ...]:
    """The block shape of a `make_descriptor` or `make_block_ptr`."""
    return tuple(op.attrs.get("block_shape") or ())


def _number(expr: Expr, env: Mapping[str, int]) -> int:
    """An expression's value; symbols that have none count as 1."""
    values = {symbol.name: env.get(symbol.name, 1) for symbol in expr.symbols()}
    try:
        return expr.evaluate(values)
    except (ZeroDivisionError, ValueError, OverflowError):
        return 1
