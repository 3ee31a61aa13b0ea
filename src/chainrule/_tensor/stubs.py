"""Stub files (.pyi) for editors and type checkers, written from the op table and the live modules.

`python -m chainrule._tensor.stubs` writes them; a test holds them to the code. The table states names and defaults,
not types: a parameter gets a type where its name or default tells, and is Any elsewhere. A function of the table
gives a Tensor unless it is listed below. In-place forms are methods here; as functions they are not listed.
"""

import ast
import importlib
import inspect
import keyword
from pathlib import Path

from chainrule._core.dtype import dtype
from chainrule._engine.tensor import Tensor
from chainrule._tensor.methods import methods

ROOT = Path(__file__).parent.parent
FACES = {
    "chainrule": "__init__.pyi",
    "chainrule.nn.functional": "nn/functional.pyi",
    "chainrule.linalg": "linalg/__init__.pyi",
    "chainrule.fft": "fft/__init__.pyi",
    "chainrule.special": "special/__init__.pyi",
}
HEAD = '"""Written by `python -m chainrule._tensor.stubs` from the op table; do not edit."""\n# ruff: noqa\n'
# A stub's own names have an underscore: int, float, dtype and others are torch's at the top, methods in the class.
NAMES = """
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Iterator as _Iterator
from typing import Any
"""
TOP = (
    "from chainrule._core.device import device as _device",
    "from chainrule._core.dtype import dtype as _dtype",
    "from chainrule._core.layout import layout as _layout",
    "from chainrule._core.size import Size as _Size",
)
# public by position only: what the faces are made with
HERE = {"Tensor", "get_slots", "public"}
TENSORS = {"input", "weight", "mask", "mat1", "mat2", "tensor1", "tensor2", "vec", "mat", "target"}
INTEGERS = set("dim dim0 dim1 start_dim end_dim diagonal offset n groups ignore_index".split())
TYPES = {bool: "_bool", float: "_float", str: "_str"}

# Functions and methods that do not, or not always, give one tensor.
SEVERAL = set(
    "adaptive_max_pool1d adaptive_max_pool1d_with_indices adaptive_max_pool2d adaptive_max_pool2d_with_indices "
    "adaptive_max_pool3d adaptive_max_pool3d_with_indices aminmax apply_ atleast_1d atleast_2d atleast_3d "
    "broadcast_shapes broadcast_tensors cholesky_ex chunk cummax cummin dsplit eig eigh embedding_bag gradient "
    "histogram histogramdd hsplit inv_ex item kthvalue lstsq lu lu_factor lu_factor_ex lu_unpack map2_ map_ max "
    "max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices "
    "median meshgrid min mode nanmedian new nonzero numpy qr register_hook register_post_accumulate_grad_hook "
    "slogdet solve_ex sort split split_copy split_with_sizes split_with_sizes_copy std_mean storage svd "
    "tensor_split tolist topk type unbind unbind_copy unique unique_consecutive unravel_index unsafe_chunk "
    "unsafe_split unsafe_split_with_sizes untyped_storage var_mean vsplit where".split()
)
# What methods (and functions of their names) give that is no tensor at all.
RESULTS = {
    "backward": "None", "retain_grad": "None", "dim": "_int", "ndimension": "_int", "numel": "_int", "nelement": "_int",
    "element_size": "_int", "storage_offset": "_int", "get_device": "_int", "data_ptr": "_int", "size": "Any",
    "stride": "Any", "allclose": "_bool", "equal": "_bool",
}  # fmt: skip
# Tensor's attributes; those that begin with is_ are bool.
ATTRIBUTES = {
    "H": "Tensor", "T": "Tensor", "mH": "Tensor", "mT": "Tensor", "data": "Tensor", "real": "Tensor", "imag": "Tensor",
    "grad": "Tensor | None", "grad_fn": "Any", "requires_grad": "_bool", "retains_grad": "_bool", "output_nr": "_int",
    "shape": "_Size", "dtype": "_dtype", "device": "_device", "layout": "_layout", "ndim": "_int", "itemsize": "_int",
    "nbytes": "_int", "_base": "Tensor | None", "_version": "_int", "_backward_hooks": "Any",
}  # fmt: skip
SETTABLE = {"data", "real", "imag", "grad", "requires_grad", "_backward_hooks"}
BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
UNARY = "neg pos abs invert".split()
COMPARISONS = "lt le gt ge".split()
CONVERSIONS = (
    ("bool", "_bool"),
    ("int", "_int"),
    ("float", "_float"),
    ("complex", "_complex"),
    ("index", "_int"),
)


def unstated(parameter):
    """Whether a parameter has no default, or one that only marks it as missing."""
    return parameter.default is parameter.empty or type(parameter.default).__name__ == "Missing"


def annotation(parameter, names):
    """The type of one parameter as far as its name or default tells; `names`: those of all parameters."""
    name, default = parameter.name, parameter.default
    if unstated(parameter):
        if name == "other" or name == "input" and not {"other", "exponent"}.isdisjoint(names):
            return "Tensor | _complex"
        return "Tensor" if name in TENSORS else "Any"
    if name == "weight" and default is None:
        return "Tensor | None"
    if name in INTEGERS and type(default) is int:
        return "_int"
    return "Any" if name in ("p", "ord") else TYPES.get(type(default), "Any")


def result(name):
    if name in RESULTS:
        return RESULTS[name]
    if name.startswith("is_"):
        return "_bool"
    return "Any" if name.rstrip("_") in SEVERAL or name in SEVERAL else "Tensor"


def header(name, function, method=False):
    """`def name(…) -> …: ...` of a function or a method."""
    names = inspect.signature(function).parameters
    parameters = list(names.values())
    if method:
        parameters = parameters[1:]
    parts = ["self"] if method else []
    starred = optional = False
    for p in parameters:
        if p.name == "more":
            continue  # takes what is too much, to refuse it by name
        if p.kind is p.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        # A parameter without a default may be left out only where another name of it is given instead.
        optional = optional or not unstated(p) or (p.name == "dim" and "axis" in names)
        default = " = ..." if optional and p.default is not p.empty else ""
        parts.append(f"{stars}{p.name}: {annotation(p, names)}{default}")
    return f"def {name}({', '.join(parts)}) -> {result(name)}: ..."


def members():
    """Tensor's attributes with their types and its methods: what is public of it, without the engine's fields."""
    attributes, functions = dict(ATTRIBUTES), methods()
    for name in dir(Tensor):
        value = inspect.getattr_static(Tensor, name)
        if callable(value) and not name.startswith("_"):
            functions.setdefault(name, value)
        elif name.startswith("is_") and name not in functions:
            attributes[name] = "_bool"
    return attributes, {n: f for n, f in functions.items() if n not in attributes}


def tensor_class():
    """The stub of Tensor, as lines: its attributes, the dunders, every method."""
    lines = [
        "class Tensor:",
        "    def __init__(self, *args: Any, **kwargs: Any) -> None: ...",
        "    def __getattr__(self, name: _str) -> Any: ...",
        "    def __hash__(self) -> _int: ...",
        "    def __len__(self) -> _int: ...",
        "    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]",
        "    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]",
        "    def __getitem__(self, index: Any) -> Tensor: ...",
        "    def __setitem__(self, index: Any, value: Any) -> None: ...",
        "    def __iter__(self) -> _Iterator[Tensor]: ...",
        "    def __contains__(self, element: Any) -> _bool: ...",
        "    def __array__(self, dtype: Any = ..., copy: Any = ...) -> Any: ...",
    ]
    lines += [f"    def __{name}__(self) -> {kind}: ..." for name, kind in CONVERSIONS]
    lines += [f"    def __{name}__(self) -> Tensor: ..." for name in UNARY]
    binary = [side + name for name in BINARY for side in ("", "r", "i") if side + name != "imatmul"]
    lines += [f"    def __{name}__(self, other: Any) -> Tensor: ..." for name in (*COMPARISONS, *binary)]
    attributes, functions = members()
    for name in sorted(attributes):
        lines += ["    @property", f"    def {name}(self) -> {attributes[name]}: ..."]
        if name in SETTABLE:
            lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
    lines += ["    " + header(n, functions[n], True) for n in sorted(functions) if is_name(n)]
    return lines


def is_name(name):
    """Whether a name is public and can be written in a stub."""
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")


def imports(module):
    """The public names that a module imports from elsewhere, each with its import as a stub gives names on."""
    lines = {}
    for node in ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ImportFrom) or not node.module.startswith("chainrule"):
            continue
        for alias in node.names:
            name = alias.asname or alias.name
            value = getattr(module, name)
            if inspect.ismodule(getattr(importlib.import_module(node.module), alias.name)):
                continue  # a room, or a name that was given to something else afterwards
            of_the_table = node.module.startswith("chainrule._ops") and not isinstance(value, type)
            if is_name(name) and name not in HERE and not of_the_table:
                lines[name] = f"from {node.module} import {alias.name} as {name}"
    return lines


def stub(module_name):
    """The text of one module's stub."""
    module = importlib.import_module(module_name)
    top = module_name == "chainrule"
    lines = [HEAD + NAMES, *(TOP if top else ["from chainrule import Tensor"])]
    if top:
        rooms = sorted(name for name in {"autograd", *module._SUBMODULES} if is_room(name))
        lines += [f"from chainrule import {name} as {name}" for name in rooms]
    given = imports(module)
    if top:
        late = {name: room for name, room in module._ELSEWHERE.items() if hasattr(module, name)}
        given |= {name: f"from chainrule.{room} import {name} as {name}" for name, room in late.items()}
    lines += [*sorted(given.values()), ""]
    inplace = {name: function for name, function in methods().items() if name.endswith("_")}
    functions = []
    for name, value in sorted(vars(module).items()):
        if not is_name(name) or name in given or name in HERE or inspect.ismodule(value):
            continue
        if isinstance(value, dtype):
            lines.append(f"{name}: _dtype")
        elif isinstance(value, (float, type(None))) or isinstance(value, type):
            lines.append(f"{name}: {'_float' if isinstance(value, float) else 'Any'}")
        elif callable(value) and inplace.get(name) is not value:
            functions.append(header(name, value))
    if top:
        lines += ["", *tensor_class()]
    return "\n".join([*lines, "", *functions, "def __getattr__(name: _str) -> Any: ...", ""])


def is_room(name):
    return is_name(name) and ((ROOT / name / "__init__.py").exists() or (ROOT / f"{name}.py").exists())


def main():
    """Write every stub beside its module."""
    for module_name, place in FACES.items():
        (ROOT / place).write_text(stub(module_name), encoding="utf-8")
        print(ROOT / place)


if __name__ == "__main__":
    main()
