"""What Triton's frontend rejects, and what the linter says of the same statement.

An error of Triton that the linter has nothing to say about is a difference, unless it is due to the Triton that is
installed (no Spyre build) or to a module that is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level, Verdict
from spyre_lint.ir.core import Op
from spyre_lint.ir.types import DescriptorType, TileType
from spyre_lint.registry import Registry
from spyre_lint.source.comments import Comments, statement_ranges
from spyre_lint.source.files import read_text
from spyre_lint.target import DEFAULT_TARGET
from spyre_lint.verify.compile import CompileError, CompileResult

_SPYRE_OPS = ("layout_marker", "wk_slice_coord", "inter_tile")
"""Operations that only the Spyre build of Triton has."""

_ABOUT_FORM = ("SPY1", "SPY2", "SPY6", "SPY7", "SPY8")
"""Families whose errors are about a statement's form, so that a frontend may reject it. The others are about what the
whole kernel does, and do not stand for an error of Triton.
"""

_BOTH_REJECT = {"SPY201": "at least 16 bytes in the last dimension"}
"""Errors about descriptors that stock Triton's frontend raises, too, whatever else the kernel does, and its words."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An error of Triton's frontend, and the codes of the linter's errors in the same statement."""

    type: str
    message: str
    path: str
    line: int
    codes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Place and message in one line."""
        message = " ".join(self.message.split())
        said = f"{self.type}: {message}" if message else self.type
        return f"line {self.line}: {said}" if self.line else said


def errors_of(findings: Sequence[Finding], registry: Registry) -> list[Finding]:
    """The findings that may stand for an error of Triton."""
    return [each for each in findings if each.code.startswith(_ABOUT_FORM) and is_error(each, registry)]


def is_error(finding: Finding, registry: Registry) -> bool:
    """Whether a finding shows an error, whatever level a configuration gives it."""
    rule = registry.rules.get(finding.code)
    level = rule.level if rule is not None else finding.level
    return finding.verdict is Verdict.VIOLATED and level is Level.ERROR


def rejection_of(instance: KernelInstance, error: CompileError, errors: Sequence[Finding]) -> Rejection:
    """An error of Triton's frontend with the codes of the linter's errors in its statement, helpers innermost first."""
    codes: tuple[str, ...] = ()
    for frame in reversed(error.frames):
        codes = codes or _codes_at(Path(frame.path), frame.line, errors)
    if not error.frames:  # Triton does not say where
        codes = tuple(sorted({each.code for each in errors if each.kernel == instance.info.name}))
    meant = next((code for code, words in _BOTH_REJECT.items() if words in error.message), None)
    if meant is not None:
        codes = tuple(code for code in codes if code == meant)
    return Rejection(error.type, error.message, instance.info.id.path, error.line, codes)


def excuse(instance: KernelInstance, result: CompileResult, error: CompileError) -> str:
    """Why a rejection says nothing about the kernel; empty if it does."""
    return _of_a_stub(error, result.stubbed) or _only_spyre(instance, error, result.target)


def _codes_at(path: Path, line: int, errors: Sequence[Finding]) -> tuple[str, ...]:
    """Codes of the errors found in the statement at a line."""
    here = [each for each in errors if _resolved(each.location.path) == path.resolve()]
    if not here:
        return ()
    first, last = _statement(path, line)
    return tuple(sorted({each.code for each in here if first <= each.location.line <= last}))


def _resolved(path: str) -> Path:
    return Path(path).resolve()


def _statement(path: Path, line: int) -> tuple[int, int]:
    """First and last line of the statement at a line of a file."""
    return Comments(statements=tuple(statement_ranges(read_text(str(path))[0]))).statement_at(line)


def _of_a_stub(error: CompileError, stubbed: Sequence[str]) -> str:
    """Why a rejection may be due to a module that is not installed; empty if it names none."""
    named = next((name for name in stubbed if re.search(rf"\b{re.escape(name)}\b", error.message)), None)
    return f"`{named}` is not installed, and the kernel needs it" if named is not None else ""


def _only_spyre(instance: KernelInstance, error: CompileError, target: str) -> str:
    """Why a rejection by a Triton that is no Spyre build says nothing about the kernel; empty if it does."""
    if target.startswith("spyre") or instance.settings.target.profile != "spyre":
        return ""
    if next(instance.ir.ops(*_SPYRE_OPS), None) is not None or (
        "triton.language" in error.message and "has no attribute" in error.message
    ):
        return "it uses operations that only the Spyre build of Triton has"
    if "power of 2" in error.message and _has_odd_blocks(instance):
        return "only the Spyre build of Triton takes tiles that are no powers of two"
    if re.search(r"must be [12]D\b", error.message) and any(map(_is_wide_gather, instance.ir.walk())):
        return "only the Spyre build of Triton gathers and scatters blocks and indices of any rank"
    return ""


def _is_wide_gather(op: Op) -> bool:
    """Whether a gather or scatter is none of rows of a matrix by a list of indices."""
    if op.opcode not in ("desc_gather", "desc_scatter"):
        return False
    desc, index = op.group("desc")[0].type, op.group("index")[0].type
    block = desc.block_shape if isinstance(desc, DescriptorType) else None
    return (block is not None and len(block) != 2) or (isinstance(index, TileType) and len(index.shape) != 1)


def _has_odd_blocks(instance: KernelInstance) -> bool:
    extents = (
        extent
        for op in instance.ir.walk()
        for result in op.results
        if isinstance(result.type, (TileType, DescriptorType))
        for extent in (result.type.shape if isinstance(result.type, TileType) else result.type.block_shape or ())
    )
    return any(extent.is_const and extent.value & (extent.value - 1) for extent in extents)


def accepted_errors(instance: KernelInstance, result: CompileResult, errors: Sequence[Finding]) -> list[Finding]:
    """Errors about descriptors of this binding that stock Triton would have had to raise."""
    limit = instance.settings.target.min_last_dim_bytes
    if result.target.startswith("spyre") or limit != DEFAULT_TARGET.min_last_dim_bytes:
        return []
    path = Path(instance.file.abspath)
    found: list[Finding] = []
    for each in errors:
        if each.code not in _BOTH_REJECT or each.binding not in (None, instance.label):
            continue
        if _resolved(each.location.path) != path.resolve():
            continue
        first, last = _statement(path, each.location.line)
        if any(first <= op.loc.line <= last and not op.stack for op in instance.ir.ops("make_descriptor")):
            found.append(each)
    return found
