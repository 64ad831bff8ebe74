"""SPY3xx: grids, axes, and how the work is shared out, in near misses."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from spyre_lint.findings import Level, Verdict
from tests.checks.driver import codes, lint, marks, only

KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        y_desc.store([block * BLOCK], x_desc.load([block * BLOCK]))
"""


def launched(host: str) -> str:
    return KERNEL + dedent(host)


def body(lines: str, signature: str = "x_ptr, y_ptr, n, BLOCK: tl.constexpr", head: str = "") -> str:
    """A kernel over one dimension whose distribution is `lines`; they copy the block `block`."""
    return (
        "import triton\nimport triton.language as tl\n\n"
        + dedent(head)
        + f"\n\n@triton.jit\ndef copy_kernel({signature}):\n"
        + "    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])\n"
        + "    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n], strides=[1], block_shape=[BLOCK])\n"
        + "    n_blocks = tl.cdiv(n, BLOCK)\n"
        + indent(dedent(lines).replace("COPY", "y_desc.store([block * BLOCK], x_desc.load([block * BLOCK]))"), "    ")
    )


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ("(33,)", ["SPY301"]),
        ("(32,)", []),
        ("[33]", ["SPY301"]),
        ("33", ["SPY301"]),
        ("(NUM,)", []),
        ("(NUM + 1,)", ["SPY301"]),
        ("(max(64, triton.cdiv(n, 128)),)", ["SPY301"]),
        ("(triton.cdiv(n, 128),)", ["SPY302"]),
        ("(min(32, triton.cdiv(n, 128)),)", []),
        ("(min(triton.cdiv(n, 128), NUM),)", []),
        ("(min(33, triton.cdiv(n, 128)),)", ["SPY302"]),
        ("(n,)", ["SPY302"]),
        ("(x.shape[0],)", ["SPY302"]),
        ("(len(x),)", ["SPY302"]),
        ("lambda meta: (triton.cdiv(n, meta['BLOCK']),)", ["SPY302"]),
        ("lambda meta: (min(32, triton.cdiv(n, meta['BLOCK'])),)", []),
        ("(n if n < 32 else 32,)", []),
        ("(n if n < 64 else 64,)", ["SPY302"]),
        ("(capped(n),)", []),
        ("(grown(n),)", ["SPY302"]),
    ],
)
def test_size_of_a_grid(grid: str, expected: list[str]) -> None:
    found = lint(
        launched(f"""
        NUM = 32


        def capped(n):
            if n > 32:
                return 32
            return n


        def grown(n):
            return n * 2


        def copy(x, y):
            n = x.numel()
            grid = {grid}
            copy_kernel[grid](x, y, n, BLOCK=128)
        """)
    )
    assert codes(found, "SPY30") == expected, found


def test_a_cap_in_a_statement() -> None:
    source = """
        def copy(x, y):
            programs = triton.cdiv(x.numel(), 128)
            if programs > 32:
                programs = 32
            copy_kernel[(programs,)](x, y, x.numel(), BLOCK=128)
        """
    assert codes(lint(launched(source)), "SPY30") == []
    assert codes(lint(launched(source.replace("programs = 32", "print(programs)"))), "SPY30") == ["SPY302"]


def test_a_grid_that_cannot_be_followed_is_unproven() -> None:
    found = only(
        lint(
            launched("""
            from somewhere import programs


            def copy(x, y):
                copy_kernel[(programs(),)](x, y, x.numel(), BLOCK=128)
            """)
        ),
        "SPY302",
    )
    assert (found.verdict, found.level) == (Verdict.UNPROVEN, Level.NOTE)
    assert "programs" in found.message


def test_the_product_counts_and_the_culprit_is_shown() -> None:
    found = only(lint(launched("def copy(x, y):\n    copy_kernel[(4, 9)](x, y, x.numel(), BLOCK=128)\n")), "SPY301")
    assert "4 x 9 = 36 programs" in found.message
    assert found.evidence == {"programs": 36, "cores": 32}
    assert found.related[0].location.line == 8


def test_cores_are_configurable() -> None:
    source = launched("def copy(x, y):\n    copy_kernel[(32,)](x, y, x.numel(), BLOCK=128)\n")
    found = lint(source, config="[hardware]\ncores = 16\n")
    assert codes(found, "SPY301") == ["SPY301"]


@pytest.mark.parametrize(("grid", "expected"), [("[64]", ["SPY301"]), ("[32]", []), ("[16, 2]", ["SPY309"])])
def test_grid_of_a_driver(grid: str, expected: list[str]) -> None:
    driver = f"""
        VARIANTS = {{
            "copy": {{
                "KERNEL": copy_kernel,
                "SIGNATURE": {{"x_ptr": "*fp16", "y_ptr": "*fp16", "n": "i32", "BLOCK": "constexpr"}},
                "CONSTEXPRS": {{"BLOCK": 128}},
                "GRID": {grid},
            }}
        }}
        """
    assert codes(lint(launched(driver)), "SPY30") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spyre.py", ["SPY302"]),
        ("tensor_descriptor.py", []),
        ("original.py", []),
        ("block_ptr.py", []),
        ("models/add/triton_kernel.py", []),
    ],
)
def test_the_role_of_the_launched_kernel_decides(path: str, expected: list[str]) -> None:
    module = path.removesuffix(".py").replace("/", ".")
    wrapper = f"""
        import triton
        from {module} import copy_kernel

        def copy(x, y):
            copy_kernel[(x.numel(),)](x, y, x.numel(), BLOCK=128)
        """
    found = lint(KERNEL, path=path, files={"wrapper.py": wrapper})
    assert [mark for mark in marks(found) if mark[0] == "wrapper.py" and mark[2] < "SPY4"] == [
        ("wrapper.py", 6, code) for code in expected
    ]


def test_traced_kernels_get_301_only() -> None:
    wrapper = """
        from models.add.triton_kernel import copy_kernel

        def copy(x, y):
            copy_kernel[(64,)](x, y, x.numel(), BLOCK=128)
        """
    found = lint(KERNEL, path="models/add/triton_kernel.py", files={"wrapper.py": wrapper})
    assert codes(found, "SPY30") == ["SPY301"]


def test_kernels_told_apart_in_one_wrapper() -> None:
    wrapper = """
        import triton
        from original import copy_kernel as original_kernel
        from spyre import copy_kernel as spyre_kernel

        def copy(x, y, kernel_fn=spyre_kernel):
            n = x.numel()
            if kernel_fn is original_kernel:
                kernel_fn[(triton.cdiv(n, 128),)](x, y, n, BLOCK=128)
            else:
                kernel_fn[(min(32, triton.cdiv(n, 128)),)](x, y, n, BLOCK=128)
        """
    found = lint(KERNEL, path="spyre.py", files={"original.py": KERNEL, "wrapper.py": wrapper})
    assert codes(found, "SPY30") == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("block = tl.program_id(0)\nCOPY", [("SPY303", 11)]),
        ("block = tl.program_id(axis=0)\nif block < n_blocks:\n    COPY", [("SPY303", 11)]),
        ("for block in range(tl.program_id(0), n_blocks, tl.num_programs(0)):\n    COPY", []),
        ("for block in tl.range(tl.program_id(0), n_blocks, tl.num_programs(0)):\n    COPY", []),
        (
            (
                "per = tl.cdiv(n_blocks, tl.num_programs(0))\nstart = tl.program_id(0) * per\n"
                "for block in range(start, tl.minimum(start + per, n_blocks)):\n    COPY"
            ),
            [],
        ),
        (
            (
                "per = tl.cdiv(n_blocks, tl.num_programs(0))\nstart = tl.program_id(0) * per\n"
                "for block in range(start, start + per):\n    COPY"
            ),
            [("SPY305", 13)],
        ),
        (
            (
                "per = tl.cdiv(n_blocks, tl.num_programs(0))\nstart = tl.program_id(0) * per\n"
                "for block in range(start, start + per):\n    if block < n_blocks:\n        COPY"
            ),
            [],
        ),
        (
            (
                "per = n_blocks // tl.num_programs(0)\nstart = tl.program_id(0) * per\n"
                "for block in range(start, start + per):\n    COPY"
            ),
            [("SPY308", 12)],
        ),
        (
            (
                "per = n_blocks // 32\npid = tl.program_id(0)\nend = (pid + 1) * per\n"
                "if pid == 31:\n    end = n_blocks\nfor block in range(pid * per, end):\n    COPY"
            ),
            [("SPY308", 12)],
        ),
        (
            (
                "per = n_blocks // tl.num_programs(0)\npid = tl.program_id(0)\nend = (pid + 1) * per\n"
                "if pid == tl.num_programs(0) - 1:\n    end = n_blocks\nfor block in range(pid * per, end):\n    COPY"
            ),
            [],
        ),
        (
            (
                "if tl.num_programs(0) > n_blocks:\n    return\n"
                "for block in range(tl.program_id(0), n_blocks, tl.num_programs(0)):\n    COPY"
            ),
            [("SPY308", 13)],
        ),
        (
            (
                "pid = tl.program_id(0)\nif pid >= n_blocks:\n    return\n"
                "for block in range(pid, n_blocks, tl.num_programs(0)):\n    COPY"
            ),
            [],
        ),
        ("for block in range(0, n_blocks):\n    COPY", [("SPY307", 7)]),
        ("for block in range(0, tl.cdiv(n_blocks, tl.num_programs(0))):\n    COPY", [("SPY304", 7)]),
        ("block = tl.program_id(0)\nwhile block < n_blocks:\n    COPY\n    block += tl.num_programs(0)", []),
        (
            "block = tl.program_id(0)\nwhile block <= n_blocks:\n    COPY\n    block += tl.num_programs(0)",
            [("SPY305", 12)],
        ),
        ("for block in range(tl.program_id(0), n // BLOCK, tl.num_programs(0)):\n    COPY", []),
        (
            (
                "per = tl.cdiv(n_blocks, tl.num_programs(0))\nstart = tl.program_id(0) * per\n"
                "for block in range(start, tl.minimum(start + per + 1, n_blocks)):\n    COPY"
            ),
            [("SPY306", 12)],
        ),
        (
            (
                "pid = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)\n"
                "for block in range(pid, n_blocks, tl.num_programs(0) * tl.num_programs(1)):\n    COPY"
            ),
            [],
        ),
        (
            (
                "pid = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)\n"
                "for block in range(pid, n_blocks, tl.num_programs(0)):\n    COPY"
            ),
            [("SPY306", 11)],
        ),
        ("for block in range(tl.program_id(1), n_blocks, tl.num_programs(1)):\n    COPY", [("SPY309", 11)]),
    ],
)
def test_distribution(lines: str, expected: list[tuple[str, int]]) -> None:
    found = [each for each in lint(body(lines)) if each.code.startswith("SPY30")]
    assert [(each.code, each.location.line) for each in found] == expected, found


def test_program_id_in_every_spelling() -> None:
    head = (
        "from triton.language import program_id as which\nimport triton.language as lang\nimport triton.language.core\n"
    )
    for spelling in ("which(0)", "lang.program_id(0)", "triton.language.program_id(axis=0)"):
        found = lint(body(f"block = {spelling}\nCOPY", head=head))
        assert codes(found, "SPY30") == ["SPY303"], spelling


def test_a_share_that_a_helper_computes() -> None:
    head = """
        @triton.jit
        def share(total):
            per = tl.cdiv(total, tl.num_programs(0))
            start = tl.program_id(0) * per
            return start, tl.minimum(start + per, total)
        """
    lines = "start, end = share(n_blocks)\nfor block in range(start, end):\n    COPY"
    assert codes(lint(body(lines, head=head)), "SPY30") == []
    floored = head.replace("tl.cdiv(total, tl.num_programs(0))", "total // tl.num_programs(0)")
    found = only(lint(body(lines, head=floored)), "SPY308")
    assert found.location.line == 8, "reported where the helper reads the program id"
    assert [each.message for each in found.related if "reached from" in each.message]


def test_a_flag_decides_under_a_binding_only() -> None:
    lines = """
        if STRIDED:
            for block in range(tl.program_id(0), n_blocks, tl.num_programs(0)):
                COPY
        else:
            block = tl.program_id(0)
            COPY
        """
    signature = "x_ptr, y_ptr, n, BLOCK: tl.constexpr, STRIDED: tl.constexpr"
    launch = "\n\ndef copy(x, y):\n    copy_kernel[(32,)](x, y, x.numel(), BLOCK=128, STRIDED={})\n"
    assert codes(lint(body(lines, signature) + launch.format("True")), "SPY30") == []
    assert codes(lint(body(lines, signature) + launch.format("False")), "SPY30") == ["SPY303"]
    open_ = only(lint(body(lines, signature)), "SPY303")
    assert (open_.verdict, open_.level) == (Verdict.UNPROVEN, Level.NOTE)


def test_what_is_stored_depends_on_memory() -> None:
    lines = """
        count = tl.max(x_desc.load([0]), axis=0)
        for block in range(tl.program_id(0), count, tl.num_programs(0)):
            COPY
        """
    found = [each for each in lint(body(lines)) if each.code.startswith("SPY30")]
    assert [(each.code, each.verdict) for each in found] == [("SPY303", Verdict.UNPROVEN)]
    assert "SPY308" in found[0].evidence["leaves_open"]
    assert "x_desc" in found[0].message or "x_ptr" in found[0].message


def test_a_counterexample_is_named() -> None:
    found = only(lint(body("block = tl.program_id(0)\nCOPY"), constexprs={"BLOCK": 64}), "SPY303")
    assert "n=65" in found.message
    assert "BLOCK=64" in found.message
    example = found.evidence["counterexample"]
    assert (example["sizes"], example["tiles"], example["grid"]) == ({"n": 65}, {"BLOCK": 64}, [1])


@pytest.mark.parametrize(
    ("axes", "grid", "expected"),
    [
        ("0", "(32,)", []),
        ("0", "(32, 1)", []),
        ("0", "(32, 1, 1)", []),
        ("0", "(16, 2)", ["SPY309"]),
        ("0", "(1, 32)", ["SPY309"]),
        ("0 1", "(4, 8)", []),
        ("0 1", "(4, 8, 1)", []),
        ("0 1", "(4, 4, 2)", ["SPY309"]),
        ("0 1", "(32,)", ["SPY309"]),
        ("0 2", "(4, 1, 8)", ["SPY309"]),
    ],
)
def test_axes_of_a_grid(axes: str, grid: str, expected: list[str]) -> None:
    numbers = axes.split()
    program, programs = "0", "1"
    for axis in numbers:
        program = f"({program}) * tl.num_programs({axis}) + tl.program_id({axis})"
        programs = f"{programs} * tl.num_programs({axis})"
    source = body(f"for block in range({program}, n_blocks, {programs}):\n    COPY")
    found = lint(f"{source}\n\ndef copy(x, y):\n    copy_kernel[{grid}](x, y, x.numel(), BLOCK=128)\n")
    assert codes(found, "SPY309") == expected, found


@pytest.mark.parametrize(("grid", "expected"), [("(1,)", []), ("(1, 1)", []), ("(2,)", ["SPY309"])])
def test_a_kernel_that_reads_no_axis(grid: str, expected: list[str]) -> None:
    source = """
        import triton
        import triton.language as tl

        @triton.jit
        def kernel(x_ptr, HEAD_DIM: tl.constexpr):
            x_desc = tl.make_tensor_descriptor(x_ptr, shape=[HEAD_DIM], strides=[1], block_shape=[HEAD_DIM])
            x_desc.store([0], x_desc.load([0]) * 2)

        def run(x):
            kernel[GRID](x, HEAD_DIM=128)
        """
    assert codes(lint(source.replace("GRID", grid)), "SPY30") == expected


def test_gpu_kernels_get_one_finding_for_the_launch_and_one_for_the_kernel() -> None:
    source = body("block = tl.program_id(0)\nCOPY")
    launch = "\n\ndef copy(x, y):\n    copy_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)\n"
    assert codes(lint(source + launch), "SPY30") == ["SPY303", "SPY302"]


def test_grouped_order_without_a_loop_loses_tiles_even_where_spare_programs_divide_by_zero() -> None:
    source = """
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, M, N, GROUP_M: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    m_blocks = tl.cdiv(M, BLOCK_M)
    in_group = GROUP_M * tl.cdiv(N, BLOCK_N)
    first = (pid // in_group) * GROUP_M
    rows = min(m_blocks - first, GROUP_M)
    m = first + (pid % in_group) % rows
    n = (pid % in_group) // rows
    x_desc = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    y_desc = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    y_desc.store([m * BLOCK_M, n * BLOCK_N], x_desc.load([m * BLOCK_M, n * BLOCK_N]))
"""
    found = [f for f in lint(source, constexprs={"GROUP_M": 1, "BLOCK_M": 32, "BLOCK_N": 64}) if f.code == "SPY303"]
    assert [(f.verdict.value, f.location.line) for f in found] == [("violated", 8)]


@pytest.mark.parametrize(("grid", "expected"), [("[64]", ["SPY301"]), ("[8, 8]", ["SPY301", "SPY309"]), ("[32]", [])])
def test_grid_of_the_configuration(grid: str, expected: list[str]) -> None:
    source = """
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        x_desc.store([i * BLOCK], x_desc.load([i * BLOCK]))
"""
    config = f'[bindings."kernel.py::kernel"]\nconstexprs = {{ BLOCK = 1024 }}\ngrid = {grid}\n'
    found = lint(source, config=config, select=["SPY3"])
    assert sorted(f.code for f in found) == expected
    assert all(f.location.path == "kernel.py" for f in found)
