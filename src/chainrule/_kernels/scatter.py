"""Writing into places named element by element or slice by slice, with a reduction where several meet.

`reduce` is sum, prod, mean, amax or amin; with include_self False an element that is written to starts from
nothing in place of its own value. out as in indexing.py.
"""

import numpy as np

from chainrule._kernels.lookup import index_into, scatter_into

HOW = {"sum": "add", "prod": "multiply", "mean": "add", "amax": "amax", "amin": "amin"}


def scatter(x, axis, index, src, out=None):
    """x with src, an array or a 0-d array, written along axis to where index says; the last write to a place
    stays.
    """
    return scatter_into(x.copy() if out is None else out, axis, index, src, "set")


def scatter_add(x, axis, index, src, out=None):
    """x with src added along axis to where index says. From zeros this is the adjoint of gather."""
    return scatter_into(x.copy() if out is None else out, axis, index, src, "add")


def scatter_multiply(x, axis, index, src, out=None):
    """x multiplied by src along axis where index says."""
    return scatter_into(x.copy() if out is None else out, axis, index, src, "multiply")


def scatter_reduce(x, axis, index, src, reduce, include_self=True, out=None):
    """x reduced with src along axis where index says."""
    return reduced(scatter_into, x, axis, index, src, reduce, include_self, out)


def index_reduce(x, axis, index, src, reduce, include_self=True, out=None):
    """x's slices reduced with the slices of src, each into the slice that the one-dimensional index names."""
    return reduced(index_into, x, axis, index, src, reduce, include_self, out)


def neutral(reduce, dtype):
    if reduce in ("sum", "mean"):
        return np.zeros((), dtype)
    if reduce == "prod":
        return np.ones((), dtype)
    if dtype.kind == "b":
        return np.array(reduce == "amin", dtype)
    if dtype.kind == "f":
        return np.array(-np.inf if reduce == "amax" else np.inf, dtype)
    limits = np.iinfo(dtype)
    return np.array(limits.min if reduce == "amax" else limits.max, dtype)


def reduced(write, x, axis, index, src, reduce, include_self, out):
    if reduce not in HOW:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}.")
    out = x.copy() if out is None else out
    if not include_self:
        write(out, axis, index, neutral(reduce, x.dtype), "set")
    write(out, axis, index, src, HOW[reduce])
    if reduce == "mean":
        divide_by_counts(write, out, axis, index, include_self)
    return out


def divide_by_counts(write, out, axis, index, include_self):
    counts = write(np.zeros(out.shape, np.int64), axis, index, np.ones((), np.int64), "add")
    counts += 1 if include_self else counts == 0
    with np.errstate(all="ignore"):
        if out.dtype.kind in "fc":
            np.divide(out, counts.astype(out.real.dtype), out=out)
        else:
            np.floor_divide(out, counts.astype(out.dtype), out=out)
