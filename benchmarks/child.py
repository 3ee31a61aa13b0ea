"""Processes that measure: this interpreter, with the environment a benchmark needs."""

import json
import os
import subprocess
import sys

# Set on some machines for the sake of old builds of OpenBLAS; they would slow the one that NumPy brings.
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def run(*arguments, **variables):
    """What `python ARGUMENTS` printed, read as JSON; None if the process died."""
    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**environment, **variables},
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        print(f"{' '.join(map(str, arguments))}: exit status {done.returncode}", file=sys.stderr)
        return None
    return json.loads(done.stdout)
