"""Every memory access goes through a tensor descriptor (SPY1xx). The page beside this file says what and why."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.checks._accesses import OFFSET_RANK, judge_fit
from spyre_lint.checks._descriptors import (
    BLOCK_CONSTEXPR,
    BLOCK_VALID,
    INNER_STRIDE,
    PADDING,
    STRIDE_ALIGNMENT,
    judge_descriptor,
)
from spyre_lint.checks._gaps import COMPILER_GAP, RANK_REDUCED, judge_gaps, judge_rank
from spyre_lint.checks._indices import (
    GATHER_SHAPE,
    INDEX_NOT_LOADED,
    MIXED_INDEX,
    judge_gather_shape,
    judge_index,
    judge_mixing,
)
from spyre_lint.checks._offsets import LOOP_INVARIANT, OFFSET_MULTIPLE, judge_invariance, judge_offsets
from spyre_lint.checks._padding import REDUNDANT_MASK, SCATTER_TAIL, TAIL_FILL, judge_padding
from spyre_lint.checks._pointers import (
    BASE_ARITHMETIC,
    BLOCK_POINTER,
    RAW_ATOMIC,
    RAW_LOAD,
    RAW_STORE,
    judge_access,
    judge_base,
)
from spyre_lint.checks._support import beyond_bindings, views, violations
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Level
from spyre_lint.ir.core import Op
from spyre_lint.rules import Rule, check

PARAMETER = Rule(
    "SPY120", "descriptor-parameter", Level.WARNING, "A kernel takes a descriptor that was made on the host."
)
_ACCESSES = ("desc_load", "desc_store", "desc_atomic", "desc_gather", "desc_scatter")
_INDIRECT = ("desc_gather", "desc_scatter")


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
    for op in instance.ir.ops("make_descriptor", *_ACCESSES):
        yield from _judge_descriptor(instance, op)


@check(INNER_STRIDE, STRIDE_ALIGNMENT, BLOCK_CONSTEXPR, BLOCK_VALID, PADDING, OFFSET_RANK, scope="kernel")
def descriptors_beyond_bindings(context: KernelContext) -> Iterator[Finding]:
    """What is wrong whatever is bound, in branches that no binding takes."""
    for op in beyond_bindings(context, "make_descriptor", *_ACCESSES):
        yield from violations(_judge_descriptor(context.source, op))


def _judge_descriptor(instance: KernelInstance, op: Op) -> Iterator[Finding]:
    if op.opcode == "make_descriptor":
        yield from judge_descriptor(instance, op)
    else:
        yield from judge_fit(instance, op)


@check(OFFSET_MULTIPLE, scope="instance")
def offsets(instance: KernelInstance) -> Iterator[Finding]:
    """Where the blocks of all accesses start."""
    for op in instance.ir.ops(*_ACCESSES):
        yield from judge_offsets(instance, op)


@check(REDUNDANT_MASK, TAIL_FILL, SCATTER_TAIL, scope="instance")
def padding(instance: KernelInstance) -> Iterator[Finding]:
    """What becomes of the lanes past the end of a tensor."""
    yield from judge_padding(instance)


@check(GATHER_SHAPE, scope="instance")
def gathers(instance: KernelInstance) -> Iterator[Finding]:
    """Blocks and numbers of indices of gathers and scatters under a binding."""
    for op in instance.ir.ops(*_INDIRECT):
        yield from judge_gather_shape(instance, op)


@check(OFFSET_MULTIPLE, REDUNDANT_MASK, TAIL_FILL, SCATTER_TAIL, GATHER_SHAPE, scope="kernel")
def blocks_beyond_bindings(context: KernelContext) -> Iterator[Finding]:
    """The same where no binding leads, as far as it is wrong whatever is bound."""
    for op in beyond_bindings(context, *_ACCESSES):
        yield from violations(judge_offsets(context.source, op))
        if op.opcode in _INDIRECT:
            yield from violations(judge_gather_shape(context.source, op))
    ops = set(beyond_bindings(context, "where", "reduce", "scan", "dot", "dot_scaled", "desc_scatter"))
    yield from violations(judge_padding(context.source, ops))


@check(MIXED_INDEX, INDEX_NOT_LOADED, LOOP_INVARIANT, COMPILER_GAP, scope="source")
def forms(instance: KernelInstance) -> Iterator[Finding]:
    """How indices are made, loads that stand still, forms the compiler does not know: in every branch."""
    for op in instance.ir.walk():
        yield from judge_mixing(instance, op)
        if op.opcode in _INDIRECT:
            yield from judge_index(instance, op)
    yield from judge_invariance(instance)
    yield from judge_gaps(instance)


@check(RANK_REDUCED, scope="kernel")
def ranks(context: KernelContext) -> Iterator[Finding]:
    """Reshapes right at a load or store; which dimensions are 1 may be known under a binding only."""
    for instance in views(context):
        for op in instance.ir.ops("reshape", "desc_store"):
            yield from judge_rank(instance, op)


@check(PARAMETER, scope="kernel")
def descriptor_parameters(context: KernelContext) -> Iterator[Finding]:
    """Parameters that the kernel, or a helper it calls, uses as a descriptor."""
    for instance in views(context):
        for param in instance.ir.params:
            if param.role == "descriptor":
                yield PARAMETER.violated(
                    param.loc,
                    f"`{param.name}` is a descriptor made on the host, and the Spyre compiler lowers only those "
                    "made in the kernel",
                    help="pass the tensor with its sizes and strides, and make the descriptor in the kernel",
                )
