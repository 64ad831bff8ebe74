"""Running the code blocks of a directory of invariant files: do they hold what the files say?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from spyre_lint.config import ConfigError
from spyre_lint.invariants.files import read_invariants
from spyre_lint.invariants.locate import sources_for
from spyre_lint.invariants.pages import BlockError, blocks_of, run_block
from spyre_lint.registry import Registry
from spyre_lint.source.files import absolute, relative_path


@dataclass(slots=True)
class Trial:
    """One invariant file: how many of its blocks were run, and what is wrong, each with its place."""

    path: str
    blocks: int = 0
    wrong: list[str] = field(default_factory=list)
    note: str = ""
    """Why nothing was run, if so."""

    @property
    def failed(self) -> bool:
        """Whether the file does not hold what it says."""
        return bool(self.wrong)


def try_invariants(directory: str, *, config: str | None = None, plugins: bool = True) -> Iterator[Trial]:
    """Run the `valid` and `invalid` blocks of every invariant file of a directory.

    Raises:
        ConfigError: if there is no such directory, or a configuration cannot be used.
    """
    place = absolute(directory)
    if not Path(place).is_dir():
        raise ConfigError(f"{directory}: no such directory")
    sources = sources_for([directory, "."], config=config, plugins=plugins)
    if place not in sources.directories:
        sources = replace(sources, directories=(*sources.directories, place))
    registry = Registry.load(sources=sources)
    if registry.errors:
        raise ConfigError(
            "\n".join(f"{each.path}: the check could not be loaded: {each.message}" for each in registry.errors)
        )
    for file in read_invariants([place]):
        yield _try(file.path, file.slug, file.problem, file.line, registry)


def _try(path: str, slug: str, problem: str, line: int, registry: Registry) -> Trial:
    shown = relative_path(path)
    trial = Trial(shown)
    if problem:
        trial.wrong.append(f"{shown}:{line}: {problem}")
        return trial
    invariant = registry.invariant(slug)
    try:
        blocks = list(blocks_of(slug, Path(path).read_text(encoding="utf-8"), strict=False))
    except BlockError as error:
        trial.wrong.append(f"{Path(shown).parent / str(error)}")
        return trial
    if invariant is None:
        trial.note = "nothing checks this invariant"
        if blocks:
            trial.wrong.append(f"{shown}:{blocks[0].line}: nothing checks this invariant, so its blocks cannot hold")
        return trial
    if not blocks:
        trial.note = "it has no block that is tagged `python valid` or `python invalid CODE`"
    for block in blocks:
        trial.blocks += 1
        trial.wrong += [f"{shown}:{block.line}: {said}" for said in run_block(block, invariant, registry)]
    return trial
