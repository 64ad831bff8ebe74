from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from spyre_lint.config import ConfigError, Overrides
from spyre_lint.engine import RunOptions, check_paths
from spyre_lint.findings import Level, Verdict
from spyre_lint.output.json_ import as_object
from spyre_lint.report import Report
from tests.fakes import COPY, HEADER, fake_checks, write_tree


@pytest.fixture
def checks(tmp_path: Path) -> Path:
    return fake_checks(tmp_path / "checks")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tree"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


class Linter:
    """Lints the tree at the working directory with the fake checks."""

    def __init__(self, root: Path, checks: Path) -> None:
        self.root = root
        self.checks = checks

    def __call__(
        self,
        files: dict[str, str] | None = None,
        *paths: str,
        jobs: int = 1,
        config: str | None = None,
        overrides: Overrides | None = None,
    ) -> Report:
        write_tree(self.root, files or {})
        options = RunOptions(overrides or Overrides(), config, jobs, str(self.checks))
        return check_paths(paths or (".",), options)


@pytest.fixture
def lint(root: Path, checks: Path) -> Linter:
    return Linter(root, checks)


def found(report: Report) -> list[str]:
    return [f"{f.code}@{f.location.path}:{f.location.line}" for f in report.findings]


RUN_IT = "\ndef run(x, y, n):\n    copy[(4,)](x, y, n, BLOCK=64)\n"


def test_kernels_of_a_file(lint: Linter) -> None:
    report = lint({"a.py": COPY + RUN_IT})
    assert found(report) == ["SPY101@a.py:8", "SPY102@a.py:9"]
    first = report.findings[0]
    assert (first.name, first.level, first.verdict, first.kernel) == ("raw-load", Level.ERROR, Verdict.VIOLATED, "copy")
    assert (first.message, first.help, first.binding) == ("a raw load", "use a descriptor", None)
    summary = report.summary
    assert (summary.files, summary.kernels, summary.suppressed, summary.hidden) == (1, 1, 0, 0)
    assert dict(summary.levels) == {"note": 0, "warning": 1, "error": 1}
    assert dict(summary.verdicts) == {"violated": 2, "unproven": 0}
    assert [(k.path, k.name, k.role, k.checked) for k in report.kernels] == [("a.py", "copy", "spyre", True)]
    assert (report.failing, report.exit_status) == (1, 1)
    assert report.source_line("a.py", 8) == "    x = tl.load(x_ptr + offsets)"
    assert report.source_line("a.py", 999) == report.source_line("gone.py", 1) == ""
    assert [rule.code for rule in report.rules][:3] == ["SPY101", "SPY102", "SPY201"]
    assert [each.slug for each in report.invariants] == ["memory", "sizes", "host"]


def test_kernels_with_one_name_are_all_there(lint: Linter) -> None:
    second = (
        COPY.split("\n\n\n")[1].replace("    x = tl.load(x_ptr + offsets)", "    x = offsets").replace("\n", "\n    ")
    )
    report = lint({"a.py": COPY + "\nif OTHER:\n    " + second + "\n"})
    assert [(entry.name, entry.line) for entry in report.kernels] == [("copy", 6), ("copy", 13)]
    assert [each for each in found(report) if "SPY10" in each] == ["SPY101@a.py:8", "SPY102@a.py:9", "SPY102@a.py:16"]


def test_a_tree_without_kernels_is_clean(lint: Linter) -> None:
    report = lint({"a.py": "x = 1\n", "b.py": "import triton\n"})
    assert report.findings == ()
    assert (report.summary.files, report.summary.kernels, report.exit_status) == (2, 0, 0)


def test_nothing_is_imported_or_run(lint: Linter, root: Path) -> None:
    marker = root / "ran"
    report = lint({"a.py": f"open({str(marker)!r}, 'w')\n" + COPY})
    assert report.summary.kernels == 1
    assert not marker.exists()


def test_bindings_settle_what_is_open(lint: Linter) -> None:
    unbound = lint({"a.py": COPY})
    assert "SPY201@a.py:6" in found(unbound)
    (open_,) = [f for f in unbound.findings if f.code == "SPY201"]
    assert (open_.verdict, open_.level) == (Verdict.UNPROVEN, Level.NOTE)
    bound = lint({"run.py": "from a import copy\ndef run(x, y, n):\n    copy[(4,)](x, y, n, BLOCK=64)\n"})
    assert "SPY201@a.py:6" not in found(bound)
    small = lint({"run.py": "from a import copy\ndef run(x, y, n):\n    copy[(4,)](x, y, n, BLOCK=4)\n"})
    (wrong,) = [f for f in small.findings if f.code == "SPY201"]
    assert (wrong.message, wrong.binding, wrong.evidence) == ("BLOCK is 4", "run.py:3", {"block": 4})
    # the cause silences what tells of it
    assert "SPY102@a.py:9" not in found(small)


def test_bindings_of_the_configuration_and_the_command_line(lint: Linter) -> None:
    lint({"a.py": COPY, "spyre-lint.toml": '[bindings."a.py::copy"]\nconstexprs = {BLOCK = 4}\n'})
    (wrong,) = [f for f in lint().findings if f.code == "SPY201"]
    assert wrong.binding == "a.py::copy"
    report = lint(overrides=Overrides(constexprs={"BLOCK": 2}))
    (wrong,) = [f for f in report.findings if f.code == "SPY201"]
    assert wrong.message == "BLOCK is 2"


def test_what_is_configured_for_no_kernel_is_a_problem(lint: Linter) -> None:
    config = '[bindings."a.py::cpoy"]\nargs = {n = 1}\n[bindings."a.py::copy"]\nconstexprs = {BLCK = 4}\n'
    report = lint({"a.py": COPY, "spyre-lint.toml": config}, overrides=Overrides(dtypes={"xptr": "*fp16"}))
    assert report.problems == (
        'spyre-lint.toml: bindings."a.py::cpoy": a.py has no kernel cpoy (did you mean copy?)',
        'spyre-lint.toml: bindings."a.py::copy": no parameter BLCK in copy (did you mean BLOCK?)',
        "--dtype: no linted kernel has a parameter xptr (did you mean x_ptr?)",
    )
    assert report.exit_status == 2
    assert "SPY101@a.py:8" in found(report)


def test_a_helper_is_reported_once_at_its_own_line(lint: Linter) -> None:
    helper = HEADER + "@triton.jit\ndef read(p):\n    return tl.load(p)\n"
    kernel = (
        "from h import read\n"
        + HEADER
        + "@triton.jit\ndef {name}(x_ptr, y_desc):\n    y_desc.store([0], read(x_ptr))\n"
    )
    report = lint({"h.py": helper, "k1.py": kernel.format(name="one"), "k2.py": kernel.format(name="two")})
    loads = [f for f in report.findings if f.code == "SPY101"]
    assert [(f.location.path, f.location.line, f.kernel) for f in loads] == [("h.py", 7, "one")]
    assert {(each.location.path, each.location.line) for each in loads[0].related} == {("k1.py", 8), ("k2.py", 8)}
    by_name = {entry.name: entry for entry in report.kernels}
    assert (by_name["read"].is_helper, by_name["read"].checked) == (True, False)


def test_a_helper_in_an_unlisted_file_is_followed(lint: Linter) -> None:
    helper = HEADER + "@triton.jit\ndef read(p):\n    return tl.load(p)\n"
    kernel = (
        "from h import read\n" + HEADER + "@triton.jit\ndef one(x_ptr, y_desc):\n    y_desc.store([0], read(x_ptr))\n"
    )
    report = lint({"h.py": helper, "k.py": kernel}, "k.py")
    assert "SPY101@h.py:7" in found(report)
    assert report.summary.files == 1
    assert [entry.name for entry in report.kernels] == ["one"]
    suppressed = lint({"h.py": helper.replace("(p)\n", "(p)  # spyre-lint: ignore[SPY101]\n")}, "k.py")
    assert "SPY101@h.py:7" not in found(suppressed)
    assert suppressed.summary.suppressed == 1


def test_launches_by_the_role_of_their_kernel(lint: Linter) -> None:
    run = "from {0} import copy\ndef run(x, y, n):\n    copy[(64,)](x, y, n, BLOCK=64)\n"
    files = {"d/original.py": COPY, "d/spyre.py": COPY, "d/a.py": run.format("original"), "d/b.py": run.format("spyre")}
    report = lint(files)
    assert [each for each in found(report) if "SPY301" in each] == ["SPY301@d/b.py:3"]
    assert {f.location.path for f in report.findings if f.code == "SPY101"} == {"d/spyre.py"}
    assert [(k.path, k.checked) for k in report.kernels] == [("d/original.py", False), ("d/spyre.py", True)]


DRIVER = """
from spyre import copy
VARIANTS = {
    "spyre": {
        "KERNEL": copy,
        "SIGNATURE": {"x_ptr": "*fp16", "y_ptr": "*fp16", "n": "i32"},
        "CONSTEXPRS": {"BLOCK": 4},
        "GRID": [64, 1, 1],
    },
}
"""


def test_drivers_bind_kernels_also_where_only_the_kernel_is_linted(lint: Linter) -> None:
    whole = lint({"d/spyre.py": COPY, "d/lower.py": DRIVER})
    (small,) = [f for f in whole.findings if f.code == "SPY201"]
    assert (small.message, small.binding) == ("BLOCK is 4", "spyre")
    assert [each for each in found(whole) if "SPY301" in each] == ["SPY301@d/lower.py:8"]
    alone = lint({}, "d/spyre.py")
    assert [f.with_(fingerprint="") for f in alone.findings] == [
        f.with_(fingerprint="") for f in whole.findings if f.location.path == "d/spyre.py"
    ]
    assert alone.summary.files == 1


def test_file_checks(lint: Linter) -> None:
    report = lint({"bad.py": COPY + RUN_IT, "bad/original.py": COPY, "x/bad.py": "x = 1\n"})
    assert [f.message for f in report.findings if f.code == "SPY801"] == [
        "a bad name for 1 kernels",
        "a bad name for 0 kernels",
    ]


def test_files_that_cannot_be_read_do_not_stop_the_run(lint: Linter, root: Path) -> None:
    (root / "bytes.py").write_bytes(b"x = '\xff'\n")
    (root / "null.py").write_bytes(b"import triton\nx = 1\0\n")
    report = lint({
        "a.py": COPY, "broken.py": "import triton\ndef f(:\n", "plain.py": "x = = 1\n",
        "deep.py": "x = " + "(" * 500 + ")" * 500 + "\n",
    })  # fmt: skip
    errors = [f for f in report.findings if f.code == "SPY901"]
    assert [(f.location.path, f.location.line) for f in errors] == [
        ("broken.py", 2), ("bytes.py", 1), ("deep.py", 1), ("null.py", errors[3].location.line), ("plain.py", 1),
    ]  # fmt: skip
    assert all(f.level is Level.ERROR and f.message for f in errors)
    assert "SPY101@a.py:8" in found(report)
    assert report.exit_status == 1


def test_a_file_that_is_too_large_is_said_to_be(lint: Linter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spyre_lint.source.files.MAX_BYTES", 100)
    report = lint({"big.py": COPY})
    (finding,) = report.findings
    assert (finding.code, finding.verdict, finding.level) == ("SPY901", Verdict.UNPROVEN, Level.NOTE)
    assert report.exit_status == 0
    assert lint(overrides=Overrides(strict=True)).exit_status == 1


def test_a_check_that_raises_is_named_and_the_rest_goes_on(lint: Linter) -> None:
    text = COPY.replace("def copy", "def explode")
    report = lint({"a.py": text, "b.py": COPY})
    (failure,) = [f for f in report.findings if f.code == "SPY905"]
    assert (failure.location.path, failure.kernel) == ("a.py", "explode")
    assert "the check host.crash of kernel `explode` failed: RuntimeError: boom (host.py:" in failure.message
    assert {"SPY101@a.py:8", "SPY101@b.py:8"} <= set(found(report))
    assert (report.internal_errors, report.exit_status) == (True, 2)


def test_lowering_that_raises_is_named(lint: Linter, monkeypatch: pytest.MonkeyPatch) -> None:
    import spyre_lint.frontend.lower as lower

    real = lower.lower_kernel

    def lower_kernel(project, kernel, binding=None):  # type: ignore[no-untyped-def]
        if kernel.info.name == "explode":
            raise KeyError("x")
        return real(project, kernel, binding)

    monkeypatch.setattr(lower, "lower_kernel", lower_kernel)
    report = lint({"a.py": COPY.replace("def copy", "def explode"), "b.py": COPY})
    (failure,) = [f for f in report.findings if f.code == "SPY905"]
    assert "lowering the kernel `explode` failed: KeyError: 'x'" in failure.message
    assert "SPY101@b.py:8" in found(report)
    assert report.exit_status == 2


def test_a_check_that_does_not_load(lint: Linter, checks: Path) -> None:
    (checks / "broken.py").write_text("1 / 0\n", encoding="utf-8")
    report = lint({"a.py": COPY + RUN_IT})
    assert [f.code for f in report.findings] == ["SPY905", "SPY101", "SPY102"]
    assert "the check could not be loaded: ZeroDivisionError: division by zero" in report.findings[0].message
    assert report.exit_status == 2


def test_what_could_not_be_followed_is_told_per_place(lint: Linter) -> None:
    text = HEADER + "from elsewhere import mystery\n\n@triton.jit\ndef k(x_ptr):\n    tl.store(x_ptr, mystery(x_ptr))\n"
    report = lint({"a.py": text})
    (gap,) = [f for f in report.findings if f.code == "SPY904"]
    assert (gap.location.line, gap.verdict, gap.level, gap.kernel) == (9, Verdict.UNPROVEN, Level.NOTE, "k")
    assert "mystery" in gap.message


# ---------------------------------------------------------------------- suppressions


def test_suppressions_by_code_and_name(lint: Linter) -> None:
    text = COPY.replace("+ offsets)\n", "+ offsets)  # spyre-lint: ignore[SPY101]\n", 1).replace(
        "    tl.store", "    # spyre-lint: ignore[raw-store] reason\n    tl.store"
    )
    report = lint({"a.py": text + RUN_IT})
    assert found(report) == []
    assert (report.summary.suppressed, report.exit_status) == (2, 0)


def test_a_suppression_reaches_its_statement_only(lint: Linter) -> None:
    text = COPY.replace("    x = tl.load", "    # spyre-lint: ignore[SPY101, SPY102]\n    x = tl.load") + RUN_IT
    report = lint({"a.py": text})
    assert found(report) == ["SPY903@a.py:8", "SPY102@a.py:10"]
    assert report.findings[0].message == "SPY102 (raw-store) has no finding here to suppress"
    assert report.findings[0].location.column == 34


def test_ignore_file(lint: Linter) -> None:
    report = lint({"a.py": "# spyre-lint: ignore-file[raw-load, SPY102]\n" + COPY + RUN_IT})
    assert found(report) == []
    late = lint({"a.py": COPY + "\n" * 12 + "# spyre-lint: ignore-file[SPY101]\n" + RUN_IT})
    assert found(late) == ["SPY101@a.py:8", "SPY102@a.py:9", "SPY903@a.py:22"]
    assert late.findings[2].level is Level.ERROR


@pytest.mark.parametrize(
    ("comment", "level", "message"),
    [
        ("ignore", Level.ERROR, "`ignore` names no rule, and so suppresses nothing"),
        ("ignore[]", Level.ERROR, "`ignore` names no rule, and so suppresses nothing"),
        ("ignore-file", Level.ERROR, "`ignore-file` names no rule, and so suppresses nothing"),
        ("ignore[SPY101", Level.ERROR, "the list of `ignore` is not closed by `]`"),
        ("ingore[SPY101]", Level.ERROR, "`ingore` is no directive of spyre-lint; did you mean `ignore`?"),
        ("ignore[SPY1O1]", Level.WARNING, "`SPY1O1` is no rule's code or name; did you mean `SPY101`?"),
        ("ignore[raw-laod]", Level.WARNING, "`raw-laod` is no rule's code or name; did you mean `raw-load`?"),
        ("ignore[SPY1]", Level.WARNING, "`SPY1` is a prefix of codes, and a comment suppresses single rules only"),
        ("ignore[SPY301]", Level.WARNING, "SPY301 (big-grid) has no finding here to suppress"),
        ("ignore-file[SPY301]", Level.WARNING, "SPY301 (big-grid) has no finding in this file to suppress"),
    ],
)
def test_comments_that_do_nothing(lint: Linter, comment: str, level: Level, message: str) -> None:
    report = lint({"a.py": f"x = 1  # spyre-lint: {comment}\n"})
    (finding,) = report.findings
    assert (finding.code, finding.level, finding.message) == ("SPY903", level, message)
    assert finding.location.line == 1


def test_a_code_listed_twice(lint: Linter) -> None:
    text = COPY.replace("+ offsets)\n", "+ offsets)  # spyre-lint: ignore[SPY101, raw-load]\n", 1)
    report = lint({"a.py": text + RUN_IT})
    assert [f.message for f in report.findings if f.code == "SPY903"] == ["SPY101 (raw-load) is listed twice"]


def test_suppressions_are_not_judged_where_checking_failed(lint: Linter) -> None:
    text = COPY.replace("def copy", "def explode").replace("\n\n\n", "\n\nX = 1  # spyre-lint: ignore[SPY201]\n", 1)
    report = lint({"a.py": text, "b.py": "def f(:  # spyre-lint: ignore[SPY201]\n"})
    assert [f.code for f in report.findings if f.code.startswith("SPY9")] == ["SPY905", "SPY901"]


# ---------------------------------------------------------------------- selection and levels


def test_select_and_ignore(lint: Linter) -> None:
    lint({"a.py": COPY + RUN_IT})
    selected = lint(overrides=Overrides(select=("SPY102",)))
    assert (found(selected), selected.summary.hidden, selected.exit_status) == (["SPY102@a.py:9"], 1, 0)
    ignored = lint(overrides=Overrides(ignore=("memory",)))
    assert (found(ignored), ignored.summary.hidden) == ([], 2)


def test_selection_does_not_make_suppressions_unused(lint: Linter) -> None:
    text = COPY.replace("+ offsets)\n", "+ offsets)  # spyre-lint: ignore[SPY101]\n", 1)
    report = lint({"a.py": text + RUN_IT}, overrides=Overrides(select=("SPY102", "SPY903")))
    assert found(report) == ["SPY102@a.py:9"]


def test_unread_files_stay_visible_under_select(lint: Linter) -> None:
    report = lint({"a.py": "def f(:\n"}, overrides=Overrides(select=("SPY101",)))
    assert found(report) == ["SPY901@a.py:1"]
    assert found(lint(overrides=Overrides(ignore=("SPY901",)))) == []


def test_internal_errors_cannot_be_ignored(lint: Linter) -> None:
    text = "# spyre-lint: ignore-file[SPY905]\n" + COPY.replace("def copy", "def explode")
    report = lint({"a.py": text}, overrides=Overrides(ignore=("SPY",)))
    assert [f.code for f in report.findings] == ["SPY905"]


def test_unknown_selectors(lint: Linter) -> None:
    with pytest.raises(ConfigError, match=r"^--select: 'raw-laod' is no rule code.*did you mean raw-load"):
        lint({"a.py": COPY}, overrides=Overrides(select=("raw-laod",)))
    with pytest.raises(ConfigError, match="--ignore"):
        lint(overrides=Overrides(ignore=("X",)))


def test_per_path_and_severity(lint: Linter) -> None:
    config = """
        [severity]
        raw-load = "note"
        small-block = "error"
        [per-path."old/"]
        ignore = ["SPY1"]
        [per-path."old/new.py"]
        select = ["raw-store"]
    """
    report = lint({"spyre-lint.toml": config, "a.py": COPY, "old/b.py": COPY, "old/new.py": COPY})
    levels = {(f.code, f.location.path): f.level for f in report.findings}
    assert levels[("SPY101", "a.py")] is Level.NOTE
    assert levels[("SPY102", "a.py")] is Level.WARNING
    # an unproven finding is not raised
    assert levels[("SPY201", "a.py")] is Level.NOTE
    assert {code for code, path in levels if path == "old/b.py"} == {"SPY201", "SPY302"}
    assert {code for code, path in levels if path == "old/new.py"} == set()


def test_settings_are_those_of_the_file(lint: Linter) -> None:
    report = lint({"x/spyre-lint.toml": "fail-on = 'warning'\nselect = ['SPY102']\n", "x/a.py": COPY, "a.py": ""})
    assert (found(report), report.failing, report.exit_status) == (["SPY102@x/a.py:9"], 1, 1)


def test_strict_fails_on_what_is_open(lint: Linter) -> None:
    lint({"a.py": COPY})
    only = ("SPY201",)
    assert lint(overrides=Overrides(select=only)).exit_status == 0
    assert lint(overrides=Overrides(select=only, strict=True)).exit_status == 1


# ---------------------------------------------------------------------- order, fingerprints, jobs


def test_fingerprints_survive_edits_elsewhere(lint: Linter, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tree(root, {"spyre-lint.toml": "", "sub/x.py": ""})
    twice = COPY + "    tl.store(y_ptr + offsets, x)\n"
    before = lint({"a.py": twice})
    prints = {(f.code, f.location.line): f.fingerprint for f in before.findings}
    assert len(set(prints.values())) == len(prints)
    assert all(len(each) == 32 for each in prints.values())
    after = lint({"a.py": "# one more line\n" + twice.replace("    x = tl.load", "    x =   tl.load")})
    assert [f.fingerprint for f in after.findings] == [f.fingerprint for f in before.findings]
    monkeypatch.chdir(root / "sub")
    assert [f.fingerprint for f in lint({}, "..").findings] == [f.fingerprint for f in before.findings]


def big_tree() -> dict[str, str]:
    files = {"lib/h.py": HEADER + "@triton.jit\ndef read(p):\n    return tl.load(p)\n"}
    for number in range(6):
        kernel = COPY.replace("x = tl.load(x_ptr + offsets)", "x = read(x_ptr + offsets)")
        files[f"k{number}/kernel.py"] = "from lib.h import read\n" + kernel.replace("copy", f"copy{number}")
        files[f"run{number % 2}/run{number}.py"] = (
            f"from k{number}.kernel import copy{number}\n\ndef run(x, y, n):\n"
            f"    copy{number}[({number * 20},)](x, y, n, BLOCK={number + 4})\n"
        )
    files["bad.py"] = "def f(:\n"
    files["explode.py"] = COPY.replace("def copy", "def explode")
    return files


def test_any_number_of_jobs_gives_the_same(lint: Linter) -> None:
    lint(big_tree())
    reports = [lint(jobs=jobs) for jobs in (1, 2, 3, 8)]
    texts = {json.dumps(as_object(report)) for report in reports}
    assert len(texts) == 1
    assert len({report.kernels for report in reports}) == 1
    codes = {f.code for f in reports[0].findings}
    assert codes >= {"SPY101", "SPY102", "SPY201", "SPY301", "SPY901", "SPY905"}
    (load,) = [f for f in reports[0].findings if f.code == "SPY101" and f.location.path == "lib/h.py"]
    assert len(load.related) == 6
    assert not next(k for k in reports[0].kernels if k.name == "read").checked


def test_a_worker_that_dies_is_reported(lint: Linter, checks: Path) -> None:
    dying = "import os\nfrom spyre_lint.findings import Level\nfrom spyre_lint.rules import Rule, check\n"
    dying += 'DIE = Rule("SPY701", "die", Level.NOTE, "Dies.")\n\n@check(DIE, scope="kernel")\ndef die(context):\n'
    dying += '    if context.info.name == "copy3":\n        os._exit(7)\n    yield from ()\n'
    (checks / "dying.py").write_text(dying, encoding="utf-8")
    (checks / "dying.md").write_text("# Dying\n", encoding="utf-8")
    report = lint(big_tree(), jobs=3)
    failures = [f for f in report.findings if f.code == "SPY905"]
    assert any("k3/kernel.py" in f.message and "worker process ended" in f.message for f in failures)
    assert any(f.code == "SPY102" for f in report.findings)
    assert report.exit_status == 2


def test_findings_are_in_order(lint: Linter) -> None:
    report = lint(big_tree())
    keys = [f.sort_key for f in report.findings]
    assert keys == sorted(keys)
    assert os.sep == "/" or all(os.sep not in f.location.path for f in report.findings)


def test_no_other_module_is_read_for_an_import(lint: Linter) -> None:
    from astroid.manager import AstroidManager

    before = set(AstroidManager().astroid_cache)
    text = (
        "from colorsys import *\nimport colorsys\n"
        + COPY
        + "\n\nclass C:\n    def f(self, c: colorsys.X):\n        c.x = 1\n"
    )
    assert lint({"a.py": text}).summary.kernels == 1
    assert "colorsys" not in set(AstroidManager().astroid_cache) - before
