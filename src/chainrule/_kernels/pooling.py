"""Max and average pooling over the last one to three axes, and their adjoints.

What lives here is where the windows are and what an average divides by; the loops over windows are in
windows.py. Arguments that concern axes are tuples with one entry per pooled axis. Every axis before those is
a batch axis.
"""

import math
from functools import lru_cache, reduce

import numpy as np

from chainrule._kernels.lookup import gather, scatter_into
from chainrule._kernels.windows import max_windows, spread_windows, sum_windows

SINGLE = (np.zeros(1, np.int64), np.ones(1, np.int64), 1)


def pool_output_size(spatial, kernel, stride, padding, dilation, ceil_mode):
    """The pooled shape; in ceil mode a last window must still start inside the input or its left padding."""
    sizes = []
    for n, k, s, p, d in zip(spatial, kernel, stride, padding, dilation, strict=True):
        count = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        sizes.append(count - 1 if ceil_mode and (count - 1) * s >= n + p else count)
    if any(size <= 0 for size in sizes):
        raise RuntimeError(
            f"pooling: Output size is too small: a kernel of {kernel} on an input of {spatial} "
            f"gives {tuple(sizes)}"
        )
    return tuple(sizes)


@lru_cache(maxsize=512)
def sliding_spans(spatial, kernel, stride, padding, dilation, ceil_mode):
    """Spans of a kernel that slides, its first element moved by whole dilations to the inside."""
    spans = []
    counts = pool_output_size(spatial, kernel, stride, padding, dilation, ceil_mode)
    for n, k, s, p, d, count in zip(spatial, kernel, stride, padding, dilation, counts, strict=True):
        starts = np.arange(count, dtype=np.int64) * s - p
        stops = np.minimum(starts + d * (k - 1) + 1, n)
        starts += np.where(starts < 0, -(starts // d) * d, 0)
        spans.append((np.minimum(starts, n - 1), stops, d))
    return (SINGLE,) * (3 - len(spans)) + tuple(spans)


@lru_cache(maxsize=512)
def average_spans(spatial, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override, dtype):
    """Spans of average pooling and each window's divisor: positions past the padded input never count."""
    spans, sizes = [], []
    counts = pool_output_size(spatial, kernel, stride, padding, (1,) * len(kernel), ceil_mode)
    for n, k, s, p, count in zip(spatial, kernel, stride, padding, counts, strict=True):
        starts = np.arange(count, dtype=np.int64) * s - p
        stops = np.minimum(starts + k, n + p)
        padded = stops - starts
        starts, stops = np.maximum(starts, 0), np.minimum(stops, n)
        spans.append((starts, stops, 1))
        sizes.append(padded if count_include_pad else stops - starts)
    divisor = (
        np.array(divisor_override) if divisor_override is not None else reduce(np.multiply, np.ix_(*sizes))
    )
    return (SINGLE,) * (3 - len(spans)) + tuple(spans), divisor.astype(dtype)


@lru_cache(maxsize=512)
def adaptive_spans(spatial, output_size, dtype):
    """Spans that cut each axis into output_size nearly equal, possibly overlapping parts, and the parts'
    sizes.
    """
    spans = []
    for n, count in zip(spatial, output_size, strict=True):
        at = np.arange(count, dtype=np.int64)
        spans.append((at * n // count, -(-(at + 1) * n // count), 1))
    divisor = reduce(np.multiply, np.ix_(*(stops - starts for starts, stops, _ in spans)))
    return (SINGLE,) * (3 - len(spans)) + tuple(spans), divisor.astype(dtype)


def volumes(x, axes):
    """x as (planes, depth, height, width), with depth and height 1 where there are fewer pooled axes."""
    batch, spatial = x.shape[: x.ndim - axes], x.shape[x.ndim - axes :]
    if 0 in spatial:
        raise RuntimeError(f"pooling: expected non-empty pooled axes, got an input of shape {x.shape}")
    return x.reshape(math.prod(batch), *(1,) * (3 - axes), *spatial)


def pooled_shape(shape, spans, axes):
    return (*shape[: len(shape) - axes], *(len(starts) for starts, _, _ in spans[3 - axes :]))


def maxima(x, spans, axes):
    out, indices = max_windows(volumes(x, axes), spans)
    shape = pooled_shape(x.shape, spans, axes)
    return out.reshape(shape), indices.reshape(shape)


def max_pool(x, kernel, stride, padding, dilation, ceil_mode):
    """(maxima, int64 places within the plane) of the windows: of ties the first, of several nan the last.

    A dilated window may lie wholly in the padding. PyTorch then names a place outside the input; here it is
    the last one.
    """
    axes = len(kernel)
    spans = sliding_spans(x.shape[x.ndim - axes :], kernel, stride, padding, dilation, ceil_mode)
    return maxima(x, spans, axes)


def adaptive_max_pool(x, output_size):
    """(maxima, int64 places within the plane) of output_size parts of each axis."""
    axes = len(output_size)
    return maxima(x, adaptive_spans(x.shape[x.ndim - axes :], output_size, np.int64)[0], axes)


def max_pool_grad(g, indices, input_shape, axes):
    """The adjoint of max pooling of either kind over the last `axes` axes: g added where the maxima were."""
    plane = math.prod(input_shape[len(input_shape) - axes :])
    planes = math.prod(input_shape[: len(input_shape) - axes])
    out = np.zeros((planes, plane), g.dtype)
    if g.size:
        scatter_into(out, 1, indices.reshape(planes, -1), g.reshape(planes, -1), "add")
    return out.reshape(input_shape)


def max_pool_take(x, indices, axes):
    """x's elements at the places max pooling gave: the adjoint of max_pool_grad, and the pooled tangent."""
    batch = x.ndim - axes
    if not indices.size:
        return np.empty(indices.shape, x.dtype)
    planes = math.prod(x.shape[:batch])
    return gather(x.reshape(planes, -1), 1, indices.reshape(planes, -1)).reshape(indices.shape)


def max_unpool(x, indices, output_size):
    """Zeros (..., *output_size) with x's elements at indices, places within the plane; the last of equals."""
    axes = len(output_size)
    shape = (*x.shape[: x.ndim - axes], *output_size)
    planes = math.prod(shape[: x.ndim - axes])
    out = np.zeros((planes, math.prod(output_size)), x.dtype)
    if x.size:
        scatter_into(out, 1, indices.reshape(planes, -1), x.reshape(planes, -1), "set")
    return out.reshape(shape)


def averages(x, spans, divisor, axes):
    out = sum_windows(volumes(x, axes), spans).reshape(pooled_shape(x.shape, spans, axes))
    with np.errstate(all="ignore"):
        if x.dtype.kind == "f":
            return np.divide(out, divisor, out=out)
        # whole numbers are cut towards zero
        return np.sign(out) * (np.abs(out) // divisor)


def averages_grad(g, spans, divisor, input_shape, axes):
    with np.errstate(all="ignore"):
        share = np.divide(g, divisor)
    spatial = tuple(input_shape[len(input_shape) - axes :])
    planes = math.prod(input_shape[: len(input_shape) - axes])
    share = share.reshape(planes, *(len(starts) for starts, _, _ in spans))
    return spread_windows(share, (1,) * (3 - axes) + spatial, spans).reshape(input_shape)


def avg_pool(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override=None):
    """The mean of each window. The divisor is divisor_override, else the window's size within the padded
    input, or within the input alone unless count_include_pad.
    """
    axes = len(kernel)
    spatial = x.shape[x.ndim - axes :]
    return averages(
        x,
        *average_spans(
            spatial, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override, x.dtype
        ),
        axes,
    )


def avg_pool_grad(
    g, input_shape, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override=None
):
    """The adjoint of avg_pool."""
    axes = len(kernel)
    spatial = tuple(input_shape[len(input_shape) - axes :])
    return averages_grad(
        g,
        *average_spans(
            spatial, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override, g.dtype
        ),
        input_shape,
        axes,
    )


def adaptive_avg_pool(x, output_size):
    """The means of output_size parts of each axis."""
    axes = len(output_size)
    if x.size and x.dtype.kind == "f" and all(n == 1 for n in output_size):
        # one part is a plain mean, and NumPy sums long lines faster, in pairs
        spatial = tuple(range(x.ndim - axes, x.ndim))
        with np.errstate(all="ignore"):
            return np.mean(x, spatial, keepdims=True)
    return averages(x, *adaptive_spans(x.shape[x.ndim - axes :], output_size, x.dtype), axes)


def adaptive_avg_pool_grad(g, input_shape, axes):
    """The adjoint of adaptive_avg_pool over the last `axes` axes."""
    spatial = tuple(input_shape[len(input_shape) - axes :])
    return averages_grad(g, *adaptive_spans(spatial, g.shape[g.ndim - axes :], g.dtype), input_shape, axes)
