"""Cross-correlation over one to three spatial axes, and its two adjoints.

Arrays are (N, C, *spatial), weights (C_out, C_in / groups, *kernel); stride, padding and dilation are tuples
with one int per spatial axis. Patches are copied out a few images at a time, so that they stay in cache, and
multiplied by the weight. The three functions are the linear maps and their transposes: nothing is conjugated
here. A transposed convolution is conv_grad_input with its output's shape; its own gradients are conv_forward
and conv_grad_weight.
"""

import math

import numpy as np

from chainrule._kernels.patches import col2im, im2col

CACHED_BYTES = 1 << 19


def conv_output_size(spatial, kernel, stride, padding, dilation):
    """The spatial shape of a convolution's output; RuntimeError for a kernel longer than the padded input."""
    padded = tuple(n + 2 * p for n, p in zip(spatial, padding, strict=True))
    reach = tuple(d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True))
    if any(n < r for n, r in zip(padded, reach, strict=True)):
        raise RuntimeError(
            f"convolution: Kernel size can't be greater than actual input size: the kernel spans {reach}, "
            f"the padded input {padded}"
        )
    return tuple((n - r) // s + 1 for n, r, s in zip(padded, reach, stride, strict=True))


def conv_transpose_output_size(spatial, kernel, stride, padding, output_padding, dilation):
    """The spatial shape of a transposed convolution's output."""
    return tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + extra + 1
        for n, k, s, p, extra, d in zip(
            spatial, kernel, stride, padding, output_padding, dilation, strict=True
        )
    )


def is_pointwise(kernel, stride, padding, spatial, extent):
    """Whether the patches are the input itself. (A transposed convolution's output padding makes spatial
    exceed extent.)
    """
    return (
        spatial == extent and not any(padding) and all(k == 1 for k in kernel) and all(s == 1 for s in stride)
    )


class Blocks:
    """The patches of x, a few images at a time, as (images, groups, C_in / groups · taps, positions)."""

    def __init__(self, x, kernel, stride, padding, dilation, extent, groups):
        self.x = x
        self.geometry = (kernel, stride, padding, dilation, extent)
        self.pointwise = is_pointwise(kernel, stride, padding, x.shape[2:], extent)
        self.shape = (groups, x.shape[1] // groups * math.prod(kernel), math.prod(extent))
        self.images = max(1, CACHED_BYTES // max(1, math.prod(self.shape) * x.itemsize))

    def __iter__(self):
        count = len(self.x)
        if self.pointwise:
            yield slice(0, count), self.x.reshape(count, *self.shape)
            return
        buffer = np.empty((min(self.images, count), *self.shape), self.x.dtype)
        for start in range(0, count, self.images):
            block = slice(start, min(start + self.images, count))
            cols = buffer[: block.stop - start]
            im2col(self.x[block], *self.geometry, cols)
            yield block, cols


def conv_forward(x, weight, bias, stride, padding, dilation, groups, extent=None):
    """Cross-correlation of x with weight, plus bias (C_out,) unless None.

    extent is the output's spatial shape, for a caller that wants fewer positions than there are.
    """
    kernel = weight.shape[2:]
    if extent is None:
        extent = conv_output_size(x.shape[2:], kernel, stride, padding, dilation)
    channels = weight.shape[0]
    out = np.empty((len(x), groups, channels // groups, math.prod(extent)), x.dtype)
    matrix = np.ascontiguousarray(weight).reshape(groups, channels // groups, math.prod(weight.shape[1:]))
    with np.errstate(all="ignore"):
        if matrix.shape[2]:
            for block, cols in Blocks(x, kernel, stride, padding, dilation, extent, groups):
                np.matmul(matrix, cols, out=out[block])
        else:
            out[...] = 0
        if bias is not None:
            out += bias.reshape(groups, -1, 1)
    return out.reshape(len(x), channels, *extent)


def conv_grad_input(g, weight, input_shape, stride, padding, dilation, groups):
    """The adjoint of conv_forward in x: g (N, C_out, *extent) taken back to input_shape."""
    kernel, spatial, extent = weight.shape[2:], tuple(input_shape[2:]), g.shape[2:]
    channels = weight.shape[0]
    matrix = np.ascontiguousarray(weight).reshape(groups, channels // groups, -1) if weight.size else None
    if matrix is None or not g.size:
        return np.zeros(input_shape, g.dtype)
    matrix = matrix.swapaxes(1, 2)
    g = np.ascontiguousarray(g).reshape(len(g), groups, channels // groups, math.prod(extent))
    with np.errstate(all="ignore"):
        if is_pointwise(kernel, stride, padding, spatial, extent):
            return np.matmul(matrix, g).reshape(input_shape)
        out = np.empty(input_shape, g.dtype)
        # one output channel a group (depthwise) is an outer product, which BLAS is slow at
        multiply = np.multiply if matrix.shape[2] == 1 else np.matmul
        images = max(1, CACHED_BYTES // (matrix[:, :, 0].size * g.shape[3] * g.itemsize))
        buffer = np.empty((min(images, len(g)), groups, matrix.shape[1], g.shape[3]), g.dtype)
        for start in range(0, len(g), images):
            block = slice(start, min(start + images, len(g)))
            cols = multiply(matrix, g[block], out=buffer[: block.stop - start])
            cols = cols.reshape(len(cols), input_shape[1], *kernel, *extent)
            out[block] = col2im(cols, spatial, stride, padding, dilation)
    return out


def conv_grad_weight(g, x, weight_shape, stride, padding, dilation, groups):
    """The adjoint of conv_forward in weight: g (N, C_out, *extent) against the patches of x."""
    kernel, extent = tuple(weight_shape[2:]), g.shape[2:]
    channels = weight_shape[0]
    out = np.zeros((groups, channels // groups, math.prod(weight_shape[1:])), g.dtype)
    if out.size and g.size:
        g = np.ascontiguousarray(g).reshape(len(g), groups, channels // groups, math.prod(extent))
        with np.errstate(all="ignore"):
            for block, cols in Blocks(x, kernel, stride, padding, dilation, extent, groups):
                out += np.matmul(g[block], cols.swapaxes(2, 3)).sum(0)
    return out.reshape(weight_shape)


def conv_transpose_forward(x, weight, bias, stride, padding, output_padding, groups, dilation):
    """Transposed convolution of x with weight (C_in, C_out / groups, *kernel), plus bias (C_out,) unless
    None.
    """
    spatial = conv_transpose_output_size(
        x.shape[2:], weight.shape[2:], stride, padding, output_padding, dilation
    )
    out = conv_grad_input(
        x, weight, (len(x), weight.shape[1] * groups, *spatial), stride, padding, dilation, groups
    )
    if bias is not None:
        with np.errstate(all="ignore"):
            out += bias.reshape(-1, *(1,) * len(spatial))
    return out


def conv_transpose_grad_input(g, weight, input_shape, stride, padding, dilation, groups):
    """The adjoint of conv_transpose_forward in x."""
    return conv_forward(g, weight, None, stride, padding, dilation, groups, tuple(input_shape[2:]))


def conv_transpose_grad_weight(g, x, weight_shape, stride, padding, dilation, groups):
    """The adjoint of conv_transpose_forward in weight."""
    return conv_grad_weight(x, g, weight_shape, stride, padding, dilation, groups)


def unfold(x, kernel, dilation, padding, stride):
    """The patches of x (N, C, H, W) as columns (N, C · taps, positions)."""
    extent = conv_output_size(x.shape[2:], kernel, stride, padding, dilation)
    shape = (len(x), x.shape[1] * math.prod(kernel), math.prod(extent))
    return im2col(x, kernel, stride, padding, dilation, extent).reshape(shape)


def fold(cols, output_size, kernel, dilation, padding, stride):
    """The adjoint of unfold: columns (N, C · taps, positions) added up into (N, C, *output_size)."""
    extent = conv_output_size(output_size, kernel, stride, padding, dilation)
    cols = cols.reshape(len(cols), cols.shape[1] // math.prod(kernel), *kernel, *extent)
    return col2im(cols, tuple(output_size), stride, padding, dilation)
