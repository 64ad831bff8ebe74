"""Drivers: files that say, as data, how kernels are lowered or tested.

Three forms, told apart by content: a lowering driver (`KERNEL`, `SIGNATURE`, `CONSTEXPRS`, `GRID` at module level, or a
dict of such entries), a fixture (a dict of variants with `kernel_fn`, `constexpr`, `params`, `grid` and `base`
inheritance), and a traced model's wrapper (`SIGNATURE` with a `CONSTEXPR` list of same-named module constants and
`GRID`; the kernels are those the file refers to).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from astroid import nodes

from spyre_lint.bindings import Driver, Grid, HostValue, KernelId
from spyre_lint.findings import Location
from spyre_lint.frontend import hostitems
from spyre_lint.frontend.grids import read_grid
from spyre_lint.frontend.hostcode import qualified_name
from spyre_lint.frontend.hosteval import Interpreter, interpreter
from spyre_lint.frontend.hostvalues import (
    NONE,
    Frame,
    Items,
    Table,
    known,
    options_of,
    to_host,
    unknown,
    with_place,
)
from spyre_lint.frontend.kernels import Kernel, find_kernel
from spyre_lint.frontend.project import Project
from spyre_lint.frontend.syntax import Module, walk

MAX_COMBINATIONS = 16
"""Most bindings made from one fixture variant's `params` lists."""

DRIVER_KEYS = ("KERNEL", "SIGNATURE", "CONSTEXPRS", "GRID")

# Keys that together tell a driver entry from any other dict, where it names no kernel.
_TELLING = ({"SIGNATURE", "CONSTEXPRS"}, {"constexpr", "params"})


@dataclass(slots=True)
class _Entry:
    """One driver entry before it becomes a `Driver`: values by key, with the nodes they come from."""

    label: str
    loc: Location
    values: dict[str, Any]
    nodes: dict[str, tuple[Module, nodes.NodeNG, nodes.NodeNG | None]] = field(default_factory=dict)


def drivers_of(project: Project, module: Module) -> list[Driver]:
    """The drivers of one file, in source order; empty where it is none."""
    text = module.text
    if "SIGNATURE" not in text and "KERNEL" not in text and "kernel_fn" not in text:
        return []
    return _Reader(project, module).drivers()


class _Reader:
    """Reads the drivers of one file."""

    def __init__(self, project: Project, module: Module) -> None:
        self.project = project
        self.module = module
        self.machine: Interpreter = interpreter(project)
        self.frame: Frame = self.machine.module_frame(module)

    def drivers(self) -> list[Driver]:
        found: list[Driver] = []
        for table in self._variant_tables():
            entries = list(self._entries(table))
            if any("kernel_fn" in entry.values or "params" in entry.values for entry in entries):
                found += self._fixtures(table, entries)
            else:
                found += [self._driver(entry) for entry in entries]
        if found:
            return found
        names = self.frame.names
        if self._top_level("KERNEL") is not None and self._top_level("SIGNATURE") is not None:
            return [self._driver(self._module_entry())]
        if isinstance(names.get("SIGNATURE"), Table) and isinstance(names.get("CONSTEXPR"), Items):
            return self._wrappers()
        return []

    # ------------------------------------------------------------------ finding entries

    def _variant_tables(self) -> list[Table]:
        """`VARIANTS`, or every module-level dict whose values look like driver entries."""
        names = self.frame.names
        if isinstance(names.get("VARIANTS"), Table):
            return [names["VARIANTS"]] if any(_is_entry(value) for value in names["VARIANTS"].items.values()) else []
        found: list[Table] = []
        for value in names.values():
            fresh = isinstance(value, Table) and value.items and not any(value is other for other in found)
            if fresh and all(_is_entry(item) for item in value.items.values()):
                found.append(value)
        return found

    def _entries(self, table: Table) -> Iterator[_Entry]:
        for key, value in table.items.items():
            for option in options_of(value):
                if isinstance(option, Table) and isinstance(key, str):
                    yield _Entry(key, self._key_location(table, key), option.items, option.nodes)

    def _key_location(self, table: Table, key: Any) -> Location:
        if key in table.nodes:
            module, node, _ = table.nodes[key]
            return module.location(node)
        return self._name_location("VARIANTS") or Location(self.module.path, 1)

    def _top_level(self, name: str) -> Any:
        """The value of a name of the module, assigned or imported; None where there is no such name."""
        if name in self.frame.names:
            return self.frame.names[name]
        found = self.project.resolve(self.module, name) if name in self.module.scope.names else None
        return None if found is None else self.machine.definition(found)

    def _assignment(self, name: str) -> tuple[nodes.NodeNG | None, nodes.NodeNG | None]:
        """The last top-level statement that binds a name, and the value it assigns."""
        for entry in reversed(self.module.scope.names.get(name, [])):
            return entry.node, entry.value
        return None, None

    def _name_location(self, name: str) -> Location | None:
        statement, _ = self._assignment(name)
        if isinstance(statement, nodes.Assign) and statement.targets:
            return self.module.location(statement.targets[0])
        if isinstance(statement, nodes.AnnAssign):
            return self.module.location(statement.target)
        return None if statement is None else self.module.location(statement)

    def _module_entry(self) -> _Entry:
        values: dict[str, Any] = {}
        places: dict[str, tuple[Module, nodes.NodeNG, nodes.NodeNG | None]] = {}
        for name in DRIVER_KEYS:
            found = self._top_level(name)
            if found is not None:
                values[name] = found
                statement, value = self._assignment(name)
                if statement is not None:
                    places[name] = (self.module, statement, value)
        kernel = _kernel_id(values.get("KERNEL"))
        label = _stem(kernel.path if kernel is not None else self.module.path)
        loc = self._name_location("KERNEL") or Location(self.module.path, 1)
        return _Entry(label, loc, values, places)

    # ------------------------------------------------------------------ lowering drivers

    def _driver(self, entry: _Entry) -> Driver:
        kernel = _kernel_id(entry.values.get("KERNEL"))
        places: dict[str, Location] = {}
        signature = self._mapping(entry, "SIGNATURE", "SIGNATURE", places)
        constexprs = self._mapping(entry, "CONSTEXPRS", "CONSTEXPRS", places)
        grid = self._grid(entry, "GRID", kernel, constexprs)
        values = [entry.values.get(key) for key in ("SIGNATURE", "CONSTEXPRS")]
        unread = _unread(*values)
        return Driver(kernel, "driver", entry.label, entry.loc, signature, constexprs, {}, grid, unread, places)

    def _mapping(
        self, entry: _Entry, key: str, prefix: str, places: dict[str, Location], default: Any = None
    ) -> dict[str, HostValue]:
        """A dict of the entry by parameter name, each value with its text and place."""
        value = entry.values.get(key, default)
        for option in options_of(value):
            if isinstance(option, Table):
                return self._table(option, prefix, places, entry.loc)
        return {}

    def _table(
        self, table: Table, prefix: str, places: dict[str, Location], fallback: Location
    ) -> dict[str, HostValue]:
        result: dict[str, HostValue] = {}
        for name, value in table.items.items():
            if not isinstance(name, str):
                continue
            host = to_host(value)
            place, text = fallback, ""
            if name in table.nodes:
                module, node, source = table.nodes[name]
                key_node = node.value if isinstance(node, nodes.Keyword) else node
                places[f"{prefix}.{name}"] = module.location(node)
                place = module.location(source or key_node)
                text = module.source(source or key_node)
            else:
                places.setdefault(f"{prefix}.{name}", fallback)
            result[name] = with_place(host, text, place)
        return result

    def _grid(self, entry: _Entry, key: str, kernel: KernelId | None, constexprs: dict[str, HostValue]) -> Grid | None:
        value = entry.values.get(key)
        if value is None or (isinstance(value, HostValue) and value.is_known and value.value is None):
            return None
        node: nodes.NodeNG | None = None
        module = self.module
        if key in entry.nodes:
            module, _, node = entry.nodes[key]
        found = None if kernel is None else find_kernel(self.project, kernel)
        infos = [] if found is None else [found.info]
        frame = self.machine.module_frame(module)
        meta: dict[str, Any] = dict(constexprs)
        return read_grid(self.machine, frame, value, node if node is not None else module.tree, meta, infos)

    # ------------------------------------------------------------------ fixtures

    def _fixtures(self, table: Table, entries: list[_Entry]) -> list[Driver]:
        by_label = {entry.label: entry for entry in entries}
        found: list[Driver] = []
        for entry in entries:
            merged = self._inherit(entry, by_label)
            found += self._fixture(merged)
        return found

    def _inherit(self, entry: _Entry, by_label: dict[str, _Entry]) -> _Entry:
        """An entry with everything its bases give: a shallow merge, from `base` or else from `default`."""
        chain = [entry]
        while True:
            current = chain[-1]
            base = to_host(current.values["base"]).value if "base" in current.values else None
            name = base if isinstance(base, str) else "default"
            if name not in by_label or by_label[name] in chain:
                break
            chain.append(by_label[name])
        merged = _Entry(entry.label, entry.loc, {}, {})
        for part in reversed(chain):
            merged.values.update(part.values)
            merged.nodes.update(part.nodes)
        return merged

    def _fixture(self, entry: _Entry) -> list[Driver]:
        kernel = _kernel_id(entry.values.get("kernel_fn"))
        places: dict[str, Location] = {}
        signature = self._mapping(entry, "SIGNATURE", "SIGNATURE", places, self.frame.names.get("SIGNATURE"))
        names = hostitems.iterate(entry.values.get("constexpr", NONE)) or []
        constexpr_names = [host.value for host in map(to_host, names) if host.is_known and isinstance(host.value, str)]
        self._list_places(entry, "constexpr", places)
        params = self._mapping(entry, "params", "CONSTEXPRS", places)
        grid_place = entry.values.get("grid")
        given = entry.values.get("SIGNATURE", self.frame.names.get("SIGNATURE"))
        listed = entry.values.get("constexpr")
        unread = _unread(given, listed if hostitems.iterate(listed) is None else entry.values.get("params"))
        found: list[Driver] = []
        combinations = list(itertools.islice(_combine(params), MAX_COMBINATIONS + 1))
        capped = len(combinations) > MAX_COMBINATIONS
        varied = [name for name, value in params.items() if value.is_known and _choices(value.value) > 1]
        for combination in combinations[:MAX_COMBINATIONS]:
            constexprs = {name: combination[name] for name in combination if name in constexpr_names}
            for name in constexpr_names:
                if name not in constexprs:
                    constexprs[name] = unknown("`params` has no value for it")
            args = {name: value for name, value in combination.items() if name not in constexpr_names}
            label = entry.label
            if varied:
                label += "[" + ",".join(f"{name}={combination[name].value}" for name in varied) + "]"
            if capped:
                label += f" (one of the first {MAX_COMBINATIONS})"
            # A fixture that is marked `"parallel": False` is one program, whatever grid its compiler is told.
            alone = to_host(entry.values.get("parallel", known(True))).value is False
            grid = None if grid_place is None or alone else self._grid(entry, "grid", kernel, constexprs)
            driver = Driver(kernel, "fixture", label, entry.loc, signature, constexprs, args, grid, unread, places)
            found.append(driver)
        return found

    def _list_places(self, entry: _Entry, key: str, places: dict[str, Location]) -> None:
        if key in entry.nodes:
            module, _, value = entry.nodes[key]
            for element in getattr(value, "elts", []):
                if isinstance(element, nodes.Const) and isinstance(element.value, str):
                    places[f"CONSTEXPRS.{element.value}"] = module.location(element)

    # ------------------------------------------------------------------ wrappers of traced models

    def _wrappers(self) -> list[Driver]:
        names = self.frame.names
        kernels = self._kernels_referred_to()
        signatures = self._signatures()
        found: list[Driver] = []
        main = next(table for name, table in signatures if name == "SIGNATURE")
        for kernel in kernels:
            params = {param.name for param in kernel.info.params}
            fitting = [(name, table) for name, table in signatures if set(table.items) == params]
            if not fitting and len(kernels) > 1:
                continue
            name, table = next((pair for pair in fitting if pair[1] is main), (fitting or [("SIGNATURE", main)])[0])
            found.append(self._wrapper(kernel, name, table, params, sole=len(kernels) == 1))
        if not found:
            kernel_id = None
            places: dict[str, Location] = {}
            loc = self._name_location("SIGNATURE") or Location(self.module.path, 1)
            signature = self._table(main, "SIGNATURE", places, loc)
            if kernels:  # several, and the signature fits none: it is meant for the first
                kernel_id = kernels[0].info.id
            constexprs = self._constants(names["CONSTEXPR"], places, loc)
            label = kernel_id.name if kernel_id is not None else _stem(self.module.path)
            unread = _unread(None if kernels else main, None if kernels else names["CONSTEXPR"])
            found.append(Driver(kernel_id, "wrapper", label, loc, signature, constexprs, {}, None, unread, places))
        return found

    def _wrapper(self, kernel: Kernel, name: str, table: Table, params: set[str], *, sole: bool) -> Driver:
        places: dict[str, Location] = {}
        loc = self._name_location(name) or Location(self.module.path, 1)
        signature = self._table(table, "SIGNATURE", places, loc)
        constexprs = self._constants(self.frame.names["CONSTEXPR"], places, loc)
        if not sole:
            constexprs = {key: value for key, value in constexprs.items() if key in params}
        args: dict[str, HostValue] = {}
        for param in kernel.info.params:
            if param.name in constexprs or param.is_constexpr:
                continue
            for constant in (param.name, param.name.upper()):
                value = to_host(self.frame.names[constant]) if constant in self.frame.names else None
                if value is not None and value.is_known and isinstance(value.value, int):
                    args[param.name] = with_place(value, constant, self._name_location(constant))
                    break
        entry = _Entry(kernel.info.name, loc, {}, {})
        if "GRID" in self.frame.names:
            statement, node = self._assignment("GRID")
            entry.values["GRID"] = self.frame.names["GRID"]
            if statement is not None:
                entry.nodes["GRID"] = (self.module, statement, node)
        grid = self._grid(entry, "GRID", kernel.info.id, constexprs)
        unread = _unread(table, self.frame.names["CONSTEXPR"])
        name = kernel.info.name
        return Driver(kernel.info.id, "wrapper", name, loc, signature, constexprs, args, grid, unread, places)

    def _constants(self, listed: Items, places: dict[str, Location], fallback: Location) -> dict[str, HostValue]:
        """The values of the constants that a `CONSTEXPR` list names."""
        _, node = self._assignment("CONSTEXPR")
        elements = list(getattr(node, "elts", []))
        result: dict[str, HostValue] = {}
        for position, item in enumerate(listed.items):
            host = to_host(item)
            if not host.is_known or not isinstance(host.value, str):
                continue
            name = host.value
            if position < len(elements):
                places[f"CONSTEXPRS.{name}"] = self.module.location(elements[position])
            if name in self.frame.names:
                _, source = self._assignment(name)
                place = self.module.location(source) if source is not None else fallback
                text = self.module.source(source) if source is not None else name
                result[name] = with_place(to_host(self.frame.names[name]), text, place)
            else:
                result[name] = with_place(unknown(f"the file has no constant `{name}`"), name, fallback)
        return result

    def _signatures(self) -> list[tuple[str, Table]]:
        """Module-level dicts of type names by parameter name; `SIGNATURE` among them."""
        found: list[tuple[str, Table]] = []
        for name, value in self.frame.names.items():
            if isinstance(value, Table) and (name == "SIGNATURE" or "SIG" in name.upper()):
                found.append((name, value))
        return found

    def _kernels_referred_to(self) -> list[Kernel]:
        """Jit functions that the file names, in source order: `triton_kernel.triton_unk_fused_add_0`, or imported."""
        found: dict[KernelId, Kernel] = {}
        for node in walk(self.module.tree):
            if not isinstance(node, (nodes.Attribute, nodes.Name)) or isinstance(node.parent, nodes.Attribute):
                continue
            definition = self.project.resolve(self.module, node)
            if definition is None or definition.kind != "jit" or definition.module is None:
                continue
            assert definition.function is not None
            kernel = KernelId(definition.module.path, qualified_name(definition.function))
            if kernel not in found:
                known = find_kernel(self.project, kernel)
                if known is not None:
                    found[kernel] = known
        return list(found.values())


def _unread(signature: Any, constexprs: Any) -> frozenset[str]:
    """Which parts of an entry may have keys besides those that were read."""
    parts = {"SIGNATURE": signature, "CONSTEXPRS": constexprs}
    return frozenset(name for name, value in parts.items() if not _is_closed(value))


def _is_closed(value: Any) -> bool:
    return isinstance(value, (Table, Items)) and not value.open


def _is_entry(value: Any) -> bool:
    if not isinstance(value, Table):
        return False
    keys = value.items.keys()
    return (
        "KERNEL" in keys
        or "kernel_fn" in keys
        or {"SIGNATURE", "CONSTEXPRS"} <= keys
        or {"constexpr", "params"} <= keys
    )


def _kernel_id(value: Any) -> KernelId | None:
    for option in options_of(value):
        if isinstance(option, HostValue) and isinstance(option.value, KernelId):
            return option.value
    return None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".py")


def _choices(value: Any) -> int:
    return len(value) if isinstance(value, (list, tuple)) else 1


def _combine(params: dict[str, HostValue]) -> Iterator[dict[str, HostValue]]:
    """Every combination of the `params` lists' items, in the order `itertools.product` gives."""
    columns: list[list[HostValue]] = []
    for value in params.values():
        if value.is_known and isinstance(value.value, (list, tuple)):
            columns.append([HostValue("known", item, text=value.text, loc=value.loc) for item in value.value])
        else:
            columns.append([value])
    for row in itertools.product(*columns):
        yield dict(zip(params, row, strict=True))
