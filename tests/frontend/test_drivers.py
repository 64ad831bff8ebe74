from __future__ import annotations

from typing import Any

from spyre_lint.bindings import Binding, Driver, HostValue, KernelId
from spyre_lint.frontend.bind import MAX_BINDINGS, bindings_for
from spyre_lint.frontend.drivers import drivers_of
from spyre_lint.frontend.kernels import find_kernel
from spyre_lint.frontend.launches import launches_of
from tests.frontend.hostutil import HEAD, module, tree_of

KERNEL = (
    HEAD
    + """
@triton.jit
def scale(x_ptr, out_ptr, n, eps, BLOCK: tl.constexpr, ROWS: tl.constexpr = 4): tl.load(x_ptr)
@triton.jit
def shift(x_ptr, n, BLOCK: tl.constexpr): pass
"""
)


def drivers(path: str, text: str, **others: str) -> list[Driver]:
    project = tree_of({"ops/kernel.py": KERNEL, path: text, **{f"ops/{n}.py": t for n, t in others.items()}})
    return drivers_of(project, module(project, path))


def plain(values: Any) -> dict[str, Any]:
    return {name: value.value if value.is_known else value.reason for name, value in values.items()}


def dims(driver: Driver) -> list[Any] | None:
    if driver.grid is None or driver.grid.dims is None:
        return None
    return [d.value for d in driver.grid.dims]


LOWER = """
from ops.kernel import scale, shift
from .sizes import TILE

def signature(dtype, **more):
    table = {name: f"*{dtype}" for name in ("x_ptr", "out_ptr")}
    table.update(n="i32", eps="fp32", BLOCK="constexpr", ROWS="constexpr", **more)
    return table

def entry(block, cores=32):
    return dict(KERNEL=scale, SIGNATURE=signature("fp16"), CONSTEXPRS={"BLOCK": block, "ROWS": 1}, GRID=[cores])

VARIANTS = {
    "plain": {
        "KERNEL": scale,
        "SIGNATURE": signature("bf16"),
        "CONSTEXPRS": {"BLOCK": TILE * 2, "ROWS": 8},
        "GRID": [32],
    },
    "small": entry(64, cores=8),
    **{f"block_{b}": entry(b) for b in (16, 32)},
}
VARIANTS["late"] = {**VARIANTS["small"], "KERNEL": shift, "GRID": (4, 8)}
"""


def test_a_lowering_driver() -> None:
    found = drivers("ops/lower.py", LOWER, sizes="TILE = 256\n")
    assert [d.label for d in found] == ["plain", "small", "block_16", "block_32", "late"]
    assert {d.source for d in found} == {"driver"}
    first, small, *_, late = found
    assert first.kernel == KernelId("ops/kernel.py", "scale")
    assert plain(first.constexprs) == {"BLOCK": 512, "ROWS": 8}
    assert plain(first.signature) == {
        "x_ptr": "*bf16", "out_ptr": "*bf16", "n": "i32", "eps": "fp32", "BLOCK": "constexpr", "ROWS": "constexpr",
    }  # fmt: skip
    assert dims(first) == [32]
    assert first.loc.line == 14
    block = first.constexprs["BLOCK"]
    assert (block.text, str(block.loc)) == ("TILE * 2", "ops/lower.py:17:33")
    assert str(first.key_locs["CONSTEXPRS.BLOCK"]) == "ops/lower.py:17:24"
    assert first.key_locs["SIGNATURE.n"].line == 7
    assert (plain(small.constexprs), dims(small)) == ({"BLOCK": 64, "ROWS": 1}, [8])
    assert (late.kernel, dims(late)) == (KernelId("ops/kernel.py", "shift"), [4, 8])


def test_four_names_at_module_level() -> None:
    text = """
        from . import kernel
        KERNEL = kernel.shift
        SIGNATURE = {"x_ptr": "*fp32", "n": "i32", "BLOCK": "i32"}
        CONSTEXPRS = {"BLOCK": 1 << 7}
        GRID = (32,)
    """
    (driver,) = drivers("ops/anything.py", text)
    assert (driver.source, driver.label) == ("driver", "kernel")
    assert driver.kernel == KernelId("ops/kernel.py", "shift")
    assert (plain(driver.constexprs), dims(driver)) == ({"BLOCK": 128}, [32])
    assert driver.loc.line == 3


def test_a_driver_whose_kernel_is_not_in_the_tree() -> None:
    text = """
        from far.away import missing
        VARIANTS = {"a": {"KERNEL": missing, "SIGNATURE": {"x": "*fp16"}, "CONSTEXPRS": {"B": unknown_thing}}}
    """
    (driver,) = drivers("ops/lower.py", text)
    assert driver.kernel is None
    assert driver.grid is None
    assert not driver.constexprs["B"].is_known
    assert driver.constexprs["B"].reason


def test_layouts_are_values() -> None:
    text = """
        from .kernel import shift
        S = 64
        LAYOUT = [(1, "floordiv", S), 0, (1, "mod", S)]
        VARIANTS = {"a": {"KERNEL": shift, "SIGNATURE": {}, "CONSTEXPRS": {"BLOCK": LAYOUT}}}
    """
    (driver,) = drivers("ops/lower.py", text)
    assert driver.constexprs["BLOCK"].value == [(1, "floordiv", 64), 0, (1, "mod", 64)]


FIXTURE = """
from . import kernel
SIGNATURE = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "eps": "fp32", "BLOCK": "i32", "ROWS": "i32"}
_SHORT = {"x_ptr": "*fp16", "n": "i32", "BLOCK": "i32"}
def oracle(inputs): return inputs
VARIANTS = {
    "default": {
        "kernel_fn": kernel.scale,
        "constexpr": ["n", "BLOCK", "ROWS"],
        "params": {"n": [16, 520], "eps": [0.5], "BLOCK": [16], "ROWS": [1, 2]},
        "grid": [32],
        "reference": oracle,
        "extra_checks": lambda t: t,
    },
    "dynamic": {"constexpr": ["BLOCK", "ROWS"]},
    "short": {
        "kernel_fn": kernel.shift, "SIGNATURE": _SHORT, "constexpr": ["BLOCK"],
        "params": {"n": [8], "BLOCK": [64]}, "grid": [4, 8],
    },
    "shorter": {"base": "short", "params": {"n": [4], "BLOCK": [32]}},
    "looped": {"base": "looped"},
    "many": {"params": {"n": list(range(10)), "eps": [1.0], "BLOCK": [1, 2, 4], "ROWS": [1]}},
}
"""


def test_a_fixture() -> None:
    found = drivers("ops/meta.py", FIXTURE)
    by_label = {d.label: d for d in found}
    assert {d.source for d in found} == {"fixture"}
    assert list(by_label)[:4] == [
        "default[n=16,ROWS=1]", "default[n=16,ROWS=2]", "default[n=520,ROWS=1]", "default[n=520,ROWS=2]",
    ]  # fmt: skip
    first = by_label["default[n=520,ROWS=2]"]
    assert (plain(first.constexprs), plain(first.args)) == ({"n": 520, "BLOCK": 16, "ROWS": 2}, {"eps": 0.5})
    assert plain(first.signature)["x_ptr"] == "*fp32"
    dynamic = by_label["dynamic[n=16,ROWS=1]"]
    assert (plain(dynamic.constexprs), plain(dynamic.args)) == ({"BLOCK": 16, "ROWS": 1}, {"n": 16, "eps": 0.5})
    shorter = by_label["shorter"]
    assert shorter.kernel == KernelId("ops/kernel.py", "shift")
    assert (plain(shorter.constexprs), plain(shorter.args), dims(shorter)) == ({"BLOCK": 32}, {"n": 4}, [4, 8])
    assert plain(shorter.signature)["x_ptr"] == "*fp16"
    many = [d for d in found if d.label.startswith("many")]
    assert len(many) == 16
    assert all("one of the first 16" in d.label for d in many)
    assert by_label["looped"].kernel is None


WRAPPER = """
from . import triton_kernel
SIGNATURE = {"in_ptr": "*fp16", "xnumel": "i32", "XBLOCK": "i32"}
_TWO_SIGNATURE = {"a_ptr": "*fp16", "b_ptr": "*fp32", "XBLOCK": "i32"}
CONSTEXPR = ["XBLOCK"]
XNUMEL = 12
XBLOCK = 448
GRID = (12,)
def one(x, kernel_fn=triton_kernel.first):
    kernel_fn[GRID](x, XNUMEL, XBLOCK=XBLOCK)
def two(x, y, kernel_fn=triton_kernel.second):
    kernel_fn[GRID](x, y, XBLOCK=XBLOCK)
"""
TRACED = (
    HEAD
    + """
@triton.jit
def helper(x): return x
@triton.jit
def first(in_ptr, xnumel, XBLOCK: tl.constexpr): helper(xnumel)
@triton.jit
def second(a_ptr, b_ptr, XBLOCK: tl.constexpr): pass
"""
)


def test_a_traced_wrapper() -> None:
    one, two = drivers("ops/wrapper.py", WRAPPER, triton_kernel=TRACED)
    assert (one.source, one.label, two.label) == ("wrapper", "first", "second")
    assert (plain(one.constexprs), plain(one.args), dims(one)) == ({"XBLOCK": 448}, {"xnumel": 12}, [12])
    assert one.constexprs["XBLOCK"].loc is not None
    assert one.constexprs["XBLOCK"].loc.line == 7
    assert one.key_locs["CONSTEXPRS.XBLOCK"].line == 5
    assert plain(two.signature) == {"a_ptr": "*fp16", "b_ptr": "*fp32", "XBLOCK": "i32"}
    assert two.loc.line == 4


def test_a_wrapper_that_lacks_a_constant() -> None:
    text = WRAPPER.replace("XBLOCK = 448\n", "")
    one, _ = drivers("ops/wrapper.py", text, triton_kernel=TRACED)
    assert one.constexprs["XBLOCK"].reason == "the file has no constant `XBLOCK`"


def test_a_lone_grid_binds_nothing() -> None:
    assert drivers("ops/wrapper.py", "GRID = (12,)\nSIGNATURE = 'a string'\n") == []
    assert drivers("ops/w.py", "VARIANTS = {'a': {'x': 1}}\nSIGNATURE = {}\n") == []


# ---------------------------------------------------------------------- bindings


def bindings(files: dict[str, str], kernel: str = "scale", **given: Any) -> list[Binding]:
    project = tree_of({"ops/kernel.py": KERNEL, **files})
    found = find_kernel(project, KernelId("ops/kernel.py", kernel))
    assert found is not None
    modules = list(project.modules())
    launches = [launch for m in modules for launch in launches_of(project, m)]
    entries = [driver for m in modules for driver in drivers_of(project, m)]
    return bindings_for(
        found.info, launches, entries, given.get("config", []), given.get("constexprs", {}), given.get("dtypes", {})
    )


HOST = (
    HEAD
    + """
from .kernel import scale
def f(x, n):
    y = torch.empty_like(x, dtype=torch.float16)
    scale[(min(32, n),)](x, y, n, 1e-5, BLOCK=triton.next_power_of_2(n))
    scale[(8,)](x, y, 7, 1e-5, BLOCK=128, ROWS=2)
"""
)


def test_drivers_go_before_launches() -> None:
    found = bindings({"ops/lower.py": LOWER, "ops/sizes.py": "TILE = 256\n", "ops/host.py": HOST})
    assert [b.label for b in found] == ["plain", "small", "block_16", "block_32", "ops/host.py:8", "ops/host.py:9"]
    assert [b.source for b in found][3:] == ["driver", "launch", "launch"]
    assert found[0].dtypes == {"x_ptr": "*bf16", "out_ptr": "*bf16", "n": "i32", "eps": "fp32"}
    open_one, exact = found[4:]
    assert open_one.constexprs == {"ROWS": 4}
    assert "BLOCK" in open_one.open_reasons
    assert "problem size" in open_one.open_reasons["BLOCK"]
    assert open_one.args["n"].kind == "problem"
    assert (exact.constexprs, exact.dtypes) == (
        {"BLOCK": 128, "ROWS": 2},
        {"out_ptr": "*fp16", "n": "i32", "eps": "fp32"},
    )
    assert exact.args["n"].value == 7
    assert exact.grid is not None
    assert exact.grid.product_bounds == (8, 8)


def test_the_command_line_holds_on_top_of_everything() -> None:
    configured = Binding("spyre-lint.toml", "configuration", None, {"BLOCK": 32}, {"x_ptr": "*fp32"})
    found = bindings(
        {"ops/host.py": HOST}, config=[configured], constexprs={"BLOCK": 16, "OTHER": 1}, dtypes={"n": "i64"}
    )
    assert [b.source for b in found] == ["configuration", "launch", "launch"]
    assert all(b.constexprs["BLOCK"] == 16 and b.dtypes["n"] == "i64" for b in found)
    assert not any("OTHER" in b.constexprs or "BLOCK" in b.open_reasons for b in found)
    alone = bindings({}, constexprs={"BLOCK": 16})
    assert [(b.source, b.label, dict(b.constexprs)) for b in alone] == [
        ("command line", "command line", {"BLOCK": 16, "ROWS": 4})
    ]


def test_defaults_bind_where_nothing_else_does() -> None:
    (found,) = bindings({})
    assert (found.source, found.constexprs) == ("defaults", {"ROWS": 4})
    assert found.open_reasons == {"BLOCK": "nothing gives `BLOCK` a value"}
    assert bindings({}, "shift") == []


def test_equal_bindings_are_one_and_there_is_a_limit() -> None:
    twice = HOST.replace("def f", "def g") + HOST.partition("import scale\n")[2]
    assert len(bindings({"ops/host.py": twice})) == 2
    lines = "\n".join(f"    shift[(1,)](x, {i}, BLOCK=16)" for i in range(40))
    many = bindings({"ops/host.py": HEAD + f"from .kernel import shift\ndef f(x):\n{lines}\n"}, "shift")
    assert len(many) == MAX_BINDINGS
    assert many[0].args["n"] == many[0].args["n"]
    assert isinstance(many[0].args["n"], HostValue)
