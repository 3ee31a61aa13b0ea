"""Which arrays a tensor may hold: plain, native-endian, strides non-negative multiples of the item size."""

import numpy as np

from chainrule._core.dtype import ALL, bfloat16, from_numpy_dtype

# NumPy's own types, native-endian, by number: what nearly every array has.
_COMMON = {d.num: d for d in ALL if d is not bfloat16}


def plain_array(array):
    """A given array as a tensor may hold it, without a copy; PyTorch's errors for what it cannot share."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    kind = array.dtype
    if kind.num in _COMMON and kind.isnative and array.flags.c_contiguous:
        # a view, so that the program may give its own array another shape
        return array.view() if type(array) is np.ndarray else array.view(np.ndarray)
    if array.dtype.names is not None or array.dtype.kind not in "biufcV":
        raise TypeError(_unsupported(array))
    if not array.dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order. Conversion between "
                         "byte orders is currently not supported.")  # fmt: skip
    d = _supported(array)
    for stride in array.strides:
        if stride < 0:
            raise ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
                "currently supported. (You can probably work around this by making a copy of your array  with "
                "array.copy().) "
            )
        if stride % array.itemsize:
            raise ValueError("given numpy array strides not a multiple of the element byte size. Copy the numpy array "
                             "to reallocate the memory.")  # fmt: skip
    if d is bfloat16:
        return array.view(np.uint16)
    return array.view(d.np, np.ndarray)


def _unsupported(array):
    return (
        f"can't convert np.ndarray of type {array.dtype.type.__module__}.{array.dtype.type.__name__}. The only "
        "supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint8, "
        "and bool."
    )


def _supported(array):
    if array.dtype.name == "bfloat16":
        return bfloat16
    if array.dtype == np.uint16:
        raise TypeError(_unsupported(array))
    try:
        return from_numpy_dtype(array.dtype)
    except TypeError:
        raise TypeError(_unsupported(array)) from None
