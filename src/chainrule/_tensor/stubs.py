"""Stub files (.pyi) for editors and type checkers, written from the op table and the live modules.

`python -m chainrule._tensor.stubs` writes them; a test holds them to the table. A parameter whose kind of value is
evident from its name or default gets a type, others are Any: the table states names and defaults, not types.
"""

import importlib
import inspect
import keyword
from pathlib import Path

ROOT = Path(__file__).parent.parent
FACES = {
    "chainrule": "__init__.pyi",
    "chainrule.nn.functional": "nn/functional.pyi",
    "chainrule.linalg": "linalg/__init__.pyi",
    "chainrule.fft": "fft/__init__.pyi",
    "chainrule.special": "special/__init__.pyi",
}
TENSORS = {"input", "other", "mat1", "mat2", "weight", "index", "mask", "target", "tensor1", "tensor2", "vec", "mat"}
INTEGERS = {"dim", "dim0", "dim1", "diagonal", "offset"}
HEAD = '"""Written by `python -m chainrule._tensor.stubs` from the op table; do not edit."""\n\n'


def annotation(parameter):
    """The type of one parameter as far as its name or default tells."""
    if parameter.name in TENSORS and parameter.default in (inspect.Parameter.empty, None):
        return "Tensor" if parameter.default is inspect.Parameter.empty else "Tensor | None"
    if isinstance(parameter.default, bool):
        return "builtins.bool"
    if parameter.name in INTEGERS and isinstance(parameter.default, int):
        return "int"
    return "Any"


def header(name, function, method=False, result="Any"):
    """`def name(…) -> …: ...` for a function or a method."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return f"def {name}(*args: Any, **kwargs: Any) -> {result}: ..."
    parts, star = [], False
    for i, p in enumerate(parameters):
        if method and i == 0:
            parts.append("self")
            continue
        if p.kind is p.VAR_POSITIONAL:
            parts.append(f"*{p.name}: Any")
            star = True
            continue
        if p.kind is p.VAR_KEYWORD:
            parts.append(f"**{p.name}: Any")
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        default = "" if p.default is p.empty else " = ..."
        parts.append(f"{p.name}: {annotation(p)}{default}")
    return f"def {name}({', '.join(parts)}) -> {result}: ..."


def is_name(name):
    return name.isidentifier() and not keyword.iskeyword(name)


def tensor_class():
    """The stub of Tensor: every method and property it has."""
    from chainrule._engine.tensor import Tensor

    lines = ["class Tensor:"]
    for name in sorted(dir(Tensor)):
        private = name.startswith("_") and not (name.startswith("__") and name.endswith("__"))
        if private or not is_name(name) or name in ENGINE_FIELDS or name in vars(object):
            continue
        value = inspect.getattr_static(Tensor, name)
        if isinstance(value, property) or inspect.isgetsetdescriptor(value) or inspect.ismemberdescriptor(value):
            lines += ["    @property", f"    def {name}(self) -> Any: ...", f"    @{name}.setter"]
            lines += [f"    def {name}(self, value: Any) -> None: ..."]
        elif isinstance(value, (classmethod, staticmethod)) or callable(value):
            lines.append("    " + header(name, getattr(Tensor, name), method=True))
    lines.append("    def __init__(self, *args: Any, **kwargs: Any) -> None: ...")
    lines.append("    def __hash__(self) -> int: ...")
    lines.append("    def __getattr__(self, name: str) -> Any: ...")
    return [line for line in lines if " def __pyx" not in line]


ENGINE_FIELDS = {
    "array", "meta", "node", "counter", "autograd", "needs_grad", "override", "weak", "on_meta", "output_number",
}  # fmt: skip


def stub(module_name):
    """The text of one module's stub."""
    module = importlib.import_module(module_name)
    lines = ["import builtins", "from typing import Any", ""]
    if module_name == "chainrule":
        lines += tensor_class() + [""]
    else:
        lines += ["from chainrule import Tensor", ""]
    for name in sorted(vars(module)):
        value = vars(module)[name]
        if name.startswith("_") or not is_name(name) or name == "Tensor" or inspect.ismodule(value):
            continue
        if isinstance(value, type):
            lines.append(f"{name}: type[Any]")
        elif callable(value) and hasattr(value, "__name__"):
            lines.append(header(name, value))
        else:
            lines.append(f"{name}: Any")
    if module_name == "chainrule":
        lines.append("def __getattr__(name: str) -> Any: ...")
    return HEAD + "\n".join(lines) + "\n"


def main():
    """Write every stub beside its module."""
    for module_name, place in FACES.items():
        (ROOT / place).write_text(stub(module_name))
        print(ROOT / place)


if __name__ == "__main__":
    main()
