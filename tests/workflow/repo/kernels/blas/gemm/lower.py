"""Lowering driver: tile sizes by name, one entry each. `wide` is there to show a tile that does not fit."""

from .spyre import _gemm_kernel_spyre

TILES = {"square": (256, 256, 128), "wide": (512, 1024, 128)}


def _variant(block_m, block_n, block_k, dtype="fp16"):
    pointers = {name: f"*{dtype}" for name in ("a_ptr", "b_ptr", "c_ptr")}
    return {
        "KERNEL": _gemm_kernel_spyre,
        "SIGNATURE": {**pointers, "M": "i32", "N": "i32", "K": "i32"},
        "CONSTEXPRS": {"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k},
        "GRID": [32],
    }


VARIANTS = {name: _variant(*tile) for name, tile in TILES.items()}
