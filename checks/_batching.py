"""Loops that handle one item at a time although the scratchpad has room for many (SPY403)."""

from __future__ import annotations

from collections.abc import Iterator

from spyre_lint.analysis.live_tiles import LiveTiles, live_tiles, share_text, size_text
from spyre_lint.analysis.provenance import provenance
from spyre_lint.analysis.work import distribution_loops, follows, is_inside
from spyre_lint.context import KernelInstance
from spyre_lint.findings import Finding, Level
from spyre_lint.ir.core import Op
from spyre_lint.ir.sym import Expr, const
from spyre_lint.ir.types import DescriptorType
from spyre_lint.rules import Rule

UNDERUSED = Rule(
    "SPY403",
    "scratchpad-underused",
    Level.WARNING,
    "A loop handles one item per step although the scratchpad has room for many.",
)

_SHARE = 10
"""A peak below one part in this many of the scratchpad is underuse (source: the conversion guide's batching step)."""
_BATCHES = (64, 32, 16, 8, 4)
_ACCESSES = ("desc_load", "desc_store", "desc_gather", "desc_scatter", "desc_atomic")


def judge_batching(instance: KernelInstance) -> Iterator[Finding]:
    """SPY403 for the loops over a program's share."""
    target = instance.settings.target
    loops = instance.analysis(distribution_loops)
    for loop in loops:
        if any(is_inside(loop, outer) for outer in loops):
            continue
        nest = [loop, *(inner for inner in loops if is_inside(inner, loop))]
        picked = [access for each in nest for access in _picked_blocks(each)]
        if any(_carries(each) for each in nest) or not picked:
            continue
        if any(block != const(1) for blocks, _ in picked for block in blocks):
            continue
        if not any(rest != const(1) for _, rests in picked for rest in rests):
            continue
        live = instance.analysis(live_tiles)
        if live.unknown or not live.tiles:
            continue
        if live.plausible_bytes * _SHARE >= target.scratchpad_bytes:
            if not live.assumed:
                yield UNDERUSED.satisfied(loop.loc)
            continue
        yield _underused(instance, loop, live)


def _carries(loop: Op) -> bool:
    """Whether a step of a loop needs something of the step before."""
    carried = set(loop.regions[-1].args[1 if loop.opcode == "for" else 0 :])
    return any(operand in carried for op in loop.regions[-1].walk() for operand in op.operands)


def _picked_blocks(loop: Op) -> list[tuple[list[Expr], list[Expr]]]:
    """Block dimensions of the loop's accesses: those that the loop's index picks, and the others."""
    if loop.opcode != "for":
        return []
    index = loop.regions[0].args[0]
    found: list[tuple[list[Expr], list[Expr]]] = []
    for op in loop.walk():
        if op.opcode not in _ACCESSES:
            continue
        desc = op.operand("desc")
        block = desc.type.block_shape if desc is not None and isinstance(desc.type, DescriptorType) else None
        if block is None:
            continue
        shift = 1 if op.opcode in ("desc_gather", "desc_scatter") else 0
        offsets = op.group("offsets")
        picked = {at + shift for at, offset in enumerate(offsets) if follows(offset, index)}
        if picked and max(picked) < len(block):
            found.append(
                ([block[at] for at in sorted(picked)], [size for at, size in enumerate(block) if at not in picked])
            )
    return found


def _underused(instance: KernelInstance, loop: Op, live: LiveTiles) -> Finding:
    target = instance.settings.target
    size = live.plausible_bytes
    half = target.scratchpad_bytes // 2
    items = next((count for count in _BATCHES if count * size <= half), 2)
    under = f" at {live.assumptions()}" if live.assumed else ""
    message = (
        f"each step of this loop handles one item and needs {share_text(size, target)}{under}: `BLOCK_ITEMS={items}` "
        f"items at once need about {size_text(items * size)}"
    )
    help_ = (
        f"load `BLOCK_ITEMS` items per step (a block of `[BLOCK_ITEMS, ...]`, offsets `item_block * BLOCK_ITEMS`) and "
        f"share `tl.cdiv(n_items, BLOCK_ITEMS)` blocks out; {'; '.join(_trade_offs(instance, loop))}"
    )
    evidence = {"peak_bytes": live.peak_bytes, "block_items": items, "batched_bytes": items * size}
    related = instance.related_calls(loop)
    if live.assumed:
        return UNDERUSED.unproven_at(loop.loc, message, help=help_, related=related, evidence=evidence)
    return UNDERUSED.violated(loop.loc, message, help=help_, related=related, evidence=evidence)


def _trade_offs(instance: KernelInstance, loop: Op) -> list[str]:
    """What batching costs in this loop."""
    index = loop.regions[0].args[0]
    origins = instance.analysis(provenance)
    said = ["the last block may be partial, which the descriptors' `shape` takes care of"]
    inner = [op for op in loop.walk() if op is not loop]
    loops = [op for op in inner if op.opcode in ("for", "while")]
    bounds = [bound for op in loops for bound in (op.group("ub") or op.operands)]
    if any(follows(bound, index) or origins.origins(bound).loads for bound in bounds):
        said.append("the items of a block share the inner loop: run it to the longest of them and mask the others")
    branches = [op for op in inner if op.opcode == "if" and not op.attrs.get("constexpr")]
    if any(follows(op.operands[0], index) or origins.origins(op.operands[0]).loads for op in branches):
        said.append("branches on one item become masks (`tl.where`), and both sides are computed")
    return said
