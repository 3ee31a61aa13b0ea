"""Sorting and selecting along the last axis with the places the values came from: the plain twin of
selection.pyx.
"""

import numpy as np


def stable_sort(x, descending):
    """(values, int64 places) of x (…, n) in order along its last axis, equals in the order they stand in."""
    if x.dtype.kind not in "fiub":
        raise TypeError(f"sorting has no loop for arrays of {x.dtype}")
    if descending:
        # the reverse of a stable ascending order of the reversed line
        places = x.shape[-1] - 1 - np.argsort(x[..., ::-1], -1, kind="stable")[..., ::-1]
    else:
        places = np.argsort(x, -1, kind="stable")
    places = np.ascontiguousarray(places, np.int64)
    return np.take_along_axis(x, places, -1), places


def first_few(x, k, largest):
    """(values, int64 places) of the k largest (smallest) elements along the last axis, best first; for small
    k.
    """
    values, places = stable_sort(x, largest)
    return np.ascontiguousarray(values[..., :k]), np.ascontiguousarray(places[..., :k])
