# Everything a developer or a newcomer runs. `make run` and `make test` need Python 3.11 or later and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --no-input
# NETWORK=1 installs the neural network, which then gives every game a first opinion: 40 MB.
NETWORK ?=
# Processes that share the tests between them: one more than a small machine has processors, since many tests wait
# for servers of their own to begin and to end.
JOBS ?= 3
# The tests start many processes, each of which would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test quick check setup runtime compiled bench faults hostile help
help:
	@echo "make run    start the archive with sample games;  make run NETWORK=1  with a first opinion on every game"
	@echo "make test   lint, types and every test on SQLite and PostgreSQL, with a browser where there is one"
	@echo "make quick  the tests nearest to your changes, on SQLite"
	@echo "make check  lint and types only;  make bench  the benchmarks;  make setup  the environment only"
	@echo "make compiled compile the record library, which make run and make bench then use, and test it"
	@echo "make runtime the environment of a server: what is locked in requirements.lock and nothing for tests"
	@echo "make faults break archives on purpose, on both engines, and look whether they are whole"
	@echo "make hostile attack archives, on both engines, and look how they and their other visitors fare"

# The compiled library, unless a source is newer.
COMPILED := build/compiled
USE_COMPILED = export PYTHONSAFEPATH=1 PYTHONPATH="$(CURDIR)/$(COMPILED):$(CURDIR)"
IF_COMPILED = if [ -e $(COMPILED)/.built ] && [ -z "$$(find kifu_core setup.py -name '*.py' -newer $(COMPILED)/.built)" ]; \
	then $(USE_COMPILED); fi

run: $(VENV)/.runtime $(if $(NETWORK),$(VENV)/.network)
	@$(IF_COMPILED); exec $(BIN)/python manage.py serve

# Compiles the modules with the loops over moves and squares, which takes a minute and a C compiler, and runs the
# library's tests on them.
compiled: $(VENV)/.development
	@rm -rf $(COMPILED)
	@echo "== compiling"
	@KIFU_COMPILE=1 $(BIN)/python setup.py -q build --build-base build/parts --build-lib $(COMPILED)
	@touch $(COMPILED)/.built
	@$(USE_COMPILED) KIFU_COMPILED=1; $(PYTEST) --import-mode append -o django_find_project=false tests/kifu_core

CHECK = $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
PYTEST = $(BIN)/pytest -n $(JOBS) --dist worksteal --durations 15 --durations-min 5
ARCHIVE_TESTS = tests/archive tests/faults
# All parts run, also after one that failed: one run tells everything. Lint and types run beside the first tests.
test: $(VENV)/.development
	@failed=; log=$$(mktemp); { $(CHECK); } >$$log 2>&1 & \
	echo "== tests on SQLite"; \
	$(PYTEST) || failed=", tests on SQLite"; \
	echo "== tests on PostgreSQL"; \
	$(BIN)/python -m tests.postgres $(PYTEST) --database $(ARCHIVE_TESTS) || failed="$$failed, tests on PostgreSQL"; \
	echo "== lint and types"; \
	wait $$! || failed="$$failed, lint or types"; \
	cat $$log; rm $$log; \
	[ -z "$$failed" ] || { echo "failed: $${failed#, }" >&2; exit 1; }

# The tests that are nearest to the changes in the working tree; `make quick SINCE=main` compares with a branch.
SINCE ?= HEAD
quick: $(VENV)/.development
	@tests=$$($(BIN)/python -m tools.affected $(SINCE)) || exit; \
	if [ -n "$$tests" ]; then $(PYTEST) $$tests; else echo "no test is near to what has changed"; fi

check: $(VENV)/.development
	@echo "== lint and types"
	@$(CHECK)

setup: $(VENV)/.development

runtime: $(VENV)/.runtime $(if $(NETWORK),$(VENV)/.network)
	@$(BIN)/python -m compileall -q archive front_server kifu_core

BENCHMARKS = keys parse "index --engine postgresql" "index --engine sqlite" patterns pages serve
bench: $(VENV)/.development
	@$(IF_COMPILED); failed=; for table in $(BENCHMARKS); do \
		echo "== $$table"; $(BIN)/python -m benchmarks.$$table || failed="$$failed, $$table"; \
	done; \
	[ -z "$$failed" ] || { echo "failed: $${failed#, }" >&2; exit 1; }

faults: $(VENV)/.development
	@$(BIN)/python -m tests.faults

# Options of the attack, such as `make hostile HOSTILE="--seed 7 --engine sqlite"`.
HOSTILE ?=
hostile: $(VENV)/.development
	@$(BIN)/python -m tests.hostile $(HOSTILE)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=python3.12 run")'
	@echo "== creating the environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock | $(BIN)/python
	@echo "== installing what the archive needs"
	@$(PIP) install --progress-bar on --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.development: requirements-dev.lock $(VENV)/.network | $(BIN)/python
	@echo "== installing what the archive and its tests need"
	@$(PIP) install --progress-bar on --require-hashes -r requirements-dev.lock
	@touch $@ $(VENV)/.runtime

# Without the packages that the network itself does not need.
$(VENV)/.network: requirements-network.lock | $(BIN)/python
	@echo "== installing the neural network"
	@$(PIP) install --progress-bar on --require-hashes --no-deps -r requirements-network.lock
	@touch $@
