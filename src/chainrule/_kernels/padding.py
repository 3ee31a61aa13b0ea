"""Padding and its adjoint: constant, reflect, replicate, circular.

pad is PyTorch's flat tuple: (before, after) of the last axis, then of the one before it. Negative amounts
crop.
"""

import numpy as np

from chainrule._kernels.lookup import index_into, index_select


def amounts(pad, ndim):
    """(axis, before, after) for each axis pad speaks of."""
    if len(pad) % 2 or len(pad) > 2 * ndim:
        raise RuntimeError(f"pad: expected at most {2 * ndim} amounts, two for each axis, got {len(pad)}")
    return [(ndim - 1 - k, pad[2 * k], pad[2 * k + 1]) for k in range(len(pad) // 2)]


def overlaps(shape, pad):
    """The constant-padded shape, and the slices of input and result that hold the same elements."""
    grown, inner, outer = list(shape), [slice(None)] * len(shape), [slice(None)] * len(shape)
    for axis, before, after in amounts(pad, len(shape)):
        n = shape[axis]
        low, high = max(0, -before), n - max(0, -after)
        if low > high:
            raise RuntimeError(
                f"pad: the input size {n}, plus negative padding {before} and {after}, "
                f"resulted in a negative size at dimension {axis}"
            )
        grown[axis] += before + after
        inner[axis] = slice(low, high)
        outer[axis] = slice(low + before, high + before)
    return grown, tuple(inner), tuple(outer)


def sources(n, before, after, axis, mode):
    """For each place along a padded axis of n elements, the element it repeats."""
    if n + before + after < 0:
        raise RuntimeError(
            f"pad: the input size {n}, plus negative padding {before} and {after}, "
            f"resulted in a negative output size at dimension {axis}"
        )
    at = np.arange(-before, n + after)
    if mode == "replicate":
        return np.clip(at, 0, n - 1)
    if mode == "reflect":
        if before >= n or after >= n:
            raise RuntimeError(
                f"pad: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {axis} of size {n}"
            )
        at = np.abs(at)
        return np.where(at >= n, 2 * (n - 1) - at, at)
    if mode == "circular":
        # cropping comes first: what is left wraps around
        low, high = max(0, -before), n - max(0, -after)
        if max(before, after) > high - low:
            raise RuntimeError(
                f"pad: Padding value causes wrapping around more than once: padding ({before}, {after}) "
                f"at dimension {axis} of size {n}"
            )
        return low + (at - low) % max(1, high - low)
    raise NotImplementedError(f"pad: expected mode constant, reflect, replicate or circular, got {mode!r}")


def pad(x, pad, mode="constant", value=0):
    """x grown (or cropped) by pad on its last axes and filled as mode says."""
    if mode == "constant":
        shape, inner, outer = overlaps(x.shape, pad)
        out = np.full(shape, value, x.dtype)
        out[outer] = x[inner]
        return out
    for axis, before, after in amounts(pad, x.ndim):
        x = index_select(x, axis, sources(x.shape[axis], before, after, axis, mode))
    return x


def pad_grad(g, input_shape, pad, mode="constant"):
    """The adjoint of pad: each element's gradient is the sum over the places that repeat it."""
    if mode == "constant":
        _, inner, outer = overlaps(input_shape, pad)
        out = np.zeros(input_shape, g.dtype)
        out[inner] = g[outer]
        return out
    for axis, before, after in reversed(amounts(pad, g.ndim)):
        shape = list(g.shape)
        shape[axis] = input_shape[axis]
        places = sources(input_shape[axis], before, after, axis, mode)
        g = index_into(np.zeros(shape, g.dtype), axis, places, g, "add")
    return g
