"""Host code as data: names of functions, tile-like parameters, device queries, element types.

What the evaluation of host code needs to know about spellings, in one place.
"""

from __future__ import annotations

import math
import re
from typing import Any

from astroid import nodes

from spyre_lint.bindings import DTypeName
from spyre_lint.ir.types import dtype_named

TILE_NAME = re.compile(
    r"block|blk|tile|chunk|split|unroll|stick|warp|stage|core|program|grid|group|head|"
    r"^[bB][a-zA-Z]{1,2}$|^B_|^(D|DMODEL|LK|LV)$|_size_[mnk]$",
    re.IGNORECASE,
)
"""Parameters whose literal default says how a kernel is run (a tile, a core count, a model constant), not on what."""

DEVICE_QUERY = re.compile(
    r"multi_?processor_count|get_device_properties|max_compute_units|gpu_subslice|get_device_core_count|num_aicore|"
    r"num_vectorcore|get_multiprocessor_count|\bnum_sms?\b|\bsm_count\b|get_num_sms?\b|get_device_capability|"
    r"get_device_core|cube_core_num|vector_core_num|core_num\b|gpu_eu_count",
    re.IGNORECASE,
)
"""Names of host calls and attributes that ask a GPU how large it is."""

GPU_CONFIG = re.compile(r"(^|_)is_(cuda|hip|rocm|nvidia|amd|hopper|ampere|blackwell|hip_cdna\d?|xpu)\w*$")
"""Names of host functions that pick a configuration by the kind of GPU."""

LAUNCH_OPTIONS = frozenset(
    {"num_warps", "num_stages", "num_ctas", "maxnreg", "waves_per_eu", "matrix_instr_nonkdim", "kpack", "grid"}
    | {
        "warmup",
        "debug",
        "enable_fp_fusion",
        "cluster_dims",
        "launch_cooperative_grid",
        "launch_pdl",
        "num_buffers_warp",
    }
    | {"num_consumer_groups", "reg_dec_producer", "reg_inc_consumer", "extern_libs", "allow_fp8e4nv", "stream"}
    | {
        "sanitize_overflow",
        "instrumentation_mode",
        "arch",
        "backend_name",
        "ir_override",
        "max_num_imprecise_acc_default",
    }
    | {"base_addresses", "required_fixes", "lx_size", "data_layout", "default_dot_input_precision"}
    | {"allowed_dot_input_precisions", "supported_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes", "ptx_options"}
    | {"ptx_version", "minNumWarps", "schedule_hint", "pre_hook", "num_buffers", "backend", "optimize_epilogue"}
)
"""Keywords of a launch that are never parameters of the kernel. `grid` only for `.run` and `.warmup`."""

TENSOR_MAKERS = frozenset(
    {"empty", "zeros", "ones", "full", "rand", "randn", "empty_strided", "tensor", "as_tensor", "randint", "arange"}
    | {"linspace", "eye", "rand_like", "randn_like", "empty_like", "zeros_like", "ones_like", "full_like", "randperm"}
)
"""Functions of `torch` that return a new tensor whose element type `dtype=` decides."""

INTEGER_MAKERS = frozenset({"randint", "arange", "randperm"})

KEEPS_DTYPE = frozenset(
    {"contiguous", "view", "reshape", "flatten", "squeeze", "unsqueeze", "transpose", "permute", "clone", "detach"}
    | {"cuda", "cpu", "expand", "expand_as", "view_as", "reshape_as", "unflatten", "t", "narrow", "select", "unbind"}
    | {"new_empty", "new_zeros", "new_ones", "new_full", "requires_grad_", "zero_", "fill_", "as_strided", "flip"}
    | {"chunk", "split", "repeat", "repeat_interleave", "roll", "movedim", "swapaxes", "ravel", "T", "mT", "data"}
    | {"grad", "abs", "clamp", "normal_", "uniform_", "copy_", "unsqueeze_", "index_select", "gather", "masked_fill"}
)
"""Tensor methods and attributes whose result has the tensor's element type (unless `dtype=` says otherwise)."""

CASTS = {
    "half": "fp16",
    "bfloat16": "bf16",
    "float": "fp32",
    "double": "fp64",
    "int": "i32",
    "long": "i64",
    "short": "i16",
    "char": "i8",
    "byte": "u8",
    "bool": "i1",
}
"""Tensor methods that convert to an element type."""

SIZE_ATTRIBUTES = frozenset({"numel", "nelement", "dim", "ndimension", "element_size", "storage_offset", "nbytes"})
"""Tensor methods that return one integer; `size` and `stride` are handled with their arguments."""

CONSTANTS: dict[str, Any] = {
    "math.pi": math.pi,
    "math.e": math.e,
    "math.inf": math.inf,
    "math.tau": math.tau,
    "numpy.pi": math.pi,
    "numpy.inf": math.inf,
    "torch.inf": math.inf,
    "triton.language.constexpr": None,
}


def external_dtype(name: str) -> DTypeName | None:
    """The element type that a canonical name of torch, numpy or Triton means, if it means one."""
    head, _, last = name.rpartition(".")
    if head not in ("torch", "triton.language", "numpy") or (last in ("float", "double") and head == "numpy"):
        return None
    found = dtype_named(last)
    return None if found is None or found.is_pointer else DTypeName(found.name)


def is_tile_like(name: str) -> bool:
    """Whether a parameter's name says that its default is a way to run the kernel and no problem size."""
    return TILE_NAME.search(name) is not None


def annotation_text(node: nodes.NodeNG | None) -> str:
    """An annotation as text (a string annotation without its quotes)."""
    if node is None:
        return ""
    if isinstance(node, nodes.Const):
        return str(node.value)
    try:
        return str(node.as_string())
    except (AttributeError, RecursionError):
        return ""


def qualified_name(node: nodes.FunctionDef) -> str:
    """`outer.inner` for a function in a function or class, else its name."""
    parts = [node.name]
    parent = node.parent
    while parent is not None:
        if isinstance(parent, (nodes.FunctionDef, nodes.ClassDef)):
            parts.append(parent.name)
        parent = parent.parent
    return ".".join(reversed(parts))
