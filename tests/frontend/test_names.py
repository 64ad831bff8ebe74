from __future__ import annotations

import ast
import re

import pytest

from spyre_lint.context import KernelInfo
from spyre_lint.frontend.kernels import calls_of, find_kernel, kernels_of
from tests.frontend.hostutil import HEAD, module, tree_of


def kernels(files: dict[str, str], path: str = "k.py", *, elsewhere: bool = True) -> dict[str, KernelInfo]:
    project = tree_of(files)
    return {k.info.name: k.info for k in kernels_of(project, module(project, path), elsewhere=elsewhere)}


@pytest.mark.parametrize(
    "source",
    [
        "import triton\n@triton.jit\ndef k(x): pass\n",
        "import triton as tr\n@tr.jit\ndef k(x): pass\n",
        "from triton import jit\n@jit\ndef k(x): pass\n",
        "from triton import jit as j\n@j()\ndef k(x): pass\n",
        "import triton\n@triton.jit(do_not_specialize=['x'])\ndef k(x): pass\n",
        "from triton.runtime.jit import jit\n@jit\ndef k(x): pass\n",
        "import triton\n@other\n@triton.autotune(configs=[], key=[])\n@triton.jit\ndef k(x): pass\n",
        "import triton\ndef k(x): pass\nlaunchable = triton.jit(k)\n",
        "import triton\ndef k(x): pass\nlaunchable = triton.autotune(configs=[], key=[])(triton.jit(k))\n",
        "import functools, triton\njit = functools.partial(triton.jit, noinline=True)\n@jit\ndef k(x): pass\n",
        "import triton\njit = triton.jit(do_not_specialize=[])\n@jit\ndef k(x): pass\n",
        "import triton\ndef my_jit(fn):\n    return triton.jit(fn)\n@my_jit\ndef k(x): pass\n",
        "import triton\ndef my(**o):\n    return lambda fn: triton.jit(fn, **o)\n@my(debug=True)\ndef k(x): pass\n",
        "from triton.experimental import gluon\n@gluon.jit\ndef k(x): pass\n",
        "import triton\nif triton.x > 3:\n    @triton.jit\n    def k(x): pass\n",
        "import triton, os\nmaybe = triton.jit if os.name else (lambda f: f)\n@maybe\ndef k(x): pass\n",
    ],
)
def test_every_spelling_of_jit(source: str) -> None:
    assert list(kernels({"k.py": source})) == ["k"]


@pytest.mark.parametrize(
    "source",
    [
        "import torch\n@torch.jit.script\ndef k(x): pass\n",
        "import numba\n@numba.jit\ndef k(x): pass\n",
        "import triton\n@triton.testing.perf_report([])\ndef k(x): pass\n# jit\n",
        "import triton\ndef k(fn):\n    return triton.jit(fn)\n",
    ],
)
def test_other_functions_are_no_kernels(source: str) -> None:
    assert kernels({"k.py": source}) == {}


def test_nested_kernels_have_qualified_names() -> None:
    source = """
        import triton
        def outer():
            @triton.jit
            def inner(x): pass
            return inner
        class Ops:
            @staticmethod
            @triton.jit
            def method(x): pass
    """
    assert list(kernels({"k.py": source})) == ["outer.inner", "Ops.method"]


def test_parameters() -> None:
    source = """
        import triton, triton.language as tl
        from triton.language import constexpr
        @triton.jit
        def k(x_ptr, n, /, A: tl.constexpr, B: "tl.constexpr" = 16, *, C: constexpr = None, D=1, **rest): pass
    """
    info = kernels({"k.py": source})["k"]
    assert [(p.name, p.is_constexpr, p.default) for p in info.params] == [
        ("x_ptr", False, None),
        ("n", False, None),
        ("A", True, None),
        ("B", True, "16"),
        ("C", True, "None"),
        ("D", False, "1"),
    ]
    assert info.open_signature
    assert (info.loc.line, info.loc.column, info.loc.end_column) == (5, 5, 6)


def test_decorators_relate_their_configs() -> None:
    source = """
        import triton
        def more():
            return [triton.Config({"B": b}, num_warps=4) for b in (32, 64)]
        SOME = [triton.Config({"B": 16})]
        @triton.autotune(configs=SOME + more() + [triton.Config({"B": 128})], key=["n"])
        @triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0,
                            "B": lambda args: triton.next_power_of_2(args["n"])})
        @triton.jit
        def k(x, n, B, EVEN): pass
    """
    tune, heuristics, jit = kernels({"k.py": source})["k"].decorators
    assert (tune.name, heuristics.name, jit.name) == ("triton.autotune", "triton.heuristics", "triton.jit")
    assert sorted(part.line for part in tune.parts) == [4, 5, 6]
    assert heuristics.sets == ("B",)


def test_a_decorator_of_the_tree_that_is_handed_configs_tunes() -> None:
    source = """
        import triton
        from .tuning import cached_tune
        @cached_tune(configs=[triton.Config({"B": 16})], key=[])
        @triton.jit
        def k(x, B): pass
    """
    info = kernels(
        {"p/k.py": source, "p/tuning.py": "def cached_tune(configs, key):\n    return lambda f: f\n"}, "p/k.py"
    )
    assert [d.name for d in info["k"].decorators] == ["triton.autotune", "triton.jit"]


def test_helpers_are_called_by_other_kernels() -> None:
    files = {
        "p/ops.py": HEAD + "@triton.jit\ndef exp(x): return x\n@triton.jit\ndef add(a, b): return a + b\n"
        "@triton.jit\ndef local(x): return x\n@triton.jit\ndef alone(x): return local(x)\n",
        "p/k.py": HEAD + "from .ops import exp, add\n@triton.jit\ndef k(x):\n"
        "    y = exp(tl.load(x))\n    tl.store(x, tl.reduce(y, 0, add))\n",
    }
    project = tree_of(files)
    marked = {k.info.name: k.info.is_helper for k in kernels_of(project, module(project, "p/ops.py"))}
    assert marked == {"exp": True, "add": True, "local": True, "alone": False}
    near = {k.info.name: k.info.is_helper for k in kernels_of(project, module(project, "p/ops.py"), elsewhere=False)}
    assert near == {"exp": False, "add": False, "local": True, "alone": False}
    assert sorted(kernel.name for kernel in calls_of(project, module(project, "p/k.py"))) == ["add", "exp"]
    (top,) = kernels_of(project, module(project, "p/k.py"))
    assert not top.info.is_helper
    assert find_kernel(project, top.info.id) == top


def test_an_independent_count_agrees() -> None:
    """Counted with a regular expression and with Python's own parser, over a file of many shapes."""
    source = HEAD + "".join(
        f"{indent}@triton.jit{call}\n{indent}def k{i}(x): pass\n"
        for i, (indent, call) in enumerate([("", ""), ("", "()"), ("", "(noinline=True)")] * 5)
    )
    source += (
        "class C:\n    @triton.jit\n    def m(x): pass\nfor i in range(3):\n    @triton.jit\n    def looped(x): pass\n"
    )
    source += "try:\n    pass\nexcept ValueError:\n    @triton.jit\n    def handled(x): pass\n"
    by_text = len(re.findall(r"^\s*@triton\.jit", source, re.MULTILINE))
    by_ast = sum(
        any("triton.jit" in ast.unparse(d) for d in node.decorator_list)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
    )
    assert len(kernels({"k.py": source})) == by_text == by_ast == 18
