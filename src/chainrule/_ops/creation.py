"""Tensors of a given size: filled, ranges, identities, and the forms that take dtype and device from a tensor.

What is made of data is in `_tensor/factories.py`, what is drawn in `random.py`.
"""

import builtins
import math

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core.device import meta, resolve
from chainrule._core.dtype import dtype as DType
from chainrule._core.dtype import float64, int64
from chainrule._core.layout import channels_last, channels_last_3d, preserve_format
from chainrule._core.promotion import dtype_of_number
from chainrule._engine.op import composite
from chainrule._engine.tensor import Tensor, bump_version, get_slots, wrap
from chainrule._kernels.casting import cast

slots = get_slots()
_PYTHON_TYPES = {builtins.bool: _dtype.bool, builtins.int: int64, builtins.float: float64,
                 builtins.complex: _dtype.complex128}  # fmt: skip


def as_dtype(name, value):
    """A dtype argument: a dtype, Python's own number types, or None; TypeError names the function."""
    if value is None or isinstance(value, DType):
        return value
    if value in _PYTHON_TYPES:
        return _PYTHON_TYPES[value]
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(value).__name__}")


def as_size(name, size):
    """A size given as numbers or as one sequence, as a tuple of ints >= 0."""
    if len(size) == 1 and not hasattr(size[0], "__index__") or len(size) == 1 and isinstance(size[0], Tensor):
        given = size[0]
        if isinstance(given, Tensor) and given.array.ndim == 0:
            given = (given,)
        try:
            size = tuple(given)
        except TypeError:
            raise TypeError(
                f"{name}(): argument 'size' must be tuple of ints, but found element of type "
                f"{type(given).__name__} at pos 0"
            ) from None
    out = []
    for i, n in enumerate(size):
        if isinstance(n, builtins.bool) or not hasattr(n, "__index__"):
            raise TypeError(
                f"{name}(): argument 'size' (position 1) must be tuple of ints, but found element of type "
                f"{type(n).__name__} at pos {i}"
            )
        n = n.__index__()
        if n < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {n}: [{', '.join(map(str, size))}]"
            )
        out.append(n)
    return tuple(out)


def need_size(name, size, keyword):
    """The size of a factory that takes it by position or as `size=`."""
    if keyword is not None:
        if size:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        size = (keyword,)
    elif not size:
        raise TypeError(f"{name}() received an invalid combination of arguments - got (), but expected a size")
    return as_size(name, size)


def empty_meta(shape, d):
    """The array of a meta tensor: one element seen everywhere, whatever the shape."""
    return np.broadcast_to(np.zeros((), d.np), shape)


def default_device(device):
    """The device for a factory that was given `device`."""
    return resolve(device)


def finished(array, device=None, requires_grad=False):
    """A leaf around a fresh array, on the device asked for."""
    t = wrap(array)
    if default_device(device) is meta:
        slots.to_meta(t)
    if requires_grad:
        if t.meta.dtype.category < 2:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.needs_grad = True
    return t


def made(fill, shape, d, device, requires_grad, out=None, name=""):
    """A tensor of `shape` and dtype d: `fill(shape, np_dtype)` gives its array unless it lies on meta."""
    if out is not None:
        return given(name, out, fill, shape)
    if default_device(device) is meta:
        return finished(empty_meta(shape, d), meta, requires_grad)
    return finished(fill(shape, d), None, requires_grad)


def given(name, out, fill, shape):
    """Write a factory's result into `out`, resized if it does not fit."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if out.array.shape != shape:
        slots.resize_(out, shape)
    np.copyto(out.array, fill(shape, out.meta.dtype))
    bump_version(out)
    return out


def check_layout(name, layout):
    """Only strided tensors exist here."""
    if layout is not None and str(layout) not in ("torch.strided", "torch.jagged"):
        raise NotImplementedError(f"{name}: only layout=torch.strided exists in chainrule, got {layout}")


def _zeros(shape, d):
    return np.zeros(shape, d.np)


def _ones(shape, d):
    return np.full(shape, 0x3F80, np.uint16) if d is _dtype.bfloat16 else np.ones(shape, d.np)


def _empty(shape, d):
    return np.empty(shape, d.np)


def _filler(value):
    """fill() for one value of any dtype."""

    def fill(shape, d):
        one = cast(np.array(value, np.float32 if d.is_half else d.np), d) if d.is_half else np.array(value).astype(d.np)
        return np.full(shape, one, d.np)

    return fill


@composite(namespace="torch", method=False)
def zeros(*sizes, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Zeros of the given size."""
    check_layout("zeros", layout)
    d = as_dtype("zeros", dtype) or _dtype.get_default_dtype()
    return made(_zeros, need_size("zeros", sizes, size), d, device, requires_grad, out, "zeros")


@composite(namespace="torch", method=False)
def ones(*sizes, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Ones of the given size."""
    check_layout("ones", layout)
    d = as_dtype("ones", dtype) or _dtype.get_default_dtype()
    return made(_ones, need_size("ones", sizes, size), d, device, requires_grad, out, "ones")


@composite(namespace="torch", method=False)
def empty(*sizes, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
          memory_format=None):  # fmt: skip
    """A tensor of the given size whose values are whatever the memory held."""
    check_layout("empty", layout)
    d = as_dtype("empty", dtype) or _dtype.get_default_dtype()
    return made(_empty, need_size("empty", sizes, size), d, device, requires_grad, out, "empty")


@composite(namespace="torch", method=False)
def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of the given size filled with one value, whose kind gives the dtype."""
    check_layout("full", layout)
    value = fill_value.item() if isinstance(fill_value, (Tensor, np.generic)) else fill_value
    d = as_dtype("full", dtype) or (
        fill_value.meta.dtype if isinstance(fill_value, Tensor) else dtype_of_number(value)
    )
    return made(_filler(value), as_size("full", (size,)), d, device, requires_grad, out, "full")


def like(name, fill, input, dtype, layout, device, requires_grad, memory_format=None, shape=None):
    """A new tensor with input's dtype and device, unless others are asked for; of its shape and order in memory too."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    check_layout(name, layout)
    d = as_dtype(name, dtype) or input.meta.dtype
    device = input.device if device is None else device
    if shape is not None:
        return made(fill, shape, d, device, requires_grad)
    if memory_format is None or memory_format is preserve_format:
        order = memory_order(input.array)
    else:
        order = format_order(memory_format, len(input.meta.shape))
    if order is None:
        return made(fill, input.meta.shape, d, device, requires_grad)
    back = tuple(order.index(i) for i in range(len(order)))

    def ordered(shape, d):
        return fill(tuple(shape[i] for i in order), d).transpose(back)

    return made(ordered, input.meta.shape, d, device, requires_grad)


def memory_order(array):
    """The dimensions from the outermost in memory to the innermost; None where that is their own order."""
    if array.flags.c_contiguous or 0 in array.strides or array.size == 0:
        return None
    order = sorted(range(array.ndim), key=lambda i: -array.strides[i])
    return None if order == sorted(order) else order


def format_order(memory_format, ndim):
    """The same for a memory format; RuntimeError where it does not fit the number of dimensions."""
    wanted = {channels_last: 4, channels_last_3d: 5}.get(memory_format)
    if wanted is None:
        return None
    if ndim != wanted:
        name = "channels_last" if wanted == 4 else "channels_last_3d"
        raise RuntimeError(f"required rank {wanted} tensor to use {name} format")
    return [0, *range(2, ndim), 1]


@composite(namespace="torch", method=False)
def zeros_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
               memory_format=None):  # fmt: skip
    """Zeros in the shape, dtype and device of `input`."""
    return like("zeros_like", _zeros, input, dtype, layout, device, requires_grad, memory_format)


@composite(namespace="torch", method=False)
def ones_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
              memory_format=None):  # fmt: skip
    """Ones in the shape, dtype and device of `input`."""
    return like("ones_like", _ones, input, dtype, layout, device, requires_grad, memory_format)


@composite(namespace="torch", method=False)
def empty_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
               memory_format=None):  # fmt: skip
    """An uninitialised tensor in the shape, dtype and device of `input`."""
    return like("empty_like", _empty, input, dtype, layout, device, requires_grad, memory_format)


@composite(namespace="torch", method=False)
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
              memory_format=None):  # fmt: skip
    """`fill_value` in the shape, dtype and device of `input`."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    return like("full_like", _filler(value), input, dtype, layout, device, requires_grad, memory_format)


@composite(namespace="Tensor")
def new_zeros(input, *sizes, size=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Zeros of the given size with this tensor's dtype and device."""
    shape = need_size("new_zeros", sizes, size)
    return like("new_zeros", _zeros, input, dtype, layout, device, requires_grad, shape=shape)


@composite(namespace="Tensor")
def new_ones(input, *sizes, size=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """Ones of the given size with this tensor's dtype and device."""
    shape = need_size("new_ones", sizes, size)
    return like("new_ones", _ones, input, dtype, layout, device, requires_grad, shape=shape)


@composite(namespace="Tensor")
def new_empty(input, *sizes, size=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """An uninitialised tensor of the given size with this tensor's dtype and device."""
    shape = need_size("new_empty", sizes, size)
    return like("new_empty", _empty, input, dtype, layout, device, requires_grad, shape=shape)


@composite(namespace="Tensor")
def new_full(input, size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """`fill_value` in the given size with this tensor's dtype and device."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    shape = as_size("new_full", (size,))
    return like("new_full", _filler(value), input, dtype, layout, device, requires_grad, shape=shape)


@composite(namespace="Tensor")
def new_tensor(input, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A new leaf with a copy of `data` and, unless others are asked for, this tensor's dtype and device."""
    from chainrule._tensor.factories import tensor

    if isinstance(data, Tensor):
        data = data.detach()
    return tensor(
        data, dtype=dtype or input.meta.dtype, device=device or input.device, requires_grad=requires_grad
    )


def _numbers(name, **values):
    """Scalar arguments as Python numbers: 0-d tensors and NumPy scalars opened."""
    out = []
    for key, value in values.items():
        if isinstance(value, (Tensor, np.generic)):
            value = value.item()
        if isinstance(value, builtins.complex) or not isinstance(value, (builtins.int, builtins.float)):
            raise TypeError(f"{name}(): argument '{key}' must be Number, not {type(value).__name__}")
        out.append(value)
    return out


@composite(namespace="torch", method=False)
def arange(start, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
           requires_grad=False):  # fmt: skip
    """start, start + step, … below `end` (above it for a negative step); int64 if all three are whole numbers."""
    if end is None:
        start, end = 0, start
    start, end, step = _numbers("arange", start=start, end=end, step=step)
    check_layout("arange", layout)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (step > 0) != (end >= start) and start != end:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = not any(isinstance(v, builtins.float) for v in (start, end, step))
    d = as_dtype("arange", dtype) or (int64 if whole else _dtype.get_default_dtype())
    if out is not None:
        d = out.meta.dtype
    if whole:
        n = -((start - end) // step)
    else:
        n = math.ceil((end - start) / step)

    def fill(shape, kind):
        if kind.category < 2:
            return cast(np.arange(n, dtype=np.int64) * builtins.int(step) + builtins.int(start), kind)
        return cast(start + np.arange(n, dtype=np.float64) * step, kind)

    return made(fill, (max(n, 0),), d, device, requires_grad, out, "arange")


@composite(namespace="torch", method=False)
def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False):  # fmt: skip
    """`steps` numbers from start to end, both included, equally far apart."""
    return _spaced("linspace", start, end, steps, None, out, dtype, layout, device, requires_grad)


@composite(namespace="torch", method=False)
def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False):  # fmt: skip
    """base to the power of `steps` numbers from start to end, both included."""
    return _spaced("logspace", start, end, steps, base, out, dtype, layout, device, requires_grad)


def _spaced(name, start, end, steps, base, out, dtype, layout, device, requires_grad):
    start = start.item() if isinstance(start, (Tensor, np.generic)) else start
    end = end.item() if isinstance(end, (Tensor, np.generic)) else end
    steps = steps.__index__()
    check_layout(name, layout)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    is_complex = isinstance(start, builtins.complex) or isinstance(end, builtins.complex)
    d = as_dtype(name, dtype)
    if d is None:
        d = _dtype.get_default_dtype().to_complex() if is_complex else _dtype.get_default_dtype()
    elif is_complex and not d.is_complex:
        raise RuntimeError(f"{name}(): inferred dtype {dtype_of_number(1j)} can't be safely cast to passed dtype {d}")
    if out is not None:
        d = out.meta.dtype

    def fill(shape, kind):
        computing = np.complex128 if kind.is_complex else np.float64
        # from both ends inwards, so that the last number is the end itself
        single = kind.name in ("float32", "complex64", "float16", "bfloat16") and base is None
        real = (np.complex64 if kind.is_complex else np.float32) if single else computing
        index = np.arange(steps).astype(real)
        step = real((end - start) / (steps - 1)) if steps > 1 else real(0)
        half = steps // 2
        values = np.empty(steps, real)
        values[:half] = real(start) + step * index[:half]
        values[half:] = real(end) - step * (steps - 1 - index[half:])
        if steps == 1:
            values[0] = start
        if base is not None:
            values = np.power(computing(base), values)
        if kind.category < 2:
            values = np.trunc(values)
        return cast(values, kind)

    return made(fill, (steps,), d, device, requires_grad, out, name)


@composite(namespace="torch", method=False)
def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The (n, m) matrix with ones on its diagonal and zeros elsewhere."""
    shape = as_size("eye", (n, n if m is None else m))
    check_layout("eye", layout)
    d = as_dtype("eye", dtype) or _dtype.get_default_dtype()
    return made(lambda shape, kind: cast(np.eye(*shape, dtype=np.bool_), kind), shape, d, device, requires_grad, out,
                "eye")  # fmt: skip
