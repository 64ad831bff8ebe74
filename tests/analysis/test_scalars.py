"""Symbolic values of what loops carry, bounds of counters, divisibility, and where values come from."""

from __future__ import annotations

import pytest

from spyre_lint.analysis.multiples import Multiples
from spyre_lint.analysis.provenance import Provenance
from spyre_lint.analysis.symbolic import SymbolicValues, with_arguments
from spyre_lint.bindings import Binding, HostValue
from spyre_lint.ir.sym import compare, const, symbol
from spyre_lint.target import DEFAULT_TARGET
from tests.analysis.kernels import lowered
from tests.frontend.lowering import named, only

CARRIED = {
    "counted up": ("at = 0\nfor i in range(0, n):\n    at += STEP\nend = at", True),
    "counted up in a while": ("at = 0\nwhile at < n:\n    at += STEP\nend = at", True),
    "counted down": ("at = 8 * STEP\nfor i in range(0, n):\n    at -= STEP\nend = at", True),
    "from elsewhere": ("at = n\nfor i in range(0, n):\n    at += STEP\nend = at", False),
    "by another step": ("at = 0\nfor i in range(0, n):\n    at += 1\nend = at", False),
    "by the counter": ("at = 0\nfor i in range(0, n):\n    at += i\nend = at", False),
    "in two steps": ("at = 0\nfor i in range(0, n):\n    at += STEP\n    at += 2 * STEP\nend = at", True),
    "in nested loops": ("at = 0\nfor i in range(0, n):\n    for j in range(0, m):\n        at += STEP\nend = at", True),
    "in some rounds": ("at = 0\nfor i in range(0, n):\n    if i > 3:\n        at += STEP\nend = at", True),
    "in some rounds, elsewhere": ("at = 0\nfor i in range(0, n):\n    if i > 3:\n        at = i\nend = at", False),
    "one of two": ("at = 0\nif n > 3:\n    at = STEP\nend = at", True),
    "the smaller of two": ("end = tl.minimum(n * STEP, 4 * STEP)", True),
    "the smaller of unequal two": ("end = tl.minimum(n * STEP, m)", False),
    "chosen": ("end = tl.where(n > 3, n * STEP, 0)", True),
    "a counter": ("end = 0\nfor i in range(2 * STEP, n, 3 * STEP):\n    end = i", True),
    "a counter that starts elsewhere": ("end = 0\nfor i in range(m, n, STEP):\n    end = i", False),
}


@pytest.mark.parametrize(("statements", "expected"), CARRIED.values(), ids=CARRIED.keys())
def test_multiples(statements: str, expected: bool) -> None:
    ir = lowered(statements + "\ntl.store(x_ptr + end, 1)")
    end = only(ir, "addptr").operands[1]
    step = ir.open_symbols["STEP"]
    found = Multiples(SymbolicValues(ir, DEFAULT_TARGET), Provenance(ir), None).divides(step, end)
    assert found is (True if expected else None)


def test_carried_value_is_its_start_and_whole_steps() -> None:
    ir = lowered("at = 3\nfor i in range(0, n):\n    at += 4\ntl.store(x_ptr + at, 1)")
    at = only(ir, "addptr").operands[1]
    found = SymbolicValues(ir, DEFAULT_TARGET).of(at)
    assert compare(found, "ge", 3) is True
    assert (found - 3).linear_in(next(iter(found.symbols()))) == (const(4), const(0))


def test_last_value_of_counters() -> None:
    desc = "d = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])\n"
    ir = lowered(desc + "for i in range(0, n // BLOCK):\n    at = i * BLOCK\n    d.store([at], d.load([at]))")
    values = SymbolicValues(ir, DEFAULT_TARGET)
    end = values.last(values.of(named(ir, "at"))) + ir.open_symbols["BLOCK"]
    size = values.of(next(p.value for p in ir.params if p.name == "n" and p.value is not None))
    assert compare(end, "le", size) is True
    assert compare(end + 1, "le", size) is None


def test_arguments_that_a_binding_gives() -> None:
    n, m = symbol("n", "arg"), symbol("m", "arg")
    known = HostValue("known", value=12)
    binding = Binding("test", "launch", args={"n": known, "m": HostValue("interval", lo=1, hi=9)})
    assert with_arguments(n * 2 + m, binding) == m + 24
    assert with_arguments(n, None) == n


def test_inputs_of_what_regions_make() -> None:
    ir = lowered("end = n\nfor i in range(0, 8):\n    if i > 2:\n        end = m\ntl.store(x_ptr + end, 1)")
    end = only(ir, "addptr").operands[1]
    origins = Provenance(ir)
    assert origins.origins(end).params == {"n", "m"}
    loop = next(ir.ops("for"))
    counter = loop.regions[0].args[0]
    assert origins.inputs_of(counter) == [*loop.group("lb"), *loop.group("ub"), *loop.group("step")]
    carried = loop.regions[0].args[1]
    terminator = loop.regions[0].terminator
    assert terminator is not None
    assert origins.inputs_of(carried) == [loop.group("init")[0], terminator.operands[0]]
