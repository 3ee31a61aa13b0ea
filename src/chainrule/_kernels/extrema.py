"""Largest and smallest elements with the place they stand at, and how ties share a gradient.

Of equals the first counts; nan is above and below everything, and of several nan the first counts.
"""

import numpy as np

from chainrule._kernels.lookup import gather


def located(find, x, axis, keepdims):
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    if not x.shape[axis]:
        raise IndexError(f"{find.__name__}: expected reduction dim {axis} to have non-zero size")
    places = find(x, axis, keepdims=True).astype(np.int64, copy=False)
    values = gather(x, axis, places)
    return (values, places) if keepdims else (values.squeeze(axis), places.squeeze(axis))


def max_along(x, axis, keepdims=False):
    """(values, int64 places) of the largest element along axis."""
    return located(np.argmax, x, axis, keepdims)


def min_along(x, axis, keepdims=False):
    """(values, int64 places) of the smallest element along axis."""
    return located(np.argmin, x, axis, keepdims)


def argmax(x, axis=None, keepdims=False):
    """The int64 place of the largest element along axis, or in all of x in C order."""
    return placed(np.argmax, x, axis, keepdims)


def argmin(x, axis=None, keepdims=False):
    """The int64 place of the smallest element along axis, or in all of x in C order."""
    return placed(np.argmin, x, axis, keepdims)


def placed(find, x, axis, keepdims):
    if not x.ndim:
        return np.zeros((), np.int64)
    if not (x.size if axis is None else x.shape[axis]):
        raise IndexError(f"{find.__name__}: expected reduction dim {axis} to have non-zero size")
    return np.asarray(find(x, axis, keepdims=keepdims), np.int64)


def ties_grad(g, x, out, axes):
    """The gradient of amax and amin: g shared equally among the elements of x equal to out, or nan with it.

    g and out keep the reduced axes at length one; axes is a tuple.
    """
    hit = (x == out) | ((x != x) & (out != out))
    with np.errstate(all="ignore"):
        share = g / hit.sum(axes, keepdims=True).astype(g.dtype)
        return np.multiply(hit, share, out=np.empty(x.shape, g.dtype))
