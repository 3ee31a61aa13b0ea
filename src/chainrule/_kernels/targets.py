"""Where random draws go: the order in which an array is filled, and the dtype its numbers are rounded to.

Used by random.py, random_integers.py and samplers.py. np.uint16 stands for bfloat16.

Note [Order of filling] PyTorch visits a target that is not contiguous in the order of its memory, not of its
indices: a transposed matrix is filled column by column.
"""

import numpy as np

from chainrule._kernels import bfloat16, variates

FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = (np.dtype(t) for t in (np.float16, np.uint16, np.float32, np.float64))
REAL_OF = {np.dtype(np.complex64): FLOAT32, np.dtype(np.complex128): FLOAT64}

# Bits of the significand and largest finite value of the floating dtypes.
DIGITS = {FLOAT16: 11, BFLOAT16: 8, FLOAT32: 24, FLOAT64: 53}
LARGEST = {
    FLOAT16: 65504.0,
    BFLOAT16: 2.0**128 - 2.0**120,
    FLOAT32: float(np.finfo(np.float32).max),
    FLOAT64: float(np.finfo(np.float64).max),
}
# Smallest and largest number of the others.
INTEGERS = [np.iinfo(t) for t in (np.uint8, np.int8, np.int16, np.int32, np.int64)]
LIMITS = {np.dtype(np.bool_): (0, 1)} | {info.dtype: (int(info.min), int(info.max)) for info in INTEGERS}


def dtype_name(np_dtype):
    """The name for messages."""
    return "bfloat16" if np_dtype == BFLOAT16 else np_dtype.name


def require(np_dtype, known, name):
    """NotImplementedError unless np_dtype is one of `known`."""
    if np_dtype not in known:
        wanted = " or ".join(dtype_name(d) for d in known)
        raise NotImplementedError(f"{name}: expected a {wanted} array, got {dtype_name(np_dtype)}")


def fill_order(target):
    """The axes, outermost first, as PyTorch's loops nest them (Note [Order of filling])."""
    axes = []  # from the innermost outwards
    for axis in reversed(range(target.ndim)):
        place = len(axes)
        while place and _inside(target, axis, axes[place - 1]):
            place -= 1
        axes.insert(place, axis)
    return axes[::-1]


def _inside(target, axis, other):
    """Whether `axis` is walked inside `other`, an axis to its right."""
    step, other_step = target.strides[axis], target.strides[other]
    if step == other_step:
        return target.shape[axis] < target.shape[other]
    return 0 < step < other_step


def deliver(values, shape, out):
    """The flat `values`, in the order drawn, as an array of `shape`, or written into `out`."""
    if out is None:
        return values.reshape(shape)
    target = out if out.flags.c_contiguous else out.transpose(fill_order(out))
    target[...] = values.reshape(target.shape)
    return out


def parts(out):
    """A complex array as the real one it is in memory, with a last dimension of two."""
    real = out.real
    return np.lib.stride_tricks.as_strided(real, (*real.shape, 2), (*real.strides, real.itemsize))


def widened(values):
    """A 16-bit float array as float32, which holds its values exactly; others as they are."""
    if values.dtype == BFLOAT16:
        return bfloat16.widen(values)
    return values.astype(np.float32) if values.dtype == FLOAT16 else values


def narrowed(values, np_dtype):
    """Flat values in np_dtype; floats of 16 bits are reached through float32, as in PyTorch."""
    if values.dtype == np_dtype:
        return values
    if np_dtype.kind in "iu" and np_dtype != BFLOAT16:
        with np.errstate(invalid="ignore"):
            return values.astype(np.int64).astype(np_dtype)
    if np_dtype == FLOAT64:
        return values.astype(np.float64)
    values = variates.single(values) if values.dtype == FLOAT64 else values.astype(np.float32, copy=False)
    if np_dtype == FLOAT16:
        with np.errstate(over="ignore"):
            return values.astype(np.float16)
    return bfloat16.narrow(values) if np_dtype == BFLOAT16 else values
