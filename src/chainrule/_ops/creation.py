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
from chainrule._engine.dispatch import Special, recorded
from chainrule._engine.op import composite
from chainrule._engine.tensor import Tensor, bump_version, get_slots, wrap
from chainrule._engine.thread_state import current
from chainrule._kernels.casting import cast
from chainrule._kernels.strided import strided

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
    if len(size) == 1 and type(size[0]) in (tuple, list):
        size = tuple(size[0])
    for n in size:
        if type(n) is not builtins.int or n < 0:
            return checked_size(name, size)
    return size


def checked_size(name, size):
    """The same for sizes of other kinds: tensors, NumPy's integers, sequences of them; errors for what is no size."""
    if len(size) == 1 and not is_index(size[0]):
        given = size[0]
        if not isinstance(given, (tuple, list)):
            scalar = isinstance(given, Tensor) and given.array.ndim == 0
            if scalar or isinstance(given, str) or not hasattr(given, "__iter__"):
                kind = type(given).__name__
                raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not {kind}")
        size = tuple(given)
    for place, n in enumerate(size):
        if not is_index(n):
            kind = type(n).__name__
            raise TypeError(
                f"{name}(): argument 'size' failed to unpack the object at pos {place + 1} with error "
                f'"type must be tuple of ints,but got {kind}"'
            )
    out = tuple([n.__index__() for n in size])
    for n in out:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(out)}")
    return out


def is_index(n):
    """Whether n may be one size: an int, a NumPy integer, or a tensor with one; no bool."""
    if isinstance(n, Tensor):
        return n.array.size == 1 and n.array.ndim == 0 and n.meta.dtype.category == _dtype.INTEGRAL
    return hasattr(n, "__index__") and not isinstance(n, (builtins.bool, np.ndarray))


def need_size(name, size, keyword):
    """The size of a factory that takes it by position or as `size=`."""
    if keyword is not None:
        if size:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        size = (keyword,)
    elif not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    return as_size(name, size)


def empty_meta(shape, d):
    """The array of a meta tensor: one element seen everywhere, whatever the shape."""
    return np.ndarray(shape, d.np, np.zeros(1, d.np), 0, (0,) * len(shape))


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
    state = current()
    if name and state.special & Special.RECORDING:
        fill = _recorded(fill, name, state)
    if out is not None:
        return given(name, out, fill, shape)
    if default_device(device) is meta:
        return finished(empty_meta(shape, d), meta, requires_grad)
    return finished(fill(shape, d), None, requires_grad)


def _recorded(fill, name, state):
    """`fill` as the profiler sees it: one call of that name."""
    return lambda shape, d: recorded(f"aten::{name}", "forward", state, lambda: fill(shape, d))


def given(name, out, fill, shape):
    """Write a factory's result into `out`, resized if it does not fit."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if out.array.shape != shape:
        out.resize_(shape)
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


def uninitialised(shape, d):
    return np.empty(shape, d.np)


C_NAMES = {
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>", "bool": "bool",
}  # fmt: skip
LARGEST = {"bfloat16": (2 - 2.0**-7) * 2.0**127, **{
    d.name: np.finfo(d.to_real().np).max.item() for d in _dtype.ALL if d.category >= 2 and d.name != "bfloat16"
}}  # fmt: skip


def fitting(value, d):
    """A Python number that dtype d holds; RuntimeError where it would overflow (infinities are floats' own)."""
    real = value.real if isinstance(value, builtins.complex) else value
    fits = d.category == _dtype.COMPLEX or not isinstance(value, builtins.complex) or value.imag == 0
    if d.category == _dtype.INTEGRAL:
        info = np.iinfo(d.np)
        fits = fits and (info.min or -info.max) <= real <= info.max
        real = builtins.int(real) if fits else real
    elif d.category >= _dtype.FLOATING and math.isfinite(real):
        fits = fits and -LARGEST[d.name] <= real <= LARGEST[d.name]
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {C_NAMES[d.name]} without overflow")
    return value if d.category == _dtype.COMPLEX else real


def _filler(name, value):
    """fill() for one value of any dtype."""
    if isinstance(value, Tensor):
        if value.array.size != 1 or value.needs_grad:
            raise TypeError(f"{name}(): argument 'fill_value' (position 2) must be Number, not Tensor")
        value = value.item()
    elif isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (builtins.bool, builtins.int, builtins.float, builtins.complex)):
        raise TypeError(f"{name}(): argument 'fill_value' (position 2) must be Number, not {type(value).__name__}")
    if isinstance(value, builtins.int) and not -(2**63) <= value < 2**64:
        raise OverflowError("int too big to convert")

    def fill(shape, d):
        one = cast(np.array(fitting(value, d), np.float32 if d.is_half else None), d)
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
    shape = need_size("empty", sizes, size)
    fill = in_order(uninitialised, format_order(memory_format, len(shape)))
    return made(fill, shape, d, device, requires_grad, out, "empty")


@composite(namespace="torch", method=False)
def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A tensor of the given size filled with one value, whose kind gives the dtype."""
    check_layout("full", layout)
    fill = _filler("full", fill_value)
    d = as_dtype("full", dtype) or (
        fill_value.meta.dtype if isinstance(fill_value, Tensor) else dtype_of_number(fill_value)
    )
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    return made(fill, as_size("full", (size,)), d, device, requires_grad, out, "full")


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
    return made(in_order(fill, order), input.meta.shape, d, device, requires_grad)


def in_order(fill, order):
    """`fill` whose arrays lie in memory in this order of dimensions (None: their own)."""
    if order is None:
        return fill
    back = tuple([order.index(i) for i in range(len(order))])
    return lambda shape, d: fill(tuple([shape[i] for i in order]), d).transpose(back)


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
    return like("empty_like", uninitialised, input, dtype, layout, device, requires_grad, memory_format)


@composite(namespace="torch", method=False)
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
              memory_format=None):  # fmt: skip
    """`fill_value` in the shape, dtype and device of `input`."""
    fill = _filler("full_like", fill_value)
    return like("full_like", fill, input, dtype, layout, device, requires_grad, memory_format)


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
    return like("new_empty", uninitialised, input, dtype, layout, device, requires_grad, shape=shape)


@composite(namespace="Tensor")
def new_full(input, size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """`fill_value` in the given size with this tensor's dtype and device."""
    shape = as_size("new_full", (size,))
    return like("new_full", _filler("new_full", fill_value), input, dtype, layout, device, requires_grad, shape=shape)


@composite(namespace="Tensor")
def new_tensor(input, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A new leaf with a copy of `data` and, unless others are asked for, this tensor's dtype and device."""
    from chainrule._tensor.factories import tensor

    if isinstance(data, Tensor):
        data = data.detach()
    return tensor(
        data, dtype=dtype or input.meta.dtype, device=device or input.device, requires_grad=requires_grad
    )


@composite(namespace="torch", method=False)
def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The (n, m) matrix with ones on its diagonal and zeros elsewhere."""
    m = n if m is None else m
    for letter, value in (("n", n), ("m", m)):
        if not is_index(value):
            raise TypeError(f"eye(): argument '{letter}' must be int, not {type(value).__name__}")
        if value < 0:
            raise RuntimeError(f"{letter} must be greater or equal to 0, got {value.__index__()}")
    shape = as_size("eye", (n, m))
    check_layout("eye", layout)
    d = as_dtype("eye", dtype) or _dtype.get_default_dtype()
    return made(lambda shape, kind: cast(np.eye(*shape, dtype=np.bool_), kind), shape, d, device, requires_grad, out,
                "eye")  # fmt: skip


@composite(namespace="torch", method=False)
def scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A 0-d tensor with the number `s`, in the default dtype unless another is asked for."""
    check_layout("scalar_tensor", layout)
    d = as_dtype("scalar_tensor", dtype) or _dtype.get_default_dtype()
    return made(_filler("scalar_tensor", s), (), d, device, requires_grad)


@composite(namespace="torch", method=False)
def empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """An uninitialised tensor with these steps, in elements, between neighbours along each dimension."""
    check_layout("empty_strided", layout)
    d = as_dtype("empty_strided", dtype) or _dtype.get_default_dtype()
    shape, steps = as_size("empty_strided", (size,)), tuple(s.__index__() for s in stride)
    if len(shape) != len(steps):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})"
        )
    if builtins.any(s < 0 for s in steps):
        raise RuntimeError(f"empty_strided: expected strides >= 0, got sizes={list(shape)} and strides={list(steps)}")

    def fill(shape, kind):
        reach = 0 if 0 in shape else 1 + builtins.sum(s * (n - 1) for s, n in zip(steps, shape, strict=True))
        memory = np.empty(reach, kind.np)
        if not reach:
            return memory.reshape(shape)
        return strided(memory, shape, tuple(s * kind.itemsize for s in steps), 0)

    return made(fill, shape, d, device, requires_grad)


@composite(namespace="torch", method=False)
def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, pin_memory=False,
                   requires_grad=False):  # fmt: skip
    """An uninitialised dense tensor whose dimensions lie in memory in the order `physical_layout`."""
    check_layout("empty_permuted", layout)
    d = as_dtype("empty_permuted", dtype) or _dtype.get_default_dtype()
    shape, order = as_size("empty_permuted", (size,)), tuple(physical_layout)
    if builtins.sorted(order) != list(range(len(shape))):
        raise RuntimeError(
            f"Number of dimensions in size does not match the length of the physical_layout, or the latter is no "
            f"permutation: got size {list(shape)} and physical_layout {list(order)}"
        )
    back = tuple(order.index(i) for i in range(len(order)))
    fill = lambda shape, kind: np.empty(tuple(shape[i] for i in order), kind.np).transpose(back)
    return made(fill, shape, d, device, requires_grad)


@composite(namespace="Tensor")
def new_empty_strided(input, size, stride, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """`empty_strided` with this tensor's dtype and device."""
    d, device = dtype or input.meta.dtype, input.device if device is None else device
    return empty_strided(size, stride, dtype=d, layout=layout, device=device, requires_grad=requires_grad)


@composite(namespace="torch", method=False)
def vander(x, N=None, increasing=False):
    """The (n, N) matrix of the powers 0 … N - 1 of the n elements of `x`, in falling order unless `increasing`."""
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = x.shape[0] if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative.")
    if n == 0:
        return x.new_empty((x.shape[0], 0))
    ones = x.new_ones((x.shape[0], 1), dtype=int64 if x.meta.dtype.category < 2 else None)
    powers = ones if n == 1 else join([ones, x.unsqueeze(1).expand(-1, n - 1).cumprod(1)], 1)
    return powers if increasing else powers.flip(1)


def join(tensors, dim):
    """torch.cat, which comes after this module in the table."""
    from chainrule._ops.joining import cat

    return cat(tensors, dim)
