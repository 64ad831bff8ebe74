"""Roles: what a file is in the layout of a kernel repository, and so which families of rules its kernels get.

Defaults go by file name: `spyre.py`, `spyre_aware.py`, `*_spyre.py` and every file not named here are `spyre`;
`tensor_descriptor.py` and `*_td.py` are `descriptor`; `triton_kernel.py` under a directory `models` is `traced`;
`original.py` is `original`; `block_ptr.py` is `deprecated`; `wrapper.py`, `lower.py` and `meta.py` are `launcher`.
Configured globs come first; the last one that matches counts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal

from spyre_lint.source.globs import matches

Role = Literal["spyre", "descriptor", "traced", "original", "deprecated", "launcher"]

ROLES: Final[tuple[Role, ...]] = ("spyre", "descriptor", "traced", "original", "deprecated", "launcher")

_BY_NAME: Final[Mapping[str, Role]] = {
    "spyre.py": "spyre",
    "spyre_aware.py": "spyre",
    "tensor_descriptor.py": "descriptor",
    "original.py": "original",
    "block_ptr.py": "deprecated",
    "wrapper.py": "launcher",
    "lower.py": "launcher",
    "meta.py": "launcher",
}

_DESCRIPTOR_CODES: Final = ("SPY1", "SPY2", "SPY6", "SPY801", "SPY803")
_TRACED_CODES: Final = ("SPY1", "SPY2", "SPY301", "SPY401", "SPY6")
_LAUNCH_CODES: Final = ("SPY301", "SPY302", "SPY309", "SPY402", "SPY604", "SPY605", "SPY806", "SPY807")
_TRACED_LAUNCH_CODES: Final = ("SPY301", "SPY807")

KERNEL_CODES: Final[Mapping[str, tuple[str, ...]]] = {
    "spyre": ("SPY",),
    "descriptor": _DESCRIPTOR_CODES,
    "traced": _TRACED_CODES,
    "original": (),
    "deprecated": (),
    "launcher": (),
}
"""Prefixes of the codes that a kernel's definition gets, by the role of its file. Source: the rules' table of roles."""

LAUNCH_CODES: Final[Mapping[str, tuple[str, ...]]] = {
    "spyre": _LAUNCH_CODES,
    "descriptor": (),
    "traced": _TRACED_LAUNCH_CODES,
    "original": (),
    "deprecated": (),
    "launcher": (),
}
"""Prefixes of the codes that a launch or driver gets, by the role of the launched kernel's file, wherever it stands."""


def role_of(display: str, relative: str, configured: Mapping[str, str]) -> str:
    """The role of a file.

    Args:
        display: the file's absolute path, forward slashes; the default roles look at its last components.
        relative: its path relative to the directory of the configuration, which `configured` globs are matched with.
        configured: glob to role, in the order of the configuration.
    """
    for glob in reversed(list(configured)):
        if matches((glob,), relative):
            return configured[glob]
    *directories, name = display.split("/")
    if name == "triton_kernel.py" and "models" in directories:
        return "traced"
    if name.endswith("_td.py"):
        return "descriptor"
    return _BY_NAME.get(name, "spyre")


def kernel_gets(role: str, code: str, named: Collection[str] = ()) -> bool:
    """Whether findings of `code` are reported for kernels in files of `role`. Codes of the tool itself always are.

    `named` are the roles that the rule itself names (rules of a project do); they stand in for the table.
    """
    return role in named if named else code.startswith("SPY9") or code.startswith(KERNEL_CODES.get(role, ()))


def launch_gets(kernel_roles: list[str], code: str, named: Collection[str] = ()) -> bool:
    """Whether findings of `code` are reported for a launch or driver that reaches kernels of these roles."""
    if named:
        return any(role in named for role in kernel_roles)
    return code.startswith("SPY9") or any(code.startswith(LAUNCH_CODES.get(role, ())) for role in kernel_roles)
