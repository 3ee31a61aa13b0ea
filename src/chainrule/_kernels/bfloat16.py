"""bfloat16 storage in NumPy, held in uint16 arrays: the plain twin of bfloat16.pyx."""

import numpy as np

from chainrule._kernels.dense import floating


def widen(x):
    """The float32 array of the bfloat16 values in the uint16 array x."""
    if not isinstance(x, np.ndarray) or x.dtype != np.uint16:
        raise TypeError(f"widen: expected a uint16 array, got {getattr(x, 'dtype', type(x).__name__)}")
    bits = np.left_shift(x, 16, dtype=np.uint32, out=np.empty_like(x, np.uint32))
    return bits.view(np.float32)


def narrow(x):
    """The bfloat16 values nearest to the float32 or float64 x, as uint16; ties to even, nan stays nan."""
    with np.errstate(all="ignore"):
        bits = floating(x, "narrow").astype(np.float32).view(np.uint32)
    upper = np.right_shift(bits, 16, out=np.empty_like(bits))
    rounded = np.right_shift(bits + np.uint32(0x7FFF) + (upper & np.uint32(1)), 16)
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, upper | 0x40, rounded).astype(np.uint16)
