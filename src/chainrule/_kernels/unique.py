"""Distinct elements or slices, with where each came from and how many there are. Every nan is distinct."""

import numpy as np


def runs(order, fresh):
    """(each element's number in the result, counts): order sorts, fresh marks where a new value starts."""
    number = np.cumsum(fresh, dtype=np.int64) - 1
    inverse = np.empty(len(order), np.int64)
    inverse[order] = number
    starts = np.flatnonzero(fresh)
    return inverse, np.diff(starts, append=len(order)).astype(np.int64, copy=False)


def starts_of(rows):
    """Whether each row differs from the one before."""
    fresh = np.ones(len(rows), bool)
    if len(rows) > 1:
        differs = rows[1:] != rows[:-1]
        fresh[1:] = differs if rows.ndim == 1 else differs.any(1)
    return fresh


def rows_of(x, axis):
    """x as rows to compare: its elements if axis is None, else its slices along axis, flattened."""
    if axis is None:
        return x.reshape(-1)
    if not x.ndim:
        return x.reshape(1, 1)
    moved = np.moveaxis(x, axis, 0)
    return moved.reshape(len(moved), x.size // len(moved) if len(moved) else 0)


def restored(rows, x, axis):
    if axis is None:
        return rows
    if not x.ndim:
        return rows.reshape(-1)
    shape = np.moveaxis(x, axis, 0).shape
    return np.ascontiguousarray(np.moveaxis(rows.reshape(len(rows), *shape[1:]), 0, axis))


def unique(x, axis=None):
    """(values, inverse, counts), int64 the last two: x's distinct elements in order, or its distinct slices
    along axis in lexicographic order. inverse has x's shape, or one entry for each slice.
    """
    rows = rows_of(x, axis)
    if axis is None:
        order = np.argsort(rows, kind="stable")
    elif rows.shape[1]:
        order = np.lexsort(rows.T[::-1])
    else:
        order = np.arange(len(rows))
    ordered = rows[order]
    return result(x, axis, ordered, order)


def unique_consecutive(x, axis=None):
    """(values, inverse, counts) as unique, with only neighbours that are equal made one."""
    rows = rows_of(x, axis)
    return result(x, axis, rows, np.arange(len(rows)))


def result(x, axis, ordered, order):
    fresh = starts_of(ordered)
    inverse, counts = runs(order, fresh)
    return restored(ordered[fresh], x, axis), inverse.reshape(x.shape) if axis is None else inverse, counts
