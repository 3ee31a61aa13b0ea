"""Checks of index arrays against the axis they index. The gather and scatter loops call in here before
anything is written.
"""

import numpy as np


class OutOfBounds(IndexError, RuntimeError):
    """An index outside its axis. PyTorch raises one type or the other by operation; either handler works."""


def reject(index, size, axis):
    """Raise OutOfBounds for the first element of index outside [0, size)."""
    first = index[(index < 0) | (index >= size)].ravel()[0]
    raise OutOfBounds(f"index {first} is out of bounds for dimension {axis} with size {size}")


def misfit(what, shape, other, axis):
    """Raise for an array whose shape does not go with the one it is read or written beside."""
    raise RuntimeError(
        f"{what} of shape {tuple(shape)} does not fit {tuple(other)} apart from dimension {axis}"
    )


def check_fit(what, shape, other, axis):
    """Raise unless shape has other's rank and is no longer than other, save on axis (None: no exception)."""
    if len(shape) != len(other) or any(shape[d] > other[d] for d in range(len(shape)) if d != axis):
        misfit(what, shape, other, axis)


def check(index, size, axis):
    """Raise OutOfBounds unless every element of index lies in [0, size)."""
    if index.size and (index.min() < 0 or index.max() >= size):
        reject(index, size, axis)


def wrapped(index, size, axis):
    """index with its negative elements counted from the end; OutOfBounds unless all lie in [-size, size)."""
    if not index.size or (index.min() >= 0 and index.max() < size):
        return index
    outside = (index < -size) | (index >= size)
    if outside.any():
        first = index[outside].ravel()[0]
        raise OutOfBounds(f"index {first} is out of bounds for dimension {axis} with size {size}")
    return np.where(index < 0, index + size, index)
