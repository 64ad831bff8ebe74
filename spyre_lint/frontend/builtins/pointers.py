"""Raw pointers and block pointers: what kernels for Spyre must not use, in every spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.callsite import CallSite, builtin
from spyre_lint.frontend.promotion import ShapeMismatch, broadcast_shapes
from spyre_lint.frontend.values import TupleValue, is_opaque, opaque_reason
from spyre_lint.ir.core import Value
from spyre_lint.ir.types import (
    BlockPointerType,
    DescriptorType,
    OpaqueType,
    ScalarType,
    TileType,
    Type,
    dtype_of,
    shape_of,
    unknown_dtype,
)

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering


def _as_stored(lw: Lowering, value: Value, target: Type) -> Value:
    """A value in the element type and shape of what it is combined with in memory."""
    shape = shape_of(target)
    if shape is None or is_opaque(value) or not dtype_of(target).is_known or not dtype_of(value.type).is_known:
        return value
    value = lw.cast_to(value, dtype_of(target))
    return lw.broadcast(value, shape) if len(shape_of(value.type) or ()) <= len(shape) else value


def _loaded_type(pointer: Value) -> Type:
    type_ = pointer.type
    if isinstance(type_, BlockPointerType):
        return TileType(type_.dtype, type_.block_shape)
    dtype = dtype_of(type_)
    element = dtype.pointee or unknown_dtype(dtype.origin or pointer.name or "pointer")
    if isinstance(type_, TileType):
        return TileType(element, type_.shape)
    if isinstance(type_, ScalarType):
        return ScalarType(element)
    return OpaqueType(opaque_reason(pointer) or "what a pointer points to")


def _operand(lw: Lowering, value: Any) -> list[Value]:
    return [] if value is None else [lw.to_value(value)]


_LOAD_PARAMS = "pointer mask other boundary_check padding_option cache_modifier eviction_policy volatile"
# Which of the parameters a block pointer uses: passing one says that the access goes through a block pointer.
_BLOCK_KEYWORDS = frozenset({"boundary_check", "padding_option"})


@builtin("load", params=_LOAD_PARAMS, method=False)
def load(lw: Lowering, call: CallSite) -> Value:
    """`tl.load` of a pointer, a tile of pointers or a block pointer (or, by mistake, of a descriptor)."""
    pointer = lw.to_value(call.get("pointer"))
    if isinstance(pointer.type, DescriptorType):
        groups = {"desc": [pointer], "offsets": _items(lw, call.get("mask"))}
        return lw.make(
            "desc_load",
            groups,
            _loaded_from(pointer),
            keywords=call.keywords,
            spelling=call.name,
            places=call.places(lw),
        )
    result = _loaded_type(pointer)
    attrs: dict[str, Any] = {"keywords": call.keywords, "spelling": call.name, "places": call.places(lw)}
    if isinstance(pointer.type, BlockPointerType) or _BLOCK_KEYWORDS & set(call.keywords):
        attrs["boundary_check"] = call.get("boundary_check")
        return lw.make("block_load", {"ptr": [pointer]}, result, **attrs)
    mask, other = _operand(lw, call.get("mask")), call.get("other")
    if isinstance(result, (TileType, ScalarType)) and mask:
        result = _widened(result, mask[0])
    fill = _operand(lw, other)
    return lw.make("ptr_load", {"ptr": [pointer], "mask": mask, "other": fill}, result, **attrs)


def _widened(result: Type, mask: Value) -> Type:
    try:
        shape = broadcast_shapes(shape_of(result) or (), shape_of(mask.type) or ())
    except ShapeMismatch:
        return result
    return TileType(dtype_of(result), shape) if shape else result


def _loaded_from(desc: Value) -> Type:
    block = desc.type.block_shape if isinstance(desc.type, DescriptorType) else None
    return OpaqueType("the block shape of a descriptor") if block is None else TileType(dtype_of(desc.type), block)


def _items(lw: Lowering, value: Any) -> list[Value]:
    return [
        lw.to_value(i) for i in (value.items if isinstance(value, TupleValue) else [] if value is None else [value])
    ]


@builtin("store", params="pointer value mask boundary_check cache_modifier eviction_policy", method=False)
def store(lw: Lowering, call: CallSite) -> None:
    """`tl.store`, likewise."""
    pointer = lw.to_value(call.get("pointer"))
    value = lw.to_value(call.get("value"))
    if isinstance(pointer.type, DescriptorType):
        groups = {"desc": [pointer], "offsets": _items(lw, call.get("value")), "value": _operand(lw, call.get("mask"))}
        lw.emit("desc_store", groups, keywords=call.keywords, spelling=call.name, places=call.places(lw))
        return
    element = (
        dtype_of(pointer.type).pointee if not isinstance(pointer.type, BlockPointerType) else dtype_of(pointer.type)
    )
    if element is not None and element.is_known and dtype_of(value.type).is_known:
        value = lw.cast_to(value, element)
    attrs: dict[str, Any] = {"keywords": call.keywords, "spelling": call.name, "places": call.places(lw)}
    if isinstance(pointer.type, BlockPointerType) or _BLOCK_KEYWORDS & set(call.keywords):
        lw.emit("block_store", {"ptr": [pointer], "value": [value]}, boundary_check=call.get("boundary_check"), **attrs)
        return
    shape = shape_of(pointer.type)
    if shape:
        value = lw.broadcast(value, shape) if len(shape_of(value.type) or ()) <= len(shape) else value
    groups = {"ptr": [pointer], "value": [value], "mask": _operand(lw, call.get("mask"))}
    lw.emit("ptr_store", groups, **attrs)


def _register_atomics() -> None:
    unary = "pointer val mask sem scope"
    forms = {
        **dict.fromkeys(("add", "max", "min", "and", "or", "xor", "xchg", "store"), unary),
        "cas": "pointer cmp val sem scope",
        "load": "pointer mask sem scope",
        "poll": "pointer expected_value sem scope timeout_ns",
    }
    for fn, params in forms.items():

        def handler(lw: Lowering, call: CallSite, fn: str = fn) -> Any:
            pointer = lw.to_value(call.get("pointer"))
            if isinstance(pointer.type, DescriptorType):
                groups = {"desc": [pointer], "offsets": [], "value": _operand(lw, call.get("val"))}
                lw.emit(
                    "desc_atomic", groups, fn=fn, keywords=call.keywords, spelling=call.name, places=call.places(lw)
                )
                return None
            names = [n for n in ("cmp", "val", "expected_value") if call.get(n) is not None]
            result = _loaded_type(pointer)
            values = [_as_stored(lw, lw.to_value(call.get(n)), result) for n in names]
            groups = {"ptr": [pointer], "values": values, "mask": _operand(lw, call.get("mask"))}
            return lw.make(
                "ptr_atomic", groups, result, fn=fn, keywords=call.keywords, spelling=call.name, places=call.places(lw)
            )

        builtin(f"atomic_{fn}", params=params, method=True)(handler)


_register_atomics()


@builtin("make_block_ptr", params="base shape strides offsets block_shape order")
def make_block_ptr(lw: Lowering, call: CallSite) -> Value:
    """`tl.make_block_ptr`."""
    base = lw.to_value(call.get("base"))
    dtype = dtype_of(base.type)
    element = dtype.pointee or unknown_dtype(dtype.origin or base.name or "base")
    block = lw.shape(call.get("block_shape"))
    if block is None:
        block = tuple(lw.fresh_symbol("?", "opaque", lo=1) for _ in _items(lw, call.get("block_shape")))
    groups = {
        "base": [base],
        "shape": _items(lw, call.get("shape")),
        "strides": _items(lw, call.get("strides")),
        "offsets": _items(lw, call.get("offsets")),
    }
    return lw.make(
        "make_block_ptr", groups, BlockPointerType(element, block), block_shape=block, keywords=call.keywords
    )


@builtin("advance", params="base offsets", method=True)
def advance(lw: Lowering, call: CallSite) -> Value:
    """`tl.advance`: the same block pointer, moved."""
    pointer = lw.to_value(call.get("base"))
    return lw.make("advance", {"ptr": [pointer], "offsets": _items(lw, call.get("offsets"))}, pointer.type)
