"""The T1 report of a repository with every kind of kernel, and the registry that it keeps."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from spyre_lint.t1.json_edit import set_value
from tests.workflow import golden
from tests.workflow.projects import run, write

UPDATE = "`python -m tests.workflow.golden` writes what is printed now"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return golden.repository(tmp_path_factory.mktemp("repository"))


@pytest.fixture(scope="module")
def report(shared: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(run(shared, "report", "kernels", "--format", "json").stdout)
    return made


def kernel(report: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in report["kernels"] if each["kernel"] == name)
    return found


def status(report: dict[str, Any], name: str, invariant: str) -> str:
    found = next(each for each in kernel(report, name)["invariants"] if each["invariant"] == invariant)
    return str(found["status"])


def causes(report: dict[str, Any], name: str, invariant: str) -> list[dict[str, Any]]:
    found = next(each for each in kernel(report, name)["invariants"] if each["invariant"] == invariant)
    return list(found["causes"])


# ---------------------------------------------------------------------- golden


@pytest.mark.parametrize("kind", golden.GOLDEN)
def test_the_report_is_the_kept_one(kind: str) -> None:
    assert golden.printed(kind) == golden.GOLDEN[kind].read_text(encoding="utf-8"), UPDATE


def test_the_documentation_shows_it() -> None:
    kept = golden.GOLDEN["markdown"].read_text(encoding="utf-8")
    assert golden.page_with(kept) == golden.PAGE.read_text(encoding="utf-8"), UPDATE


def test_the_schema_is_the_models(shared: Path) -> None:
    assert golden.SCHEMA.read_text(encoding="utf-8") == golden.schema_text(), UPDATE
    assert run(shared, "report", "--schema").stdout == golden.schema_text()


def test_the_report_keeps_to_its_schema(report: dict[str, Any]) -> None:
    schema = json.loads(golden.SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(report, schema, cls=jsonschema.Draft202012Validator)


# ---------------------------------------------------------------------- content


def test_statuses(report: dict[str, Any]) -> None:
    assert {each["kernel"]: each["status"] for each in report["kernels"]} == {
        "_axpy_kernel_spyre": "satisfied",
        "_gemm_kernel_spyre": "violated",
        "_rotate_kernel_spyre": "satisfied",
        "_gather_rows_kernel_spyre": "unproven",
        "_rms_norm_kernel_spyre": "satisfied",
        "_rms_norm_kernel_td": "satisfied",
        "_scale_rows_kernel_spyre": "violated",
        "_soft_cap_kernel_spyre": "waived",
        "triton_fused_add_0": "satisfied",
    }


def test_one_kernel_in_figures(report: dict[str, Any]) -> None:
    gemm = kernel(report, "_gemm_kernel_spyre")
    # acc 512x1024 fp32, a 512x128 fp16, b 128x1024 fp16
    assert gemm["peak_bytes"] == 512 * 1024 * 4 + 512 * 128 * 2 + 128 * 1024 * 2
    square, wide = gemm["bindings"]
    assert square["peak_bytes"] == 256 * 256 * 4 + 2 * 256 * 128 * 2
    assert (wide["source"], wide["label"], wide["grid"]) == ("driver", "wide", "[32]")
    assert wide["constexprs"] == {"BLOCK_K": 128, "BLOCK_M": 512, "BLOCK_N": 1024}
    assert wide["dtypes"]["a_ptr"] == "*fp16"
    [cause] = causes(report, "_gemm_kernel_spyre", "tile-fits-scratchpad")
    assert (cause["code"], cause["verdict"], cause["binding"]) == ("SPY401", "violated", "wide")
    assert {1, 32} <= set(gemm["core_counts"])


def test_what_is_open_says_what_would_settle_it(report: dict[str, Any]) -> None:
    gather = kernel(report, "_gather_rows_kernel_spyre")
    assert gather["missing"] == {
        "constexprs": ["BLOCK_I", "BLOCK_N"],
        "dtypes": ["x_ptr", "index_ptr", "y_ptr"],
        "grid": True,
    }
    settled = [each["settled_by"] for each in causes(report, "_gather_rows_kernel_spyre", "last-dim-16-bytes")]
    assert settled == [["a value of `BLOCK_N`"], ["a value of `BLOCK_I`"], ["a value of `BLOCK_N`"]]
    [grid] = causes(report, "_gather_rows_kernel_spyre", "grid-fits-32-cores")
    assert grid["settled_by"] == ["a grid"]


def test_a_suppressed_violation_is_waived(report: dict[str, Any]) -> None:
    [cause] = causes(report, "_soft_cap_kernel_spyre", "descriptor-access")
    assert (cause["code"], cause["verdict"]) == ("SPY101", "waived")


def test_roles_have_their_invariants(report: dict[str, Any]) -> None:
    assert status(report, "_rms_norm_kernel_td", "tile-fits-scratchpad") == "not applicable"
    assert status(report, "triton_fused_add_0", "runtime-arg-agnostic") == "not applicable"
    assert status(report, "triton_fused_add_0", "tile-fits-scratchpad") == "satisfied"


def test_invariants_of_the_project(report: dict[str, Any]) -> None:
    assert status(report, "_axpy_kernel_spyre", "no-double") == "satisfied"
    [unchecked] = report["unchecked"]
    assert unchecked["invariant"] == "reviewed-by-two"


def test_speed_is_advice(report: dict[str, Any]) -> None:
    assert status(report, "_scale_rows_kernel_spyre", "tile-fits-scratchpad") == "satisfied"


SETTLED = """
[bindings."kernels/llm/gather_rows/spyre.py::_gather_rows_kernel_spyre"]
constexprs = { BLOCK_I = 16, BLOCK_N = 256 }
dtypes = { x_ptr = "*fp16", index_ptr = "*i32", y_ptr = "*fp16" }
grid = [32]
"""


def test_a_binding_that_gives_it_settles_it(tmp_path: Path) -> None:
    root = golden.repository(tmp_path)
    write(root, {"spyre-lint.toml": SETTLED})
    made = json.loads(run(root, "report", "kernels/llm/gather_rows", "--format", "json").stdout)
    invariants = {each["invariant"]: each["status"] for each in made["kernels"][0]["invariants"]}
    assert invariants["last-dim-16-bytes"] == invariants["tile-fits-scratchpad"] == "satisfied"


def test_a_part_that_cannot_be_followed_leaves_the_rest_open(tmp_path: Path) -> None:
    root = golden.repository(tmp_path)
    path = root / "kernels" / "blas" / "axpy" / "spyre.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("        x = x_desc", "        elsewhere.trace(x_desc)\n        x = x_desc"))
    made = json.loads(run(root, "report", "kernels/blas/axpy", "--format", "json").stdout)
    for invariant in ("descriptor-access", "grid-fits-32-cores", "runtime-arg-agnostic"):
        assert status(made, "_axpy_kernel_spyre", invariant) == "unproven"
    assert status(made, "_axpy_kernel_spyre", "no-gpu-tuning") == "satisfied"


def test_files_that_do_not_parse_are_named(tmp_path: Path) -> None:
    write(tmp_path, {"kernels/spyre.py": "def broken(:\n"})
    done = run(tmp_path, "report", "kernels")
    assert done.returncode == 2
    assert "not read: kernels/spyre.py:1:" in done.stdout


def test_text_names_reasons(shared: Path) -> None:
    done = run(shared, "report", "kernels")
    assert done.returncode == 0
    assert "\n  waived descriptor-access: SPY101 at kernels/llm/soft_cap/spyre.py:15:" in done.stdout
    assert "not checked: the invariant reviewed-by-two" in done.stdout
    assert done.stdout.endswith("T1 of 9 kernels: 5 satisfied, 2 violated, 1 unproven, 1 waived\n")


def test_written_to_a_file(shared: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    done = run(shared, "report", "kernels/blas/axpy", "--format", "json", "--output-file", str(target))
    assert done.stdout == ""
    assert json.loads(target.read_text(encoding="utf-8"))["tier"] == "T1"


# ---------------------------------------------------------------------- registry


def registered(root: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((root / "kernels.json").read_text(encoding="utf-8"))["kernels"]
    return loaded


def test_every_registered_kernel_is_found(tmp_path: Path) -> None:
    root = golden.repository(tmp_path)
    before = (root / "kernels.json").read_bytes()
    assert run(root, "report", "kernels", "--registry", "kernels.json").returncode == 0
    done = run(root, "report", "kernels/blas", "--registry", "kernels.json")
    assert done.returncode == 1
    assert "rms_norm is registered, and no kernel of it was found" in done.stderr
    assert (root / "kernels.json").read_bytes() == before


def test_update_writes_the_status_and_nothing_else(tmp_path: Path) -> None:
    root = golden.repository(tmp_path)
    path = root / "kernels.json"
    before = path.read_text(encoding="utf-8")
    path.chmod(0o640)
    assert run(root, "report", "kernels", "--registry", "kernels.json", "--update").returncode == 0
    after = path.read_text(encoding="utf-8")
    tiers = {name: entry["tiers"]["T1"] for name, entry in registered(root).items()}
    assert tiers["gemm"] == {"status": "violated", "violated": ["tile-fits-scratchpad"]}
    assert tiers["rms_norm"] == {"status": "satisfied", "note": "kept"}
    assert tiers["soft_cap"] == {"status": "waived", "waived": ["descriptor-access"]}
    assert tiers["gather_rows"]["unproven"] == ["last-dim-16-bytes", "grid-fits-32-cores", "tile-fits-scratchpad"]
    assert registered(root)["gemm"]["tiers"]["T0"] == {"status": "passed"}
    lines = after.splitlines()
    changed = {line.strip() for line in before.splitlines() if line not in lines}
    assert changed == {
        '"axpy": {"source": "blas", "kernel_function": "_axpy_kernel"},',
        '"rotate": {"source": "blas"},',
        '"soft_cap": {"source": "llm"},',
        '"gather_rows": {}',
        '"T0": {"status": "passed"}',  # a comma follows now
        '"source": "llm"',
    }
    assert '        "rotate": {"source": "blas", "tiers": {"T1": {"status": "satisfied"}}},' in lines
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(root.glob(".kernels.json*")) == []
    assert run(root, "report", "kernels", "--registry", "kernels.json", "--update").returncode == 0
    assert path.read_text(encoding="utf-8") == after


def test_check_fails_where_a_status_no_longer_holds(tmp_path: Path) -> None:
    root = golden.repository(tmp_path)
    assert run(root, "report", "kernels", "--registry", "kernels.json", "--check").returncode == 0
    run(root, "report", "kernels", "--registry", "kernels.json", "--update")
    path = root / "kernels" / "llm" / "rms_norm" / "spyre.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("tl.cdiv(n_rows, BLOCK_M)", "n_rows // BLOCK_M"), encoding="utf-8")
    done = run(root, "report", "kernels", "--registry", "kernels.json", "--check")
    assert done.returncode == 1
    assert "rms_norm: T1 is recorded as satisfied, and is violated (violated: runtime-arg-agnostic)" in done.stderr
    driver = root / "kernels" / "blas" / "gemm" / "lower.py"
    driver.write_text(driver.read_text(encoding="utf-8").replace("512, 1024", "128, 128"), encoding="utf-8")
    done = run(root, "report", "kernels/blas/gemm", "--registry", "kernels.json", "--check")
    assert "gemm: T1 is recorded as violated, and is satisfied; `--update` records it" in done.stderr


def test_a_directory_without_a_spyre_aware_kernel_is_missing_one(tmp_path: Path) -> None:
    root = golden.repository(tmp_path)
    (root / "kernels" / "llm" / "rms_norm" / "spyre.py").unlink()
    run(root, "report", "kernels", "--registry", "kernels.json", "--update")
    assert registered(root)["rms_norm"]["tiers"]["T1"]["status"] == "missing"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "kernels.json"),
        ("{", "kernels.json"),
        ('{"kernels": [1]}', "`kernels`"),
        ('{"kernels": {"a": {"tiers": {"T1": 3}}}}', "`kernels.a.tiers.T1`"),
        ('{"kernel": {}}', "`kernels`: field required"),
    ],
)
def test_a_registry_that_is_none(tmp_path: Path, text: str, said: str) -> None:
    root = golden.repository(tmp_path)
    write(root, {"kernels.json": text})
    done = run(root, "report", "kernels/blas/axpy", "--registry", "kernels.json")
    assert done.returncode == 2
    assert said in done.stderr


def test_update_and_check_need_a_registry(shared: Path) -> None:
    for option in ("--update", "--check"):
        done = run(shared, "report", "kernels", option)
        assert (done.returncode, "need --registry" in done.stderr) == (2, True)


# ---------------------------------------------------------------------- editing in place


@pytest.mark.parametrize(
    ("text", "path", "value", "changed"),
    [
        ('{"a": 1}', ["a"], 2, '{"a": 2}'),
        ('{"a": 1, "b": {"c": [1, 2]}}\n', ["b", "c"], None, '{"a": 1, "b": {"c": null}}\n'),
        ('{"a": 1}', ["b"], 2, '{"a": 1, "b": 2}'),
        ('{"a": {"b": 1}}', ["a", "c"], {"d": 2}, '{"a": {"b": 1, "c": {"d": 2}}}'),
        ('{\n  "a": 1\n}\n', ["b", "c"], 2, '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n'),
        ('{\n\t"a": 1\n}\n', ["b"], [1], '{\n\t"a": 1,\n\t"b": [\n\t\t1\n\t]\n}\n'),
        ('{\r\n  "a": 1\r\n}\r\n', ["b"], {"c": 2}, '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 2\r\n  }\r\n}\r\n'),
        ('{\n  "a": {}\n}', ["a", "b"], 1, '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"é\\u00e9": {"x": 1}}', ["éé", "x"], "ü", '{"é\\u00e9": {"x": "ü"}}'),
        ('{"a": "}", "b": {"c": 1}}', ["b", "c"], 2, '{"a": "}", "b": {"c": 2}}'),
        ('{"a": 1, "a": 2}', ["a"], 3, '{"a": 1, "a": 3}'),
        ('{ "a" : 1 , "b" : 2 }', ["b"], 3, '{ "a" : 1 , "b" : 3 }'),
        ('{ "a" : 1 , "b" : 2 }', ["c"], 3, '{ "a" : 1 , "b" : 2 , "c": 3 }'),
        ("{}", ["a"], 1, '{\n  "a": 1\n}'),
    ],
)
def test_set_value(text: str, path: list[str], value: Any, changed: str) -> None:
    assert set_value(text, path, value) == changed


@pytest.mark.parametrize(("text", "path"), [("[]", ["a"]), ('{"a": 1}', ["a", "b"]), ("{", ["a"])])
def test_set_value_where_it_cannot_be(text: str, path: list[str]) -> None:
    with pytest.raises((ValueError, AttributeError)):
        set_value(text, path, 1)


def test_a_kernel_whose_stores_cannot_be_followed_is_open_about_the_grid(tmp_path: Path) -> None:
    root = golden.repository(tmp_path)
    scattered = Path(__file__).parents[2] / "examples" / "kernels" / "llm" / "cache_scatter" / "spyre.py"
    (root / "kernels" / "scattered.py").write_text(scattered.read_text(encoding="utf-8"), encoding="utf-8")
    done = run(root, "report", "kernels/scattered.py", "--format", "json")
    (kernel,) = json.loads(done.stdout)["kernels"]
    (grid,) = [each for each in kernel["invariants"] if each["invariant"] == "grid-fits-32-cores"]
    assert kernel["core_counts"] == [] and grid["status"] == "unproven"
