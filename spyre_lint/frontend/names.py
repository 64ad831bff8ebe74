"""Names as the frontend writes them: canonical dotted names of what a tree imports, and who counts as external.

One spelling per thing, whatever a file imports it as: `tl.load`, `triton.language.load` and a `load` imported from
`triton.language.core` are all `triton.language.load`.
"""

from __future__ import annotations

import builtins
import sys

# Packages that are never looked up among the linted files, even where a directory has their name: a tree that holds a
# copy of Triton itself must not change what `tl.load` means.
EXTERNAL_ROOTS = frozenset({"triton", "torch", "numpy"}) | (frozenset(sys.stdlib_module_names) - {"test"})

BUILTINS = frozenset(dir(builtins))

# Where the same function is reachable under a longer path, the short one is canonical (longest prefix first).
_PREFIXES = (
    ("triton.language.core.", "triton.language."),
    ("triton.language.standard.", "triton.language."),
    ("triton.language.random.", "triton.language."),
    ("triton.runtime.jit.jit", "triton.jit"),
    ("triton.runtime.autotuner.", "triton."),
    ("triton.runtime.jit.", "triton.runtime."),
    ("triton.experimental.gluon._runtime.", "triton.experimental.gluon."),
    ("triton.experimental.gluon.language._core.", "triton.experimental.gluon.language."),
    ("triton.tools.tensor_descriptor.", "triton.tools.tensor_descriptor."),
)

_EXACT = {
    "triton.runtime.jit": "triton.jit",
    "triton.runtime.autotune": "triton.autotune",
    "triton.runtime.heuristics": "triton.heuristics",
    "triton.runtime.Config": "triton.Config",
    "triton.language.math.cdiv": "triton.language.cdiv",
    "triton.language.math.abs": "triton.language.abs",
}

# What `triton.language` re-exports from its `math` module; `tl.math.exp` and `tl.exp` are one function.
_MATH = frozenset(
    {"exp", "exp2", "log", "log2", "cos", "sin", "sqrt", "sqrt_rn", "rsqrt", "floor", "ceil", "erf", "fma", "fdiv"}
    | {"div_rn", "umulhi"}
)

JIT_DECORATORS = frozenset({"triton.jit", "triton.experimental.gluon.jit"})
AUTOTUNE = "triton.autotune"
HEURISTICS = "triton.heuristics"
CONFIG = "triton.Config"


def normalize(name: str) -> str:
    """The canonical spelling of a dotted name of an external package."""
    for prefix, short in _PREFIXES:
        if name.startswith(prefix):
            name = short + name[len(prefix) :]
            break
    if name in _EXACT:
        return _EXACT[name]
    head, _, last = name.rpartition(".")
    if head == "triton.language.math" and last in _MATH:
        return f"triton.language.{last}"
    return name


def is_external_root(root: str) -> bool:
    """Whether a package of this name is never one of the linted files."""
    return root in EXTERNAL_ROOTS
