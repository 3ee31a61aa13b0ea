"""Tensors from data: numbers, nested sequences, arrays and tensors; copied (`tensor`) or sharing memory (`from_numpy`).

Factories that are told a size instead of data are in `_ops/creation.py`.
"""

import warnings

import numpy as np

from chainrule._core import dtype as _dtype
from chainrule._core.boundary import plain_array
from chainrule._core.device import cpu, resolve
from chainrule._core.dtype import bool as bool_
from chainrule._core.dtype import from_numpy_dtype, int64
from chainrule._core.promotion import promote_types
from chainrule._engine.op import composite
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels.casting import cast
from chainrule._ops.creation import as_dtype, finished

_PYTHON_KINDS = frozenset((bool, int, float, complex))
_LIMITS = {d.name: (np.iinfo(d.np).min, np.iinfo(d.np).max) for d in _dtype.ALL if d.category == _dtype.INTEGRAL}


def _dtype_of_scalar(value):
    """The dtype one element of nested data has by itself."""
    if isinstance(value, Tensor):
        return value.meta.dtype
    if isinstance(value, np.generic):
        return from_numpy_dtype(value.dtype)
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    if isinstance(value, float):
        return _dtype.get_default_dtype()
    if isinstance(value, complex):
        return _dtype.get_default_dtype().to_complex()
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    if hasattr(value, "__index__"):
        return int64
    if hasattr(value, "__float__"):
        return _dtype.get_default_dtype()
    raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")


def _is_sequence(value):
    if type(value) in _PYTHON_KINDS:
        return False
    if type(value) in (list, tuple):
        return True
    if isinstance(value, (str, bytes)) or not hasattr(value, "__getitem__") or not hasattr(value, "__len__"):
        return False
    return not isinstance(value, (dict, np.generic)) and not (isinstance(value, Tensor) and value.array.size == 1)


def flatten(data):
    """The elements of nested sequences in order, and their shape; ValueError where lengths differ.

    Level by level: one list of all elements of one depth after the other."""
    level, shape = [data], []
    while level and _is_sequence(level[0]):
        length = len(level[0])
        deeper = []
        for part in level:
            if not _is_sequence(part):
                raise TypeError("not a sequence")
            if len(part) != length:
                raise ValueError(f"expected sequence of length {length} at dim {len(shape)} (got {len(part)})")
            if isinstance(part, Tensor):
                raise ValueError("only one element tensors can be converted to Python scalars")
            if isinstance(part, np.ndarray):
                if part.ndim == 0:
                    raise TypeError("len() of unsized object")
                part = list(part)
            deeper.extend(part)
        shape.append(length)
        level = deeper
        if length == 0:
            break
    return level, tuple(shape)


def _infer(elements):
    """The dtype of all elements together."""
    kinds = set(map(type, elements))
    if kinds <= _PYTHON_KINDS:
        samples = [kind() for kind in kinds]
    else:
        samples = elements
    found = None
    for value in samples:
        d = _dtype_of_scalar(value)
        found = d if found is None else promote_types(found, d)
    return _dtype.get_default_dtype() if found is None else found


def _number(value):
    if isinstance(value, Tensor):
        return value.item()
    if isinstance(value, np.generic):
        return value.item()
    return value


def _filled(elements, shape, d):
    """An array of dtype d with these elements; PyTorch's errors for what does not fit."""
    kinds = set(map(type, elements))
    if not kinds <= _PYTHON_KINDS:
        elements = [_number(value) for value in elements]
        kinds = set(map(type, elements))
        for value in elements:
            if isinstance(value, (list, tuple)):
                raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
            _dtype_of_scalar(value)
    if complex in kinds and d.category < _dtype.COMPLEX:
        raise TypeError("must be real number, not complex")
    if d.category == _dtype.INTEGRAL:
        return _whole(elements, kinds, d).reshape(shape)
    wide = {_dtype.BOOL: None, _dtype.FLOATING: np.float64, _dtype.COMPLEX: np.complex128}[d.category]
    if wide is None:
        return np.array([bool(value) for value in elements], np.bool_).reshape(shape)
    return cast(np.array(elements, wide).reshape(shape), d)


def _whole(elements, kinds, d):
    low, high = _LIMITS[d.name]
    if low == 0:
        low = -high
    if kinds & {float}:
        for value in elements:
            if type(value) is float and not low <= value <= high:
                raise RuntimeError(f"value cannot be converted to type {d.name} without overflow")
        elements = [int(value) for value in elements]
    try:
        array = np.array(elements, np.int64)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None
    if d is int64:
        return array
    if array.size and not (low <= array.min() and array.max() <= high):
        raise RuntimeError(f"value cannot be converted to type {d.name} without overflow")
    return array.astype(d.np)


def array_from(data, dtype=None):
    """A fresh array with the values of any data a tensor can be made of."""
    if type(data) in _PYTHON_KINDS:
        d = _dtype_of_scalar(data) if dtype is None else dtype
        plain = dtype is None and not d.is_half and (d is not int64 or -(2**63) <= data < 2**63)
        return np.array(data, d.np) if plain else _filled([data], (), d)
    if isinstance(data, Tensor):
        array = data.array
        return array.copy() if dtype is None or dtype is data.meta.dtype else cast(array, dtype)
    if isinstance(data, np.ndarray):
        array = plain_array(data)
        d = _dtype.of_array(array)
        return np.array(array, order="C") if dtype is None or dtype is d else cast(array, dtype)
    if not _is_sequence(data) and not isinstance(data, (list, tuple)) and hasattr(data, "__array__"):
        if not isinstance(data, np.generic):
            return array_from(np.asarray(data), dtype)
    elements, shape = flatten(data)
    d = _infer(elements) if dtype is None else dtype
    return _filled(elements, shape, d)


@composite(namespace="torch", method=False)
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new leaf with a copy of `data`: numbers, nested sequences, arrays or tensors.

    Without `dtype` it follows from the data: bool, int64, the default float dtype, or the array's own."""
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
    d = as_dtype("tensor", dtype)
    return finished(array_from(data, d), device if device is not None else device_of(data), requires_grad)


def device_of(data):
    """The device that data which is a tensor lies on; None for other data."""
    return data.device if isinstance(data, Tensor) else None


@composite(namespace="torch", method=False)
def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor: itself if it is one of that dtype, sharing memory with an array, copied otherwise."""
    d = as_dtype("as_tensor", dtype)
    if isinstance(data, Tensor):
        if (d is None or d is data.meta.dtype) and (device is None or resolve(device) == data.device):
            return data
        return data.to(device=device, dtype=d)
    if isinstance(data, np.ndarray) and (device is None or resolve(device) is cpu):
        t = from_numpy(data)
        return t if d is None or d is t.meta.dtype else wrap(cast(t.array, d))
    return finished(array_from(data, d), device, False)


@composite(namespace="torch", method=False)
def from_numpy(ndarray):
    """A tensor that shares the array's memory. TypeError or ValueError for arrays a tensor cannot hold."""
    array = plain_array(ndarray)
    if not array.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
            "the rest of this program.",
            UserWarning,
            stacklevel=2,
        )
    return wrap(array)


@composite(namespace="torch", method=False)
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A 1-d tensor on the memory of any object with Python's buffer interface, from byte `offset` on."""
    d = as_dtype("frombuffer", dtype)
    if d is None:
        raise TypeError("frombuffer(): argument 'dtype' must be torch.dtype, not NoneType")
    data = memoryview(buffer).cast("B")
    length = data.nbytes
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count < 0:
        if (length - offset) % d.itemsize:
            raise ValueError(
                f"buffer length ({length} bytes) after offset ({offset} bytes) must be a multiple of element size "
                f"({d.itemsize})"
            )
        count = (length - offset) // d.itemsize
    if offset + count * d.itemsize > length:
        raise ValueError(
            f"requested buffer length ({count} * {d.itemsize} bytes) after offset ({offset} bytes) must not be greater "
            f"than actual buffer length ({length} bytes)"
        )
    array = np.frombuffer(data, np.uint8, count * d.itemsize, offset).view(d.np)
    if data.readonly:
        warnings.warn(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can "
            "write to the underlying (supposedly non-writable) buffer using the tensor.",
            UserWarning,
            stacklevel=2,
        )
    return finished(array, None, requires_grad)


@composite(namespace="torch", method=False)
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """`obj` as a tensor, sharing memory where it can (unless `copy`); ValueError if copy=False cannot be had."""
    d = as_dtype("asarray", dtype)
    if isinstance(obj, Tensor):
        shared = obj.detach() if obj.requires_grad and not requires_grad else obj
    elif isinstance(obj, np.ndarray):
        shared = wrap(plain_array(obj))
    elif hasattr(obj, "__dlpack__"):
        from chainrule._tensor.interchange import from_dlpack

        shared = from_dlpack(obj)
    else:
        shared = None
    if shared is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return finished(array_from(obj, d), device, requires_grad)
    if d is not None and d is not shared.meta.dtype:
        if copy is False:
            raise ValueError(f"can't alias tensor with dtype '{shared.meta.dtype}' into dtype '{d}'.")
        shared = shared.to(d)
    elif copy:
        shared = shared.clone()
    if requires_grad and not shared.requires_grad:
        shared = shared.detach().requires_grad_()
    return shared
