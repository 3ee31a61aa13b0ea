"""Indexing by integer arrays and masks: select, take, put, fill, and the sums their gradients need.

The functions that write take out: given x itself they work in place, given nothing they write into a copy of
x. The loops are in lookup.py; writing element by element with a reduction is scatter.py.
"""

import math
from contextlib import contextmanager

import numpy as np

from chainrule._kernels import bounds
from chainrule._kernels.lookup import gather, index_into, index_select, wrapped

__all__ = [
    "gather",
    "index_add",
    "index_copy",
    "index_fill",
    "index_grad",
    "index_put",
    "index_select",
    "masked_scatter",
    "masked_select",
    "nonzero",
    "one_hot",
    "put",
    "take",
]


def target(x, out):
    """The array to write into."""
    return x.copy() if out is None else out


def index_add(x, axis, index, src, out=None):
    """x with the slices of src added to the slices that index names; a slice named twice gets both."""
    return index_into(target(x, out), axis, index, src, "add")


def index_copy(x, axis, index, src, out=None):
    """x with the slices that index names replaced by those of src; of a slice named twice the last stays."""
    return index_into(target(x, out), axis, index, src, "set")


def index_fill(x, axis, index, value, out=None):
    """x with the slices that index names (from the end if negative) filled with value."""
    index = wrapped(index, x.shape[axis] if x.ndim else 1, axis)
    return index_into(target(x, out), axis, index, np.asarray(value, x.dtype), "set")


def take(x, index):
    """The elements of x, counted in C order (from the end if negative), in the shape of index."""
    places = wrapped(index, x.size, 0).reshape(-1)
    return index_select(x.reshape(-1), 0, places).reshape(index.shape)


def put(x, index, src, accumulate=False, out=None):
    """x with the elements that index names, counted in C order, replaced by src; or src added to them."""
    out = target(x, out)
    flat = out.reshape(-1)
    places = wrapped(index, x.size, 0).reshape(-1)
    index_into(flat, 0, places, src.reshape(-1), "add" if accumulate else "set")
    if not np.may_share_memory(flat, out):
        out[...] = flat.reshape(out.shape)
    return out


def row_numbers(indices, shape):
    """One number for each row that integer arrays on the leading axes name, rows counted in C order."""
    rows = 0
    for axis, index in enumerate(indices):
        rows = rows * shape[axis] + wrapped(index, shape[axis], axis)
    return rows


def is_integer_array(index):
    return isinstance(index, np.ndarray) and index.dtype.kind in "iu"


@contextmanager
def indexing_errors():
    """NumPy's complaints about an index, as PyTorch words and types them."""
    try:
        yield
    except IndexError as error:
        raise bounds.OutOfBounds(str(error).replace("axis", "dimension")) from None


def index_put(x, indices, values, accumulate=False, out=None):
    """x with x[indices] replaced by values or, to accumulate, with values added at each mention of a place.

    indices is a tuple as NumPy takes it: integer and bool arrays, slices, None, Ellipsis, ints. values
    broadcast.
    """
    out = target(x, out)
    if accumulate and any(map(is_integer_array, indices)):
        if out.flags.c_contiguous:
            add_repeatedly(out, indices, values)
        else:
            out[...] = add_repeatedly(out.copy(), indices, values)
        return out
    with indexing_errors(), np.errstate(all="ignore"):
        if accumulate:
            out[indices] += values
        else:
            out[indices] = values
    return out


def add_repeatedly(out, indices, values):
    """values added to out[indices], once for each time a place is named; out is contiguous."""
    if all(map(is_integer_array, indices)) and len(indices) <= out.ndim:
        rows = row_numbers(indices, out.shape)
        row_shape = out.shape[len(indices) :]
        flat = out.reshape(math.prod(out.shape[: len(indices)]), math.prod(row_shape))
        values = np.broadcast_to(values, rows.shape + row_shape).reshape(rows.size, flat.shape[1])
        index_into(flat, 0, rows.reshape(-1), values, "add")
    else:
        with indexing_errors():
            places = np.arange(out.size).reshape(out.shape)[indices]
        values = np.broadcast_to(values, places.shape).reshape(-1)
        index_into(out.reshape(-1), 0, places.reshape(-1), values, "add")
    return out


def index_grad(g, indices, input_shape):
    """The adjoint of x[indices]: g added into zeros of input_shape where it was read."""
    zeros = np.zeros(input_shape, g.dtype)
    return index_put(zeros, indices, g, True, zeros)


def masked_select(x, mask):
    """The elements of x where mask, the two broadcast together, in C order."""
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


def masked_scatter(x, mask, src, out=None):
    """x with the elements where mask replaced by those of src, in C order; mask broadcasts to x."""
    mask = np.broadcast_to(mask, x.shape)
    count = np.count_nonzero(mask)
    if src.size < count:
        raise RuntimeError(f"masked_scatter: expected a source of at least {count} elements, got {src.size}")
    out = target(x, out)
    out[mask] = src.reshape(-1)[:count]
    return out


def nonzero(x):
    """The places of the nonzero elements of x as rows (count, ndim) of int64."""
    if not x.ndim:
        return np.empty((int(x != 0), 0), np.int64)
    return np.stack(np.nonzero(x), 1).astype(np.int64, copy=False)


def one_hot(index, num_classes=-1):
    """int64 zeros (*index.shape, num_classes) with a one at each index; num_classes -1 is one past the
    largest.
    """
    if num_classes == -1:
        if not index.size:
            raise RuntimeError("one_hot: cannot infer num_classes from an empty index; give num_classes")
        num_classes = int(index.max()) + 1
    if num_classes < 1:
        raise RuntimeError(f"one_hot: expected a positive num_classes, got {num_classes}")
    if index.size and index.min() < 0:
        raise RuntimeError("one_hot: Class values must be non-negative.")
    if index.size and index.max() >= num_classes:
        raise RuntimeError(
            f"one_hot: Class values must be smaller than num_classes {num_classes}, got {index.max()}"
        )
    out = np.zeros((index.size, num_classes), np.int64)
    out[np.arange(index.size), index.reshape(-1)] = 1
    return out.reshape(*index.shape, num_classes)
