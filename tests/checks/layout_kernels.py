"""Kernels with layout markers, in the shapes that the compiler's own tests have, for the tests of `layout-markers`."""

from __future__ import annotations

from typing import Any

HEAD = "import functools\nimport triton\nimport triton.language as tl\n\n\n"


def variants(kernel: str, types: str, **constexprs: Any) -> str:
    """A driver with one variant; `types` gives an element type per tensor (`x: fp16, y: fp32`), others are i32."""
    signature = {
        f"{name.strip()}_ptr": f"*{kind.strip()}" for name, _, kind in (t.partition(":") for t in types.split(","))
    }
    lines = [f'            "{name}": {value},' for name, value in constexprs.items()]
    return "\n".join(
        [
            "VARIANTS = {",
            '    "case": {',
            f'        "KERNEL": {kernel},',
            f'        "SIGNATURE": {signature},',
            '        "CONSTEXPRS": {',
            *lines,
            "        },",
            '        "GRID": [1],',
            "    },",
            "}",
            "",
        ]
    )


def stick_on(axis: int, length: int, *others: int) -> str:
    """The conventional layout: stick number first, the other dimensions, the lane last."""
    middle = "".join(f"{other}, " for other in others)
    return f'[({axis}, "floordiv", {length}), {middle}({axis}, "mod", {length})]'


POINTWISE = (
    HEAD
    + """@triton.jit
def kernel(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
           X_LAYOUT: tl.constexpr, Y_LAYOUT: tl.constexpr, OUT_LAYOUT: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    y_desc = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [BM, BN])
    out_desc = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [BM, BN])
    if X_LAYOUT is not None:
        tl.spyre_tensor_layout(x_desc, X_LAYOUT)
    if Y_LAYOUT is not None:
        tl.spyre_tensor_layout(y_desc, Y_LAYOUT)
    if OUT_LAYOUT is not None:
        tl.spyre_tensor_layout(out_desc, OUT_LAYOUT)
    for m in range(tl.program_id(0), tl.cdiv(M, BM), tl.num_programs(0)):
        for n in range(tl.cdiv(N, BN)):
            x = x_desc.load([m * BM, n * BN])
            y = y_desc.load([m * BM, n * BN])
            out_desc.store([m * BM, n * BN], {result})


"""
)


def pointwise(result: str = "x + y", types: str = "x: fp16, y: fp16, out: fp16", **constexprs: Any) -> str:
    """An elementwise kernel over `[M, N]`; layouts are None unless given, sizes 128 by 256 in blocks of 64 by 128."""
    given = {"M": 128, "N": 256, "BM": 64, "BN": 128, "X_LAYOUT": None, "Y_LAYOUT": None, "OUT_LAYOUT": None}
    return POINTWISE.replace("{result}", result) + variants("kernel", types, **{**given, **constexprs})


DOT = (
    HEAD
    + """@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, {sizes}A_LAYOUT: tl.constexpr, B_LAYOUT: tl.constexpr, C_LAYOUT: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, {a_shape}, {a_strides}, {a_shape})
    b_desc = tl.make_tensor_descriptor(b_ptr, {b_shape}, {b_strides}, {b_shape})
    c_desc = tl.make_tensor_descriptor(c_ptr, {c_shape}, {c_strides}, {c_shape})
    if A_LAYOUT is not None:
        tl.spyre_tensor_layout(a_desc, A_LAYOUT)
    if B_LAYOUT is not None:
        tl.spyre_tensor_layout(b_desc, B_LAYOUT)
    if C_LAYOUT is not None:
        tl.spyre_tensor_layout(c_desc, C_LAYOUT)
    acc = tl.zeros({c_shape}, tl.float32)
    for step in range({trips}):
        a = a_desc.load({a_zero})
        b = b_desc.load({b_zero})
        acc = {dot}
    c_desc.store({c_zero}, {stored})


"""
)


def strides(shape: list[int]) -> list[int]:
    """Strides of a row-major tensor."""
    result = [1]
    for size in reversed(shape[1:]):
        result.insert(0, result[0] * size)
    return result


def matmul(
    a_shape: list[int],
    b_shape: list[int],
    c_shape: list[int],
    a: str = "None",
    b: str = "None",
    c: str = "None",
    dot: str = "tl.dot(a, b, acc)",
    stored: str = "acc",
    kind: str = "fp16",
) -> str:
    """A product of one block, with the layouts `a`, `b` and `c`."""
    text = DOT.replace("{sizes}", "").replace("{dot}", dot).replace("{stored}", stored).replace("{trips}", "4")
    for name, shape in {"a": a_shape, "b": b_shape, "c": c_shape}.items():
        text = text.replace(f"{{{name}_shape}}", str(shape)).replace(f"{{{name}_strides}}", str(strides(shape)))
        text = text.replace(f"{{{name}_zero}}", str([0] * len(shape)))
    return text + variants("kernel", f"a: {kind}, b: {kind}, c: {kind}", A_LAYOUT=a, B_LAYOUT=b, C_LAYOUT=c)
