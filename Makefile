# Every target makes its own set-up in .venv. On a fresh machine: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := CMakeLists.txt pyproject.toml $(shell find core -name '*.cpp' -o -name '*.hpp' -o -name '*.py')
CORE := $(shell find core -name '*.cpp' -o -name '*.hpp')
BUILD_DIR = $(firstword $(wildcard build/cp*))
# The extras that the tests use.
EXTRAS := plot nets sql onnx serve excel widget
# Interpreters for make wheel, beside python3.11, python3.12 and python3.13 on the path.
PYTHONS ?=

.PHONY: help setup demo test test-engines soak explore lint format bench docs docs-serve fuzz sanitize \
  wheel sdist sbom follow test-lowest test-clang test-plain clean
.DEFAULT_GOAL := help

help:
	@echo "make demo      the lecture's example, a real table and a Bayes net, end to end"
	@echo "make test      all tests"
	@echo "make test-engines  the tests that need PostgreSQL, Spark, Dask and a browser"
	@echo "make soak      a service that learns, killed 50 times in five minutes"
	@echo "make explore   the properties, on 25 times as many examples, which differ from run to run"
	@echo "make lint      formatting, types, layers, static analysis"
	@echo "make bench     speed and memory against scikit-learn -> docs/benchmarks.md"
	@echo "make docs      build the documentation site -> docs/_build/html (warnings are errors)"
	@echo "make docs-serve  show the site on http://localhost:8000"
	@echo "make fuzz      a minute each of random and hostile files and texts, with 1 GB of memory"
	@echo "make sanitize  the tests under address, undefined-behaviour and thread sanitizers"
	@echo "make wheel     wheels -> dist/, each tried in a clean environment without a compiler"
	@echo "make sdist     the source distribution -> dist/"
	@echo "make follow    every page followed where only the wheel is installed (after make wheel)"
	@echo "make sbom      the software bill of materials of an installed wheel -> dist/ (after make wheel)"
	@echo "make test-lowest  the tests with the lowest versions that pyproject.toml allows"
	@echo "make test-clang   the tests of the core, compiled by clang"
	@echo "make test-plain   the tests of the core, compiled without vector types, as MSVC does"

$(BIN)/python:
	@echo "A virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/.build: pyproject.toml | $(BIN)/python
	@echo "CMake, Ninja and what else the build needs"
	@$(BIN)/python -m pip install --quiet --no-compile --group build
	@touch $@

# The package, in place; the core is compiled again only where its sources changed.
$(VENV)/.built: $(SOURCES) $(VENV)/.build
	@echo "deciban and what it needs: about a minute on two cores"
	@$(BIN)/python -m tests.packaging.install
	@touch $@

# What the tests need beside, installed anew when the project's requirements change.
$(VENV)/.tools: pyproject.toml | $(VENV)/.built
	@echo "What the tests need: pandas, polars, DuckDB and others"
	@$(BIN)/python -m tests.packaging.install --group test --extras $(EXTRAS)
	@touch $@

$(VENV)/.linters: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@

setup: $(VENV)/.built $(VENV)/.tools

demo: $(VENV)/.built
	@$(BIN)/deciban demo

test: setup
	$(BIN)/python -m pytest

$(VENV)/.engines: pyproject.toml | $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --group engines
	@touch $@

test-engines: docs $(VENV)/.engines
	$(BIN)/python -m tests.servers.setup
	$(BIN)/python -m pytest -n 0 -m servers tests/servers

soak: setup
	$(BIN)/python -m tests.serve.learning.soak --kills 50 --seconds 300
	$(BIN)/python -m tests.serve.learning.soak --kills 10 --seconds 60 --workers 2

explore: setup
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=explore

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

docs: setup $(VENV)/.docs
	$(BIN)/python -m sphinx -b html -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python docs/check_site.py docs/_build/html

docs-serve: docs
	$(BIN)/python -m http.server --bind localhost --directory docs/_build/html $(or $(PORT),8000)

lint: setup $(VENV)/.linters
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/clang-format --dry-run --Werror $(CORE)
	@# The headers that gcc has compiled before are none for clang, which reads them as they are.
	@echo "clang-tidy"
	@printf '%s\n' $(filter-out core/tests/%,$(filter %.cpp,$(CORE))) | xargs -P 2 -n 4 \
	  $(BIN)/clang-tidy --quiet --extra-arg=-Wno-ignored-gch -p $(BUILD_DIR)

format: setup $(VENV)/.linters
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CORE)

bench: setup
	$(BIN)/python -m benchmarks

fuzz: setup
	$(BIN)/python -m tests.fuzz

sanitize: setup
	$(BIN)/python -m tests.sanitize

$(VENV)/.package: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group package
	@touch $@

wheel: $(VENV)/.package
	$(BIN)/python -m tests.packaging.wheels $(PYTHONS)

sdist: $(VENV)/.package
	$(BIN)/python -m build --sdist

follow: setup
	$(BIN)/python -m tests.packaging.follow

sbom: $(VENV)/.package
	$(BIN)/python -m tests.packaging.sbom

# An environment of its own. Old packages use what newer ones deprecate: their warnings are not errors here.
LOWEST := .venv-lowest
$(LOWEST)/.built: $(SOURCES) tests/packaging/lowest.py | $(VENV)/.tools
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m tests.packaging.lowest > $(LOWEST)/requirements.txt
	$(LOWEST)/bin/python -m pip install --quiet --group build --requirement $(LOWEST)/requirements.txt
	$(LOWEST)/bin/python -m tests.packaging.install --build-dir build/lowest
	@touch $@

test-lowest: $(LOWEST)/.built
	$(LOWEST)/bin/python -m pytest -W default

test-clang: setup
	$(BIN)/python -m tests.builds clang

test-plain: setup
	$(BIN)/python -m tests.builds plain-loops

clean:
	rm -rf $(VENV) $(LOWEST) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
