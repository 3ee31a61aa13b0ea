"""Softmax, its logarithm and log-sum-exp along axes in NumPy: the plain twin of softmax.pyx."""

import numpy as np
from numpy.exceptions import AxisError

from chainrule._kernels.dense import row_major


def shifted(x, axis, who):
    """x less its maximum along axis, and the axis: a 0-d array counts as one element."""
    x = row_major(x, who)
    if not -max(x.ndim, 1) <= axis < max(x.ndim, 1):
        raise AxisError(axis, x.ndim)
    axis = axis if x.ndim else ()
    if not x.size:
        return x.copy(), axis
    with np.errstate(all="ignore"):
        return np.asarray(x - np.max(x, axis=axis, keepdims=True)), axis


def softmax(x, axis):
    """exp(x) scaled to sum to one along axis."""
    e, axis = shifted(x, axis, "softmax")
    with np.errstate(all="ignore"):
        np.exp(e, out=e)
        e /= np.sum(e, axis=axis, keepdims=True)
    return e


def log_softmax(x, axis):
    """x less the logarithm of the sum of exp(x) along axis."""
    y, axis = shifted(x, axis, "log_softmax")
    with np.errstate(all="ignore"):
        y -= np.log(np.sum(np.exp(y), axis=axis, keepdims=True))
    return y


def checked(g, out, who):
    left, right = row_major(g, who), row_major(out, who)
    if left.dtype != right.dtype or left.shape != right.shape:
        raise ValueError(
            f"{who}: expected g and out of one shape and dtype, "
            f"got {g.dtype}{g.shape} and {out.dtype}{out.shape}"
        )
    return left, right


def softmax_grad(g, out, axis):
    """out * (g - sum of g*out along axis), for out = softmax(x)."""
    g, out = checked(g, out, "softmax_grad")
    with np.errstate(all="ignore"):
        return np.asarray(out * (g - np.sum(g * out, axis=axis if out.ndim else (), keepdims=True)))


def log_softmax_grad(g, out, axis):
    """g - exp(out) * (sum of g along axis), for out = log_softmax(x)."""
    g, out = checked(g, out, "log_softmax_grad")
    with np.errstate(all="ignore"):
        return np.asarray(g - np.exp(out) * np.sum(g, axis=axis if out.ndim else (), keepdims=True))


def logsumexp(x, axes, keepdims):
    """log of the sum of exp(x) over axes: an int, a tuple, or None for all. Over nothing it is -inf."""
    x = row_major(x, "logsumexp")
    axes = tuple(range(x.ndim)) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    for axis in axes:
        if not -max(x.ndim, 1) <= axis < max(x.ndim, 1):
            raise AxisError(axis, x.ndim)
    axes = tuple(axis % x.ndim for axis in axes) if x.ndim else ()
    if len(set(axes)) != len(axes):
        twice = next(axis for i, axis in enumerate(axes) if axis in axes[:i])
        raise RuntimeError(f"logsumexp: axis {twice} appears more than once in axes")
    with np.errstate(all="ignore"):
        top = np.max(x, axis=axes, keepdims=True, initial=-np.inf)
        top = np.where(np.isinf(top), np.zeros_like(top), top)
        out = np.asarray(top + np.log(np.sum(np.exp(x - top), axis=axes, keepdims=True)))
    return out if keepdims else out.reshape([n for i, n in enumerate(x.shape) if i not in axes])
