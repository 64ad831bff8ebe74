"""The machine a kernel is checked against: every number that a rule compares with.

One frozen record holds them all, so that a project can override any of them in its configuration and no
number is repeated in code. Sources: the kernel repository's README and conversion guide (32 cores, 2 MiB
scratchpad, 16-byte minimum); torch-spyre's documentation and issue 3222 (20 % of the scratchpad reserved by the
backend); Triton's frontend (element limit, gather minimum, stride alignment).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Profile = Literal["spyre", "stock"]


@dataclass(frozen=True, slots=True)
class SpyreTarget:
    """The limits of one core and one launch. Sizes are bytes unless the name says otherwise."""

    profile: Profile = "spyre"
    """Which Triton the kernel is written for: the Spyre build or stock Triton."""
    cores: int = 32
    """Programs a launch may have: `tl.num_programs` folds to the grid, one program per core."""
    scratchpad_bytes: int = 2 * 1024 * 1024
    """Scratchpad (LX) of one core."""
    usable_fraction: float = 0.8
    """Share of the scratchpad a kernel may use; the backend keeps the rest."""
    min_last_dim_bytes: int = 16
    """Least bytes in a descriptor's last block dimension."""
    stride_alignment_bytes: int = 16
    """Every outer stride of a descriptor, in bytes, is a multiple of this."""
    stick_bytes: int = 128
    """Unit of the physical layout."""
    max_tensor_elements: int = 1_048_576
    """Largest tile, in elements (`TRITON_MAX_TENSOR_NUMEL`)."""
    max_descriptor_rank: int = 5
    min_gather_indices: int = 8

    @property
    def usable_bytes(self) -> int:
        """Bytes of scratchpad a kernel may use (80 % of 2 MiB is 1 677 721)."""
        return int(self.scratchpad_bytes * self.usable_fraction)

    @property
    def power_of_two_blocks(self) -> bool:
        """Whether block dimensions must be powers of two (stock Triton's rule; the Spyre build has none)."""
        return self.profile == "stock"


DEFAULT_TARGET = SpyreTarget()
