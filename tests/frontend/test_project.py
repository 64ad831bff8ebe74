from __future__ import annotations

import pytest
from astroid import nodes

from spyre_lint.findings import Location
from spyre_lint.frontend.project import Project
from tests.frontend.hostutil import Text, module, tree_of


def names_of_calls(project: Project, path: str) -> list[str | None]:
    found = module(project, path)
    return [project.canonical(found, call.func) for call in found.calls if isinstance(call, nodes.Call)]


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import triton.language as tl", "tl.load(p)"),
        ("import triton", "triton.language.load(p)"),
        ("from triton import language", "language.load(p)"),
        ("from triton import language as lang", "lang.load(p)"),
        ("from triton.language import load", "load(p)"),
        ("from triton.language import load as ld", "ld(p)"),
        ("from triton.language.core import load", "load(p)"),
        ("import triton.language.core as c", "c.load(p)"),
        ("from triton.language import *", "load(p)"),
        ("import triton.language as tl\nload = tl.load", "load(p)"),
        ("try:\n    import triton.language as tl\nexcept ImportError:\n    tl = None", "tl.load(p)"),
        ("import os, triton.language as tl\nif os.getenv('X'):\n    load = 1\nelse:\n    load = tl.load", "load(p)"),
    ],
)  # fmt: skip
def test_every_spelling_has_one_name(imports: str, call: str) -> None:
    project = tree_of({"k.py": f"{imports}\ndef f(p):\n    return {call}\n"})
    assert "triton.language.load" in names_of_calls(project, "k.py")


def test_local_import_and_local_alias() -> None:
    project = tree_of(
        {
            "k.py": "def f(p):\n    import triton.language as tl\n    ld = tl.load\n    return ld(p) + g(p)\n"
            "def g(tl): tl.load(1)\n"
        }
    )
    assert names_of_calls(project, "k.py") == ["triton.language.load", None, None]


def test_math_functions_are_those_of_the_language() -> None:
    project = tree_of({"k.py": "import triton.language as tl\nx = tl.math.exp(1)\ny = tl.math.foo(1)\n"})
    assert names_of_calls(project, "k.py") == ["triton.language.exp", "triton.language.math.foo"]


def test_a_parameter_hides_a_global() -> None:
    project = tree_of({"k.py": "from triton.language import load\ndef f(load):\n    return load(1)\n"})
    assert names_of_calls(project, "k.py") == [None]


def test_a_default_is_looked_up_outside_the_function() -> None:
    project = tree_of({"k.py": "BLOCK = 4\ndef f(BLOCK=BLOCK):\n    return BLOCK\n"})
    k = module(project, "k.py")
    function = k.tree.body[1]
    outside = project.resolve(k, function.args.defaults[0])
    assert outside is not None
    assert outside.kind == "constant"
    assert project.resolve(k, function.body[0].value) is None


@pytest.mark.parametrize(
    ("importer", "statement", "target"),
    [
        ("pkg/ops/a.py", "from .b import helper", "pkg/ops/b.py"),
        ("pkg/ops/a.py", "from ..util import helper", "pkg/util.py"),
        ("pkg/ops/a.py", "from pkg.util import helper", "pkg/util.py"),
        ("pkg/ops/a.py", "from ..sub import helper", "pkg/sub/impl.py"),
        ("pkg/ops/a.py", "from pkg.stars import helper", "pkg/util.py"),
        ("tests/t.py", "from pkg.util import helper", "pkg/util.py"),
        ("pkg/ops/a.py", "import pkg.util\nhelper = pkg.util.helper", "pkg/util.py"),
        ("pkg/ops/a.py", "from . import b\nhelper = b.helper", "pkg/ops/b.py"),
        ("pkg/ops/a.py", "import pkg.util as u\nhelper = u.helper", "pkg/util.py"),
    ],
)
def test_imports_lead_to_files_of_the_tree(importer: str, statement: str, target: str) -> None:
    body = "def helper(): pass\n"
    files = {
        "pkg/__init__.py": "",
        "pkg/util.py": body,
        "pkg/ops/__init__.py": "",
        "pkg/ops/b.py": body,
        "pkg/sub/__init__.py": "from .impl import helper\n",
        "pkg/sub/impl.py": body,
        "pkg/stars.py": "from .util import *\n",
        importer: statement + "\n",
    }
    project = tree_of(files)
    found = project.resolve(module(project, importer), "helper")
    assert found is not None
    assert (found.kind, found.module and found.module.path) == ("function", target)


def test_the_nearest_of_several_files_is_meant() -> None:
    files = {f"{top}/kernels/util.py": f"WHO = {top!r}\n" for top in ("one", "two")}
    project = tree_of({**files, "two/kernels/lower.py": "from kernels.util import WHO\n"})
    found = project.resolve(module(project, "two/kernels/lower.py"), "WHO")
    assert found is not None
    assert found.module is not None
    assert found.module.path == "two/kernels/util.py"


def test_a_package_root_above_what_the_paths_show() -> None:
    project = tree_of({"lower.py": "from kernels.rms_norm.spyre import k\n", "spyre.py": "k = 1\n"})
    found = project.resolve(module(project, "lower.py"), "k")
    assert found is not None
    assert found.kind == "constant"


def test_a_copy_of_triton_in_the_tree_changes_nothing() -> None:
    project = tree_of(
        {"triton/language/__init__.py": "def load(): pass\n", "k.py": "import triton.language as tl\ntl.load(1)\n"}
    )
    assert names_of_calls(project, "k.py") == ["triton.language.load"]


def test_a_file_that_was_not_listed_is_located() -> None:
    asked: list[str] = []

    def locate(path: str) -> str | None:
        asked.append(path)
        return "BLOCK = 128\n" if path == "dir/utils.py" else None

    text = "from .utils import BLOCK\nfrom nowhere.at_all import X\nimport torch.nn\n"
    project = Project({"dir/k.py": Text("dir/k.py", text)}, locate=locate)
    found = project.resolve(module(project, "dir/k.py"), "BLOCK")
    assert found is not None
    assert found.module is not None
    assert found.module.path == "dir/utils.py"
    assert project.located == ["dir/utils.py"]
    missing = project.resolve(module(project, "dir/k.py"), "X")
    assert missing is not None
    assert (missing.kind, missing.name) == ("external", "nowhere.at_all.X")
    assert not any("torch" in path for path in asked)


def test_undecided_conditions_give_alternatives() -> None:
    source = """
        import triton.language as tl
        from elsewhere import FLAG
        if FLAG:
            exp = tl.exp
        else:
            exp = tl.exp2
        if True:
            log = tl.log
        else:
            log = tl.log2
    """
    project = tree_of({"k.py": source})
    k = module(project, "k.py")
    exp, log = project.resolve(k, "exp"), project.resolve(k, "log")
    assert exp is not None
    assert [option.name for option in exp.candidates] == ["triton.language.exp", "triton.language.exp2"]
    assert log is not None
    assert (log.name, log.is_ambiguous) == ("triton.language.log", False)


def test_import_cycles_end() -> None:
    project = tree_of({"a.py": "from b import x\nfrom b import *\n", "b.py": "from a import x\nfrom a import *\n"})
    for name in ("x", "y"):
        found = project.resolve(module(project, "a.py"), name)
        assert found is None or found.kind == "external"


@pytest.mark.parametrize(
    ("text", "message"),
    [("def f(:\n", "invalid syntax"), ("x = '\0'\n", "null"), ("x = " + "(" * 400 + ")" * 400, "")],
)
def test_what_does_not_parse_is_a_syntax_error(text: str, message: str) -> None:
    project = tree_of({"bad.py": text, "good.py": "x = 1\n"})
    assert project.module("bad.py") is None
    assert message in project.syntax_errors["bad.py"].message
    assert project.syntax_errors["bad.py"].line >= 1
    assert module(project, "good.py").path == "good.py"


def test_columns_count_characters() -> None:
    project = tree_of({"k.py": "é = 'größe'; value = call(1)\n"})
    k = module(project, "k.py")
    (call,) = k.calls
    assert k.location(call) == Location("k.py", 1, 22, 1, 29)
    assert k.source(call) == "call(1)"


def test_the_range_of_a_function_name() -> None:
    project = tree_of({"k.py": "@dec\ndef  kernel(a,\n    b): pass\n"})
    k = module(project, "k.py")
    assert k.name_location(k.tree.body[0]) == Location("k.py", 2, 6, 2, 12)
