"""Runs the whole list of launches over one kind of access and keeps the smallest counterexample of each failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from spyre_lint.analysis import shadow_explain as explain
from spyre_lint.analysis.shadow_baseline import Baseline, baseline_of, trial_of
from spyre_lint.analysis.shadow_facts import Failure, FailureKind, Open
from spyre_lint.analysis.shadow_judge import Double, Expectation, Judgement, Loss, Overrun, judge
from spyre_lint.analysis.shadow_launch import Runner
from spyre_lint.analysis.shadow_sizes import grids_for, plan, settled, unit_of
from spyre_lint.analysis.shadow_slice import SAME
from spyre_lint.analysis.shadow_values import Unknown
from spyre_lint.findings import Related
from spyre_lint.ir.core import KernelIR, Op, Value
from spyre_lint.ir.types import shape_of

MAX_BARE_SIZES = 8
"""Assignments of sizes that are run for a kernel that stores through raw pointers alone."""

SOME_POINTER = -1_000_000
"""The site of stores through a raw pointer of which it is not known where it starts."""

LossKey = tuple[int, tuple[int, ...]]
"""A site (negative: a raw pointer) and the dimensions that a loss runs along."""


@dataclass(slots=True)
class Survey:
    """The failures of one kind of access. `accesses` are the operations by site that are judged."""

    ir: KernelIR
    runner: Runner
    doubled: Runner | None
    accesses: dict[int, list[Op]]
    shared: frozenset[int] = frozenset()
    verb: str = "stored"
    light: bool = False
    """Whether to leave the long list of grids out."""
    tails: dict[LossKey, tuple[Loss, Judgement]] = field(default_factory=dict)
    late_tails: dict[LossKey, tuple[Loss, Judgement]] = field(default_factory=dict)
    """Losses under every grid, at sizes with more tiles than any grid has programs."""
    varying: dict[LossKey, tuple[Loss, Judgement]] = field(default_factory=dict)
    clean: set[LossKey] = field(default_factory=set)
    """Losses that vary with the grid at sizes where nothing is lost under every grid."""
    shares: dict[LossKey, str] = field(default_factory=dict)
    """Losses that depend on a share of the work that the host decides on, with its name."""
    rows: Op | None = None
    """A store of several rows through a raw pointer, whose place changes with the number of programs."""
    loose: str = ""
    """A scalar that places a store, and that no bound is known for."""
    double: tuple[Double, Judgement] | None = None
    overrun: tuple[Overrun, Judgement] | None = None
    doubts: dict[int, Unknown] = field(default_factory=dict)
    failed: tuple[Judgement, tuple[int, ...], str] | None = None
    baseline: Baseline | None = None

    @property
    def names(self) -> list[str]:
        """The sizes that a counterexample names."""
        roles = self.runner.roles
        wanted = roles.for_stores if self.verb == "stored" else roles.in_shape | roles.for_stores
        return [name for name in roles.sizes if name in wanted]

    def gathers(self) -> bool:
        """Whether programs share results (atomics) or have one each, so that lost work shows in what is loaded only."""
        cut = self.runner.code.cut
        counts = 0
        for bit in cut.nprogs.values():
            counts |= bit
        shaped = (v for s in self.accesses if s >= 0 for v in self.runner.code.sites[s].group("shape"))
        return any(op.opcode == "desc_atomic" for op in cut.accesses) or bool(cut.all_deps(shaped) & counts)

    # ---- running -----------------------------------------------------------------------------------------

    def run(self, grids: Sequence[tuple[int, ...]], more_grids: Sequence[tuple[int, ...]], moved: set[str]) -> None:
        """Find out what to expect, then run all sizes: on `more_grids` where every size is ragged, else on `grids`."""
        self._collect_doubts(grids)
        if not self.accesses:
            return
        self.baseline = baseline_of(self.runner, self.doubled, grids, self.accesses, self.verb == "stored")
        cut = self.runner.code.cut
        pointers = [-1 - number for number in range(len(self.runner.code.pointers))]
        looped = [
            site
            for site in (*self.accesses, *pointers)
            if not explain.picks_without_loop(cut, self._ops(site), range(8))
        ]
        counts = 0
        for bit in cut.nprogs.values():
            counts |= bit
        fixed = [
            s for s in self.accesses if s >= 0 and not cut.all_deps(self.runner.code.sites[s].group("shape")) & counts
        ]
        self.baseline.expectation = replace(self.baseline.expectation, looped=frozenset(looped), fixed=frozenset(fixed))
        for site in self.baseline.unrelated:
            self.accesses.pop(site, None)
        roles = self.runner.roles
        names = [n for n in roles.sizes if n not in self.baseline.derived]
        bare = all(site < 0 for site in self.accesses)
        if bare or self.light:
            more_grids = grids
        sizes = plan(
            roles, names, self.runner.tiles, [n for n in names if n in moved], len(grids) > 1 or self.verb == "stored"
        )
        if bare:  # without extents, only the number of programs can matter
            step = -(-len(sizes) // MAX_BARE_SIZES)
            sizes = sizes[(len(sizes) - 1) % step :: step]
        for position, assignment in enumerate(sizes):
            if self.runner.budget.capped or (bare and self.varying):
                return
            thorough = position % 3 == 1 if len(more_grids) < 10 else position in (len(sizes) // 3, len(sizes) // 2)
            on = more_grids if thorough else grids
            trial = trial_of(self.runner, assignment, self.baseline.derived)
            judged = judge(trial, on, frozenset(self.accesses), self.shared, self.baseline.expectation)
            self.add(judged)

    def run_covered(self, grid: tuple[int, ...]) -> None:
        """Run the one grid that a kernel with work slices has, at the sizes that its programs cover exactly."""
        self._collect_doubts([grid])
        self.baseline = Baseline(Expectation())
        runner = self.runner
        roles, cut = runner.roles, runner.code.cut
        units = {name: unit_of(roles, name, runner.tiles)[-1] for name in roles.sizes}
        far = {name: settled(roles, name, 64 * unit, unit) for name, unit in units.items()}
        trial = trial_of(runner, far, {})
        reached: dict[str, int] = {}
        for record in trial.launch(grid).union:
            made = trial.recorder.descriptors[record[0]] if record[0] >= 0 else None
            if made is None or made.site not in self.accesses or made.unknown is not None:
                continue
            places = zip(record[1:], made.block, runner.code.sites[made.site].group("shape"), strict=True)
            for offset, block, extent in places:
                param = cut.param(extent)
                if param is not None:
                    reached[param.name] = max(reached.get(param.name, 0), offset + block)
        sizes = {n: reached[n] if reached.get(n, far[n]) < far[n] else 4 * unit for n, unit in units.items()}
        covered = trial_of(runner, sizes, {})
        self.add(judge(covered, [grid], frozenset(self.accesses), self.shared, Expectation()))

    def _collect_doubts(self, grids: Sequence[tuple[int, ...]]) -> None:
        """Leave out the sites at which an unknown value decides what is accessed."""
        trial = trial_of(self.runner, dict.fromkeys(self.runner.roles.sizes, 4), {})
        for grid in grids[:3]:
            trial.launch(grid)
        recorder = trial.recorder
        for record, unknown in recorder.perhaps.items():
            place = record[0] or 0
            site = recorder.descriptors[place].site if place >= 0 else place
            if site in self.accesses:
                self.doubts.setdefault(site, unknown)
        for made in recorder.descriptors:
            if made.unknown is not None and made.site in self.accesses:
                self.doubts.setdefault(made.site, made.unknown)
        for unknown in recorder.unplaced[:1]:
            self.doubts.setdefault(1 << 30, unknown)
        for site in self.doubts:
            self.accesses.pop(site, None)

    def add(self, judged: Judgement) -> None:
        """Keep what one assignment of sizes shows, where it is the first to show it."""
        for loss in judged.common:
            if not self._is_view(loss.space.sites):
                tails = self.tails if self._fits_the_grids(loss, judged) else self.late_tails
                tails.setdefault((self._site(loss), tuple(loss.axes)), (loss, judged))
        for loss in judged.varying:
            key = (self._site(loss), tuple(loss.axes))
            self.varying.setdefault(key, (loss, judged))
            if not any(other.space is loss.space for other in judged.common):
                self.clean.add(key)
        doubles = [double for double in judged.doubles if not self._is_view(double.space.sites)]
        if doubles and self.double is None:
            self.double = (doubles[0], judged)
        overruns = [overrun for overrun in judged.overruns if not self._is_view({overrun.site})]
        if overruns and self.overrun is None:
            self.overrun = (overruns[0], judged)
        if judged.failed and self.failed is None:
            grid, why = judged.failed[0]
            self.failed = (judged, grid, why)

    def _is_view(self, sites: set[int]) -> bool:
        """Whether block pointers reach a tensor: their views interleave in ways that descriptors cannot, so only what
        changes with the number of programs is judged.
        """
        return any(self.runner.code.sites[site].opcode == "make_block_ptr" for site in sites)

    @staticmethod
    def _site(loss: Loss) -> int:
        return loss.space.key[0] if loss.space.key[0] < 0 else min(loss.space.sites)

    def _ops(self, site: int) -> list[Op]:
        """The accesses of a site; all through raw pointers where it is not known which go to this one."""
        found = self.accesses.get(site, [])
        return found or [
            op for op in self.runner.code.cut.accesses if site < 0 and op.opcode in ("ptr_store", "ptr_atomic")
        ]

    def _fits_the_grids(self, loss: Loss, judged: Judgement) -> bool:
        """Whether some grid has a program for every tile: then a loss under every grid is none of too few programs."""
        cut = self.runner.code.cut
        if not cut.pids:
            return True
        tiles = [1] * loss.space.rank
        for made in judged.trial.recorder.descriptors:
            if made.site in loss.space.sites:
                counts = [-(-size // block) for size, block in zip(made.shape, made.block, strict=True)]
                tiles = [max(a, b) for a, b in zip(tiles, counts, strict=True)]
        axes = max(cut.pids, default=0) + 1
        if axes == 1:
            total = 1
            for count in tiles:
                total *= count
            return total <= 32
        return max(tiles) <= (5 if axes == 2 else 3)

    # ---- telling -----------------------------------------------------------------------------------------

    def _lost(self, kind: FailureKind, loss: Loss, judged: Judgement, why: str) -> Failure:
        roles, cut = self.runner.roles, self.runner.code.cut
        sites = dict(enumerate(self.runner.code.sites))
        site = self._site(loss)
        ops = self._ops(site)
        prefix = explain.setting(judged.trial, roles, self.names, loss.grid)
        if site < 0:
            tensor, ranges, offset = self.runner.code.pointers[-1 - site], loss.box, 0
            what = f"the tile at `{tensor} + {loss.box[0][0]}` is never {self.verb}"
        else:
            tensor = explain.tensor_name(sites, site)
            ranges, shape, offset = explain.local_box(judged.geometry, judged, loss.space, loss.box)
            text = explain.ranges_text([(low, high - 1) for low, high in ranges], shape)
            based = f" (its base moved by {offset})" if offset else ""
            what = f"{text} of `{tensor}`{based} are never {self.verb}"
        span = [(low, high - 1) for low, high in ranges]
        example = explain.counterexample(judged, roles, self.names, loss.grid, tensor, span, base=offset)
        axis = loss.axes[0] if len(loss.axes) == 1 else None
        division = False
        if kind == "tail":
            loc, stack, division = explain.tail_place(cut, ops, loss.axes)
        else:
            mask = 0
            for op in ops:
                mask |= explain.places(cut, op, loss.axes)
            read = explain.program_id_op(self.ir, cut, mask)
            loc, stack = (read.loc, read.stack) if read is not None else (self.ir.loc, ())
        verb = "store" if self.verb == "stored" else "load"
        related = tuple(Related(f"the {verb} that does not reach it", op.loc) for op in ops[:1] if op.loc != loc)
        return Failure(kind, loc, f"{prefix}, {what}{why}", example, axis, related, stack, division)

    def losses(self, kinds: Sequence[FailureKind] = ("tail", "no-loop", "partition")) -> list[Failure]:
        """The failures for which work is lost, one for each cause."""
        cut = self.runner.code.cut
        found: list[Failure] = []
        told = {key[0] for key in (*self.tails, *self.varying)}
        tails = self.tails | {key: late for key, late in self.late_tails.items() if key[0] not in told}
        for loss, judged in tails.values():
            found.append(self._lost("tail", loss, judged, ""))
        for key, (loss, judged) in self.varying.items():
            ops = self._ops(key[0])
            without = explain.picks_without_loop(cut, ops, key[1])
            kind: FailureKind = "no-loop" if without else "partition"
            if not without and key[0] < 0 and any(_has_rows(op) for op in ops):
                self.rows = ops[0]
                continue
            share = "" if without else explain.host_share(cut, ops)
            if share and key not in self.shares:
                self.shares[key] = share
            if share:
                continue
            same = [k for k in self.tails if k[0] == key[0] and set(k[1]) & set(key[1])]
            if kind == "partition" and same and key not in self.clean:
                continue
            found.append(self._lost(kind, loss, judged, ""))
        return once([failure for failure in found if failure.kind in kinds])

    def doubled_work(self) -> Failure | None:
        """The failure for which two programs store the same element."""
        if self.double is None:
            return None
        double, judged = self.double
        roles = self.runner.roles
        site = min(double.space.sites)
        tensor = explain.tensor_name(dict(enumerate(self.runner.code.sites)), site)
        box, shape, offset = explain.local_box(
            judged.geometry, judged, double.space, double.space.first_box(double.mask)
        )
        ranges = [(low, high - 1) for low, high in box]
        prefix = explain.setting(judged.trial, roles, self.names, double.grid)
        both = f"{explain.program_text(double.first)} and {explain.program_text(double.second)}"
        sentence = f"{prefix}, {explain.ranges_text(ranges, shape)} of `{tensor}` are stored by {both}"
        example = explain.counterexample(
            judged,
            roles,
            self.names,
            double.grid,
            tensor,
            ranges,
            program=double.first,
            other=double.second,
            base=offset,
        )
        ops = self._ops(site)
        mask = 0
        for op in ops:
            mask |= explain.places(self.runner.code.cut, op, range(double.space.rank))
        read = explain.program_id_op(self.ir, self.runner.code.cut, mask)
        loc, stack = (read.loc, read.stack) if read is not None else (self.ir.loc, ())
        related = tuple(Related("the store", op.loc) for op in ops[:1])
        return Failure("double", loc, sentence, example, None, related, stack)

    def overrun_work(self) -> Failure | None:
        """The failure for which a program stores past the end."""
        if self.overrun is None:
            return None
        run, judged = self.overrun
        ops = self._ops(run.site)
        cut, roles = self.runner.code.cut, self.runner.roles
        made = judged.trial.recorder.descriptors[run.record[0]]
        offsets = run.record[1:]
        if len(offsets) != len(made.block):  # told by SPY111
            return None
        bounds = enumerate(zip(offsets, made.block, made.shape, strict=True))
        past = next((axis for axis, (o, b, s) in bounds if o >= s or o + b <= 0), 0)
        placed = explain.places(cut, ops[0], (past,)) if ops else 0
        derived = self.baseline.derived if self.baseline is not None else {}
        free = [
            n for n in roles.sizes if n not in roles.in_shape and n not in derived and cut.params.get(n, 0) & placed
        ]
        if free and not run.moved:
            self.loose = free[0]
            return None
        if ops and all(_is_guarded(value) for op in ops for value in op.group("offsets")):
            return None
        tensor = explain.tensor_name(dict(enumerate(self.runner.code.sites)), run.site)
        ranges = [(offset, offset + block - 1) for offset, block in zip(offsets, made.block, strict=True)]
        prefix = explain.setting(judged.trial, roles, self.names, run.grid)
        what = f"{explain.program_text(run.program)} stores a tile at [{', '.join(map(str, offsets))}] of `{tensor}`"
        if run.moved:
            what += f" with its base moved by {made.offset}, which one program alone never does"
        else:
            what += f", which has {explain.extent_text(made.shape, past)}"
        example = explain.counterexample(
            judged, roles, self.names, run.grid, tensor, ranges, offsets=offsets, program=run.program, base=made.offset
        )
        loc, stack = explain.overrun_place(cut, ops) if ops else (self.ir.loc, ())
        related = tuple(Related("the store past the end", op.loc) for op in ops[:1] if op.loc != loc)
        return Failure("overrun", loc, f"{prefix}, {what}", example, past, related, stack)

    def opens(self) -> list[Open]:
        """What could not be seen."""
        found = [
            Open(f"what is {self.verb} depends on {unknown.reason}", unknown.loc, stack=unknown.stack)
            for unknown in self.doubts.values()
        ]
        sites = dict(enumerate(self.runner.code.sites))
        if self.baseline is not None:
            for site, names in self.baseline.unrelated.items():
                tensor = explain.tensor_name(sites, site)
                how = " and ".join(f"`{name}`" for name in names)
                reason = (
                    f"only the host knows how {how} and the shape of `{tensor}` are related"
                    if names
                    else f"`{tensor}` is stored in part only, and its tiles are fixed by the binding"
                )
                found.append(Open(reason, sites[site].loc, stack=sites[site].stack))
        if self.rows is not None:
            reason = "tiles of several rows behind raw pointers are followed by their first element only"
            found.append(Open(reason, self.rows.loc, ("SPY308",), self.rows.stack))
        if self.loose:
            reason = f"only the host knows that `{self.loose}` is never past the end"
            found.append(Open(reason, self.ir.loc, ("SPY305",)))
        for key, share in self.shares.items():
            ops = self._ops(key[0])
            reason = f"only the host knows how `{share}` and the number of programs are related"
            found.append(Open(reason, ops[0].loc if ops else self.ir.loc, ("SPY308",)))
        if self.runner.budget.capped:
            found.append(Open("the analysis is capped: the kernel takes too many steps", self.ir.loc))
        elif self.failed is not None:
            judged, grid, why = self.failed
            prefix = explain.setting(judged.trial, self.runner.roles, self.names, grid)
            found.append(Open(f"{prefix}, a program {why}", self.ir.loc))
        return list({(entry.reason, entry.loc): entry for entry in found}.values())


def once(failures: Sequence[Failure]) -> list[Failure]:
    """One failure for each kind and place, best one that runs along one dimension."""
    unique: dict[tuple[str, object], Failure] = {}
    for failure in failures:
        key = (failure.kind, failure.loc)
        kept = unique.get(key)
        if kept is None or (kept.axis is None and failure.axis is not None):
            unique[key] = failure
    return list(unique.values())


def _has_rows(op: Op) -> bool:
    """Whether a store goes through a tile of pointers of rank 2 or more."""
    pointer = op.operand("ptr")
    shape = shape_of(pointer.type) if pointer is not None else None
    return shape is not None and len(shape) > 1


def _is_guarded(value: Value) -> bool:
    """Whether a scalar `where` sends an offset elsewhere on purpose."""
    todo = [value]
    for _ in range(200):
        if not todo:
            return False
        op = todo.pop().op
        if op is not None and op.opcode == "where":
            return True
        if op is not None and (op.opcode == "elementwise" or op.opcode in SAME):
            todo.extend(op.operands)
    return False


def surveyed_grids(axes: int, cores: int) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """The grids for most sizes, and those for some."""
    return grids_for(axes, cores, False), grids_for(axes, cores, True)
