"""Running sums, products, extremes and linear recurrences along an axis: the plain twin of running.pyx."""

import numpy as np


def lines(x, axis):
    """x with axis first, 0-d arrays as one element."""
    if not x.ndim and -1 <= axis <= 0:
        return x.reshape(1)
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(f"axis {axis} is out of range for an array of {x.ndim} dimensions")
    return np.moveaxis(x, axis, 0)


def cumulate(x, axis, product):
    """Running sums (products) along axis of a float32 or float64 array, carried in float64."""
    if x.dtype.kind != "f":
        raise TypeError(f"running sums and products have no loop for arrays of {x.dtype}")
    if not x.ndim:
        return x.copy()
    with np.errstate(all="ignore"):
        total = (np.multiply if product else np.add).accumulate(x, axis, np.float64)
        return total.astype(x.dtype, copy=False)


def cumulative(x, axis, at_least):
    if x.dtype.kind not in "fiub":
        raise TypeError(f"running extremes have no loop for arrays of {x.dtype}")
    out, index = np.array(x, order="C"), np.zeros(x.shape, np.int64)
    values, places = lines(out, axis), lines(index, axis)
    for k in range(1, len(values)):
        better = at_least(values[k], values[k - 1]) | (values[k] != values[k])
        np.copyto(values[k : k + 1], values[k - 1], where=~better)
        places[k] = np.where(better, k, places[k - 1])
    return out, index


def cummax(x, axis):
    """(values, int64 indices) of the running maximum along axis; of equal maxima the last counts, and nan
    stays.
    """
    return cumulative(x, axis, np.greater_equal)


def cummin(x, axis):
    """(values, int64 indices) of the running minimum along axis; of equal minima the last counts, and nan
    stays.
    """
    return cumulative(x, axis, np.less_equal)


def recurrence(factor, term, axis, reverse):
    """s[k] = term[k] + factor[k] · s[k - 1] along axis, from s[0] = term[0]; with reverse, from the far end.

    factor and term have one shape and one floating-point or complex type.
    """
    if factor.dtype != term.dtype or factor.shape != term.shape:
        raise TypeError("recurrence: factor and term differ in shape or type")
    if term.dtype.kind not in "fc":
        raise TypeError(f"recurrence has no loop for arrays of {term.dtype}")
    out = np.array(term, order="C")
    sums, factors = lines(out, axis), lines(factor, axis)
    order = range(len(sums) - 2, -1, -1) if reverse else range(1, len(sums))
    back = 1 if reverse else -1
    with np.errstate(all="ignore"):
        for k in order:
            sums[k] += factors[k] * sums[k + back]
    return out
