"""Running sums, products, extremes and log-sums along an axis, and the gradients of products without
division.

float32 sums and products run in float64, complex64 in complex128; integers and bools in int64. The native
loops are in running.py.
"""

import numpy as np

from chainrule._kernels.running import cummax, cummin, cumulate, recurrence

__all__ = ["cummax", "cummin", "cumprod", "cumprod_grad", "cumsum", "logcumsumexp", "prod_grad"]

WIDE = {"c": np.complex128, "i": np.int64, "u": np.int64, "b": np.int64}


def accumulated(ufunc, x, axis):
    """NumPy's own scan of a complex, integer or bool array."""
    wide = WIDE[x.dtype.kind]
    narrow = x.dtype if x.dtype.kind == "c" else wide
    if not x.ndim:
        return x.astype(narrow)
    with np.errstate(all="ignore"):
        return ufunc.accumulate(x, axis, wide).astype(narrow, copy=False)


def cumsum(x, axis):
    """Sums of the elements up to each place along axis; integers and bools give int64."""
    return cumulate(x, axis, False) if x.dtype.kind == "f" else accumulated(np.add, x, axis)


def cumprod(x, axis):
    """Products of the elements up to each place along axis; integers and bools give int64."""
    return cumulate(x, axis, True) if x.dtype.kind == "f" else accumulated(np.multiply, x, axis)


def logcumsumexp(x, axis):
    """log of the running sum of exp(x) along axis, never leaving the range of x."""
    if not x.ndim:
        return x.copy()
    with np.errstate(all="ignore"):
        if x.dtype.kind == "f":
            return np.logaddexp.accumulate(x, axis, np.float64).astype(x.dtype, copy=False)
        out = x.astype(WIDE["c"])
        lines = np.moveaxis(out, axis, 0)
        for k in range(1, len(lines)):
            lines[k] = log_of_sum(lines[k - 1], lines[k])
        return out.astype(x.dtype, copy=False)


def log_of_sum(a, b):
    """log(exp(a) + exp(b)) of complex arrays, the larger real part taken out first."""
    swap = a.real < b.real
    high, low = np.where(swap, b, a), np.where(swap, a, b)
    out = high + np.log1p(np.exp(low - high))
    # both are zero, exp(-inf): their difference is nan, their sum is zero
    return np.where(high.real == -np.inf, high, out)


def neighbours(ndim, axis):
    """Indices of all the elements with a successor along axis, and of those successors."""
    before = [slice(None)] * ndim
    after = list(before)
    before[axis], after[axis] = slice(None, -1), slice(1, None)
    return tuple(before), tuple(after)


def cumprod_grad(g, x, axis):
    """The adjoint of cumprod at x, right where x has zeros.

    The product up to k, without x[k], times s[k] = g[k] + x[k + 1] · s[k + 1]: what follows k is Horner's
    rule.
    """
    if not x.ndim:
        return g.copy()
    following = np.zeros_like(x)
    before, after = neighbours(x.ndim, axis)
    following[before] = x[after]
    out = recurrence(following, g, axis, True)
    with np.errstate(all="ignore"):
        out[after] *= cumprod(x, axis)[before]
    return out


def products_of_others(x, axis):
    """For each place along axis, the product of all the elements but that one."""
    if not x.ndim:
        return np.ones_like(x)
    before, after = neighbours(x.ndim, axis)
    out = np.ones_like(x)
    out[after] = cumprod(x, axis)[before]
    with np.errstate(all="ignore"):
        out[before] *= np.flip(cumprod(np.flip(x, axis), axis), axis)[after]
    return out


def prod_grad(g, x, axis=None):
    """The adjoint of prod at x over axis (None: all), right where x has zeros; g broadcasts against x."""
    others = (
        products_of_others(x.reshape(-1), 0).reshape(x.shape) if axis is None else products_of_others(x, axis)
    )
    with np.errstate(all="ignore"):
        return np.multiply(g, others, out=others)
