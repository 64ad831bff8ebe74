"""SPY117 and SPY121: what the compiler does not lower, and how `# [gap]` declares it."""

from __future__ import annotations

import pytest

from spyre_lint.findings import Level, Verdict
from tests.checks.driver import lint, only
from tests.checks.kernels import found, kernel, texts

PARAMS = "x_ptr, y_ptr, B, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr"
DESCRIPTORS = """\
x_desc = tl.make_tensor_descriptor(x_ptr, [B, M, N], [M * N, N, 1], block_shape=[1, BLOCK_M, BLOCK_N])
y_desc = tl.make_tensor_descriptor(y_ptr, [B, M, N], [M * N, N, 1], block_shape=[1, BLOCK_M, BLOCK_N])
u_desc = tl.make_tensor_descriptor(y_ptr, [B, 1, N], [N, N, 1], block_shape=[1, 1, BLOCK_N])
f_desc = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], block_shape=[BLOCK_M, BLOCK_N])
"""


def _kernel(body: str, before: str = "") -> str:
    return kernel(body, params=PARAMS, descriptors=DESCRIPTORS, before=before)


LOADS = {
    "reshape": ("tl.reshape(x_desc.load([0, 0, 0]), [BLOCK_M, BLOCK_N])", True),
    "reshape by keyword": ("tl.reshape(x_desc.load([0, 0, 0]), shape=[BLOCK_M, BLOCK_N])", True),
    "method": ("x_desc.load([0, 0, 0]).reshape(BLOCK_M, BLOCK_N)", True),
    "view": ("tl.view(x_desc.load([0, 0, 0]), [BLOCK_M, BLOCK_N])", True),
    "free function": ("tl.load_tensor_descriptor(x_desc, [0, 0, 0]).reshape([BLOCK_M, BLOCK_N])", True),
    "two dimensions": ("u_desc.load([0, 0, 0]).reshape([BLOCK_N])", True),
    "one of two dimensions": ("u_desc.load([0, 0, 0]).reshape([1, BLOCK_N])", True),
    "to the same shape": ("tl.reshape(x_desc.load([0, 0, 0]), [1, BLOCK_M, BLOCK_N])", False),
    "other dimensions merged": ("tl.reshape(x_desc.load([0, 0, 0]), [BLOCK_M * BLOCK_N])", False),
    "computed before": ("tl.reshape(x_desc.load([0, 0, 0]) * 2, [BLOCK_M, BLOCK_N])", False),
    "reduced": ("tl.sum(x_desc.load([0, 0, 0]), axis=0)", False),
    "reduced over all axes": ("tl.sum(x_desc.load([0, 0, 0]))", False),
    "nothing to drop": ("tl.reshape(f_desc.load([0, 0]), [BLOCK_M, BLOCK_N])", False),
    "dimension added": ("f_desc.load([0, 0])[None, :, :]", False),
}


@pytest.mark.parametrize(("load", "fires"), LOADS.values(), ids=LOADS.keys())
def test_rank_reduced_loads(load: str, fires: bool) -> None:
    source = _kernel(f"x = {load}")
    findings = found(source, "SPY117")
    assert texts(source, findings) == ([load] if fires else [])
    assert all(each.level is Level.WARNING for each in findings)


STORES = {
    "reshape": ("y_desc.store([0, 0, 0], tl.reshape(f, [1, BLOCK_M, BLOCK_N]))", True),
    "reshape of another type": ("y_desc.store([0, 0, 0], tl.reshape(f.to(tl.float32), [1, BLOCK_M, BLOCK_N]))", True),
    "free function": ("tl.store_tensor_descriptor(y_desc, [0, 0, 0], f.reshape([1, BLOCK_M, BLOCK_N]))", True),
    "indexed": ("y_desc.store([0, 0, 0], f[None, :, :])", False),
    "expanded": ("y_desc.store([0, 0, 0], tl.expand_dims(f, 0))", False),
    "used before": ("y_desc.store([0, 0, 0], tl.reshape(f, [1, BLOCK_M, BLOCK_N]) * 2)", False),
}


@pytest.mark.parametrize(("store", "fires"), STORES.values(), ids=STORES.keys())
def test_rank_reduced_stores(store: str, fires: bool) -> None:
    source = _kernel("f = f_desc.load([0, 0])\n" + store)
    findings = found(source, "SPY117")
    assert len(findings) == fires
    assert all("reshape" in text for text in texts(source, findings))


GAPS = {
    "beside": ("x = tl.reshape(x_desc.load([0, 0, 0]), [BLOCK_M, BLOCK_N])  # [gap] rank-reduced load", True),
    "above": ("# [gap] rank-reduced load\nx = tl.reshape(x_desc.load([0, 0, 0]), [BLOCK_M, BLOCK_N])", True),
    "above, going on": (
        "# [gap] rank-reduced\n# load\nx = tl.reshape(x_desc.load([0, 0, 0]), [BLOCK_M, BLOCK_N])",
        True,
    ),
    "inside the call": (
        "x = tl.reshape(\n    x_desc.load([0, 0, 0]),  # [gap] rank-reduced load\n    [BLOCK_M, BLOCK_N],\n)",
        True,
    ),
    "at the load": ("t = x_desc.load([0, 0, 0])  # [gap] rank\nx = tl.reshape(t, [BLOCK_M, BLOCK_N])", True),
    "at another statement": ("# [gap] rank\nt = 1\nx = tl.reshape(x_desc.load([0, 0, 0]), [BLOCK_M, BLOCK_N])", False),
    "with a blank line between": ("# [gap] rank\n\nx = tl.reshape(x_desc.load([0, 0, 0]), [BLOCK_M, BLOCK_N])", False),
    "no declaration": ("# gap: rank\nx = tl.reshape(x_desc.load([0, 0, 0]), [BLOCK_M, BLOCK_N])", False),
}


@pytest.mark.parametrize(("body", "declared"), GAPS.values(), ids=GAPS.keys())
def test_declared_gaps(body: str, declared: bool) -> None:
    assert len(found(_kernel(body), "SPY117")) == (not declared)


def test_gap_at_the_call_of_a_helper() -> None:
    before = """
        @triton.jit
        def flat(desc, M: tl.constexpr, N: tl.constexpr):
            return desc.load([0, 0, 0]).reshape([M, N])
        """
    body = "x = flat(x_desc, BLOCK_M, BLOCK_N)"
    assert len(found(_kernel(body, before), "SPY117")) == 1
    assert found(_kernel(body + "  # [gap] rank-reduced load", before), "SPY117") == []


def test_gap_never_excuses_a_narrow_row() -> None:
    body = "d = tl.make_tensor_descriptor(x_ptr, [M, 1], [1, 1], [BLOCK_M, 1])  # [gap] scalar descriptor"
    narrow = [each for each in lint(_kernel(body)) if each.code == "SPY201" and each.verdict is Verdict.VIOLATED]
    assert len(narrow) == 1


def test_unit_dimension_that_a_binding_makes() -> None:
    params = "x_ptr, B, N, BLOCK_B: tl.constexpr, BLOCK_N: tl.constexpr"
    body = "d = tl.make_tensor_descriptor(x_ptr, [B, N], [N, 1], [BLOCK_B, BLOCK_N])\n"
    source = kernel(body + "x = tl.reshape(d.load([0, 0]), [BLOCK_N])", params=params, descriptors="")
    assert found(source, "SPY117") == []
    assert len(found(source, "SPY117", constexprs={"BLOCK_B": 1, "BLOCK_N": 64})) == 1


# ---- SPY121 ------------------------------------------------------------------------------------------------------

BEFORE = """
@triton.jit
def minus(a, b):
    return a - b


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def larger(a, i, b, j):
    return tl.maximum(a, b), tl.where(a > b, i, j)
"""
ARANGE = "tl.arange(0, BLOCK_N)"
FORMS = {
    "index tile in a mask": (f"f = tl.where(({ARANGE} < N)[None, :], f, 1.0)", ARANGE),
    "index tile in arithmetic": (f"f_desc.store([0, 0], f + {ARANGE}[None, :])", ARANGE),
    "index tile that is stored": (f"f_desc.store([0, 0], tl.broadcast_to({ARANGE}[None, :], f.shape))", ARANGE),
    "index tile in arithmetic that nobody uses": (f"f = f + {ARANGE}[None, :]", None),
    "index tile that nobody uses": (f"i = {ARANGE}", None),
    "index tile in an address": (f"v = tl.load(x_ptr + {ARANGE}, mask={ARANGE} < N)", None),
    "indices as they are": (f"g = f_desc.gather({ARANGE}, 0)", None),
    "indices that are computed": (f"g = f_desc.gather({ARANGE} + 1, 0)", ARANGE),
    "argmax": ("m = tl.argmax(f, axis=1)", None),
    "sort": ("m = tl.sort(f)", None),
    "dot of rank 4": (
        "d = tl.dot(f[None, None, :, :], f[None, None, :, :])",
        "tl.dot(f[None, None, :, :], f[None, None, :, :])",
    ),
    "dot of rank 3": ("d = tl.dot(f[None, :, :], f[None, :, :])", None),
    "difference": ("d = tl.reduce(f, 1, minus)", "tl.reduce(f, 1, minus)"),
    "sum": ("d = tl.reduce(f, 1, plus)", None),
    "maximum with an index": ("d, e = tl.reduce((f, f), 1, larger)", None),
    "inter_tile broadcast": (
        'd = tl.inter_tile(f, "x", "add", mode="broadcast")',
        'tl.inter_tile(f, "x", "add", mode="broadcast")',
    ),
    "inter_tile all_reduce": ('d = tl.inter_tile(f, "x", "add", mode="all_reduce")', None),
}


def _form(body: str) -> str:
    return _kernel("f = f_desc.load([0, 0])\n" + body, BEFORE)


@pytest.mark.parametrize(("body", "expected"), FORMS.values(), ids=FORMS.keys())
def test_forms_that_are_not_lowered(body: str, expected: str | None) -> None:
    source = _form(body)
    findings = found(source, "SPY121")
    assert texts(source, findings) == ([expected] if expected else [])
    assert all(each.level is Level.NOTE for each in findings)
    assert found(source, "SPY121", profile="stock") == []
    assert found(_form(body + "  # [gap] not lowered yet"), "SPY121") == []


def test_note_is_dated_and_has_a_source() -> None:
    finding = only(lint(_form("f_desc.store([0, 0], f + tl.arange(0, BLOCK_N)[None, :])")), "SPY121")
    assert "661d116f7, 2026-08-07" in finding.message
    assert "docs/patterns" in finding.evidence["source"]
