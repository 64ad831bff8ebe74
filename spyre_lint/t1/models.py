"""The T1 report as data: what `--format json` writes, and the model its JSON Schema is generated from."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

VERSION = 1

Status = Literal["satisfied", "waived", "unproven", "violated", "not applicable"]
"""`waived`: violated, and a suppression comment in the source accepts it."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Place(_Model):
    """Where something stands. Paths are relative to the working directory; lines and columns count from 1."""

    path: str
    line: Annotated[int, Field(ge=1)]
    column: Annotated[int, Field(ge=1)]


class Cause(_Model):
    """A finding that keeps an invariant from being satisfied."""

    code: str
    verdict: Literal["violated", "unproven", "waived"]
    level: Literal["error", "warning", "note"]
    message: str
    place: Place
    binding: str | None = None
    settled_by: Annotated[
        list[str], Field(description="For an open question: what a binding has to give for it to be settled.")
    ] = []


class InvariantStatus(_Model):
    """The status of one invariant for one kernel, with everything that speaks against `satisfied`."""

    invariant: str
    status: Status
    causes: list[Cause] = []
    advice: Annotated[list[Cause], Field(description="Violations at the level of notes, which leave the status.")] = []
    evidence: Annotated[
        dict[str, Any],
        Field(description="Figures: `peak_bytes` and `usable_bytes`; `core_counts`, `launches` and `grids`."),
    ] = {}


class BindingSeen(_Model):
    """One way the kernel is run, with the scratchpad it needs there."""

    label: str
    source: Literal["command line", "configuration", "driver", "wrapper", "fixture", "launch", "defaults", "none"]
    place: Place | None = None
    constexprs: dict[str, Any] = {}
    dtypes: dict[str, str] = {}
    grid: Annotated[str | None, Field(description="The grid as known: `[32]`, `[1..32]`, or None.")] = None
    peak_bytes: Annotated[int | None, Field(description="Peak of live tile bytes; null where it is not known.")] = None
    peak_reason: Annotated[str, Field(description="Why the peak is not known.")] = ""


class Missing(_Model):
    """What no binding gives."""

    constexprs: list[str] = []
    dtypes: list[str] = []
    grid: bool = False


class KernelReport(_Model):
    """One kernel: its status over all invariants that speak of its shape, and over each."""

    path: str
    kernel: str
    line: Annotated[int, Field(ge=1)]
    role: Literal["spyre", "descriptor", "traced"]
    status: Status
    peak_bytes: Annotated[int | None, Field(description="The largest peak over all bindings.")] = None
    core_counts: Annotated[
        list[int], Field(description="Core counts on which every tile was shown to be done exactly once.")
    ] = []
    bindings: list[BindingSeen] = []
    missing: Missing = Missing()
    invariants: list[InvariantStatus] = []

    @property
    def name(self) -> str:
        """`path::kernel`, by which it is found."""
        return f"{self.path}::{self.kernel}"


class Unchecked(_Model):
    """An invariant of the project that nothing checks kernels against."""

    invariant: str
    path: str
    reason: str = ""


class Tool(_Model):
    """The program that wrote the report."""

    name: str
    version: str


class T1Report(_Model):
    """T1 status of the kernels of a tree. Kernels are sorted by path and line; invariants by their codes."""

    version: Literal[1] = 1
    tool: Tool
    tier: Literal["T1"] = "T1"
    kernels: list[KernelReport]
    unchecked: list[Unchecked] = []
    problems: Annotated[
        list[str], Field(description="What could not be read or checked; kernels may be missing from the report.")
    ] = []

    @property
    def invariants(self) -> list[str]:
        """The invariants that at least one kernel was judged by, in the order of their codes."""
        names: dict[str, None] = {}
        for kernel in self.kernels:
            names.update({each.invariant: None for each in kernel.invariants})
        return list(names)


def schema() -> dict[str, Any]:
    """The JSON Schema of a T1 report."""
    made = T1Report.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
