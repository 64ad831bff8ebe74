"""Near misses of no-gpu-tuning: decorators, hints, options and GPU-only functions in every spelling."""

from __future__ import annotations

from textwrap import dedent

import pytest

from spyre_lint.findings import Finding, Level
from tests.checks.driver import codes, lint, marks, only

MODULE = """\
import torch
import triton
import triton.language as tl
{imports}

{decorators}
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    y_desc = tl.make_tensor_descriptor(y_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for block in {loop}:
        x = x_desc.load([block * BLOCK])
        {body}
        y_desc.store([block * BLOCK], x)


{after}
"""
LOOP = "range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0))"


def tuned(
    *, imports: str = "", decorators: str = "", loop: str = LOOP, body: str = "pass", after: str = ""
) -> list[Finding]:
    """Findings of this invariant for a kernel with these parts."""
    source = MODULE.format(
        imports=dedent(imports), decorators=dedent(decorators).strip(), loop=loop, body=body, after=dedent(after)
    )
    return [finding for finding in lint(source) if finding.code.startswith("SPY6")]


def test_a_kernel_without_tuning_is_silent() -> None:
    assert tuned(after="def run(x, y):\n    kernel[(32,)](x, y, x.numel(), BLOCK=4096)\n") == []


# ---------------------------------------------------------------------- decorators

CONFIGS = 'configs=[triton.Config({"BLOCK": 64}, num_warps=4), triton.Config({"BLOCK": 128})], key=["n"]'


@pytest.mark.parametrize(
    ("imports", "decorator", "configs"),
    [
        ("", f"@triton.autotune({CONFIGS})", 2),
        ("from triton import autotune", f"@autotune({CONFIGS})", 2),
        ("from triton import autotune as tune", f"@tune({CONFIGS})", 2),
        ("import triton as tr", f"@tr.autotune({CONFIGS})", 2),
        ("from triton.runtime import autotune", f"@autotune({CONFIGS})", 2),
        ("OPTIONS = [triton.Config({'BLOCK': b}) for b in (64, 128)]", "@triton.autotune(OPTIONS, ['n'])", 1),
        (
            "def options():\n    return [triton.Config({'BLOCK': 64}), triton.Config({'BLOCK': 128})]",
            "@triton.autotune(options(), ['n'])",
            2,
        ),
    ],
)
def test_one_finding_per_autotune(imports: str, decorator: str, configs: int) -> None:
    finding = only(tuned(imports=imports, decorators=decorator), "SPY601")
    assert finding.level is Level.ERROR
    assert len(finding.related) == configs
    assert ("among 2 configurations" in finding.message) == (configs == 2)
    assert "among 1" not in finding.message  # the one in a comprehension stands for any number
    assert "scratchpad" in finding.message


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (f"tuned = triton.autotune({CONFIGS})(kernel)", ["SPY601"]),
        (f"tuned = triton.autotune({CONFIGS})(triton.heuristics({{}})(kernel))", ["SPY601", "SPY602"]),
        ("tuned = triton.heuristics({'BLOCK': lambda args: 64})(kernel)", ["SPY602"]),
        ("wrapped = torch.compile(mode='x')(kernel)", []),
    ],
)
def test_tuned_by_a_call(after: str, expected: list[str]) -> None:
    assert codes(tuned(after=after)) == expected


@pytest.mark.parametrize("decorator", ["@torch.no_grad()", "@triton.testing.perf_report([])"])
def test_other_decorators_are_silent(decorator: str) -> None:
    assert tuned(decorators=decorator) == []


@pytest.mark.parametrize(
    ("table", "level"),
    [
        ('{"BLOCK": lambda args: triton.next_power_of_2(args["n"])}', Level.ERROR),
        ('{"BLOCK": lambda args: min(args["n"], 4096)}', Level.ERROR),
        ('{"BLOCK": lambda args: 4096}', Level.WARNING),
        ('{"FLAG": lambda args: args["n"] % 16 == 0}', Level.WARNING),
    ],
)
def test_heuristics(table: str, level: Level) -> None:
    finding = only(tuned(decorators=f"@triton.heuristics({table})"), "SPY602")
    assert finding.level is level
    assert ("`BLOCK`" in finding.message) is (level is Level.ERROR)


# ---------------------------------------------------------------------- hints


@pytest.mark.parametrize(
    ("imports", "body", "count"),
    [
        ("", "tl.assume(n > 0)", 1),
        ("", "triton.language.assume(n > 0)", 1),
        ("from triton.language import assume", "assume(n > 0)", 1),
        ("", "m = tl.multiple_of(n, 16)", 1),
        ("", "m = tl.max_contiguous(tl.multiple_of(n, 16), 16)", 2),
        ("", "m = tl.max_constancy(tl.arange(0, BLOCK), 16)", 1),
        ("", "tl.device_assert(n > 0)", 0),
        ("", "tl.static_assert(BLOCK > 0)", 0),
    ],
)
def test_hints(imports: str, body: str, count: int) -> None:
    assert codes(tuned(imports=imports, body=body)) == ["SPY603"] * count


def test_a_hint_in_a_helper_is_reported_once() -> None:
    imports = "@triton.jit\ndef aligned(value):\n    return tl.multiple_of(value, 16)"
    finding = only(tuned(imports=imports, body="m = aligned(n) + aligned(n + 1)"), "SPY603")
    assert len(finding.related) == 2


# ---------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        *((f"{name}=2", ["SPY604"]) for name in ("num_warps", "num_stages", "num_ctas", "maxnreg")),
        *((f"{name}=2", ["SPY604"]) for name in ("waves_per_eu", "matrix_instr_nonkdim", "kpack")),
        ("num_warps=4, num_stages=2", ["SPY604", "SPY604"]),
        ("", []),
    ],
)
def test_launch_options(option: str, expected: list[str]) -> None:
    after = f"def run(x, y):\n    kernel[(32,)](x, y, x.numel(), BLOCK=4096, {option})\n"
    assert codes(tuned(after=after)) == expected


def test_launch_options_through_a_dictionary() -> None:
    after = """
        def run(x, y):
            options = {"num_warps": 4}
            kernel[(32,)](x, y, x.numel(), BLOCK=4096, **options)
        """
    assert codes(tuned(after=after)) == ["SPY604"]


def test_launches_of_the_original_are_silent() -> None:
    kernel = "@triton.jit\ndef {name}(x_ptr, BLOCK: tl.constexpr):\n    pass\n"
    head = "import triton\nimport triton.language as tl\n\n\n"
    wrapper = """\
        from original import add
        from spyre import add_spyre


        def run(x, original):
            if original:
                add[(1,)](x, BLOCK=4, num_warps=4)
            else:
                add_spyre[(1,)](x, BLOCK=4, num_warps=4)
        """
    files = {"original.py": head + kernel.format(name="add"), "spyre.py": head + kernel.format(name="add_spyre")}
    found = [finding for finding in lint(wrapper, path="wrapper.py", files=files) if finding.code == "SPY604"]
    assert marks(found) == [("wrapper.py", 9, "SPY604")]


@pytest.mark.parametrize(
    ("keywords", "count"),
    [
        ("num_stages=3", 1),
        ("num_stages=3, flatten=True", 2),
        ("warp_specialize=True", 1),
        ("loop_unroll_factor=2", 0),
        ("", 0),
    ],
)
def test_loop_options(keywords: str, count: int) -> None:
    loop = LOOP.replace("range(", "tl.range(", 1)[:-1] + f", {keywords})"
    assert codes(tuned(loop=loop)) == ["SPY604"] * count


# ---------------------------------------------------------------------- GPU-only


@pytest.mark.parametrize(
    ("imports", "body"),
    [
        ("from triton.language.extra import libdevice", "x = libdevice.tanh(x)"),
        ("from triton.language.extra.cuda import libdevice", "x = libdevice.tanh(x)"),
        ("from triton.language.extra.libdevice import tanh", "x = tanh(x)"),
        ("", "x = tl.extra.libdevice.tanh(x)"),
        ("", "x = tl.extra.cuda.libdevice.tanh(x)"),
        ("", "start = tl.extra.cuda.globaltimer()"),
        ("from triton.language.extra import cuda", "cuda.gdc_wait()"),
        ("", "tl.debug_barrier()"),
        ("", "x = tl.inline_asm_elementwise('mov', '=r,r', [x], tl.int32, True, 1)"),
        ("", "x = x_desc.load([0], cache_modifier='.cg')"),
        ("", "x = tl.load_tensor_descriptor(x_desc, [0], eviction_policy='evict_first')"),
        ("", "z = tl.load(x_ptr, volatile=True)"),
    ],
)
def test_gpu_only(imports: str, body: str) -> None:
    finding = only(tuned(imports=imports, body=body), "SPY605")
    assert finding.level is Level.ERROR


@pytest.mark.parametrize("body", ["x = tl.exp(x)", "x = tl.math.exp(x)", "x = tl.erf(x)", "x = x_desc.load([0])"])
def test_what_spyre_has_too(body: str) -> None:
    assert tuned(body=body) == []


def test_gluon() -> None:
    source = """\
        from triton.experimental import gluon
        from triton.experimental.gluon import language as gl


        @gluon.jit
        def kernel(x_ptr, BLOCK: gl.constexpr):
            pass
        """
    assert marks([f for f in lint(source) if f.code == "SPY605"]) == [("kernel.py", 5, "SPY605")]


@pytest.mark.parametrize(
    ("host", "line"),
    [
        ("cores = torch.cuda.get_device_properties(x.device).multi_processor_count", "cores = torch"),
        ("cores = torch.cuda.get_device_properties(0)['multi_processor_count']", "cores = torch"),
    ],
)
def test_device_queries_that_feed_a_grid(host: str, line: str) -> None:
    after = f"def run(x, y):\n    {host}\n    kernel[(min(32, cores),)](x, y, x.numel(), BLOCK=4096)\n"
    assert codes(tuned(after=after)) == ["SPY605"]


BY_BRANCH = """
def pick():
    if torch.version.hip:
        return [triton.Config({'BLOCK': 32})]
    return [triton.Config({'BLOCK': 64}), triton.Config({'BLOCK': 128})]
"""
BY_HELPER = """
def some():
    return [triton.Config({'BLOCK': 64})]


def pick():
    return some() + [triton.Config({'BLOCK': b}) for b in (16, 32)]
"""


@pytest.mark.parametrize("helpers", [BY_BRANCH, BY_HELPER])
def test_configurations_that_are_never_tried_together_are_not_counted(helpers: str) -> None:
    finding = only(
        tuned(imports=f"import torch\n\n\n{helpers}", decorators="@triton.autotune(pick(), ['n'])"), "SPY601"
    )
    assert len(finding.related) > 1
    assert "among" not in finding.message


def test_configuration_by_kind_of_gpu() -> None:
    after = """
        def run(x, y):
            block = 4096 if is_hip() else 8192
            kernel[(32,)](x, y, x.numel(), BLOCK=block)
        """
    assert codes(tuned(after=after, imports="from elsewhere import is_hip")) == ["SPY605"]


def test_host_code_that_only_allocates_is_silent() -> None:
    after = """
        def run(n):
            device = torch.device("cuda", torch.cuda.current_device())
            x = torch.empty(n, device=device)
            kernel[(32,)](x, torch.empty_like(x), n, BLOCK=4096)
        """
    assert tuned(after=after) == []


def test_a_query_that_no_launch_depends_on_is_silent() -> None:
    after = """
        def report():
            print(torch.cuda.get_device_properties(0).multi_processor_count)


        def run(x, y):
            kernel[(32,)](x, y, x.numel(), BLOCK=4096)
        """
    assert tuned(after=after) == []
