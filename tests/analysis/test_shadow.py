"""The shadow launch under bindings, with unknown values, work slices, raw pointers, limits; and its evidence."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import pytest

from spyre_lint.analysis.shadow import coverage_of
from spyre_lint.analysis.shadow_facts import Coverage
from spyre_lint.findings import Verdict
from spyre_lint.ir.core import KernelIR
from tests.analysis.acting import Kernels, act, check_failure, lowered
from tests.analysis.shadow_right import RIGHT
from tests.analysis.shadow_wrong import EXPECTED, HELPERS, WRONG

_HEADER = "import triton\nimport triton.language as tl\n"
_ALL = lowered(_HEADER + HELPERS + WRONG + RIGHT)
_BOUND = {
    "BLOCK": 16, "BLOCK_M": 8, "BLOCK_N": 16, "BLOCK_K": 8, "BLOCK_T": 8, "BLOCK_D": 16, "BLOCK_A": 8, "BLOCK_B": 16,
    "BLOCK_H": 1024, "BLOCK_ITEMS": 8, "HEAD_DIM": 16, "D": 16, "GROUP": 3, "PAGE": 16, "NUM_CORES": 32,
    "M": 100, "N": 48,
}  # fmt: skip


def _codes(shown: Coverage) -> list[str]:
    return sorted(failure.code for failure in shown.failures)


def _bound(kernels: Kernels, name: str, bound: Mapping[str, Any]) -> Coverage:
    """Coverage under a binding, as an instance of the engine has it."""
    known = {p.name: bound[p.name] for p in kernels.by_name[name].info.params if p.is_constexpr and p.name in bound}

    def reopen(names: Collection[str]) -> KernelIR:
        return kernels.ir(name, {n: v for n, v in known.items() if n not in names})

    return coverage_of(kernels.ir(name, known), known=known, reopen=reopen)


@pytest.mark.parametrize("name", EXPECTED)
def test_wrong_kernels_are_reported_under_a_binding(name: str) -> None:
    shown = _bound(_ALL, name, _BOUND)
    assert tuple(_codes(shown)) == EXPECTED[name], [f.sentence for f in shown.failures]
    for failure in shown.failures:
        example = failure.counterexample
        if example is not None:
            assert all(value == _BOUND[tile] for tile, value in example.tiles.items())
            check_failure(failure, act(_ALL, name, example))


@pytest.mark.parametrize("name", [line.split("(")[0][4:] for line in RIGHT.splitlines() if line.startswith("def ")])
def test_right_kernels_are_silent_under_a_binding(name: str) -> None:
    assert _codes(_bound(_ALL, name, _BOUND)) == []


def _one(
    body: str, head: str = "x_ptr, out_ptr, n, BLOCK: tl.constexpr", known: Mapping[str, Any] | None = None
) -> Coverage:
    """Coverage of a kernel given by its parameters and body, with an output descriptor of one dimension."""
    out = "out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])"
    lines = [f"    {line}" for line in [out, *body.strip("\n").splitlines()]]
    kernels = lowered("\n".join([_HEADER, "@triton.jit", f"def kernel({head}):", *lines, ""]))
    return coverage_of(kernels.ir("kernel", known), known=known)


def _is_open(shown: Coverage, words: str) -> bool:
    return any(words in entry.reason for entry in shown.open)


class TestUnknownValues:
    def test_loop_bound_from_memory(self) -> None:
        shown = _one("""
length = tl.load(x_ptr)
for i in range(tl.program_id(0), tl.cdiv(length, BLOCK), tl.num_programs(0)):
    out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
""")
        assert not shown.failures
        assert _is_open(shown, "a value loaded from `x_ptr`")
        assert all(
            shown.verdict(code) is Verdict.UNPROVEN for code in ("SPY303", "SPY305", "SPY306", "SPY308", "SPY502")
        )

    def test_branch_on_a_loaded_value(self) -> None:
        shown = _one("""
flag = tl.load(x_ptr)
for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
    if flag > 0:
        out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
""")
        assert not shown.failures and _is_open(shown, "`x_ptr`")

    def test_early_return_on_a_loaded_value(self) -> None:
        shown = _one("""
if tl.load(x_ptr) == 0:
    return
out_desc.store([tl.program_id(0) * BLOCK], tl.zeros([BLOCK], tl.float32))
""")
        assert not shown.failures and _is_open(shown, "`x_ptr`")

    def test_offset_from_memory(self) -> None:
        shown = _one("""
for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
    page = tl.load(x_ptr + i)
    out_desc.store([page * BLOCK], tl.zeros([BLOCK], tl.float32))
""")
        assert not shown.failures and _is_open(shown, "`x_ptr`")

    def test_while_on_a_loaded_value(self) -> None:
        shown = _one("""
i = tl.program_id(0)
while i < tl.load(x_ptr):
    out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
    i += tl.num_programs(0)
""")
        assert not shown.failures and _is_open(shown, "`x_ptr`")

    def test_a_branch_that_only_changes_data_does_not_matter(self) -> None:
        shown = _one("""
flag = tl.load(x_ptr)
for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
    value = tl.zeros([BLOCK], tl.float32)
    if flag > 0:
        value += 1.0
    out_desc.store([i * BLOCK], value)
""")
        assert not shown.failures and not shown.open

    def test_an_unknown_value_that_both_sides_agree_on(self) -> None:
        shown = _one("""
flag = tl.load(x_ptr)
step = tl.num_programs(0)
if flag > 0:
    step = tl.num_programs(0)
for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), step):
    out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
""")
        assert not shown.failures

    def test_descriptor_of_the_host(self) -> None:
        kernels = lowered(
            _HEADER
            + "@triton.jit\ndef kernel(out_desc, BLOCK: tl.constexpr):\n"
            + "    out_desc.store([tl.program_id(0) * BLOCK], tl.zeros([BLOCK], tl.float32))\n"
        )
        shown = coverage_of(kernels.ir("kernel"))
        assert not shown.failures and shown.verdict("SPY303") is Verdict.UNPROVEN


class TestHostRelations:
    def test_share_of_the_host_is_unproven(self) -> None:
        shown = _one(
            """
start = tl.program_id(0) * per_program
for i in range(start, tl.minimum(start + per_program, tl.cdiv(n, BLOCK))):
    out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
""",
            "x_ptr, out_ptr, n, per_program, BLOCK: tl.constexpr",
        )
        assert not shown.failures
        assert _is_open(shown, "`per_program`") and shown.verdict("SPY308") is Verdict.UNPROVEN

    def test_tile_count_of_the_host_with_a_floored_share(self) -> None:
        shown = _one(
            """
share = n_tiles // tl.num_programs(0)
for i in range(tl.program_id(0) * share, (tl.program_id(0) + 1) * share):
    out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
""",
            "x_ptr, out_ptr, n, n_tiles, BLOCK: tl.constexpr",
        )
        assert _codes(shown) == ["SPY308"]

    def test_flag_that_decides_is_unproven(self) -> None:
        body = """
count = tl.cdiv(n, BLOCK)
if WHOLE_ONLY:
    count = n // BLOCK
for i in range(tl.program_id(0), count, tl.num_programs(0)):
    out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
"""
        head = "x_ptr, out_ptr, n, WHOLE_ONLY: tl.constexpr, BLOCK: tl.constexpr"
        shown = _one(body, head)
        assert not shown.failures
        assert shown.verdict("SPY502") is Verdict.UNPROVEN and _is_open(shown, "WHOLE_ONLY")
        assert _codes(_one(body, head, {"WHOLE_ONLY": True})) == ["SPY502"]
        assert _one(body, head, {"WHOLE_ONLY": False}).verdict("SPY502") is Verdict.SATISFIED

    def test_bound_sizes_stay_as_ragged_as_they_are(self) -> None:
        body = """
for i in range(tl.program_id(0), n // BLOCK, tl.num_programs(0)):
    out_desc.store([i * BLOCK], tl.zeros([BLOCK], tl.float32))
"""
        kernels = lowered(
            _HEADER + "@triton.jit\ndef kernel(out_ptr, n: tl.constexpr, BLOCK: tl.constexpr):\n"
            "    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])\n"
            + "\n".join(f"    {line}" for line in body.strip().splitlines())
            + "\n"
        )
        assert _codes(_bound(kernels, "kernel", {"n": 4096, "BLOCK": 64})) == []
        assert _codes(_bound(kernels, "kernel", {"n": 4100, "BLOCK": 64})) == ["SPY502"]


class TestWorkSlices:
    _SLICES = tuple({"m": t // 2, "n": t % 2} for t in range(8))
    _HEAD = (
        "@triton.jit\n"
        "def kernel(x_ptr, out_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, W: tl.constexpr):\n"
        "    shape, strides, block = [M, N], [N, 1], [BLOCK_M, BLOCK_N]\n"
        "    x_desc = tl.make_tensor_descriptor(x_ptr, shape=shape, strides=strides, block_shape=block)\n"
        "    out_desc = tl.make_tensor_descriptor(out_ptr, shape=shape, strides=strides, block_shape=block)\n"
        '    m = tl.wk_slice_coord(W, "m")\n    n = tl.wk_slice_coord(W, "n")\n'
    )

    def _run(self, body: str, slices: Any = None) -> Coverage:
        kernels = lowered(_HEADER + self._HEAD + "".join(f"    {line}\n" for line in body.strip().splitlines()))
        known = {"W": self._SLICES if slices is None else slices}
        return coverage_of(kernels.ir("kernel", known), known=known)

    def test_slices_that_cover_the_tensor(self) -> None:
        shown = self._run("out_desc.store([m * BLOCK_M, n * BLOCK_N], x_desc.load([m * BLOCK_M, n * BLOCK_N]))")
        assert not shown.failures, [f.sentence for f in shown.failures]
        assert shown.grids == ((8,),)
        assert shown.verdict("SPY502") is Verdict.UNPROVEN and shown.verdict("SPY306") is Verdict.SATISFIED

    def test_two_programs_of_one_slice(self) -> None:
        shown = self._run("out_desc.store([m * BLOCK_M, 0], x_desc.load([m * BLOCK_M, 0]))")
        assert _codes(shown) == ["SPY306"]

    def test_result_of_an_all_reduce_may_be_stored_by_each(self) -> None:
        shown = self._run(
            "x = x_desc.load([m * BLOCK_M, n * BLOCK_N])\n"
            'total = tl.inter_tile(x, axis="n", combiner="add", mode="all_reduce", work_slices=W)\n'
            "out_desc.store([m * BLOCK_M, 0], total)"
        )
        assert "SPY306" not in _codes(shown)

    def test_open_slices_are_unproven(self) -> None:
        kernels = lowered(
            _HEADER + self._HEAD + "    out_desc.store([m * BLOCK_M, n * BLOCK_N], x_desc.load([0, 0]))\n"
        )
        shown = coverage_of(kernels.ir("kernel"))
        assert not shown.failures and _is_open(shown, "work slices")


class TestRawPointers:
    def _run(self, body: str, head: str = "x_ptr, out_ptr, n, BLOCK: tl.constexpr") -> Coverage:
        lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
        return coverage_of(lowered(f"{_HEADER}@triton.jit\ndef kernel({head}):\n{lines}").ir("kernel"))

    def test_one_tile_per_program(self) -> None:
        shown = self._run("""
offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
""")
        assert _codes(shown) == ["SPY303"]

    def test_row_per_program_with_a_loop_over_columns(self) -> None:
        shown = self._run(
            """
row = tl.program_id(0)
for start in range(0, n, BLOCK):
    cols = start + tl.arange(0, BLOCK)
    tl.store(out_ptr + row * stride + cols, tl.load(x_ptr + row * stride + cols, mask=cols < n), mask=cols < n)
""",
            "x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr",
        )
        assert _codes(shown) == ["SPY303"]

    @pytest.mark.parametrize(
        "loop",
        [
            "for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):",
            "for i in range(0, tl.cdiv(n, BLOCK), tl.num_programs(0)):\n    i = i + tl.program_id(0)",
        ],
    )
    def test_grid_stride_loops(self, loop: str) -> None:
        shown = self._run(f"""
{loop}
    offsets = i * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
""")
        assert _codes(shown) == []

    def test_floored_share(self) -> None:
        shown = self._run("""
share = tl.cdiv(n, BLOCK) // tl.num_programs(0)
for i in range(tl.program_id(0) * share, (tl.program_id(0) + 1) * share):
    offsets = i * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
""")
        assert _codes(shown) == ["SPY308"]

    def test_share_in_elements(self) -> None:
        shown = self._run("""
share = tl.cdiv(n, tl.num_programs(0))
start = tl.program_id(0) * share
for i in range(0, share, BLOCK):
    offsets = start + i + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)
""")
        assert _codes(shown) == []

    def test_block_pointers(self) -> None:
        body = """
out = tl.make_block_ptr(out_ptr, (n,), (1,), ({start} * BLOCK,), (BLOCK,), (0,))
for i in range({start}, {end}):
    tl.store(out, tl.zeros([BLOCK], tl.float32), boundary_check=(0,))
    out = tl.advance(out, (BLOCK,))
"""
        right = "start = tl.program_id(0) * tl.cdiv(tl.cdiv(n, BLOCK), tl.num_programs(0))\n"
        end = "tl.minimum(start + tl.cdiv(tl.cdiv(n, BLOCK), tl.num_programs(0)), tl.cdiv(n, BLOCK))"
        assert _codes(self._run(right + body.format(start="start", end=end).strip())) == []
        wrong = body.format(start="tl.program_id(0)", end="tl.program_id(0) + 1")
        assert _codes(self._run(wrong)) == ["SPY303"]

    def test_pointer_chosen_by_a_flag(self) -> None:
        shown = self._run(
            """
row = tl.program_id(0)
cols = tl.arange(0, BLOCK)
if IN_PLACE:
    out_ptr = x_ptr
tl.store(out_ptr + row * n + cols, tl.zeros([BLOCK], tl.float32), mask=cols < n)
""",
            "x_ptr, out_ptr, n, IN_PLACE: tl.constexpr, BLOCK: tl.constexpr",
        )
        assert _codes(shown) == ["SPY303"]

    def test_turns_that_read_what_others_wrote(self) -> None:
        shown = self._run("""
for i in range(1, n):
    previous = tl.load(out_ptr + i - 1)
    tl.store(out_ptr + i, previous + tl.load(x_ptr + i))
""")
        assert _codes(shown) == []


class TestLimits:
    def test_endless_loop_is_capped(self) -> None:
        shown = _one("""
i = tl.program_id(0)
while i < n + 1000000:
    out_desc.store([0], tl.zeros([BLOCK], tl.float32))
""")
        assert _is_open(shown, "capped")
        assert shown.verdict("SPY308") is not Verdict.SATISFIED

    def test_division_by_zero_is_unproven(self) -> None:
        shown = _one("""
share = tl.cdiv(n, BLOCK) // tl.num_programs(0)
for i in range(tl.program_id(0) * BLOCK, n, BLOCK * (n // share)):
    out_desc.store([i], tl.zeros([BLOCK], tl.float32))
""")
        assert shown.failures or _is_open(shown, "divides by zero")
        assert shown.verdict("SPY308") is not Verdict.SATISFIED

    def test_a_kernel_without_stores_is_not_judged(self) -> None:
        shown = _one("x = tl.program_id(0)")
        assert not shown.failures and not shown.open and not shown.launches

    def test_launches_stay_within_the_cores(self) -> None:
        shown = coverage_of(_ALL.ir("three_axes"))
        assert all(a * b * c <= 32 for a, b, c in shown.grids)
        assert {1, 2, 3, 32} <= {a * b * c for a, b, c in shown.grids}

    def test_work_is_bounded(self) -> None:
        counts = {name: coverage_of(_ALL.ir(name)).programs for name in ("contiguous", "grouped_order", "three_axes")}
        assert all(count < 15_000 for count in counts.values()), counts


class TestEvidence:
    @pytest.mark.parametrize(
        "name", ["floored_share", "unclamped_end", "overlapping_ranges", "tail_in_one_dimension_only"]
    )
    def test_evidence_is_data(self, name: str) -> None:
        (failure,) = coverage_of(_ALL.ir(name)).failures
        held = json.loads(json.dumps(failure.evidence()))["counterexample"]
        example = failure.counterexample
        assert example is not None
        assert held["sizes"] == dict(example.sizes) and held["grid"] == list(example.grid)
        assert example.programs >= 1 and held["tensor"] == "out_desc"

    def test_sentences_speak_the_kernels_names(self) -> None:
        (failure,) = _bound(_ALL, "tail_in_one_dimension_only", _BOUND | {"BLOCK_M": 64}).failures
        assert failure.sentence.startswith("with M=") and "BLOCK_M=64" in failure.sentence
        assert "of `out_desc` are never stored" in failure.sentence and failure.division

    def test_places(self) -> None:
        text = (_HEADER + HELPERS + WRONG + RIGHT).splitlines()

        def line(name: str) -> str:
            (failure,) = coverage_of(_ALL.ir(name)).failures
            return text[failure.loc.line - 1].strip()

        assert line("one_tile_per_program") == "pid = tl.program_id(0)"
        assert line("second_axis_without_loop") == "pid_n = tl.program_id(1)"
        assert line("helper_that_reads_the_id") == "return tl.program_id(0)"
        assert line("unclamped_end") == "for i in range(start, start + share):"
        assert line("floored_number_of_tiles").startswith("for i in range(tl.program_id(0), n // BLOCK")
        assert line("tail_in_one_dimension_only") == "n_blocks = N // BLOCK_N"
        assert line("share_without_id").startswith("def share_without_id(")
        assert line("one_core_walks_all").startswith("def one_core_walks_all(")

    def test_helper_calls_are_kept(self) -> None:
        (failure,) = coverage_of(_ALL.ir("helper_that_reads_the_id")).failures
        assert len(failure.stack) == 1

    def test_same_answer_every_time(self) -> None:
        for name in ("floored_share_and_floored_columns", "grouped_order"):
            assert coverage_of(_ALL.ir(name)) == coverage_of(_ALL.ir(name))
