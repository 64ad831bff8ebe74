"""SPY112, SPY113 and SPY122: verdicts on small kernels, held against what the kernels compute on NumPy."""

from __future__ import annotations

from textwrap import indent

import numpy as np
import pytest

from spyre_lint.findings import Level, Verdict
from tests.checks.driver import lint, only
from tests.checks.kernels import found, kernel, over_rows, texts
from tests.checks.numpy_triton import run

WRONG, RIGHT, OPEN = Verdict.VIOLATED, None, Verdict.UNPROVEN

# One reduction over the columns of x each, in blocks; `r` is carried and `x` is the loaded block. Every kernel stands
# beside one that differs from it in as little as possible and has another verdict.
REDUCTIONS: dict[str, tuple[str, str, Verdict | None]] = {
    "sum": ("0.0", "r += tl.sum(x, axis=1)", RIGHT),
    "sum of squares": ("0.0", "r += tl.sum(x * x, axis=1)", RIGHT),
    "sum of squares plus one": ("0.0", "r += tl.sum(x * x + 1, axis=1)", WRONG),
    "sum scaled": ("0.0", "r += tl.sum(x * 3, axis=1)", RIGHT),
    "sum shifted": ("0.0", "r += tl.sum(x + 3, axis=1)", WRONG),
    "sum of a weighted row": ("0.0", "w = w_desc.load([c])\nr += tl.sum(x * w[None, :], axis=1)", RIGHT),
    "sum of a biased row": ("0.0", "w = w_desc.load([c])\nr += tl.sum(x + w[None, :], axis=1)", RIGHT),
    "sum of exponentials": ("0.0", "r += tl.sum(tl.exp(x), axis=1)", WRONG),
    "sum of masked exponentials": (
        "0.0", "x = tl.where(cols[None, :] < N, x, -float('inf'))\nr += tl.sum(tl.exp(x), axis=1)", RIGHT,
    ),
    "sum of exponentials masked with 0": (
        "0.0", "x = tl.where(cols[None, :] < N, x, 0.0)\nr += tl.sum(tl.exp(x), axis=1)", WRONG,
    ),
    "sum of exponentials, masked after": (
        "0.0", "e = tl.where(cols[None, :] < N, tl.exp(x), 0.0)\nr += tl.sum(e, axis=1)", RIGHT,
    ),
    "sum of exponentials times the mask": (
        "0.0", "r += tl.sum(tl.exp(x) * (cols < N)[None, :].to(tl.float32), axis=1)", RIGHT,
    ),
    "count of positives": ("0.0", "r += tl.sum((x > 0).to(tl.float32), axis=1)", RIGHT),
    "count of zeros or less": ("0.0", "r += tl.sum((x <= 0).to(tl.float32), axis=1)", WRONG),
    "maximum": ("-9.0", "r = tl.maximum(r, tl.max(x, axis=1))", WRONG),
    "maximum of a masked row": (
        "-9.0",
        "x = tl.where(cols[None, :] < N, x, -float('inf'))\nr = tl.maximum(r, tl.max(x, axis=1))",
        RIGHT,
    ),
    "maximum of a row masked the other way round": (
        "-9.0",
        "x = tl.where(cols[None, :] >= N, -float('inf'), x)\nr = tl.maximum(r, tl.max(x, axis=1))",
        RIGHT,
    ),
    "maximum of a row masked by another size": (
        "-9.0",
        "x = tl.where(cols[None, :] < M, x, -float('inf'))\nr = tl.maximum(r, tl.max(x, axis=1))",
        OPEN,
    ),
    "maximum of a masked row and what came before": (
        "-9.0",
        "x = tl.where(cols[None, :] < N, x, -float('inf'))\nr = tl.max(tl.maximum(x, r[:, None]), axis=1)",
        RIGHT,
    ),
    "maximum of a row and what came before": ("-9.0", "r = tl.max(tl.maximum(x, r[:, None]), axis=1)", OPEN),
    "maximum of magnitudes": ("0.0", "r = tl.maximum(r, tl.max(tl.abs(x), axis=1))", RIGHT),
    "maximum of squares": ("0.0", "r = tl.maximum(r, tl.max(x * x, axis=1))", RIGHT),
    "minimum of magnitudes": ("99.0", "r = tl.minimum(r, tl.min(tl.abs(x), axis=1))", WRONG),
    "minimum": ("99.0", "r = tl.minimum(r, tl.min(x, axis=1))", WRONG),
    "minimum of a masked row": (
        "99.0",
        "x = tl.where(cols[None, :] < N, x, float('inf'))\nr = tl.minimum(r, tl.min(x, axis=1))",
        RIGHT,
    ),
    "minimum of negated magnitudes": ("0.0", "r = tl.minimum(r, tl.min(-tl.abs(x), axis=1))", RIGHT),
    "product": ("1.0", "r = r * tl.reduce(x, 1, times)", WRONG),
    "product of a masked row": (
        "1.0", "x = tl.where(cols[None, :] < N, x, 1.0)\nr = r * tl.reduce(x, 1, times)", RIGHT,
    ),
    "dot": ("0.0", "w = w_desc.load([c])\nr += tl.sum(tl.dot(x, w[:, None]), axis=1)", RIGHT),
    "dot with a shifted side": ("0.0", "w = w_desc.load([c])\nr += tl.sum(tl.dot(x + 1, w[:, None]), axis=1)", RIGHT),
    "dot with both sides shifted": (
        "0.0", "w = w_desc.load([c])\nr += tl.sum(tl.dot(x + 1, w[:, None] + 1), axis=1)", WRONG,
    ),
    "running total": ("0.0", "r += tl.max(tl.abs(tl.cumsum(x, 1)), axis=1)", OPEN),
}  # fmt: skip

TIMES = "@triton.jit\ndef times(a, b):\n    return a * b"


def _reduction(start: str, body: str, mean: str = "") -> str:
    inner = "x = x_desc.load([row, c])\ncols = c + tl.arange(0, BLOCK_N)\n" + body
    text = (
        f"r = tl.full([BLOCK_M], {start}, tl.float32)\n{mean}for c in range(0, N, BLOCK_N):\n{indent(inner, '    ')}\n"
    )
    return kernel(over_rows(text + "r_desc.store([row], r)"), before=TIMES)


def _computed(source: str, block: int, rows: int = 4, columns: int = 6) -> np.ndarray:
    """What a kernel makes of rows of negative numbers, and of positive ones: 0 is outside of either."""
    results = []
    for sign in (-1, 1):
        rng = np.random.default_rng(7)
        x, w = sign * (1 + rng.random((rows, columns))), sign * (1 + rng.random(columns))
        out = np.zeros(rows)
        run(source, x, w, out, columns, rows, columns, BLOCK_M=2, BLOCK_N=block)
        results.append(out)
    return np.concatenate(results)


@pytest.mark.parametrize(("start", "body", "verdict"), REDUCTIONS.values(), ids=REDUCTIONS.keys())
def test_reductions(start: str, body: str, verdict: Verdict | None) -> None:
    source = _reduction(start, body)
    findings = found(source, "SPY113")
    assert [each.verdict for each in findings] == ([] if verdict is None else [verdict])
    levels = {WRONG: Level.ERROR, OPEN: Level.NOTE}
    assert all(each.level is levels[each.verdict] for each in findings)


@pytest.mark.parametrize(
    ("start", "body", "verdict"),
    [pytest.param(*case, id=name) for name, case in REDUCTIONS.items() if case[2] is not OPEN],
)
def test_reductions_on_numpy(start: str, body: str, verdict: Verdict | None) -> None:
    """A right kernel computes the same for whole blocks and ragged ones, a wrong one does not."""
    source = _reduction(start, body)
    same = np.allclose(_computed(source, block=3), _computed(source, block=4))
    assert same is (verdict is RIGHT)


MEAN = """\
total = tl.zeros([BLOCK_M], tl.float32)
for c in range(0, N, BLOCK_N):
    total += tl.sum(x_desc.load([row, c]), axis=1)
mean = total / N
"""
CENTRED = {
    "unmasked": ("d = x - mean[:, None]", WRONG),
    "masked": ("d = tl.where(cols[None, :] < N, x - mean[:, None], 0.0)", RIGHT),
    "masked before": ("d = tl.where(cols[None, :] < N, x, 0.0) - mean[:, None]", WRONG),
    "masked with the mean": ("d = tl.where(cols[None, :] < N, x, mean[:, None]) - mean[:, None]", OPEN),
    "scaled by it instead": ("d = x * mean[:, None]", RIGHT),
}


@pytest.mark.parametrize(("body", "verdict"), CENTRED.values(), ids=CENTRED.keys())
def test_deviation_from_the_mean(body: str, verdict: Verdict | None) -> None:
    source = _reduction("0.0", body + "\nr += tl.sum(d * d, axis=1)", MEAN)
    assert [each.verdict for each in found(source, "SPY113")] == ([] if verdict is None else [verdict])
    if verdict is not OPEN:
        same = np.allclose(_computed(source, block=3), _computed(source, block=4))
        assert same is (verdict is RIGHT)


ONLINE = """\
m = tl.full([BLOCK_M], -99.0, tl.float32)
s = tl.zeros([BLOCK_M], tl.float32)
for c in range(0, N, BLOCK_N):
    cols = c + tl.arange(0, BLOCK_N)
    x = {load}
    top = tl.maximum(m, tl.max(x, axis=1))
    s = s * tl.exp(m - top) + tl.sum(tl.exp(x - top[:, None]), axis=1)
    m = top
r_desc.store([row], s)
"""


def test_online_softmax() -> None:
    masked = kernel(over_rows(ONLINE.format(load="tl.where(cols[None, :] < N, x_desc.load([row, c]), -float('inf'))")))
    raw = kernel(over_rows(ONLINE.format(load="x_desc.load([row, c])")))
    assert found(masked, "SPY112", "SPY113") == []
    assert np.allclose(_computed(masked, block=3), _computed(masked, block=4))
    findings = found(raw, "SPY113")
    assert texts(raw, findings) == ["tl.max(x, axis=1)", "tl.sum(tl.exp(x - top[:, None]), axis=1)"]
    assert "a value made of `top`" in findings[1].message
    assert 'tl.where(cols[None, :] < N, x, float("-inf"))' in findings[1].help
    assert not np.allclose(_computed(raw, block=3), _computed(raw, block=4))


def test_message_says_what_the_lanes_hold_and_what_is_needed() -> None:
    source = _reduction("-9.0", "r = tl.maximum(r, tl.max(x, axis=1))")
    finding = only(lint(source, constexprs={"BLOCK_N": 128}), "SPY113")
    assert "axis 1 of `x`" in finding.message and "`N` (in blocks of `BLOCK_N` = 128) hold 0" in finding.message
    assert "needs -inf" in finding.message
    assert finding.help == 'set them first: `tl.where(cols[None, :] < N, x, float("-inf"))`'
    assert any("loaded here" in each.message for each in finding.related)


def test_help_makes_the_index_where_the_kernel_has_none() -> None:
    body = "for c in range(0, N, BLOCK_N):\n    w = w_desc.load([c])\n    r_desc.store([0], tl.max(w, axis=0))"
    finding = only(lint(kernel(body)), "SPY113")
    assert "`tl.where(c + tl.arange(0, BLOCK_N) < N, w, " in finding.help


def test_help_masks_a_named_factor_of_what_is_reduced() -> None:
    source = _reduction("0.0", "xc = x - 1.0\nr = r + tl.sum(xc * xc, axis=1)")
    finding = only(lint(source, constexprs={"BLOCK_N": 128}), "SPY113")
    assert finding.help == "set them first: `tl.where(cols[None, :] < N, xc, 0.0)`"
    unnamed = _reduction("0.0", "r = r + tl.sum(x - 1.0, axis=1)")
    finding = only(lint(unnamed, constexprs={"BLOCK_N": 128}), "SPY113")
    assert finding.help == "set them first: `tl.where(cols[None, :] < N, ..., 0.0)` around what is reduced"


DIVISIBLE = {
    "extent is the block": ("N, BLOCK_N: tl.constexpr", "BLOCK_N", {}, False),
    "extent is some blocks": ("N, BLOCK_N: tl.constexpr", "4 * BLOCK_N", {}, False),
    "extent is rounded up": ("N, BLOCK_N: tl.constexpr", "tl.cdiv(N, BLOCK_N) * BLOCK_N", {}, False),
    "constexprs that divide": ("N: tl.constexpr, BLOCK_N: tl.constexpr", "N", {"N": 1024, "BLOCK_N": 256}, False),
    "constexprs that do not": ("N: tl.constexpr, BLOCK_N: tl.constexpr", "N", {"N": 1000, "BLOCK_N": 256}, True),
    "a run-time size": ("N, BLOCK_N: tl.constexpr", "N", {"BLOCK_N": 256}, True),
}


@pytest.mark.parametrize(("params", "extent", "bound", "fires"), DIVISIBLE.values(), ids=DIVISIBLE.keys())
def test_extents_that_the_block_divides(params: str, extent: str, bound: dict[str, int], fires: bool) -> None:
    desc = f"d = tl.make_tensor_descriptor(x_ptr, shape=[{extent}], strides=[1], block_shape=[BLOCK_N])\n"
    body = """
        for i in range(tl.program_id(0), 8):
            x = d.load([i * BLOCK_N])
            d.store([i * BLOCK_N], x + tl.max(x, 0))
        """
    source = kernel(body, params=f"x_ptr, {params}", descriptors=desc)
    findings = found(source, "SPY113", constexprs=bound)
    assert [each.verdict for each in findings] == ([WRONG] if fires else [])


def test_unbound_constexprs_leave_it_open() -> None:
    desc = "d = tl.make_tensor_descriptor(x_ptr, shape=[N], strides=[1], block_shape=[BLOCK_N])\n"
    params = "x_ptr, N: tl.constexpr, BLOCK_N: tl.constexpr"
    finding = only(
        lint(kernel("d.store([0], d.load([0]) + tl.max(d.load([0]), 0))", params=params, descriptors=desc)), "SPY113"
    )
    assert finding.verdict is OPEN and "nothing binds `BLOCK_N` and `N`" in finding.message


FULL_BLOCKS = {
    "only whole blocks": "for i in range(0, N // BLOCK_N):\n    top = tl.max(w_desc.load([i * BLOCK_N]), 0)",
    "one block more": "for i in range(0, N // BLOCK_N + 1):\n    top = tl.max(w_desc.load([i * BLOCK_N]), 0)",
    "guarded": "if N >= BLOCK_N:\n    top = tl.max(w_desc.load([0]), 0)",
    "guarded by less": "if N >= BLOCK_M:\n    top = tl.max(w_desc.load([0]), 0)",
    "guarded in the other branch": "if BLOCK_N > N:\n    pass\nelse:\n    top = tl.max(w_desc.load([0]), 0)",
    "the wrong branch": "if BLOCK_N > N:\n    top = tl.max(w_desc.load([0]), 0)",
}


@pytest.mark.parametrize("name", FULL_BLOCKS.keys())
def test_loads_inside_of_the_tensor_have_no_padding(name: str) -> None:
    fires = name in ("one block more", "guarded by less", "the wrong branch")
    assert len(found(kernel(FULL_BLOCKS[name]), "SPY113")) == fires


MASKS = {
    "and of both axes": "seen = (rows[:, None] < M) & (cols[None, :] < N)",
    "or of both axes": "seen = (rows[:, None] < M) | (cols[None, :] < N)",
    "causal and bounded": "seen = (cols[None, :] <= rows[:, None]) & (cols[None, :] < N)",
    "not past the end": "seen = ~(cols[None, :] >= N)",
    "compared the other way": "seen = N > cols[None, :]",
    "below the last": "seen = cols[None, :] <= N - 1",
    "below the end": "seen = cols[None, :] <= N",
    "from the block's start": "seen = (tl.arange(0, BLOCK_N) < N - c)[None, :]",
    "from another start": "seen = (tl.arange(0, BLOCK_N) < N)[None, :]",
    "an own mask that reads 0 there": "seen = x_desc.load([row, c]) != 0",
    "an own mask that reads 1 there": "seen = x_desc.load([row, c]) == 0",
}
LETS_THROUGH = {
    "or of both axes": OPEN,
    "below the end": OPEN,
    "from another start": OPEN,
    "an own mask that reads 1 there": WRONG,
}


@pytest.mark.parametrize("name", MASKS.keys())
def test_masks(name: str) -> None:
    body = f"rows = row + tl.arange(0, BLOCK_M)\n{MASKS[name]}\nx = tl.where(seen, x, -float('inf'))\n"
    source = _reduction("-9.0", body + "r = tl.maximum(r, tl.max(x, axis=1))")
    expected = LETS_THROUGH.get(name)
    assert [each.verdict for each in found(source, "SPY113")] == ([] if expected is None else [expected])


CAUSAL = """\
q_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, 64], strides=[64, 1], block_shape=[BLOCK_M, 64])
k_desc = tl.make_tensor_descriptor(w_ptr, shape=[{keys}, 64], strides=[64, 1], block_shape=[BLOCK_N, 64])
r_desc = tl.make_tensor_descriptor(out_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
q = q_desc.load([tl.program_id(0) * BLOCK_M, 0])
for c in range(0, {keys}, BLOCK_N):
    cols = c + tl.arange(0, BLOCK_N)
    s = tl.dot(q, tl.trans(k_desc.load([c, 0])))
    s = tl.where(cols[None, :] <= rows[:, None], s, -float("inf"))
    r_desc.store([tl.program_id(0) * BLOCK_M], tl.max(s, axis=1))
"""


def test_causal_mask_bounds_the_keys_where_there_are_no_more_queries() -> None:
    assert found(kernel("pass", descriptors=CAUSAL.format(keys="M")), "SPY113") == []
    other = found(kernel("pass", descriptors=CAUSAL.format(keys="N")), "SPY113")
    assert [each.verdict for each in other] == [OPEN]


FLOWS = {
    "cast": "x = x.to(tl.float32)",
    "transposed": "x = tl.trans(tl.trans(x))",
    "reshaped and back": "x = tl.reshape(tl.reshape(x, [BLOCK_M, 1, BLOCK_N]), [BLOCK_M, BLOCK_N])",
    "through a branch": "if N > 7:\n    x = x * 2",
    "through an inner loop": "for _ in range(0, 3):\n    x = x * 2",
    "through a helper": "x = twice(x)",
}


@pytest.mark.parametrize("flow", FLOWS.values(), ids=FLOWS.keys())
def test_padding_is_followed(flow: str) -> None:
    helper = "@triton.jit\ndef twice(x):\n    return x * 2"
    body = "x = x_desc.load([row, 0])\n" + flow + "\nr_desc.store([row], tl.{}(x, axis=1))"
    assert len(found(kernel(over_rows(body.format("max")), before=helper), "SPY113")) == 1
    assert found(kernel(over_rows(body.format("sum")), before=helper), "SPY113") == []


REDUCERS = {
    "tl.max(x, axis=1)": WRONG,
    "tl.max(x, 1)": WRONG,
    "x.max(axis=1)": WRONG,
    "triton.language.max(x, axis=1)": WRONG,
    "top(x, axis=1)": WRONG,
    "tl.argmax(x, axis=1)": WRONG,
    "tl.argmin(x, axis=1)": WRONG,
    "tl.max(x, axis=1, return_indices=True)[0]": WRONG,
    "tl.reduce(x, 1, larger)": WRONG,
    "tl.max(x)": WRONG,
    "tl.max(x, axis=0)": RIGHT,
    "tl.sum(x, axis=1)": RIGHT,
    "x.sum(1)": RIGHT,
    "tl.xor_sum(x.to(tl.int32), axis=1)": RIGHT,
    "tl.reduce(x, 1, nearer)": OPEN,
}


@pytest.mark.parametrize("call", REDUCERS.keys())
def test_reductions_in_every_spelling(call: str) -> None:
    before = """
        from triton.language import max as top

        @triton.jit
        def larger(a, b):
            return tl.maximum(a, b)

        @triton.jit
        def nearer(a, b):
            return tl.where(tl.abs(a) < tl.abs(b), a, b)
        """
    desc = "x_desc = tl.make_tensor_descriptor(x_ptr, [BLOCK_M, N], [N, 1], block_shape=[BLOCK_M, BLOCK_N])\n"
    source = kernel(f"x = x_desc.load([0, 0])\nr = {call}", descriptors=desc, before=before)
    expected = REDUCERS[call]
    assert [each.verdict for each in found(source, "SPY113")] == ([] if expected is None else [expected])


def test_reverse_scan_sees_the_tail() -> None:
    body = "x = x_desc.load([row, 0])\ny_desc.store([row, 0], tl.cumsum({}, axis=1, reverse={}))"
    assert len(found(kernel(over_rows(body.format("x + 1", "True"))), "SPY113")) == 1
    assert found(kernel(over_rows(body.format("x + 1", "False"))), "SPY113") == []
    assert found(kernel(over_rows(body.format("x", "True"))), "SPY113") == []


def test_helper_is_reported_once_at_its_line() -> None:
    before = "@triton.jit\ndef top(x):\n    return tl.max(x, axis=1)"
    body = "r_desc.store([row], top(x_desc.load([row, 0])) + top(x_desc.load([row, BLOCK_N])))"
    source = kernel(over_rows(body), before=before)
    finding = only(lint(source), "SPY113")
    assert texts(source, [finding]) == ["tl.max(x, axis=1)"]
    assert sum("reached from `kernel`" in each.message for each in finding.related) == 2


def test_branch_that_no_binding_takes() -> None:
    params = "x_ptr, n, MODE: tl.constexpr, BLOCK: tl.constexpr"
    desc = "d = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])\n"
    body = "x = d.load([0])\nif MODE == {}:\n    d.store([0], x + tl.max(x, 0))"
    for mode in (1, 2):
        source = kernel(body.format(mode), params=params, descriptors=desc)
        finding = only(lint(source, constexprs={"MODE": 1, "BLOCK": 64}), "SPY113")
        assert finding.binding == ("command line" if mode == 1 else None)


# ---- SPY112 ------------------------------------------------------------------------------------------------------

REDUNDANT = {
    "columns": ("tl.where(cols[None, :] < N, x, 0.0)", True),
    "columns, integer zero": ("tl.where(cols[None, :] < N, x, 0)", True),
    "columns, another fill": ("tl.where(cols[None, :] < N, x, 1.0)", False),
    "the other way round": ("tl.where(cols[None, :] >= N, 0.0, x)", True),
    "the other way round, both axes": ("tl.where((rows[:, None] >= M) | (cols[None, :] >= N), 0.0, x)", True),
    "the other way round, another fill": ("tl.where(cols[None, :] >= N, 1.0, x)", False),
    "rows": ("tl.where(rows[:, None] < M, x, 0.0)", True),
    "both axes": ("tl.where((rows[:, None] < M) & (cols[None, :] < N), x, 0.0)", True),
    "either axis": ("tl.where((rows[:, None] < M) | (cols[None, :] < N), x, 0.0)", False),
    "a tighter bound": ("tl.where(cols[None, :] < N - 1, x, 0.0)", False),
    "causal": ("tl.where(cols[None, :] <= rows[:, None], x, 0.0)", False),
    "causal and bounded": ("tl.where((cols[None, :] <= rows[:, None]) & (cols[None, :] < N), x, 0.0)", False),
    "a length of its own": ("tl.where(cols[None, :] < tl.sum(w_desc.load([c])), x, 0.0)", False),
    "what is not 0 there": ("tl.where(cols[None, :] < N, tl.exp(x), 0.0)", False),
    "what is 0 there too": ("tl.where(cols[None, :] < N, x * 2, 0.0)", True),
}


@pytest.mark.parametrize(("mask", "fires"), REDUNDANT.values(), ids=REDUNDANT.keys())
def test_masks_that_repeat_the_shape(mask: str, fires: bool) -> None:
    source = _reduction("0.0", f"rows = row + tl.arange(0, BLOCK_M)\nr += tl.sum({mask}, axis=1)")
    findings = found(source, "SPY112")
    assert texts(source, findings) == ([mask] if fires else [])
    assert all(each.level is Level.WARNING for each in findings)
    if fires:
        bare = source.replace(mask, "x * 2" if "x * 2" in mask else "x")
        assert np.allclose(_computed(source, block=4), _computed(bare, block=4))


def test_mask_with_the_wrong_fill_is_one_finding() -> None:
    body = "x = tl.where(cols[None, :] < N, x, 0.0)\nr = tl.maximum(r, tl.max(x, axis=1))"
    findings = found(_reduction("-9.0", body), "SPY112", "SPY113")
    assert [each.code for each in findings] == ["SPY113"]
    assert any("these lanes are set here" in each.message for each in findings[0].related)


def test_mask_of_an_extent_that_the_block_divides_is_left_alone() -> None:
    source = _reduction("0.0", "r += tl.sum(tl.where(cols[None, :] < N, x, 0.0), axis=1)").replace("N]", "4 * BLOCK_N]")
    assert found(source, "SPY112") == []


# ---- SPY122 ------------------------------------------------------------------------------------------------------

SCATTER = """\
i_desc = tl.make_tensor_descriptor(w_ptr, shape=[{extent}], strides=[1], block_shape=[BLOCK_M])
t_desc = tl.make_tensor_descriptor(out_ptr, shape=[N, 64], strides=[64, 1], block_shape=[1, 64])
v_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, 64], strides=[64, 1], block_shape=[BLOCK_M, 64])
for m in range(0, tl.cdiv(M, BLOCK_M)):
    rows = m * BLOCK_M + tl.arange(0, BLOCK_M)
    idx = i_desc.load([m * BLOCK_M])
    idx = {index}
    {scatter}
"""
METHOD = "t_desc.scatter(v_desc.load([m * BLOCK_M, 0]), idx, 0)"
SCATTERS = {
    "unguarded": ("M", "idx", METHOD, WRONG),
    "free function": ("M", "idx", "tl.descriptor_scatter(t_desc, v_desc.load([m * BLOCK_M, 0]), idx, 0)", WRONG),
    "cast": ("M", "idx.to(tl.int32)", METHOD, WRONG),
    "guarded": ("M", "tl.where(rows < M, idx, N)", METHOD, RIGHT),
    "guarded with a later row": ("M", "tl.where(rows < M, idx, N + 5)", METHOD, RIGHT),
    "guarded with a real row": ("M", "tl.where(rows < M, idx, 0)", METHOD, WRONG),
    "guarded with another size": ("M", "tl.where(rows < M, idx, M)", METHOD, OPEN),
    "guarded by another size": ("M", "tl.where(rows < N, idx, N)", METHOD, OPEN),
    "negative": ("M", "tl.where(rows < M, idx, -1)", METHOD, RIGHT),
    "whole blocks": ("4 * BLOCK_M", "idx", METHOD, RIGHT),
}


def _scatter(extent: str, index: str, scatter: str) -> str:
    return kernel("pass", descriptors=SCATTER.format(extent=extent, index=index, scatter=scatter))


@pytest.mark.parametrize(("extent", "index", "scatter", "verdict"), SCATTERS.values(), ids=SCATTERS.keys())
def test_scatter_tails(extent: str, index: str, scatter: str, verdict: Verdict | None) -> None:
    source = _scatter(extent, index, scatter)
    findings = found(source, "SPY122")
    assert [each.verdict for each in findings] == ([] if verdict is None else [verdict])
    assert texts(source, findings) == ["idx"] * len(findings)
    levels = {WRONG: Level.ERROR, OPEN: Level.NOTE}
    assert all(each.level is levels[each.verdict] for each in findings)


@pytest.mark.parametrize("name", ["unguarded", "guarded", "guarded with a real row", "negative"])
def test_scatter_tails_on_numpy(name: str) -> None:
    """Rows past the end of the indices must not touch row 0, which no index names."""
    extent, index, scatter, verdict = SCATTERS[name]
    out = np.full((9, 64), 7.0)
    run(
        _scatter(extent, index, scatter),
        np.ones((6, 64)),
        np.array([1, 2, 3, 4, 5, 6]),
        out,
        0,
        6,
        9,
        BLOCK_M=4,
        BLOCK_N=0,
    )
    assert bool((out[0] == 7).all()) is (verdict is RIGHT)


def test_scatter_help_uses_the_kernels_names() -> None:
    finding = only(lint(_scatter("M", "idx", METHOD)), "SPY122")
    assert finding.help == "send these rows out of bounds: `tl.where(rows < M, idx, N)`"
    assert "row 0 is overwritten" in finding.message


def test_sum_over_gathered_padding_rows() -> None:
    body = """
        idx = i_desc.load([0])
        idx = {}
        r_desc.store([0], tl.sum(t_desc.gather(idx, 0), axis=0))
        """
    start = SCATTER.split("v_desc")[0].format(extent="M") + (
        "r_desc = tl.make_tensor_descriptor(x_ptr, shape=[64], strides=[1], block_shape=[64])\n"
        "rows = tl.arange(0, BLOCK_M)\n"
    )
    raw = only(lint(kernel(body.format("idx"), descriptors=start)), "SPY113")
    assert raw.verdict is WRONG and "row 0" in raw.message
    assert found(kernel(body.format("tl.where(rows < M, idx, N)"), descriptors=start), "SPY113") == []


def test_a_reshape_undone_keeps_the_padding_of_each_axis() -> None:
    """Rows gathered through a flattened tile of indices are padded along the axes that tile had."""
    source = """
        import triton
        import triton.language as tl


        @triton.jit
        def pages(t_ptr, i_ptr, o_ptr, n_rows, lots, per_lot, LOTS: tl.constexpr, EACH: tl.constexpr):
            table = tl.make_tensor_descriptor(t_ptr, shape=[n_rows, 64], strides=[64, 1], block_shape=[1, 64])
            index = tl.make_tensor_descriptor(
                i_ptr, shape=[lots, per_lot], strides=[per_lot, 1], block_shape=[LOTS, EACH]
            )
            out = tl.make_tensor_descriptor(o_ptr, shape=[lots, 64], strides=[64, 1], block_shape=[LOTS, 64])
            for lot in range(tl.program_id(0) * LOTS, lots, tl.num_programs(0) * LOTS):
                rows = tl.reshape(index.load([lot, 0]), [LOTS * EACH])
                found = tl.reshape(table.gather(rows, 0), {shape})
                out.store([lot, 0], {stored})
        """

    def judged(shape: str, stored: str) -> list[str]:
        findings = lint(source.format(shape=shape, stored=stored), select=["SPY113"])
        return [finding.message for finding in findings]

    (inner,) = judged("[LOTS, EACH, 64]", "tl.sum(found, axis=1)")
    assert "past the end of `per_lot` (in blocks of `EACH`)" in inner
    (lined,) = judged("[LOTS, 1, EACH, 64]", "tl.reshape(tl.sum(found, axis=2), [LOTS, 64])")
    assert "past the end of `per_lot`" in lined
    (outer,) = judged("[LOTS, EACH, 64]", "tl.broadcast_to(tl.sum(tl.sum(found, axis=2), axis=0)[None, :], [LOTS, 64])")
    assert "past the end of `lots` (in blocks of `LOTS`)" in outer
    assert judged("[LOTS, EACH, 64]", "tl.broadcast_to(tl.sum(found, axis=2)[:, :1], [LOTS, 64])") == []
