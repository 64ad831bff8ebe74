"""One run from paths to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final, TypeVar

from spyre_lint import __version__
from spyre_lint.bindings import Driver, KernelId, Launch
from spyre_lint.config import ConfigError, ConfigResolver, Overrides, Settings
from spyre_lint.context import KernelContext, KernelInfo
from spyre_lint.engine.balance import PARALLEL_FROM, default_jobs, share_out
from spyre_lint.engine.configured import misfits
from spyre_lint.engine.fingerprint import with_fingerprints
from spyre_lint.engine.levels import Selector, with_level
from spyre_lint.engine.results import Index, Outcome, Result, Usage
from spyre_lint.engine.settle import merge, silence
from spyre_lint.engine.shard import Job, Shard, is_checked, may_matter
from spyre_lint.engine.suppress import Suppressor
from spyre_lint.findings import Finding, Level, Location, Verdict
from spyre_lint.invariants.locate import load_registry
from spyre_lint.registry import Registry
from spyre_lint.report import KernelEntry, Report, Summary
from spyre_lint.source.discover import Discovery, discover, make_file
from spyre_lint.source.files import SourceFile, absolute, relative_path
from spyre_lint.tool_rules import INTERNAL_ERROR, WITHOUT_CHECKER

_COMPANIONS: Final = ("lower.py", "wrapper.py", "meta.py")
"""Files that run the kernels beside them; read for bindings even where only the kernel's file was named."""

_MIN_WEIGHT: Final = 200
"""Least cost of a file, in characters of text, when work is dealt to shards."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run. `jobs` None: one per processor. `config` names a configuration file to use for everything.

    `checks_folder` replaces the built-in checks. `plugins` false: no code of the project or of packages is loaded.
    """

    overrides: Overrides = field(default_factory=Overrides)
    config: str | None = None
    jobs: int | None = None
    checks_folder: str | None = None
    plugins: bool = True


def check_paths(paths: Sequence[str], options: RunOptions | None = None, *, registry: Registry | None = None) -> Report:
    """Lint files and directories.

    Raises:
        ConfigError: if a configuration that holds for one of the files, or a selector in `options`, cannot be used.
    """
    options = options or RunOptions()
    if registry is None:
        registry = load_registry(paths, config=options.config, plugins=options.plugins, folder=options.checks_folder)
    return Run(registry, options).report(paths)


K = TypeVar("K")
V = TypeVar("V")


class Run:
    """The state of one run: settings and sources by display path."""

    def __init__(self, registry: Registry, options: RunOptions) -> None:
        self.registry = registry
        self.options = options
        self.selector = Selector(registry)
        for option, selectors in (("--select", options.overrides.select), ("--ignore", options.overrides.ignore)):
            for unknown in self.selector.unknown(selectors):
                near = registry.nearest(unknown)
                hint = f" (did you mean {near}?)" if near else ""
                raise ConfigError(f"{option}: {unknown!r} is no rule code, code prefix, rule name or invariant{hint}")
        self.resolver = ConfigResolver(registry, config=options.config, overrides=options.overrides)
        self.sources: dict[str, SourceFile] = {}
        self.settings: dict[str, Settings] = {}

    def gather(self, found: Discovery) -> list[SourceFile]:
        """The files of a run: those discovered and their companions."""
        self.settings = dict(found.settings)
        for file in (*found.files, *self._companions(found)):
            self.sources[file.path] = file
        return list(self.sources.values())

    def report(self, paths: Sequence[str]) -> Report:
        """Lint and report; see `check_paths`."""
        return self.examine(paths)[0]

    def examine(
        self, paths: Sequence[str], observe: Callable[[KernelContext], None] | None = None
    ) -> tuple[Report, Outcome]:
        """Lint and report, with what the findings are about. `observe` is called with every kernel that was checked;
        one process then does all of the work.
        """
        found = discover(paths, self.resolver)
        listed = found.files
        files = self.gather(found)
        results = [*self._load_errors(), *self._uncovered()]
        jobs = self._jobs(files) if observe is None else [self.job(files)]
        if len(jobs) == 1:
            shard = Shard(jobs[0], self.registry, observe)
            indexes = [shard.index()]
            usage = self.usage(indexes)
            results += shard.check(usage)
        else:
            from spyre_lint.engine.parallel import Workers

            with Workers(jobs) as workers:
                indexes = workers.index()
                usage = self.usage(indexes)
                results += workers.check(usage)
        kernels = {file.path: file.kernels for index in indexes for file in index.files}
        listed_kernels = {file.path: [usage.known(info) for info in kernels[file.path]] for file in listed}
        problems = [*found.problems, *misfits(found.settings.values(), listed_kernels)]
        failed = {file.path for index in indexes for file in index.files if file.failed}
        outcome = self._finish(results, [file for file in listed if file.path not in failed])
        findings = [result.finding for result in outcome.shown]
        entries = tuple(
            KernelEntry(
                file.path, info.id.name, info.loc.line, file.role, info.is_helper, is_checked(info, file.role, usage)
            )
            for file in listed
            for info in sorted(listed_kernels[file.path], key=lambda each: each.loc)
        )
        report = Report(
            findings=tuple(findings),
            summary=Summary(
                files=len(listed),
                kernels=len(entries),
                levels={level.value: sum(f.level is level for f in findings) for level in Level},
                verdicts={
                    verdict.value: sum(f.verdict is verdict for f in findings)
                    for verdict in (Verdict.VIOLATED, Verdict.UNPROVEN)
                },
                suppressed=len(outcome.suppressed),
                hidden=outcome.hidden,
            ),
            rules=tuple(self.registry.rules.values()),
            invariants=self.registry.invariants,
            kernels=entries,
            cwd=str(Path.cwd()).replace(os.sep, "/"),
            tool_version=__version__,
            failing=sum(self.settings_of(f.location.path).failing(f) for f in findings),
            internal_errors=any(f.code == INTERNAL_ERROR.code for f in findings),
            problems=tuple(problems),
            notices=(*found.notices, *self._unused_sources(found.settings.values())),
            source_line=self.source_line,
        )
        return report, outcome

    # ------------------------------------------------------------------ files

    def _companions(self, found: Discovery) -> Iterable[SourceFile]:
        """Unlisted files beside listed kernels that may say how these are run."""
        known = {file.abspath for file in found.files}
        for file in found.files:
            for name in _COMPANIONS:
                place = Path(file.abspath).with_name(name)
                if str(place) not in known and place.is_file():
                    known.add(str(place))
                    self.settings[relative_path(str(place))] = self.settings[file.path]
                    yield make_file(str(place), self.settings[file.path], listed=False)

    def source(self, path: str) -> SourceFile | None:
        """The source file with a display path, read now if no run listed it; None where there is none."""
        if path not in self.sources:
            full = absolute(path)
            if not Path(full).is_file():
                return None
            self.sources[path] = make_file(full, self.settings_of(path), listed=False)
        return self.sources[path]

    def source_line(self, path: str, line: int) -> str:
        """A line of a file, from 1."""
        file = self.source(path)
        return file.line(line) if file is not None else ""

    def settings_of(self, path: str) -> Settings:
        """The settings that hold for the file with a display path."""
        if path not in self.settings:
            self.settings[path] = self.resolver.for_directory(str(Path(absolute(path)).parent))
        return self.settings[path]

    # ------------------------------------------------------------------ shards

    def _jobs(self, files: Sequence[SourceFile]) -> list[Job]:
        """The work of each shard; a single one for few files."""
        count = self.options.jobs if self.options.jobs is not None else default_jobs()
        weights: list[int] = []
        candidates = 0
        for file in files if count > 1 else ():
            matters = may_matter(file.text)
            candidates += matters
            weights.append(max(len(file.text), _MIN_WEIGHT) if matters else len(file.text) // 20 + 1)
        if count == 1 or candidates < PARALLEL_FROM:
            return [self.job(files)]
        return [self.job(files, own) for own in share_out(files, weights, count)]

    def job(self, files: Sequence[SourceFile], own: Sequence[str] | None = None) -> Job:
        """The work of a shard that owns the files with paths `own` (None: all)."""
        mine = tuple(own) if own is not None else tuple(file.path for file in files)
        return Job(tuple(files), mine, self.settings, self.registry.sources)

    def usage(self, indexes: Sequence[Index]) -> Usage:
        """How all kernels are run, gathered from all shards in an order that does not depend on their number."""
        kernels: dict[KernelId, KernelInfo] = {}
        launches: dict[KernelId, list[Launch]] = {}
        drivers: dict[KernelId, list[Driver]] = {}
        for file in sorted((file for index in indexes for file in index.files), key=lambda file: file.path):
            kernels.update({info.id: info for info in file.kernels})
            for launch in file.launches:
                for kernel in launch.kernels:
                    launches.setdefault(kernel, []).append(launch)
            for driver in file.drivers:
                if driver.kernel is not None:
                    drivers.setdefault(driver.kernel, []).append(driver)
        for index in indexes:
            for kernel, info in index.elsewhere.items():
                kernels.setdefault(kernel, info)
        helpers = frozenset(called for index in indexes for file in index.files for called in file.calls)
        kernels = {kernel: replace(info, is_helper=kernel in helpers) for kernel, info in kernels.items()}
        roles: dict[str, str] = {}
        for kernel in kernels:
            if kernel.path not in roles:
                file_of_kernel = self.source(kernel.path)
                roles[kernel.path] = file_of_kernel.role if file_of_kernel is not None else "spyre"
        return Usage(kernels, _frozen(launches), _frozen(drivers), roles, helpers)

    # ------------------------------------------------------------------ findings

    def _load_errors(self) -> Iterable[Result]:
        for error in self.registry.errors:
            yield Result(
                INTERNAL_ERROR.violated(
                    Location(relative_path(error.path), 1),
                    f"the check could not be loaded: {error.message}",
                    help="its rules are not checked; mend or remove the module",
                )
            )

    def _unused_sources(self, settings: Iterable[Settings]) -> Iterable[str]:
        """What nested configurations say of checks: those of the run are what the configuration of its paths says."""
        sources = self.registry.sources
        for each in {id(one): one for one in settings}.values():
            for key, named, used in (
                ("invariants", each.invariants, sources.directories),
                ("plugins", each.plugins, sources.plugins),
            ):
                if not set(named) <= set(used) and (key == "invariants" or self.options.plugins):
                    yield f"{each.source}: `{key}` does not count here: only the configuration of the given paths does"

    def _uncovered(self) -> Iterable[Result]:
        """SPY902: invariant files of the project that nothing checks kernels against."""
        for each in self.registry.uncovered:
            what = f"nothing checks kernels against the invariant `{each.slug}`"
            covered = self.registry.invariant(each.slug) is not None
            if each.reason:
                what = f"a part of the invariant `{each.slug}` is not checked" if covered else what
                message, help_ = f"{what}: {each.reason}", "mend the file; `spyre-lint explain SPY902` tells its form"
            else:
                near = get_close_matches(each.slug, [known.slug for known in self.registry.invariants], n=1, cutoff=0.7)
                hint = f" (there is a checker called `{near[0]}`)" if near else ""
                message = f"{what}: it has no checker of that name, and its front matter declares nothing{hint}"
                help_ = "declare what is forbidden or required in its front matter, or write a checker for it"
            yield Result(WITHOUT_CHECKER.violated(Location(relative_path(each.path), each.line), message, help=help_))

    def _finish(self, results: Iterable[Result], sound: Sequence[SourceFile]) -> Outcome:
        """Final results in order.

        `sound` are the listed files that were checked: of the others it is not known what a suppression is good for.
        """
        merged = silence(merge(results), self.registry.rules)
        suppressor = Suppressor(self.registry, self.source)
        kept = suppressor.apply(merged)
        broken = {r.finding.location.path for r in merged if r.finding.code == INTERNAL_ERROR.code}
        if not self.registry.errors:
            kept += suppressor.complaints([file for file in sound if file.path not in broken])
        shown = [replace(each, finding=self._weighed(each.finding)) for each in kept if self._is_selected(each)]
        shown.sort(key=lambda result: (*result.finding.sort_key, result.finding.kernel or ""))
        findings = [result.finding for result in shown]
        relative = {path: self.settings_of(path).relative(path) for path in {f.location.path for f in findings}}
        named = with_fingerprints(findings, self.source_line, relative.__getitem__)
        return Outcome(
            [replace(result, finding=finding) for result, finding in zip(shown, named, strict=True)],
            suppressor.suppressed,
            len(kept) - len(shown),
        )

    def _is_selected(self, result: Result) -> bool:
        path = result.finding.location.path
        return result.finding.code in self.selector.codes_for(self.settings_of(path), path)

    def _weighed(self, finding: Finding) -> Finding:
        return with_level(finding, self.settings_of(finding.location.path))


def _frozen(lists: Mapping[K, list[V]]) -> dict[K, tuple[V, ...]]:
    return {key: tuple(values) for key, values in lists.items()}
