"""Near misses of the 8xx family: file names, headers, notes, gap comments, launches and drivers."""

from __future__ import annotations

from textwrap import dedent

import pytest

from spyre_lint.findings import Finding, Verdict
from tests.checks.driver import codes, lint, marks, only

HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The copy authors
#
# Spyre-aware conversion of _copy_kernel.
# Original: kernels/copy/original.py

import triton
import triton.language as tl


"""
KERNEL = """\
@triton.jit
def {name}({params}):
    x_desc = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n], [1], [BLOCK])
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        y_desc.store([block * BLOCK], x_desc.load([block * BLOCK]))
"""
PARAMS = "x_ptr, y_ptr, n, BLOCK: tl.constexpr"
ORIGINAL = """\
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The copy authors
import triton
import triton.language as tl


@triton.jit
def _copy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
"""
NOTES = """\
# copy conversion notes

## Spyre-aware conversion

- Source: original.py → spyre.py
- Gaps: none
"""
PLAIN = "import triton\nimport triton.language as tl\n\n\n" + KERNEL.format(name="copy_kernel", params=PARAMS)


def module(name: str = "_copy_kernel_spyre", params: str = PARAMS, *, header: str = HEADER) -> str:
    return header + KERNEL.format(name=name, params=params)


def hygiene(
    source: str, path: str = "kernels/copy/spyre.py", *, original: str | None = ORIGINAL, notes: str | None = NOTES
) -> list[Finding]:
    files = {}
    if original is not None:
        files["kernels/copy/original.py"] = original
    if notes is not None:
        files["kernels/copy/conversion-notes.md"] = notes
    return [each for each in lint(source, path=path, files=files) if each.code.startswith("SPY8")]


def host(body: str, *, before: str = PLAIN) -> list[Finding]:
    source = before + "\n\n" + dedent(body)
    return [each for each in lint(source) if each.code in ("SPY806", "SPY807")]


def test_a_complete_directory_is_silent() -> None:
    assert hygiene(module()) == []


# ---------------------------------------------------------------------- SPY801


@pytest.mark.parametrize(
    ("path", "name", "fires"),
    [
        ("kernels/copy/spyre.py", "_copy_kernel_spyre", False),
        ("kernels/copy/spyre_aware.py", "_copy_kernel_spyre", False),
        ("kernels/copy/spyre.py", "copy_kernel_spyre", True),
        ("kernels/copy/spyre.py", "_copy_kernel_td", True),
        ("kernels/copy/spyre.py", "_move_kernel_spyre", True),
        ("kernels/copy/tensor_descriptor.py", "_copy_kernel_td", False),
        ("kernels/copy/tensor_descriptor.py", "_copy_kernel_spyre", True),
        ("kernels/copy/copy_spyre.py", "anything", False),
        ("kernels/copy/copy_td.py", "anything", False),
    ],
)
def test_kernel_name(path: str, name: str, fires: bool) -> None:
    assert ("SPY801" in codes(hygiene(module(name), path))) is fires


def test_a_directory_that_is_no_identifier() -> None:
    source = module("_rms_norm_kernel_spyre")
    findings = lint(source, path="kernels/rms-norm/spyre.py", select=["SPY801"])
    assert findings == []


# ---------------------------------------------------------------------- SPY802


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("# Original: kernels/copy/original.py\n", "", 1),
        ("# Original: kernels/copy/original.py", "# Original: none", 5),
        ("# SPDX-License-Identifier: Apache-2.0\n", "", 1),
        ("Apache-2.0", "MIT", 1),
        ("The copy authors", "Somebody else", 2),
        ("# SPDX-License-Identifier", "#  spdx-license-identifier", 0),
        ("\n\nimport triton\n", "\n# import triton\nimport triton\n", 0),
    ],
)
def test_file_header(old: str, new: str, line: int) -> None:
    found = [each for each in hygiene(module(header=HEADER.replace(old, new))) if each.code == "SPY802"]
    assert [each.location.line for each in found] == ([line] if line else [])


def test_no_original_and_none_named() -> None:
    source = module(header=HEADER.replace("kernels/copy/original.py", "none"))
    assert hygiene(source, original=None, notes=NOTES.replace("original.py →", "none →")) == []


def test_all_copyright_lines_of_the_original_are_kept() -> None:
    second = "# SPDX-FileCopyrightText: The move authors\n"
    original = second + ORIGINAL
    assert codes(hygiene(module(), original=original)) == ["SPY802"]
    assert hygiene(module(header=second + HEADER), original=original) == []


def test_a_header_in_a_string_is_no_header() -> None:
    source = module(header='"""' + HEADER.split("\nimport")[0] + '"""\nimport' + HEADER.split("\nimport", 1)[1])
    assert "SPY802" in codes(hygiene(source))


# ---------------------------------------------------------------------- SPY803

GAP = "        # [gap] stores of a loaded tile are not lowered\n        y_desc.store"


def with_gap(source: str) -> str:
    return source.replace("        y_desc.store", GAP)


@pytest.mark.parametrize(
    ("notes", "has_gap", "line"),
    [
        (NOTES, False, None),
        (NOTES, True, 6),
        (NOTES.replace("none", "None."), True, 6),
        (NOTES.replace("none", "**none**, all forms are lowered"), False, None),
        (NOTES.replace("none", "the store, see `# [gap]`"), True, None),
        (NOTES.replace("none", "the store, see `# [gap]`"), False, 6),
        (NOTES.replace("none", "none of the stores is lowered"), True, None),
        (NOTES.replace("- Gaps: none", "- **Gaps:** none"), True, 6),
        (NOTES.replace("- Gaps: none\n", ""), True, None),
        (NOTES.replace("spyre.py", "spyre.py (kernel `_copy_kernel_spyre`)"), False, None),
        (NOTES.replace("spyre.py", "spyre_aware.py"), False, 5),
        (NOTES.replace("original.py →", "block_ptr.py →"), False, 5),
        (NOTES.replace("original.py →", "draft.py (elsewhere) →"), False, None),
        (NOTES.replace("original.py →", "none →"), False, 5),
        (NOTES.replace("Spyre-aware", "SPYRE-AWARE"), False, None),
        (NOTES.replace("Spyre-aware conversion", "Tensor-descriptor conversion"), False, 1),
        ("", False, 1),
        (NOTES.replace("## Spyre", "```\n## Spyre") + "```\n", False, 1),
    ],
)
def test_notes(notes: str, has_gap: bool, line: int | None) -> None:
    source = with_gap(module()) if has_gap else module()
    found = [each for each in hygiene(source, notes=notes) if each.code == "SPY803"]
    assert [(each.location.path, each.location.line) for each in found] == (
        [] if line is None else [("kernels/copy/conversion-notes.md", line)]
    )


def test_missing_notes_are_reported_at_the_kernel_file() -> None:
    found = only(hygiene(module(), notes=None), "SPY803")
    assert (found.location.path, found.location.line) == ("kernels/copy/spyre.py", 1)


def test_two_variants_that_lack_their_sections_are_two_findings() -> None:
    files = {
        "kernels/copy/original.py": ORIGINAL,
        "kernels/copy/conversion-notes.md": "# copy\n",
        "kernels/copy/tensor_descriptor.py": module("_copy_kernel_td"),
    }
    findings = lint(module(), path="kernels/copy/spyre.py", files=files, select=["SPY803"])
    assert marks(findings) == [("kernels/copy/conversion-notes.md", 1, "SPY803")] * 2


def test_a_file_without_kernels_needs_no_notes() -> None:
    assert hygiene("BLOCK = 64\n", notes=None) == []


# ---------------------------------------------------------------------- SPY804

DESCRIPTORS = """\
import triton
import triton.language as tl
from triton.language import load as ld


@triton.jit
def helper(desc):
    return desc.load([0])


@triton.jit
def kernel(x_ptr, y_ptr, i_ptr, N: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [64, N], [N, 1], [1, N])
    i_desc = tl.make_tensor_descriptor(i_ptr, [64], [1], [64])
    {statement}
    tl.store_tensor_descriptor(tl.make_tensor_descriptor(y_ptr, [64], [1], [64]), [0], i_desc.load([0]))
"""


@pytest.mark.parametrize(
    ("statement", "fires"),
    [
        ("t = x_desc.load([0, 0])  # [gap] rank 2 loads", False),
        ("t = tl.load_tensor_descriptor(x_desc, [0, 0])  # [gap] rank 2 loads", False),
        ("t = x_desc.gather(i_desc.load([0]), 0)  # [gap] gathers", False),
        ("t = tl.descriptor_gather(x_desc, i_desc.load([0]), 0)  # [gap] gathers", False),
        ("t = helper(i_desc)  # [gap] loads in helpers", False),
        ("t = tl.reshape(x_desc.load([0, 0]), (N,))  # [gap] rank-reduced loads", False),
        ("t = tl.inter_tile(N, 0, 'add', 'reduce')  # [gap] reductions over programs", False),
        ("# [gap] rank 2 loads\n    t = x_desc.load([0, 0])", False),
        ("# [gap]\n    t = x_desc.load([0, 0])", True),
        ("# [gap] rank 2 loads\n\n    t = x_desc.load([0, 0])", True),
        ("t = N + 1  # [gap] additions", True),
        ("t = tl.load(x_ptr)  # [gap] scalar loads", True),
        ("t = ld(x_ptr)  # [gap] scalar loads", True),
        ("t = tl.load(x_ptr)  # gap: scalar loads", False),
        ("t = '# [gap] no comment'", False),
    ],
)
def test_gap_annotation(statement: str, fires: bool) -> None:
    found = [each for each in lint(DESCRIPTORS.format(statement=statement)) if each.code == "SPY804"]
    assert len(found) == fires
    assert all(each.location.line >= 14 for each in found)


# ---------------------------------------------------------------------- SPY805


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (PARAMS, ""),
        ("x_ptr, y_ptr, m, n, BLOCK: tl.constexpr", "`m` is added"),
        ("x_ptr, y_ptr, size, BLOCK: tl.constexpr", "`n` is called `size`"),
        ("y_ptr, x_ptr, n, BLOCK: tl.constexpr", "has moved"),
        ("x_ptr, y_ptr, n, BLOCK: tl.constexpr, CORES: tl.constexpr = 32", "`CORES` is added"),
        ("x_ptr, y_ptr, BLOCK: tl.constexpr", "`n` is missing"),
        ("x_ptr, y_ptr, n, *rest", ""),
    ],
)
def test_signature_drift(params: str, said: str) -> None:
    found = [each for each in hygiene(module(params=params)) if each.code == "SPY805"]
    assert [said in each.message for each in found] == ([True] if said else [])


def test_added_parameters_that_the_notes_name() -> None:
    params = "x_ptr, y_ptr, m, n, BLOCK: tl.constexpr"
    assert hygiene(module(params=params), notes=NOTES + "- Signature: `m` is added\n") == []
    assert codes(hygiene(module(params=params), notes=NOTES + "- Signature: `m_total` is added\n")) == ["SPY805"]


def test_the_header_names_the_original_kernel_of_several() -> None:
    other = ORIGINAL + "\n\n@triton.jit\ndef _move_kernel(a_ptr, b_ptr):\n    tl.store(b_ptr, tl.load(a_ptr))\n"
    assert hygiene(module(), original=other) == []
    moved = module(header=HEADER.replace("of _copy_kernel.", "of _move_kernel."))
    assert codes(hygiene(moved, original=other)) == ["SPY805"]
    unnamed = module(header=HEADER.replace("# Spyre-aware conversion of _copy_kernel.\n", ""))
    assert hygiene(unnamed, original=other) == []


# ---------------------------------------------------------------------- SPY806

LAUNCH = "def run(x, y, grid):\n    n = x.numel()\n    {}\n"


@pytest.mark.parametrize(
    ("launch", "said"),
    [
        ("copy_kernel[grid](x, y, n, BLOCK=64)", []),
        ("copy_kernel[grid](x, y, n, 64)", []),
        ("copy_kernel[grid](x_ptr=x, y_ptr=y, n=n, BLOCK=64)", []),
        ("copy_kernel[grid](x, y, n, BLOCK=64, num_warps=4, num_stages=2)", []),
        ("copy_kernel[grid](x, y, n, **{'BLOCK': 64})", []),
        ("copy_kernel[grid](*(x, y, n), BLOCK=64)", []),
        ("copy_kernel[grid](x, y, n, BLOCK=64, lx_size=1 << 20)", []),
        ("copy_kernel.run(x, y, n, BLOCK=64, grid=grid, warmup=False)", []),
        ("copy_kernel.warmup(x, y, n, BLOCK=64, grid=(1,))", []),
        ("copy_kernel[grid](x, y, n, BLOCK_SIZE=64)", ["`BLOCK_SIZE` is no parameter", "no value to `BLOCK`"]),
        ("copy_kernel[grid](x, y, n)", ["gives no value to `BLOCK`"]),
        ("copy_kernel[grid](x, BLOCK=64)", ["gives no value to `y_ptr` and `n`"]),
        ("copy_kernel[grid](x, y, n, 64, 32)", ["passes 5 arguments by position"]),
        ("copy_kernel[grid](x, y, n, n=n, BLOCK=64)", ["`n` of `copy_kernel` is passed twice"]),
        ("copy_kernel[grid](x, y, n, 64, BLOCK=64)", ["`BLOCK` of `copy_kernel` is passed twice"]),
        ("copy_kernel[grid](x, y, n, BLOCK=64, nums_warps=4)", ["`nums_warps` is no parameter"]),
        ("copy_kernel.run(x, y, BLOCK=64, grid=grid, warmup=False)", ["no value to `n`"]),
        ("launch = copy_kernel[grid]\n    launch(x, y, BLOCK=64)", ["no value to `n`"]),
    ],
)
def test_launch_mismatch(launch: str, said: list[str]) -> None:
    found = host(LAUNCH.format(launch))
    assert all(each.verdict is Verdict.VIOLATED and each.kernel == "copy_kernel" for each in found)
    assert [part for part in said if any(part in each.message for each in found)] == said
    assert len(found) == len(said)


def test_arguments_that_cannot_be_read_are_silent() -> None:
    assert host("def run(grid, *args, **options):\n    copy_kernel[grid](*args, BLOCK=64, **options)\n") == []


def test_defaults_need_no_value() -> None:
    before = PLAIN.replace("BLOCK: tl.constexpr", "BLOCK: tl.constexpr = 64")
    assert host(LAUNCH.format("copy_kernel[grid](x, y, n)"), before=before) == []


def test_autotune_sets_constexprs() -> None:
    tuned = "@triton.autotune(configs=[triton.Config({'BLOCK': 64})], key=['n'])\n@triton.jit"
    before = PLAIN.replace("@triton.jit", tuned)
    assert host(LAUNCH.format("copy_kernel[grid](x, y, n)"), before=before) == []
    assert len(host(LAUNCH.format("copy_kernel[grid](x, y)"), before=before)) == 1


def test_a_decorator_of_somebody_else_may_take_other_arguments() -> None:
    before = "from elsewhere import entry\n" + PLAIN.replace("@triton.jit", "@entry()\n@triton.jit")
    assert host(LAUNCH.format("copy_kernel[grid](x, y, n, MODE=1)"), before=before) == []


TWO = PLAIN + "\n\n" + KERNEL.format(name="other_kernel", params=PARAMS + ", ROWS: tl.constexpr")


def test_kernels_told_apart_are_judged_each() -> None:
    body = """
    def run(x, y, kernel_fn=copy_kernel):
        n = x.numel()
        if kernel_fn is other_kernel:
            kernel_fn[(32,)](x, y, n, BLOCK=64, ROWS={rows})
        else:
            kernel_fn[(32,)](x, y, n, BLOCK=64)


    def both(x, y):
        run(x, y)
        run(x, y, kernel_fn=other_kernel)
    """
    assert host(body.format(rows="4"), before=TWO) == []
    [found] = host(body.format(rows="4, EXTRA=1"), before=TWO)
    assert (found.verdict, found.kernel) == (Verdict.VIOLATED, "other_kernel")


def test_a_launch_that_fits_one_of_two_kernels_is_open() -> None:
    body = """
    def run(x, y, wide):
        n = x.numel()
        kernel = other_kernel if wide else copy_kernel
        kernel[(32,)](x, y, n, BLOCK=64)
    """
    [found] = host(body, before=TWO)
    assert found.verdict is Verdict.UNPROVEN
    assert "`ROWS`" in found.message
    [wrong] = host(body.replace("x, y, n", "x, y"), before=TWO.replace(", ROWS: tl.constexpr", ""))
    assert wrong.verdict is Verdict.VIOLATED


def test_launches_of_other_roles_are_not_judged() -> None:
    files = {"kernels/copy/original.py": ORIGINAL}
    wrapper = "from .original import _copy_kernel\n\n\ndef run(x, y):\n    _copy_kernel[(1,)](x, y, BLOCK=64)\n"
    assert "SPY806" not in codes(lint(wrapper, path="kernels/copy/wrapper.py", files=files))


# ---------------------------------------------------------------------- SPY807

VARIANT = """
VARIANTS = {{
    "fp16": {{
        "KERNEL": copy_kernel,
        "SIGNATURE": {signature},
        "CONSTEXPRS": {constexprs},
        "GRID": [32],
    }}
}}
"""
SIGNATURE = '{"x_ptr": "*fp16", "y_ptr": "*fp16", "n": "i32"}'


@pytest.mark.parametrize(
    ("signature", "constexprs", "said"),
    [
        (SIGNATURE, '{"BLOCK": 64}', []),
        (SIGNATURE[:-1] + ', "BLOCK": "constexpr"}', '{"BLOCK": 64}', []),
        ('dict(x_ptr="*fp16", y_ptr="*fp16", n="i32")', "dict(BLOCK=64)", []),
        ('{name: "*fp16" for name in ("x_ptr", "y_ptr")} | {"n": "i32"}', '{"BLOCK": 64}', []),
        ("load_signature()", '{"BLOCK": 64}', []),
        (SIGNATURE, "{**load_constants()}", []),
        (SIGNATURE[:-1] + ', "m": "i32"}', '{"BLOCK": 64}', ["names `m`"]),
        (SIGNATURE, '{"BLOCK": 64, "BLOCKS": 2}', ["names `BLOCKS`, which is no parameter of `copy_kernel`; did"]),
        ('{"x_ptr": "*fp16", "y_ptr": "*fp16"}', '{"BLOCK": 64}', ["no type for `n`"]),
        (SIGNATURE, "{}", ["no value to `BLOCK`"]),
        (SIGNATURE, '{"BLOCK": 64, "n": 4096}', ["gives a value to `n`"]),
        ("{}", "{}", ["no type for `x_ptr`, `y_ptr` and `n`"]),
    ],
)
def test_driver_mismatch(signature: str, constexprs: str, said: list[str]) -> None:
    body = "from elsewhere import load_constants, load_signature\n" + VARIANT
    found = host(body.format(signature=signature, constexprs=constexprs))
    assert [any(part in each.message for each in found) for part in said] == [True] * len(said)
    assert bool(found) is bool(said)


def test_a_fixture_may_compile_problem_sizes_in() -> None:
    body = """
    SIGNATURE = {"x_ptr": "*fp16", "y_ptr": "*fp16", "n": "i32", "BLOCK": "i32"}
    VARIANTS = {
        "default": {"kernel_fn": copy_kernel, "constexpr": ["n", "BLOCK"], "params": {"n": [512, 1024], "BLOCK": 64}},
    }
    """
    assert host(body) == []
    [found] = host(body.replace('"n", "BLOCK"]', '"n", "BLOCKS"]'))[:1]
    assert found.code == "SPY807"


def test_a_traced_wrapper_is_judged_by_its_constants() -> None:
    files = {
        "models/M/add/triton_kernel.py": """
        import triton
        import triton.language as tl


        @triton.jit
        def add_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
            desc = tl.make_tensor_descriptor(in_ptr0, shape=[12, 64], strides=[64, 1], block_shape=[1, 64])
            out = tl.make_tensor_descriptor(out_ptr0, shape=[12, 64], strides=[64, 1], block_shape=[1, 64])
            out.store([tl.program_id(0), 0], desc.load([tl.program_id(0), 0]))
        """
    }
    wrapper = """
    from . import triton_kernel

    SIGNATURE = {"in_ptr0": "*fp16", "out_ptr0": "*fp16", "xnumel": "i32", "XBLOCK": "i32"}
    CONSTEXPR = ["XBLOCK"]
    XBLOCK = 1
    GRID = (12,)


    def run(x, y, kernel_fn=triton_kernel.add_0):
        kernel_fn[GRID](x, y, 12, XBLOCK=XBLOCK)
    """
    path = "models/M/add/wrapper.py"
    assert codes(lint(wrapper, path=path, files=files), "SPY8") == []
    stale = wrapper.replace('"xnumel": "i32", ', "")
    assert codes(lint(stale, path=path, files=files), "SPY8") == ["SPY807"]
    unknown = wrapper.replace('"XBLOCK": "i32"', '"YBLOCK": "i32"')
    assert codes(lint(unknown, path=path, files=files), "SPY8") == ["SPY807"]


# ---------------------------------------------------------------------- what the original filled in

ROW_MAX = """\
import triton
import triton.language as tl


@triton.jit
def _peak_kernel_spyre(x_ptr, y_ptr, n_rows, n, BLOCK_M: tl.constexpr, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [n_rows, n], [n, 1], [BLOCK_M, BLOCK])
    y_desc = tl.make_tensor_descriptor(y_ptr, [n_rows], [1], [BLOCK_M])
    for row in range(tl.program_id(0), tl.cdiv(n_rows, BLOCK_M), tl.num_programs(0)):
        peak = tl.full([BLOCK_M], float("-inf"), tl.float32)
        for k in range(0, n, BLOCK):
            peak = tl.maximum(peak, tl.max(x_desc.load([row * BLOCK_M, k]).to(tl.float32), axis=1))
        y_desc.store([row * BLOCK_M], peak)
"""


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ("tl.load(x_ptr + i, mask=i < n, other=-float('inf'))", ["-float('inf')"]),
        ("tl.load(x_ptr + i, i < n, -1e30)", ["-1e30"]),
        ("tl.load(x_ptr + i, mask=i < n, other=0.0)", []),
        ("tl.load(x_ptr + i)", []),
    ],
)
def test_the_fills_of_the_original_are_told(load: str, said: list[str]) -> None:
    original = ORIGINAL.replace("tl.load(x_ptr + i, mask=i < n)", load)
    files = {"kernels/peak/original.py": original}
    found = only(lint(ROW_MAX, path="kernels/peak/spyre.py", files=files, select=["SPY113"]), "SPY113")
    told = [each.message for each in found.related if each.location.path.endswith("original.py")]
    assert told == [f"the original fills masked lanes with `{text}`" for text in said]


# ---------------------------------------------------------------------- dispatch as wrappers write it

FEW_AND_MANY = (
    PLAIN.replace("copy_kernel", "few_kernel")
    + "\n\n"
    + KERNEL.format(name="many_kernel", params="x_ptr, y_ptr, n, heads, BLOCK: tl.constexpr")
)


@pytest.mark.parametrize(
    "body",
    [
        """
        def run(x, y, kernel_fn=few_kernel):
            n = x.numel()
            if "heads" in kernel_fn.arg_names:
                kernel_fn[(32,)](x, y, n, x.shape[0], BLOCK=64)
            else:
                kernel_fn[(32,)](x, y, n, BLOCK=64)
        """,
        """
        def run(x, y, kernel_fn=few_kernel):
            extra = {}
            if "heads" in kernel_fn.arg_names:
                extra = {"heads": x.shape[0]}
            kernel_fn[(32,)](x, y, x.numel(), **extra, BLOCK=64)
        """,
        """
        KERNELS = {"few": (few_kernel, ()), "many": (many_kernel, (8,))}

        def run(x, y, name):
            kernel_fn, more = KERNELS[name]
            kernel_fn[(32,)](x, y, x.numel(), *more, BLOCK=64)
        """,
    ],
)
def test_dispatch_by_parameter_names_is_no_mismatch(body: str) -> None:
    callers = "\n\ndef both(x, y):\n    run(x, y)\n    run(x, y, kernel_fn=many_kernel)\n"
    source = FEW_AND_MANY + "\n\n" + dedent(body) + (callers if "name)" not in body else "")
    found = [each for each in lint(source) if each.code == "SPY806"]
    assert [each for each in found if each.verdict is Verdict.VIOLATED] == []


def test_a_stale_keyword_in_one_branch_of_a_dispatch() -> None:
    body = """
    def run(x, y, kernel_fn=few_kernel, tile=64):
        n = x.numel()
        if kernel_fn is many_kernel:
            kernel_fn[(min(32, n),)](x, y, n, x.shape[0], BLOCK_SIZE=tile)
        else:
            kernel_fn[(32,)](x, y, n, BLOCK=64, num_warps=4)
    """
    found = [each for each in lint(FEW_AND_MANY + "\n\n" + dedent(body)) if each.code == "SPY806"]
    assert [each.kernel for each in found] == ["many_kernel", "many_kernel"]
    assert any("did you mean `BLOCK`?" in each.message for each in found)
