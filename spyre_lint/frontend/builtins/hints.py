"""Compiler hints: they return their operand; the rules say that a Spyre kernel has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.callsite import CallSite, builtin

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering


def _register() -> None:
    for name in ("multiple_of", "max_contiguous", "max_constancy"):

        def handler(lw: Lowering, call: CallSite, name: str = name) -> Any:
            value = lw.to_value(call.get("input"))
            return lw.make("hint", {"value": [value]}, value.type, fn=name, api=call.name)

        builtin(name, params="input values")(handler)

    def assume(lw: Lowering, call: CallSite) -> Any:
        value = lw.to_value(call.get("cond"))
        return lw.make("hint", {"value": [value]}, value.type, fn="assume", api=call.name)

    builtin("assume", params="cond")(assume)


_register()
