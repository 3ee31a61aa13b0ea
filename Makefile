# make demo, make test: work on a fresh machine with Python >= 3.11, with or without a C compiler. PYTHON, VENV and
# PYTEST (arguments for pytest) may be set: make test PYTEST="tests/engine -x"
PYTHON ?= python3
VENV ?= .venv
PYTEST ?= -n auto --dist worksteal
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet
# the one release that the parity run compares with
TORCH = torch==2.13.0

.PHONY: build demo test parity bench lint wheel clean

$(VENV)/installed: pyproject.toml setup.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "chainrule needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install "setuptools>=77" "cython>=3.1" "numpy>=2.0"
	CHAINRULE_PURE=1 $(PIP) install --no-build-isolation --editable ".[demo,test,dev]"
	touch $@

# Compiles what changed (installing, which knows nothing of earlier builds, leaves that to this). Without a C compiler nothing is compiled and everything below works uncompiled.
build: $(VENV)/installed
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@$(BIN)/python -m chainrule info | grep -E '^(mode|Python|NumPy)'

demo: build
	$(BIN)/python -m chainrule demo

test: build
	$(BIN)/python -m pytest $(PYTEST)

# Op by op against PyTorch itself, on the operator database that its wheel brings.
parity: build
	$(PIP) install "$(TORCH)"
	$(BIN)/python -m pytest -m parity $(PYTEST)

bench: build
	$(BIN)/python -m benchmarks

lint: $(VENV)/installed
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

# What users get: one wheel that needs NumPy only.
wheel: $(VENV)/installed
	rm -rf dist; find build/lib* -type f ! -name '*.so' -delete
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python .ci/check_wheel.py dist/*.whl

clean:
	rm -rf build dist $(VENV) .pytest_cache .mypy_cache .ruff_cache
	find src -name '*.so' -delete
