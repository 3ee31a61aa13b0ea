"""The answer for a name that PyTorch has and chainrule has not: not there yet, and where the list is."""

import opcode
import sys

COVERAGE = "docs/coverage.md"
IMPORT_FROM = opcode.opmap["IMPORT_FROM"]


def torch_name(name):
    """The name under which PyTorch knows one of our public modules: chainrule.nn is torch.nn."""
    return "torch" + name.removeprefix("chainrule")


def message(name):
    return f"{name} is not in chainrule yet; {COVERAGE} lists what is"


def names_of(module_name, find=None):
    """A module-level `__getattr__` for the public module of that name.

    `find(name)`, if given, is asked first: what it returns, unless None, is the module's attribute.

    Raises AttributeError for `torch.X` and ImportError for `from torch import X`, each as Python does for a
    name that is nowhere, with our message. Double-underscore names, which tools probe, keep Python's own
    words.
    """

    def __getattr__(name):
        found = None if find is None else find(name)
        if found is not None:
            return found
        module = sys.modules[module_name]
        if name.startswith("__"):
            raise AttributeError(f"module '{module_name}' has no attribute '{name}'", name=name, obj=module)
        text = message(f"{torch_name(module_name)}.{name}")
        if _is_from_import(sys._getframe(1)) and f"{module_name}.{name}" not in sys.modules:
            raise ImportError(text, name=module_name, path=getattr(module, "__file__", None))
        raise AttributeError(text, name=name, obj=module)

    return __getattr__


def _is_from_import(frame):
    # Python replaces an AttributeError in `from m import X` by an ImportError of its own text.
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == IMPORT_FROM


def answer(module):
    """The public module, given the `__getattr__` of `names_of` if it has none of its own."""
    vars(module).setdefault("__getattr__", names_of(module.__name__))
    return module
