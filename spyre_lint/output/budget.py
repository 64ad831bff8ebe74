"""The scratchpad of kernels as text for a terminal and as JSON (`spyre-lint budget`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from spyre_lint.analysis.fit import Fits
from spyre_lint.analysis.live_tiles import LivePoint, LiveTile, size_text, tile_data
from spyre_lint.budget import BindingBudget, KernelBudget

WIDTH = 100
"""Columns that no line of the text exceeds."""
_BAR_CELLS = 20
_EIGHTHS = " ▏▎▍▌▋▊▉█"

Style = Callable[[str, str], str]
"""A text and the name of its colour (red, yellow, green, cyan) to the text to print."""


def plain(text: str, _color: str) -> str:
    """The style of output that is no terminal."""
    return text


def render(
    kernels: Sequence[KernelBudget],
    source_line: Callable[[str, int], str],
    *,
    style: Style = plain,
    blocks: bool = True,
) -> str:
    """The budgets for people. `blocks` draws bars of block characters, otherwise of `#`.

    `source_line(path, line)` is the text of a line of a file.
    """
    lines: list[str] = []
    for kernel in kernels:
        lines.append(_cut(f"{kernel.kernel}  {kernel.path}"))
        for binding in kernel.bindings:
            lines += ["", *_binding(kernel, binding, source_line, style, blocks)]
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def _binding(
    kernel: KernelBudget,
    binding: BindingBudget,
    source_line: Callable[[str, int], str],
    style: Style,
    blocks: bool,
) -> list[str]:
    heading = f"{binding.label} ({binding.source})" if binding.source else "no binding"
    given = [f"{name}={value}" for name, value in (*binding.constexprs.items(), *binding.dtypes.items())]
    lines = [_cut(f"  {heading}"), *_folded(given, "    ")]
    text, color = _verdict(kernel, binding)
    lines.append(style(_cut(f"  {text}"), color))
    if binding.live.assumed:
        lines += _words(f"assuming {binding.live.assumptions()}", "  ")
        lines += _words(f"peak = {binding.live.formula_in_tiles}", "  ")
    lines += ["", *_bars(kernel, binding, source_line, style, blocks)]
    peak = binding.live.peak
    if peak.tiles:
        lines += ["", f"  live at the peak (line {peak.loc.line})", *_tiles(peak.tiles)]
    if binding.fits is not None:
        lines += ["", *_fits(binding.fits)]
    return lines


# ---- the verdict -------------------------------------------------------------------------------------------------


def _verdict(kernel: KernelBudget, binding: BindingBudget) -> tuple[str, str]:
    """One line: whether it fits, by how much, and what decides it."""
    live = binding.live
    size, usable = live.plausible_bytes, kernel.usable_bytes
    share = f"{size_text(size)}, {100 * size / kernel.scratchpad_bytes:.1f} % of {size_text(kernel.scratchpad_bytes)}"
    decided = f"; {_heaviest(live.peak)}" if live.peak.tiles else ""
    if live.unknown:
        return f"not known: at least {share}: {live.reason}", "yellow"
    assumed = " as assumed" if live.assumed else ""
    if size > kernel.scratchpad_bytes:
        over = size_text(size - kernel.scratchpad_bytes)
        return f"does not fit{assumed}: {share}, {over} too much{decided}", "red"
    if size > usable:
        over = size_text(size - usable)
        return f"too close{assumed}: {share}, {over} above the usable {size_text(usable)}{decided}", "yellow"
    return f"fits{assumed}: {share}, {size_text(usable - size)} to spare{decided}", "green"


def _heaviest(point: LivePoint) -> str:
    tile = point.tiles[0]
    return f"most: `{tile.name}` {tile.shape_text} {tile.dtype_text}, line {tile.loc.line}"


# ---- bars --------------------------------------------------------------------------------------------------------


def _bars(
    kernel: KernelBudget,
    binding: BindingBudget,
    source_line: Callable[[str, int], str],
    style: Style,
    blocks: bool,
) -> list[str]:
    """One line per source line of the kernel: bytes, share of the scratchpad, a bar relative to the peak, the text."""
    most = max((weight.bytes for weight in binding.live.lines), default=0)
    rows: list[str] = []
    for weight in binding.live.lines:
        bar = _bar(weight.bytes, most, blocks)
        color = (
            "red"
            if weight.bytes > kernel.scratchpad_bytes
            else "yellow"
            if weight.bytes > kernel.usable_bytes
            else "cyan"
        )
        share = f"{100 * weight.bytes / kernel.scratchpad_bytes:.1f} %"
        head = f"  {weight.line:>5}  {size_text(weight.bytes):>10}  {share:>7}  "
        text = source_line(kernel.path, weight.line).strip().expandtabs()
        rows.append(f"{head}{style(bar, color)}  {_cut(text, WIDTH - len(head) - _BAR_CELLS - 2)}".rstrip())
    return rows


def _bar(size: int, most: int, blocks: bool) -> str:
    eighths = round(8 * _BAR_CELLS * size / most) if most else 0
    if size and not eighths:
        eighths = 1
    if not blocks:
        return ("#" * -(-eighths // 8)).ljust(_BAR_CELLS)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(_BAR_CELLS)


# ---- tables ------------------------------------------------------------------------------------------------------


def _tiles(tiles: Sequence[LiveTile]) -> list[str]:
    rows = [
        (
            t.name,
            t.shape_text,
            t.dtype_text,
            size_text(t.at_sizes),
            f"line {t.loc.line}",
        )
        for t in tiles
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        _cut(
            f"    {name:<{widths[0]}}  {shape:>{widths[1]}}  {dtype:<{widths[2]}}  {size:>{widths[3]}}  {line}".rstrip()
        )
        for name, shape, dtype, size, line in rows
    ]


def _fits(fits: Fits) -> list[str]:
    lines = [f"  what would fit the usable {size_text(fits.limit)}"]
    for each in fits.largest:
        if each.largest is None:
            lines.append(_cut(f"    {each.name}: nothing, with the others as they are"))
        else:
            others = "" if len(fits.largest) == 1 else ", with the others as they are"
            lines.append(_cut(f"    {each.name} up to {each.largest} ({size_text(each.bytes)}{others})"))
    if len(fits.largest) > 1 and fits.combinations:
        lines.append("    largest together, most even first:")
        for combination in fits.combinations:
            sizes = " ".join(f"{name}={size}" for name, size in combination.sizes.items())
            lines.append(_cut(f"      {sizes}  {size_text(combination.bytes)}"))
    return lines


# ---- layout ------------------------------------------------------------------------------------------------------


def _cut(text: str, width: int = WIDTH) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def _folded(words: Sequence[str], indent: str) -> list[str]:
    """Words in lines of at most `WIDTH` columns."""
    lines: list[str] = []
    line = ""
    for word in words:
        if line and len(indent) + len(line) + 1 + len(word) > WIDTH:
            lines.append(_cut(indent + line))
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, _cut(indent + line)] if line else lines


def _words(text: str, indent: str) -> list[str]:
    return _folded(text.split(" "), indent)


# ---- JSON --------------------------------------------------------------------------------------------------------


def render_json(kernels: Sequence[KernelBudget]) -> str:
    """The budgets as one JSON object."""
    data = {
        "version": 1,
        "kernels": [
            {"path": k.path, "kernel": k.kernel, "bindings": [_binding_data(b) for b in k.bindings]} for k in kernels
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _binding_data(binding: BindingBudget) -> dict[str, Any]:
    live = binding.live
    return {
        "label": binding.label,
        "source": binding.source,
        "constexprs": dict(binding.constexprs),
        "dtypes": dict(binding.dtypes),
        "peak_bytes": live.peak_bytes,
        "peak_line": live.peak.loc.line,
        "live": [tile_data(tile) for tile in live.tiles],
        "fits": None if binding.fits is None else _fits_data(binding.fits),
        "formula": binding.formula,
    }


def _fits_data(fits: Fits) -> dict[str, Any]:
    return {
        "limit_bytes": fits.limit,
        "largest": {each.name: each.largest for each in fits.largest},
        "combinations": [{"sizes": dict(each.sizes), "bytes": each.bytes} for each in fits.combinations],
    }
