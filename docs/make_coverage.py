"""Write docs/coverage.md: what of torch's API is answered. `python docs/make_coverage.py`; a test holds it to the code."""

import importlib
import inspect
import textwrap
from pathlib import Path

PAGES = (
    ("torch", "chainrule"),
    ("torch.nn", "chainrule.nn"),
    ("torch.nn.functional", "chainrule.nn.functional"),
    ("torch.nn.init", "chainrule.nn.init"),
    ("torch.nn.utils", "chainrule.nn.utils"),
    ("torch.optim", "chainrule.optim"),
    ("torch.optim.lr_scheduler", "chainrule.optim.lr_scheduler"),
    ("torch.autograd", "chainrule.autograd"),
    ("torch.autograd.functional", "chainrule.autograd.functional"),
    ("torch.linalg", "chainrule.linalg"),
    ("torch.fft", "chainrule.fft"),
    ("torch.special", "chainrule.special"),
    ("torch.utils.data", "chainrule.utils.data"),
)


def names_of(module):
    """The public names of a module: its __all__, or what it defines and does not merely import as a module."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(set(listed))
    return sorted(n for n, v in vars(module).items() if not n.startswith("_") and not inspect.ismodule(v))


def block(names):
    return textwrap.fill(", ".join(names), 118, break_long_words=False, break_on_hyphens=False)


def page():
    """The text of coverage.md."""
    import chainrule

    lines = [
        "# What is here",
        "",
        "Written by `python docs/make_coverage.py`. A name that is missing answers",
        "`torch.X is not in chainrule yet` when asked for.",
    ]
    for public, name in PAGES:
        module = importlib.import_module(name)
        prefix = "" if public == "torch" else public.removeprefix("torch.") + "."
        names = names_of(module)
        lines += ["", f"## {public} ({len(names)})", ""]
        example = f"torch.{prefix}{names[0]}" if names else public
        if "Linear" in names:
            example = f"torch.{prefix}Linear"
        lines += [f"`{example}` and so on.", "", block(names)]
    methods = sorted(n for n in dir(chainrule.Tensor) if not n.startswith("_") and n not in FIELDS)
    lines += ["", f"## torch.Tensor ({len(methods)})", "", block(methods), ""]
    return "\n".join(lines)


FIELDS = {"array", "meta", "node", "counter", "autograd", "needs_grad", "override", "weak", "on_meta", "output_number"}

if __name__ == "__main__":
    place = Path(__file__).parent / "coverage.md"
    place.write_text(page())
    print(place)
