"""Forms that the Spyre compiler does not lower yet: data, with the date and the place it was read at.

Update this file, and nothing else, when the compiler learns one of them. Read from torch-spyre/triton at 661d116f7,
2026-08-07: the pattern reference under third_party/spyre/docs/patterns, made from the tests of the lowering, and the
passes under third_party/spyre/lib/Dialect/KTDP/Transforms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

READ: Final = "torch-spyre/triton at 661d116f7, 2026-08-07"


@dataclass(frozen=True, slots=True)
class CompilerGap:
    """One form: what is not lowered (fits after "the Spyre compiler does not lower"), what to do, where that stands."""

    what: str
    advice: str
    source: str


ARANGE: Final = CompilerGap(
    "`tl.arange` in arithmetic yet; only an access through a descriptor absorbs it",
    "keep it where a tail or a diagonal has to be masked, that is the form to write, and mark the line with "
    "`# [gap] tl.arange in arithmetic`; where nothing needs it, leave it out",
    "docs/patterns/compute.md, make-range (test_make_range_in_arithmetic_survives)",
)
DOT_RANK: Final = CompilerGap(
    "a `tl.dot` of operands with more than 3 dimensions",
    "reshape the operands to 2 or 3 dimensions first",
    "docs/patterns/compute.md, dot (test_dot_4d_rejected)",
)
COMBINER: Final = CompilerGap(
    "a reduction whose combiner has no neutral element",
    "reduce with `tl.sum`, `tl.max`, `tl.min` or a combiner that is one of these, and apply the rest afterwards",
    "docs/patterns/compute.md, reduce (test_subf_combiner_fails); LowerComputeOps.cpp",
)
INTER_TILE_MODE: Final = CompilerGap(
    "this mode of `tl.inter_tile`",
    "use `all_reduce`, or `reduce` where one program needs the result",
    "LowerInterTile.cpp",
)

MAX_DOT_RANK: Final = 3
UNSUPPORTED_INTER_TILE_MODES: Final = frozenset({"broadcast", "reduce_scatter"})
NEUTRAL_FNS: Final = frozenset({"add", "mul", "max", "min", "and", "or", "xor"})
"""Operations that a combiner may end in: those with a neutral element."""
