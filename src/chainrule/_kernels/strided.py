"""The plain twin of the strided views."""

import numpy as np


def strided(a, shape, strides, offset):
    """The view of a's memory with this shape, strides and offset, all in bytes, from a's first element. Unchecked."""
    if offset == 0:
        return np.lib.stride_tricks.as_strided(a, shape, strides)
    # NumPy makes no view at an offset of an array that is itself a view: address the owner's bytes instead
    owner = a
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    start = a.__array_interface__["data"][0] - owner.__array_interface__["data"][0] + offset
    if 0 in shape:
        start = 0
    return np.ndarray(shape, a.dtype, _bytes_of(owner), start, strides)


def _bytes_of(owner):
    flat = np.lib.stride_tricks.as_strided(owner, (_extent(owner) // owner.itemsize,), (owner.itemsize,))
    return flat.view(np.uint8).data


def _extent(a):
    if a.size == 0:
        return 0
    return a.itemsize + sum(s * (n - 1) for s, n in zip(a.strides, a.shape, strict=True))


def expand(a, shape):
    """a stretched to `shape` (which it must fit) by stride 0."""
    lead = len(shape) - a.ndim
    strides = tuple(
        0 if i < lead or (a.shape[i - lead] == 1 and n != 1) else a.strides[i - lead] for i, n in enumerate(shape)
    )
    return np.lib.stride_tricks.as_strided(a, shape, strides)


def transposed(a, axis0, axis1):
    """a with two axes exchanged."""
    return a.swapaxes(axis0, axis1)


def _by_stride(a):
    return sorted((s, n) for s, n in zip(a.strides, a.shape, strict=True) if n != 1)


def visits_twice(a):
    """Whether a cell may appear twice in a: sorted by stride, a dimension steps into the extent of those below."""
    if a.flags.c_contiguous or a.size == 0:
        return False
    extent = a.itemsize
    for step, n in _by_stride(a):
        if step < extent:
            return True
        extent += step * (n - 1)
    return False


def is_dense(a):
    """Whether a fills a block of memory without gaps or repeats, in some order of its dimensions."""
    if a.flags.c_contiguous or a.size == 0:
        return True
    extent = a.itemsize
    for step, n in _by_stride(a):
        if step != extent:
            return False
        extent *= n
    return True
