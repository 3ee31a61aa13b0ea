"""Ranges of numbers: arange, linspace, logspace."""

import builtins
import math

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core.dtype import int64
from chainrule._core.promotion import dtype_of_number
from chainrule._engine.op import composite
from chainrule._engine.tensor import Tensor
from chainrule._kernels.casting import cast
from chainrule._ops.creation import as_dtype, check_layout, is_index, made


def _numbers(name, **values):
    """Scalar arguments as Python numbers: 0-d tensors and NumPy scalars opened."""
    out = []
    for key, value in values.items():
        if isinstance(value, (Tensor, np.generic)):
            value = value.item()
        if not isinstance(value, (builtins.int, builtins.float)):
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
    if d.category == _dtype.BOOL:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    if d.category == _dtype.INTEGRAL and not whole and builtins.int(step) == 0:
        raise ValueError("step must be nonzero")
    if whole:
        n = -((start - end) // step)
    elif d.category == _dtype.INTEGRAL:
        n = math.ceil((builtins.int(end) - builtins.int(start)) / builtins.int(step))
    else:
        n = math.ceil((end - start) / step)

    def fill(shape, kind):
        if kind.category < 2:
            first, each = builtins.int(start), builtins.int(step)
            return cast(np.arange(first, first + n * each, each, np.int64), kind)
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
    if not is_index(steps):
        raise TypeError(f"{name}(): argument 'steps' must be int, not {type(steps).__name__}")
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
    if d.category == _dtype.BOOL:
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")

    def fill(shape, kind):
        values = equally_spaced(start, end, steps, kind)
        if base is not None:
            values = np.power(values.dtype.type(base), values)
        return cast(np.trunc(values) if kind.category < 2 else values, kind)

    return made(fill, (steps,), d, device, requires_grad, out, name)


def equally_spaced(start, end, steps, d):
    """start + i · step from the front to the middle, end - i · step from the back, each rounded once."""
    single = d.category >= 2 and d.to_real().itemsize < 8
    given = np.complex64 if d.is_complex else np.float32
    wide = np.complex128 if d.is_complex else np.float64
    if steps == 1:
        return np.array([start], wide)
    first, last = (given(start), given(end)) if single else (wide(start), wide(end))
    step = (last - first) / given(steps - 1) if single else (last - first) / max(steps - 1, 1)
    index = np.arange(steps)
    half = steps // 2
    values = np.empty(steps, wide)
    if single:
        values[:half] = wide(first) + wide(step) * index[:half]
        values[half:] = wide(last) - wide(step) * (steps - 1 - index[half:])
        return values
    values[:half] = rounded_once(first, step, index[:half])
    values[half:] = rounded_once(last, -step, steps - 1 - index[half:])
    return values


def rounded_once(a, b, k):
    """a + b · k for whole numbers k in float64 with one rounding: the product's and the sum's errors are added back."""
    if isinstance(b, builtins.complex) or np.iscomplexobj(b):
        return rounded_once(a.real, b.real, k) + 1j * rounded_once(a.imag, b.imag, k)
    k = k.astype(np.float64)
    product = b * k
    high = b * 134217729.0
    high = high - (high - b)  # the upper half of b's digits: both halves times k are exact
    product_error = (high * k - product) + (b - high) * k
    total = a + product
    part = total - a
    return total + ((a - (total - part)) + (product - part) + product_error)
