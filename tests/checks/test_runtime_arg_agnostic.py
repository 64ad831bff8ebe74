"""SPY5xx: sizes fixed at compile time, dropped tails and unguarded divisions, in near misses."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from spyre_lint.findings import Level, Verdict
from tests.checks.driver import codes, lint, only

IMPORTS = "import triton\nimport triton.language as tl\n\n\n"


def kernel(signature: str, lines: str, head: str = "") -> str:
    return IMPORTS + dedent(head) + f"\n@triton.jit\ndef kernel({signature}):\n" + indent(dedent(lines), "    ")


COPY = """
x_desc = tl.make_tensor_descriptor(x_ptr, shape=[ROWS, COLS], strides=[COLS, 1], block_shape=[BLOCK_M, BLOCK_N])
y_desc = tl.make_tensor_descriptor(y_ptr, shape=[ROWS, COLS], strides=[COLS, 1], block_shape=[BLOCK_M, BLOCK_N])
for m in range(tl.program_id(0), tl.cdiv(ROWS, BLOCK_M), tl.num_programs(0)):
    for n in range(0, COLS, BLOCK_N):
        y_desc.store([m * BLOCK_M, n], x_desc.load([m * BLOCK_M, n]))
"""


def copies(rows: str, cols: str, signature: str, head: str = "") -> str:
    return kernel(
        f"x_ptr, y_ptr, {signature}, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr",
        COPY.replace("ROWS", rows).replace("COLS", cols),
        head,
    )


@pytest.mark.parametrize(
    ("rows", "cols", "signature", "expected"),
    [
        ("M", "N", "M, N", []),
        ("M", "N", "M: tl.constexpr, N", ["SPY501"]),
        ("M", "N", "M, N: tl.constexpr", ["SPY501"]),
        ("M", "N", "M: tl.constexpr, N: tl.constexpr", ["SPY501", "SPY501"]),
        ("M", "HEAD_DIM", "M, HEAD_DIM: tl.constexpr", []),
        ("M", "num_heads * head_dim", "M, num_heads: tl.constexpr, head_dim: tl.constexpr", []),
        ("M", "num_heads * N", "M, num_heads: tl.constexpr, N: tl.constexpr", ["SPY501"]),
        ("M", "2 * BLOCK_N", "M", []),
        ("B * T", "N", "B: tl.constexpr, T, N", ["SPY501"]),
        ("NUM_BLOCKS * BLOCK_M", "N", "NUM_BLOCKS: tl.constexpr, N", ["SPY501"]),
        ("M", "1024", "M", ["SPY504", "SPY504"]),
        ("M", "3", "M", []),
        ("1024", "N", "N", ["SPY504", "SPY504", "SPY504"]),
    ],
)
def test_extents(rows: str, cols: str, signature: str, expected: list[str]) -> None:
    found = lint(copies(rows, cols, signature))
    assert [each.code for each in found if each.code in ("SPY501", "SPY504")] == expected, found


def test_a_constexpr_size_points_at_the_parameter() -> None:
    found = only(lint(copies("M", "N", "M, N: tl.constexpr")), "SPY501")
    assert (found.location.line, found.location.column) == (7, 29)
    assert found.level is Level.ERROR
    assert found.related[0].location.line == 9


def test_constexpr_in_other_spellings() -> None:
    source = copies("M", "N", "M: 'tl.constexpr', N: triton.language.constexpr")
    assert codes(lint(source), "SPY501") == ["SPY501", "SPY501"]


def test_names_of_model_constants_are_configurable() -> None:
    source = copies("M", "hidden", "M, hidden: tl.constexpr")
    assert codes(lint(source), "SPY501") == ["SPY501"]
    assert codes(lint(source, config='model-constants = ["hidden"]\n'), "SPY501") == []


@pytest.mark.parametrize(("text", "expected"), [("HEAD_DIM", []), ("HIDDEN", ["SPY504", "SPY504"])])
def test_constants_of_the_module(text: str, expected: list[str]) -> None:
    found = lint(copies("M", text, "M", head=f"{text} = tl.constexpr(4096)\n"))
    assert codes(found, "SPY504") == expected


@pytest.mark.parametrize("role", ["tensor_descriptor.py", "models/copy/triton_kernel.py", "original.py"])
def test_roles_without_the_rules(role: str) -> None:
    assert codes(lint(copies("M", "1024", "M: tl.constexpr"), path=role), "SPY5") == []


def test_an_inner_bound_alone_is_no_problem_size() -> None:
    lines = """
        x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
        for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
            x = x_desc.load([block * BLOCK])
            for step in range(STEPS):
                x += step
            x_desc.store([block * BLOCK], x)
        """
    signature = "x_ptr, n, BLOCK: tl.constexpr, STEPS: tl.constexpr"
    assert codes(lint(kernel(signature, lines)), "SPY50") == []
    assert codes(lint(kernel(signature, lines.replace("STEPS", "1024"))), "SPY50") == []
    work = lines.replace("tl.cdiv(n, BLOCK)", "STEPS")
    assert "SPY501" in codes(lint(kernel(signature, work)), "SPY50")
    literal = lines.replace("tl.cdiv(n, BLOCK)", "1024")
    assert "SPY504" in codes(lint(kernel(signature, literal)), "SPY50")


def test_a_split_in_the_work_is_no_size() -> None:
    lines = """
        x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, k], strides=[k, 1], block_shape=[BLOCK, BLOCK])
        total = tl.cdiv(n, BLOCK) * SPLIT_K
        for work in range(tl.program_id(0), total, tl.num_programs(0)):
            x_desc.atomic_add([work // SPLIT_K * BLOCK, work % SPLIT_K * BLOCK], tl.zeros([BLOCK, BLOCK], tl.float32))
        """
    assert codes(lint(kernel("x_ptr, n, k, BLOCK: tl.constexpr, SPLIT_K: tl.constexpr", lines)), "SPY501") == []


WALK = """
x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
for block in range(tl.program_id(0), COUNT, tl.num_programs(0)):
    y_desc.store([block * BLOCK], x_desc.load([block * BLOCK]))
"""


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        ("n // BLOCK", ["SPY502"]),
        ("tl.cdiv(n, BLOCK)", []),
        ("(n + BLOCK - 1) // BLOCK", []),
        ("(n - 1 + BLOCK) // BLOCK", []),
        ("(n - 1) // BLOCK + 1", []),
        ("n // BLOCK + (n % BLOCK != 0)", []),
        ("(n - BLOCK + 1) // BLOCK", ["SPY502"]),
    ],
)
def test_counts_of_tiles(count: str, expected: list[str]) -> None:
    found = lint(kernel("x_ptr, y_ptr, n, BLOCK: tl.constexpr", WALK.replace("COUNT", count)))
    assert [code for code in codes(found, "SPY50") if code == "SPY502"] == expected, found
    if expected:
        assert codes(found, "SPY503") == [], "told once, as the dropped tail"


def test_a_dropped_tail_names_the_sizes() -> None:
    found = only(lint(kernel("x_ptr, y_ptr, n, BLOCK: tl.constexpr", WALK.replace("COUNT", "n // BLOCK"))), "SPY502")
    assert (found.location.line, found.level) == (11, Level.ERROR)
    assert "n=1, BLOCK=4" in found.message
    assert found.evidence["counterexample"]["sizes"] == {"n": 1}


def test_an_inner_loop_that_drops_the_tail_of_a_sum() -> None:
    lines = """
        x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
        y_desc = tl.make_tensor_descriptor(y_ptr, shape=[M], strides=[1], block_shape=[BLOCK_M])
        for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
            total = tl.zeros([BLOCK_M], tl.float32)
            for n in range(0, COUNT):
                total += tl.sum(x_desc.load([m * BLOCK_M, n * BLOCK_N]).to(tl.float32), axis=1)
            y_desc.store([m * BLOCK_M], total)
        """
    signature = "x_ptr, y_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr"
    assert codes(lint(kernel(signature, lines.replace("COUNT", "N // BLOCK_N"))), "SPY50") == ["SPY502"]
    assert codes(lint(kernel(signature, lines.replace("COUNT", "tl.cdiv(N, BLOCK_N)"))), "SPY50") == []


def test_a_whole_dimension_as_one_tile() -> None:
    lines = """
        x_desc = tl.make_tensor_descriptor(x_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
        for m in range(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.num_programs(0)):
            x_desc.store([m * BLOCK_M, 0], x_desc.load([m * BLOCK_M, 0]) * 2)
        """
    found = only(lint(kernel("x_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr", lines)), "SPY502")
    assert "no loop walks this dimension" in found.help
    whole = lines.replace("N", "HEAD_DIM").replace("BLOCK_HEAD_DIM", "HEAD_DIM")
    assert codes(lint(kernel("x_ptr, M, BLOCK_M: tl.constexpr, HEAD_DIM: tl.constexpr", whole)), "SPY50") == []


DIVIDE = """
x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, m], strides=[m, 1], block_shape=[BLOCK, BLOCK])
EXTRA
for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
    for col in range(0, m, BLOCK):
        x_desc.store([block * BLOCK, col], x_desc.load([block * BLOCK, col]) * value)
"""


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("value = n // 2", ["SPY503"]),
        ("value = n % 2", ["SPY503"]),
        ("value = m // n", ["SPY503"]),
        ("value = (n * m) // k", ["SPY503"]),
        ("value = (n * k) // k", []),
        ("value = (n + 63) // 64", []),
        ("value = (n + k - 1) // k", []),
        ("value = (n + 64) // 64", ["SPY503"]),
        ("value = tl.cdiv(n, 64)", []),
        ("tl.device_assert(n % 2 == 0)\nvalue = n // 2", []),
        ("tl.device_assert(n % 4 == 0)\nvalue = n // 2", ["SPY503"]),
        ("value = 0\nif n % 2 == 0:\n    value = n // 2", []),
        ("rest = n % 64\nvalue = n // 64\nif rest > 0:\n    value += 1", []),
        ("value = n // 64 + (n % 64 > 0)", []),
        ("value = tl.program_id(0) // n", []),
        ("value = n // tl.num_programs(0)", []),
        ("value = tl.cdiv(n, BLOCK) // 2", []),
        ("value = num_heads // k", []),
        ("value = n / 2", []),
    ],
)
def test_divisions(extra: str, expected: list[str]) -> None:
    source = kernel("x_ptr, n, m, k, num_heads, BLOCK: tl.constexpr", DIVIDE.replace("EXTRA", extra))
    assert codes(lint(source), "SPY503") == expected


def test_index_decomposition_is_no_division_of_a_size() -> None:
    lines = """
        x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, m], strides=[m, 1], block_shape=[BLOCK, BLOCK])
        m_blocks = tl.cdiv(m, BLOCK)
        for tile in range(tl.program_id(0), tl.cdiv(n, BLOCK) * m_blocks, tl.num_programs(0)):
            row = tile // m_blocks * BLOCK
            col = tile % m_blocks * BLOCK
            x_desc.store([row, col], x_desc.load([row, col]) * 2)
        """
    assert codes(lint(kernel("x_ptr, n, m, BLOCK: tl.constexpr", lines)), "SPY5") == []


def test_a_tail_with_a_way_of_its_own() -> None:
    lines = """
        x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, m], strides=[m, 1], block_shape=[BLOCK, BLOCK])
        full = m // BLOCK
        for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
            for col in range(full):
                x_desc.store([block * BLOCK, col * BLOCK], x_desc.load([block * BLOCK, col * BLOCK]) * 2)
            if full * BLOCK < m:
                x_desc.store([block * BLOCK, full * BLOCK], x_desc.load([block * BLOCK, full * BLOCK]) * 2)
        """
    assert codes(lint(kernel("x_ptr, n, m, BLOCK: tl.constexpr", lines)), "SPY50") == []


@pytest.mark.parametrize(
    ("size", "block", "verdict"), [(1024, 128, None), (1000, 128, Verdict.VIOLATED), (None, 128, Verdict.UNPROVEN)]
)
def test_constexpr_by_constexpr(size: int | None, block: int, verdict: Verdict | None) -> None:
    lines = """
        x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n, K], strides=[K, 1], block_shape=[BLOCK, BLOCK])
        value = K // BLOCK
        for row in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
            for col in range(0, K, BLOCK):
                x_desc.store([row * BLOCK, col], x_desc.load([row * BLOCK, col]) * value)
        """
    constexprs = {"BLOCK": block} if size is None else {"BLOCK": block, "K": size}
    found = lint(kernel("x_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr", lines), constexprs=constexprs)
    assert [each.verdict for each in found if each.code == "SPY503"] == ([] if verdict is None else [verdict])
    if verdict is Verdict.VIOLATED:
        assert "1000 // 128, which leaves 104 over" in only(found, "SPY503").message


def test_a_division_in_a_helper_is_reported_once() -> None:
    head = "\n@triton.jit\ndef half(n):\n    return n // 2\n\n"
    source = kernel("x_ptr, n, m, BLOCK: tl.constexpr", DIVIDE.replace("EXTRA", "value = half(n) + half(m)"), head)
    found = only(lint(source), "SPY503")
    assert found.location.line == 8
    assert any("reached from `kernel`" in each.message for each in found.related)
