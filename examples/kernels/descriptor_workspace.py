# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The spyre-lint authors

"""Device memory for tensor descriptors that a kernel makes for itself.

A GPU build of Triton keeps such descriptors in global memory and asks the host for it. Every wrapper calls
`ensure_workspace()` before it launches a descriptor kernel; on Spyre the call changes nothing.
"""

import torch
import triton


def _allocate(size: int, alignment: int, stream: int | None) -> torch.Tensor:
    return torch.empty(size, dtype=torch.int8, device="cuda")


def ensure_workspace() -> None:
    """Let Triton allocate the workspace of device-side descriptors."""
    triton.set_allocator(_allocate)
