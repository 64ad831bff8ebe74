"""Dots, reductions, scans, sorts and histograms, with the operations that Triton's standard library inlines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spyre_lint.frontend.callsite import CallSite, builtin
from spyre_lint.frontend.promotion import reduced_dtype
from spyre_lint.frontend.values import JitFunction, TupleValue, is_opaque, opaque_reason
from spyre_lint.ir.core import Value
from spyre_lint.ir.sym import const
from spyre_lint.ir.types import (
    FP16,
    FP32,
    FP64,
    INT1,
    INT32,
    DType,
    OpaqueType,
    ScalarType,
    Shape,
    TileType,
    Type,
    dtype_named,
    dtype_of,
    shape_of,
    unknown_dtype,
)

if TYPE_CHECKING:
    from spyre_lint.frontend.lower import Lowering


def _reduced_type(dtype: DType, shape: Shape, axis: int | None) -> Type:
    if axis is None or len(shape) == 1:
        return ScalarType(dtype)
    return TileType(dtype, shape[:axis] + shape[axis + 1 :])


def reduce_values(
    lw: Lowering, fn: str, values: list[Value], axis: Any, keep_dims: bool, combiner: JitFunction | None = None
) -> list[Value]:
    """`tl.reduce` over one axis, or over all of them (then the tile is flattened first, as Triton does)."""
    first = values[0]
    shape = shape_of(first.type)
    if shape is None:
        return [lw.opaque(opaque_reason(first) or "a reduction of something unknown", *values) for _ in values]
    if not shape:
        return list(values)
    known = None if axis is None else lw.known_integer(axis)
    if axis is not None and known is None:
        reason = opaque_reason(axis) or "the axis of a reduction"
        return [lw.give_up(f"a reduction whose axis is not known: {reason}") for _ in values]
    rank = len(shape)
    position = None if known is None else known % rank
    if position is None and rank > 1:
        from spyre_lint.frontend.builtins.shapes import reshaped

        total = first.type.elements if isinstance(first.type, TileType) else const(1)
        values = [reshaped(lw, v, (total,), reorder=True) for v in values]
    inner = shape if position is not None else (values[0].type.shape if isinstance(values[0].type, TileType) else shape)
    attrs = {"fn": fn, "axis": 0 if position is None else position, "keep_dims": keep_dims, "whole": position is None}
    regions = []
    if combiner is not None:
        scalars: list[Type] = [*(ScalarType(dtype_of(v.type)) for v in values)] * 2
        regions = [lw.callback_region(combiner, scalars)[0]]
    types = [_reduced_type(dtype_of(v.type), inner, None if position is None else position) for v in values]
    op = lw.b.op("reduce", {"values": values}, types, regions=regions, **attrs)
    results = list(op.results)
    return [_kept(lw, r, rank, position) for r in results] if keep_dims else results


def _kept(lw: Lowering, value: Value, rank: int, axis: int | None) -> Value:
    """Put the reduced dimensions back as ones."""
    shape = shape_of(value.type) or ()
    if not shape:
        return lw.splat(value, (const(1),) * rank)
    position = axis or 0
    full = (*shape[:position], const(1), *shape[position:])
    return lw.make("expand_dims", {"value": [value]}, TileType(dtype_of(value.type), full), axis=position)


def reduce_named(lw: Lowering, fn: str, value: Value, axis: Any, keep_dims: bool, dtype: DType | None = None) -> Value:
    """`tl.sum`, `tl.max` and so on, with the widening each does first."""
    if is_opaque(value):
        return value
    own = dtype_of(value.type)
    target = dtype if dtype is not None else reduced_dtype(fn, own)
    return reduce_values(lw, fn, [lw.cast_to(value, target)], axis, keep_dims)[0]


def _truth(value: Any, default: bool = False) -> bool:
    return value if isinstance(value, bool) else bool(value) if isinstance(value, int) else default


@builtin("sum", params="input axis keep_dims dtype", method=True)
def total(lw: Lowering, call: CallSite) -> Value:
    """`tl.sum`."""
    dtype = call.get("dtype")
    chosen = dtype if isinstance(dtype, DType) else None
    return reduce_named(
        lw, "sum", lw.to_value(call.get("input")), call.get("axis"), _truth(call.get("keep_dims")), chosen
    )


def _extremum(lw: Lowering, call: CallSite, fn: str) -> Any:
    value = lw.to_value(call.get("input"))
    keep = _truth(call.get("keep_dims"))
    if call.get("return_indices") is True:
        return TupleValue(tuple(_with_indices(lw, fn, value, call.get("axis"), keep)))
    return reduce_named(lw, fn, value, call.get("axis"), keep)


def _with_indices(lw: Lowering, fn: str, value: Value, axis: Any, keep: bool) -> list[Value]:
    """A reduction that also gives the index: over the tile and an index tile. The values are not widened."""
    shape = shape_of(value.type)
    if not shape:
        return [value, lw.to_value(0)] if shape is not None else [value, value]
    known = len(shape) - 1 if axis is None else lw.known_integer(axis)
    if known is None:
        unknown = lw.give_up("a reduction whose axis is not known")
        return [unknown, unknown]
    position = known % len(shape)
    if axis is None and len(shape) > 1:
        from spyre_lint.frontend.builtins.shapes import reshaped

        flat = value.type.elements if isinstance(value.type, TileType) else const(1)
        value, shape, position = reshaped(lw, value, (flat,), reorder=True), (flat,), 0
    index = lw.make("arange", {}, TileType(INT32, (shape[position],)), start=const(0), end=shape[position])
    dims: Shape = (shape[position],)
    for axis_number in range(len(shape)):
        if axis_number != position:
            dims = (*dims[:axis_number], const(1), *dims[axis_number:])
            index = lw.make("expand_dims", {"value": [index]}, TileType(INT32, dims), axis=axis_number)
    index = lw.broadcast(index, shape)
    return reduce_values(lw, f"{fn}_with_indices", [value, index], position, keep)


@builtin("max", params="input axis return_indices return_indices_tie_break_left keep_dims", method=True)
def maximum(lw: Lowering, call: CallSite) -> Any:
    """`tl.max`."""
    return _extremum(lw, call, "max")


@builtin("min", params="input axis return_indices return_indices_tie_break_left keep_dims", method=True)
def minimum(lw: Lowering, call: CallSite) -> Any:
    """`tl.min`."""
    return _extremum(lw, call, "min")


def _register_arg() -> None:
    for name, fn in {"argmax": "max", "argmin": "min"}.items():

        def handler(lw: Lowering, call: CallSite, fn: str = fn) -> Any:
            value = lw.to_value(call.get("input"))
            return _with_indices(lw, fn, value, call.get("axis"), _truth(call.get("keep_dims")))[1]

        builtin(name, params="input axis tie_break_left keep_dims", method=True)(handler)
    for name, fn in {"xor_sum": "xor", "reduce_or": "or"}.items():

        def named(lw: Lowering, call: CallSite, fn: str = fn) -> Any:
            return reduce_named(lw, fn, lw.to_value(call.get("input")), call.get("axis"), _truth(call.get("keep_dims")))

        builtin(name, params="input axis keep_dims", method=True)(named)


_register_arg()


def _known_combiner(lw: Lowering, function: Any) -> str:
    """The named reduction a combiner of Triton's standard library stands for; `custom` for any other."""
    from spyre_lint.frontend.values import Builtin

    if isinstance(function, Builtin):
        names = {
            "_sum_combine": "sum", "_elementwise_max": "max", "_elementwise_min": "min", "_prod_combine": "product",
            "_xor_combine": "xor", "_or_combine": "or", "maximum": "max", "minimum": "min", "add": "sum",
            "mul": "product",
        }  # fmt: skip
        return names.get(function.name.rsplit(".", 1)[-1], "custom")
    return "custom"


def _recognized(lw: Lowering, regions: list[Any]) -> str:
    """The named reduction that a one-operation combiner amounts to."""
    ops = [op for op in regions[0].ops if op.opcode != "yield"] if regions else []
    if len(ops) == 1 and ops[0].opcode == "elementwise" and len(regions[0].args) == 2:
        by_fn = {"add": "sum", "max": "max", "min": "min", "mul": "product", "xor": "xor", "or": "or", "and": "and"}
        if {id(v) for v in ops[0].operands} == {id(a) for a in regions[0].args}:
            return by_fn.get(ops[0].fn, "custom")
    return "custom"


@builtin("reduce", params="input axis combine_fn keep_dims", method=True)
def reduce(lw: Lowering, call: CallSite) -> Any:
    """`tl.reduce` with a combiner."""
    given, function = call.get("input"), call.get("combine_fn")
    values = [lw.to_value(v) for v in (given.items if isinstance(given, TupleValue) else (given,))]
    fn = _known_combiner(lw, function)
    combiner = function if isinstance(function, JitFunction) else None
    if fn == "custom" and combiner is None:
        lw.give_up("a reduction whose combiner is not known")
    results = reduce_values(lw, fn, values, call.get("axis"), _truth(call.get("keep_dims")), combiner)
    made = results[0].op
    while made is not None and made.opcode in ("expand_dims", "splat"):
        made = made.operands[0].op
    if made is not None and made.opcode == "reduce" and made.regions:
        made.attrs["fn"] = _recognized(lw, made.regions)
    return results[0] if not isinstance(given, TupleValue) else TupleValue(tuple(results))


@builtin("associative_scan", params="input axis combine_fn reverse", method=True)
def associative_scan(lw: Lowering, call: CallSite) -> Any:
    """`tl.associative_scan` with a combiner."""
    given, function = call.get("input"), call.get("combine_fn")
    values = [lw.to_value(v) for v in (given.items if isinstance(given, TupleValue) else (given,))]
    if any(is_opaque(v) for v in values):
        return given if not isinstance(given, TupleValue) else TupleValue(tuple(values))
    fn = _known_combiner(lw, function)
    regions = []
    if isinstance(function, JitFunction):
        scalars: list[Type] = [*(ScalarType(dtype_of(v.type)) for v in values)] * 2
        regions = [lw.callback_region(function, scalars)[0]]
        fn = _recognized(lw, regions)
    results = _scan(lw, fn, values, call.get("axis"), _truth(call.get("reverse")), regions)
    return results[0] if not isinstance(given, TupleValue) else TupleValue(tuple(results))


def _scan(lw: Lowering, fn: str, values: list[Value], axis: Any, reverse: bool, regions: list[Any]) -> list[Value]:
    shape = shape_of(values[0].type) or ()
    known = lw.known_integer(axis)
    position = None if known is None or not shape else known % len(shape)
    types = [v.type for v in values]
    return list(
        lw.b.op("scan", {"values": values}, types, regions=regions, fn=fn, axis=position, reverse=reverse).results
    )


def _register_cumulative() -> None:
    for name, fn in {"cumsum": "sum", "cumprod": "product"}.items():

        def handler(lw: Lowering, call: CallSite, fn: str = fn) -> Value:
            value = lw.to_value(call.get("input"))
            if is_opaque(value):
                return value
            dtype = call.get("dtype")
            target = dtype if isinstance(dtype, DType) else reduced_dtype("sum", dtype_of(value.type))
            axis = call.get("axis", 0)
            return _scan(lw, fn, [lw.cast_to(value, target)], axis, _truth(call.get("reverse")), [])[0]

        builtin(name, params="input axis reverse dtype", method=True)(handler)


_register_cumulative()


# ---- dots ----------------------------------------------------------------------------------------------------


@builtin("dot", params="input other acc input_precision allow_tf32 max_num_imprecise_acc out_dtype")
def dot(lw: Lowering, call: CallSite) -> Value:
    """`tl.dot`: fp32 from floats (fp64 from fp64), int32 from int8, unless `out_dtype` says otherwise."""
    a, b = lw.to_value(call.get("input")), lw.to_value(call.get("other"))
    acc = call.get("acc")
    groups = {"a": [a], "b": [b], "acc": [] if acc is None else [lw.to_value(acc)]}
    a_shape, b_shape = shape_of(a.type), shape_of(b.type)
    keywords = call.keywords
    if not a_shape or not b_shape or len(a_shape) < 2 or len(b_shape) < 2:
        reason = opaque_reason(a) or opaque_reason(b) or "a dot of something other than matrices"
        return lw.make("dot", groups, acc.type if isinstance(acc, Value) else OpaqueType(reason), keywords=keywords)
    dtype = _dot_dtype(dtype_of(a.type), dtype_of(b.type), call.get("out_dtype"))
    if isinstance(acc, Value) and dtype_of(acc.type).is_known:
        dtype = dtype_of(acc.type)
    result = TileType(dtype, (*a_shape[:-1], b_shape[-1]))
    return lw.make("dot", groups, result, keywords=keywords)


def _dot_dtype(a: DType, b: DType, requested: Any) -> DType:
    if not a.is_known or not b.is_known:
        known = a if a.is_known else b
        if not known.is_known or not known.is_float or known == FP64:
            return requested if isinstance(requested, DType) else unknown_dtype(f"{a.origin or b.origin} in a dot")
        return requested if isinstance(requested, DType) else FP32
    if a.is_integer:
        return INT32
    if a == FP64:
        return FP64
    return requested if isinstance(requested, DType) and requested in (FP16, FP32) else FP32


@builtin(
    "dot_scaled",
    params="lhs lhs_scale lhs_format rhs rhs_scale rhs_format acc fast_math lhs_k_pack rhs_k_pack out_dtype",
)
def dot_scaled(lw: Lowering, call: CallSite) -> Value:
    """`tl.dot_scaled`."""
    a, b = lw.to_value(call.get("lhs")), lw.to_value(call.get("rhs"))
    optional = {n: [] if call.get(n) is None else [lw.to_value(call.get(n))] for n in ("lhs_scale", "rhs_scale", "acc")}
    groups = {
        "a": [a],
        "a_scale": optional["lhs_scale"],
        "b": [b],
        "b_scale": optional["rhs_scale"],
        "acc": optional["acc"],
    }
    a_shape, b_shape = shape_of(a.type), shape_of(b.type)
    out = call.get("out_dtype")
    dtype = out if isinstance(out, DType) else FP32
    if not a_shape or not b_shape:
        return lw.make("dot_scaled", groups, OpaqueType(opaque_reason(a) or opaque_reason(b) or "a scaled dot"))
    rows, columns = a_shape[-2], b_shape[-1]
    if call.get("lhs_k_pack") is False:
        rows = rows * 2
    if call.get("rhs_k_pack") is False:
        columns = columns * 2
    return lw.make("dot_scaled", groups, TileType(dtype, (*a_shape[:-2], rows, columns)))


@builtin("histogram", params="input num_bins mask", method=True)
def histogram(lw: Lowering, call: CallSite) -> Value:
    """`tl.histogram`."""
    value = lw.to_value(call.get("input"))
    bins = lw.dimension(call.get("num_bins"))
    mask = call.get("mask")
    groups = {"value": [value], "mask": [] if mask is None else [lw.to_value(mask)]}
    result: Type = OpaqueType("the number of bins of a histogram") if bins is None else TileType(INT32, (bins,))
    return lw.make("histogram", groups, result)


# ---- sorts ---------------------------------------------------------------------------------------------------


def _log2(value: int) -> int:
    return value.bit_length() - 1


def _integers(lw: Lowering, shape: Shape) -> list[int] | None:
    return [d.value for d in shape] if all(d.is_const and d.value > 0 for d in shape) else None


def _signed(dtype: DType) -> DType:
    return dtype_named(f"int{dtype.bits}") or INT32


def _indicator(lw: Lowering, rank: int, position: int) -> Value:
    from spyre_lint.frontend.builtins.shapes import reshaped

    index = lw.make("arange", {}, TileType(INT32, (const(2),)), start=const(0), end=const(2))
    return reshaped(lw, index, tuple(const(2) if i == rank - 1 - position else const(1) for i in range(rank)))


def flipped(lw: Lowering, value: Value, shape: Shape, axis: int) -> Value:
    """`tl.flip` along an axis; opaque sizes keep the type and become one sort-like operation."""
    from spyre_lint.frontend.builtins.shapes import reshaped

    extents = _integers(lw, shape)
    dtype = dtype_of(value.type)
    if extents is None or not dtype.is_known:
        return lw.make("sort", {"value": [value]}, value.type, fn="flip", axis=axis, descending=False)
    steps = _log2(extents[axis])
    halves = (*shape[:axis], *((const(2),) * steps), *shape[axis + 1 :])
    bits = reshaped(lw, lw.bitcast_to(value, _signed(dtype)), halves)
    for step in range(steps):
        bits = lw.arithmetic("xor", bits, reduce_values(lw, "xor", [bits], axis + step, True)[0])
    return lw.bitcast_to(reshaped(lw, bits, shape), dtype)


def _compare_and_swap(lw: Lowering, value: Value, flip: Any, position: int) -> Value:
    rank = len(shape_of(value.type) or ())
    dtype = dtype_of(value.type)
    bits = lw.bitcast_to(value, _signed(dtype))
    swapped = lw.arithmetic("xor", bits, reduce_values(lw, "xor", [bits], rank - 1 - position, True)[0])
    other = lw.bitcast_to(swapped, dtype)
    right = _indicator(lw, rank, position)
    wrong = lw.compare(">", value, other)
    turn = lw.cast_to(lw.arithmetic("xor", flip, right), INT1)
    choose = lw.compare("!=", wrong, turn)
    return lw.make("where", {"cond": [choose], "x": [other], "y": [value]}, value.type)


def _merge(lw: Lowering, value: Value, stage: int, order: int) -> Value:
    rank = len(shape_of(value.type) or ())
    flip: Any = _indicator(lw, rank, stage) if order == 2 else lw.to_value(order)
    for index in range(stage):
        value = _compare_and_swap(lw, value, flip, stage - 1 - index)
    return value


def _sorted(lw: Lowering, call: CallSite, k: int | None, fn: str) -> Value:
    from spyre_lint.frontend.builtins.shapes import reshaped

    value = lw.to_value(call.get("x"))
    shape = shape_of(value.type)
    descending = _truth(call.get("descending", fn == "topk"))
    if not shape:
        return value
    extents = _integers(lw, shape)
    kept = shape if k is None else (*shape[:-1], const(k))
    if extents is None or not dtype_of(value.type).is_known:
        result = TileType(dtype_of(value.type), kept)
        return lw.make("sort", {"value": [value]}, result, fn=fn, axis=len(shape) - 1, descending=descending)
    log_n, count = _log2(extents[-1]), 1
    for extent in extents:
        count *= extent
    log_k = log_n if k is None else _log2(k)
    extreme = "max" if descending else "min"
    if log_k == 0:
        return reduce_named(lw, extreme, value, len(shape) - 1, True)
    cube = reshaped(lw, value, (const(2),) * _log2(count))
    for stage in range(1, log_k + 1):
        cube = _merge(lw, cube, stage, 2 if stage < log_n else int(descending))
    for stage in range(log_k + 1, log_n + 1):
        rank = len(shape_of(cube.type) or ())
        cube = reduce_named(lw, extreme, cube, rank - 1 - log_k, False)
        cube = _merge(lw, cube, log_k, 2 if stage < log_n else int(descending))
    return reshaped(lw, cube, kept)


@builtin("sort", params="x dim descending", method=True)
def sort(lw: Lowering, call: CallSite) -> Value:
    """`tl.sort` along the last dimension."""
    return _sorted(lw, call, None, "sort")


@builtin("topk", params="x k dim descending")
def topk(lw: Lowering, call: CallSite) -> Value:
    """`tl.topk`."""
    k = lw.known_integer(call.get("k"))
    return _sorted(lw, call, k, "topk") if k is not None and k > 0 else lw.give_up("a `topk` whose k is not known")


@builtin("bitonic_merge", params="x dim descending")
def bitonic_merge(lw: Lowering, call: CallSite) -> Value:
    """`tl.bitonic_merge`."""
    from spyre_lint.frontend.builtins.shapes import reshaped

    value = lw.to_value(call.get("x"))
    shape = shape_of(value.type)
    extents = _integers(lw, shape) if shape else None
    descending = _truth(call.get("descending"))
    if not shape or extents is None or not dtype_of(value.type).is_known:
        return lw.make(
            "sort", {"value": [value]}, value.type, fn="bitonic", axis=len(shape or ()) - 1, descending=descending
        )
    count = 1
    for extent in extents:
        count *= extent
    cube = reshaped(lw, value, (const(2),) * _log2(count))
    return reshaped(lw, _merge(lw, cube, _log2(extents[-1]), int(descending)), shape)
