"""Maxima and sums over windows of a volume: the plain twin of windows.pyx."""

from functools import reduce
from itertools import product

import numpy as np


def opened(vectors):
    """Vectors laid along one axis each, so that they broadcast to a grid."""
    return [vector.reshape(-1, *(1,) * (len(vectors) - 1 - axis)) for axis, vector in enumerate(vectors)]


def steps(spans):
    """For each offset into the windows: the open grid of its places (clipped into the input) and which are in
    a window.
    """
    longest = [-(-int(np.max(stops - starts, initial=0)) // step) for starts, stops, step in spans]
    for offset in product(*map(range, longest)):
        places, inside = [], []
        for k, (starts, stops, step) in zip(offset, spans, strict=True):
            at = starts + k * step
            inside.append(at < stops)
            places.append(np.where(at < stops, at, starts))
        yield opened(places), reduce(np.logical_and, opened(inside))


def max_windows(x, spans):
    """(maxima, int64 places) of the windows; a place counts within its plane.

    Of equal maxima the first counts; nan is above everything, and of several nan the last counts, as in
    PyTorch. No window may be empty.
    """
    if x.dtype.kind not in "fiu":
        raise TypeError(f"max pooling has no loop for arrays of {x.dtype}")
    shape = (x.shape[0], *(len(starts) for starts, _, _ in spans))
    first = opened([starts for starts, _, _ in spans])
    out = x[:, first[0], first[1], first[2]]
    index = np.broadcast_to((first[0] * x.shape[2] + first[1]) * x.shape[3] + first[2], shape).copy()
    for (d, h, w), inside in steps(spans):
        value = x[:, d, h, w]
        better = inside & ((value > out) | (value != value))
        np.copyto(out, value, where=better)
        np.copyto(index, (d * x.shape[2] + h) * x.shape[3] + w, where=better)
    return out, index


def sum_windows(x, spans):
    """The sum of each window."""
    if x.dtype.kind != "f" and x.dtype != np.int64:
        raise TypeError(f"average pooling has no loop for arrays of {x.dtype}")
    out = np.zeros((x.shape[0], *(len(starts) for starts, _, _ in spans)), x.dtype)
    with np.errstate(all="ignore"):
        for (d, h, w), inside in steps(spans):
            np.add(out, x[:, d, h, w], out=out, where=inside)
    return out


def spread_windows(g, size, spans):
    """The adjoint of sum_windows: each element of g added to all of its window, in zeros (planes, *size)."""
    if g.dtype.kind != "f":
        raise TypeError(f"average pooling has no loop for arrays of {g.dtype}")
    out = np.zeros((g.shape[0], *size), g.dtype)
    with np.errstate(all="ignore"):
        for (d, h, w), inside in steps(spans):
            i, j, k = np.nonzero(inside)
            np.add.at(out, (slice(None), d[i, 0, 0], h[j, 0], w[k]), g[:, i, j, k])
    return out
