"""Squared differences of arrays of one shape and dtype: the plain twin of errors.pyx."""

import numpy as np

from chainrule._kernels.dense import row_major


def paired(x, y, who):
    a, b = row_major(x, who), row_major(y, who)
    if a.dtype != b.dtype or a.shape != b.shape:
        raise ValueError(
            f"{who}: expected x and y of one shape and dtype, got {x.dtype}{x.shape} and {y.dtype}{y.shape}"
        )
    return a, b


def squared_error(x, y, factor):
    """factor times the sum of (x - y)**2, added up in float64: a 0-d array."""
    with np.errstate(all="ignore"):
        d = np.subtract(*paired(x, y, "squared_error")).astype(np.float64)
        return np.asarray((d * d).sum() * factor).astype(x.dtype)


def squared_errors(x, y):
    """(x - y)**2, element by element."""
    with np.errstate(all="ignore"):
        d = np.asarray(np.subtract(*paired(x, y, "squared_errors")))
        return np.asarray(d * d)


def squared_error_grad(g, x, y, factor):
    """2 factor g (x - y) for a 0-d g: the gradient for x of squared_error."""
    a, b = paired(x, y, "squared_error_grad")
    if g.size != 1 or g.dtype != a.dtype:
        raise ValueError(f"squared_error_grad: expected one element of {x.dtype} for g, got {g.dtype}{g.shape}")
    with np.errstate(all="ignore"):
        return np.asarray((a - b) * a.dtype.type(2 * factor * g.item()))
