"""What `x[index]` and `x[index] = value` mean.

An index is read once, left to right. Its ints, slices, Nones and Ellipsis make one basic index, which shows a
view; its tensors, lists and masks become one index tensor for each dimension they stand on, applied to that view.
"""

import warnings

import numpy as np

from chainrule._core.dtype import bool as bool_dtype
from chainrule._core.dtype import int64, uint8
from chainrule._engine.accumulate import gradient_edge
from chainrule._engine.op import wants_grad
from chainrule._engine.record import make_node
from chainrule._engine.tensor import Tensor, bump_version, get_slots, wrap
from chainrule._engine.thread_state import current
from chainrule._engine.views import PLAIN_VIEW, link_view
from chainrule._kernels.casting import cast
from chainrule._kernels.strided import visits_twice
from chainrule._ops import indexing as ops
from chainrule._ops.foundation import copy
from chainrule._ops.kinds import is_number
from chainrule._ops.scatter import number, put_at

slots = get_slots()
copy_ = copy.op.inplace_function
put_at_ = put_at.op.inplace_function
SELECT, SLICE, UNSQUEEZE, ALIAS = (
    ops.select_view.op, ops.slice_view.op, ops.unsqueeze_view.op, ops.alias_view.op
)  # fmt: skip


def plain_slice(s):
    """Whether a slice has bounds of plain ints (or none) and a step that PyTorch takes."""
    start, stop, step = s.start, s.stop, s.step
    return (
        (start is None or type(start) is int)
        and (stop is None or type(stop) is int)
        and (step is None or (type(step) is int and step > 0))
    )


def basic(index):
    """(entry, basic index) if the index is made of ints, slices, None and one Ellipsis only; None if not."""
    kind = type(index)
    if kind is int:
        return SELECT, (index, Ellipsis)
    if kind is slice:
        return (SLICE, (index, Ellipsis)) if plain_slice(index) else None
    if kind is not tuple:
        if index is None:
            return UNSQUEEZE, (None, Ellipsis)
        if index is Ellipsis:
            return ALIAS, (Ellipsis,)
        return None
    entry, dots = ALIAS, False
    for part in index:
        kind = type(part)
        if kind is int:
            entry = SELECT
        elif kind is slice:
            if not plain_slice(part):
                return None
            if part.start is not None or part.stop is not None or part.step is not None:
                entry = SLICE
        elif part is None:
            entry = UNSQUEEZE
        elif part is Ellipsis:
            if dots:
                return None
            dots = True
        else:
            return None
    return entry, (index if dots else (*index, Ellipsis))


def show(t, entry, index):
    """The view of t that a basic index shows, recorded."""
    s = current()
    if s.special or t.override or t.on_meta or (t.autograd is not None and t.autograd.view_fn is not None):
        return entry.call((t, index))
    out = wrap(ops.look(t.array, index))
    link_view(t, out, PLAIN_VIEW)
    if s.grad_enabled and wants_grad(t):
        out.needs_grad = True
        out.node = make_node(entry, (gradient_edge(t), t.meta.shape, index), 1, out.meta, s)
        if t.output_number:
            out.node.need_extra().numbers = (t.output_number,)
    return out


def getitem(t, index):
    """x[index]: a view for a basic index, else a copy."""
    found = basic(index)
    if found is None:
        return read(t, index)
    entry, parts = found
    try:
        return show(t, entry, parts)
    except IndexError:
        complain(t.array.shape, parts)
        raise


def complain(shape, parts):
    """Raise PyTorch's IndexError for a basic index that does not fit a shape."""
    if not shape and len(parts) == 2 and type(parts[0]) is int:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
            "convert a 0-dim "
            "tensor to a number"
        )
    used = sum(1 for p in parts if p is not None and p is not Ellipsis)
    if used > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    d = 0
    for p in parts:
        if p is Ellipsis:
            d += len(shape) - used
        elif p is not None:
            if type(p) is int and not -shape[d] <= p < shape[d]:
                raise IndexError(f"index {p} is out of bounds for dimension {d} with size {shape[d]}")
            d += 1


class Reading:
    """An index read to the end: a basic index, and index tensors for the dimensions of what it shows."""

    def __init__(self, shape):
        self.shape = shape
        self.parts = []
        self.entry = ALIAS
        self.indices = []
        self.at = 0

    def take(self, part):
        """Add one part, already known to be basic."""
        if type(part) is int:
            n = self.size()
            if not -n <= part < n:
                raise IndexError(f"index {part} is out of bounds for dimension {self.at} with size {n}")
            self.entry = SELECT
            self.at += 1
        elif part is None:
            self.entry = UNSQUEEZE
            self.indices.append(None)
        else:
            self.entry = SLICE
            self.indices.append(None)
            self.at += 1
        self.parts.append(part)

    def size(self):
        """The size of the dimension the next part stands on."""
        if self.at >= len(self.shape):
            raise IndexError(f"too many indices for tensor of dimension {len(self.shape)}")
        return self.shape[self.at]

    def skip(self, n):
        """Pass over n dimensions whole."""
        for _ in range(n):
            self.parts.append(slice(None))
            self.indices.append(None)
        self.at += n

    def take_flag(self, flag):
        """A single truth value: a new dimension of one slice or of none."""
        self.parts.append(None)
        self.indices.append(wrap(np.zeros(1 if flag else 0, np.int64)))
        if self.entry is ALIAS:
            self.entry = UNSQUEEZE

    def take_tensor(self, t):
        """An index tensor, or a mask as one index tensor for each of its dimensions."""
        d = t.meta.dtype
        if d is bool_dtype or d is uint8:
            if d is uint8:
                warnings.warn(
                    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
                    "instead.",
                    UserWarning,
                    stacklevel=4,
                )
            found = ops.mask_places(t.array, self.shape, self.at)
            self.parts.extend([slice(None)] * len(found))
            self.indices.extend(found)
            self.at += len(found)
            return
        self.size()
        self.parts.append(slice(None))
        self.indices.append(ops.place_tensor(t))
        self.at += 1


def parts_of(index):
    """The parts of an index of any form, as a list."""
    if isinstance(index, tuple):
        return list(index)
    if isinstance(index, list) and _several(index):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] "
            "instead of x[seq].",
            UserWarning,
            stacklevel=4,
        )
        return index
    return [index]


def _several(index):
    """Whether a list stands for a tuple of indices: it is short and holds more than numbers."""
    return len(index) < 32 and any(
        p is None or p is Ellipsis or isinstance(p, (slice, Tensor, list, tuple, np.ndarray)) for p in index
    )


def as_tensor(part):
    """A list or array of an index as a tensor."""
    array = np.asarray(
        [p.tolist() if isinstance(p, Tensor) else p for p in part] if isinstance(part, list) else part
    )
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind not in "iub":
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if array.dtype.kind != "b" and array.dtype != np.uint8:
        array = array.astype(np.int64)
    return wrap(array)


def normal_part(part):
    """One part of an index as a basic part, a truth value, or a tensor of at least one dimension."""
    if part is None or part is Ellipsis or type(part) is bool or type(part) is int:
        return part
    if isinstance(part, slice):
        return _normal_slice(part)
    if isinstance(part, Tensor):
        if part.array.ndim:
            return part
        if part.meta.dtype is bool_dtype or part.meta.dtype is uint8:
            return bool(part.array)
        if part.meta.dtype.category == 1:
            return int(part.array)
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if isinstance(part, np.bool_):
        return bool(part)
    if isinstance(part, (list, tuple, range)):
        return as_tensor(list(part))
    if isinstance(part, np.ndarray):
        return as_tensor(part) if part.ndim else normal_part(part[()])
    if hasattr(part, "__index__"):
        return part.__index__()
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        "(got "
        f"{type(part).__name__})"
    )


def _normal_slice(s):
    start = None if s.start is None else s.start.__index__()
    stop = None if s.stop is None else s.stop.__index__()
    step = None if s.step is None else s.step.__index__()
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step is not None and step < 0:
        raise ValueError("step must be greater than zero")
    return slice(start, stop, step)


def _dimensions(part):
    """How many dimensions a normalised part stands on."""
    if part is None or part is Ellipsis or type(part) is bool:
        return 0
    if isinstance(part, Tensor) and (part.meta.dtype is bool_dtype or part.meta.dtype is uint8):
        return part.array.ndim
    return 1


def read_index(t, index):
    """The Reading of an index of any form against t's shape."""
    parts = [normal_part(p) for p in parts_of(index)]
    reading = Reading(t.array.shape)
    used = sum([_dimensions(p) for p in parts])
    if used > len(reading.shape):
        if not reading.shape and len(parts) == 1:
            complain((), (0, Ellipsis))
        raise IndexError(f"too many indices for tensor of dimension {len(reading.shape)}")
    left = len(reading.shape) - used
    for p in parts:
        if p is Ellipsis:
            reading.skip(left)
            left = 0
        elif type(p) is bool:
            reading.take_flag(p)
        elif isinstance(p, Tensor):
            reading.take_tensor(p)
        else:
            reading.take(p)
    return reading


def outside_graphs(t):
    """Whether what is done to t now is neither recorded nor special."""
    s = current()
    return not (s.special or t.override or t.on_meta or (s.grad_enabled and wants_grad(t)))


def read(t, index):
    """x[index] for an index that is not plainly basic."""
    if type(index) is Tensor and t.array.ndim and not current().special and not t.override:
        d = index.meta.dtype
        if d is int64 and index.array.ndim:
            return ops.index(t, [index])
        if d is bool_dtype and index.meta.shape == t.meta.shape and outside_graphs(t):
            return wrap(t.array[index.array])
    reading = read_index(t, index)
    view, indices = shown(t, reading)
    return view if indices is None else ops.index(view, indices)


def shown(t, reading):
    """The view of the basic part of a reading, and its index tensors (None if it has none)."""
    indices = reading.indices
    advanced = any(i is not None for i in indices)
    if advanced and not any(p is None or type(p) is int or p != slice(None) for p in reading.parts):
        view = t
    else:
        view = show(t, reading.entry, (*reading.parts, Ellipsis))
    if not advanced:
        return view, None
    while indices[-1] is None:
        indices.pop()
    return view, indices


def setitem(t, index, value):
    """x[index] = value."""
    found = basic(index)
    if found is None:
        write(t, index, value)
        return
    if outside_graphs(t) and not visits_twice(t.array):
        plain = plain_value(t, value)
        if plain is not None:
            try:
                t.array[found[1]] = plain
            except (IndexError, ValueError, OverflowError):
                # the careful way says what is wrong, or fits the value in as PyTorch does
                pass
            else:
                bump_version(t)
                return
    assign(getitem(t, index), as_value(t, value))


def may_overlap(t, other):
    """Whether two tensors stand on one storage."""
    a, b = t.autograd, other.autograd
    return t is other or (
        a is not None and b is not None and a.storage is not None and a.storage is b.storage
    )


def plain_value(t, value):
    """What NumPy can assign to t's array just as PyTorch would: a number or an array of its dtype; else None."""
    d = t.meta.dtype
    if isinstance(value, Tensor):
        if value.meta.dtype is not d or not outside_graphs(value) or may_overlap(t, value):
            return None
        return value.array
    kind = type(value)
    if kind is float:
        return value if d.category >= 2 and not d.is_half else None
    return value if (kind is int or kind is bool) and not d.is_half else None


def as_value(t, value):
    """The value to be assigned as a tensor: numbers in t's dtype."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, np.ndarray) or not is_number(value):
        raise TypeError(f"can't assign a {_type_name(value)} to a torch.{t.meta.dtype.tensor_type}")
    return number(value, t)


def _type_name(value):
    return "numpy.ndarray" if isinstance(value, np.ndarray) else type(value).__name__


def assign(view, value):
    """Copy a value into a view, without those leading dimensions of size 1 that the view lacks."""
    shape = value.array.shape
    extra = len(shape) - view.array.ndim
    if extra > 0 and all(n == 1 for n in shape[:extra]):
        value = value.reshape(shape[extra:])
        shape = value.array.shape
        extra = 0
    if extra > 0 or any(
        n not in (1, m) for n, m in zip(reversed(shape), reversed(view.array.shape), strict=False)
    ):
        value = value.expand(view.array.shape)
    copy_(view, value)


def write(t, index, value):
    """x[index] = value for an index that is not plainly basic."""
    if type(index) is Tensor and index.meta.dtype is bool_dtype and index.meta.shape == t.meta.shape:
        value = as_value(t, value)
        if (
            value.array.ndim == 0
            and outside_graphs(t)
            and outside_graphs(value)
            and not visits_twice(t.array)
        ):
            t.array[index.array] = cast(value.array, t.meta.dtype)
            bump_version(t)
            return
    reading = read_index(t, index)
    value = as_value(t, value)
    view, indices = shown(t, reading)
    if indices is None:
        assign(view, value)
        return
    if value.array.ndim == 0 and value.meta.dtype is not view.meta.dtype:
        value = slots.cast(value, view.meta.dtype)
    value_shape = value.array.shape
    at = 0
    while at < len(value_shape) and value_shape[at] == 1 and len(value_shape) - at > 1:
        at += 1
    if at:
        value = value.reshape(value_shape[at:])
    put_at_(view, indices, value, False)


def iterate(t):
    """The slices along the first dimension, one after the other."""
    if not t.array.shape:
        raise TypeError("iteration over a 0-d tensor")
    return iter(t.unbind(0))


def contains(t, element):
    """Whether any element equals `element`, a number or a tensor."""
    if not isinstance(element, Tensor) and not is_number(element):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )
    return bool((t == element).any())


slots.getitem = getitem
slots.setitem = setitem
slots.iter = iterate
slots.contains = contains
