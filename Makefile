# The two commands that matter: `make demo` shows what the linter says, `make test` runs every test.
# Everything lives in $(VENV); a second run does not install anything again.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help demo test test-fast lint format readme bench corpus clean

help:
	@echo "make demo       lint examples/kernels (fit for Spyre) and examples/violations (not)"
	@echo "make test       every test, with Triton as referee and the published kernel libraries"
	@echo "make test-fast  the tests that need neither Triton, the network, nor a build"
	@echo "make lint       ruff check, ruff format --check, mypy --strict"
	@echo "make format     rewrite the sources as ruff wants them"
	@echo "make readme     write what the command prints now into the sessions of README.md"
	@echo "make corpus     the published kernel libraries alone, with the time each takes"
	@echo "make bench      cold time against flake8 on the same files"
	@echo "make clean      remove $(VENV) and everything a tool left behind"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Stamps: what was installed, from which pyproject.toml.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[dev,verify]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	@echo '$$ spyre-lint examples/kernels'
	@$(BIN)/spyre-lint examples/kernels
	@echo
	@echo '$$ spyre-lint examples/violations'
	@$(BIN)/spyre-lint examples/violations; status=$$?; test $$status -eq 1 || \
		{ echo "examples/violations: exit status $$status, expected 1" >&2; exit 1; }

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest

test-fast: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m 'not corpus and not packaging and not verify'

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

readme: $(VENV)/.installed
	$(BIN)/python -m tests.readme.sessions

corpus: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m corpus --durations=0 -v

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.cold_time

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
