"""A shard: the part of a run that owns some of the files, with the project that their trees live in.

A run has one shard in its own process, or several in worker processes. Each knows all files (imports cross shards) but
indexes and checks only its own; a tree is parsed once per shard that needs it. The two steps are `index` (kernels,
launches, drivers) and `check` (everything else), because kernels are run from files of other shards.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from spyre_lint.bindings import Binding, Driver, Launch
from spyre_lint.config import Settings
from spyre_lint.context import (
    DriverContext,
    FileContext,
    KernelContext,
    KernelInfo,
    KernelInstance,
    LaunchContext,
    MaskedFill,
    NamedCall,
)
from spyre_lint.engine.results import FileIndex, Index, Result, Usage, internal_error
from spyre_lint.engine.settle import Group, settle_kernel
from spyre_lint.findings import Finding, Level, Location
from spyre_lint.ir.core import KernelIR
from spyre_lint.registry import Registry, Sources
from spyre_lint.rules import Check, Scope
from spyre_lint.source.beside import Beside
from spyre_lint.source.files import SourceFile, absolute, read_text
from spyre_lint.source.roles import KERNEL_CODES, kernel_gets, launch_gets
from spyre_lint.tool_rules import ANALYSIS_INCOMPLETE, SYNTAX_ERROR

if TYPE_CHECKING:
    from spyre_lint.frontend.kernels import Kernel
    from spyre_lint.frontend.project import Project

_HOST: Final = re.compile(r"\]\s*\(|\w\[\s*(?:\(|lambda\b)|\bgrid\s*=|\b(?:VARIANTS|SIGNATURE|GRID)\b")


def may_matter(text: str) -> bool:
    """Whether a file can define, launch or drive a kernel at all. Others are parsed for syntax errors only, and
    faster.
    """
    return "triton" in text or "jit" in text or _HOST.search(text) is not None


@dataclass(frozen=True, slots=True)
class Job:
    """What a shard is made of: all files of the run, which of them are its own, and the settings of each file."""

    files: tuple[SourceFile, ...]
    own: tuple[str, ...]
    settings: Mapping[str, Settings]
    sources: Sources


class Shard:
    """Indexes and checks its own files. Nothing it does raises: failures are results (SPY901, SPY905)."""

    def __init__(
        self,
        job: Job,
        registry: Registry | None = None,
        observe: Callable[[KernelContext], None] | None = None,
    ) -> None:
        self._observe = observe
        self._files = {file.path: file for file in job.files}
        self._own = job.own
        self._settings = job.settings
        self._registry = registry or Registry.load(sources=job.sources)
        self._by_scope: dict[Scope, list[Check]] = {}
        for check in self._registry.checks:
            self._by_scope.setdefault(check.scope, []).append(check)
        self._project: Project | None = None
        self._kernels: dict[str, list[Kernel]] = {}
        self._index: dict[str, FileIndex] = {}

    # ------------------------------------------------------------------ index

    @property
    def project(self) -> Project:
        """The tree; the parser is imported when a file first needs it."""
        if self._project is None:
            from spyre_lint.frontend.project import Project

            readable = {path: file for path, file in self._files.items() if file.problem is None}
            self._project = Project(readable, locate=_locate)
        return self._project

    def index(self) -> Index:
        """Read, parse and index the shard's files."""
        index = Index([self._index_file(self._files[path]) for path in self._own])
        self._find_launches(index.files)
        for file in index.files:
            self._index[file.path] = file
            wanted = [kernel for launch in file.launches for kernel in launch.kernels]
            wanted += [driver.kernel for driver in file.drivers if driver.kernel is not None]
            for kernel_id in wanted:
                if kernel_id.path not in self._files and kernel_id not in index.elsewhere:
                    found = next((k for k in self._kernels_in(kernel_id.path) if k.info.id == kernel_id), None)
                    if found is not None:
                        index.elsewhere[kernel_id] = found.info
        index.read_besides = tuple(self._project.located) if self._project is not None else ()
        return index

    def _index_file(self, file: SourceFile) -> FileIndex:
        entry = FileIndex(file.path)
        problem = file.problem
        if problem is not None:
            where = Location(file.path, problem.line)
            if problem.kind == "size":
                finding = SYNTAX_ERROR.unproven_at(where, problem.message, help=problem.help)
            else:
                finding = SYNTAX_ERROR.violated(where, problem.message, help=problem.help)
            entry.results.append(Result(finding))
            entry.failed = True
            return entry
        try:
            if may_matter(file.text):
                self._index_module(file, entry)
            else:
                syntax = _syntax_problem(file)
                if syntax is not None:
                    entry.results.append(Result(syntax))
                    entry.failed = True
        except Exception as error:
            entry.results.append(internal_error(f"reading {file.path}", error, Location(file.path, 1)))
            entry.failed = True
        return entry

    def _index_module(self, file: SourceFile, entry: FileIndex) -> None:
        from spyre_lint.frontend.drivers import drivers_of
        from spyre_lint.frontend.kernels import calls_of

        module = self.project.module(file.path)
        if module is None:
            syntax = self.project.syntax_errors.get(file.path)
            message, line, column = (syntax.message, syntax.line, syntax.column) if syntax else ("unreadable", 1, 1)
            entry.results.append(Result(syntax_error(file.path, message, line, column)))
            entry.failed = True
            return
        entry.kernels = [kernel.info for kernel in self._kernels_in(file.path)]
        entry.calls = calls_of(self.project, module) if entry.kernels else frozenset()
        entry.drivers = list(drivers_of(self.project, module))

    def _find_launches(self, files: Iterable[FileIndex]) -> None:
        """The launches of all files together, since callers in one tell which kernel a launch in another runs."""
        able = {file.path: file for file in files if not file.failed and may_matter(self._files[file.path].text)}
        if not able:
            return
        from spyre_lint.frontend.launches import find_launches

        try:
            for path, launches in find_launches(self.project, able).items():
                able[path].launches = launches
        except Exception as error:
            for path, file in able.items():
                file.results.append(internal_error(f"finding the launches of {path}", error, Location(path, 1)))

    def _kernels_in(self, path: str) -> list[Kernel]:
        if path not in self._kernels:
            from spyre_lint.frontend.kernels import kernels_of

            module = self.project.module(path)
            self._kernels[path] = [] if module is None else kernels_of(self.project, module, elsewhere=False)
        return self._kernels[path]

    # ------------------------------------------------------------------ check

    def check(self, usage: Usage) -> list[Result]:
        """All results of the shard's files, settled per kernel."""
        results: list[Result] = []
        for path in self._own:
            entry = self._index[path]
            file = self._files[path]
            results += entry.results
            if entry.failed:
                continue
            if KERNEL_CODES.get(file.role, ()):
                for kernel in self._known_kernels(path, usage) if entry.kernels else ():
                    if is_checked(kernel.info, file.role, usage):
                        results += self._check_kernel(kernel, file, usage)
            if file.listed:
                results += self._check_host(file, entry, usage)
                results += self._check_file(file, entry, usage)
        return results

    def _known_kernels(self, path: str, usage: Usage) -> list[Kernel]:
        """The kernels of a file with what all shards know of them: whether they are helpers."""
        return [replace(kernel, info=usage.known(kernel.info)) for kernel in self._kernels_in(path)]

    def contexts(self, path: str, usage: Usage, failures: list[Result]) -> list[KernelContext]:
        """The kernels of one of the shard's files, lowered; what fails is added to `failures`."""
        file = self._files[path]
        contexts = (
            self._context(kernel, file, usage, failures)
            for kernel in self._known_kernels(path, usage)
            if is_checked(kernel.info, file.role, usage)
        )
        return [context for context in contexts if context is not None]

    def _context(self, kernel: Kernel, file: SourceFile, usage: Usage, failures: list[Result]) -> KernelContext | None:
        info = kernel.info
        settings = self._settings[file.path]
        launches = list(usage.launches.get(info.id, ()))
        drivers = list(usage.drivers.get(info.id, ()))
        source = self._instance(kernel, file, settings, None, failures)
        if source is None:
            return None
        instances = [
            instance
            for binding in self._bindings(kernel, settings, launches, drivers, failures)
            if (instance := self._instance(kernel, file, settings, binding, failures)) is not None
        ]
        return KernelContext(info, file, settings, source, instances or [source], launches, drivers)

    def _check_kernel(self, kernel: Kernel, file: SourceFile, usage: Usage) -> list[Result]:
        info = kernel.info
        failures: list[Result] = []
        context = self._context(kernel, file, usage, failures)
        if context is None:
            return failures
        groups = [Group(self._run("source", context.source, file, info, failures))]
        for instance in context.instances:
            groups.append(Group(self._run("instance", instance, file, info, failures), instance.binding))
        groups.append(Group(self._run("kernel", context, file, info, failures)))
        groups.append(Group(_incomplete(context)))
        settled = settle_kernel(groups)
        if self._observe is not None:
            try:
                self._observe(context)
            except Exception as error:
                what = f"gathering evidence on kernel `{info.name}`"
                failures.append(internal_error(what, error, info.loc, (info.id,)))
        return [*failures, *(Result(_of_kernel(finding, info), (info.id,)) for finding in settled)]

    def _instance(
        self, kernel: Kernel, file: SourceFile, settings: Settings, binding: Binding | None, failures: list[Result]
    ) -> KernelInstance | None:
        from spyre_lint.frontend.lower import lower_kernel

        try:
            ir = lower_kernel(self.project, kernel, binding)
        except Exception as error:
            under = f" under {binding.label}" if binding else ""
            what = f"lowering the kernel `{kernel.info.name}`{under}"
            failures.append(internal_error(what, error, kernel.info.loc, (kernel.info.id,)))
            return None

        def relower(changed: Mapping[str, Any], left_open: Collection[str]) -> KernelIR:
            base = binding or Binding("unbound", "defaults")
            given = {**base.constexprs, **changed}
            kept = {name: value for name, value in given.items() if name not in left_open}
            return lower_kernel(self.project, kernel, replace(base, constexprs=kept))

        return KernelInstance(kernel.info, ir, binding, settings, file, relower, lambda: self._fills_beside(file))

    def _bindings(
        self,
        kernel: Kernel,
        settings: Settings,
        launches: Sequence[Launch],
        drivers: Sequence[Driver],
        failures: list[Result],
    ) -> list[Binding]:
        from spyre_lint.engine.configured import configured_bindings
        from spyre_lint.frontend.bind import bindings_for

        info = kernel.info
        try:
            configured = configured_bindings(settings, info)
            return list(bindings_for(info, launches, drivers, configured, settings.cli_constexprs, settings.cli_dtypes))
        except Exception as error:
            failures.append(internal_error(f"binding the kernel `{info.name}`", error, info.loc, (info.id,)))
            return []

    def _run(
        self, scope: Scope, context: Any, file: SourceFile, info: KernelInfo, failures: list[Result]
    ) -> list[Finding]:
        """What all checks of a scope yield for a kernel, as far as the file's role has them."""
        found: list[Finding] = []
        for check in self._by_scope.get(scope, ()):
            if not any(kernel_gets(file.role, rule.code, rule.roles) for rule in check.rules):
                continue
            try:
                yielded = list(check.function(context))
            except Exception as error:
                what = f"the check {check.name} of kernel `{info.name}`"
                failures.append(internal_error(what, error, info.loc, (info.id,)))
                continue
            found += [finding for finding in yielded if self._is_for(finding.code, file.role)]
        return found

    def _roles_of(self, code: str) -> tuple[str, ...]:
        """The roles that a rule names itself; empty where the table of roles decides."""
        rule = self._registry.rules.get(code)
        return rule.roles if rule is not None else ()

    def _is_for(self, code: str, role: str) -> bool:
        return kernel_gets(role, code, self._roles_of(code))

    def _check_host(self, file: SourceFile, entry: FileIndex, usage: Usage) -> Iterable[Result]:
        settings = self._settings[file.path]
        for launch in entry.launches:
            infos = [usage.kernels[kernel] for kernel in launch.kernels if kernel in usage.kernels]
            roles = [usage.roles.get(info.id.path, "spyre") for info in infos]
            launched = LaunchContext(launch, infos, roles, file, settings)
            yield from self._run_host("launch", launched, launch.loc, infos, roles)
        for driver in entry.drivers:
            driven = usage.kernels.get(driver.kernel) if driver.kernel is not None else None
            role = usage.roles.get(driven.id.path, "spyre") if driven is not None else None
            context = DriverContext(driver, driven, role, file, settings)
            known = [driven] if driven is not None else []
            yield from self._run_host("driver", context, driver.loc, known, [role] if role is not None else [])

    def _run_host(
        self,
        scope: Scope,
        context: LaunchContext | DriverContext,
        loc: Location,
        infos: Sequence[KernelInfo],
        roles: list[str],
    ) -> Iterable[Result]:
        """What all checks of a scope yield for a launch or driver; it speaks of the kernels it reaches."""
        ids = tuple(info.id for info in infos)
        for check in self._by_scope.get(scope, ()):
            if not any(launch_gets(roles, rule.code, rule.roles) for rule in check.rules):
                continue
            try:
                found = list(check.function(context))
            except Exception as error:
                yield internal_error(f"the check {check.name} of this {scope}", error, loc, ids)
                continue
            for finding in settle_kernel([Group(found)]):
                if launch_gets(roles, finding.code, self._roles_of(finding.code)):
                    yield Result(_of_kernel(finding, infos[0]) if len(infos) == 1 else finding, ids)

    def _check_file(self, file: SourceFile, entry: FileIndex, usage: Usage) -> Iterable[Result]:
        kernels = [usage.known(info) for info in entry.kernels]
        context = FileContext(
            file,
            kernels,
            self._settings[file.path],
            Beside(file),
            lambda name: self._kernels_beside(file, name, usage),
            lambda: self._calls(file, entry),
        )
        for check in self._by_scope.get("file", ()):
            if not any(kernel_gets(file.role, rule.code, rule.roles) for rule in check.rules):
                continue
            try:
                found = list(check.function(context))
            except Exception as error:
                yield internal_error(f"the check {check.name} of this file", error, Location(file.path, 1))
                continue
            for finding in settle_kernel([Group(found)]):
                if self._is_for(finding.code, file.role):
                    yield Result(finding, tuple(info.id for info in kernels if not info.is_helper))

    def _kernels_beside(self, file: SourceFile, name: str, usage: Usage) -> list[KernelInfo]:
        path = Beside(file).path(name)
        return [kernel.info for kernel in self._known_kernels(path, usage)]

    def _fills_beside(self, file: SourceFile) -> list[MaskedFill]:
        """The `other=` values of the original that stands beside a converted kernel."""
        from spyre_lint.frontend.kernels import masked_fills

        beside = Beside(file)
        if file.role == "original" or not beside.exists("original.py"):
            return []
        module = self.project.module(beside.path("original.py"))
        return [] if module is None else masked_fills(self.project, module)

    def _calls(self, file: SourceFile, entry: FileIndex) -> list[NamedCall]:
        from spyre_lint.frontend.kernels import named_calls

        module = self.project.module(file.path) if entry.kernels else None
        return [] if module is None else named_calls(self.project, module)


def is_checked(info: KernelInfo, role: str, usage: Usage) -> bool:
    """Whether a jit function is checked by itself: its role has rules, and it is no helper, or something launches
    it.
    """
    if not KERNEL_CODES.get(role, ()):
        return False
    return not info.is_helper or info.id in usage.launches or info.id in usage.drivers


def syntax_error(path: str, message: str, line: int, column: int) -> Finding:
    """A SPY901 finding."""
    where = Location(path, line, column)
    return SYNTAX_ERROR.violated(where, f"the file does not parse: {message}", help="nothing in this file was checked")


def _syntax_problem(file: SourceFile) -> Finding | None:
    """What Python's own parser says of a file that no kernel can be in."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(file.text, file.path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        line, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
        return syntax_error(file.path, error.msg or "invalid syntax", line, column)
    except (RecursionError, MemoryError):
        return syntax_error(file.path, "nesting is too deep for the parser", 1, 1)
    except ValueError as error:
        return syntax_error(file.path, str(error), 1, 1)
    return None


def _locate(path: str) -> str | None:
    """The text of a file that is not listed but imported, for the project."""
    full = absolute(path)
    text, problem = read_text(full)
    return None if problem is not None else text


def _of_kernel(finding: Finding, info: KernelInfo) -> Finding:
    return finding if finding.kernel is not None else finding.with_(kernel=info.id.name)


def _incomplete(context: KernelContext) -> list[Finding]:
    """SPY904: what of a kernel could not be followed, one finding per place."""
    reasons: dict[Location, dict[str, None]] = {}
    calls: dict[Location, tuple[Location, ...]] = {}
    for instance in (context.source, *context.instances):
        for gap in instance.ir.incomplete:
            reasons.setdefault(gap.loc, {})[gap.reason] = None
            calls.setdefault(gap.loc, gap.stack)
    return [
        ANALYSIS_INCOMPLETE.unproven_at(
            loc,
            "could not be followed: " + "; ".join(said),
            help="rules that depend on it are unproven for this kernel",
            related=context.source.related_stack(calls[loc]),
            level=Level.NOTE,
        )
        for loc, said in reasons.items()
    ]
