from __future__ import annotations

import pickle
from typing import Any

import pytest

from spyre_lint.bindings import Launch
from spyre_lint.frontend.launches import find_launches, launches_of
from tests.frontend.hostutil import HEAD, module, tree_of

KERNELS = """
@triton.jit
def k(x_ptr, out_ptr, n, BLOCK: tl.constexpr): pass
@triton.jit
def other(x_ptr, n, BLOCK: tl.constexpr): pass
"""


def launches(source: str, **others: str) -> list[Launch]:
    project = tree_of({"m.py": HEAD + KERNELS + source, **{f"{n}.py": HEAD + t for n, t in others.items()}})
    return launches_of(project, module(project, "m.py"))


def names(launch: Launch) -> list[str]:
    return [kernel.name for kernel in launch.kernels]


def values(launch: Launch) -> dict[str | None, Any]:
    return {a.param: a.value.value if a.value.is_known else a.value.kind for a in launch.args}


def dims(launch: Launch) -> list[Any]:
    assert launch.grid is not None
    assert launch.grid.dims is not None, launch.grid.reason
    return [d.value if d.is_known else (d.kind, *d.bounds) for d in launch.grid.dims]


@pytest.mark.parametrize(
    "body",
    [
        "k[(32,)](x, y, n, BLOCK=128)",
        "k[32,](x, y, n, 128)",
        "k[[32]](x, y, n=n, BLOCK=128)",
        "run = k[(32,)]\nrun(x, y, n, BLOCK=128)",
        "fn = k\nfn[(32,)](x, y, n, BLOCK=128)",
        "grid = (32,)\nk[grid](x, y, n, BLOCK=128)",
        "grid = lambda META: (META['BLOCK'] // 4,)\nk[grid](x, y, n, BLOCK=128)",
        "def grid(meta):\n    return (meta['BLOCK'] // 4,)\nk[grid](x, y, n, BLOCK=128)",
        "args = {'n': n, 'BLOCK': 128}\nk[(32,)](x, y, **args)",
        "k[(32,)](x, y, **{'n': n, 'BLOCK': 128})",
        "k[(32,)](*(x, y), n, 128)",
        "import functools\nfunctools.partial(k[(32,)], x, y)(n, BLOCK=128)",
        "import functools\nfunctools.partial(k, x)[(32,)](y, n, BLOCK=128)",
        "k.run(x, y, n, grid=(32,), warmup=False, BLOCK=128)",
        "k.warmup(x, y, n, BLOCK=128, grid=(32,))",
        "table = {'a': k}\ntable['a'][(32,)](x, y, n, BLOCK=128)",
        "for fn in [k]:\n    fn[(32,)](x, y, n, BLOCK=128)",
        "with torch.cuda.device(x.device):\n    k[(32,)](x, y, n, BLOCK=128)",
        "try:\n    k[(32,)](x, y, n, BLOCK=128)\nexcept RuntimeError:\n    pass",
        "torch.library.wrap_triton(k)[(32,)](x, y, n, BLOCK=128)",
        "def inner():\n    k[(32,)](x, y, n, BLOCK=128)\ninner()",
    ],
)
def test_every_form_of_a_launch(body: str) -> None:
    indented = body.replace("\n", "\n    ")
    (launch,) = launches(f"def f(x, y, n):\n    {indented}\n")
    assert names(launch) == ["k"]
    assert dims(launch) == [32]
    found = values(launch)
    assert found["BLOCK"] == 128
    assert list(found)[:2] == ["x_ptr", "out_ptr"]
    assert found["n"] == "problem"
    assert not launch.open_args


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ("(triton.cdiv(x.shape[0], 128),)", [("problem", 0, None)]),
        ("(min(32, triton.cdiv(n, 128)),)", [("interval", 0, 32)]),
        ("lambda m: (triton.cdiv(n, m['BLOCK']), 4)", [("problem", 0, None), 4]),
        ("(GRID[0], LIMIT)", [8, 4]),
        ("(NUM_SMS,)", [("interval", 1, None)]),
        ("helper(n)", [("interval", 0, 32)]),
    ],
)
def test_grids(grid: str, expected: list[Any]) -> None:
    source = f"""
from config import LIMIT
GRID = (8, 4)
NUM_SMS = torch.cuda.get_device_properties(0).multi_processor_count
def helper(size):
    if size > 32:
        size = 32
    return (size,)
def f(x, y, n):
    k[{grid}](x, y, n, BLOCK=128)
"""
    (launch,) = launches(source, config="LIMIT = 2 * 2\n")
    assert dims(launch) == expected


def test_a_grid_the_caller_chooses_has_no_dimensions() -> None:
    (launch,) = launches("def f(x, y, n, grid):\n    k[grid](x, y, n, BLOCK=128)\n")
    assert launch.grid is not None
    assert (launch.grid.dims, launch.grid.reason) == (None, "the caller chooses `grid`")


def test_kernels_chosen_by_a_parameter() -> None:
    source = """
def f(x, y, n, kernel_fn=k):
    if kernel_fn is other:
        kernel_fn[(4,)](x, n, BLOCK=64)
    else:
        kernel_fn[(8,)](x, y, n, BLOCK=128)
"""
    first, second = launches(source)
    assert (names(first), dims(first), values(first)["BLOCK"]) == (["other"], [4], 64)
    assert (names(second), dims(second), values(second)["BLOCK"]) == (["k"], [8], 128)


@pytest.mark.parametrize(
    "test", ["kernel_fn in BATCHED", "not kernel_fn not in BATCHED", "kernel_fn in [other, third]"]
)
@pytest.mark.parametrize("default", ["kernel_fn=k", "kernel_fn", "kernel_fn=elsewhere"])
def test_kernels_chosen_by_membership(test: str, default: str) -> None:
    source = f"""
@triton.jit
def third(x_ptr, n, BLOCK: tl.constexpr): pass
BATCHED = (other, third)
def f(x, y, n, {default}):
    if {test}:
        kernel_fn[(4,)](x, n, BLOCK=64)
    else:
        kernel_fn[(8,)](x, y, n, BLOCK=128)
"""
    first, second = launches(source)
    assert (names(first), dims(first), values(first)["BLOCK"]) == (["other", "third"], [4], 64)
    assert (names(second), dims(second)) == (["k"] if default == "kernel_fn=k" else [], [8])


def test_membership_leaves_what_is_known_of_the_kernel() -> None:
    source = """
def f(x, y, n, wide):
    fn = k if wide else other
    if fn in (other, k.fn_of_nobody):
        fn[(1,)](x, n, BLOCK=16)
    if fn in (other,):
        fn[(2,)](x, n, BLOCK=32)
    elif fn in (k, other):
        fn[(4,)](x, y, n, BLOCK=64)
    for fn in (k, other):
        if fn not in (k,):
            fn[(8,)](x, n, BLOCK=128)
"""
    found = launches(source)
    assert [(names(launch), dims(launch)) for launch in found] == [
        (["k", "other"], [1]),  # the tuple has a member that is not known
        (["other"], [2]),
        (["k"], [4]),
        (["other"], [8]),
    ]


def test_kernels_that_only_callers_name() -> None:
    source = """
def launch(kernel, x, n, block=32):
    kernel[(min(32, n),)](x, n, BLOCK=block)
def middle(kernel, x):
    launch(kernel, x, 77, block=256)
"""
    user = "from m import launch, middle, other, k\ndef test(x):\n    middle(other, x)\n"
    (launch,) = launches(source, user=user)
    assert names(launch) == ["other"]
    assert launch.loc.path == "m.py"
    assert values(launch) == {"x_ptr": "problem", "n": "problem", "BLOCK": 256}
    assert dims(launch) == [("interval", 0, 32)]


def test_callers_may_pass_another_kernel_than_the_default() -> None:
    source = "def f(x, n, kernel_fn=k):\n    kernel_fn[(8,)](x, n, BLOCK=64)\n"
    found = launches(source, user="from m import f, other\ndef test(x):\n    f(x, 5, kernel_fn=other)\n")
    assert [names(launch) for launch in found] == [["k"], ["other"]]


def test_branches() -> None:
    source = """
WIDE = False
def f(x, y, n, causal=False, block=None):
    if WIDE:
        k[(1,)](x, y, n, BLOCK=1)
    if block is None:
        block = 64
    if causal:
        k[(2,)](x, y, n, BLOCK=block)
    else:
        k[(3,)](x, y, n, BLOCK=block)
    tile = 16 if x.dtype == torch.float16 else 32
    k[(4,)](x, y, n, BLOCK=tile)
"""
    found = launches(source)
    assert [dims(launch) for launch in found] == [[2], [3], [4]]
    assert [values(launch)["BLOCK"] for launch in found] == [64, 64, "interval"]


def test_arguments() -> None:
    source = """
def f(x: torch.Tensor, n):
    out = torch.empty_like(x, dtype=torch.bfloat16)
    k[(1,)](x.to(torch.float16).contiguous(), out, n, BLOCK=triton.next_power_of_2(n), num_warps=4, what=1)
    k[(1,)](torch.zeros(4, 4), out.view(-1).half(), min(n, 8), 16)
    k[(1,)](torch.randn(n, dtype=x.dtype), None, 3, 16)
"""
    first, second, third = launches(source)
    assert [a.pointee for a in first.args] == ["fp16", "bf16", None, None]
    assert {name: option.value for name, option in first.options.items()} == {"num_warps": 4}
    assert {name: option.value for name, option in first.stray.items()} == {"what": 1}
    block = next(a for a in first.args if a.param == "BLOCK")
    assert (block.value.kind, block.value.text) == ("problem", "triton.next_power_of_2(n)")
    assert block.value.loc is not None
    assert (block.loc.column, block.value.loc.column) == (55, 61)
    assert [a.pointee for a in second.args] == ["fp32", "fp16", None, None]
    assert second.args[2].value.bounds == (0, 8)
    assert second.args[2].value.from_problem
    assert [a.pointee for a in third.args] == [None, None, None, None]
    assert third.args[1].value.is_known
    assert third.label == f"m.py:{third.loc.line}"


@pytest.mark.parametrize("call", ["k[(1,)](x, *rest, BLOCK=4)", "k[(1,)](x, BLOCK=4, **options)"])
def test_arguments_that_cannot_be_followed(call: str) -> None:
    (launch,) = launches(f"def f(x, *rest, **options):\n    {call}\n")
    assert launch.open_args
    assert values(launch)["BLOCK"] == 4


def test_options_that_depend_on_the_kernel() -> None:
    source = """
def f(x, y, n, kernel_fn=k):
    extra = {}
    if "BLOCK" in kernel_fn.arg_names:
        extra["BLOCK"] = 128
    if "absent" in kernel_fn.arg_names:
        extra["absent"] = 1
    kernel_fn[(1,)](x, y, n, **extra)
"""
    (launch,) = launches(source)
    assert values(launch) == {"x_ptr": "problem", "out_ptr": "problem", "n": "problem", "BLOCK": 128}
    assert launch.options == {}


def test_device_queries_that_feed_a_grid() -> None:
    source = """
def cores():
    return torch.cuda.get_device_properties("cuda").multi_processor_count
def is_hip():
    return False
def f(x, y, n):
    count = cores()
    unused = torch.cuda.get_device_properties("cuda").total_memory
    warps = 8 if is_hip() else 4
    k[(min(count, n),)](x, y, n, BLOCK=128, num_warps=warps)
    k[(32,)](x, y, n, BLOCK=128)
"""
    first, second = launches(source)
    assert [(fact.kind, fact.text.split("(")[0], fact.loc.line) for fact in first.facts] == [
        ("device-query", "torch.cuda.get_device_properties", 11),
        ("gpu-config", "is_hip", 17),
    ]
    assert [fact.kind for fact in second.facts] == ["gpu-config"]


def test_methods_and_module_level() -> None:
    source = """
class Op:
    BLOCK = 64
    def __init__(self, cores=16):
        self.cores = cores
        self.kernel = k
    def __call__(self, x, y):
        self.kernel[(self.cores,)](x, y, x.numel(), BLOCK=self.BLOCK)
k[(7,)](torch.ones(3), torch.ones(3), 3, BLOCK=8)
"""
    first, second = launches(source)
    assert (names(first), dims(first), values(first)["BLOCK"]) == (["k"], [16], 64)
    assert (dims(second), second.args[0].pointee) == ([7], "fp32")


@pytest.mark.parametrize(
    "source",
    [
        "handlers = {}\ndef f(name, x):\n    return handlers[name](x)\n",
        "def f(x: list[int]):\n    return list[int](x)\n",
        "class G: pass\ndef f(x):\n    return G[int](x)\n",
        "import subprocess\ndef f(c):\n    return subprocess.run(c)\n",
        "@triton.jit\ndef g(t):\n    return t[0](1)\n",
    ],
)
def test_what_is_no_launch(source: str) -> None:
    assert [launch for launch in launches(source) if launch.kernels] == []


def test_the_order_of_questions_does_not_matter() -> None:
    files = {
        "a.py": HEAD + KERNELS + "def f(x, n, fn=k):\n    fn[(8,)](x, n, BLOCK=64)\n",
        "b.py": HEAD
        + "from a import f, other\ndef g(x, tile=32):\n    f(x, 5, fn=other)\n    other[(2,)](x, 5, tile)\n",
        "c.py": HEAD + "from a import f, other\nfrom b import g\ndef h(x):\n    f(x, 9, other)\n    g(x)\n",
    }
    forward, backward = tree_of(files), tree_of(files)
    together = find_launches(forward)
    for path in ("c.py", "b.py", "a.py"):
        assert launches_of(backward, module(backward, path)) == together[path]
    assert pickle.loads(pickle.dumps(together)) == together
    assert sum(map(len, together.values())) == 3
