"""What the figures were measured on and with."""

import os
import platform

import numpy as np

from chainrule import cli, version
from chainrule._core import mode


def facts(torch_version):
    numpy = f"NumPy {np.__version__} ({cli.blas_name()})"
    return [
        f"{cli.cpu_name()}, {os.cpu_count()} logical cores, {platform.system()}",
        f"Python {platform.python_version()}, {numpy}",
        f"chainrule {version.chainrule} ({mode.reason()})",
        f"PyTorch {torch_version}" if torch_version else "PyTorch is not installed: only chainrule was timed",
    ]
