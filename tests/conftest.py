"""What holds for every test: the build that was asked for is the one under test, and PyTorch is never imported.

Tests marked `parity` compare with an installed PyTorch; they run with `-m parity` only.
"""

import os
import sys

import pytest

import chainrule
from chainrule._core import mode


def pytest_configure(config):
    """Refuse to test uncompiled modules where compiled ones are required."""
    required = os.environ.get("CHAINRULE_REQUIRE_COMPILED") == "1" and os.environ.get("CHAINRULE_PURE") != "1"
    if required and not mode.compiled:
        pytest.exit(f"CHAINRULE_REQUIRE_COMPILED=1, but {mode.reason()}", returncode=2)


def pytest_report_header(config):
    return f"chainrule {chainrule.__version__}: {mode.reason()}"


def pytest_sessionfinish(session):
    """The default run must not need PyTorch: whoever imported it made the run fail."""
    torch = sys.modules.get("torch")
    if torch is not None and torch is not chainrule and session.config.option.markexpr != "parity":
        print(f"\nPyTorch was imported by the default run, from {getattr(torch, '__file__', torch)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
