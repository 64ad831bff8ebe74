"""The command line. No logic lives here: options become a `RunOptions`, a `Report` becomes text and an exit status.

Everything that takes time to import is imported by the command that needs it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from spyre_lint import __version__

if TYPE_CHECKING:
    from spyre_lint.engine import RunOptions
    from spyre_lint.registry import Registry
    from spyre_lint.report import Report
    from spyre_lint.t1.models import T1Report

C = TypeVar("C", bound=Callable[..., Any])

EXIT_UNUSABLE = 2
"""Exit status where the tool could not do its job: bad usage or configuration, internal error."""


class DefaultGroup(click.Group):
    """A group whose `check` command is meant where no command is named: `spyre-lint kernels/`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `check` in front of arguments that name no command and ask for no help or version of the group."""
        first = args[0] if args else ""
        if first not in self.commands and first not in ("--help", "-h", "--version"):
            args = ["check", *args]
        return super().parse_args(ctx, args)


def _split(_ctx: click.Context, _param: click.Parameter, values: Iterable[str]) -> tuple[str, ...]:
    return tuple(item.strip() for value in values for item in value.split(",") if item.strip())


def _constexprs(ctx: click.Context, param: click.Parameter, values: Iterable[str]) -> dict[str, Any]:
    import ast

    from spyre_lint.config import constexpr_value

    found: dict[str, Any] = {}
    for name, text in _pairs(ctx, param, values):
        try:
            found[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            found[name] = constexpr_value(text)
    return found


def _dtypes(ctx: click.Context, param: click.Parameter, values: Iterable[str]) -> dict[str, str]:
    found = dict(_pairs(ctx, param, values))
    if found:
        from spyre_lint.ir.types import DTYPES, dtype_named

        for name, text in found.items():
            if dtype_named(text) is None:
                allowed = ", ".join(DTYPES)
                raise click.BadParameter(
                    f"{name}: {text!r} is none of {allowed} (with * in front for a pointer)", ctx, param
                )
    return found


def _pairs(ctx: click.Context, param: click.Parameter, values: Iterable[str]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for value in values:
        name, separator, text = value.partition("=")
        if not separator or not name.strip().isidentifier() or not text.strip():
            raise click.BadParameter(f"{value!r} is not of the form {param.metavar}", ctx, param)
        pairs.append((name.strip(), text.strip()))
    return pairs


def _kernel_options(command: C) -> C:
    """Options of every command that looks at kernels."""
    for option in (
        click.option("--config", metavar="FILE", help="Use this configuration file and look for no other."),
        click.option("--profile", type=click.Choice(("spyre", "stock")), help="Triton that the kernels are for."),
        click.option(
            "--constexpr", "constexprs", multiple=True, metavar="NAME=VALUE", callback=_constexprs,
            help="Value of a constexpr, for every kernel that has it. Repeatable.",
        ),
        click.option(
            "--dtype", "dtypes", multiple=True, metavar="ARG=TYPE", callback=_dtypes,
            help="Type of an argument (`x_ptr=*fp16`), for every kernel that has it. Repeatable.",
        ),
        click.option("--no-plugins", is_flag=True, help="Load no checkers of the project or of installed packages."),
    ):  # fmt: skip
        command = option(command)
    return command


@click.group(
    cls=DefaultGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Without a command, `check` is meant: `spyre-lint kernels/`.",
)
@click.version_option(__version__, prog_name="spyre-lint", message="%(prog)s %(version)s")
def cli() -> None:
    """Tell whether Triton kernels are fit for IBM Spyre, without running anything."""


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option(
    "--output-format",
    type=click.Choice(("text", "concise", "json", "sarif", "github")),
    default="text",
    show_default=True,
    help="How findings are written.",
)
@click.option("--output-file", metavar="FILE", help="Write the findings there instead of to stdout.")
@click.option("--select", multiple=True, metavar="RULES", callback=_split, help="Only these: codes, prefixes, names.")
@click.option(
    "--ignore", multiple=True, metavar="RULES", callback=_split, help="Not these, in addition to configured ones."
)
@click.option("--fail-on", type=click.Choice(("error", "warning", "note")), help="Least level that makes the run fail.")
@click.option("--strict", is_flag=True, help="Fail on what could not be proven, too.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), help="Processes to use [default: one per processor].")
@click.option("--statistics", is_flag=True, help="Add the number of findings per rule.")
@click.option("--quiet", "-q", is_flag=True, help="Write findings only: no summary, no notices.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
@_kernel_options
def check(
    paths: tuple[str, ...],
    output_format: str,
    output_file: str | None,
    statistics: bool,
    quiet: bool,
    color: str,
    **options: Any,
) -> None:
    """Lint kernels: PATHS are files or directories (default: the working directory)."""
    from spyre_lint.engine import check_paths
    from spyre_lint.engine.balance import tune_collector

    tune_collector()
    report = _or_exit(lambda: check_paths(paths or (".",), _run_options(**options)))
    _complain(report.problems, "error")
    if not quiet:
        _complain(report.notices, "note")
    _write(report, output_format, output_file, color=color, statistics=statistics, quiet=quiet)
    raise SystemExit(report.exit_status)


@cli.command()
@click.argument("topic", metavar="CODE|NAME|INVARIANT")
def explain(topic: str) -> None:
    """Show the page of a rule or invariant."""
    from spyre_lint.engine.explain import explanation

    registry = _registry()
    text = _or_exit(lambda: explanation(registry, topic))
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        click.echo(text)


@cli.command()
def rules() -> None:
    """List all rules: code, level, name and what they say."""
    from spyre_lint.engine.explain import rule_list

    click.echo(rule_list(_registry()))


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option(
    "--format", "output_format", type=click.Choice(("text", "markdown", "json")), default="text", show_default=True
)
@click.option("--output-file", metavar="FILE", help="Write the report there instead of to stdout.")
@click.option("--schema", is_flag=True, help="Write the JSON Schema of `--format json` and stop.")
@click.option(
    "--registry", "registry_file", metavar="FILE", help="Check that every kernel of a kernels.json was found."
)
@click.option("--update", is_flag=True, help="Write the T1 status of its kernels into the registry.")
@click.option("--check", "check_status", is_flag=True, help="Fail where a T1 status recorded in it no longer holds.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
@_kernel_options
def report(
    paths: tuple[str, ...],
    output_format: str,
    output_file: str | None,
    schema: bool,
    registry_file: str | None,
    update: bool,
    check_status: bool,
    color: str,
    **options: Any,
) -> None:
    """Tell the T1 status of every kernel and invariant, with the evidence it rests on."""
    import json

    from spyre_lint.engine.balance import tune_collector
    from spyre_lint.output import wants_color
    from spyre_lint.t1 import models, render
    from spyre_lint.t1.collect import collect

    if schema:
        click.echo(json.dumps(models.schema(), indent=2))
        return
    if (update or check_status) and registry_file is None:
        raise click.UsageError("--update and --check need --registry FILE")
    tune_collector()
    made, linted = _or_exit(lambda: collect(paths or (".",), _run_options(**options)))
    _complain(linted.problems, "error")
    colored = color == "always" or (color == "auto" and output_file is None and wants_color(sys.stdout))
    style = (lambda text, name: click.style(text, fg=name or None)) if colored else render.plain
    text = {
        "text": lambda: render.render_text(made, style),
        "markdown": lambda: render.render_markdown(made),
        "json": lambda: render.render_json(made),
    }[output_format]()
    _put(text, output_file, colored)
    stale = registry_file is not None and not _compare_registry(made, registry_file, update, check_status)
    raise SystemExit(EXIT_UNUSABLE if made.problems else 1 if stale else 0)


def _compare_registry(report: T1Report, path: str, update: bool, check_status: bool) -> bool:
    """Whether a registry agrees with a report; says where not, and writes the registry if asked to."""
    from spyre_lint.t1 import registry_file as registry

    known = _or_exit(lambda: registry.read_registry(path))
    found = registry.compare(known, report)
    _complain([f"{path}: {each}" for each in (*found.missing, *(found.stale if check_status else ()))], "error")
    if update:
        text = _or_exit(lambda: registry.updated(known, found))
        if text != known.text:
            _or_exit(lambda: registry.write_atomically(path, text))
    elif check_status:
        _complain([f"{path}: {each}; `--update` records it" for each in found.better], "note")
    return not found.missing and not (check_status and found.stale)


@cli.group(invoke_without_command=True)
@click.option("--config", metavar="FILE", help="Use this configuration file and look for no other.")
@click.option("--no-plugins", is_flag=True, help="Load no checkers of the project or of installed packages.")
@click.pass_context
def invariants(ctx: click.Context, config: str | None, no_plugins: bool) -> None:
    """List the invariants that hold here, what checks them, and the project's files about them."""
    from spyre_lint.invariants.listing import listing

    ctx.obj = {"config": config, "plugins": not no_plugins}
    if ctx.invoked_subcommand is None:
        click.echo(listing(_registry(config=config, no_plugins=no_plugins)))


@invariants.command("test")
@click.argument("directory", metavar="DIR")
@click.pass_obj
def test_invariants(options: dict[str, Any], directory: str) -> None:
    """Run the `python valid` and `python invalid CODE` blocks of the invariant files in DIR."""
    from spyre_lint.invariants.trial import try_invariants

    trials = _or_exit(lambda: list(try_invariants(directory, **options)))
    for trial in trials:
        for wrong in trial.wrong:
            click.echo(wrong)
        if not trial.wrong:
            click.echo(f"{trial.path}: {trial.note or f'{trial.blocks} blocks as the file says'}")
    failed = sum(trial.failed for trial in trials)
    click.echo(f"{len(trials)} invariants, {failed} of them not as they say" if failed else f"{len(trials)} invariants")
    raise SystemExit(1 if failed else 0)


@cli.command()
@click.argument("target", metavar="PATH[::KERNEL]")
@click.option("--unbound", is_flag=True, help="Show kernels without any binding: every branch, constexprs as symbols.")
@_kernel_options
def dump(target: str, unbound: bool, **options: Any) -> None:
    """Show the kernel IR that the checks see, under every binding."""
    from spyre_lint.engine.inspect import inspect
    from spyre_lint.ir.printer import print_kernel

    registry = _registry_for(target, options)
    result = _or_exit(lambda: inspect(target, _run_options(**options), registry))
    for context in result.contexts:
        for instance in [context.source] if unbound else context.instances:
            click.echo(f"# {context.info.id.path}::{context.info.name} under {instance.label}")
            click.echo(print_kernel(instance.ir).rstrip() + "\n")
    for failure in result.failures:
        click.echo(f"spyre-lint: error: {failure.finding.location}: {failure.finding.message}", err=True)
    raise SystemExit(EXIT_UNUSABLE if result.failures else 0)


@cli.command()
@click.argument("target", metavar="PATH[::KERNEL]")
@click.option("--format", "output_format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
@_kernel_options
def budget(target: str, output_format: str, color: str, **options: Any) -> None:
    """Show the scratchpad over a kernel's lines: the peak, what is live there, what would fit."""
    from spyre_lint.budget import budget_of
    from spyre_lint.engine.inspect import inspect
    from spyre_lint.output import budget as output
    from spyre_lint.output import wants_color

    registry = _registry_for(target, options)
    result = _or_exit(lambda: inspect(target, _run_options(**options), registry))
    budgets = [budget_of(context) for context in result.contexts]
    if output_format == "json":
        click.echo(output.render_json(budgets), nl=False)
    else:
        colored = color == "always" or (color == "auto" and wants_color(sys.stdout))
        lines = {context.info.id.path: context.file.line for context in result.contexts}
        text = output.render(
            budgets,
            lambda path, line: lines[path](line),
            style=(lambda text, name: click.style(text, fg=name)) if colored else output.plain,
            blocks=(getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "") in ("utf8", "utf16"),
        )
        click.echo(text, nl=False, color=colored)
    for failure in result.failures:
        _complain([f"{failure.finding.location}: {failure.finding.message}"], "error")
    raise SystemExit(EXIT_UNUSABLE if result.failures else 0)


@cli.command()
@click.argument("paths", nargs=-1, metavar="PATHS...", required=True)
@click.option("--allow-import", is_flag=True, help="Agree that the kernels' modules are imported: their code runs.")
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True, metavar="SECONDS",
    help="Longest time for one kernel under one binding, the import of its module included.",
)  # fmt: skip
@click.option("--format", "output_format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
@_kernel_options
def verify(
    paths: tuple[str, ...], allow_import: bool, timeout: float, output_format: str, color: str, **options: Any
) -> None:
    """Compare the linter with the Triton that is installed: tiles, peaks, errors. Runs the kernels' modules."""
    from spyre_lint.output import verify as output
    from spyre_lint.output import wants_color
    from spyre_lint.verify.command import verify as compare

    if allow_import:
        _complain(["the modules of the kernels are imported, which runs their code"], "note")
    made = _or_exit(lambda: compare(paths, _run_options(**options), allow_import=allow_import, timeout=timeout))
    _complain(made.problems, "error")
    if output_format == "json":
        click.echo(output.render_json(made), nl=False)
    else:
        colored = color == "always" or (color == "auto" and wants_color(sys.stdout))
        style = (lambda text, name: click.style(text, fg=name)) if colored else output.plain
        click.echo(output.render(made, style), nl=False, color=colored)
    raise SystemExit(made.exit_status)


def _run_options(
    *,
    config: str | None,
    profile: str | None,
    constexprs: dict[str, Any],
    dtypes: dict[str, str],
    no_plugins: bool = False,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    fail_on: str | None = None,
    strict: bool = False,
    jobs: int | None = None,
) -> RunOptions:
    from spyre_lint.config import Overrides
    from spyre_lint.engine import RunOptions
    from spyre_lint.findings import Level
    from spyre_lint.target import Profile

    overrides = Overrides(
        select=select,
        ignore=ignore,
        fail_on=Level(fail_on) if fail_on else None,
        strict=strict,
        profile=cast("Profile | None", profile),
        constexprs=constexprs,
        dtypes=dtypes,
    )
    return RunOptions(overrides=overrides, config=config, jobs=jobs, plugins=not no_plugins)


def _registry(path: str = ".", *, config: str | None = None, no_plugins: bool = False) -> Registry:
    from spyre_lint.invariants.locate import load_registry

    registry = _or_exit(lambda: load_registry([path], config=config, plugins=not no_plugins))
    _complain((f"{error.path}: the check could not be loaded: {error.message}" for error in registry.errors), "error")
    return registry


def _registry_for(target: str, options: dict[str, Any]) -> Registry:
    """The registry for `PATH::KERNEL` under the options of a command."""
    from spyre_lint.engine.inspect import split_target

    return _registry(split_target(target)[0], config=options["config"], no_plugins=options["no_plugins"])


T = TypeVar("T")


def _or_exit(action: Callable[[], T]) -> T:
    """The result of `action`; a configuration that cannot be used ends the program with its message and status 2."""
    from spyre_lint.config import ConfigError

    try:
        return action()
    except ConfigError as error:
        _complain(str(error).splitlines(), "error")
        raise SystemExit(EXIT_UNUSABLE) from None


def _complain(messages: Iterable[str], kind: str) -> None:
    for message in messages:
        click.echo(f"spyre-lint: {kind}: {message}", err=True)


def _write(
    report: Report, output_format: str, output_file: str | None, *, color: str, statistics: bool, quiet: bool
) -> None:
    from spyre_lint.output import render, wants_color

    colored = color == "always" or (color == "auto" and output_file is None and wants_color(sys.stdout))
    _put(render(report, output_format, color=colored, statistics=statistics, quiet=quiet), output_file, colored)


def _put(text: str, output_file: str | None, colored: bool) -> None:
    """Write a command's output to a file or to stdout."""
    if output_file is None:
        click.echo(text, nl=False, color=colored)
        return
    try:
        Path(output_file).write_text(text, encoding="utf-8")
    except OSError as error:
        _complain([f"{output_file}: cannot be written: {(error.strerror or str(error)).lower()}"], "error")
        raise SystemExit(EXIT_UNUSABLE) from None


def main() -> None:
    """The console script. A defect of the tool ends with its traceback and exit status 2, never with 1."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    try:
        cli(prog_name="spyre-lint")
    except Exception:
        import traceback

        traceback.print_exc()
        click.echo("spyre-lint: error: this is a defect of spyre-lint, not of the linted code", err=True)
        raise SystemExit(EXIT_UNUSABLE) from None
