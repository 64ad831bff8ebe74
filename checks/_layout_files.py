"""Files in the layout of a kernel repository: names, headers, notes, signatures (SPY801, SPY802, SPY803, SPY805)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from spyre_lint.checks._support import listed
from spyre_lint.context import FileContext, KernelInfo
from spyre_lint.findings import Finding, Level, Location, Related
from spyre_lint.rules import Rule
from spyre_lint.source.header import COPYRIGHT, LICENSE, ORIGINAL, Header
from spyre_lint.source.notes import NAME as NOTES
from spyre_lint.source.notes import NotesItem

KERNEL_NAME = Rule("SPY801", "kernel-name", Level.NOTE, "The kernel is not called as the layout calls it.")
FILE_HEADER = Rule("SPY802", "file-header", Level.NOTE, "The SPDX lines or the `Original:` line are missing or differ.")
CONVERSION_NOTES = Rule(
    "SPY803",
    "conversion-notes",
    Level.WARNING,
    "The conversion notes are missing, lack this variant's section, or contradict the code.",
)
SIGNATURE_DRIFT = Rule(
    "SPY805", "signature-drift", Level.NOTE, "The signature is not the original kernel's with parameters added."
)


@dataclass(frozen=True, slots=True)
class Variant:
    """One kind of converted file: the ending of its kernel's name and the title of its section in the notes."""

    ending: str
    section: str


SPYRE_AWARE = Variant("spyre", "Spyre-aware conversion")
VARIANTS = {
    "spyre.py": SPYRE_AWARE,
    "spyre_aware.py": SPYRE_AWARE,
    "tensor_descriptor.py": Variant("td", "Tensor-descriptor conversion"),
}
"""The files that the layout names. Source: the conversion skill and the README of the kernel repository."""

_NONE = re.compile(r"\W*(none|nothing|no gaps?|n/?a)\b(?!\s+of\b)", re.IGNORECASE)
_PYTHON_FILE = re.compile(r"[\w./-]*\w\.py\b")
_ARROW = re.compile(r"→|->|=>")


def variant_of(context: FileContext) -> Variant | None:
    """What kind of converted file this is; None for a file that the layout does not name, or that has no kernel."""
    return VARIANTS.get(context.beside.name) if context.kernels else None


def expected_name(context: FileContext, variant: Variant) -> str:
    """What the layout calls the kernel of a file."""
    return f"_{re.sub(r'[^0-9A-Za-z_]', '_', context.beside.directory)}_kernel_{variant.ending}"


def main_kernel(context: FileContext, name: str) -> KernelInfo | None:
    """The kernel with this name, or the only one that no other kernel calls."""
    launched = [info for info in context.kernels if not info.is_helper]
    named = next((info for info in launched if info.name == name), None)
    return named or (launched[0] if len(launched) == 1 else None)


def judge_name(context: FileContext, variant: Variant) -> Iterator[Finding]:
    """SPY801."""
    wanted = expected_name(context, variant)
    launched = [info for info in context.kernels if not info.is_helper]
    if launched and all(info.name != wanted for info in launched):
        yield KERNEL_NAME.violated(
            launched[0].loc,
            f"the kernel of `{context.beside.directory}/{context.beside.name}` is called `{launched[0].name}`, "
            f"and the layout calls it `{wanted}`",
            help=f"rename it to `{wanted}`, in the driver and the wrapper too",
            evidence={"expected": wanted},
        )


def judge_header(context: FileContext) -> Iterator[Finding]:
    """SPY802."""
    header, original = context.beside.header, context.beside.original_header
    missing = [f"`{name}:`" for name in (LICENSE, COPYRIGHT, ORIGINAL) if header.first(name) is None]
    if missing:
        yield FILE_HEADER.violated(
            Location(context.file.path, 1),
            f"the header lacks the line{'s' if len(missing) > 1 else ''} {_and(missing)}",
            help="begin the file with the SPDX lines of the original and `# Original: <path>` "
            "(`# Original: none` for a kernel that was not converted)",
            evidence={"missing": [name.strip("`:") for name in missing]},
        )
    stated = header.first(ORIGINAL)
    if stated is not None and original is not None and _NONE.match(stated.value):
        message = "the header says that there is no original, and `original.py` stands beside this file"
        yield FILE_HEADER.violated(stated.loc, message, help="name the path of the original")
    if original is not None:
        yield from _differences(header, original)


def _differences(header: Header, original: Header) -> Iterator[Finding]:
    """SPDX lines that are not those of the original."""
    for name in (LICENSE, COPYRIGHT):
        theirs = original.all(name)
        allowed = [entry.value for entry in theirs]
        ours = header.all(name)
        for entry in ours if theirs else ():
            if entry.value not in allowed:
                wanted = _and([f"`{value}`" for value in allowed])
                yield FILE_HEADER.violated(
                    entry.loc,
                    f"`{name}` is `{entry.value}` here and {wanted} in `original.py`",
                    help="keep the lines of the original: the conversion is a work derived from it",
                    related=[Related("the original's line", theirs[0].loc)],
                )
        lost = [entry for entry in theirs if entry.value not in [each.value for each in ours]]
        if lost and ours and all(entry.value in allowed for entry in ours):
            yield FILE_HEADER.violated(
                ours[-1].loc,
                f"the original's line `{name}: {lost[0].value}` is missing",
                help="keep all SPDX lines of the original",
                related=[Related("the original's line", lost[0].loc)],
            )


def judge_notes(context: FileContext, variant: Variant) -> Iterator[Finding]:
    """SPY803."""
    notes = context.beside.notes
    if notes is None:
        yield CONVERSION_NOTES.violated(
            Location(context.file.path, 1),
            f"there is no `{NOTES}` beside `{context.beside.name}`",
            help=f"write one with a section `## {variant.section}`: source, how each invariant is met, gaps, and every "
            "change of the signature",
        )
        return
    section = notes.section(variant.section)
    if section is None:
        title = notes.text.split("\n", 1)[0]
        # Two variants may lack their sections: the ranges differ, so that they are two findings.
        start = 1 if variant is SPYRE_AWARE else len(title) - len(title.lstrip("# ")) + 1
        yield CONVERSION_NOTES.violated(
            Location(notes.path, 1, start, 1, max(len(title), start) + 1),
            f"the notes have no section `## {variant.section}`, and `{context.beside.name}` stands beside them",
            help="add the section: source, how each invariant is met, gaps, and every change of the signature",
            related=[Related("the file that it is about", Location(context.file.path, 1))],
        )
        return
    if "source" in section.items:
        yield from _source(context, section.items["source"])
    if "gaps" in section.items:
        yield from _gaps(context, section.items["gaps"])


def _source(context: FileContext, item: NotesItem) -> Iterator[Finding]:
    parts = _ARROW.split(item.text, maxsplit=1)
    source = parts[0]
    named = [path.rpartition("/")[2] for path in _PYTHON_FILE.findall(source)]
    absent = [name for name in named if name in (*VARIANTS, "original.py", "block_ptr.py")]
    absent = [name for name in absent if not context.beside.exists(name)]
    message = ""
    if absent:
        message = f"the notes name {listed(absent)} as the source, and there is no such file here"
    elif _NONE.match(source) and context.beside.exists("original.py"):
        message = "the notes say that there is no source, and `original.py` stands beside them"
    else:
        results = [path.rpartition("/")[2] for path in _PYTHON_FILE.findall(parts[1])] if len(parts) > 1 else []
        if results and context.beside.name not in results:
            message = f"the notes of this section are about {listed(results)}, and the file is `{context.beside.name}`"
    if message:
        help_ = f"write what this file was made from: `- Source: original.py → {context.beside.name}`"
        yield CONVERSION_NOTES.violated(item.loc, message, help=help_)


def _gaps(context: FileContext, item: NotesItem) -> Iterator[Finding]:
    gaps = context.file.gaps
    if _NONE.match(item.text) and gaps:
        gap = gaps[0]
        count = f"{len(gaps)} declarations" if len(gaps) > 1 else "a declaration"
        yield CONVERSION_NOTES.violated(
            item.loc,
            f"the notes say that there are no gaps, and `{context.beside.name}` has {count} `# [gap]`",
            help="name each gap and its site in the notes",
            related=[
                Related("a gap is declared here", Location(context.file.path, g.line, g.column, g.line, g.end_column))
                for g in gaps
            ],
            evidence={"gaps": len(gaps), "limitation": gap.limitation},
        )
    elif item.text and not _NONE.match(item.text) and not gaps:
        yield CONVERSION_NOTES.violated(
            item.loc,
            f"the notes name a gap, and `{context.beside.name}` has no `# [gap]`",
            help="annotate the site with `# [gap] <limitation>`, or write `- Gaps: none`",
        )


def judge_signature(context: FileContext, variant: Variant) -> Iterator[Finding]:
    """SPY805."""
    kernel = main_kernel(context, expected_name(context, variant))
    original = _original(context)
    if kernel is None or original is None or kernel.open_signature or original.open_signature:
        return
    ours, theirs = [param.name for param in kernel.params], [param.name for param in original.params]
    drifted = list(_drift(theirs, ours))
    notes = context.beside.notes
    renamed = {said.partition("is called ")[2].strip("`") for said in drifted}
    added = [name for name in ours if name not in theirs and name not in renamed]
    if notes is not None:
        untold = [name for name in added if not re.search(rf"\b{re.escape(name)}\b", notes.text)]
        if untold:
            drifted.append(f"{listed(untold)} {_are(untold)} added and the notes do not name {_it(untold)}")
    if drifted:
        yield SIGNATURE_DRIFT.violated(
            kernel.loc,
            f"the signature is not that of `{original.name}` in `original.py`: {_and(drifted)}",
            help="keep the original's parameters and their order, so that one wrapper can call both; name added ones "
            "in the notes",
            related=[Related("the original kernel", original.loc)],
        )


def _original(context: FileContext) -> KernelInfo | None:
    """The kernel of `original.py` that this file converts: the one its header names, or the only one."""
    found = [info for info in context.kernels_beside("original.py") if not info.is_helper]
    named = next((info for info in found if info.name == context.beside.header.converts), None)
    return named or (found[0] if len(found) == 1 else None)


def _drift(theirs: Sequence[str], ours: Sequence[str]) -> Iterator[str]:
    """What became of the original's parameters, in words."""
    renamed: dict[str, str] = {}
    missing = [name for name in theirs if name not in ours]
    for kind, i, j, k, m in SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        if kind == "replace" and j - i == m - k:
            pairs = zip(theirs[i:j], ours[k:m], strict=True)
            renamed.update({old: new for old, new in pairs if old in missing and new not in theirs})
    gone = [name for name in missing if name not in renamed]
    if gone:
        yield f"{listed(gone)} {_are(gone)} missing"
    yield from (f"`{old}` is called `{new}`" for old, new in renamed.items())
    common = [name for name in theirs if name in ours]
    order = [name for name in ours if name in theirs]
    kept = {
        common[block.a + step]
        for block in SequenceMatcher(None, common, order, autojunk=False).get_matching_blocks()
        for step in range(block.size)
    }
    moved = [name for name in common if name not in kept]
    if moved:
        yield f"{listed(moved)} {'has' if len(moved) == 1 else 'have'} moved"


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _it(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
