"""The `torch` alias: an import hook under which torch.X is the module object chainrule.X, not a copy of it.

The hook looks at nothing but `torch` and `torch.*`, loads on demand, and leaves each module the `__spec__` it
was imported with. It is process-wide; children.py takes it into child processes.
"""

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec

from chainrule.compat import children, missing

# Rooms of ours that PyTorch has no counterpart for: reachable as chainrule.X, unknown as torch.X.
OURS = frozenset("_core _data _demo _engine _kernels _ops _tensor _trace cli compat explain __main__".split())


class Alias:
    """Finder and loader of the alias; the one that is installed stands in sys.meta_path."""

    def __init__(self):
        self.specs = {}
        self.patches = children.Patches()

    def find_spec(self, name, path=None, target=None):
        if name != "torch" and not name.startswith("torch."):
            return None
        own = _own_spec(name)
        if own is not None:
            package = own.submodule_search_locations is not None
            return ModuleSpec(name, self, origin=own.origin, is_package=package)
        # An import is told what is missing; a probe such as importlib.util.find_spec gets None.
        if sys._getframe(2).f_code.co_name == "_find_and_load_unlocked":
            raise ModuleNotFoundError(missing.message(name), name=name)
        return None

    def create_module(self, spec):
        module = importlib.import_module(_own_name(spec.name))
        self.specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module):
        # Python has just written the alias's spec into the module: its own one is put back.
        module.__spec__ = self.specs.pop(module.__spec__.name)
        missing.answer(module)


def _own_name(name):
    return "chainrule" + name.removeprefix("torch")


def _own_spec(name):
    if name.count(".") and name.split(".")[1] in OURS:
        return None
    try:
        return importlib.util.find_spec(_own_name(name))
    except ModuleNotFoundError:
        return None


def _is_ours(module):
    return getattr(module, "__name__", "").split(".")[0] == "chainrule"


def _current():
    return next((finder for finder in sys.meta_path if isinstance(finder, Alias)), None)


def installed():
    """Whether `import torch` gives chainrule in this process."""
    return _current() is not None


def install():
    """Makes `import torch` and `import torch.*` give chainrule's modules, here and in child processes.

    Installing twice is the same as once. RuntimeError if PyTorch itself is already imported in this process:
    its modules would mix with ours.
    """
    real = sys.modules.get("torch")
    if real is not None and not _is_ours(real):
        raise RuntimeError(
            "chainrule.compat.install(): PyTorch itself is already imported in this process (from "
            f"{getattr(real, '__file__', 'an unknown place')}); "
            "install the alias before the first `import torch`"
        )
    if not installed():
        sys.meta_path.insert(0, Alias())


def uninstall():
    """Takes the alias away: the next `import torch` finds PyTorch itself, if it is there."""
    alias = _current()
    if alias is None:
        return
    alias.patches.undo()
    sys.meta_path.remove(alias)
    for name, module in list(sys.modules.items()):
        if (name == "torch" or name.startswith("torch.")) and _is_ours(module):
            del sys.modules[name]
