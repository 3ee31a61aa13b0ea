"""Reading and writing along one axis at places named by an index array: the plain twin of lookup.pyx."""

import numpy as np

from chainrule._kernels import bounds

AT = {"add": np.add, "multiply": np.multiply, "amax": np.maximum, "amin": np.minimum}


def real_axis(axis, ndim):
    if not -ndim <= axis < ndim:
        raise IndexError(f"axis {axis} is out of range for an array of {ndim} dimensions")
    return axis % ndim


def grid(index, axis):
    """Open index arrays that address, for each element of index, its own place with index put on axis."""
    places = list(np.indices(index.shape, sparse=True))
    places[axis] = index
    return tuple(places)


def write(out, places, src, how):
    if out.dtype != src.dtype:
        raise TypeError(f"expected a source of type {out.dtype}, got {src.dtype}")
    if how == "set":
        out[places] = src
    elif how in AT and not (out.dtype.kind == "c" and how in ("amax", "amin")):
        with np.errstate(all="ignore"):
            AT[how].at(out, places, src)
    else:
        raise TypeError(f"{how} has no loop for arrays of {out.dtype}")


def wrapped(index, size, axis):
    """index with negative elements counted from the end; OutOfBounds unless all lie in [-size, size)."""
    return bounds.wrapped(index, size, axis)


def gather(x, axis, index):
    """out[.., k, ..] = x[.., index[.., k, ..], ..] along axis; the shape of index, no longer than x on the
    other axes.
    """
    if x.ndim == 0:
        return gather(x.reshape(1), 0, index.reshape(-1)).reshape(index.shape)
    axis = real_axis(axis, x.ndim)
    bounds.check_fit("index", index.shape, x.shape, axis)
    bounds.check(index, x.shape[axis], axis)
    return x[grid(index, axis)]


def index_select(x, axis, index):
    """The slices of x along axis that the one-dimensional index names."""
    if x.ndim == 0:
        return gather(x.reshape(1), 0, index.reshape(-1)).reshape(())
    axis = real_axis(axis, x.ndim)
    index = index.reshape(-1)
    bounds.check(index, x.shape[axis], axis)
    return np.take(x, index, axis)


def scatter_into(out, axis, index, src, how):
    """Write src, element by element, into out where index says along axis, and return out.

    how: set (the last of repeated places wins), add, multiply, amax or amin (nan wins). src has the rank of
    index and is no shorter on any axis, or is 0-d. Nothing is written when an index is out of bounds.
    """
    if out.ndim == 0:
        line = src.reshape(-1) if src.size == 1 else src
        scatter_into(out.reshape(1), 0, index.reshape(-1), line, how)
        return out
    axis = real_axis(axis, out.ndim)
    bounds.check_fit("index", index.shape, out.shape, axis)
    bounds.check(index, out.shape[axis], axis)
    if src.ndim:
        bounds.check_fit("index", index.shape, src.shape, None)
        src = src[tuple(slice(n) for n in index.shape)]
    write(out, grid(index, axis), src, how)
    return out


def index_into(out, axis, index, src, how):
    """Write the slices of src into the slices of out that the one-dimensional index names, and return out.

    how as in scatter_into. src has out's shape but for axis, which has index's length, or is 0-d.
    """
    if out.ndim == 0:
        line = src.reshape(-1) if src.size == 1 else src
        index_into(out.reshape(1), 0, index.reshape(-1), line, how)
        return out
    axis = real_axis(axis, out.ndim)
    index = index.reshape(-1)
    bounds.check(index, out.shape[axis], axis)
    expected = (*out.shape[:axis], index.size, *out.shape[axis + 1 :])
    if src.ndim and src.shape != expected:
        bounds.misfit("source", src.shape, expected, axis)
    write(out, (slice(None),) * axis + (index,), src, how)
    return out
