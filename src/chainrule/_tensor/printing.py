"""The printed text of a tensor, and the options that shape it.

The text is PyTorch's, character for character. The work is done on arrays: `format_array` gives the bracketed
numbers, `tensor_repr` puts the prefix before them and the suffixes (device, size, dtype, grad_fn) behind.
`Tensor.__repr__`, `Tensor.__format__`, `nn.Parameter.__repr__` and the wrappers of `func` call in here; their
classes are not known here.

The order of work: cut the array down to what is shown, choose one style for all its numbers, write each as a
cell, fold the cells from the innermost dimension outwards.
"""

import operator
import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import floor, inf, isfinite
from textwrap import indent as indent_lines

import numpy as np

from chainrule._core.dtype import bool as bool_
from chainrule._core.dtype import get_default_dtype, int64
from chainrule._kernels.bfloat16 import widen


@dataclass(slots=True)
class PrintOptions:
    """What `set_printoptions` sets. `threshold` may be `inf`; `sci_mode` None lets the numbers decide."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: float = 80
    sci_mode: bool | None = None


PRINT_OPTS = PrintOptions()

# Both print as 'tensor(...)'; any other subclass prints under its own name.
_PLAIN_NAMES = frozenset({"Tensor", "Parameter"})

_PROFILES: dict[str, dict[str, float]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
) -> None:
    """Set how tensors print. What is left None keeps its value, but `sci_mode=None` means automatic.

    precision: digits after the point. threshold: the element count above which the middle is left out.
    edgeitems: how many elements stay at each end of a dimension. linewidth: characters before a row wraps.
    profile: 'default', 'short' or 'full', applied before the other arguments.

    PyTorch stores any value, fails at the next print, ignores an unknown profile; here both raise at once.
    """
    chosen: dict[str, float] = {}
    if profile is not None:
        if profile not in _PROFILES:
            names = ", ".join(_PROFILES)
            raise ValueError(f"set_printoptions: profile must be one of {names}, got {profile!r}")
        chosen.update(_PROFILES[profile])
    for name, value in (("precision", precision), ("edgeitems", edgeitems)):
        if value is not None:
            chosen[name] = _count(name, value)
    for name, value in (("threshold", threshold), ("linewidth", linewidth)):
        if value is not None:
            if not hasattr(value, "__float__"):
                raise TypeError(f"set_printoptions: {name} must be a number, got {type(value).__name__}")
            chosen[name] = value
    for name, value in chosen.items():
        setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def _count(name, value):
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"set_printoptions: {name} must be an integer, got {type(value).__name__}") from None
    if count < 0:
        raise ValueError(f"set_printoptions: {name} must not be negative, got {count}")
    return count


def get_printoptions() -> dict:
    """The current options by name."""
    return asdict(PRINT_OPTS)


@contextmanager
def printoptions(**options):
    """Within the block, print with these options (the arguments of `set_printoptions`)."""
    before = get_printoptions()
    try:
        set_printoptions(**options)
        yield
    finally:
        set_printoptions(**before)


class _NumberStyle:
    """One way of writing real numbers, fitted to the values of an array: a format and the width of a cell."""

    def __init__(self, values, options):
        telling = values[np.isfinite(values) & (values != 0)]
        self.spec = ".0f"
        self.point = "."
        self.width = 1
        if telling.size == 0:
            return
        size = np.abs(telling)
        largest, smallest = float(size.max()), float(size.min())
        whole = bool((telling == np.ceil(telling)).all())
        scientific = options.sci_mode
        if scientific is None:
            # Past these bounds fixed digits either hide the small numbers or stretch the column.
            scientific = largest / smallest > 1000 or largest > 1e8 or (not whole and smallest < 1e-4)
        if scientific or not whole:
            self.spec = f".{options.precision}{'e' if scientific else 'f'}"
            self.point = ""
        self.width = max(map(len, self.write(telling)))

    def write(self, values):
        """The values as texts, not yet padded."""
        spec, point = self.spec, self.point
        return [format(value, spec) + (point if isfinite(value) else "") for value in values.ravel().tolist()]


def _write_cells(values, options):
    """Every number of `values` as a text in C order, and the width that a row reserves for one."""
    if values.dtype.kind == "f":
        style = _NumberStyle(values, options)
        return [text.rjust(style.width) for text in style.write(values)], style.width
    if values.dtype.kind == "c":
        real, imag = _NumberStyle(values.real, options), _NumberStyle(values.imag, options)
        cells = [
            f"{a.rjust(real.width)}{b if b.startswith('-') else '+' + b}j"
            for a, b in zip(real.write(values.real), imag.write(values.imag), strict=True)
        ]
        return cells, real.width + imag.width + 1
    texts = list(map(str, values.ravel().tolist()))
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts], width


def _keep_edges(array, edgeitems):
    """The first and last `edgeitems` of every dimension that has more, and which dimensions were cut."""
    cut = [length > 2 * edgeitems for length in array.shape]
    for axis, is_cut in enumerate(cut):
        if is_cut:
            kept = np.r_[:edgeitems, array.shape[axis] - edgeitems : array.shape[axis]]
            array = array.take(kept, axis=axis)
    return array, cut


def format_array(array, dtype, options=None, indent=0) -> str:
    """The numbers of `array` in brackets, as they print after a text of `indent` characters.

    `array` is a tensor's storage (uint16 for bfloat16) and `dtype` its element type. A row that does not fit
    in `linewidth` wraps; above `threshold` elements only the edges are shown.
    """
    options = PRINT_OPTS if options is None else options
    if array.size == 0:
        return "[]"
    cut = [False] * array.ndim
    if array.ndim and array.size > options.threshold:
        if options.edgeitems == 0:
            return "[...]"
        array, cut = _keep_edges(array, options.edgeitems)
    if dtype.name == "bfloat16":
        array = widen(array)
    cells, width = _write_cells(array, options)
    room = options.linewidth - (indent + array.ndim - 1)
    per_line = sys.maxsize if room == inf else max(1, floor(room / (width + 2)))
    for axis in reversed(range(array.ndim)):
        marker = " ..." if axis == array.ndim - 1 else "..."
        rows = []
        for start in range(0, len(cells), array.shape[axis]):
            items = cells[start : start + array.shape[axis]]
            if cut[axis]:
                items.insert(options.edgeitems, marker)
            rows.append(items)
        margin = " " * (indent + axis + 1)
        if axis == array.ndim - 1:
            cells = [_wrap(items, per_line, margin) for items in rows]
        else:
            separator = "," + "\n" * (array.ndim - 1 - axis) + margin
            cells = ["[" + separator.join(items) + "]" for items in rows]
    return cells[0]


def _wrap(items, per_line, margin):
    lines = [", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)]
    return "[" + (",\n" + margin).join(lines) + "]"


def join_suffixes(text, suffixes, indent, options=None) -> str:
    """`text` (prefix, bracket, numbers) closed with its suffixes; one past `linewidth` starts a line."""
    options = PRINT_OPTS if options is None else options
    parts = [text]
    column = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            column = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            column += len(suffix) + 2
    return "".join(parts) + ")"


def tensor_repr(t, tensor_contents=None, tangent=None) -> str:
    """What `repr(t)` is for a tensor that no transform wraps.

    tensor_contents: text to print in place of the numbers. tangent: the forward-mode tangent of `t`, if any.
    """
    plain = type(t).__name__ in _PLAIN_NAMES
    prefix = "tensor(" if plain else f"{type(t).__name__}("
    shape, dtype = tuple(t.shape), t.dtype
    meta, empty = t.device.type == "meta", 0 in shape
    if tensor_contents is None:
        tensor_contents = "..." if meta else format_array(t.array, dtype, indent=len(prefix))

    suffixes = []
    if t.device.type != "cpu":
        suffixes.append(f"device='{t.device}'")
    if meta or (empty and len(shape) != 1) or (not empty and PRINT_OPTS.edgeitems == 0):
        suffixes.append(f"size={shape}")
    if dtype not in _implied_dtypes(numbers_show=not meta and not empty):
        suffixes.append(f"dtype={dtype}")
    suffixes.extend(_history_suffix(t))
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")

    text = join_suffixes(prefix + tensor_contents, suffixes, len(prefix))
    return f"Parameter({text})" if getattr(t, "_is_param", False) and not plain else text


def _implied_dtypes(numbers_show):
    """The dtypes that need no suffix: the default one, and those that the printed numbers give away."""
    default = get_default_dtype()
    if not numbers_show:
        return (default,)
    return (default, default.to_complex(), int64, bool_)


def _history_suffix(t):
    try:
        grad_fn = t.grad_fn
    except RuntimeError:
        # A view whose base was changed in place in a way that its history cannot follow has no node to name.
        return ["grad_fn=<Invalid>"]
    if grad_fn is not None:
        return [f"grad_fn=<{grad_fn.name()}>"]
    return ["requires_grad=True"] if t.requires_grad else []


def wrapped_repr(kind, value, **fields) -> str:
    """What a tensor wrapped by a transform prints: `kind(field=..., value=<lines of value>)`.

    kind: 'GradTrackingTensor' with lvl, or 'BatchedTensor' with lvl and bdim. value: the tensor inside.
    """
    shown = "".join(f"{name}={field}, " for name, field in fields.items())
    return f"{kind}({shown}value=\n{indent_lines(str(value), '    ')}\n)"


def tensor_format(t, spec) -> str:
    """What `format(t, spec)` is: a plain 0-d tensor formats as its Python number, any other takes no spec."""
    if type(t).__name__ == "Tensor" and len(t.shape) == 0 and t.device.type != "meta":
        return format(t.item(), spec)
    return object.__format__(t, spec)
