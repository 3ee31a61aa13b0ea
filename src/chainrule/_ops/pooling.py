"""Pooling: the largest, the mean or the p-norm of windows over the last one to three axes, and unpooling.

Maxima come with their places within the plane; of equal elements the first is the maximum and gets the whole gradient.
"""

from chainrule._engine.op import composite, op
from chainrule._kernels import pooling as kernels
from chainrule._ops.kinds import Opaque
from chainrule._ops.window import check_elements, check_rank, per_axis, tensor_argument

spread = op("max_pool_spread(input, indices, shape, axes)", Opaque(kernels.max_pool_grad, with_out=False),
    input=lambda g, indices, axes: take(g, indices, axes),
    namespace="_engine", method=False, node="MaxPoolBackwardBackward0",
    doc="The adjoint of max pooling: the input added into zeros of `shape` where the maxima were.")  # fmt: skip

take = op("max_pool_take(input, indices, axes)", Opaque(kernels.max_pool_take, with_out=False),
    input=lambda g, indices, input_shape, axes: spread(g, indices, input_shape, axes),
    namespace="_engine", method=False, node="MaxPoolTakeBackward0",
    doc="The elements at the places that max pooling gave.")  # fmt: skip


def _max_pooling(n):
    return op(f"max_pool{n}d_windows(input, kernel_size, stride, padding, dilation, ceil_mode)",
        Opaque(kernels.max_pool, n_outputs=2, with_out=False), smooth_outputs=(True, False),
        input=lambda g0, out1, input_shape, kernel_size: spread(g0, out1, input_shape, len(kernel_size)),
        namespace="_engine", method=False, node=f"MaxPool{n}DWithIndicesBackward0",
        doc="The largest element of each window, and its place within the plane.")  # fmt: skip


def _adaptive_max_pooling(n):
    return op(f"adaptive_max_pool{n}d_parts(input, output_size)",
        Opaque(kernels.adaptive_max_pool, n_outputs=2, with_out=False), smooth_outputs=(True, False),
        input=lambda g0, out1, input_shape, output_size: spread(g0, out1, input_shape, len(output_size)),
        namespace="_engine", method=False, node=f"AdaptiveMaxPool{n}DBackward0",
        doc="The largest element of each of output_size parts, and its place within the plane.")  # fmt: skip


def _average_pooling(n):
    average = op(f"avg_pool{n}d_windows(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor)",
        Opaque(kernels.avg_pool, with_out=False),
        input=lambda g, input_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor:
            share(g, input_shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor),
        namespace="_engine", method=False, node=f"AvgPool{n}DBackward0",
        doc="The mean of each window.")  # fmt: skip
    share = op(f"avg_pool{n}d_share(input, shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor)",
        Opaque(kernels.avg_pool_grad, with_out=False),
        input=lambda g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor:
            average(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor),
        namespace="_engine", method=False, node=f"AvgPool{n}DBackwardBackward0",
        doc="The adjoint of average pooling: each window's share added to its elements.")  # fmt: skip
    return average


def _adaptive_average_pooling(n):
    average = op(f"adaptive_avg_pool{n}d_parts(input, output_size)",
        Opaque(kernels.adaptive_avg_pool, with_out=False),
        input=lambda g, input_shape, output_size: share(g, input_shape, len(output_size)),
        namespace="_engine", method=False, node=f"AdaptiveAvgPool{n}DBackward0",
        doc="The mean of each of output_size parts.")  # fmt: skip
    share = op(f"adaptive_avg_pool{n}d_share(input, shape, axes)",
        Opaque(kernels.adaptive_avg_pool_grad, with_out=False),
        input=lambda g, input_shape, axes: average(g, input_shape[len(input_shape) - axes:]),
        namespace="_engine", method=False, node=f"AdaptiveAvgPool{n}DBackwardBackward0",
        doc="The adjoint of adaptive average pooling.")  # fmt: skip
    return average


def _unpooling(n):
    return op(f"max_unpool{n}d_into(input, indices, output_size)", Opaque(kernels.max_unpool, with_out=False),
        input=lambda g, indices, output_size: take(g, indices, len(output_size)),
        namespace="_engine", method=False, node=f"MaxUnpool{n}DBackward0",
        doc="Zeros with the input's elements at their places.")  # fmt: skip


_MAX = {n: _max_pooling(n) for n in (1, 2, 3)}
_ADAPTIVE_MAX = {n: _adaptive_max_pooling(n) for n in (1, 2, 3)}
_AVERAGE = {n: _average_pooling(n) for n in (1, 2, 3)}
_ADAPTIVE_AVERAGE = {n: _adaptive_average_pooling(n) for n in (1, 2, 3)}
_UNPOOL = {n: _unpooling(n) for n in (1, 2, 3)}


def _windows(name, n, input, kernel_size, stride, padding, dilation):
    """Kernel, stride (the kernel unless given), padding and dilation as checked tuples."""
    check_rank(name, input, n)
    if 0 in input.meta.shape[-n - 1:]:
        raise RuntimeError(
            f"{name}: Expected {n + 1}D or {n + 2}D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got: {list(input.meta.shape)}"
        )
    kernel = per_axis(name, "kernel_size", kernel_size, n)
    stride = kernel if stride is None or stride == [] or stride == () else per_axis(name, "stride", stride, n)
    padding = per_axis(name, "padding", padding, n)
    dilation = per_axis(name, "dilation", dilation, n)
    for what, values in (("kernel_size", kernel), ("stride", stride), ("dilation", dilation)):
        if min(values) < 1:
            raise RuntimeError(f"{name}: {what} must be greater than zero, but got {what}={values}")
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"{name}: pad must be non-negative, but got pad: {p}")
        if 2 * p > d * (k - 1) + 1:
            raise RuntimeError(
                f"{name}: pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    return kernel, stride, padding, dilation


def _max_pool(name, n, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    kernel, stride, padding, dilation = _windows(name, n, input, kernel_size, stride, padding, dilation)
    check_elements(name, input, "f" if n == 1 else "if")
    out, indices = _MAX[n](input, kernel, stride, padding, dilation, bool(ceil_mode))
    return (out, indices) if return_indices else out


@composite(namespace="nn.functional")
@composite(method=False)
def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest element of each window of (N, C, L) or (C, L); with `return_indices` also its place in the line.

    Of equal elements the first counts, a nan counts as largest."""
    return _max_pool("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@composite(namespace="nn.functional")
@composite(method=False)
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest element of each window of (N, C, H, W) or (C, H, W); with `return_indices` also its place.

    Of equal elements the first counts, a nan counts as largest."""
    return _max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@composite(namespace="nn.functional")
@composite(method=False)
def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest element of each window of (N, C, D, H, W) or unbatched; with `return_indices` also its place.

    Of equal elements the first counts, a nan counts as largest."""
    return _max_pool("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@composite(namespace="nn.functional")
@composite(method=False)
def max_pool1d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """max_pool1d's values and places."""
    return _max_pool("max_pool1d", 1, input, kernel_size, stride, padding, dilation, ceil_mode, True)


@composite(namespace="nn.functional")
def max_pool2d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """max_pool2d's values and places."""
    return _max_pool("max_pool2d", 2, input, kernel_size, stride, padding, dilation, ceil_mode, True)


@composite(namespace="nn.functional")
def max_pool3d_with_indices(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    """max_pool3d's values and places."""
    return _max_pool("max_pool3d", 3, input, kernel_size, stride, padding, dilation, ceil_mode, True)


def _avg_pool(name, n, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None):
    kernel, stride, padding, _ = _windows(name, n, input, kernel_size, stride, padding, 1)
    check_elements(name, input, "if")
    if divisor_override == 0:
        raise RuntimeError(f"{name}: divisor must be not zero")
    return _AVERAGE[n](input, kernel, stride, padding, bool(ceil_mode), bool(count_include_pad), divisor_override)


@composite(namespace="nn.functional")
@composite(method=False)
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of (N, C, L) or (C, L). Places beyond the padded input never count in the divisor."""
    return _avg_pool("avg_pool1d", 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@composite(namespace="nn.functional")
def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of each window of (N, C, H, W) or (C, H, W). Places beyond the padded input never count."""
    return _avg_pool(
        "avg_pool2d", 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


@composite(namespace="nn.functional")
def avg_pool3d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The mean of each window of (N, C, D, H, W) or unbatched. Places beyond the padded input never count."""
    return _avg_pool(
        "avg_pool3d", 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def _parts(name, n, input, output_size):
    """output_size as a tuple; None keeps an axis as long as it is."""
    check_rank(name, input, n)
    check_elements(name, input, "f")
    spatial = input.meta.shape[-n:]
    if isinstance(output_size, (tuple, list)) and None in output_size:
        if len(output_size) != n:
            raise RuntimeError(f"{name}: output_size must be {n} sizes, got {tuple(output_size)}")
        output_size = [m if size is None else size for size, m in zip(output_size, spatial, strict=True)]
    elif output_size is None:
        output_size = spatial
    sizes = per_axis(name, "output_size", output_size, n)
    if min(sizes) < 0:
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received {sizes}")
    if 0 in input.meta.shape[-n - 1:]:
        raise RuntimeError(
            f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
            f"{list(input.meta.shape)}"
        )
    return sizes


def adaptive_average(name, n, input, output_size):
    """Adaptive average pooling over n axes, also behind interpolate(mode='area')."""
    return _ADAPTIVE_AVERAGE[n](input, _parts(name, n, input, output_size))


@composite(namespace="nn.functional")
@composite(method=False)
def adaptive_avg_pool1d(input, output_size):
    """The means of output_size nearly equal parts of the last axis of (N, C, L) or (C, L)."""
    return adaptive_average("adaptive_avg_pool1d", 1, input, output_size)


@composite(namespace="nn.functional")
def adaptive_avg_pool2d(input, output_size):
    """The means of output_size nearly equal parts of the last two axes; None keeps an axis."""
    return adaptive_average("adaptive_avg_pool2d", 2, input, output_size)


@composite(namespace="nn.functional")
def adaptive_avg_pool3d(input, output_size):
    """The means of output_size nearly equal parts of the last three axes; None keeps an axis."""
    return adaptive_average("adaptive_avg_pool3d", 3, input, output_size)


def _adaptive_max_pool(name, n, input, output_size, return_indices):
    out, indices = _ADAPTIVE_MAX[n](input, _parts(name, n, input, output_size))
    return (out, indices) if return_indices else out


@composite(namespace="nn.functional")
def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The largest elements of output_size nearly equal parts of the last axis."""
    return _adaptive_max_pool("adaptive_max_pool1d", 1, input, output_size, return_indices)


@composite(namespace="nn.functional")
def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest elements of output_size nearly equal parts of the last two axes; None keeps an axis."""
    return _adaptive_max_pool("adaptive_max_pool2d", 2, input, output_size, return_indices)


@composite(namespace="nn.functional")
def adaptive_max_pool3d(input, output_size, return_indices=False):
    """The largest elements of output_size nearly equal parts of the last three axes; None keeps an axis."""
    return _adaptive_max_pool("adaptive_max_pool3d", 3, input, output_size, return_indices)


@composite(namespace="nn.functional", name="adaptive_max_pool1d_with_indices")
@composite(method=False, name="adaptive_max_pool1d")
def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool1d's values and places."""
    return _adaptive_max_pool("adaptive_max_pool1d", 1, input, output_size, True)


@composite(namespace="nn.functional")
def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool2d's values and places."""
    return _adaptive_max_pool("adaptive_max_pool2d", 2, input, output_size, True)


@composite(namespace="nn.functional")
def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool3d's values and places."""
    return _adaptive_max_pool("adaptive_max_pool3d", 3, input, output_size, True)


def _lp_pool(name, n, input, norm_type, kernel_size, stride, ceil_mode):
    """(Σ xᵖ)^(1/p) over each window; where the sum is 0, the gradient is 0."""
    kernel = per_axis(name, "kernel_size", kernel_size, n)
    count = 1
    for k in kernel:
        count *= k
    total = _avg_pool(name, n, input.pow(norm_type), kernel, stride, 0, ceil_mode, True) * count
    empty = total.detach() == 0
    return total.masked_fill(empty, 1).pow(1.0 / norm_type).masked_fill(empty, 0)


@composite(namespace="nn.functional")
def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of the last axis, without absolute values; p is `norm_type`."""
    return _lp_pool("lp_pool1d", 1, input, norm_type, kernel_size, stride, ceil_mode)


@composite(namespace="nn.functional")
def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of the last two axes, without absolute values; p is `norm_type`."""
    return _lp_pool("lp_pool2d", 2, input, norm_type, kernel_size, stride, ceil_mode)


@composite(namespace="nn.functional")
def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window of the last three axes, without absolute values; p is `norm_type`."""
    return _lp_pool("lp_pool3d", 3, input, norm_type, kernel_size, stride, ceil_mode)


def _unpooled_size(n, input, kernel, stride, padding, output_size):
    default = [
        (m - 1) * s + k - 2 * p for m, s, k, p in zip(input.meta.shape[-n:], stride, kernel, padding, strict=True)
    ]
    if output_size is None:
        return tuple(default)
    sizes = tuple(output_size)
    if len(sizes) == n + 2:
        sizes = sizes[2:]
    if len(sizes) != n:
        raise ValueError(
            f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of "
            f"'{len(sizes)}'"
        )
    for d, (size, m, s) in enumerate(zip(sizes, default, stride, strict=True)):
        if not m - s < size < m + s:
            raise ValueError(f'invalid output_size "{sizes}" (dim {d} must be between {m - s} and {m + s})')
    return sizes


def _max_unpool(name, n, input, indices, kernel_size, stride, padding, output_size):
    check_rank(name, input, n)
    tensor_argument(name, "indices", indices)
    kernel = per_axis(name, "kernel_size", kernel_size, n)
    stride = kernel if stride is None else per_axis(name, "stride", stride, n)
    size = _unpooled_size(n, input, kernel, stride, per_axis(name, "padding", padding, n), output_size)
    if indices.meta.dtype.name != "int64":
        raise RuntimeError(f"{name}: elements in indices should be type int64 but got: {indices.meta.dtype}")
    if indices.meta.shape != input.meta.shape:
        raise RuntimeError(
            f"{name}: Expected shape of indices to be same as that of the input tensor ({list(input.meta.shape)}) but "
            f"got indices tensor with shape: {list(indices.meta.shape)}"
        )
    places = 1
    for m in size:
        places *= m
    if indices.array.size and not 0 <= indices.array.min() <= indices.array.max() < places:
        low, high = indices.array.min(), indices.array.max()
        raise RuntimeError(
            f"{name}: Found an invalid max index: {low if low < 0 else high} (output volumes are of size "
            f"{'x'.join(map(str, size))})"
        )
    return _UNPOOL[n](input, indices, size)


@composite(namespace="nn.functional")
def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros with the input's elements at the places max_pool1d gave."""
    return _max_unpool("max_unpool1d", 1, input, indices, kernel_size, stride, padding, output_size)


@composite(namespace="nn.functional")
def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros with the input's elements at the places max_pool2d gave."""
    return _max_unpool("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size)


@composite(namespace="nn.functional")
def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Zeros with the input's elements at the places max_pool3d gave."""
    return _max_unpool("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size)
