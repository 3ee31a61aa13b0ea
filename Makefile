# make demo, make test: work on a fresh machine with Python >= 3.11. VENV and PYTHON may be set.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: build demo test bench lint docs clean

$(VENV)/installed: pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet "setuptools>=77" wheel "cython>=3.1" "numpy>=2.0"
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[demo,test,dev]"
	touch $@

build: $(VENV)/installed
	$(BIN)/python setup.py --quiet build_ext --inplace
