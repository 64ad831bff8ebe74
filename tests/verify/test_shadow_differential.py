"""The shadow launch against Triton's own interpreter: both list the same accesses, program by program.

One subprocess runs the kernels of the shadow launch's suite under `TRITON_INTERPRET=1`. Sizes, strides and grids are
this test's own and fit no kernel in particular; a kernel that is wrong must go wrong in the same way in both.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest

from spyre_lint.analysis.shadow_code import Code
from spyre_lint.analysis.shadow_launch import Budget, Runner, program_ids
from spyre_lint.analysis.shadow_sizes import Roles, roles_of, tile_values
from spyre_lint.analysis.shadow_slice import LOADS, STORES, Slice
from spyre_lint.analysis.shadow_values import Recorder
from spyre_lint.ir.core import KernelIR
from tests.analysis.acting import Kernels, lowered
from tests.analysis.shadow_right import RIGHT
from tests.analysis.shadow_wrong import EXPECTED, HELPERS, WRONG

pytestmark = pytest.mark.verify

# What the suite's kernels have little of: quotients and remainders of negative numbers, selects, bits, nested loops.
SCALARS = """
@triton.jit
def signed_quotients(x_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        below = i - m
        out_desc.store([below // 3 * BLOCK], tl.zeros([BLOCK], tl.float32))
        out_desc.store([below % 3 * BLOCK], tl.zeros([BLOCK], tl.float32))
        out_desc.store([tl.cdiv(below, 4)], tl.zeros([BLOCK], tl.float32))

@triton.jit
def selects(x_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    pid = tl.program_id(0)
    start = tl.where(pid > m // 8, pid, tl.maximum(m - pid, 0))
    for i in range(start, start + 3):
        if (i < m and pid != 1) or not (i > 2):
            out_desc.store([tl.where(i % 2 == 0, i, -i) * BLOCK], tl.zeros([BLOCK], tl.float32))
        elif i == m:
            out_desc.store([n - i], tl.zeros([BLOCK], tl.float32))
        else:
            out_desc.store([n], tl.zeros([BLOCK], tl.float32))

@triton.jit
def bits(x_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    for i in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        out_desc.store([(i ^ m) & 7], tl.zeros([BLOCK], tl.float32))
        out_desc.store([(i << 2) | (m >> 1)], tl.zeros([BLOCK], tl.float32))
        out_desc.store([(i - m) >> 1], tl.zeros([BLOCK], tl.float32))

@triton.jit
def loops_in_loops(x_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    x_desc = tl.make_tensor_descriptor(x_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    out_desc = tl.make_tensor_descriptor(out_ptr, shape=[n], strides=[1], block_shape=[BLOCK])
    left = tl.program_id(0)
    seen = 0
    while left < m:
        for i in range(left, m, 5):
            seen += i
            if i % 3 == 1:
                x_desc.load([seen])
        out_desc.store([seen - left], tl.zeros([BLOCK], tl.float32))
        left += 1 + seen % 4
"""

TEXT = "import triton\nimport triton.language as tl\n" + HELPERS + WRONG + RIGHT + SCALARS

# Triton takes no descriptor with less than 16 bytes in the last dimension.
REFUSED = {"first_half_by_design", "flat_extent_from_the_host"}
FLAGS = {"STORE_LSE": 1}

# Values of the tiles, and of the other scalars, by position among the parameters. Every tiling is run with every row
# of sizes, each time on another grid; which ones, the number of axes that a kernel reads tells.
TILES = ((8, 16, 8), (16, 8, 32))
SIZES = ((3, 5, 2), (16, 35, 8), (21, 24, 9), (50, 3, 33))
GRIDS = {
    0: ((1,), (3,), (1,), (2,), (1,), (3,), (1,), (2,)),
    1: ((1,), (2,), (5,), (32,), (3,), (1,), (4,), (2,)),
    2: ((1, 1), (2, 3), (4, 1), (2, 5), (1, 2), (1, 1), (3, 2), (1, 4)),
    3: ((1, 1, 1), (2, 1, 3), (1, 3, 2), (2, 2, 2), (1, 1, 2), (1, 1, 1), (3, 1, 1), (1, 2, 1)),
}

Access = tuple[Any, ...]
"""Kind, pointer, distance of the base, shape, strides, block shape, offsets (None: read from memory)."""
Programs = dict[tuple[int, ...], Counter[Access]]


@dataclass(frozen=True)
class Launch:
    """One launch: the grid, and a value for every parameter that is no pointer."""

    kernel: str
    grid: tuple[int, ...]
    scalars: dict[str, int]


@cache
def _kernels() -> Kernels:
    return lowered(TEXT)


NAMES = re.findall(r"def (\w+)\(", WRONG + RIGHT + SCALARS)


@cache
def _flagged(name: str) -> KernelIR:
    """A kernel with its flags bound and its tiles open."""
    names = {param.name for param in _kernels().by_name[name].info.params}
    return _kernels().ir(name, {flag: value for flag, value in FLAGS.items() if flag in names})


def _bound(launch: Launch) -> KernelIR:
    """A kernel with all of its constexprs bound."""
    params = _kernels().by_name[launch.kernel].info.params
    return _kernels().ir(launch.kernel, {p.name: launch.scalars[p.name] for p in params if p.is_constexpr})


@cache
def launches_of(name: str) -> tuple[Launch, ...]:
    """The launches of a kernel: every tiling with every row of sizes, each on another grid."""
    ir = _flagged(name)
    axes = max((op.attrs["axis"] for op in ir.ops("program_id")), default=-1) + 1
    found = []
    for (tiles, sizes), grid in zip(product(TILES, SIZES), GRIDS[axes], strict=True):
        found.append(Launch(name, grid, _scalars(name, tiles, sizes, grid)))
    return tuple(found)


def _scalars(name: str, tiles: tuple[int, ...], sizes: tuple[int, ...], grid: tuple[int, ...]) -> dict[str, int]:
    fixed = FLAGS | {"NUM_CORES": prod(grid), "GROUP": 3, "B": 5, "heads": 3}
    if name == "literal_width":
        fixed["BLOCK_H"] = 1024
    scalars: dict[str, int] = {}
    counts = [0, 0]
    for position, param in enumerate(_kernels().by_name[name].info.params):
        if param.name.endswith("_ptr"):
            continue
        is_tile = param.is_constexpr and param.name not in ("M", "N", "HEADS")
        values = tiles if is_tile else sizes
        if param.name in fixed:
            scalars[param.name] = fixed[param.name]
        elif "stride" in param.name:
            scalars[param.name] = 10_007 * (position + 1)
        else:
            value = values[counts[is_tile] % len(values)]
            # A size that is a constexpr is a stride, too: those Triton wants to be multiples of 16 bytes.
            scalars[param.name] = -(-value // 4) * 4 if param.is_constexpr else value
            counts[is_tile] += 1
    return scalars


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What the interpreter says of the launches, by kernel."""
    path = tmp_path_factory.mktemp("interpreted") / "kernels.py"
    path.write_text(TEXT, encoding="utf-8")
    launches = [launch for name in NAMES for launch in launches_of(name)]
    items = [{"kernel": entry.kernel, "grid": entry.grid, "scalars": entry.scalars} for entry in launches]
    process = subprocess.run(
        [sys.executable, Path(__file__).with_name("interpreter_worker.py")],
        input=json.dumps({"path": str(path), "launches": items}),
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stderr
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in NAMES}
    for launch, answer in zip(launches, answers, strict=True):
        found[launch.kernel].append(answer)
    return found


def from_interpreter(launch: Launch, answer: dict[str, Any]) -> Programs:
    """The accesses of each program, as the interpreter makes them."""
    programs: Programs = {place: Counter() for place in program_ids(launch.grid)}
    for place, made in answer["programs"]:
        for kind, pointer, base, *lists in made:
            access = (kind, pointer, base, *(tuple(entry) for entry in lists))
            programs[tuple(place)][access] += 1
    return programs


def from_shadow(ir: KernelIR, launch: Launch) -> tuple[Programs, set[Access]]:
    """The accesses of each program, as the shadow launch lists them, and those placed by what is read from memory."""
    stores, loads = Slice(ir, STORES), Slice(ir, LOADS)
    roles = roles_of(Slice(ir, STORES | LOADS), stores, {})
    programs: Programs = {place: Counter() for place in program_ids(launch.grid)}
    perhaps: set[Access] = set()
    for kind, cut in (("store", stores), ("load", loads)):
        if cut.accesses:
            _run(kind, Code(cut), roles, launch, programs, perhaps)
    return programs, perhaps


def _run(kind: str, code: Code, roles: Roles, launch: Launch, programs: Programs, perhaps: set[Access]) -> None:
    tiles = tile_values(roles, launch.scalars)
    trial = Runner(code, roles, tiles, Budget()).trial(launch.scalars)
    trial.env.update(launch.scalars)  # the strides, too, are this test's
    run = trial.launch(launch.grid)
    assert not run.failed
    # A launch keeps what each program touches; how often it does is seen by running the same code once more.
    recorder, runner = trial.recorder, trial.runner
    constants = [runner.number(expr, trial.env) for expr in code.exprs]
    program = code.prepare(recorder, [trial.env.get(name, 1) for name in code.params], constants)
    program = program(*_whole(launch.grid, 1))
    for place, touched in zip(run.ids(), run.programs, strict=True):
        records: list[tuple[int, ...]] = []
        program(*_whole(place, 0), records.append)
        assert set(records) == touched
        programs[place].update(_access(kind, code, recorder, record) for record in records)
    assert not recorder.unplaced
    perhaps.update(_access(kind, code, recorder, record) for record in recorder.perhaps)


def _whole(place: tuple[int, ...], rest: int) -> tuple[int, ...]:
    return (*place, rest, rest)[:3]


def _access(kind: str, code: Code, recorder: Recorder, record: tuple[Any, ...]) -> Access:
    number, *offsets = record
    made = recorder.descriptors[number]
    assert made.unknown is None
    return (kind, code.pointers[made.base], made.offset, made.shape, made.strides, made.block, tuple(offsets))


def _unplaced(access: Access) -> bool:
    return None in access[-1]


def assert_same(ir: KernelIR, launch: Launch, real: Programs) -> None:
    """The shadow launch lists what the interpreter does; of rows picked by what is read, all programs together."""
    shadow, perhaps = from_shadow(ir, launch)
    picked = {access for made in real.values() for access in made if _unplaced(access)}
    placed = {
        place: Counter({access: count for access, count in made.items() if not _unplaced(access)})
        for place, made in real.items()
    }
    assert shadow == placed
    assert perhaps == picked


def test_most_of_the_suite_is_run() -> None:
    assert set(EXPECTED) < set(NAMES) <= set(_kernels().by_name)
    assert len(set(NAMES) - REFUSED) >= 100


@pytest.mark.parametrize("name", [name for name in NAMES if name not in REFUSED])
def test_shadow_launch_lists_what_the_interpreter_does(name: str, interpreted: dict[str, list[dict[str, Any]]]) -> None:
    made = 0
    for launch, answer in zip(launches_of(name), interpreted[name], strict=True):
        assert "error" not in answer, (launch, answer["error"])
        real = from_interpreter(launch, answer)
        made += sum(programs.total() for programs in real.values())
        assert_same(_flagged(name), launch, real)
        assert_same(_bound(launch), launch, real)
    assert made > 0


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_some_descriptors_are_too_narrow_for_triton(name: str, interpreted: dict[str, list[dict[str, Any]]]) -> None:
    assert all("at least 16 bytes in the last dimension" in answer["error"] for answer in interpreted[name])


def test_one_tile_makes_a_difference(interpreted: dict[str, list[dict[str, Any]]]) -> None:
    differs = []
    for launch, answer in zip(launches_of("strided"), interpreted["strided"], strict=True):
        shadow, _ = from_shadow(_flagged("halo_load_past_the_end"), launch)
        differs.append(shadow != from_interpreter(launch, answer))
    assert all(differs)
