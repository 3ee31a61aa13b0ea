"""The texts this project grew from (data/README.md), and a way to run a program under the torch alias."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import chainrule

SOURCES = str(Path(chainrule.__file__).parents[1])


@pytest.fixture(scope="session")
def data():
    return Path(__file__).with_name("data")


@pytest.fixture
def run():
    """run(*arguments) is `chainrule run *arguments` in a process of its own."""

    def run(*arguments):
        path = os.pathsep.join(filter(None, [SOURCES, os.environ.get("PYTHONPATH")]))
        return subprocess.run(
            [sys.executable, "-m", "chainrule", "run", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run
