"""SPY114 to SPY116: indices of gathers and scatters, each wrong one beside a right one."""

from __future__ import annotations

import pytest

from spyre_lint.findings import Level, Verdict
from tests.checks.driver import lint, only
from tests.checks.kernels import found, kernel, texts

PARAMS = "idx_ptr, x_ptr, out_ptr, rows, M, N, K, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr"
DESCRIPTORS = """\
i_desc = tl.make_tensor_descriptor(idx_ptr, shape=[M], strides=[1], block_shape=[BLOCK_T])
t_desc = tl.make_tensor_descriptor(x_ptr, shape=[N, K], strides=[K, 1], block_shape=[1, BLOCK_D])
lanes = tl.arange(0, BLOCK_T)
idx = i_desc.load([0])
"""
GATHER = "g = t_desc.gather({}, 0)"


def _kernel(body: str, before: str = "") -> str:
    return kernel(body, params=PARAMS, descriptors=DESCRIPTORS, before=before)


MIXED = {
    "as loaded": ("idx", None),
    "multiplied by a size": ("idx * K", "idx * K"),
    "multiplied by a constant": ("idx * 4", "idx * 4"),
    "a size multiplied by it": ("K * idx", "K * idx"),
    "linearised": ("idx * K + lanes", "idx * K"),
    "shifted left": ("idx << 2", "idx << 2"),
    "divided": ("idx // 4", "idx // 4"),
    "taken modulo": ("idx % 4", "idx % 4"),
    "moved": ("idx + 1", None),
    "cast": ("idx.to(tl.int32)", None),
    "cast and multiplied": ("(idx.to(tl.int32) * K).to(tl.int32)", "idx.to(tl.int32) * K"),
    "guarded": ("tl.where(lanes < M, idx, N)", None),
    "guarded and multiplied": ("tl.where(lanes < M, idx * K, N)", "idx * K"),
    "guarded by a product": ("tl.where(lanes < M * K, idx, N)", None),
    "reshaped": ("tl.reshape(idx, [BLOCK_T])", None),
    "reshaped and multiplied": ("tl.reshape(idx * K, [BLOCK_T])", "idx * K"),
    "clamped": ("tl.minimum(idx, N)", None),
}


@pytest.mark.parametrize(("index", "wrong"), MIXED.values(), ids=MIXED.keys())
@pytest.mark.parametrize("call", [GATHER, "g = tl.descriptor_gather(t_desc, {}, 0)"])
def test_mixing(call: str, index: str, wrong: str | None) -> None:
    source = _kernel(call.format(index))
    findings = found(source, "SPY114")
    assert texts(source, findings) == ([wrong] if wrong else [])
    assert all(each.level is Level.ERROR and each.verdict is Verdict.VIOLATED for each in findings)


@pytest.mark.parametrize("call", ["t_desc.scatter(v, {}, 0)", "tl.descriptor_scatter(t_desc, v, {}, 0)"])
def test_mixing_in_scatters(call: str) -> None:
    body = "v = t_desc.gather(idx, 0)\n" + call
    source = _kernel(body.format("idx * K"))
    assert texts(source, found(source, "SPY114")) == ["idx * K"]
    assert found(_kernel(body.format("idx")), "SPY114") == []


ADDRESSES = {
    "address of a load": ("v = tl.load(x_ptr + {})", "idx * K", True),
    "address of a load, unscaled": ("v = tl.load(x_ptr + {})", "idx", False),
    "address of a load, other scale": ("v = tl.load(x_ptr + {} + idx)", "lanes * K", False),
    "address of a store": ("tl.store(x_ptr + {}, 0.0)", "idx * K", True),
    "address of an atomic": ("tl.atomic_add(x_ptr + {}, 1.0)", "idx * K", True),
    "scalar": ("v = tl.load(x_ptr + {})", "tl.load(idx_ptr) * K", True),
    "base of a descriptor": (
        "d = tl.make_tensor_descriptor(x_ptr + {}, [N], [1], [BLOCK_D])",
        "tl.load(idx_ptr) * K",
        True,
    ),
    "through a table of pointers": ("v = tl.load(tl.load(x_ptr + {}))", "lanes * K", False),
}


@pytest.mark.parametrize(("call", "offset", "fires"), ADDRESSES.values(), ids=ADDRESSES.keys())
def test_mixing_in_addresses(call: str, offset: str, fires: bool) -> None:
    source = _kernel(call.format(offset))
    assert texts(source, found(source, "SPY114")) == ([offset] if fires else [])


def test_mixing_in_a_helper_is_told_once() -> None:
    before = "@triton.jit\ndef row(page, size):\n    return page * size"
    source = _kernel("a = t_desc.gather(row(idx, K), 0)\nb = t_desc.gather(row(idx, N), 0)", before)
    finding = only(lint(source), "SPY114")
    assert texts(source, [finding]) == ["page * size"]
    assert "`idx`, loaded from memory, is multiplied" in finding.message
    assert any("loaded here" in each.message for each in finding.related)


def test_mixing_through_a_loop_and_a_branch() -> None:
    body = "at = idx\nfor _ in range(0, 3):\n    at = at {op} 1\nif N > 4:\n    at = at + 1\ng = t_desc.gather(at, 0)"
    assert len(found(_kernel(body.format(op="*")), "SPY114")) == 1
    assert found(_kernel(body.format(op="+")), "SPY114") == []


LOOPS = {
    "a loop that ends at a loaded length": ("range(0, tl.load(idx_ptr))", "at * K", False),
    "a loop that starts at a loaded place": ("range(tl.load(idx_ptr), N)", "at * K", True),
    "a loop that steps by a loaded width": ("range(0, N, tl.load(idx_ptr))", "at * K", True),
    "a loaded condition": ("range(0, N)", "tl.where(tl.load(idx_ptr) > at, at, 0) * K", False),
    "a loaded choice": ("range(0, N)", "tl.where(at > 3, tl.load(idx_ptr), 0) * K", True),
}


@pytest.mark.parametrize(("loop", "offset", "fires"), LOOPS.values(), ids=LOOPS.keys())
def test_what_only_bounds_or_decides_is_no_index(loop: str, offset: str, fires: bool) -> None:
    source = _kernel(f"for at in {loop}:\n    tl.store(x_ptr + {offset}, 0.0)")
    assert texts(source, found(source, "SPY114")) == ([offset] if fires else [])


# ---- SPY115 ------------------------------------------------------------------------------------------------------

SOURCES = {
    "descriptor load": ("", "idx", None),
    "descriptor load, free function": ("at = tl.load_tensor_descriptor(i_desc, [0])", "at", None),
    "gathered": ("at = tl.reshape(t_desc.gather(idx, 0), [BLOCK_T * BLOCK_D])", "at", None),
    "moved by an argument": ("", "idx + rows", None),
    "guarded with an argument": ("", "tl.where(lanes < M, idx, rows)", None),
    "an argument": ("", "rows", Verdict.VIOLATED),
    "an argument, splatted": ("", "tl.full([BLOCK_T], rows, tl.int32)", Verdict.VIOLATED),
    "an argument, broadcast": ("", "tl.broadcast_to(rows, [BLOCK_T])", Verdict.VIOLATED),
    "raw load": ("at = tl.load(idx_ptr + lanes)", "at", Verdict.VIOLATED),
    "raw load, cast": ("at = tl.load(idx_ptr + lanes).to(tl.int32)", "at", Verdict.VIOLATED),
    "raw load, moved": ("at = tl.load(idx_ptr + lanes)", "at + 1", Verdict.VIOLATED),
    "raw load, guarded": ("at = tl.load(idx_ptr + lanes)", "tl.where(lanes < M, at, N)", Verdict.VIOLATED),
    "raw scalar, splatted": ("at = tl.full([BLOCK_T], tl.load(idx_ptr), tl.int32)", "at", Verdict.VIOLATED),
    "computed": ("", "lanes + rows", Verdict.VIOLATED),
    "from an unknown function": ("at = mystery(idx)", "at", Verdict.UNPROVEN),
}


@pytest.mark.parametrize(("statement", "index", "verdict"), SOURCES.values(), ids=SOURCES.keys())
@pytest.mark.parametrize(
    "call", ["g = t_desc.gather({}, 0)", "g = tl.descriptor_gather(t_desc, {}, 0)", "t_desc.scatter(v, {}, 0)"]
)
def test_sources_of_indices(call: str, statement: str, index: str, verdict: Verdict | None) -> None:
    source = _kernel(f"v = t_desc.gather(idx, 0)\n{statement}\n{call.format(index)}")
    findings = found(source, "SPY115")
    assert [each.verdict for each in findings] == ([] if verdict is None else [verdict])
    assert texts(source, findings) == ([index] if findings else [])


def test_source_is_named() -> None:
    raw = only(lint(_kernel("at = tl.load(idx_ptr + lanes)\n" + GATHER.format("at"))), "SPY115")
    assert "`at`" in raw.message and "`tl.load`" in raw.message
    argument = only(lint(_kernel(GATHER.format("rows"))), "SPY115")
    assert "the kernel's parameter `rows`" in argument.message


def test_source_through_a_helper() -> None:
    before = "@triton.jit\ndef fetch(desc, at):\n    return desc.gather(at, 0)"
    body = "a = fetch(t_desc, {})"
    assert found(_kernel(body.format("idx"), before), "SPY115") == []
    source = _kernel(body.format("rows"), before)
    assert texts(source, found(source, "SPY115")) == ["at"]


# ---- SPY116 ------------------------------------------------------------------------------------------------------

SHAPES = {
    "rows": ("[N, K]", "[K, 1]", "[1, 64]", "[16]", "", ""),
    "two rows": ("[N, K]", "[K, 1]", "[2, 64]", "[16]", "first block dimension", "first block dimension"),
    "rank 1": ("[N]", "[1]", "[64]", "[16]", "1 dimension", "1 dimension"),
    "rank 3": ("[N, 4, K]", "[4 * K, K, 1]", "[1, 4, 64]", "[16]", "", "exactly 2"),
    "rank 3, two rows": ("[N, 4, K]", "[4 * K, K, 1]", "[2, 4, 64]", "[16]", "first block", "exactly 2"),
    "eight indices": ("[N, K]", "[K, 1]", "[1, 64]", "[8]", "", ""),
    "four indices": ("[N, K]", "[K, 1]", "[1, 64]", "[4]", "given 4 indices", "given 4 indices"),
    "indices of rank 2": ("[N, K]", "[K, 1]", "[1, 64]", "[4, 4]", "", "rank 2"),
}


@pytest.mark.parametrize(("shape", "strides", "block", "indices", "spyre", "stock"), SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("call", ["d.gather(at, 0)", "tl.descriptor_gather(d, at, 0)"])
def test_shapes(call: str, shape: str, strides: str, block: str, indices: str, spyre: str, stock: str) -> None:
    rank = indices.count(",") + 1
    body = f"""
        d = tl.make_tensor_descriptor(x_ptr, shape={shape}, strides={strides}, block_shape={block})
        j = tl.make_tensor_descriptor(idx_ptr, shape={indices}, strides={[4, 1][2 - rank :]}, block_shape={indices})
        at = j.load({[0] * rank})
        v = {call}
        """
    source = _kernel(body)
    for profile, expected in (("spyre", spyre), ("stock", stock)):
        findings = found(source, "SPY116", profile=profile)
        if expected:
            assert any(expected in each.message for each in findings), findings
            assert set(texts(source, findings)) == {call}
        else:
            assert findings == []


def test_shape_of_scatters() -> None:
    body = (
        "d = tl.make_tensor_descriptor(x_ptr, [N, K], [K, 1], [{}, BLOCK_D])\nd.scatter(t_desc.gather(idx, 0), idx, 0)"
    )
    assert len(found(_kernel(body.format(2)), "SPY116")) == 1
    assert found(_kernel(body.format(1)), "SPY116") == []


def test_shape_under_bindings() -> None:
    body = "d = tl.make_tensor_descriptor(x_ptr, [N, K], [K, 1], [BLOCK_T, BLOCK_D])\nv = d.gather(idx, 0)"
    assert only(lint(_kernel(body)), "SPY116").verdict is Verdict.UNPROVEN
    assert only(lint(_kernel(body), constexprs={"BLOCK_T": 16}), "SPY116").verdict is Verdict.VIOLATED
    few = only(lint(_kernel(GATHER.format("idx")), constexprs={"BLOCK_T": 4}), "SPY116")
    assert "at least 8" in few.message and few.binding == "command line"
    assert found(_kernel(GATHER.format("idx")), "SPY116") == []
