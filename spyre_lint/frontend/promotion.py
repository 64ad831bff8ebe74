"""Triton's type promotion and broadcasting rules (Triton 3.9, `triton.language.semantic`), on types alone.

Unknown element types stay unknown unless the other operand decides the result; the result then names both.
"""

from __future__ import annotations

from spyre_lint.ir.sym import Expr, const
from spyre_lint.ir.types import (
    BF16,
    DTYPES,
    FP16,
    FP32,
    FP64,
    INT1,
    INT32,
    INT64,
    UINT32,
    UINT64,
    DType,
    Shape,
    unknown_dtype,
)

_KIND_RANK = {"bool": 0, "uint": 1, "int": 1, "float": 2, "ptr": 3, "unknown": 4}
FP32_TINY = 2.0**-126
FP32_HUGE = (2 - 2**-23) * 2.0**127


class ShapeMismatch(Exception):
    """Two shapes that cannot be broadcast together; the message names the axis and both extents."""


def dtype_of_number(value: int | float | bool | Expr) -> DType:
    """Element type of a Python number as a tensor: i1, the least of i32/u32/i64/u64 that holds it, fp32 or fp64."""
    if isinstance(value, bool):
        return INT1
    if isinstance(value, Expr):
        return INT32
    if isinstance(value, int):
        if -(2**31) <= value < 2**31:
            return INT32
        if 2**31 <= value < 2**32:
            return UINT32
        return INT64 if -(2**63) <= value < 2**63 else UINT64
    magnitude = abs(value)
    if magnitude in (0.0, float("inf")) or value != value or FP32_TINY <= magnitude <= FP32_HUGE:
        return FP32
    return FP64


def promote_integers(a: DType, b: DType) -> DType:
    """C's usual arithmetic conversions between two integer types."""
    a_signed, b_signed = a.kind == "int", b.kind == "int"
    a_bits, b_bits = a.bits or 0, b.bits or 0
    if a_signed == b_signed:
        return a if a_bits > b_bits else b
    if not a_signed:
        return a if a_bits >= b_bits else b
    return b if b_bits >= a_bits else a


def _promote_unknown(a: DType, b: DType, division: bool) -> DType:
    if a == b and not division:
        return a
    if FP64 in (a, b):
        return FP64
    origins = sorted({d.origin or d.name for d in (a, b) if not d.is_known})
    return unknown_dtype(" and ".join(origins))


def promote(a: DType, b: DType, *, division: bool = False) -> DType:
    """Element type of an arithmetic operation on two run-time values.

    `division` is true for `/` and `%`, which compute floats narrower than 32 bits in fp32.
    """
    if a.kind == "ptr" or b.kind == "ptr":
        return a if a.kind == "ptr" else b
    if not a.is_known or not b.is_known:
        return _promote_unknown(a, b, division)
    if FP64 in (a, b):
        return FP64
    if division and (a.is_float or b.is_float):
        return FP32
    if FP32 in (a, b):
        return FP32
    if FP16 in (a, b):
        return FP16
    if BF16 in (a, b):
        return BF16 if a == b else FP32
    if a.is_float and b.is_float:
        return a if a == b else FP16
    if a.is_float or b.is_float:  # fp8 with an integer: Triton rejects it
        return a if a.is_float else b
    return promote_integers(a, b)


def promote_with_number(tensor: DType, number: int | float | bool | Expr, *, division: bool = False) -> DType:
    """Element type of an operation between a run-time value and a Python number or constexpr.

    A number of the same or a lower kind (bool < integer < float) takes the value's type.
    """
    other = dtype_of_number(number)
    if tensor.kind == "ptr":
        return tensor
    if not tensor.is_known:
        # Whatever the tensor's type is, an integer never changes it; a float does where the tensor holds integers.
        if division or other.is_float:
            return unknown_dtype(tensor.origin)
        return tensor
    if _KIND_RANK[other.kind] <= _KIND_RANK[tensor.kind]:
        return promote(tensor, tensor, division=division)
    return promote(tensor, other, division=division)


def broadcast_shapes(a: Shape, b: Shape) -> Shape:
    """Shape of an operation on two tiles (a scalar has the empty shape).

    Symbolic extents that differ are taken to be equal, as Triton requires of them; the known one is kept.
    Raises ShapeMismatch where two known extents clash.
    """
    if not a or not b:
        return a or b
    one = const(1)
    a = (one,) * (len(b) - len(a)) + a
    b = (one,) * (len(a) - len(b)) + b
    result = []
    for axis, (left, right) in enumerate(zip(a, b, strict=True)):
        if left == one:
            result.append(right)
        elif right == one or left == right:
            result.append(left)
        elif left.is_const and right.is_const:
            raise ShapeMismatch(f"axis {axis} is {left} on one side and {right} on the other")
        else:
            result.append(left if left.is_const else right if right.is_const else left)
    return tuple(result)


def reduced_dtype(fn: str, dtype: DType) -> DType:
    """Element type that `tl.sum`, `tl.max` and so on reduce in: sums keep floats and widen small integers to 32 bits;
    max and min widen everything under 32 bits first.
    """
    if not dtype.is_known:
        return dtype
    bits = dtype.bits or 0
    if fn == "sum":
        if dtype.is_integer and bits < 32:
            return INT32 if dtype.kind == "int" else UINT32
        return dtype
    if fn in ("max", "min", "argmax", "argmin", "max_with_indices", "min_with_indices") and bits < 32:
        return FP32 if dtype.is_float else INT32
    return dtype


def unsigned_like(dtype: DType) -> DType:
    """The unsigned integer type of the same width."""
    return DTYPES.get(f"u{dtype.bits}", dtype) if dtype.is_integer and dtype != INT1 else dtype
