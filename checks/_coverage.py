"""What the shadow launch shows, as findings (SPY303, SPY305 to SPY308, SPY502)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spyre_lint.analysis.provenance import provenance
from spyre_lint.analysis.shadow import coverage
from spyre_lint.analysis.shadow_facts import Failure, Open
from spyre_lint.analysis.work import distribution_loops
from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Verdict
from spyre_lint.rules import Rule

LEAD: Mapping[str, str] = {
    "SPY303": "the program id picks the tile and no loop covers the rest",
    "SPY305": "a program walks past the end of the work",
    "SPY306": "two programs do the same work",
    "SPY307": "the kernel runs on one core and leaves the others idle",
    "SPY308": "how much of the work is done depends on the number of cores",
    "SPY502": "the last partial tile is dropped",
}
"""What is wrong, before the counterexample that shows it."""

_RAW_STORES = ("ptr_store", "ptr_atomic", "block_store")

SHARE = "`for tile in range(start, tl.minimum(start + per_core, n_tiles))`"
HELP: Mapping[str, str] = {
    "SPY303": f"loop over a share of the tiles: `per_core = tl.cdiv(n_tiles, tl.num_programs(0))`, {SHARE}",
    "SPY305": f"clamp the end of the share, {SHARE}, or guard the body with `if tile < n_tiles`",
    "SPY306": f"let every tile belong to one program: {SHARE}, or add with `atomic_add` where programs share a sum",
    "SPY307": f"start each program at its own share: `start = tl.program_id(0) * per_core`, {SHARE}",
    "SPY308": f"round the share up, `per_core = tl.cdiv(n_tiles, tl.num_programs(0))`, and clamp its end: {SHARE}",
    "SPY502": "count with `tl.cdiv(n, BLOCK)` or walk `range(0, n, BLOCK)`; the descriptor's `shape` ends the last one",
}
_WHOLE_DIMENSION = (
    "no loop walks this dimension, so the kernel is right only while it fits one tile: loop over it with "
    "`range(0, n, BLOCK)`"
)


def judge_coverage(context: KernelContext, rules: tuple[Rule, ...]) -> Iterator[Finding]:
    """Findings of some of the rules for one kernel: a failure under one binding is one, what one settles is settled.

    What leaves several of the rules open is told once, as the first of them.
    """
    if any(True for _ in context.source.ir.ops(*_RAW_STORES)):
        yield from _by_dataflow(context.source, rules)
        return
    judged = [(instance, instance.analysis(coverage)) for instance in _deciding(context)]
    left_open: dict[Open, list[Rule]] = {}
    for rule in rules:
        failed = [(instance, failure) for instance, shown in judged for failure in shown.of(rule.code)]
        if failed:
            yield from _failures(rule, failed)
        elif all(shown.opens(rule.code) for _, shown in judged) and not _is_right(context.source, rule.code):
            for entry in judged[0][1].opens(rule.code):
                left_open.setdefault(entry, []).append(rule)
        else:
            yield rule.satisfied(judged[0][1].anchor, evidence=judged[0][1].evidence())
    for entry, concerned in left_open.items():
        yield _open(concerned, judged[0][0], entry)


def _by_dataflow(instance: KernelInstance, rules: tuple[Rule, ...]) -> Iterator[Finding]:
    """SPY303 for a kernel that stores through raw pointers.

    Its stores name addresses, not elements, so no launch can show which work is done. What can be seen is whether a
    program id picks the place of a store while no loop takes more than one share; the rest waits for the conversion to
    descriptors that SPY102 asks for.
    """
    rule = next((rule for rule in rules if rule.code == "SPY303"), None)
    if rule is None or instance.analysis(distribution_loops):
        return
    origins = instance.analysis(provenance)
    picked = {axis for op in instance.ir.ops(*_RAW_STORES) for axis in origins.origins(op.group("ptr")[0]).program_axes}
    read = next((op for op in instance.ir.ops("program_id") if op.attrs["axis"] in picked), None)
    if read is not None:
        yield rule.violated(
            read.loc,
            f"{LEAD[rule.code]}: `tl.program_id({read.attrs['axis']})` decides where a store goes, so there must be as "
            "many programs as tiles",
            help=HELP[rule.code],
            related=instance.related_calls(read),
        )


def _deciding(context: KernelContext) -> list[KernelInstance]:
    """One instance per set of constexprs; of several, none has to be run where the unbound kernel is right."""
    distinct: dict[str, KernelInstance] = {}
    for instance in context.instances:
        constexprs = sorted((instance.binding.constexprs if instance.binding is not None else {}).items())
        distinct.setdefault(repr(constexprs), instance)
    if len(distinct) > 1:
        shown = context.source.analysis(coverage)
        if not shown.failures and not shown.open:
            return [context.source]
    return list(distinct.values())


def _is_right(instance: KernelInstance, code: str) -> bool:
    """Whether the unbound kernel, whose tiles may take any size, is right: then it is so under every binding."""
    return instance.analysis(coverage).verdict(code) is Verdict.SATISFIED


def _failures(rule: Rule, failed: list[tuple[KernelInstance, Failure]]) -> Iterator[Finding]:
    seen = set()
    for instance, failure in failed:
        if failure.loc in seen:
            continue
        seen.add(failure.loc)
        help_ = HELP[rule.code]
        if rule.code == "SPY502" and not failure.division and not _is_loop(instance, failure):
            help_ = _WHOLE_DIMENSION
        yield _labelled(
            rule.violated(
                failure.loc,
                f"{LEAD[rule.code]}: {failure.sentence}",
                help=help_,
                related=(*failure.related, *instance.related_stack(failure.stack)),
                evidence=failure.evidence(),
            ),
            instance,
        )


def _is_loop(instance: KernelInstance, failure: Failure) -> bool:
    """Whether a failure points at a loop (that ends too early) and not at an access that no loop repeats."""
    return any(op.loc == failure.loc for op in instance.ir.ops("for", "while"))


def _open(rules: list[Rule], instance: KernelInstance, entry: Open) -> Finding:
    asked = [_QUESTION[rule.code] for rule in rules]
    question = _ALL if len(asked) > 2 else " and ".join(asked)
    codes = [rule.code for rule in rules]
    return _labelled(
        rules[0].unproven_at(
            entry.loc,
            f"whether {question} is not known: {entry.reason}",
            help="the index arithmetic of the kernel is run without data: make what decides it arguments and constants",
            related=instance.related_stack(entry.stack),
            evidence={"leaves_open": codes},
        ),
        instance,
    )


_ALL = "every tile is done exactly once, on any number of cores,"
_QUESTION: Mapping[str, str] = {
    "SPY303": "every tile is done",
    "SPY305": "the programs stay within the work",
    "SPY306": "no tile is done twice",
    "SPY307": "all cores have work",
    "SPY308": "any number of cores does the same work",
    "SPY502": "the last partial tile of every dimension is done",
}


def _labelled(finding: Finding, instance: KernelInstance) -> Finding:
    return finding.with_(binding=instance.binding.label) if instance.binding is not None else finding
