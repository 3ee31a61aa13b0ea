"""Order along an axis: sort, top k, k-th value, medians, mode. Values come with the int64 places they came
from.

nan counts as the largest value. Sorts are stable whether asked to be or not. Arrays are real or bool.
"""

import numpy as np

from chainrule._kernels.lookup import gather
from chainrule._kernels.selection import first_few, stable_sort

FEW = 32


def last(axis, ndim):
    return axis == -1 or axis == ndim - 1


def sort(x, axis, descending=False):
    """(values, places) of x in order along axis, equals in the order they stand in."""
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    if last(axis, x.ndim):
        return stable_sort(x, descending)
    values, places = stable_sort(np.ascontiguousarray(x.swapaxes(axis, -1)), descending)
    return np.ascontiguousarray(values.swapaxes(axis, -1)), np.ascontiguousarray(places.swapaxes(axis, -1))


def argsort(x, axis, descending=False):
    """The places of x's elements in order along axis, equals in the order they stand in."""
    return sort(x, axis, descending)[1]


def msort(x):
    """x in order along its first axis."""
    return x.copy() if not x.ndim else np.sort(x, 0, kind="stable")


def topk(x, k, axis, largest=True, sorted=True):
    """(values, places) of the k largest (smallest) elements along axis, always in order, best first."""
    n = x.shape[axis] if x.ndim else 1
    if not 0 <= k <= n:
        raise RuntimeError(
            f"topk: selected index k out of range: expected 0 to {n} (the size of dimension {axis}), got {k}"
        )
    if not x.ndim:
        return (x.copy(), np.zeros((), np.int64)) if k else (np.empty(0, x.dtype), np.empty(0, np.int64))
    if k <= FEW:
        if last(axis, x.ndim):
            return first_few(x, k, largest)
        values, places = first_few(x.swapaxes(axis, -1), k, largest)
        return np.ascontiguousarray(values.swapaxes(axis, -1)), np.ascontiguousarray(
            places.swapaxes(axis, -1)
        )
    if 4 * k > n:
        values, places = sort(x, axis, largest)
        return np.ascontiguousarray(values.take(range(k), axis)), np.ascontiguousarray(
            places.take(range(k), axis)
        )
    some = np.argpartition(x, n - k if largest else k - 1, axis)
    some = some.take(range(n - k, n) if largest else range(k), axis)
    # equals in the order they stand in
    some.sort(axis)
    values, order = sort(gather(x, axis, some), axis, largest)
    return values, gather(some, axis, order)


def picked(x, places, axis, keepdims):
    """x's elements at one place a line, and the places, the axis dropped unless keepdims."""
    values = gather(x, axis, places)
    return (values, places) if keepdims else (values.squeeze(axis), places.squeeze(axis))


def kthvalue(x, k, axis, keepdims=False):
    """(value, place) of the k-th smallest along axis, k from 1."""
    n = x.shape[axis] if x.ndim else 1
    if not 1 <= k <= n:
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {axis}: expected 1 to {n}, got {k}"
        )
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    return picked(x, argsort(x, axis).take([k - 1], axis), axis, keepdims)


def median(x, axis, keepdims=False):
    """(value, place) of the lower median along axis; a line with a nan gives its first nan."""
    return middle(x, axis, keepdims, False)


def nanmedian(x, axis, keepdims=False):
    """(value, place) of the lower median of each line's elements that are not nan, or its first nan if there
    is none.
    """
    return middle(x, axis, keepdims, True)


def middle(x, axis, keepdims, skip_nan):
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    n = x.shape[axis]
    if n == 0:
        raise IndexError(f"median: expected dimension {axis} to have a non-zero size")
    nans = np.isnan(x).sum(axis, keepdims=True) if x.dtype.kind == "f" else np.zeros((1,) * x.ndim, np.int64)
    if skip_nan:
        rank = np.maximum(n - nans - 1, 0) // 2
    else:
        # nan sorts last: the first of them stands after all that are not
        rank = np.where(nans > 0, n - nans, (n - 1) // 2)
    shape = list(x.shape)
    shape[axis] = 1
    order = argsort(x, axis)
    return picked(x, gather(order, axis, np.broadcast_to(rank, shape)), axis, keepdims)


def mode(x, axis, keepdims=False):
    """(value, place) of the most frequent element along axis, the smallest of several, at its last place."""
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    if not x.shape[axis]:
        raise IndexError(f"mode: expected dimension {axis} to have a non-zero size")
    values, order = sort(np.moveaxis(x, axis, -1), -1)
    at = np.arange(values.shape[-1])
    starts = np.ones(values.shape, bool)
    starts[..., 1:] = values[..., 1:] != values[..., :-1]
    # how far each element is into its run of equals: the longest run is furthest at its end
    into = at - np.maximum.accumulate(np.where(starts, at, 0), -1)
    best = np.asarray(np.argmax(into, -1, keepdims=True), np.int64)
    places = np.ascontiguousarray(np.moveaxis(gather(order, -1, best), -1, axis))
    return picked(x, places, axis, keepdims)
