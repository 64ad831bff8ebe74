from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from spyre_lint.registry import Registry

MODULE = """
from spyre_lint.findings import Level
from spyre_lint.rules import Rule, check

FIRST = Rule("{0}01", "{1}-one", Level.ERROR, "One.")
SECOND = Rule("{0}02", "{1}-two", Level.WARNING, "Two.")

@check(FIRST, scope="instance")
def one(instance):
    return []

@check(SECOND, FIRST, scope="kernel")
def two(context):
    return []
"""


def write(folder: Path, name: str, source: str | None, page: str | None = "# A title\n\nText.\n") -> None:
    folder.mkdir(exist_ok=True)
    if source is not None:
        (folder / f"{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
    if page is not None:
        (folder / f"{name}.md").write_text(page, encoding="utf-8")


def problem(folder: Path) -> str:
    (error,) = Registry.load(folder).errors
    return error.message


def test_a_folder_is_all_it_takes(tmp_path: Path) -> None:
    write(tmp_path / "c", "late-rule", MODULE.format("SPY4", "late"))
    write(tmp_path / "c", "early-rule", MODULE.format("SPY2", "early"), "No heading.\n")
    write(tmp_path / "c", "_shared", "1 / 0", None)
    got = Registry.load(tmp_path / "c")
    assert got.errors == ()
    assert [check.name for check in got.checks] == [
        "early-rule.one",
        "early-rule.two",
        "late-rule.one",
        "late-rule.two",
    ]
    assert [code for code in got.rules if not code.startswith("SPY9")] == ["SPY201", "SPY202", "SPY401", "SPY402"]
    assert got.rules["SPY402"].invariant == "late-rule"
    assert got.checks[1].rules[0].invariant == "early-rule"
    assert [(each.slug, each.title) for each in got.invariants] == [
        ("early-rule", "early-rule"),
        ("late-rule", "A title"),
    ]
    invariant = got.invariant("late-rule")
    assert invariant is not None
    assert [rule.code for rule in invariant.rules] == ["SPY401", "SPY402"]
    assert invariant.markdown() == "# A title\n\nText.\n"


def test_selectors(tmp_path: Path) -> None:
    write(tmp_path / "c", "late-rule", MODULE.format("SPY4", "late"))
    got = Registry.load(tmp_path / "c")
    assert got.codes("SPY401") == got.codes("late-one") == got.codes("spy401") == {"SPY401"}
    assert got.codes("SPY4") == got.codes("late-rule") == got.codes("SPY40") == {"SPY401", "SPY402"}
    assert got.codes("SPY") == got.codes("ALL") == set(got.rules)
    assert got.codes("SPY7") == got.codes("nothing") == got.codes("") == frozenset()
    assert got.nearest("SPY411") in ("SPY401", "SPY402")
    assert got.nearest("late-onne") == "late-one"
    assert got.nearest("LATE-RULES") == "late-rule"
    assert got.nearest("zzzzzzzz") is None
    found = got.find("Late-Two")
    assert found is not None
    assert found.code == "SPY402"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def f(:", "SyntaxError"),
        ("import no_such_module_anywhere", "ModuleNotFoundError"),
        ("x = 1", "it has no function marked with `check`"),
        (MODULE.format("SPX1", "a"), "the code 'SPX101' is not of the form SPY<three digits>"),
        (MODULE.format("SPY1", "An"), "the name 'An-one' of SPY101 is not in kebab-case"),
        (MODULE.format("SPY9", "a"), "the code SPY901 is taken by syntax-error"),
        (MODULE.replace("{0}02", "{0}01").format("SPY1", "a"), "the code SPY101 is declared twice"),
        (MODULE.replace("{1}-two", "{1}-one").format("SPY1", "a"), "the name a-one of SPY102 is taken by SPY101"),
    ],
)
def test_a_broken_check_is_an_error_and_others_load(tmp_path: Path, source: str, message: str) -> None:
    write(tmp_path / "c", "broken", source)
    write(tmp_path / "c", "sound", MODULE.format("SPY4", "late"))
    got = Registry.load(tmp_path / "c")
    (error,) = got.errors
    assert message in error.message
    assert Path(error.path).name == "broken.py"
    assert {check.rules[0].code for check in got.checks} == {"SPY401", "SPY402"}
    assert {each.slug for each in got.invariants} == {"sound"}


def test_a_check_needs_its_page(tmp_path: Path) -> None:
    write(tmp_path / "c", "bare", MODULE.format("SPY1", "a"), None)
    assert "the page bare.md that documents it is missing" in problem(tmp_path / "c")


def test_codes_and_names_are_unique_over_modules(tmp_path: Path) -> None:
    write(tmp_path / "c", "a", MODULE.format("SPY1", "a"))
    write(tmp_path / "c", "b", MODULE.format("SPY1", "b"))
    assert "the code SPY101 is taken by a-one" in problem(tmp_path / "c")
    # Another folder: rewriting a module within a second can leave Python with the compiled form of the first text.
    write(tmp_path / "d", "a", MODULE.format("SPY1", "a"))
    write(tmp_path / "d", "b", MODULE.format("SPY2", "a"))
    assert "the name a-one of SPY201 is taken by SPY101" in problem(tmp_path / "d")


def test_imported_checks_are_not_collected_twice(tmp_path: Path) -> None:
    write(tmp_path / "c", "a", MODULE.format("SPY1", "a"))
    write(tmp_path / "c", "b", MODULE.format("SPY2", "b") + "from spyre_lint.rules import check as same\nagain = one\n")
    got = Registry.load(tmp_path / "c")
    assert got.errors == ()
    assert [check.name for check in got.checks] == ["a.one", "a.two", "b.one", "b.two"]


def test_the_built_in_checks_load() -> None:
    got = Registry.load()
    assert got.errors == ()
    assert {"SPY901", "SPY903", "SPY904", "SPY905"} <= set(got.rules)
    page = got.invariant("the-tool-itself")
    assert page is not None
    assert "SPY903" in page.markdown()
    assert all(rule.summary.endswith(".") for rule in got.rules.values())
