"""Settles what the launches of a kernel show: one cause gives one failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from spyre_lint.analysis.provenance import Provenance
from spyre_lint.analysis.shadow_code import Code
from spyre_lint.analysis.shadow_explain import offsets_of, picks_without_loop
from spyre_lint.analysis.shadow_facts import Failure, Open
from spyre_lint.analysis.shadow_launch import MAX_ITERATIONS, MAX_PROGRAMS, Budget, Runner
from spyre_lint.analysis.shadow_sizes import Roles, roles_of, tile_values
from spyre_lint.analysis.shadow_slice import LOADS, STORES, UNKNOWN, Slice, slices_of
from spyre_lint.analysis.shadow_survey import SOME_POINTER, Survey, once, surveyed_grids
from spyre_lint.analysis.shadow_values import Unknown
from spyre_lint.findings import Related
from spyre_lint.ir.core import KernelIR, Op, Value
from spyre_lint.target import SpyreTarget


@dataclass(slots=True)
class Examination:
    """What the launches under one decision of the open flags show."""

    failures: list[Failure] = field(default_factory=list)
    open: list[Open] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    launches: int = 0
    programs: int = 0
    grids: list[tuple[int, ...]] = field(default_factory=list)


def examine(
    ir: KernelIR,
    choices: Mapping[Op, bool],
    target: SpyreTarget,
    integers: Mapping[str, int],
    is_model_constant: Callable[[str], bool],
    light: bool = False,
) -> Examination:
    """Run the launches of a kernel under one decision of its open flags, `light` on few grids. Raises TooLarge."""
    found = Examination()
    stores = Slice(ir, STORES, choices)
    if not stores.accesses:
        return found
    whole = Slice(ir, STORES | LOADS, choices)
    roles = roles_of(whole, stores, integers)
    budget = Budget() if not light else Budget(MAX_ITERATIONS // 4, MAX_PROGRAMS // 4)
    kernel = _Kernel(ir, choices, target, roles, budget, tile_values(roles, integers), _pure(roles, is_model_constant))
    survey = kernel.survey(stores, "stored")
    survey.light = light
    if kernel.slices is not None:
        survey.run_covered(kernel.grids[0])
    else:
        survey.run(kernel.grids, kernel.more_grids, set(roles.for_stores))
    found.grids = list(kernel.grids)
    sites = dict(enumerate(survey.runner.code.sites))
    found.outputs = list(dict.fromkeys(sites[s].result.name or "output" for s in survey.accesses if s >= 0))
    losses = survey.losses()
    if not survey.accesses and kernel.scatters and not survey.doubts:
        losses += kernel.survey_loads(survey, tails_only=False)
    elif kernel.slices is None:
        if kernel.axes and survey.gathers():
            told = {(f.kind, f.loc) for f in losses}
            losses += [f for f in kernel.survey_loads(survey, tails_only=False) if (f.kind, f.loc) not in told]
        known = {f.loc for f in losses if f.kind == "tail"}
        tails = kernel.survey_loads(survey, tails_only=True)
        losses += [f for f in tails if f.loc not in known and (f.division or not known)]
    failures = list(losses)
    if kernel.slices is not None:
        failures = [replace(f, kind="partition") if f.kind == "tail" else f for f in failures]
    double, overrun = survey.doubled_work(), survey.overrun_work()
    if double is not None:
        failures.append(double)
    if overrun is not None and not losses:
        failures.append(overrun)
    idle = kernel.idle(stores)
    if idle is not None:
        failures = [f for f in failures if f.kind not in ("no-loop", "double", "partition")]
        failures.append(idle)
    found.failures = failures
    found.open = survey.opens()
    if kernel.slices is not None:
        reason = "a kernel with work slices is judged only at sizes that they cover exactly"
        found.open.append(Open(reason, ir.loc, ("SPY502",)))
    found.launches, found.programs = budget.launches, budget.launched_programs
    return found


def _pure(roles: Roles, is_model_constant: Callable[[str], bool]) -> list[str]:
    """The tiles that can be made larger without changing any tensor."""
    return [name for name in roles.tiles if name not in roles.in_shape and not is_model_constant(name)]


class _Kernel:
    """A kernel about to be run: its grids, its tiles, and what its stores are."""

    def __init__(
        self,
        ir: KernelIR,
        choices: Mapping[Op, bool],
        target: SpyreTarget,
        roles: Roles,
        budget: Budget,
        tiles: dict[str, int],
        pure: list[str],
    ) -> None:
        self.ir = ir
        self.choices = choices
        self.roles = roles
        self.budget = budget
        self.tiles = tiles
        self.doubled = tiles | {name: 2 * tiles[name] for name in pure} if pure else None
        self.provenance = Provenance(ir)
        self.scatters = False
        self.slices = next((s for op in ir.ops("wk_slice_coord") if (s := slices_of(op)) is not None), None)
        self.axes = [op.attrs["axis"] for op in ir.ops("program_id")]
        if self.slices is not None:
            self.grids: list[tuple[int, ...]] = [(len(self.slices),)]
            self.more_grids = self.grids
        elif not self.axes:
            self.grids = self.more_grids = [(1,)]
        else:
            self.grids, self.more_grids = surveyed_grids(min(max(self.axes) + 1, 3), target.cores)

    def survey(self, cut: Slice, verb: str) -> Survey:
        """A survey of the accesses of a slice."""
        code = Code(cut)
        runner = Runner(code, self.roles, self.tiles, self.budget)
        doubled = None if self.doubled is None else Runner(code, self.roles, self.doubled, self.budget)
        sites = {id(op): number for number, op in enumerate(code.sites)}
        accesses: dict[int, list[Op]] = {}
        lost: list[Op] = []
        for op in cut.accesses:
            if op.opcode in ("desc_scatter", "desc_gather"):
                self.scatters = self.scatters or op.opcode == "desc_scatter"
                continue
            site = self._site(op, sites, code)
            if site is not None:
                accesses.setdefault(site, []).append(op)
            elif op.opcode in STORES:
                lost.append(op)
        for op in cut.accesses:
            if op.opcode in ("desc_scatter", "desc_gather"):
                site = self._site(op, sites, code)
                if site is not None:
                    accesses.pop(site, None)
        shared = frozenset(site for site, ops in accesses.items() if any(_is_shared(op) for op in ops))
        survey = Survey(self.ir, runner, doubled, accesses, shared, verb)
        for op in lost:
            unknown = Unknown("a tensor that cannot be told", op.loc, op.stack)
            survey.doubts.setdefault(op.operands[0].id + (1 << 30), unknown)
        return survey

    def _site(self, op: Op, sites: Mapping[int, int], code: Code) -> int | None:
        pointer = op.operand("ptr")
        if op.opcode in ("ptr_store", "ptr_atomic") and pointer is not None:
            param = self.provenance.base(pointer).param
            known = param is not None and param.name in code.pointers
            return -1 - code.pointers.index(param.name) if param is not None and known else SOME_POINTER
        owner = op.operand("desc") or pointer
        maker = _maker(self.provenance, owner)
        return None if maker is None else sites.get(id(maker))

    def survey_loads(self, stores: Survey, tails_only: bool) -> list[Failure]:
        """Failures that show in what is loaded: dropped tails of reductions, and the work of kernels that scatter."""
        if next(self.ir.ops("desc_load"), None) is None:
            return []
        cut = Slice(self.ir, LOADS, self.choices)
        survey = self.survey(cut, "loaded")
        grids = [tuple(1 for _ in self.grids[0])] if tails_only else self.grids
        survey.run(grids, grids, set(self.roles.in_shape))
        if not tails_only:
            return survey.losses()
        # A block pointer carries its offsets along: which loop moves it in which dimension is not looked into.
        survey.tails = {
            k: v for k, v in survey.tails.items() if all(op.group("desc") for op in survey.accesses.get(k[0], []))
        }
        if any(self._picked(survey, ops) for ops in survey.accesses.values()):
            survey.tails = {
                k: v for k, v in survey.tails.items() if not self._picked(survey, survey.accesses.get(k[0], []))
            }
        found = []
        for (site, axes), (loss, judged) in survey.tails.items():
            ops = survey.accesses.get(site, [])
            failure = survey._lost("tail", loss, judged, "")
            stands = len(axes) == 1 and not survey.doubts and any(self._stands_still(cut, op, axes[0]) for op in ops)
            if failure.division or stands:
                found.append(failure)
        return once(found)

    @staticmethod
    def _picked(survey: Survey, ops: list[Op]) -> bool:
        """Whether the program id places a load, so that one program alone does not make all of them."""
        cut = survey.runner.code.cut
        pids = 0
        for bit in cut.pids.values():
            pids |= bit
        return any(cut.all_deps(offsets_of(op, range(8))) & pids for op in ops) and _no_loop(survey, ops)

    def _stands_still(self, cut: Slice, op: Op, axis: int) -> bool:
        """Whether a load takes a whole dimension, whose extent is a parameter, as one tile."""
        owner = op.operand("desc")
        maker = None if owner is None else self.provenance.descriptor(owner)
        offsets = op.group("offsets")
        if maker is None or axis >= len(offsets) or not cut.all_deps(offsets):
            return False  # what stands still altogether is a table, read once
        extent = maker.group("shape")[axis : axis + 1]
        param = cut.param(extent[0]) if extent else None
        return param is not None and not cut.deps(offsets[axis]) & ~UNKNOWN

    def idle(self, cut: Slice) -> Failure | None:
        """The failure of a kernel that never asks which program it is."""
        if self.axes or any(True for _ in self.ir.ops("wk_slice_coord")):
            return None
        counts = next(self.ir.ops("num_programs"), None)
        if counts is not None:
            sentence = "every program of a launch does the same work, because none asks which one it is"
            related = (Related("the number of programs is read here", counts.loc),)
            return Failure("no-program-id", self.ir.loc, sentence, related=related)
        loop = self._independent_loop(cut)
        if loop is None:
            return None
        sentence = "one program walks all tiles, whatever the number of cores"
        return Failure("single-core", self.ir.loc, sentence, related=(Related("the loop over the tiles", loop.loc),))

    def _independent_loop(self, cut: Slice) -> Op | None:
        """A loop whose turns store different tiles that do not depend on each other."""
        read = {self.provenance.base(op.operands[0]).param for op in self.ir.ops("ptr_load")}
        for op in cut.accesses:
            pointer = op.operand("ptr")
            if cut.doubtful(op) or (pointer is not None and self.provenance.base(pointer).param in read):
                continue  # what is read back, or decides what comes next, ties the turns together
            placing = [self.provenance.origins(v) for v in offsets_of(op, range(8))]
            loops = [loop for origin in placing for loop in (*origin.loops, *origin.carried)]
            value = op.operand("value")
            carried = self.provenance.origins(value).carried if value is not None else []
            for loop in loops:
                if loop not in carried and any(op is inner for inner in loop.walk()):
                    return loop
        return None


def _no_loop(survey: Survey, ops: list[Op]) -> bool:
    return picks_without_loop(survey.runner.code.cut, ops, range(8))


def _is_shared(op: Op) -> bool:
    """Whether several programs may store the same element: an atomic, or what all of a group hold after a reduction."""
    if op.opcode in ("desc_atomic", "ptr_atomic"):
        return True
    value = op.operand("value")
    todo = [] if value is None else [value]
    seen: set[Value] = set()
    while todo:
        current = todo.pop()
        if current in seen or current.op is None:
            continue
        seen.add(current)
        if current.op.opcode == "inter_tile" and current.op.attrs.get("mode") == "all_reduce":
            return True
        todo.extend(current.op.operands)
    return False


def _maker(provenance: Provenance, owner: Value | None) -> Op | None:
    """The operation that makes a descriptor or a block pointer."""
    seen: set[Value] = set()
    while owner is not None and owner not in seen:
        seen.add(owner)
        op = owner.op
        if op is None:
            block = owner.block.parent if owner.block is not None else None
            if block is None or block.opcode != "for" or owner.index == 0:
                return provenance.descriptor(owner)
            owner = block.group("init")[owner.index - 1]
        elif op.opcode in ("make_descriptor", "make_block_ptr"):
            return op
        elif op.opcode == "advance":
            owner = op.operand("ptr")
        elif op.opcode == "for":
            owner = op.group("init")[owner.index]
        else:
            return provenance.descriptor(owner)
    return None
