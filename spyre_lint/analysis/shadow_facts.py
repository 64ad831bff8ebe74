"""What a shadow launch shows of a kernel: work lost, doubled or past the end, with the smallest counterexample.

Plain data, made by `spyre_lint.analysis.shadow.coverage` and read by the checks of families 3xx and 5xx. Sizes are
elements, grids programs per axis, ranges first and last index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from spyre_lint.findings import Location, Related, Verdict

FailureKind = Literal["no-loop", "no-program-id", "overrun", "double", "single-core", "partition", "tail"]

CODE_OF: Mapping[FailureKind, str] = {
    "no-loop": "SPY303",
    "no-program-id": "SPY304",
    "overrun": "SPY305",
    "double": "SPY306",
    "single-core": "SPY307",
    "partition": "SPY308",
    "tail": "SPY502",
}
"""The rule that each kind of failure belongs to."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """One launch that goes wrong, in the kernel's own names.

    `sizes` are the runtime integers it was run with, `tiles` the constexprs. `program` is the program at fault (None
    where no single one is: nobody stores the tile), `other` the second one that stores the same. `offsets` are those
    of the tile, `ranges` the first and last index of the elements concerned, one pair per dimension of `tensor`. `base`
    is how many elements the tensor's base is moved.
    """

    sizes: Mapping[str, int]
    tiles: Mapping[str, int]
    grid: tuple[int, ...]
    tensor: str
    ranges: tuple[tuple[int, int], ...]
    offsets: tuple[int, ...] = ()
    program: tuple[int, ...] | None = None
    other: tuple[int, ...] | None = None
    base: int = 0

    @property
    def programs(self) -> int:
        """How many programs the launch has."""
        total = 1
        for axis in self.grid:
            total *= axis
        return total

    def evidence(self) -> dict[str, Any]:
        """The same as data that JSON can hold."""
        return {
            "sizes": dict(self.sizes),
            "tiles": dict(self.tiles),
            "grid": list(self.grid),
            "tensor": self.tensor,
            "ranges": [list(pair) for pair in self.ranges],
            "offsets": list(self.offsets),
            "base": self.base,
            "program": None if self.program is None else list(self.program),
            "other_program": None if self.other is None else list(self.other),
        }


@dataclass(frozen=True, slots=True)
class Failure:
    """One cause for which work is lost, doubled or past the end, or all of it left to one core.

    `loc` is where the rule's finding points (303, 304, 306-308: the `tl.program_id` read or the `def` line; 305: the
    loop; 502: the expression or access that drops the tail), reached through the calls in `stack`. `sentence` tells the
    counterexample in one sentence, without a closing full stop. `axis` is the dimension of the tensor concerned, if it
    is one. `division` tells that `loc` is a floored division.
    """

    kind: FailureKind
    loc: Location
    sentence: str
    counterexample: Counterexample | None = None
    axis: int | None = None
    related: tuple[Related, ...] = ()
    stack: tuple[Location, ...] = ()
    division: bool = False

    @property
    def code(self) -> str:
        """The rule's code."""
        return CODE_OF[self.kind]

    def evidence(self) -> dict[str, Any]:
        """Data for a finding's `evidence`."""
        return {} if self.counterexample is None else {"counterexample": self.counterexample.evidence()}


@dataclass(frozen=True, slots=True)
class Open:
    """Something the launch could not see, and which rules it leaves unproven. `reason` has no closing full stop."""

    reason: str
    loc: Location
    codes: tuple[str, ...] = ("SPY303", "SPY305", "SPY306", "SPY308", "SPY502")
    stack: tuple[Location, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage figure of one kernel instance.

    `failures` are already settled by "one cause gives one finding": 304 and 307 silence 303, 306 and 308; lost work
    silences 305. `open` is what leaves rules unproven. `outputs` are the tensors that were judged. `program_id` is the
    first read of a program id (None: there is none), `anchor` where findings about the whole kernel point.
    `launches` counts the launches run, `programs` the programs.
    """

    anchor: Location
    program_id: Location | None = None
    reads_num_programs: bool = False
    failures: tuple[Failure, ...] = ()
    open: tuple[Open, ...] = ()
    outputs: tuple[str, ...] = ()
    launches: int = 0
    programs: int = 0
    grids: tuple[tuple[int, ...], ...] = field(default=())

    def of(self, code: str) -> tuple[Failure, ...]:
        """The failures that belong to a rule."""
        return tuple(failure for failure in self.failures if failure.code == code)

    def opens(self, code: str) -> tuple[Open, ...]:
        """What leaves a rule unproven; empty where the launch settles it."""
        return tuple(entry for entry in self.open if code in entry.codes)

    def verdict(self, code: str) -> Verdict:
        """What the launch says of a rule: violated, unproven, or satisfied (also where nothing is judged)."""
        if self.of(code):
            return Verdict.VIOLATED
        return Verdict.UNPROVEN if self.opens(code) else Verdict.SATISFIED

    def evidence(self) -> dict[str, Any]:
        """What a satisfied verdict rests on."""
        return {"launches": self.launches, "programs": self.programs, "outputs": list(self.outputs)}
