"""The patches a sliding kernel sees: the plain twin of patches.pyx."""

from itertools import product

import numpy as np


def taps(kernel, stride, padding, dilation, spatial, extent):
    """For each tap of the kernel: where it reads the input and which positions those reads belong to, padding
    left out.
    """
    for tap in product(*map(range, kernel)):
        read, position = [], []
        for t, step, pad, gap, size, count in zip(
            tap, stride, padding, dilation, spatial, extent, strict=True
        ):
            first = t * gap - pad
            low = max(0, -(first // step))
            high = max(low, min(count, -((first - size) // step)))
            position.append(slice(low, high))
            start = first + low * step
            read.append(slice(start, start + (high - low) * step, step) if high > low else slice(0, 0))
        yield tap, (..., *read), (..., *position)


def im2col(x, kernel, stride, padding, dilation, extent, out=None):
    """The patches of x (N, C, *spatial) as (N, C, *kernel, *extent), zero where a patch reaches into the
    padding.

    extent is the number of positions the kernel takes on each spatial axis. out, if given, is a contiguous
    array of the result's size, and is returned.
    """
    shape = (*x.shape[:2], *kernel, *extent)
    cols = np.zeros(shape, x.dtype)
    for tap, read, position in taps(kernel, stride, padding, dilation, x.shape[2:], extent):
        cols[(slice(None), slice(None), *tap, *position)] = x[read]
    if out is None:
        return cols
    out.reshape(shape)[...] = cols
    return out


def col2im(cols, spatial, stride, padding, dilation):
    """The adjoint of im2col: the patches (N, C, *kernel, *extent) added back into zeros (N, C, *spatial)."""
    n = len(spatial)
    kernel, extent = cols.shape[2 : 2 + n], cols.shape[2 + n :]
    if cols.dtype.kind not in "fciu":
        raise TypeError(f"col2im has no loop for arrays of {cols.dtype}")
    out = np.zeros((*cols.shape[:2], *spatial), cols.dtype)
    with np.errstate(all="ignore"):
        for tap, read, position in taps(kernel, stride, padding, dilation, spatial, extent):
            out[read] += cols[(slice(None), slice(None), *tap, *position)]
    return out
