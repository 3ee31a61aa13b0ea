"""Element types changed: one place for what NumPy's astype does not do (bfloat16) or warns about (complex to real)."""

import numpy as np

from chainrule._core.dtype import bfloat16, float32, of_array
from chainrule._kernels.bfloat16 import narrow, widen


def cast(array, target):
    """A fresh array of dtype `target`; the array itself where it has that dtype already."""
    source = of_array(array)
    if source is target:
        return array
    if target is None:
        raise TypeError("a dtype is needed, got None")
    if source is bfloat16:
        wide = widen(array)
        return wide if target is float32 else cast(wide, target)
    if source.is_complex and not target.is_complex:
        return (array != 0) if target.name == "bool" else cast(array.real.copy(), target)
    if target is bfloat16:
        return narrow(array if source.is_floating_point and not source.is_half else array.astype(np.float32))
    with np.errstate(all="ignore"):
        return array.astype(target.np)


def compute_type(d):
    """The dtype in which a kernel computes values of dtype d: float32 for the 16-bit floats."""
    return float32 if d.is_half else d


def to_compute(array):
    """The array as a computing kernel takes it: 16-bit floats widened to float32."""
    d = of_array(array)
    return cast(array, float32) if d.is_half else array
