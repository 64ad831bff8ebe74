"""What Triton's frontend says of kernels as text for a terminal and as JSON (`spyre-lint verify`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from spyre_lint.analysis.live_tiles import size_text
from spyre_lint.verify.command import BindingVerdict, Status, Verification

Style = Callable[[str, str], str]
"""A text and the name of its colour to the text to print."""

_COLORS: dict[Status, str] = {"agrees": "green", "differs": "red", "not verified": "yellow", "failed": "yellow"}


def plain(text: str, _color: str) -> str:
    """The style of output that is no terminal."""
    return text


def render(verification: Verification, style: Style = plain) -> str:
    """The verdicts for people: one block per kernel, then how many bindings agree."""
    lines: list[str] = []
    for kernel in verification.kernels:
        lines.append(f"{kernel.kernel}  {kernel.path}")
        for binding in kernel.bindings:
            lines += _binding(binding, style)
        lines.append("")
    lines.append(_summary(verification, style))
    return "".join(f"{line}\n" for line in lines)


def _binding(binding: BindingVerdict, style: Style) -> list[str]:
    heading = f"{binding.label} ({binding.source})" if binding.source else "no binding"
    lines = [f"  {heading}: {style(_verdict(binding), _COLORS[binding.status])}"]
    for each in binding.differences:
        where = f" (they part at line {each.line})" if each.line else ""
        lines += [f"    {each.what}{where}", f"      spyre-lint: {each.linter}", f"      Triton:     {each.triton}"]
    return lines


def _verdict(binding: BindingVerdict) -> str:
    rejection = binding.rejection
    if binding.status == "differs":
        return "differs"
    if binding.status == "agrees":
        if rejection is not None:
            return f"agrees: both reject it: {', '.join(rejection.codes)}; {rejection.text}"
        count = "1 tile" if binding.tiles == 1 else f"{binding.tiles} tiles"
        return f"agrees: peak {size_text(binding.peak_bytes or 0)}, {count}"
    said = "not verified" if binding.status == "not verified" else "could not be verified"
    return f"{said}: {binding.reason}" + (f" ({rejection.text})" if rejection is not None else "")


def _summary(verification: Verification, style: Style) -> str:
    agree, differ = verification.count("agrees"), verification.count("differs")
    without, failed = verification.count("not verified"), verification.count("failed")
    bindings = "1 binding" if agree + differ == 1 else f"{agree + differ} bindings"
    with_what = " ".join(("Triton", *filter(None, (verification.triton,))))
    target = f" ({verification.target})" if verification.target else ""
    if not agree + differ:
        text, color = "Nothing was compared", "yellow"
    elif differ:
        text, color = f"{differ} of {bindings} {'differs' if differ == 1 else 'differ'} from {with_what}{target}", "red"
    else:
        text, color = f"{bindings} compared: all agree with {with_what}{target}", "green"
    rest = [f"{without} not verified"] if without else []
    rest += [f"{failed} could not be verified"] if failed else []
    return style("; ".join((text, *rest)), color)


def render_json(verification: Verification) -> str:
    """The verdicts as one JSON object."""
    statuses: tuple[Status, ...] = ("agrees", "differs", "not verified", "failed")
    data = {
        "version": 1,
        "triton": verification.triton,
        "target": verification.target,
        "kernels": [
            {"path": k.path, "kernel": k.kernel, "bindings": [_binding_data(b) for b in k.bindings]}
            for k in verification.kernels
        ],
        "summary": {status: verification.count(status) for status in statuses},
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _binding_data(binding: BindingVerdict) -> dict[str, Any]:
    rejection = binding.rejection
    return {
        "label": binding.label,
        "source": binding.source,
        "status": binding.status,
        "reason": binding.reason or None,
        "peak_bytes": binding.peak_bytes,
        "triton_peak_bytes": binding.triton_peak_bytes,
        "tiles": binding.tiles,
        "triton_error": None
        if rejection is None
        else {
            "type": rejection.type,
            "message": rejection.message,
            "line": rejection.line or None,
            "codes": list(rejection.codes),
        },
        "differences": [
            {"what": each.what, "linter": each.linter, "triton": each.triton, "line": each.line or None}
            for each in binding.differences
        ],
        "stubbed": list(binding.stubbed),
    }
