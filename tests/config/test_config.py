from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from spyre_lint.bindings import DTypeName
from spyre_lint.config import (
    DEFAULT_MODEL_CONSTANTS,
    ConfigError,
    ConfigResolver,
    Overrides,
    Settings,
    constexpr_value,
)
from spyre_lint.findings import Finding, Level, Location, Verdict
from spyre_lint.registry import Registry

CHECKS = {
    "sample.py": """
        from spyre_lint.findings import Level
        from spyre_lint.rules import Rule, check
        LOAD = Rule("SPY101", "raw-pointer-load", Level.ERROR, "A load.")
        GRID = Rule("SPY301", "grid-exceeds-cores", Level.ERROR, "A grid.")
        @check(LOAD, GRID, scope="instance")
        def nothing(context):
            return []
    """,
    "sample.md": "# Sample\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    folder = tmp_path / "checks"
    folder.mkdir()
    for name, text in CHECKS.items():
        (folder / name).write_text(textwrap.dedent(text), encoding="utf-8")
    loaded = Registry.load(folder)
    assert loaded.errors == ()
    return loaded


def settings(root: Path, registry: Registry, text: str, name: str = "spyre-lint.toml") -> Settings:
    (root / name).write_text(textwrap.dedent(text), encoding="utf-8")
    return ConfigResolver(registry).for_directory(str(root))


def complaint(root: Path, registry: Registry, text: str, name: str = "spyre-lint.toml") -> str:
    with pytest.raises(ConfigError) as caught:
        settings(root, registry, text, name)
    return str(caught.value)


def test_every_key(root: Path, registry: Registry) -> None:
    (root / "k.py").write_text("", encoding="utf-8")
    got = settings(
        root,
        registry,
        """
        select = ["SPY1", "grid-exceeds-cores"]
        ignore = ["SPY903", "sample"]
        fail-on = "warning"
        target = "stock"
        exclude = ["gen/"]
        model-constants = ["ROPE_*", "!D"]
        allow-scalar-loads = true
        [roles]
        "gpu/*.py" = "original"
        [severity]
        raw-pointer-load = "warning"
        SPY301 = "note"
        [per-path."legacy/**"]
        select = ["SPY301"]
        ignore = ["SPY904"]
        [hardware]
        cores = 16
        scratchpad-bytes = 1048576
        usable-fraction = 0.5
        min-last-dim-bytes = 32
        stick-bytes = 256
        [tiles]
        "BLOCK_H*" = 16
        [bindings."k.py::outer.kernel"]
        constexprs.BLOCK = 64
        constexprs.SCALE = 0.5
        constexprs.FLAG = true
        constexprs.DT = "tl.float16"
        constexprs.MODE = "sum"
        constexprs.LAYOUT = [0, [1, "mod", 64]]
        dtypes = {x_ptr = "*fp16", n = "i32"}
        args = {n = 1000}
        grid = [4, 8]
        """,
    )
    assert got.select == ("SPY1", "grid-exceeds-cores")
    assert got.ignore == ("SPY903", "sample")
    assert got.fail_on is Level.WARNING
    assert got.exclude == ("gen/",)
    assert got.allow_scalar_loads
    assert dict(got.roles) == {"gpu/*.py": "original"}
    assert dict(got.severity) == {"SPY101": Level.WARNING, "SPY301": Level.NOTE}
    assert [(rule.glob, rule.select, rule.ignore) for rule in got.per_path] == [("legacy/**", ("SPY301",), ("SPY904",))]
    target = got.target
    assert (target.profile, target.cores, target.scratchpad_bytes, target.usable_bytes) == (
        "stock",
        16,
        1 << 20,
        1 << 19,
    )
    assert (target.min_last_dim_bytes, target.stick_bytes) == (32, 256)
    assert [got.plausible_tile(name) for name in ("BLOCK_H2", "BLOCK_K", "BLOCK_M")] == [16, 64, 128]
    assert got.is_model_constant("ROPE_DIM")
    assert got.is_model_constant("HEAD_DIM")
    assert not got.is_model_constant("D")
    ((label, binding),) = got.bindings_for("k.py", "outer.kernel")
    assert label == "k.py::outer.kernel"
    assert binding.constexprs == {
        "BLOCK": 64,
        "SCALE": 0.5,
        "FLAG": True,
        "DT": DTypeName("fp16"),
        "MODE": "sum",
        "LAYOUT": (0, (1, "mod", 64)),
    }
    assert binding.dtypes == {"x_ptr": "*fp16", "n": "i32"}
    assert binding.args == {"n": 1000}
    assert binding.grid == (4, 8)
    assert got.bindings_for("k.py", "kernel") == ()
    assert got.bindings_for("other.py", "outer.kernel") == ()
    assert got.source == "spyre-lint.toml"


def test_several_bindings_of_a_kernel_are_numbered(root: Path, registry: Registry) -> None:
    (root / "k.py").write_text("", encoding="utf-8")
    got = settings(root, registry, '[[bindings."k.py::k"]]\nargs = {n = 1}\n[[bindings."k.py::k"]]\nargs = {n = 2}\n')
    assert [(label, dict(each.args)) for label, each in got.bindings_for("k.py", "k")] == [
        ("k.py::k #1", {"n": 1}),
        ("k.py::k #2", {"n": 2}),
    ]


def test_pyproject_needs_its_table(root: Path, registry: Registry) -> None:
    assert settings(root, registry, "[tool.spyre-lint]\ntarget = 'stock'\n", "pyproject.toml").target.profile == "stock"


def test_nearest_configuration_holds(root: Path, registry: Registry) -> None:
    (root / "spyre-lint.toml").write_text("target = 'stock'\n", encoding="utf-8")
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    (root / "a" / "pyproject.toml").write_text("[tool.other]\nname = 'mentions spyre-lint'\n", encoding="utf-8")
    resolver = ConfigResolver(registry)
    assert resolver.for_directory(str(inner)) is resolver.for_directory(str(root))
    (inner / "pyproject.toml").write_text("[tool.spyre-lint]\nfail-on = 'note'\n", encoding="utf-8")
    resolver = ConfigResolver(registry)
    got = resolver.for_directory(str(inner))
    assert (got.fail_on, got.target.profile, got.root) == (Level.NOTE, "spyre", str(inner))
    assert resolver.for_directory(str(root / "a")).target.profile == "stock"


def test_own_file_goes_before_pyproject(root: Path, registry: Registry) -> None:
    (root / "pyproject.toml").write_text("[tool.spyre-lint]\ntarget = 'stock'\n", encoding="utf-8")
    assert settings(root, registry, "fail-on = 'note'\n").target.profile == "spyre"


def test_a_named_configuration_holds_everywhere(root: Path, registry: Registry) -> None:
    (root / "spyre-lint.toml").write_text("nonsense", encoding="utf-8")
    (root / "ci.toml").write_text("target = 'stock'\n", encoding="utf-8")
    resolver = ConfigResolver(registry, config="ci.toml")
    assert resolver.for_directory(str(root)).target.profile == "stock"
    assert resolver.for_directory("/").target.profile == "stock"


def test_named_configurations_must_be_usable(root: Path, registry: Registry) -> None:
    with pytest.raises(ConfigError, match=r"^gone.toml: cannot be read: no such file"):
        ConfigResolver(registry, config="gone.toml")
    (root / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^pyproject.toml: has no table \[tool.spyre-lint\]$"):
        ConfigResolver(registry, config="pyproject.toml")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("selct = []", "unknown key `selct` (did you mean `select`?); allowed are `select`, `ignore`, `fail-on`"),
        ("fail_on = 'error'", "unknown key `fail_on` (did you mean `fail-on`?)"),
        ("baseline = 'b.json'", "unknown key `baseline`; allowed are"),
        ("fail-on = 'eror'", "`fail-on` is 'eror' (did you mean `error`?); allowed are `error`, `warning`, `note`"),
        ("target = 'gpu'", "`target` is 'gpu'; allowed are `spyre`, `stock`"),
        ("exclude = 'gen'", "`exclude`: it should be a valid list, not 'gen'"),
        ("allow-scalar-loads = 'yes'", "`allow-scalar-loads`: it should be a valid boolean, not 'yes'"),
        ("ignore = ['SPY10l']", "code prefix, rule name or invariant (did you mean `SPY101`?)"),
        ("select = ['SPY1', 'raw-pointer-laod']", "`select[1]`: 'raw-pointer-laod' is no rule code"),
        ("severity = {SPY777 = 'note'}", "`severity.SPY777`: 'SPY777' is no rule code"),
        ("severity = {SPY101 = 'fatal'}", "`severity.SPY101` is 'fatal'; allowed are `error`, `warning`, `note`"),
        ("[roles]\n'*.py' = 'spyer'", "is 'spyer' (did you mean `spyre`?); allowed are `spyre`, `descriptor`"),
        ("[per-path.'*.py']\nignroe = []", '`per-path."*.py".ignroe` (did you mean `ignore`?); allowed are'),
        ("[per-path.'*.py']\nignore = ['X']", '`per-path."*.py".ignore[0]`: \'X\' is no rule code'),
        ("[hardware]\ncoers = 3", "unknown key `hardware.coers` (did you mean `cores`?)"),
        ("[hardware]\ncores = 0", "`hardware.cores`: it should be greater than 0, not 0"),
        ("[hardware]\ncores = true", "`hardware.cores`: it should be a valid integer, not True"),
        ("[hardware]\nusable-fraction = 1.5", "`hardware.usable-fraction`: it should be less than"),
        ("[tiles]\nBLOCK = '128'", "`tiles.BLOCK`: it should be a valid integer, not '128'"),
        ("[bindings.'k']\n", '`bindings.k`: the key must have the form "path::kernel"'),
        ("[bindings.'gone.py::k']\n", '`bindings."gone.py::k"`: there is no file gone.py beside the configuration'),
        ("[bindings.'k.py::k']\ngrid = [1, 2, 3, 4]", '`bindings."k.py::k".grid`: list should have at most 3 items'),
        ("[bindings.'k.py::k']\nargs = {n = 1.5}", '`bindings."k.py::k".args.n`: it should be a valid integer'),
        ("[bindings.'k.py::k']\ndtypes = {x = 'fp17'}", ".dtypes.x`: 'fp17' is no element type; allowed are `i1`"),
        ("[bindings.'k.py::k']\ngird = [1]", '`bindings."k.py::k".gird` (did you mean `grid`?)'),
        ("[[bindings.'k.py::k']]\ngird = [1]", '`bindings."k.py::k"[0].gird` (did you mean `grid`?)'),
    ],
)  # fmt: skip
def test_errors_name_key_and_what_is_allowed(root: Path, registry: Registry, text: str, expected: str) -> None:
    (root / "k.py").write_text("", encoding="utf-8")
    message = complaint(root, registry, text)
    assert message.splitlines()[0].startswith("spyre-lint.toml: ")
    assert expected in message
    in_pyproject = complaint(root / "sub", registry, _nested(text), "pyproject.toml") if _make(root / "sub") else ""
    assert in_pyproject.splitlines()[0].startswith("sub/pyproject.toml: ")
    assert "tool.spyre-lint." in in_pyproject


def _make(place: Path) -> bool:
    place.mkdir()
    (place / "k.py").write_text("", encoding="utf-8")
    return True


def _nested(text: str) -> str:
    table, quoted = "[tool.spyre-lint]\n", text.replace("[[", "[[tool.spyre-lint.")
    return table + (quoted if "[[" in text or not text.startswith("[") else text.replace("[", "[tool.spyre-lint.", 1))


def test_broken_toml_is_placed(root: Path, registry: Registry) -> None:
    message = complaint(root, registry, "select = []\nignore = [1,,]\n")
    assert message.startswith("spyre-lint.toml:2:13: is not valid TOML: ")


def test_all_errors_of_a_file_are_told_at_once(root: Path, registry: Registry) -> None:
    lines = complaint(root, registry, "selct = []\ntarget = 'gpu'\n").splitlines()
    assert len(lines) == 2


def test_configuration_that_is_no_text(root: Path, registry: Registry) -> None:
    (root / "spyre-lint.toml").write_bytes(b"select = ['\xff']\n")
    with pytest.raises(ConfigError, match="is not valid UTF-8"):
        ConfigResolver(registry).for_directory(str(root))
    (root / "spyre-lint.toml").unlink()
    (root / "pyproject.toml").write_text("tool = {spyre-lint = 1}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="must be a table"):
        ConfigResolver(registry).for_directory(str(root))


def test_defaults(root: Path, registry: Registry) -> None:
    got = ConfigResolver(registry).for_directory(str(root))
    assert got.model_constants == DEFAULT_MODEL_CONSTANTS
    assert [got.plausible_tile(name) for name in ("BLOCK_K", "BLOCK_M", "X")] == [64, 128, 128]
    assert (got.target.usable_bytes, got.target.scratchpad_bytes, got.target.cores) == (1_677_721, 2_097_152, 32)
    assert got.source is None


def test_command_line_on_top_of_configuration(root: Path, registry: Registry) -> None:
    text = "select = ['SPY1']\nignore = ['SPY101']\n[per-path.'*.py']\nselect = ['SPY9']\nignore = ['SPY301']\n"
    configured = settings(root, registry, text)
    added = Overrides(ignore=("SPY904",), fail_on=Level.NOTE, strict=True, profile="stock").apply(configured)
    assert (added.select, added.ignore) == (("SPY1",), ("SPY101", "SPY904"))
    assert (added.fail_on, added.strict, added.target.profile) == (Level.NOTE, True, "stock")
    chosen = Overrides(select=("SPY101",), constexprs={"BLOCK": 8}, dtypes={"x": "*fp16"}).apply(configured)
    assert (chosen.select, chosen.ignore) == (("SPY101",), ())
    assert [(rule.select, rule.ignore) for rule in chosen.per_path] == [(None, ("SPY301",))]
    assert (chosen.cli_constexprs, chosen.cli_dtypes) == ({"BLOCK": 8}, {"x": "*fp16"})
    assert Overrides().apply(configured) is configured


def test_failing_by_level_and_by_strictness() -> None:
    def finding(level: Level, verdict: Verdict) -> Finding:
        return Finding("SPY101", "x", level, verdict, "", Location("a.py", 1))

    default, strict, low = Settings(), Settings(strict=True), Settings(fail_on=Level.NOTE)
    assert default.failing(finding(Level.ERROR, Verdict.VIOLATED))
    assert not default.failing(finding(Level.WARNING, Verdict.VIOLATED))
    assert not default.failing(finding(Level.NOTE, Verdict.UNPROVEN))
    assert strict.failing(finding(Level.NOTE, Verdict.UNPROVEN))
    assert not strict.failing(finding(Level.WARNING, Verdict.VIOLATED))
    assert low.failing(finding(Level.NOTE, Verdict.VIOLATED))


def test_element_types_as_constexprs() -> None:
    assert constexpr_value("tl.bfloat16") == constexpr_value("torch.bfloat16") == DTypeName("bf16")
    assert constexpr_value("tl.sum") == "tl.sum"
    assert constexpr_value("fp16") == "fp16"
