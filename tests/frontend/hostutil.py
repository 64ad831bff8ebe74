"""Small trees of source text for the tests of the frontend's host side."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

from spyre_lint.frontend.project import Module, Project

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"


@dataclass
class Text:
    """A file that exists only as text."""

    path: str
    text: str


def tree(**files: str) -> Project:
    """A project of files given by name: `a__b` stands for `a/b.py`."""
    return tree_of({name.replace("__", "/") + ".py": text for name, text in files.items()})


def tree_of(files: dict[str, str]) -> Project:
    """A project of files given by path."""
    return Project({path: Text(path, dedent(text)) for path, text in files.items()})


def module(project: Project, path: str) -> Module:
    """A file that must parse."""
    found = project.module(path)
    assert found is not None, project.syntax_errors
    return found
