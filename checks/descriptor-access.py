"""Every memory access goes through a tensor descriptor (SPY1xx). The page beside this file says what and why."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.provenance import provenance
from spyre_lint.checks._accesses import OFFSET_RANK, judge_fit
from spyre_lint.checks._descriptors import (
    BLOCK_CONSTEXPR,
    BLOCK_VALID,
    INNER_STRIDE,
    PADDING,
    STRIDE_ALIGNMENT,
    judge_descriptor,
)
from spyre_lint.checks._pointers import (
    BASE_ARITHMETIC,
    BLOCK_POINTER,
    RAW_ATOMIC,
    RAW_LOAD,
    RAW_STORE,
    judge_access,
    judge_base,
)
from spyre_lint.checks._support import views, violations
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Level
from spyre_lint.rules import Rule, check

PARAMETER = Rule(
    "SPY120", "descriptor-parameter", Level.WARNING, "A kernel takes a descriptor that was made on the host."
)
_ACCESSES = ("desc_load", "desc_store", "desc_atomic", "desc_gather", "desc_scatter")


@check(RAW_LOAD, RAW_STORE, RAW_ATOMIC, BLOCK_POINTER, BASE_ARITHMETIC, scope="kernel")
def pointers(context: KernelContext) -> Iterator[Finding]:
    """Accesses and descriptor bases that are made of pointers; no binding makes them right."""
    for instance in views(context):
        for op in instance.ir.walk():
            if op.opcode == "make_descriptor":
                yield from judge_base(instance, op)
            else:
                yield from judge_access(instance, op)


@check(INNER_STRIDE, STRIDE_ALIGNMENT, BLOCK_CONSTEXPR, BLOCK_VALID, PADDING, OFFSET_RANK, scope="instance")
def descriptors(instance: KernelInstance) -> Iterator[Finding]:
    """Descriptors as they are made and used under a binding."""
    for op in instance.ir.walk():
        if op.opcode == "make_descriptor":
            yield from judge_descriptor(instance, op)
        elif op.opcode in _ACCESSES:
            yield from judge_fit(instance, op)


@check(INNER_STRIDE, STRIDE_ALIGNMENT, BLOCK_VALID, PADDING, OFFSET_RANK, scope="source")
def descriptors_in_every_branch(instance: KernelInstance) -> Iterator[Finding]:
    """What is wrong whatever is bound, also in branches that no binding takes.

    A block dimension is left out: a parameter without annotation is a constexpr where a binding makes it one.
    """
    found = (finding for finding in descriptors(instance) if finding.code != BLOCK_CONSTEXPR.code)
    yield from violations(found)


@check(PARAMETER, scope="kernel")
def descriptor_parameters(context: KernelContext) -> Iterator[Finding]:
    """Parameters that the kernel, or a helper it calls, uses as a descriptor."""
    for instance in views(context):
        origins = instance.analysis(provenance)
        accessed = (origins.param_of(desc) for op in instance.ir.walk() for desc in op.group("desc"))
        used = {param.name for param in accessed if param is not None}
        for param in instance.ir.params:
            if param.role == "descriptor" or param.name in used:
                yield PARAMETER.violated(
                    param.loc,
                    f"`{param.name}` is a descriptor made on the host, and the Spyre compiler lowers only those "
                    "made in the kernel",
                    help="pass the tensor with its sizes and strides, and make the descriptor in the kernel",
                )
