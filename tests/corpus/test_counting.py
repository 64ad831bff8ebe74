"""The independent counter itself, on sources small enough to count by eye."""

from __future__ import annotations

from pathlib import Path

from tests.corpus.counting import jit_functions

SOURCE = """\
import functools
import triton
import triton.language as tl
import triton as tr
from triton import jit as compiled, language
from triton.experimental import gluon
from triton.language import load
import torch


@triton.jit
def plain(p):
    return tl.load(p)


@functools.cache
@tr.jit(do_not_specialize=["n"])
def called(p, n):
    language.store(p + n, 0)


@compiled
def renamed(p):
    b = tl.make_block_ptr(p, (1,), (1,), (0,), (1,), (0,))
    c = tl.advance(b, (1,))
    return tl.load(c)


class Holder:
    @triton.jit()
    def method(p):
        tl.atomic_add(p, 1)


def outer():
    @gluon.jit
    def inner(p):
        return load(p)

    def assigned(p):
        d = tl.make_tensor_descriptor(p, [1], [1], [1])
        return d.load([0])

    return inner, triton.jit(assigned)


@torch.jit.script
def other(p):
    return tl.load(p)


def no_kernel():
    text = "@triton.jit"
    return text
"""


def test_every_spelling_is_counted_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(SOURCE, encoding="utf-8")
    functions = jit_functions(path, "k.py")
    assert [(function.name, function.pointer_access) for function in functions] == [
        ("plain", True),
        ("called", True),
        ("renamed", False),
        ("method", True),
        ("inner", True),
        ("assigned", False),
    ]
    lines = SOURCE.splitlines()
    assert [lines[function.line - 1].split("(")[0].split()[-1] for function in functions] == [
        function.name for function in functions
    ]


def test_a_file_that_does_not_parse_has_none(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("@triton.jit\ndef (:\n", encoding="utf-8")
    assert jit_functions(path, "k.py") == []
