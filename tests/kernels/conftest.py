"""Both versions of a native kernel: the module as imported, and the plain twin beside it."""

import importlib
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import chainrule._kernels


def plain(name):
    """The .py of a kernel module, whether or not a compiled one is installed beside it."""
    path = Path(chainrule._kernels.__file__).parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"plain_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def twins():
    """A function from a kernel module's name to (the module as imported, its plain twin)."""
    return lambda name: (importlib.import_module(f"chainrule._kernels.{name}"), plain(name))


@pytest.fixture(params=["as imported", "plain"])
def version(request):
    """A function from a kernel module's name to the module, once as imported and once plain."""
    if request.param == "plain":
        return plain
    return lambda name: importlib.import_module(f"chainrule._kernels.{name}")


@pytest.fixture
def rng():
    return np.random.default_rng(7)
