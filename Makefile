# Needs only make and Python 3.11 or newer. Everything is installed into .venv.

PYTHON ?= $(shell for p in python3.12 python3.13 python3.11 python3.14 python3 python; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	then echo $$p; break; fi; done)
BIN = .venv/bin
SPREAD ?= -n 2 --dist worksteal

.PHONY: demo test test-all test-rl lint docs bench clean

demo: .venv/installed  ## a table of gaps for three UCI datasets
	$(BIN)/python examples/02_compare_solvers.py

test: .venv/installed-test  ## the test suite
	$(BIN)/python -m pytest $(SPREAD)

test-all: .venv/installed-test  ## the slow tests too
	$(BIN)/python -m pytest $(SPREAD) -m ""

test-rl: .venv/installed-rl .venv/installed-test  ## the deep learners; installs torch
	$(BIN)/python -m pytest tests/test_rl_deep.py

lint: .venv/installed-lint  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/installed-docs  ## HTML pages in docs/_build
	$(BIN)/sphinx-build -W -q docs docs/_build

bench: .venv/installed  ## the benchmarks, one after the other; some need ODT_DATA
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf .venv .venv-pulp3 .venv-pulp4 docs/_build

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make virtual \
	environments. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/installed-%: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@ .venv/installed
