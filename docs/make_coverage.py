"""Write docs/coverage.md: what of torch's API is answered. `python docs/make_coverage.py`; a test holds it to this."""

import importlib
import inspect
import textwrap
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType

from chainrule._tensor.stubs import members

PAGES = (
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.rnn",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.optim.swa_utils",
    "torch.autograd",
    "torch.autograd.forward_ad",
    "torch.autograd.functional",
    "torch.autograd.graph",
    "torch.autograd.profiler",
    "torch.func",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.distributions",
    "torch.amp",
    "torch.random",
    "torch.profiler",
    "torch.testing",
    "torch.overrides",
    "torch.utils.data",
    "torch.utils.checkpoint",
)
# Names that a module has because it is made with them, not because they are its own to give.
TOOLS = {"public", "get_slots", "FROM_TORCH"}
MISSING = object()
ATTRIBUTES, METHODS = members()


def names_of(module):
    """The public names of a module: its __all__, or what it defines and gives on; no modules, no in-place forms."""
    found = []
    for name in set(getattr(module, "__all__", vars(module))) - TOOLS:
        value = getattr(module, name, MISSING)
        foreign = isinstance(value, type | FunctionType) and not value.__module__.startswith("chainrule")
        inplace = name.endswith("_") and METHODS.get(name) is value
        if not (name.startswith("_") or value is MISSING or inspect.ismodule(value) or foreign or inplace):
            found.append(name)
    return sorted(found)


def block(names):
    return textwrap.fill(", ".join(names), 118, break_long_words=False, break_on_hyphens=False)


def exists(name):
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def page():
    """The text of coverage.md."""
    ours = {public: public.replace("torch", "chainrule", 1) for public in PAGES}
    lines = [
        "# What is here",
        "",
        "Written by `python docs/make_coverage.py`. A public name of PyTorch that is not listed raises an error that",
        "says so. In-place forms such as `relu_` stand among the methods of Tensor and are not repeated as functions.",
    ]
    absent = [f"`{public}`" for public, name in ours.items() if not exists(name)]
    if absent:
        lines += ["", textwrap.fill("Not here at all: " + ", ".join(absent) + ".", 118)]
    for public, name in ours.items():
        if exists(name):
            names = names_of(importlib.import_module(name))
            lines += ["", f"## {public} ({len(names)})", "", block(names)]
    names = sorted(n for n in (*ATTRIBUTES, *METHODS) if not n.startswith("_"))
    lines += ["", f"## torch.Tensor ({len(names)})", "", block(names), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    place = Path(__file__).parent / "coverage.md"
    place.write_text(page(), encoding="utf-8")
    print(place)
