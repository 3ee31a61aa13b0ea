"""Running an unmodified PyTorch program as `__main__` under the alias: what `chainrule run` does.

What the program sees is what `python program.py` would show it: `__main__`, sys.argv, sys.path, exit status,
and tracebacks that begin in the program. Child processes import it as they would import any main module.
"""

import builtins
import importlib.util
import io
import os
import sys
from importlib.machinery import BuiltinImporter, PathFinder, SourceFileLoader
from types import ModuleType

from chainrule.compat.alias import install


class ProgramNotFound(Exception):
    """The program does not exist; `status` is the exit status that Python gives for it."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


def run_script(path, args):
    """Runs a file, the `__main__.py` of a directory or archive, or for "-" what comes on standard input."""
    if path == "-":
        main = _new_main(__file__="<stdin>", __cached__=None)
        _run(main, lambda: _compile(sys.stdin.read(), "<stdin>"), [path, *args], "")
        return
    full = os.path.abspath(path)
    spec = PathFinder.find_spec("__main__", [full])
    if spec is not None:
        _run_spec(spec, path, args, full)
    elif os.path.isfile(full):
        main = _new_main(__file__=full, __cached__=None, __loader__=SourceFileLoader("__main__", full))
        _run(main, lambda: _compile_file(full), [path, *args], os.path.dirname(os.path.realpath(full)))
    elif os.path.exists(full):
        raise ProgramNotFound(f"can't find '__main__' module in '{full}'", 1)
    else:
        raise ProgramNotFound(f"can't open file '{full}': [Errno 2] No such file or directory", 2)


def run_module(name, args):
    """Runs a module, or a package's `__main__`, found on sys.path as `python -m` does."""
    _set_path(os.getcwd())
    spec = _main_spec(name)
    _run_spec(spec, spec.origin, args, os.getcwd())


def run_code(code, args):
    """Runs a string of Python as `python -c` does."""
    _run(_new_main(), lambda: _compile(code, "<string>"), ["-c", *args], "")


def _main_spec(name):
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            name += ".__main__"
            spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        raise ProgramNotFound(f"Error while finding module specification for {name!r} ({error})", 1) from None
    if spec is None or spec.loader is None:
        raise ProgramNotFound(f"No module named {name}", 1)
    return spec


def _run_spec(spec, argv0, args, path_entry):
    main = _new_main(
        __file__=spec.origin,
        __cached__=spec.cached,
        __loader__=spec.loader,
        __spec__=spec,
        __package__=spec.parent,
    )
    _run(main, lambda: spec.loader.get_code(spec.name), [argv0, *args], path_entry)


def _compile_file(path):
    with io.open_code(path) as file:
        return _compile(file.read(), path)


def _compile(source, name):
    return compile(source, name, "exec", dont_inherit=True)


def _new_main(**attributes):
    main = ModuleType("__main__")
    vars(main).update({"__builtins__": builtins, "__loader__": BuiltinImporter, **attributes})
    return main


def _set_path(entry):
    # Python put the directory of `chainrule` itself first, unless it was told to put nothing there.
    if not sys.flags.safe_path:
        sys.path[0] = entry


def _run(main, compiled, argv, path_entry):
    install()
    sys.argv[:] = argv
    _set_path(path_entry)
    sys.modules["__main__"] = main
    try:
        exec(compiled(), vars(main))
    except SystemExit:
        raise
    except BaseException as error:
        _show_from_program(error)
        raise


def _show_from_program(error):
    """Leaves the error to Python's own handling, with no frames shown but the program's."""
    hook = sys.excepthook
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next

    def show(kind, value, _):
        if value is error:
            value = value.with_traceback(frames)
        hook(kind, value, value.__traceback__)

    sys.excepthook = show
