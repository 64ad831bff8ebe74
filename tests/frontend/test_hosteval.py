from __future__ import annotations

from typing import Any

import pytest

from spyre_lint.bindings import DTypeName, HostValue, KernelId
from spyre_lint.frontend import hostmath
from spyre_lint.frontend.hosteval import evaluate, evaluate_constant, interpreter
from spyre_lint.frontend.hostvalues import integer, known, problem, to_host, unknown
from tests.frontend.hostutil import HEAD, module, tree_of


def value_of(source: str, name: str = "X", **others: str) -> HostValue:
    """What a module-level name is, in a file under Triton's and torch's usual imports."""
    files = {f"{path}.py": HEAD + text for path, text in others.items()}
    project = tree_of({"m.py": HEAD + "import math, os, functools\n" + source, **files})
    frame = interpreter(project).module_frame(module(project, "m.py"))
    return to_host(frame.names[name])


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 ** 10 - 1", 1023),
        ("7 // 2 + 7 % 2", 4),
        ("(1, [2, 3], {'a': None})", (1, [2, 3], {"a": None})),
        ("[i * 2 for i in range(5) if i % 2]", [2, 6]),
        ("{k: len(k) for k in ('a', 'bb')}", {"a": 1, "bb": 2}),
        ("{**{'a': 1}, 'b': 2} | {'a': 3}", {"a": 3, "b": 2}),
        ("dict(a=1, **{'b': 2})", {"a": 1, "b": 2}),
        ("f'{4:03d}-{\"x\"!r}'", "004-'x'"),
        ("'%s_%d' % ('a', 3)", "a_3"),
        ("'{}/{}'.format('a', 1).upper()", "A/1"),
        ("triton.cdiv(100, 32), triton.next_power_of_2(100)", (4, 128)),
        ("min(4, max(1, 2)), abs(-3), int(3.7), math.ceil(2.1)", (2, 3, 3, 3)),
        ("sorted([3, 1, 2], reverse=True)[:2]", [3, 2]),
        ("(lambda a, b=2: a * b)(4)", 8),
        ("functools.partial(lambda a, b: a - b, 10)(b=3)", 7),
        ("[*range(2), 5][-1]", 5),
        ("sum(x for x in (1, 2, 3))", 6),
        ("1 if 'a' in 'abc' else 2", 1),
        ("None or 16", 16),
        ("3 < 4 < 5 and not (1 == 2)", True),
        ("os.environ.get('BLOCK', 64)", 64),
        ("dict(zip(['a', 'b'], [1, 2]))", {"a": 1, "b": 2}),
        ("[(i, v) for i, v in enumerate('ab')]", [(0, "a"), (1, "b")]),
        ("torch.float16, tl.bfloat16, torch.int32", (DTypeName("fp16"), DTypeName("bf16"), DTypeName("i32"))),
        ("torch.float16.itemsize", 2),
        ("-7 // 2, ~5, 1 << 4", (-4, -6, 16)),
        ("(y := 5) + 1", 6),
    ],
)
def test_expressions(expression: str, value: Any) -> None:
    found = value_of(f"X = {expression}\n")
    assert found == known(value), found.reason


def test_statements_and_functions() -> None:
    source = """
def build(n, *, extra=None):
    table = {}
    for i in range(n):
        if i == 1:
            continue
        table[f"v{i}"] = i
    if extra:
        table.update(extra)
    return table
class Tiles:
    BASE = 16
    M = BASE * 4
class More(Tiles):
    N = Tiles.BASE
X = build(3, extra={"z": 9})
X["late"] = Tiles.M
X["items"] = []
X["items"].append(More.M + More.N)
X |= {"w": 1}
A, (B, C) = 1, (2, 3)
B += 10
"""
    assert value_of(source).value == {"v0": 0, "v2": 2, "z": 9, "late": 64, "items": [80], "w": 1}
    assert value_of(source, "B").value == 12


def test_constants_of_other_files() -> None:
    source = "from other import SIZES, double\nimport other\nX = (SIZES['m'], double(other.BASE))\n"
    assert value_of(source, other="BASE = 8\nSIZES = {'m': BASE}\ndef double(a): return 2 * a\n").value == (8, 16)


def test_import_cycles_of_constants() -> None:
    assert value_of("import b\nA = 1\nX = b.B\n", b="import m\nB = m.A + 1\n").value == 2


def test_kernels_are_values() -> None:
    source = "@triton.jit\ndef k(a, B: tl.constexpr): pass\nX = {'k': k}\nY = 'B' in k.arg_names\n"
    assert value_of(source).value == {"k": KernelId("m.py", "k")}
    assert value_of(source, "Y").value is True


def wrapper(body: str, returned: str, parameters: str = "x, n") -> Any:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    source = HEAD + f"def f({parameters}):\n{lines}\n    return ({returned},)\n"
    project = tree_of({"m.py": source})
    machine = interpreter(project)
    m = module(project, "m.py")
    found = project.resolve(m, "f")
    assert found is not None
    function = machine.definition(found)
    frame = machine.standalone_frame(function)
    from spyre_lint.frontend import hostexec

    hostexec.run(machine, function.node.body, frame)
    return to_host(frame.returns[-1].items[0])


@pytest.mark.parametrize(
    ("body", "returned", "kind", "bounds"),
    [
        ("", "n", "problem", (0, None)),
        ("", "x.shape[0]", "problem", (0, None)),
        ("a, b = x.shape", "b", "problem", (0, None)),
        ("a, *b = x.size()", "a", "problem", (0, None)),
        ("*a, b = *x.shape, 3", "a", "unknown", (None, None)),
        ("", "x.numel() // 4", "problem", (0, None)),
        ("", "x.stride(0) * 2", "problem", (0, None)),
        ("", "len(x)", "problem", (0, None)),
        ("", "min(128, n)", "interval", (0, 128)),
        ("", "max(16, min(128, triton.next_power_of_2(n)))", "interval", (16, 128)),
        ("", "triton.next_power_of_2(n)", "problem", (1, None)),
        ("", "triton.cdiv(n, 128)", "problem", (0, None)),
        ("", "n % 8", "interval", (0, 7)),
        ("", "int(n * 0.5)", "problem", (None, None)),
        ("if n > 32:\n    n = 32", "n", "interval", (0, 32)),
        ("if n > 32:\n    raise ValueError", "n", "interval", (0, 32)),
        ("assert n <= 64", "n", "interval", (0, 64)),
        ("g = n if n < 32 else 32", "g", "interval", (0, 32)),
        ("b = 128\nwhile b > n:\n    b //= 2", "b", "interval", (0, 128)),
        ("b = 1\nwhile b < n:\n    b *= 2", "b", "problem", (1, None)),
        ("b = 64 if x.dtype == torch.float32 else 128", "b", "interval", (64, 128)),
        ("s = torch.cuda.get_device_properties(0).multi_processor_count", "s", "interval", (1, None)),
        ("s = torch.cuda.get_device_properties(0).multi_processor_count", "min(s, n)", "interval", (0, None)),
        ("total = 0\nfor i in range(n):\n    total += i", "total", "problem", (0, None)),
    ],
)  # fmt: skip
def test_problem_sizes(body: str, returned: str, kind: str, bounds: tuple[int | None, int | None]) -> None:
    found = wrapper(body, returned)
    assert (found.kind, found.bounds) == (kind, bounds), found


def test_a_cap_remembers_the_problem() -> None:
    assert wrapper("", "min(128, n)").from_problem
    assert not wrapper("", "128 if x.is_cuda else 64").from_problem


@pytest.mark.parametrize(
    ("parameters", "returned", "expected"),
    [
        ("x, block_size=128", "block_size", known(128)),
        ("x, num_cores: int = 32", "num_cores", known(32)),
        ("x, n=1024", "n", HostValue("problem", lo=0, from_problem=True, reason="the caller chooses `n`")),
        ("x, flag=False", "flag", known(False)),
        ("x, BLOCK=None", "BLOCK if BLOCK is not None else 64", known(64)),
        ("x, BLOCK=None", "BLOCK or 32", known(32)),
    ],
)
def test_defaults_of_parameters(parameters: str, returned: str, expected: HostValue) -> None:
    assert wrapper("", returned, parameters) == expected


@pytest.mark.parametrize(
    "source",
    [
        "X = 1 << 10 ** 9\n",
        "X = 'a' * 10 ** 12\n",
        "X = 9 ** 9 ** 9\n",
        "def f(n): return f(n + 1)\nX = f(0)\n",
        "X = [i for i in range(10 ** 12)]\n",
        "X = 0\nwhile True:\n    X += 1\n",
        "X = [[i for i in range(4000)] for j in range(4000)]\n",
        "X = undefined_name + 1\n",
        "X = 1 // 0\n",
        "X = {[]: 1}\n",
        "X = (lambda *a: a)(*undefined)\n",
        "class C(C): pass\nX = C().missing.thing[3](4)\n",
        "X = " + "+".join(["1"] * 200) + "\n",
        "X = yield_ if (await_ := 3) is Ellipsis else b'bytes'\n",
        "import nowhere\nX = nowhere.thing(1)[2].three\n",
    ],
)
def test_odd_code_never_raises(source: str) -> None:
    found = value_of(source)
    assert found.kind in ("unknown", "problem") or found.is_known
    assert found.is_known or found.kind == "problem" or found.reason


def test_a_value_says_where_it_stands() -> None:
    project = tree_of({"m.py": "A = 4\nB = A * 2\n"})
    m = module(project, "m.py")
    found = evaluate(project, m, m.tree.body[1].value)
    assert (found.value, found.text, str(found.loc)) == (8, "A * 2", "m.py:2:5")
    definition = project.resolve(m, "B")
    assert definition is not None
    assert evaluate_constant(project, definition).value == 8


SAMPLES = [known(-3), known(0), known(5), integer(0, 7, False, False), integer(2, 9, False, True)]


@pytest.mark.parametrize("op", ["+", "-", "*", "//", "%", "<<", ">>", "&", "|"])
@pytest.mark.parametrize("left", SAMPLES)
@pytest.mark.parametrize("right", SAMPLES)
def test_interval_arithmetic_contains_every_result(op: str, left: HostValue, right: HostValue) -> None:
    found = hostmath.binary(op, left, right)
    if found.kind == "unknown":
        return
    lo, hi = found.bounds
    for a in span(left):
        for b in span(right):
            if (op in ("//", "%") and b == 0) or (op in ("<<", ">>") and b < 0):
                continue
            exact = hostmath.binary(op, known(a), known(b)).value
            assert (lo is None or lo <= exact) and (hi is None or exact <= hi), (a, op, b, exact, found.bounds)


@pytest.mark.parametrize("left", SAMPLES[1:])
@pytest.mark.parametrize("right", SAMPLES[1:])
def test_division_and_extremes_contain_every_result(left: HostValue, right: HostValue) -> None:
    quotient = hostmath.ceil_divide(left, right)
    least = hostmath.extreme([left, right], smallest=True)
    most = hostmath.extreme([left, right], smallest=False)
    for a in span(left):
        for b in span(right):
            assert within(min(a, b), least)
            assert within(max(a, b), most)
            if b and quotient.kind != "unknown":
                assert within(-(-a // b), quotient)
    power = hostmath.next_power_of_2(left)
    for a in span(left):
        exact = 1
        while exact < a:
            exact *= 2
        assert within(exact, power)


def span(value: HostValue) -> range:
    lo, hi = value.bounds
    assert lo is not None
    assert hi is not None
    return range(lo, hi + 1)


def within(number: int, value: HostValue) -> bool:
    lo, hi = value.bounds
    return (lo is None or lo <= number) and (hi is None or number <= hi)


def test_growth() -> None:
    n = problem()
    assert hostmath.binary("*", n, known(4)).kind == "problem"
    assert hostmath.binary("-", known(4), n).bounds == (None, 4)
    assert hostmath.extreme([n, unknown("who knows"), known(32)], smallest=True).bounds == (None, 32)
    assert hostmath.extreme([n, unknown("who knows")], smallest=True).kind == "unknown"
    assert hostmath.extreme([n, unknown("who knows")], smallest=False).kind == "problem"
    assert hostmath.compare("<", integer(0, 3, False, False), known(4)) is True
    assert hostmath.compare("<", n, known(4)) is None
