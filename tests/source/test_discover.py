from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from spyre_lint.config import ConfigResolver
from spyre_lint.registry import Registry
from spyre_lint.source.discover import Discovery, discover
from spyre_lint.source.roles import kernel_gets, launch_gets, role_of


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def find(*paths: str, config: str | None = None) -> Discovery:
    checks = Path("no-checks-here")
    return discover(paths, ConfigResolver(Registry.load(checks), config=config))


def names(found: Discovery) -> list[str]:
    return [file.path for file in found.files]


def test_python_files_in_order(tree: Path) -> None:
    make(tree, {"b.py": "", "a/z.py": "", "a/b/c.py": "", "a/stub.pyi": "", "README.md": "", "a.py/deep.py": ""})
    assert names(find(".")) == ["a.py/deep.py", "a/b/c.py", "a/z.py", "b.py"]


def test_default_excludes_and_virtual_environments(tree: Path) -> None:
    hidden = (
        ".git",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        "build",
        "dist",
        ".tox",
        ".mypy_cache",
        "x.egg-info",
    )
    make(tree, {"a.py": "", **{f"{name}/b.py": "" for name in hidden}, "env7/pyvenv.cfg": "", "env7/b.py": ""})
    assert names(find(".")) == ["a.py"]
    assert names(find("build", "env7/b.py")) == ["build/b.py", "env7/b.py"]


def test_gitignore_rules_nest_and_negate(tree: Path) -> None:
    make(
        tree,
        {
            ".gitignore": "*_gen.py\n/top.py\nskip/\n# comment\n\n",
            "top.py": "",
            "a_gen.py": "",
            "sub/top.py": "",
            "sub/.gitignore": "!keep_gen.py\nlocal.py\n",
            "sub/keep_gen.py": "",
            "sub/other_gen.py": "",
            "sub/local.py": "",
            "skip/a.py": "",
            "sub/skip/b.py": "",
        },
    )
    assert names(find(".")) == ["sub/keep_gen.py", "sub/top.py"]


def test_named_files_and_directories_are_taken_in_spite_of_gitignore(tree: Path) -> None:
    make(tree, {".git/config": "", ".gitignore": "gen/\nb.py\n", "gen/a.py": "", "gen/b.py": "", "b.py": ""})
    assert names(find(".")) == []
    assert names(find("b.py", "gen")) == ["b.py", "gen/a.py", "gen/b.py"]


def test_gitignore_above_the_searched_directory_counts_inside_a_repository(tree: Path) -> None:
    make(tree, {"repo/.git/config": "", "repo/.gitignore": "b.py\n", "repo/pkg/a.py": "", "repo/pkg/b.py": ""})
    make(tree, {"plain/.gitignore": "b.py\n", "plain/pkg/b.py": ""})
    assert names(find("repo/pkg")) == ["repo/pkg/a.py"]
    assert names(find("plain/pkg")) == ["plain/pkg/b.py"]


def test_configured_exclude_holds_for_named_files_too(tree: Path) -> None:
    make(
        tree,
        {
            "spyre-lint.toml": 'exclude = ["gen/", "*_old.py", "!new_old.py"]\n',
            "gen/a.py": "",
            "x_old.py": "",
            "new_old.py": "",
            "b.py": "",
        },
    )
    assert names(find(".")) == ["b.py", "new_old.py"]
    found = find("gen/a.py", "gen", "b.py")
    assert names(found) == ["b.py"]
    assert [notice.split(":")[0] for notice in found.notices] == ["gen/a.py", "gen"]


def test_a_nested_configuration_does_not_undo_the_exclusion_of_its_directory(tree: Path) -> None:
    make(tree, {"spyre-lint.toml": 'exclude = ["gen"]\n', "gen/spyre-lint.toml": "", "gen/a.py": "", "b.py": ""})
    assert names(find(".")) == ["b.py"]


def test_missing_paths_are_problems_and_others_go_on(tree: Path) -> None:
    make(tree, {"a.py": "", "notes.txt": "", "empty/x.txt": ""})
    found = find("gone.py", "a.py", "gone/", "notes.txt", "empty")
    assert names(found) == ["a.py"]
    assert found.problems == ["gone.py: no such file or directory", "gone/: no such file or directory"]
    assert found.notices == ["notes.txt: skipped, not a Python file (*.py)", "empty: no Python files to lint here"]


def test_every_file_once(tree: Path) -> None:
    make(tree, {"a/b.py": "", "a/c.py": ""})
    assert names(find("a/c.py", "a", "./a/b.py", str(tree / "a"))) == ["a/b.py", "a/c.py"]


def test_display_paths_outside_of_the_working_directory(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tree, {"a/b.py": "", "w/x.py": ""})
    monkeypatch.chdir(tree / "w")
    assert names(find("../a", ".", str(tree / "w"))) == ["../a/b.py", "x.py"]


def test_links_are_followed_once_and_never_in_circles(tree: Path) -> None:
    make(tree, {"real/a.py": "", "out/side/b.py": "", "proj/c.py": ""})
    (tree / "proj" / "loop").symlink_to(tree / "proj")
    (tree / "proj" / "aside").symlink_to(tree / "out" / "side")
    (tree / "proj" / "again").symlink_to(tree / "out" / "side")
    (tree / "proj" / "alias.py").symlink_to(tree / "proj" / "c.py")
    (tree / "proj" / "broken.py").symlink_to(tree / "nowhere.py")
    assert names(find("proj")) == ["proj/again/b.py", "proj/c.py"]


def test_a_directory_that_cannot_be_listed_is_a_problem(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tree, {"a.py": "", "shut/b.py": ""})
    real = os.scandir

    def scandir(path: str) -> os._ScandirIterator[str]:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = find(".")
    assert names(found) == ["a.py"]
    assert found.problems == ["shut: permission denied"]


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("/k/softmax/spyre.py", "spyre"),
        ("/k/softmax/spyre_aware.py", "spyre"),
        ("/k/softmax_spyre.py", "spyre"),
        ("/k/anything.py", "spyre"),
        ("/k/softmax/tensor_descriptor.py", "descriptor"),
        ("/k/softmax_td.py", "descriptor"),
        ("/k/models/llama/add/triton_kernel.py", "traced"),
        ("/k/other/triton_kernel.py", "spyre"),
        ("/k/softmax/original.py", "original"),
        ("/k/softmax/block_ptr.py", "deprecated"),
        ("/k/softmax/wrapper.py", "launcher"),
        ("/k/softmax/lower.py", "launcher"),
        ("/k/softmax/meta.py", "launcher"),
    ],
)
def test_default_roles(path: str, role: str) -> None:
    assert role_of(path, path[3:], {}) == role


def test_configured_roles_come_first_and_the_last_match_counts() -> None:
    roles = {"*.py": "descriptor", "gpu/": "original", "gpu/spyre.py": "spyre"}
    assert role_of("/r/a.py", "a.py", roles) == "descriptor"
    assert role_of("/r/gpu/b.py", "gpu/b.py", roles) == "original"
    assert role_of("/r/gpu/spyre.py", "gpu/spyre.py", roles) == "spyre"
    assert role_of("/elsewhere/original.py", "../original.py", roles) == "original"


def test_roles_decide_what_kernels_get() -> None:
    every = (
        "SPY101",
        "SPY201",
        "SPY301",
        "SPY303",
        "SPY401",
        "SPY501",
        "SPY601",
        "SPY701",
        "SPY801",
        "SPY802",
        "SPY803",
    )

    def got(role: str) -> list[str]:
        return [code for code in every if kernel_gets(role, code)]

    assert got("spyre") == list(every)
    assert got("descriptor") == ["SPY101", "SPY201", "SPY601", "SPY801", "SPY803"]
    assert got("traced") == ["SPY101", "SPY201", "SPY301", "SPY401", "SPY601"]
    assert got("original") == got("deprecated") == got("launcher") == []
    assert kernel_gets("original", "SPY901")


def test_roles_decide_what_launches_get() -> None:
    assert launch_gets(["spyre"], "SPY402")
    assert launch_gets(["original", "spyre"], "SPY301")
    assert not launch_gets(["original"], "SPY301")
    assert launch_gets(["traced"], "SPY301")
    assert launch_gets(["traced"], "SPY807")
    assert not launch_gets(["traced"], "SPY302")
    assert not launch_gets(["descriptor"], "SPY604")
    assert not launch_gets(["spyre"], "SPY101")
    assert not launch_gets([], "SPY301")
