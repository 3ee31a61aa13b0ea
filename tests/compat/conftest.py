"""A fresh interpreter that finds this chainrule: the alias is process-wide, its tests share no process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import chainrule

SOURCES = str(Path(chainrule.__file__).parents[1])


@pytest.fixture
def python(tmp_path):
    """python(*arguments, stdin=None, before=()) runs the interpreter in tmp_path; `before` leads its path."""

    def run(*arguments, stdin=None, before=()):
        path = [*map(str, before), SOURCES, os.environ.get("PYTHONPATH", "")]
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture
def prints(python):
    """prints(code, **options): what a program printed, which must not fail."""

    def run(code, **options):
        done = python("-c", code, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
