"""Prints kernel IR for people: one operation per line, names as the author wrote them, source lines on the right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spyre_lint.ir.core import Block, KernelIR, Op, Value

_INDENT = "  "
_SOURCE_COLUMN = 88


def print_kernel(ir: KernelIR) -> str:
    """The IR of a kernel as text; ends with a newline."""
    printer = _Printer()
    return "\n".join(printer.kernel(ir)) + "\n"


class _Printer:
    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._taken: dict[str, int] = {}

    def name(self, value: Value) -> str:
        """A short name of a value, unique in the kernel."""
        if value not in self._names:
            base = value.name or ""
            count = self._taken.get(base, 0)
            self._taken[base] = count + 1
            if not base:
                self._names[value] = f"%{count}"
            else:
                self._names[value] = f"%{base}" if count == 0 else f"%{base}.{count}"
        return self._names[value]

    def kernel(self, ir: KernelIR) -> Iterator[str]:
        params = []
        for param in ir.params:
            if param.role == "constexpr":
                shown = repr(param.bound) if param.is_bound else "open"
                params.append(f"{param.name}: constexpr = {shown}")
            elif param.value is not None:
                params.append(f"{self.name(param.value)}: {param.value.type}")
        yield f"kernel {ir.name}({', '.join(params)})  # {ir.loc}"
        yield from self.block(ir.body, 1)
        for item in ir.incomplete:
            yield f"# not followed at {item.loc}: {item.reason}"

    def block(self, block: Block, depth: int) -> Iterator[str]:
        for op in block.ops:
            yield from self.op(op, depth)

    def op(self, op: Op, depth: int) -> Iterator[str]:
        results = ", ".join(self.name(r) for r in op.results)
        types = ", ".join(str(r.type) for r in op.results)
        left = f"{results} = " if results else ""
        right = f" : {types}" if types else ""
        text = f"{_INDENT * depth}{left}{_mnemonic(op)}{self.operands(op)}{_attributes(op)}{right}"
        yield f"{text.ljust(_SOURCE_COLUMN)}  # {op.loc.line}" + (f" via {_calls(op)}" if op.stack else "")
        for index, region in enumerate(op.regions):
            label = _region_label(op, index)
            args = ", ".join(f"{self.name(a)}: {a.type}" for a in region.args)
            yield f"{_INDENT * depth}{label}({args}):" if args else f"{_INDENT * depth}{label}:"
            yield from self.block(region, depth + 1)

    def operands(self, op: Op) -> str:
        parts = []
        for group, (start, end) in op.groups.items():
            values = ", ".join(self.name(v) for v in op.operands[start:end])
            if group in ("args", "value", "values"):
                parts.append(values)
            elif end > start:
                parts.append(f"{group}=[{values}]" if end - start > 1 or group in _LISTS else f"{group}={values}")
        return f"({', '.join(p for p in parts if p)})"


_LISTS = frozenset({"shape", "strides", "offsets", "init"})
_HIDDEN = frozenset(
    {"fn", "keywords", "spelling", "api", "runtime_block_dims", "block_exprs", "unread", "whole", "places"}
)


def _mnemonic(op: Op) -> str:
    return f"{op.opcode}.{op.fn}" if op.fn else op.opcode


def _attributes(op: Op) -> str:
    shown = {k: v for k, v in op.attrs.items() if k not in _HIDDEN and v not in (None, False, (), "")}
    if op.opcode == "const":
        return f" {_plain(op.attrs.get('value'))}"
    return f" {{{', '.join(f'{k}={_plain(v)}' for k, v in shown.items())}}}" if shown else ""


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_plain(v) for v in value)}]"
    return str(value)


def _calls(op: Op) -> str:
    return " > ".join(str(loc.line) for loc in op.stack)


def _region_label(op: Op, index: int) -> str:
    labels = {"if": ("then", "else"), "while": ("while", "do"), "for": ("do",)}
    names = labels.get(op.opcode, ("body",))
    return names[index] if index < len(names) else f"region {index}"
