"""Which bin a value falls into, and how many fall into each: bincount, histc, searchsorted, bucketize."""

import math

import numpy as np


def bincount(x, weights=None, minlength=0):
    """How often each whole number from 0 occurs in x (n,), int64; or the sums of its weights, float64 or
    float32 as they are.

    Without elements the result is int64 either way, as in PyTorch.
    """
    if x.ndim != 1 or x.dtype.kind not in "iu" or (x.size and x.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is None or not x.size:
        return np.bincount(x, minlength=minlength).astype(np.int64, copy=False)
    if weights.shape != x.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    sums = np.bincount(x, weights, minlength)
    return sums.astype(np.float32) if weights.dtype == np.float32 else sums


def histc(x, bins=100, min=0, max=0):
    """How many elements of x fall into each of bins equal parts of [min, max], in x's type; both zero: x's
    own range.

    The upper end belongs to the last bin; elements outside and nan count nowhere.
    """
    if bins <= 0:
        raise RuntimeError("bins must be > 0")
    low, high = x.dtype.type(min), x.dtype.type(max)
    if low == high and x.size:
        low, high = x.min(), x.max()
    if low == high:
        low, high = low - x.dtype.type(1), high + x.dtype.type(1)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError("max must be larger than min")
    inside = x[(x >= low) & (x <= high)]
    with np.errstate(all="ignore"):
        at = ((inside - low) * (x.dtype.type(bins) / (high - low))).astype(np.int64)
    return np.bincount(np.minimum(at, bins - 1), minlength=bins).astype(x.dtype)


def searchsorted(boundaries, values, right=False, sorter=None):
    """For each value the int64 place in its sorted line where it could stand: before its equals, or after if
    right.

    boundaries is one line for all values, or as many lines as values has. nan stands last. sorter gives the
    order of boundaries.
    """
    if sorter is not None:
        boundaries = np.take_along_axis(boundaries, sorter, -1)
    side = "right" if right else "left"
    if boundaries.ndim == 1:
        return np.asarray(np.searchsorted(boundaries, values, side), np.int64)
    if boundaries.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "searchsorted: expected one line of boundaries or a line for each line of values, "
            f"got shapes {boundaries.shape} and {values.shape}"
        )
    out = np.empty(values.shape, np.int64)
    count = math.prod(values.shape[:-1])
    lines = boundaries.reshape(count, boundaries.shape[-1])
    wanted, found = values.reshape(count, values.shape[-1]), out.reshape(count, values.shape[-1])
    for line, value, place in zip(lines, wanted, found, strict=True):
        place[...] = np.searchsorted(line, value, side)
    return out


def bucketize(values, boundaries, right=False):
    """The int64 number of the part that boundaries (n,) cut the line into where each value lies."""
    return searchsorted(boundaries, values, right)
