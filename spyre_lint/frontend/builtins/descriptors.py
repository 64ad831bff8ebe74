"""Tensor descriptors: making them, and loads, stores, gathers, scatters and atomics through them, in every spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.callsite import CallSite, builtin
from spyre_lint.frontend.values import TupleValue, opaque_reason
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import Expr
from spyre_lint.ir.types import (
    DescriptorType,
    OpaqueType,
    ScalarType,
    Shape,
    TileType,
    Type,
    dtype_of,
    shape_of,
    unknown_dtype,
)

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering

_METHODS = "triton.language.tensor_descriptor."


def _items(value: Any) -> list[Any]:
    return list(value.items) if isinstance(value, TupleValue) else [] if value is None else [value]


def _block_shape(lw: Lowering, items: list[Any]) -> tuple[Shape, tuple[int, ...]]:
    """Block dimensions as expressions, and those that depend on run-time values (a symbol stands for them)."""
    dims: list[Expr] = []
    runtime: list[int] = []
    for position, item in enumerate(items):
        dim = lw.dimension(item)
        if dim is None:
            if isinstance(item, Value) and not isinstance(item.type, OpaqueType):
                runtime.append(position)
            dim = lw.fresh_symbol(item.name if isinstance(item, Value) and item.name else "?", "opaque", lo=1)
        dims.append(dim)
    return tuple(dims), tuple(runtime)


@builtin(
    "make_tensor_descriptor",
    "_experimental_make_tensor_descriptor",
    params="base shape strides block_shape padding_option",
)
def make_tensor_descriptor(lw: Lowering, call: CallSite) -> Value:
    """`tl.make_tensor_descriptor`."""
    base = lw.to_value(call.get("base"))
    base_type = dtype_of(base.type)
    element = base_type.pointee or unknown_dtype(base_type.origin or base.name or "base")
    block_items = _items(call.get("block_shape"))
    block_shape, runtime = _block_shape(lw, block_items)
    shape = [lw.to_value(item) for item in _items(call.get("shape"))]
    strides = [lw.to_value(item) for item in _items(call.get("strides"))]
    unread = [n for n in ("shape", "strides", "block_shape") if not isinstance(call.get(n), TupleValue)]
    if unread:
        lw.give_up(f"a descriptor whose {' and '.join(unread)} could not be read")
    padding = call.get("padding_option", "zero")
    return lw.make(
        "make_descriptor",
        {"base": [base], "shape": shape, "strides": strides},
        DescriptorType(element, block_shape if isinstance(call.get("block_shape"), TupleValue) else None),
        block_shape=block_shape,
        runtime_block_dims=runtime,
        block_exprs=tuple(block_items),
        padding=padding if isinstance(padding, str) else "unknown",
        unread=tuple(unread),
        keywords=call.keywords,
        spelling=call.name,
        places=call.places(lw),
    )


def _descriptor(lw: Lowering, call: CallSite) -> tuple[Value, DescriptorType | None]:
    value = lw.to_value(call.get("desc"))
    if value.op is None and isinstance(value.type, ScalarType) and not value.type.dtype.is_known:
        # An argument that nothing told the type of before it was used: a descriptor made on the host.
        value.type = DescriptorType(unknown_dtype(value.name), None)
    return value, value.type if isinstance(value.type, DescriptorType) else None


def _offsets(lw: Lowering, call: CallSite) -> list[Value]:
    return [lw.to_value(item) for item in _items(call.get("offsets"))]


def _tile_type(desc: DescriptorType | None, owner: Value) -> Type:
    if desc is None or desc.block_shape is None:
        return OpaqueType(
            opaque_reason(owner) or f"the block shape of `{owner.name}`, a descriptor made outside the kernel"
        )
    return TileType(desc.dtype, desc.block_shape)


@builtin(
    _METHODS + "load",
    "load_tensor_descriptor",
    "descriptor_load",
    "_experimental_descriptor_load",
    params="desc offsets cache_modifier eviction_policy",
)
def descriptor_load(lw: Lowering, call: CallSite) -> Value:
    """`desc.load(offsets)`; the result has the descriptor's block shape."""
    owner, desc = _descriptor(lw, call)
    groups = {"desc": [owner], "offsets": _offsets(lw, call)}
    return lw.make(
        "desc_load", groups, _tile_type(desc, owner), keywords=call.keywords, spelling=call.name, places=call.places(lw)
    )


@builtin(
    _METHODS + "store",
    "store_tensor_descriptor",
    "descriptor_store",
    "_experimental_descriptor_store",
    params="desc offsets value cache_modifier eviction_policy",
)
def descriptor_store(lw: Lowering, call: CallSite) -> None:
    """`desc.store(offsets, value)`; the value is cast to the descriptor's element type and broadcast to its block."""
    offsets, value = call.get("offsets"), call.get("value")
    if call.name.endswith("_experimental_descriptor_store") and isinstance(value, TupleValue):
        offsets, value = value, offsets  # the old spelling passes the value first
    owner, desc = _descriptor(lw, call)
    stored = lw.to_value(value)
    # Triton converts the value to the descriptor's element type without widening its shape.
    if desc is not None and desc.dtype.is_known and dtype_of(stored.type).is_known:
        stored = lw.cast_to(stored, desc.dtype)
    groups = {"desc": [owner], "offsets": [lw.to_value(i) for i in _items(offsets)], "value": [stored]}
    lw.emit("desc_store", groups, keywords=call.keywords, spelling=call.name, places=call.places(lw))


def _gathered(lw: Lowering, owner: Value, desc: DescriptorType | None, index: Value) -> Type:
    """One row of the block per index: the index's shape, then the block without its first dimension."""
    if desc is None or desc.block_shape is None:
        return _tile_type(None, owner)
    rows = shape_of(index.type)
    if rows is None:
        return OpaqueType(opaque_reason(index) or "the shape of a gather's indices")
    return TileType(desc.dtype, (*rows, *desc.block_shape[1:])) if rows else TileType(desc.dtype, desc.block_shape)


@builtin(_METHODS + "gather", "descriptor_gather", params="desc x_offsets y_offset")
def descriptor_gather(lw: Lowering, call: CallSite) -> Value:
    """`desc.gather(x_offsets, y_offset)`; further offsets follow for higher ranks (the Spyre build)."""
    owner, desc = _descriptor(lw, call)
    index = lw.to_value(call.get("x_offsets"))
    offsets = _direct_offsets(lw, call, "y_offset")
    groups = {"desc": [owner], "index": [index], "offsets": offsets}
    return lw.make(
        "desc_gather",
        groups,
        _gathered(lw, owner, desc, index),
        keywords=call.keywords,
        spelling=call.name,
        places=call.places(lw),
    )


def _direct_offsets(lw: Lowering, call: CallSite, first: str) -> list[Value]:
    items: list[Any] = []
    for item in call.rest(first) or [call.get(first)]:
        items.extend(_items(item))
    items.extend(v for k, v in call.kwargs.items() if k.endswith("_offset") and k != first)
    return [lw.to_value(item) for item in items]


@builtin(_METHODS + "scatter", "descriptor_scatter", params="desc value x_offsets y_offset")
def descriptor_scatter(lw: Lowering, call: CallSite) -> None:
    """`desc.scatter(value, x_offsets, y_offset)`."""
    owner, desc = _descriptor(lw, call)
    value = lw.to_value(call.get("value"))
    if desc is not None and desc.dtype.is_known and dtype_of(value.type).is_known:
        value = lw.cast_to(value, desc.dtype)
    groups = {
        "desc": [owner],
        "index": [lw.to_value(call.get("x_offsets"))],
        "offsets": _direct_offsets(lw, call, "y_offset"),
        "value": [value],
    }
    lw.emit("desc_scatter", groups, keywords=call.keywords, spelling=call.name, places=call.places(lw))


def _register_atomics() -> None:
    for fn in ("add", "min", "max", "and", "or", "xor"):

        def handler(lw: Lowering, call: CallSite, fn: str = fn) -> None:
            owner, desc = _descriptor(lw, call)
            value = lw.to_value(call.get("value"))
            if desc is not None and desc.dtype.is_known and dtype_of(value.type).is_known:
                value = lw.cast_to(value, desc.dtype)
            groups = {"desc": [owner], "offsets": _offsets(lw, call), "value": [value]}
            lw.emit("desc_atomic", groups, fn=fn, keywords=call.keywords, spelling=call.name, places=call.places(lw))

        builtin(f"{_METHODS}atomic_{fn}", params="desc offsets value")(handler)


_register_atomics()
