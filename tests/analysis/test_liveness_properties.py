"""Liveness on random programs against the same programs with every loop unrolled and every tile told apart."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from spyre_lint.analysis.folds import VIEWS
from spyre_lint.analysis.graph import Graph
from spyre_lint.analysis.liveness import weigh
from spyre_lint.findings import Location
from spyre_lint.ir.builder import Builder
from spyre_lint.ir.core import Block, KernelIR, Op, Value
from spyre_lint.ir.sym import const
from spyre_lint.ir.types import FP16, FP32, INT1, INT32, DescriptorType, ScalarType, TileType

TYPES = [TileType(FP32, (const(8), const(8))), TileType(FP16, (const(4), const(32))), TileType(FP32, (const(3),))]
LOC = Location("k.py", 1)


class Program:
    """A random kernel: loads, arithmetic, views, constants, dots, stores, loops and branches on run-time conditions."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.b = Builder(LOC)
        self.descriptor = self.b.value(DescriptorType(FP32, TYPES[0].shape), "d")
        self.condition = self.b.value(ScalarType(INT1), "c")
        self.bound = self.b.value(ScalarType(INT32), "n")
        for arg in (self.descriptor, self.condition, self.bound):
            self.b.block.add_arg(arg)
        self.statements(rng.randint(3, 9), 0, [])

    @property
    def ir(self) -> KernelIR:
        return KernelIR("k", "k.py", LOC, [], self.b.block)

    def pick(self, values: list[Value], type_: TileType) -> Value:
        fitting = [value for value in values if value.type == type_]
        return self.rng.choice(fitting) if fitting else self.load(type_)

    def load(self, type_: TileType) -> Value:
        return self.b.make("desc_load", {"desc": [self.descriptor]}, type_)

    def statements(self, count: int, depth: int, values: list[Value]) -> None:
        for _ in range(count):
            self.statement(depth, values)

    def statement(self, depth: int, values: list[Value]) -> None:
        rng, type_ = self.rng, self.rng.choice(TYPES)
        kind = rng.choice(["load", "unary", "binary", "view", "const", "splat", "dot", "store", "for", "if"])
        if depth > 2 and kind in ("for", "if"):
            kind = "binary"
        if kind == "load":
            values.append(self.load(type_))
        elif kind == "unary":
            values.append(self.b.make("elementwise", {"args": [self.pick(values, type_)]}, rng.choice(TYPES), fn="exp"))
        elif kind == "binary":
            args = [self.pick(values, type_), self.pick(values, rng.choice(TYPES))]
            values.append(self.b.make("elementwise", {"args": args}, type_, fn="add"))
        elif kind == "view":
            values.append(self.b.make("reshape", {"value": [self.pick(values, type_)]}, type_))
        elif kind == "const":
            values.append(self.b.make("const", {}, type_, value=rng.randint(0, 2)))
        elif kind == "splat":
            values.append(self.b.make("splat", {"value": [self.bound]}, type_))
        elif kind == "dot":
            acc = [self.pick(values, type_)] if rng.random() < 0.7 else []
            groups = {"a": [self.pick(values, type_)], "b": [self.pick(values, type_)], "acc": acc}
            values.append(self.b.make("dot", groups, type_))
        elif kind == "store":
            self.b.op("desc_store", {"desc": [self.descriptor], "value": [self.pick(values, type_)]})
        elif kind == "for":
            values.extend(self.loop(depth, values))
        else:
            values.extend(self.branch(depth, values))

    def loop(self, depth: int, values: list[Value]) -> list[Value]:
        types = [self.rng.choice(TYPES) for _ in range(self.rng.randint(0, 2))]
        inits = [self.pick(values, type_) for type_ in types]
        block = Block([self.b.value(ScalarType(INT32)), *(self.b.value(type_) for type_ in types)])
        with self.b.inside(block):
            inside = [*values, *block.args[1:]]
            self.statements(self.rng.randint(1, 4), depth + 1, inside)
            self.b.op("yield", {"values": [self.pick(inside, type_) for type_ in types]})
        groups = {"lb": [self.bound], "ub": [self.bound], "step": [self.bound], "init": inits}
        return self.b.op("for", groups, types, regions=[block]).results

    def branch(self, depth: int, values: list[Value]) -> list[Value]:
        types = [self.rng.choice(TYPES) for _ in range(self.rng.randint(0, 2))]
        regions = []
        for _ in range(2):
            block = Block()
            with self.b.inside(block):
                inside = list(values)
                self.statements(self.rng.randint(0, 3), depth + 1, inside)
                self.b.op("yield", {"values": [self.pick(inside, type_) for type_ in types]})
            regions.append(block)
        return self.b.op("if", {"cond": [self.condition]}, types, regions=regions).results


# ---- the same program, unrolled --------------------------------------------------------------------------------


@dataclass(eq=False)
class Tile:
    """One tile of one iteration. `material` is false for a constant, which is storage only where it is needed so."""

    size: int
    material: bool = True


@dataclass
class Step:
    """One operation that runs: tiles it reads, tiles that are there afterwards, copies it needs; or two ways to go on.

    `silent` tiles come to be without weighing where nothing reads them (region arguments).
    """

    reads: list[Tile] = field(default_factory=list)
    makes: list[Tile] = field(default_factory=list)
    silent: list[Tile] = field(default_factory=list)
    copies: int = 0
    ways: list[list[Step]] = field(default_factory=list)


def size_of(value: Value) -> int:
    assert isinstance(value.type, TileType)
    return value.type.byte_expr.value


class Unrolled:
    TRIPS = 3

    def __init__(self, graph: Graph) -> None:
        self.peak = 0
        self.env: dict[Value, Tile] = {}
        for op in graph.front:
            self.env[op.result] = Tile(size_of(op.result) if isinstance(op.result.type, TileType) else 0, False)
        self.follow(self.block(graph.body, []), frozenset())

    def tiles(self, values: list[Value]) -> list[Tile]:
        return [self.env[value] for value in values if isinstance(value.type, TileType)]

    def copies(self, values: list[Value]) -> int:
        return sum(tile.size for tile in self.tiles(values) if not tile.material)

    def made(self, values: list[Value]) -> list[Tile]:
        tiles = []
        for value in values:
            if isinstance(value.type, TileType):
                self.env[value] = Tile(size_of(value))
                tiles.append(self.env[value])
        return tiles

    def block(self, block: Block, tail: list[Step]) -> list[Step]:
        steps: list[Step] = []
        for op in block.ops:
            self.op(op, steps)
        return [*steps, *tail]

    def op(self, op: Op, steps: list[Step]) -> None:
        if op.opcode in VIEWS:
            if op.opcode == "splat":
                self.env[op.result] = Tile(size_of(op.result), False)
            else:
                under = self.env[op.operands[0]]
                self.env[op.result] = under if under.material else Tile(size_of(op.result), False)
                steps.append(Step(reads=[under]))
            return
        if op.opcode == "for":
            steps.append(Step(reads=self.tiles(op.group("init")), copies=self.copies(op.group("init"))))
            for trip in range(self.TRIPS):
                steps[-1].silent = self.made(op.regions[0].args)
                yielded = op.regions[0].ops[-1].group("values")
                body = self.block(op.regions[0], [])
                body[-1].copies = self.copies(yielded)
                steps.extend(body)
                assert trip < self.TRIPS
            steps.append(Step(makes=self.made(op.results)))
            return
        if op.opcode == "if":
            steps.append(Step(ways=[self.block(region, []) for region in op.regions]))
            steps.append(Step(makes=self.made(op.results)))
            return
        copies = 0
        if op.opcode == "dot":
            copies = self.copies(op.group("acc")) if op.group("acc") else size_of(op.result)
        elif op.opcode == "desc_store":
            copies = self.copies(op.group("value"))
        steps.append(Step(reads=self.tiles(op.operands), makes=self.made(op.results), copies=copies))

    def weigh(self, live: frozenset[Tile], extra: int = 0) -> None:
        self.peak = max(self.peak, extra + sum(tile.size for tile in live if tile.material))

    def follow(self, steps: list[Step], after: frozenset[Tile]) -> frozenset[Tile]:
        """Tiles live before the steps, if `after` are live behind them; weighs every point on the way."""
        live = after
        for step in reversed(steps):
            if step.ways:
                live = frozenset().union(*(self.follow(way, live) for way in step.ways))
                continue
            self.weigh(live | frozenset(step.makes))
            live = (live - frozenset(step.makes) - frozenset(step.silent)) | frozenset(step.reads)
            if step.copies:
                self.weigh(live, step.copies)
        self.weigh(live)
        return live


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_peak_is_that_of_the_unrolled_program(rng: random.Random) -> None:
    graph = Graph(Program(rng).ir)
    found = weigh(graph, lambda type_: type_.byte_expr.value)
    assert max((weight for weight, _ in found.points), default=0) == Unrolled(graph).peak


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False))
def test_every_point_adds_up(rng: random.Random) -> None:
    graph = Graph(Program(rng).ir)
    for weight, point in weigh(graph, lambda type_: type_.byte_expr.value).points:
        tiles = [tile.type for tile in point.tiles()]
        assert weight == sum(type_.byte_expr.value for type_ in tiles if isinstance(type_, TileType))
