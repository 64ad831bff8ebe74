"""SPY110 and SPY119: each wrong access beside a right one that differs in as little as possible."""

from __future__ import annotations

import pytest

from spyre_lint.findings import Level, Verdict
from tests.checks.driver import lint, only
from tests.checks.kernels import found, kernel, over_rows, texts

MULTIPLES = {
    "zero": ("", "0"),
    "literal times block": ("", "2 * BLOCK_N"),
    "counter times block": ("for i in range(0, tl.cdiv(N, BLOCK_N)):", "i * BLOCK_N"),
    "counter that steps by the block": ("for c in range(0, N, BLOCK_N):", "c"),
    "counter that starts at a multiple": ("for c in range(pid * BLOCK_N, N, 32 * BLOCK_N):", "c"),
    "share of whole blocks": ("for i in range(pid * tl.cdiv(tl.cdiv(N, BLOCK_N), 32), 99):", "i * BLOCK_N"),
    "sum of multiples": ("for i in range(0, tl.cdiv(N, BLOCK_N)):", "(i + 1) * BLOCK_N + BLOCK_N"),
    "clamped between multiples": ("", "tl.minimum(pid * BLOCK_N, 4 * BLOCK_N)"),
    "rounded down": ("", "N // BLOCK_N * BLOCK_N"),
    "remainder taken off": ("", "N - N % BLOCK_N"),
}
OTHERS = {
    "share of elements": ("", "pid * tl.cdiv(N, 32)", Verdict.UNPROVEN),
    "an argument": ("", "N", Verdict.UNPROVEN),
    "clamped to the size": ("for i in range(0, tl.cdiv(N, BLOCK_N)):", "tl.minimum(i * BLOCK_N, N)", Verdict.UNPROVEN),
    "another block": ("for i in range(0, tl.cdiv(N, BLOCK_N)):", "i * BLOCK_M", Verdict.UNPROVEN),
    "counter that steps by one": ("for c in range(0, N):", "c", Verdict.UNPROVEN),
    "counter that starts at the program": ("for c in range(pid, N, BLOCK_N):", "c", Verdict.UNPROVEN),
    "unclamped remainder": ("", "N - BLOCK_N", Verdict.UNPROVEN),
}


def _access(loop: str, offset: str, call: str = "x_desc.load([0, {}])") -> str:
    space = "    " if loop else ""
    return kernel(f"{loop}\n{space}y_desc.store([0, 0], {call.format(offset)})")


@pytest.mark.parametrize(("loop", "offset"), MULTIPLES.values(), ids=MULTIPLES.keys())
def test_multiples_are_silent(loop: str, offset: str) -> None:
    assert found(_access(loop, offset), "SPY110") == []


@pytest.mark.parametrize(("loop", "offset", "verdict"), OTHERS.values(), ids=OTHERS.keys())
def test_other_offsets_are_reported(loop: str, offset: str, verdict: Verdict) -> None:
    source = _access(loop, offset)
    finding = only(lint(source), "SPY110")
    assert (finding.verdict, finding.level) == (verdict, Level.WARNING)
    assert texts(source, [finding]) == [offset]
    assert "`x_desc`" in finding.message and "`BLOCK_N`" in finding.message


@pytest.mark.parametrize(
    ("offset", "block", "violated"),
    [("i * 64 + 32", 64, True), ("i * 64 + 64", 64, False), ("i * 96", 64, None), ("i * 128", 64, False)],
)
def test_numbers_settle_it(offset: str, block: int, violated: bool | None) -> None:
    source = _access("for i in range(0, N):", offset)
    findings = found(source, "SPY110", constexprs={"BLOCK_M": 32, "BLOCK_N": block})
    verdicts = {True: [Verdict.VIOLATED], False: [], None: [Verdict.UNPROVEN]}
    assert [each.verdict for each in findings] == verdicts[violated]
    assert all(each.level is (Level.ERROR if violated else Level.WARNING) for each in findings)


def test_violation_gives_the_value_and_the_block() -> None:
    finding = only(lint(_access("", "BLOCK_N // 2"), constexprs={"BLOCK_N": 64}), "SPY110")
    assert finding.verdict is Verdict.VIOLATED
    assert "`BLOCK_N // 2` = 32" in finding.message and "`BLOCK_N` = 64" in finding.message


@pytest.mark.parametrize(
    "call",
    [
        "x_desc.load([0, {}])",
        "x_desc.load(offsets=[0, {}])",
        "tl.load_tensor_descriptor(x_desc, [0, {}])",
        "tl.descriptor_load(x_desc, [0, {}])",
        "triton.language.load_tensor_descriptor(x_desc, (0, {}))",
    ],
)
def test_loads_in_every_spelling(call: str) -> None:
    source = _access("", "N", call)
    assert texts(source, found(source, "SPY110")) == ["N"]
    assert found(_access("", "0", call), "SPY110") == []


@pytest.mark.parametrize(
    "statement",
    ["y_desc.store([0, {}], x)", "tl.store_tensor_descriptor(y_desc, [0, {}], x)", "y_desc.atomic_add([0, {}], x)"],
)
def test_stores_in_every_spelling(statement: str) -> None:
    body = "x = x_desc.load([0, 0])\n" + statement
    assert len(found(kernel(body.format("N")), "SPY110")) == 1
    assert found(kernel(body.format("BLOCK_N")), "SPY110") == []


GATHERS = """\
i_desc = tl.make_tensor_descriptor(w_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
t_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[1, BLOCK_N])
idx = i_desc.load([0])
"""


@pytest.mark.parametrize(
    "statement",
    [
        "t_desc.gather(idx, {})",
        "tl.descriptor_gather(t_desc, idx, {})",
        "t_desc.scatter(t_desc.gather(idx, 0), idx, {})",
        "tl.descriptor_scatter(t_desc, t_desc.gather(idx, 0), idx, {})",
    ],
)
def test_direct_offset_of_gather_and_scatter(statement: str) -> None:
    source = kernel(statement.format("N"), descriptors=GATHERS)
    assert texts(source, found(source, "SPY110")) == ["N"]
    assert found(kernel(statement.format("2 * BLOCK_N"), descriptors=GATHERS), "SPY110") == []


def test_dimension_of_one_takes_any_offset() -> None:
    rows = "d = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[stride, 1], block_shape=[{}, BLOCK_N])\n"
    body = "for row in range(0, M):\n    d.store([row, 0], d.load([row, 0]))"
    assert found(kernel(rows.format(1) + body), "SPY110") == []
    assert len(found(kernel(rows.format(2) + body), "SPY110")) == 2


CARRIED = """
col = 0
while col < N:
    w_desc.store([col], w_desc.load([col]))
    col += {}
"""


def test_carried_offsets() -> None:
    assert found(kernel(CARRIED.format("BLOCK_N")), "SPY110") == []
    assert {each.verdict for each in found(kernel(CARRIED.format("1")), "SPY110")} == {Verdict.UNPROVEN}


def test_offset_from_memory_says_so() -> None:
    body = "start = tl.load(w_ptr)\ny_desc.store([0, 0], x_desc.load([start, 0]))"
    assert "comes from memory" in only(lint(kernel(body)), "SPY110").message


@pytest.mark.parametrize(("given", "verdict"), [(128, None), (96, Verdict.UNPROVEN)])
def test_argument_that_a_launch_gives(given: int, verdict: Verdict | None) -> None:
    launch = f"\n\ndef run(x):\n    kernel[(1,)](x, x, x, 64, 64, {given}, BLOCK_M=64, BLOCK_N=64)\n"
    findings = found(_access("", "N") + launch, "SPY110")
    assert [each.verdict for each in findings] == ([] if verdict is None else [verdict])
    assert all("`N` = 96" in each.message for each in findings)


def test_helper_is_reported_at_its_line() -> None:
    source = kernel(
        "y_desc.store([0, 0], part(x_desc, N))",
        before="@triton.jit\ndef part(desc, at):\n    return desc.load([0, at])",
    )
    finding = only(lint(source), "SPY110")
    assert texts(source, [finding]) == ["at"]
    assert any("reached from `kernel`" in each.message for each in finding.related)


# ---- SPY119 ------------------------------------------------------------------------------------------------------

INVARIANT = {
    "no offset moves": ("w_desc.load([0])", True),
    "the offset moves": ("w_desc.load([i * BLOCK_N])", False),
    "the offset moves in an outer dimension": ("x_desc.load([i * BLOCK_M, 0])", False),
    "only an outer loop moves it": ("x_desc.load([row, 0])", True),
    "free function": ("tl.load_tensor_descriptor(w_desc, [0])", True),
    "free function that moves": ("tl.load_tensor_descriptor(w_desc, [i * BLOCK_N])", False),
}


def _loop(load: str) -> str:
    start = "acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)"
    body = f"{start}\nfor i in range(0, 8):\n    acc += {load}\ny_desc.store([row, 0], acc)"
    return kernel(over_rows(body))


@pytest.mark.parametrize(("load", "fires"), INVARIANT.values(), ids=INVARIANT.keys())
def test_loads_that_stand_still(load: str, fires: bool) -> None:
    source = _loop(load)
    findings = found(source, "SPY119")
    assert texts(source, findings) == ([load] if fires else [])
    assert all(each.level is Level.WARNING and "the loop over `i`" in each.message for each in findings)


QUIET = {
    "before the loop": """
        w = w_desc.load([0])
        for i in range(0, 8):
            y_desc.store([i * BLOCK_M, 0], w[None, :] + x_desc.load([i * BLOCK_M, 0]))
        """,
    "a carried offset": """
        at = 0
        for i in range(0, 8):
            w_desc.store([at], w_desc.load([at]))
            at += BLOCK_N
        """,
    "an index that moves": """
        for i in range(0, 8):
            y_desc.store([0, 0], x_desc.gather(w_desc.load([i * BLOCK_N]), 0))
        """,
    "an offset read in the loop": """
        for i in range(0, 8):
            at = tl.load(w_ptr + i)
            y_desc.store([0, 0], x_desc.load([at, 0]))
        """,
    "what the loop writes itself": """
        for i in range(0, 8):
            y_desc.store([0, 0], y_desc.load([0, 0]) + x_desc.load([i * BLOCK_M, 0]))
        """,
    "an atomic": """
        for i in range(0, 8):
            r_desc.atomic_add([0], tl.sum(x_desc.load([i * BLOCK_M, 0]), axis=1))
        """,
    "the condition of a loop": """
        while tl.sum(w_desc.load([0])) > 0:
            w_desc.store([0], w_desc.load([0]) - 1)
        """,
    "in one round only": """
        acc = tl.zeros([BLOCK_N], tl.float32)
        for i in range(0, 8):
            if i == 3:
                acc += w_desc.load([0])
        w_desc.store([0], acc)
        """,
    "a descriptor made in the loop": """
        for i in range(0, 8):
            d = tl.make_tensor_descriptor(x_ptr, [i], [1], [BLOCK_N])
            w_desc.store([i * BLOCK_N], d.load([0]))
        """,
    "unrolled": """
        for i in tl.static_range(4):
            w_desc.store([i * BLOCK_N], x_desc.load([0, 0]).sum(0))
        """,
}


@pytest.mark.parametrize("body", QUIET.values(), ids=QUIET.keys())
def test_other_loads_are_silent(body: str) -> None:
    assert found(kernel(body), "SPY119") == []


def test_gather_that_stands_still() -> None:
    body = "idx = w_desc.load([0])\nfor i in range(0, 8):\n    y_desc.store([i * BLOCK_M, 0], x_desc.gather(idx, {}))"
    assert len(found(kernel(body.format("0")), "SPY119")) == 1
    assert found(kernel(body.format("i * BLOCK_N")), "SPY119") == []


def test_both_branches_of_an_open_constexpr_are_seen() -> None:
    body = "for i in range(0, 8):\n    if FAST:\n        w_desc.store([i * BLOCK_N], x_desc.load([0, 0]).sum(0))"
    params = "x_ptr, w_ptr, out_ptr, stride, M, N, FAST: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr"
    assert len(found(kernel(body, params=params), "SPY119")) == 1
