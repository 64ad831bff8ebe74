"""Attributes of everything a kernel can name: `x.shape`, `x.dtype`, `ptr.dtype.element_ty`, `tl.float32`, `x.T`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from astroid import nodes

from spyre_lint.frontend.global_names import external_value
from spyre_lint.frontend.values import BoundMethod, Builtin, Decision, TupleValue, Unknown, opaque_reason
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import (
    DescriptorType,
    DType,
    OpaqueType,
    ScalarType,
    Shape,
    TileType,
    shape_of,
    unknown_dtype,
)

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering


def shape_tuple(shape: Shape) -> TupleValue:
    """A shape as a kernel sees it: known extents are ints."""
    return TupleValue(tuple(dim.value if dim.is_const else dim for dim in shape))


def attribute_of(lowering: Lowering, owner: Any, name: str, node: nodes.Attribute) -> Any:
    """`owner.name`."""
    if isinstance(owner, Builtin):
        lowering.note_name(f"{owner.name}.{name}", node)
        return external_value(f"{owner.name}.{name}")
    if isinstance(owner, Value):
        kind = "tensor_descriptor" if isinstance(owner.type, DescriptorType) else "tensor"
        lowering.note_name(f"triton.language.{kind}.{name}", node)
        return _of_value(lowering, owner, name)
    if isinstance(owner, DType):
        return owner if name == "value" else _of_dtype(owner, name)
    if isinstance(owner, TupleValue):
        if name in owner.fields:
            return owner.items[owner.fields.index(name)]
        return owner if name == "values" else BoundMethod(owner, name)
    if isinstance(owner, (int, float, Expr, Decision)) and name == "value":
        return owner
    if isinstance(owner, (str, dict)):
        return BoundMethod(owner, name)
    if isinstance(owner, Unknown):
        return Unknown(owner.reason)
    definition = lowering.project.resolve(lowering.frame.module, node)
    if definition is not None:
        return lowering.scope.value_of(definition)
    return Unknown(f"`{node.as_string()}`")


def _of_value(lowering: Lowering, value: Value, name: str) -> Any:
    type_ = value.type
    if isinstance(type_, OpaqueType):
        if name in ("shape", "dtype", "type", "numel", "block_shape", "strides"):
            return Unknown(opaque_reason(value))
        return BoundMethod(value, name)
    if name in ("dtype", "type"):
        if isinstance(type_, DescriptorType) and name == "type":
            return BoundMethod(value, name)
        return type_.dtype
    if name == "shape":
        if isinstance(type_, DescriptorType):
            return _descriptor_group(value, "shape")
        if isinstance(type_, TileType):
            return shape_tuple(type_.shape)
        return TupleValue(())
    if name == "numel":
        return 1 if isinstance(type_, ScalarType) else _numel(type_)
    if name == "T":
        return _transposed(lowering, value)
    if isinstance(type_, DescriptorType):
        if name == "block_shape":
            shape = type_.block_shape
            return (
                Unknown("the block shape of a descriptor made outside the kernel")
                if shape is None
                else shape_tuple(shape)
            )
        if name == "strides":
            return _descriptor_group(value, "strides")
        if name == "block_type":
            return type_.dtype
    return BoundMethod(value, name)


def _transposed(lowering: Lowering, value: Value) -> Value:
    from spyre_lint.frontend.builtins.shapes import permuted

    shape = shape_of(value.type)
    return permuted(lowering, value, shape, (1, 0)) if shape is not None and len(shape) == 2 else value


def _numel(type_: Any) -> Any:
    elements = type_.elements if isinstance(type_, TileType) else None
    if elements is None:
        return Unknown("the number of elements")
    return elements.value if elements.is_const else elements


def _descriptor_group(value: Value, group: str) -> Any:
    if value.op is not None and value.op.opcode == "make_descriptor":
        return TupleValue(tuple(value.op.group(group)))
    return Unknown(f"the {group} of a descriptor that is not made here")


_PREDICATES = {
    "is_fp16": ("fp16",), "is_bf16": ("bf16",), "is_fp32": ("fp32",), "is_fp64": ("fp64",), "is_int1": ("i1",),
    "is_int8": ("i8",), "is_int16": ("i16",), "is_int32": ("i32",), "is_int64": ("i64",), "is_uint8": ("u8",),
    "is_uint16": ("u16",), "is_uint32": ("u32",), "is_uint64": ("u64",), "is_fp8e4nv": ("fp8e4nv",),
    "is_fp8e5": ("fp8e5",), "is_fp8e4b8": ("fp8e4b8",), "is_fp8e4b15": ("fp8e4b15",), "is_fp8e5b16": ("fp8e5b16",),
}  # fmt: skip


def _of_dtype(dtype: DType, name: str) -> Any:
    if name in ("element_ty", "scalar"):
        if dtype.pointee is not None and name == "element_ty":
            return dtype.pointee
        if dtype.is_known or name == "scalar":
            return dtype
        return unknown_dtype(dtype.origin)
    if name in ("primitive_bitwidth", "int_bitwidth", "fp_bitwidth"):
        return dtype.bits if dtype.bits is not None else Unknown(f"the element type of `{dtype.origin}`")
    if name == "itemsize":
        return dtype.byte_size if dtype.byte_size is not None else Unknown(f"the element type of `{dtype.origin}`")
    if name == "name":
        return dtype.name if dtype.is_known else Unknown(f"the element type of `{dtype.origin}`")
    return BoundMethod(dtype, name)


def dtype_method(dtype: DType, name: str) -> Any:
    """`dtype.is_fp16()` and its like."""
    if not dtype.is_known:
        return Decision(f"the element type of `{dtype.origin}`, which no binding gives")
    if name in _PREDICATES:
        return dtype.name in _PREDICATES[name]
    answers = {
        "is_floating": dtype.is_float,
        "is_standard_floating": dtype.is_float and (dtype.bits or 0) > 8,
        "is_fp8": dtype.is_float and dtype.bits == 8,
        "is_int": dtype.is_integer,
        "is_int_signed": dtype.kind == "int",
        "is_int_unsigned": dtype.kind in ("uint", "bool"),
        "is_bool": dtype.name == "i1",
        "is_ptr": dtype.is_pointer,
        "is_block": False,
    }
    return answers.get(name, Unknown(f"`dtype.{name}()`"))
