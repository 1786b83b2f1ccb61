# Two commands do everything on a fresh machine with Python 3.11+ (pip, venv) and make:
#   make demo   a sample data room, scanned, with its report
#   make test   lint, types and every test
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
DEMO ?= demo-dataroom
WORKERS ?= -n logical --maxprocesses 8

.PHONY: demo test quick soak bench lint lock clean

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "truecopy needs Python 3.11 or newer, and this is " + sys.version.split()[0] + "; run: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(BIN)/python requirements/run.lock pyproject.toml
	$(PIP) install --require-hashes -r requirements/run.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: $(VENV)/.run requirements/test.lock
	$(PIP) install --require-hashes -r requirements/test.lock
	@touch $@

$(VENV)/.bench: $(VENV)/.test requirements/bench.lock
	$(PIP) install --require-hashes -r requirements/bench.lock
	@touch $@

demo: $(VENV)/.run
	rm -rf $(DEMO) $(DEMO)-truth.json $(DEMO)-matter
	$(BIN)/truecopy demo $(DEMO) --scan

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Quick tests first, then slow ones, on every core; last, one at a time, those that measure time or memory.
test: lint
	$(BIN)/pytest $(WORKERS) -m "not alone and not soak"
	$(BIN)/pytest -m "alone and not soak"

# The inner loop: what takes seconds.
quick: lint
	$(BIN)/pytest $(WORKERS) -m "not slow and not alone and not soak"

soak: $(VENV)/.bench
	$(BIN)/pytest -m soak

bench: $(VENV)/.bench
	for name in sign families statistics_growth scan range hamming bands sets containment growth memory dense startup verify documents matter; do $(BIN)/python benchmarks/$$name.py --scale full || exit 1; done

# Pins of every dependency, with hashes and without addresses: they install from whatever index pip is set up for.
lock: $(BIN)/python
	$(PIP) install uv
	for group in run test bench; do $(BIN)/python tools/lock.py $$group; done

clean:
	rm -rf $(VENV) $(DEMO) $(DEMO)-truth.json $(DEMO)-matter .mypy_cache .ruff_cache .hypothesis
