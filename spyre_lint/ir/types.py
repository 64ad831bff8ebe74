"""Types of kernel values: element types with Triton's promotion order, tiles with symbolic shapes, descriptors.

Shapes are tuples of `Expr`: exact integers under a binding, formulas in the names of constexprs without one.
Element types and their sizes follow `triton.language.core.dtype`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spyre_lint.ir.sym import Expr, const, symbol

Kind = Literal["float", "int", "uint", "bool", "ptr", "unknown"]


@dataclass(frozen=True, slots=True)
class DType:
    """An element type.

    `bits` is None where it is unknown; `origin` then names what decides it (`x_ptr` for the type of parameter
    `x_ptr` itself, `*x_ptr` for what it points to). `pointee` is set for pointers only.
    """

    name: str
    kind: Kind
    bits: int | None
    pointee: DType | None = None
    origin: str = ""

    @property
    def is_known(self) -> bool:
        """Whether size and kind are known."""
        return self.kind != "unknown"

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        """Whether this is an integer type, i1 included."""
        return self.kind in ("int", "uint", "bool")

    @property
    def is_pointer(self) -> bool:
        """Whether this is a pointer."""
        return self.kind == "ptr"

    @property
    def byte_size(self) -> int | None:
        """Bytes of one element in memory (i1 takes one byte); None if unknown."""
        return None if self.bits is None else max(1, self.bits // 8)

    @property
    def byte_expr(self) -> Expr:
        """Bytes of one element as an expression: a number, or the symbol `sizeof(origin)`."""
        size = self.byte_size
        if size is not None:
            return const(size)
        return symbol(f"sizeof({self.origin or '?'})", "size", lo=1, hi=8)

    def __str__(self) -> str:
        if self.pointee is not None:
            return f"*{self.pointee}"
        return self.name


def _make(name: str, kind: Kind, bits: int) -> DType:
    return DType(name, kind, bits)


INT1 = _make("i1", "bool", 1)
INT8 = _make("i8", "int", 8)
INT16 = _make("i16", "int", 16)
INT32 = _make("i32", "int", 32)
INT64 = _make("i64", "int", 64)
UINT8 = _make("u8", "uint", 8)
UINT16 = _make("u16", "uint", 16)
UINT32 = _make("u32", "uint", 32)
UINT64 = _make("u64", "uint", 64)
FP8E4NV = _make("fp8e4nv", "float", 8)
FP8E5 = _make("fp8e5", "float", 8)
FP8E4B8 = _make("fp8e4b8", "float", 8)
FP8E4B15 = _make("fp8e4b15", "float", 8)
FP8E5B16 = _make("fp8e5b16", "float", 8)
FP16 = _make("fp16", "float", 16)
BF16 = _make("bf16", "float", 16)
FP32 = _make("fp32", "float", 32)
FP64 = _make("fp64", "float", 64)

DTYPES: dict[str, DType] = {
    t.name: t
    for t in (
        *(INT1, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64),
        *(FP8E4NV, FP8E5, FP8E4B8, FP8E4B15, FP8E5B16, FP16, BF16, FP32, FP64),
    )
}

# Every spelling of an element type that a kernel, a driver or a configuration uses: `tl.float16`, `torch.half`,
# "fp16", "*fp16" without its star.
DTYPE_ALIASES: dict[str, str] = {
    "int1": "i1", "bool": "i1", "u1": "i1", "uint1": "i1", "B": "i1",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "short": "i16", "int": "i32", "long": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float8e4nv": "fp8e4nv", "float8_e4m3fn": "fp8e4nv", "fp8e4": "fp8e4nv", "float8e5": "fp8e5",
    "float8_e5m2": "fp8e5", "float8e4b8": "fp8e4b8", "float8_e4m3fnuz": "fp8e4b8", "float8e4b15": "fp8e4b15",
    "float8e5b16": "fp8e5b16", "float8_e5m2fnuz": "fp8e5b16",
    "float16": "fp16", "half": "fp16", "f16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float": "fp32",
    "f32": "fp32", "float64": "fp64", "double": "fp64", "f64": "fp64",
}  # fmt: skip


def dtype_named(name: str) -> DType | None:
    """The element type with this name in any spelling (`fp16`, `float16`, `*fp16` for a pointer), or None."""
    name = name.strip()
    if name.startswith("*"):
        pointee = dtype_named(name[1:].removeprefix("k"))  # "*kfp16" marks a const pointer
        return None if pointee is None else pointer_to(pointee)
    return DTYPES.get(DTYPE_ALIASES.get(name, name))


def pointer_to(pointee: DType) -> DType:
    """The type of a pointer to `pointee`."""
    return DType(f"*{pointee.name}", "ptr", 64, pointee=pointee)


def unknown_dtype(origin: str) -> DType:
    """An element type that `origin` decides."""
    return DType(f"?{origin}", "unknown", None, origin=origin)


Shape = tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A rank-0 value (a pointer too: its dtype is then of kind `ptr`)."""

    dtype: DType

    def __str__(self) -> str:
        return str(self.dtype)


@dataclass(frozen=True, slots=True)
class TileType:
    """A tile (tensor value) of rank 1 or more."""

    dtype: DType
    shape: Shape

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def elements(self) -> Expr:
        """Product of the shape."""
        total = const(1)
        for dim in self.shape:
            total = total * dim
        return total

    @property
    def byte_expr(self) -> Expr:
        """Bytes the tile takes in the scratchpad."""
        return self.elements * self.dtype.byte_expr

    def __str__(self) -> str:
        return f"<{'x'.join(str(d) for d in self.shape)}x{self.dtype}>"


@dataclass(frozen=True, slots=True)
class DescriptorType:
    """A tensor descriptor; `block_shape` is None for one made outside the kernel."""

    dtype: DType
    block_shape: Shape | None

    def __str__(self) -> str:
        block = "?" if self.block_shape is None else "x".join(str(d) for d in self.block_shape)
        return f"desc<{block}x{self.dtype}>"


@dataclass(frozen=True, slots=True)
class BlockPointerType:
    """What `tl.make_block_ptr` returns."""

    dtype: DType
    block_shape: Shape

    def __str__(self) -> str:
        return f"blockptr<{'x'.join(str(d) for d in self.block_shape)}x{self.dtype}>"


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A value the frontend could not follow; `reason` says why, in words fit for a message."""

    reason: str

    def __str__(self) -> str:
        return f"?({self.reason})"


Type = ScalarType | TileType | DescriptorType | BlockPointerType | OpaqueType


def dtype_of(type_: Type) -> DType:
    """Element type of any value; unknown for an opaque one."""
    return unknown_dtype(type_.reason) if isinstance(type_, OpaqueType) else type_.dtype


def shape_of(type_: Type) -> Shape | None:
    """Shape of a scalar (empty) or tile; None for anything else."""
    if isinstance(type_, ScalarType):
        return ()
    return type_.shape if isinstance(type_, TileType) else None


def value_type(shape: Shape | None, dtype: DType) -> Type:
    """A tile of a shape, or a scalar where the shape is empty."""
    return TileType(dtype, shape) if shape else ScalarType(dtype)
