"""python -m benchmarks: measures side by side with PyTorch, prints the table, writes results.md.

Both libraries run at their default thread counts; medians of samples taken in turn. Without PyTorch only
chainrule is timed. Exit status 1 if a target is missed.
"""

import argparse
import importlib.metadata
import sys
from pathlib import Path

from benchmarks import table
from benchmarks.machine import facts
from benchmarks.rows import measure

RESULTS = Path(__file__).with_name("results.md")
EXPLANATION = """\
Measured by `make bench` (`python -m benchmarks`): medians, both libraries in turn in the same run, both at
their default thread counts. Memory is the growth of the process while the chain is built, divided by its
operations; for chainrule the NumPy array that a node keeps alive is taken off, for PyTorch the whole is
shown.
"""


def _torch_version():
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return None


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=15, help="samples a workload (default: %(default)s)")
    parser.add_argument(
        "--chain", type=int, default=1_000_000, help="operations in the chain (default: %(default)s)"
    )
    parser.add_argument("--no-write", action="store_true", help="leave results.md as it is")
    options = parser.parse_args()

    torch = _torch_version()
    machine = "\n".join(f"- {fact}" for fact in facts(torch))
    print(machine, table.HEADING, sep="\n\n", flush=True)
    rows = []
    for row in measure(torch is not None, options.samples, options.chain, _say):
        print(row, flush=True)
        rows.append(row)
    if not options.no_write:
        RESULTS.write_text(
            f"# Speed and memory\n\n{EXPLANATION}\n{machine}\n\n{table.text(rows)}\n", encoding="utf-8"
        )
        print(f"\nwritten to {RESULTS}")
    return 0 if all(row.met is not False for row in rows) else 1


def _say(what):
    if sys.stderr.isatty():
        print(f"measuring {what} ...", file=sys.stderr)


sys.exit(main())
