"""Invariants that a project brings: as Markdown, as a local Python file, as an installed package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workflow.projects import (
    INVARIANTS,
    KERNEL,
    LOCAL_CHECK,
    LOCAL_PAGE,
    NO_DOUBLE,
    install,
    run,
    write,
)

CODES = {"TEAM101", "TEAM201", "ACME7"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of the import path with an installed package."""
    return install(tmp_path_factory.mktemp("site"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(
        tmp_path,
        {
            "kernels/scale.py": KERNEL,
            f"{INVARIANTS}/no-double.md": NO_DOUBLE,
            f"{INVARIANTS}/grid-fits-32-cores.md": "# Grid fits 32 cores\n\nOur own words about the grid.\n",
            f"{INVARIANTS}/README.md": "# About this directory\n",
            "lint/short_names.py": LOCAL_CHECK,
            "lint/short-names.md": LOCAL_PAGE,
            "spyre-lint.toml": 'plugins = ["lint/short_names.py"]\n',
        },
    )
    return tmp_path


def found(project: Path, *arguments: str, site: Path | None = None) -> list[tuple[str, int]]:
    done = run(project, "kernels", "--output-format", "json", *arguments, path=site)
    assert done.returncode in (0, 1), done.stderr
    return [(each["code"], each["line"]) for each in json.loads(done.stdout)["findings"]]


def test_all_three_report(project: Path, site: Path) -> None:
    assert found(project, site=site) == [("ACME7", 7), ("ACME7", 8), ("TEAM201", 10), ("TEAM101", 11)]


def test_listed_with_where_they_come_from(project: Path, site: Path) -> None:
    lines = run(project, "invariants", path=site).stdout.splitlines()
    rows = {line.split()[0]: line for line in lines if not line.startswith(" ")}
    assert rows["no-double"].split(maxsplit=2)[1:] == ["TEAM101", "front matter of no-double.md"]
    assert rows["short-names"].split(maxsplit=2)[1:] == ["TEAM201", "plugin short_names.py"]
    assert rows["row-blocks"].split(maxsplit=2)[1:] == ["ACME7", "package acme-spyre-checks 1.2"]
    covered = lines[lines.index(rows["grid-fits-32-cores"]) + 1]
    assert covered == f"    covers {INVARIANTS}/grid-fits-32-cores.md"
    assert not any("README" in line for line in lines)


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("TEAM101", "What is computed in fp64"),
        ("short-names", "A tile is named after what it holds"),
        ("row-blocks", "Blocks have rows and columns"),
        ("ACME7", "Blocks have rows and columns"),
        ("grid-fits-32-cores", "Our own words about the grid."),
    ],
)
def test_explained(project: Path, site: Path, topic: str, text: str) -> None:
    done = run(project, "explain", topic, path=site)
    assert done.returncode == 0
    assert text in done.stdout
    assert "forbidden-attributes" not in done.stdout


def test_rules_of_the_project_come_after_the_built_in_ones(project: Path, site: Path) -> None:
    rules = run(project, "rules", path=site).stdout
    assert rules.index("SPY905") < rules.index("ACME7") < rules.index("TEAM101")


def test_sarif_knows_the_rules_with_their_pages(project: Path, site: Path) -> None:
    log = json.loads(run(project, "kernels", "--output-format", "sarif", path=site).stdout)
    rules = {rule["id"]: rule for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    assert rules.keys() >= CODES
    assert "# Blocks of rows" in rules["ACME7"]["help"]["markdown"]
    assert rules["TEAM101"]["defaultConfiguration"] == {"level": "warning"}
    assert {result["ruleId"] for result in log["runs"][0]["results"]} == CODES


def test_suppressed_by_code_and_by_name(project: Path, site: Path) -> None:
    kernel = KERNEL.replace("    x = x_desc.load([b * BLOCK])", "    x = x_desc.load([b * BLOCK])  # {}")
    write(project, {"kernels/scale.py": kernel.format("spyre-lint: ignore[TEAM201]")})
    assert ("TEAM201", 10) not in found(project, site=site)
    write(project, {"kernels/scale.py": kernel.format("spyre-lint: ignore[short-names, no-double]")})
    codes = found(project, site=site)
    assert ("TEAM201", 10) not in codes
    assert ("SPY903", 10) in codes


def test_selected_and_weighed_by_the_configuration(project: Path, site: Path) -> None:
    write(
        project,
        {
            "spyre-lint.toml": """
            plugins = ["lint/short_names.py"]
            select = ["TEAM", "row-blocks"]
            ignore = ["no-double"]

            [severity]
            ACME7 = "note"
            """
        },
    )
    assert found(project, site=site) == [("ACME7", 7), ("ACME7", 8), ("TEAM201", 10)]
    assert run(project, "kernels", path=site).returncode == 1
    assert run(project, "kernels", "--ignore", "TEAM2", path=site).returncode == 0


def test_no_plugins_leaves_only_what_runs_no_code(project: Path, site: Path) -> None:
    assert found(project, "--no-plugins", site=site) == [("TEAM101", 11)]


def test_workers_load_the_same_checks(project: Path, site: Path) -> None:
    for number in range(12):
        name = f"kernels/scale_{number}.py"
        write(project, {name: KERNEL.replace("_scale_kernel", f"_scale_kernel_{number}")})
    one = found(project, "--jobs", "1", site=site)
    assert len(one) == 4 * 13
    assert found(project, "--jobs", "2", site=site) == one


def test_blocks_are_run(project: Path) -> None:
    done = run(project, "invariants", "test", INVARIANTS)
    assert done.returncode == 0
    assert f"{INVARIANTS}/no-double.md: 2 blocks as the file says" in done.stdout
    assert "grid-fits-32-cores.md: it has no block" in done.stdout
    assert run(project, "invariants", "test", "lint").stdout.startswith(
        "lint/short-names.md: 1 blocks as the file says"
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  # <- TEAM101", "", "the block names TEAM101 and marks nothing"),
        ("float64))  #", "float32))  #", "TEAM101 at kernel.py:8 is marked and not reported"),
        ("valid\n", "invalid TEAM101\n", "the block names TEAM101 and marks nothing"),
        ("invalid TEAM101", "invalid TEAM999", "`TEAM999` is no rule of this invariant"),
        ("invalid TEAM101", "invalid", "tag the block"),
        ("tl.float32", "tl.int64", "is reported in a valid block: `tl.int64`: the units compute"),
    ],
)
def test_blocks_that_do_not_hold(project: Path, old: str, new: str, said: str) -> None:
    write(project, {f"{INVARIANTS}/no-double.md": NO_DOUBLE.replace(old, new, 1)})
    done = run(project, "invariants", "test", INVARIANTS)
    assert done.returncode == 1
    assert said in done.stdout


# ---------------------------------------------------------------------- what is not checked


def test_an_invariant_without_checker(project: Path) -> None:
    write(project, {f"{INVARIANTS}/soft-limits.md": "# Soft limits\n\nBe modest.\n"})
    done = run(project, "kernels", "--select", "SPY902")
    assert done.stdout.splitlines()[0].startswith(f"{INVARIANTS}/soft-limits.md:1:1: warning[SPY902]")
    rows = [line.split() for line in run(project, "invariants").stdout.splitlines()]
    assert ["soft-limits", "-", "no", "checker:"] in [row[:4] for row in rows]
    assert "Be modest." in run(project, "explain", "soft-limits").stdout
    assert run(project, "kernels", "--select", "SPY902", "--fail-on", "warning").returncode == 1


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("---\nforbiden-calls: [tl.load]\n---\n", "unknown key `forbiden-calls` (did you mean `forbidden-calls`?)"),
        ("---\nforbidden-calls: tl.load\n---\n", "`forbidden-calls`: it should be a valid list"),
        ("---\nforbidden-calls: [1]\n---\n", "`forbidden-calls.0`"),
        ("---\nforbidden-calls: []\n---\n", "forbids and requires nothing"),
        ("---\nforbidden-calls: [tl.load]\nlevel: fatal\n---\n", "`level`"),
        ("---\nforbidden-calls: [tl.load]\ncode: SPY150\n---\n", "`code`"),
        ("---\nforbidden-calls: [tl.load]\nroles: [everything]\n---\n", "`roles.0`"),
        ("---\nforbidden-calls: [tl.load]\ncolour: red\n---\n", "unknown key `colour`"),
        ("---\nforbidden-calls: [tl.load\n---\n", "no YAML"),
        ("---\n- a\n---\n", "must be a table"),
        ("+++\nforbidden-calls = [\n+++\n", "no TOML"),
        ("---\nrules: 3\n---\n", "`rules` must be a list of tables"),
        ("---\nrules:\n- forbidden-calls: [tl.load]\n---\n", "has no `name`"),
    ],
)
def test_front_matter_that_cannot_be_understood(project: Path, front: str, said: str) -> None:
    write(project, {f"{INVARIANTS}/strange.md": front + "# Strange\n"})
    done = run(project, "kernels", "--select", "SPY902", "--output-format", "json")
    [finding] = json.loads(done.stdout)["findings"]
    assert said in finding["message"]
    assert finding["path"] == f"{INVARIANTS}/strange.md"
    assert run(project, "invariants", "test", INVARIANTS).returncode == 1


def test_front_matter_about_something_else_is_no_declaration(project: Path) -> None:
    text = "---\ntitle: Limits\ndescription: what to keep in mind\n---\n# Limits\n"
    write(project, {f"{INVARIANTS}/limits.md": text})
    done = run(project, "kernels", "--select", "SPY902")
    assert "its front matter declares nothing" in done.stdout


def test_a_plugin_that_does_not_load_is_an_internal_error(project: Path) -> None:
    write(project, {"lint/short_names.py": "1 / 0\n"})
    done = run(project, "kernels")
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stdout


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('plugins = ["lint/nothing.py"]', "`plugins[0]`: there is no file lint/nothing.py beside the configuration"),
        ('invariants = ["rules"]', "`invariants[0]`: there is no directory rules beside the configuration"),
        ("plugins = 3", "`plugins`"),
    ],
)
def test_sources_that_do_not_exist(project: Path, config: str, said: str) -> None:
    write(project, {"spyre-lint.toml": config + "\n"})
    done = run(project, "kernels")
    assert done.returncode == 2
    assert said in done.stderr


def test_codes_that_are_taken(project: Path) -> None:
    write(project, {"lint/short_names.py": LOCAL_CHECK.replace("TEAM201", "SPY150")})
    assert "which are the linter's own" in run(project, "kernels").stdout
    write(project, {"lint/short_names.py": LOCAL_CHECK.replace("TEAM201", "TEAM101")})
    assert "the code TEAM101 is taken by" in run(project, "kernels").stdout


def test_a_configured_directory(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"k/scale.py": KERNEL, "rules/no-double.md": NO_DOUBLE, "spyre-lint.toml": 'invariants = ["rules"]\n'},
    )
    assert found_in(tmp_path, "k") == [("TEAM101", 11)]
    (tmp_path / "spyre-lint.toml").unlink()
    assert found_in(tmp_path, "k") == []


def found_in(project: Path, path: str) -> list[tuple[str, int]]:
    done = run(project, path, "--output-format", "json")
    return [(each["code"], each["line"]) for each in json.loads(done.stdout)["findings"]]


def test_a_nested_configuration_does_not_bring_checks(project: Path) -> None:
    write(project, {"kernels/spyre-lint.toml": 'plugins = ["own.py"]\n', "kernels/own.py": LOCAL_CHECK})
    done = run(project, ".")
    assert "kernels/spyre-lint.toml: `plugins` does not count here" in done.stderr


def test_a_linked_directory_counts_once(project: Path) -> None:
    (project / ".claude").symlink_to(project / ".agents")
    assert found_in(project, "kernels") == [("TEAM201", 10), ("TEAM101", 11)]


# ---------------------------------------------------------------------- declarations

DECLARED = """\
---
code: TEAM1
{front}
---
# Declared
"""
MODULE = """\
import triton
import triton.language as tl
from triton.language import dot as multiply


@triton.jit
def helper(a, b):
    return tl.dot(a, b, allow_tf32=True)


@triton.autotune(configs=[], key=[])
@triton.jit
def _kernel(x_ptr):
    x_desc = tl.make_tensor_descriptor(x_ptr, [64, 64], [64, 1], [64, 64])
    x = x_desc.load([0, 0])
    y = helper(x, x) + multiply(x, x, input_precision="ieee")
    y = tl.math.exp(y.T)
    x_desc.store([0, 0], y)
"""


@pytest.mark.parametrize(
    ("front", "lines"),
    [
        ("forbidden-calls: [tl.dot]", [8, 16]),
        ("forbidden-calls: [triton.language.dot]", [8, 16]),
        ("forbidden-calls: ['tl.d*']", [8, 16]),
        ("forbidden-calls: [tl.load]", []),
        ("forbidden-calls: [desc.load]", [15]),
        ("forbidden-calls: [tl.math.exp]", [17]),
        ("forbidden-calls: [tl.exp]", [17]),
        ("forbidden-calls: [helper]", [16]),
        ("forbidden-attributes: [tile.T]", [17]),
        ("forbidden-attributes: [tl.float64]", []),
        ("required-calls: [tl.program_id]", [13]),
        ("required-calls: [tl.dot]", []),
        ("forbidden-decorators: [triton.autotune]", [11]),
        ("required-decorators: [triton.autotune]", []),
        ("required-decorators: [triton.heuristics]", [13]),
        ("forbidden-arguments: {tl.dot: [allow_tf32]}", [8]),
        ("required-arguments: {tl.dot: [input_precision]}", [8]),
        ("required-arguments: {tl.dot: [acc]}", [8, 16]),
        ("forbidden-calls: [tl.dot]\nroles: [descriptor]", []),
        ("forbidden-calls: [tl.dot]\nroles: [descriptor, spyre]", [8, 16]),
    ],
)
def test_declarations(tmp_path: Path, front: str, lines: list[int]) -> None:
    write(tmp_path, {"k/kernel.py": MODULE, "_shared/invariants/declared.md": DECLARED.format(front=front)})
    done = run(tmp_path, "k", "--select", "TEAM1,SPY902", "--output-format", "json")
    assert [each["line"] for each in json.loads(done.stdout)["findings"]] == lines
    assert all(each["code"] == "TEAM1" for each in json.loads(done.stdout)["findings"])


def test_a_message_may_name_what_was_met(tmp_path: Path) -> None:
    front = "forbidden-calls: [tl.dot]\nmessage: use our own instead of {name}"
    write(tmp_path, {"k/kernel.py": MODULE, "_shared/invariants/declared.md": DECLARED.format(front=front)})
    assert "use our own instead of `tl.dot`" in run(tmp_path, "k", "--select", "TEAM1").stdout


def test_several_rules_and_toml(tmp_path: Path) -> None:
    text = """\
    +++
    title = "Two rules"

    [[rules]]
    name = "no-dot"
    forbidden-calls = ["tl.dot"]

    [[rules]]
    name = "no-exp"
    level = "note"
    forbidden-calls = ["tl.exp"]
    +++
    # Two rules
    """
    write(tmp_path, {"k/kernel.py": MODULE, "_shared/invariants/two.md": text})
    done = run(tmp_path, "k", "--select", "two", "--output-format", "json")
    found = [(each["code"], each["level"]) for each in json.loads(done.stdout)["findings"]]
    assert found == [("NO-DOT", "error"), ("NO-DOT", "error"), ("NO-EXP", "note")]
