"""Resizing over the last axes, and its adjoint: nearest, nearest-exact, linear (bi-, tri-), bicubic, area.

Resizing is separable: along each axis an output is a weighted sum of a few inputs, its taps. Source positions
are computed in the input's own precision (float32 for nearest, whatever the input), as PyTorch does, so that
the same inputs are chosen. `scales` holds the scale factors that the caller was given and did not recompute,
or None.
"""

import math
from functools import lru_cache

import numpy as np

from chainrule._kernels.lookup import index_into, index_select
from chainrule._kernels.pooling import adaptive_avg_pool, adaptive_avg_pool_grad

LINEAR = ("linear", "bilinear", "trilinear")
CUBIC = -0.75
CUBIC_ANTIALIASED = -0.5


def resized(spatial, scale_factors):
    """The spatial shape after scaling."""
    return tuple(math.floor(float(n) * s) for n, s in zip(spatial, scale_factors, strict=True))


def step_between(n, count, align_corners, scale, dtype):
    """The distance in the input between neighbouring outputs."""
    if align_corners:
        return dtype.type(n - 1) / dtype.type(count - 1) if count > 1 else dtype.type(0)
    if scale is not None and scale > 0:
        return dtype.type(1.0 / scale)
    return dtype.type(n) / dtype.type(count)


def nearest_taps(n, count, scale, offset, whole_steps):
    if whole_steps and count in (n, 2 * n):
        return [(np.arange(count) * n // count, None)]
    step = step_between(n, count, False, scale, np.dtype(np.float32))
    at = np.arange(count, dtype=np.float32) + np.float32(offset)
    return [(np.minimum(np.floor(at * step).astype(np.int64), n - 1), None)]


def linear_taps(n, count, align_corners, scale, dtype):
    at = np.arange(count, dtype=dtype)
    step = step_between(n, count, align_corners, scale, dtype)
    where = at * step if align_corners else np.maximum(step * (at + dtype.type(0.5)) - dtype.type(0.5), 0)
    if n == count:
        where = at
    low = np.minimum(where.astype(np.int64), n - 1)
    weight = np.clip(where - low.astype(dtype), 0, 1)
    return [(low, 1 - weight), (np.minimum(low + 1, n - 1), weight)]


def cubic(distance, a):
    """Keys' convolution kernel with parameter a (R. Keys, 1981)."""
    x = np.abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def cubic_taps(n, count, align_corners, scale, dtype):
    at = np.arange(count, dtype=dtype)
    step = step_between(n, count, align_corners, scale, dtype)
    where = at * step if align_corners else step * (at + dtype.type(0.5)) - dtype.type(0.5)
    low = np.floor(where)
    offset = where - low
    low = low.astype(np.int64)
    return [
        (np.clip(low + k, 0, n - 1), cubic(offset - dtype.type(k), dtype.type(CUBIC)).astype(dtype))
        for k in range(-1, 3)
    ]


def antialiased_taps(n, count, align_corners, scale, dtype, is_cubic):
    """Taps of a filter stretched over the inputs that an output stands for, weights adding up to one."""
    step = step_between(n, count, align_corners, scale, dtype)
    stretch = max(step, dtype.type(1))
    support = dtype.type(2 if is_cubic else 1) * stretch
    centre = step * (np.arange(count, dtype=dtype) + dtype.type(0.5))
    low = np.maximum((centre - support + dtype.type(0.5)).astype(np.int64), 0)
    high = np.minimum((centre + support + dtype.type(0.5)).astype(np.int64), n)
    places, weights = [], []
    for k in range(int((high - low).max(initial=0))):
        distance = ((k + low).astype(dtype) - centre + dtype.type(0.5)) / stretch
        weight = (
            cubic(distance, dtype.type(CUBIC_ANTIALIASED))
            if is_cubic
            else np.maximum(1 - np.abs(distance), 0)
        )
        places.append(np.minimum(low + k, n - 1))
        weights.append(np.where(low + k < high, weight, 0).astype(dtype))
    total = sum(weights)
    return [(place, weight / total) for place, weight in zip(places, weights, strict=True)]


@lru_cache(maxsize=256)
def taps(n, count, mode, align_corners, scale, dtype, antialias, axes):
    """[(places, weights)] along one axis, from n elements to count; weights None for a plain choice.

    Of two resized axes, PyTorch takes each as it is or exactly doubled when its size comes out so, whatever
    the scale factor. Of one or three it does so in its backward only; here the backward is the adjoint of the
    forward.
    """
    if mode == "nearest":
        return nearest_taps(n, count, scale, 0, axes == 2)
    if mode == "nearest-exact":
        return nearest_taps(n, count, scale, 0.5, False)
    if antialias and (mode == "bilinear" or mode == "bicubic"):
        return antialiased_taps(n, count, align_corners, scale, dtype, mode == "bicubic")
    if mode in LINEAR:
        return linear_taps(n, count, align_corners, scale, dtype)
    if mode == "bicubic":
        return cubic_taps(n, count, align_corners, scale, dtype)
    raise NotImplementedError(f"interpolate: unknown mode {mode!r}")


def along(weights, ndim, axis):
    return weights.reshape(weights.shape + (1,) * (ndim - 1 - axis))


def axes_of(size, mode, align_corners, scales, dtype, antialias, ndim, spatial):
    """(axis, taps) for each resized axis, last first, as the nested sums of PyTorch go."""
    scales = scales or (None,) * len(size)
    for k in range(len(size) - 1, -1, -1):
        yield (
            ndim - len(size) + k,
            taps(spatial[k], size[k], mode, align_corners, scales[k], dtype, antialias, len(size)),
        )


def interpolate(x, size, mode="nearest", align_corners=False, scales=None, antialias=False):
    """x resized to size on its last len(size) axes."""
    if mode == "area":
        return adaptive_avg_pool(x, tuple(size))
    spatial = x.shape[x.ndim - len(size) :]
    for axis, parts in axes_of(size, mode, align_corners, scales, x.dtype, antialias, x.ndim, spatial):
        total = None
        for places, weights in parts:
            part = index_select(x, axis, places)
            with np.errstate(all="ignore"):
                if weights is not None:
                    part *= along(weights, x.ndim, axis)
                total = part if total is None else np.add(total, part, out=total)
        x = total
    return x


def interpolate_grad(
    g, input_shape, mode="nearest", align_corners=False, scales=None, antialias=False, axes=None
):
    """The adjoint of interpolate over the last `axes` axes (all but two unless given): g taken back to
    input_shape.
    """
    axes = g.ndim - 2 if axes is None else axes
    if mode == "area":
        return adaptive_avg_pool_grad(g, input_shape, axes)
    spatial = input_shape[g.ndim - axes :]
    size = g.shape[g.ndim - axes :]
    steps = list(axes_of(size, mode, align_corners, scales, g.dtype, antialias, g.ndim, spatial))
    for axis, parts in reversed(steps):
        shape = list(g.shape)
        shape[axis] = input_shape[axis]
        total = np.zeros(shape, g.dtype)
        for places, weights in parts:
            with np.errstate(all="ignore"):
                part = g if weights is None else g * along(weights, g.ndim, axis)
            index_into(total, axis, places, part, "add")
        g = total
    return g
