"""Compiled or pure: which of the two forms of this tree the interpreter imports.

Must be imported before any module that may be compiled. With CHAINRULE_PURE=1 a finder that knows source files only
comes first for chainrule's own modules, so that one installed tree serves both ways.
"""

import sys
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

from chainrule._core import config


class SourceFinder:
    """Finds chainrule's modules by their .py only; extension modules beside them stay unseen."""

    def __init__(self):
        self.finders = {}

    def find_spec(self, name, path=None, target=None):
        if path is None or not name.startswith("chainrule."):
            return None
        for entry in path:
            finder = self.finders.get(entry)
            if finder is None:
                finder = self.finders[entry] = FileFinder(entry, (SourceFileLoader, SOURCE_SUFFIXES))
            spec = finder.find_spec(name)
            if spec is not None and spec.loader is not None:
                return spec
        return None

    def invalidate_caches(self):
        for finder in self.finders.values():
            finder.invalidate_caches()


def built():
    """Whether compiled modules lie beside their sources: the loop driver stands for all."""
    kernels = Path(__file__).parent.parent / "_kernels"
    return any((kernels / f"loops{suffix}").exists() for suffix in EXTENSION_SUFFIXES)


def reason():
    """One line for `chainrule info`: which mode this is and why."""
    if config.read("CHAINRULE_PURE") == "1":
        return "pure: CHAINRULE_PURE=1"
    return "compiled" if compiled else "pure: no compiled modules are installed (built without a C compiler or Cython)"


compiled = config.read("CHAINRULE_PURE") != "1" and built()
if not compiled and not any(isinstance(f, SourceFinder) for f in sys.meta_path):
    sys.meta_path.insert(0, SourceFinder())
