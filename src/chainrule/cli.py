"""The command line: `chainrule run`, `chainrule demo`, `chainrule info`.

Arguments are read here; compat/program.py runs programs, the facts of `info` come from where they are kept.
"""

import argparse
import importlib.metadata
import os
import platform
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from chainrule import version
from chainrule._core import config, mode
from chainrule.backends.cpu import get_cpu_capability
from chainrule.compat import program

EXTRAS = ("scipy", "ml_dtypes", "tqdm", "matplotlib", "igraph", "torch")
DEMO_NEEDS = ("tqdm", "matplotlib", "igraph")
DEMO = Path(__file__).with_name("_demo.py")


def main(argv=None):
    """Reads the arguments (sys.argv's if none are given), does what they say, returns the exit status."""
    options = _parser().parse_args(argv)
    return options.action(options)


def _parser():
    parser = argparse.ArgumentParser(
        prog="chainrule",
        description="PyTorch's autograd as a Python library that can be read.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"chainrule {version.chainrule}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    run = commands.add_parser(
        "run",
        help="run an unmodified PyTorch program on chainrule",
        description="Runs a program as `python` does, except that `import torch` gives chainrule.",
        usage="chainrule run [-h] (SCRIPT | -m MODULE | -c CODE) [ARGUMENT ...]",
        epilog="example: chainrule run train.py --epochs 3",
        allow_abbrev=False,
    )
    # Everything after the program is the program's, whatever it looks like: hence the remainders.
    run.add_argument(
        "script", nargs="?", metavar="SCRIPT", help="a file, a directory or archive, or - for stdin"
    )
    run.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT", help="given to the program")
    run.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="MODULE ARGUMENT ...: as python -m")
    run.add_argument("-c", dest="code", nargs=argparse.REMAINDER, help="CODE ARGUMENT ...: as python -c")
    run.set_defaults(action=_run, error=run.error)

    demo = commands.add_parser(
        "demo",
        help="train a classifier of handwritten digits and draw what happened",
        description="Trains a classifier of handwritten digits in a few seconds and writes three pictures: "
        "the graph of one training step, the loss, and predictions.",
    )
    demo.add_argument(
        "--out", default="demo-output", metavar="DIR", help="where to write (default: %(default)s)"
    )
    demo.add_argument("--epochs", type=int, default=12, metavar="N", help="default: %(default)s")
    demo.set_defaults(action=_demo)

    info = commands.add_parser(
        "info",
        help="version, compiled or pure, NumPy, CPU and settings, for a bug report",
        description="Prints what a bug report should contain.",
    )
    info.set_defaults(action=_info)
    return parser


def _run(options):
    if options.script is not None:
        start, words = program.run_script, [options.script, *options.arguments]
    elif options.module:
        start, words = program.run_module, options.module
    elif options.code:
        start, words = program.run_code, options.code
    else:
        options.error("name a program: SCRIPT, -m MODULE or -c CODE")
    try:
        start(words[0], words[1:])
    except program.ProgramNotFound as error:
        print(f"chainrule run: {error}", file=sys.stderr)
        return error.status
    return 0


def _demo(options):
    absent = [name for name in DEMO_NEEDS if find_spec(name) is None]
    if absent:
        print(
            f"chainrule demo needs {', '.join(absent)}: pip install 'chainrule[demo]'",
            file=sys.stderr,
        )
        return 1
    program.run_script(str(DEMO), ["--out", options.out, "--epochs", str(options.epochs)])
    return 0


def _info(options):
    width = max(map(len, config.VARIABLES)) + 2
    for name, value in [
        ("chainrule", f"{version.chainrule} (torch.__version__ {version.__version__})"),
        ("mode", mode.reason()),
        ("place", Path(__file__).parent),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()}, {sys.executable})"),
        ("NumPy", f"{np.__version__} (BLAS: {blas_name()})"),
        ("system", platform.platform()),
        ("CPU", f"{cpu_name()}, {os.cpu_count()} logical cores, {get_cpu_capability()}"),
        *((name, _distribution(name)) for name in EXTRAS),
        *((name, _setting(name)) for name in config.VARIABLES),
    ]:
        print(f"{name:<{width}}{value}")
    return 0


def blas_name():
    found = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"{found.get('name', 'unknown')} {found.get('version', '')}".strip()


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _distribution(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _setting(name):
    value = config.read(name)
    return f"{'not set' if value is None else repr(value)}   ({config.VARIABLES[name]})"
