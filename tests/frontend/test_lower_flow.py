"""Control flow in the lowering: constexpr evaluation, branches, loops, helpers, early returns."""

from __future__ import annotations

import pytest

from tests.frontend.lowering import HEADER, body, lower, lower_files, named, only, type_of


def constant(ir_value: object) -> object:
    """The value of a constant operation's result."""
    op = ir_value.op  # type: ignore[attr-defined]
    assert op is not None and op.opcode == "const", ir_value
    return op.attrs["value"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("tl.cdiv(A, B)", 4),
        ("triton.cdiv(A, B)", 4),
        ("triton.next_power_of_2(A)", 128),
        ("A // B", 3),
        ("-A // B", -4),  # constexprs divide as Python does
        ("-A % B", 28),
        ("A * 2 - B", 168),
        ("A if A > B else B", 100),
        ("min(A, B) + max(A, B)", 132),
        ("1 << 3", 8),
        ("A ** 2", 10000),
        ("int(A / 3)", 33),
        ("len((A, B, 1))", 3),
        ("(A, B)[1]", 32),
        ("A and B", 32),
        ("0 or B", 32),
        ("not A", 0),
        ("A if MODE == 'fast' else B", 100),
        ("B if FLAG is None else A", 32),
        ("LIMIT + A", 107),
        ("tl.constexpr(A).value", 100),
    ],
)
def test_constexpr_arithmetic_is_pythons(expression: str, expected: int) -> None:
    params = "A: tl.constexpr, B: tl.constexpr, MODE: tl.constexpr, FLAG: tl.constexpr"
    header = HEADER + "LIMIT = tl.constexpr(7)\n"
    ir = lower(body(f"r = {expression}", params), header=header, A=100, B=32, MODE="fast", FLAG=None)
    assert constant(named(ir, "r")) == expected


def test_an_unbound_constexpr_stays_symbolic() -> None:
    ir = lower(body("r = tl.cdiv(BLOCK + 1, 4)\nz = tl.zeros([BLOCK, 2 * BLOCK], tl.float32)"))
    assert "BLOCK" in str(constant(named(ir, "r")))
    assert type_of(ir, "z") == "<BLOCKx2*BLOCKxfp32>"


def test_a_decided_branch_is_pruned_and_an_open_one_kept() -> None:
    source = body("if FLAG:\n    tl.load(x_ptr)\nelse:\n    tl.store(x_ptr, 0)", "x_ptr, FLAG: tl.constexpr")
    assert [op.opcode for op in lower(source, FLAG=True).ops("ptr_load", "ptr_store")] == ["ptr_load"]
    assert [op.opcode for op in lower(source, FLAG=False).ops("ptr_load", "ptr_store")] == ["ptr_store"]
    ir = lower(source)
    assert [op.opcode for op in ir.ops("ptr_load", "ptr_store")] == ["ptr_load", "ptr_store"]
    assert only(ir, "if").attrs["constexpr"] is True


def test_a_name_defined_under_a_flag_is_known_under_the_same_flag_later() -> None:
    source = body(
        """
        if FLAG:
            d = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
        if FLAG:
            r = d.load([0])
        """,
        "x_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr",
    )
    assert type_of(lower(source), "r") == "<BLOCKx?x_ptr>"


def test_none_until_a_flag_sets_it() -> None:
    source = body(
        "b = None\nif FLAG:\n    b = tl.zeros([16], tl.float32)\nif FLAG:\n    r = b.to(tl.float16)",
        "FLAG: tl.constexpr",
    )
    ir = lower(source)
    assert type_of(ir, "r") == "<16xfp16>" and not ir.incomplete


def test_a_run_time_branch_merges_what_differs() -> None:
    ir = lower(body("r = 0\nif n > 4:\n    r = n\nelse:\n    s = 3\nt = r + 1", "n"), dtypes={"n": "i32"})
    branch = only(ir, "if")
    assert branch.attrs["constexpr"] is False and len(branch.results) == 1
    assert named(ir, "t").op.operands[0] is branch.results[0]  # type: ignore[union-attr]


def test_a_loop_carries_what_it_changes_and_nothing_else() -> None:
    source = body("acc = 0\nkept = 1\nfor i in range(0, n, 4):\n    acc += i * kept\nr = acc", "n")
    loop = only(lower(source, dtypes={"n": "i32"}), "for")
    assert [v.name for v in loop.results] == ["acc"]
    assert [a.name for a in loop.regions[0].args] == ["i", "acc"]
    assert loop.regions[0].terminator is not None
    assert [constant(g[0]) for g in (loop.group("lb"), loop.group("step"))] == [0, 4]


def test_static_range_unrolls_when_its_bounds_are_known() -> None:
    source = body("r = 0\nfor i in tl.static_range(N):\n    r += i\n", "N: tl.constexpr")
    assert not list(lower(source, N=4).ops("for"))
    assert only(lower(source), "for").attrs["static"] is True


def test_a_negative_step_runs_backwards_as_triton_does() -> None:
    ir = lower(body("for i in range(8, 0, -2):\n    tl.device_print('i', i)", "n"))
    loop = only(ir, "for")
    assert [constant(loop.group(g)[0]) for g in ("lb", "ub", "step")] == [0, 8, 2]
    assert only(ir, "print").operands[0].op.fn == "add"  # type: ignore[union-attr]


def test_a_while_loop_has_a_condition_and_a_body() -> None:
    loop = only(lower(body("i = 0\nwhile i < n:\n    i += 4\n", "n"), dtypes={"n": "i32"}), "while")
    assert [r.terminator.opcode for r in loop.regions if r.terminator] == ["condition", "yield"]
    assert len(loop.results) == 1


def test_an_early_return_puts_the_rest_into_the_other_branch() -> None:
    ir = lower(body("if n == 0:\n    return\ntl.store(x_ptr, n)", "x_ptr, n"), dtypes={"x_ptr": "*i32", "n": "i32"})
    branch = only(ir, "if")
    assert branch.attrs["early_return"] is True
    assert [op.opcode for op in branch.regions[0].ops] == ["yield"]
    assert "ptr_store" in [op.opcode for op in branch.regions[1].ops]


def test_code_after_a_return_is_dead() -> None:
    assert not list(lower(body("return\ntl.store(x_ptr, 0)", "x_ptr")).ops("ptr_store"))


HELPERS = """
@triton.jit
def pair(x, scale, KEEP: tl.constexpr = True):
    if KEEP:
        return x * scale, tl.sum(x, axis=0)
    return x, 0


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    d = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    tile, total = pair(d.load([0]), scale=2)
"""


def test_a_helper_is_inlined_with_its_call_on_the_stack() -> None:
    ir = lower(HELPERS, dtypes={"x_ptr": "*fp32", "n": "i32"}, BLOCK=32)
    assert type_of(ir, "tile") == "<32xfp32>" and type_of(ir, "total") == "fp32"
    reduce = only(ir, "reduce")
    assert reduce.loc.line == 8 and [loc.line for loc in reduce.stack] == [15]


def test_a_helper_of_another_file() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/ops/helpers.py": HEADER + "SHIFT = tl.constexpr(3)\n\n@triton.jit\ndef shift(x):\n    return x + SHIFT\n",
        "pkg/ops/k.py": HEADER + "from .helpers import shift as move\n\n@triton.jit\ndef kernel(n):\n    r = move(n)\n",
    }
    ir = lower_files(files, "pkg/ops/k.py", "kernel")
    add = only(ir, "elementwise")
    assert add.fn == "add" and add.loc.path == "pkg/ops/helpers.py" and add.stack[0].path == "pkg/ops/k.py"


def test_recursion_and_unknown_calls_are_said_and_survived() -> None:
    source = """
    @triton.jit
    def loop(x):
        return loop(x)

    @triton.jit
    def kernel(x_ptr, n):
        a = loop(n)
        b = mystery(n)
        tl.store(x_ptr, n)
    """
    ir = lower(source)
    assert any("calls itself" in i.reason for i in ir.incomplete)
    assert any("mystery" in i.reason for i in ir.incomplete)
    assert list(ir.ops("ptr_store"))


def test_a_helper_with_an_early_return_stays_a_call_inside_a_loop() -> None:
    source = """
    @triton.jit
    def pick(x, i):
        if i > 3:
            return x + 1
        return x * 2

    @triton.jit
    def kernel(n):
        z = pick(n, n)
        for i in range(0, n):
            y = pick(n, i)
    """
    call = only(lower(source, dtypes={"n": "i32"}), "noinline_call")
    assert call.attrs["callee"] == "pick" and len(call.regions[0].args) == 2


def test_a_noinline_helper_is_a_region_of_its_own() -> None:
    source = """
    @triton.jit(noinline=True)
    def twice(x):
        return x * 2

    @triton.jit
    def kernel(n):
        r = twice(n)
    """
    call = only(lower(source, dtypes={"n": "i32"}), "noinline_call")
    assert str(call.result.type) == "i32"


@pytest.mark.parametrize(
    "header",
    [
        "import triton\nimport triton.language as tl\n",
        "import triton as tr\nimport triton.language as tl\ntriton = tr\n",
        "from triton import jit, language as tl\nimport triton\n",
        "import triton\nfrom triton import language\ntl = language\n",
    ],
)
def test_every_import_spelling_means_the_same(header: str) -> None:
    ir = lower(body("r = tl.load(x_ptr)", "x_ptr"), header=header, dtypes={"x_ptr": "*fp16"})
    assert type_of(ir, "r") == "fp16" and not ir.incomplete


def test_functions_imported_by_name() -> None:
    header = "import triton\nimport triton.language as tl\nfrom triton.language import load as ld, zeros\n"
    ir = lower(body("r = ld(x_ptr)\nz = zeros([8], tl.float32)", "x_ptr"), header=header, dtypes={"x_ptr": "*i8"})
    assert type_of(ir, "r") == "i8" and type_of(ir, "z") == "<8xfp32>"


def test_a_function_with_two_definitions_is_lowered_both_ways() -> None:
    header = HEADER + (
        "import torch\n"
        "if torch.cuda.is_available():\n"
        "    @triton.jit\n    def act(x):\n        return x * 2\n"
        "else:\n"
        "    @triton.jit\n    def act(x):\n        return x + tl.exp(x)\n\n"
    )
    ir = lower(body("r = act(tl.zeros([8], tl.float32))", "n"), header=header)
    assert type_of(ir, "r") == "<8xfp32>" and only(ir, "if").attrs["constexpr"]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("for i in range(0, n):\n    return", "loop"),
        ("for i in range(0, n):\n    break", "break"),
        ("r = [i for i in n]", ""),
        ("r = lambda x: x", ""),
        ("try:\n    r = 1\nexcept ValueError:\n    pass", "try"),
        ("x_ptr.field = 3", "assignment"),
        ("del n", "delete"),
    ],
)
def test_what_triton_does_not_support_is_survived(statement: str, words: str) -> None:
    ir = lower(body(f"{statement}\ntl.store(x_ptr, 1)", "x_ptr, n"))
    assert list(ir.ops("ptr_store"))
    assert not words or any(words in i.reason for i in ir.incomplete), ir.incomplete


def test_arithmetic_on_something_unknown_keeps_both_operands() -> None:
    ir = lower(body("r = n + mystery\ns = tl.fma(n, mystery, 1.0)", "n"), dtypes={"n": "i32"})
    assert [len(op.operands) for op in ir.ops("elementwise")] == [2, 3]
