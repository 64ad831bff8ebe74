"""Checks made from declarations: what a kernel calls, is decorated with, names and passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from spyre_lint.context import KernelContext, KernelInstance
from spyre_lint.findings import Finding, Level, Location, Related
from spyre_lint.invariants.front_matter import Declaration, canonical_pattern
from spyre_lint.ir.core import Use
from spyre_lint.rules import Check, Rule

_SHOWN = {
    "triton.language.tensor_descriptor.": "desc.",
    "triton.language.tensor.": "tile.",
    "triton.language.": "tl.",
}


def checks_from(declarations: Iterable[Declaration]) -> list[Check]:
    """One check per declared rule."""
    return [_Declared(each).check() for each in declarations]


@dataclass(frozen=True)
class _Asked:
    calls: tuple[str, ...]
    required_calls: tuple[str, ...]
    decorators: tuple[str, ...]
    required_decorators: tuple[str, ...]
    attributes: tuple[str, ...]
    arguments: Mapping[str, Sequence[str]]
    required: Mapping[str, Sequence[str]]


class _Declared:
    """A declared rule as a check function of a kernel."""

    def __init__(self, declaration: Declaration) -> None:
        model = declaration.model
        self._message = model.message or declaration.title
        self._help = model.help
        self.rule = Rule(
            declaration.code,
            declaration.name,
            Level(model.level),
            _sentence(self._message.replace("{name}", "it")),
            roles=tuple(model.roles),
        )
        self._model = model

    @cached_property
    def _asked(self) -> _Asked:
        """What is asked, in canonical names."""
        model = self._model
        return _Asked(
            calls=_patterns(model.forbidden_calls),
            required_calls=_patterns(model.required_calls),
            decorators=_patterns(model.forbidden_decorators),
            required_decorators=_patterns(model.required_decorators),
            attributes=_patterns(model.forbidden_attributes),
            arguments=dict(zip(_patterns(model.forbidden_arguments), model.forbidden_arguments.values(), strict=True)),
            required=dict(zip(_patterns(model.required_arguments), model.required_arguments.values(), strict=True)),
        )

    def check(self) -> Check:
        """The check, for the registry."""

        def declared(context: KernelContext) -> Iterator[Finding]:
            return self.judge(context)

        declared.__name__ = self.rule.name
        return Check(declared, (self.rule,), "kernel")

    def judge(self, context: KernelContext) -> Iterator[Finding]:
        """Findings for one kernel."""
        yield from self._judge_decorators(context)
        views = [context.source, *(each for each in context.instances if each is not context.source)]
        for instance in views:
            for use in instance.ir.uses:
                for what in self._wrong(use):
                    yield self._finding(use.loc, what, instance.related_stack(use.stack))
        yield from self._judge_missing_calls(context, views)

    def _wrong(self, use: Use) -> Iterator[str]:
        """What is wrong about one use of a name, in words."""
        if use.kind == "name":
            if _matches(use.name, self._asked.attributes):
                yield f"`{shown(use.name)}`"
            return
        if _matches(use.name, self._asked.calls):
            yield f"`{shown(use.name)}`"
        for call, names in self._asked.arguments.items():
            for name in names if fnmatchcase(use.name, call) else ():
                if name in use.keywords:
                    yield f"`{name}=` of `{shown(use.name)}`"
        for call, names in self._asked.required.items():
            missing = [name for name in names if name not in use.keywords] if fnmatchcase(use.name, call) else []
            if missing:
                yield f"no {' and '.join(f'`{name}=`' for name in missing)} in `{shown(use.name)}`"

    def _judge_decorators(self, context: KernelContext) -> Iterator[Finding]:
        for decorator in context.info.decorators:
            if _matches(decorator.name, self._asked.decorators):
                yield self._finding(decorator.loc, f"`@{decorator.name}`")
        names = [decorator.name for decorator in context.info.decorators]
        for pattern in self._asked.required_decorators:
            if not any(fnmatchcase(name, pattern) for name in names):
                yield self._finding(context.info.loc, f"no `@{shown(pattern)}` on `{context.info.name}`")

    def _judge_missing_calls(self, context: KernelContext, views: Sequence[KernelInstance]) -> Iterator[Finding]:
        for pattern in self._asked.required_calls:
            called = any(
                use.kind == "call" and fnmatchcase(use.name, pattern) for each in views for use in each.ir.uses
            )
            if called:
                continue
            what = f"no call of `{shown(pattern)}` in `{context.info.name}`"
            if any(each.ir.incomplete for each in views):
                reason = "a part of the kernel could not be followed"
                yield self.rule.unproven_at(context.info.loc, f"{self._message}: {what}, but {reason}", help=self._help)
            else:
                yield self._finding(context.info.loc, what)

    def _finding(self, loc: Location, what: str, related: Sequence[Related] = ()) -> Finding:
        message = self._message
        message = message.replace("{name}", what) if "{name}" in message else f"{what}: {message}"
        return self.rule.violated(loc, message, help=self._help, related=related)


def shown(name: str) -> str:
    """A canonical name as an author writes it."""
    for full, short in _SHOWN.items():
        if name.startswith(full):
            return short + name[len(full) :]
    return name


def _patterns(names: Iterable[str]) -> tuple[str, ...]:
    from spyre_lint.frontend.callsite import canonical_api

    return tuple(canonical_api(canonical_pattern(name)) for name in names)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
