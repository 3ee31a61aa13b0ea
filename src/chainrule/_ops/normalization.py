"""Normalization by means and variances: layer, group, batch, instance, root mean square, local response.

The rules recompute what depends on the input, so that their second derivatives are right; the fast kernels take the
moments that the forward pass left. 16-bit floats are computed in float32; moments and sums are always wider.
"""

import numpy as np

from chainrule._core.dtype import float32, of_array
from chainrule._engine.op import composite, grads, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels import normalization as kernels
from chainrule._kernels.casting import cast, to_compute
from chainrule._ops.activation import type_name
from chainrule._ops.foundation import to_dtype
from chainrule._ops.joining import cat
from chainrule._ops.kinds import Gather

MIXED = "mixed dtype (CPU): all inputs must share same datatype."


def shape_of(name, input):
    """The shape of an input, which must be a tensor."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' must be Tensor, not {type(input).__name__}")
    return input.meta.shape


def computing(name, array, *others):
    """The input as it is computed with, and its parameters in the same dtype; refusals in PyTorch's words."""
    if array.dtype.kind != "f" and not of_array(array).is_half:
        raise NotImplementedError(f'"{name}" not implemented for {type_name(array)!r}')
    x = to_compute(array)
    for a in others:
        if a is not None and of_array(a) is not of_array(array) and of_array(a) is not of_array(x):
            raise RuntimeError(MIXED)
    return x, [None if a is None else cast(a, of_array(x)) for a in others]


def fitted(array, x):
    """A parameter in the dtype of x."""
    return None if array is None else cast(array, of_array(x))


def wide(t):
    """The tensor as it is computed with: 16-bit floats in float32."""
    return to_dtype(t, float32) if t is not None and t.meta.dtype.is_half else t


def standard(x, dims, eps):
    """x less its mean over dims and over its deviation, and 1 / deviation."""
    centred = x - x.mean(dims, keepdim=True)
    rstd = ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt()
    return centred * rstd, rstd


def standard_grad(g, xhat, rstd, dims):
    """The derivative of `standard` for the cotangent g of its first result."""
    return rstd * (g - g.mean(dims, keepdim=True) - xhat * (g * xhat).mean(dims, keepdim=True))


def check_normalized_shape(name, input, normalized_shape, weight, bias, star="*, "):
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for what, t in (("weight", weight), ("bias", bias)):
        if t is not None and t.meta.shape != shape:
            raise RuntimeError(
                f"Expected {what} to be of same shape as normalized_shape, but got {what} of shape "
                f"{list(t.meta.shape)} and normalized_shape = {list(shape)}"
            )
    have = shape_of(name, input)
    if have[max(len(have) - len(shape), 0) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"[{star}{', '.join(map(str, shape))}], but got input of size{list(have)}"
        )
    return shape


def layer_forward(array, normalized_shape, weight, bias, eps):
    x, (weight, bias) = computing("LayerNormKernelImpl", array, weight, bias)
    out, mean, rstd = kernels.layer_norm(x, len(normalized_shape), weight, bias, eps)
    return cast(out, of_array(array)), mean, rstd


def layer_grads(g, input, mean, rstd, weight, normalized_shape, eps, wants):
    g, weight = wide(g), wide(weight)
    dims = tuple(range(-len(normalized_shape), 0))
    xhat, deviation = standard(wide(input), dims, eps)
    gx = standard_grad(g if weight is None else g * weight, xhat, deviation, dims) if wants[0] else None
    return gx, g * xhat if wants[1] else None, g if wants[2] else None


def layer_fast(g, x, mean, rstd, weight, normalized_shape, eps, wants):
    return kernels.layer_norm_grad(g, x, mean, rstd, fitted(weight, x), len(normalized_shape), wants)


layer = op("native_layer_norm(input, normalized_shape, weight, bias, eps)",
    Gather(layer_forward, residuals="mean rstd", with_out=False),
    grads("input weight bias", layer_grads), fast=layer_fast,
    method=False, namespace="_engine",
    doc="The last len(normalized_shape) dimensions to mean 0 and variance 1, times weight, plus bias.")  # fmt: skip


@composite("nn.functional")
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """(input − mean) / √(variance + eps) · weight + bias over the last dimensions, which are `normalized_shape`.

    The variance is the biased one. RuntimeError for shapes that do not fit."""
    shape = check_normalized_shape("layer_norm", input, normalized_shape, weight, bias)
    return layer.op.call((input, shape, weight, bias, eps))


@composite(method=False, name="layer_norm")
def torch_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    """torch.nn.functional.layer_norm."""
    return layer_norm(input, normalized_shape, weight, bias, eps)


def root_forward(array, normalized_shape, weight, eps):
    x, (weight,) = computing("rms_norm", array, weight)
    out, rstd = kernels.rms_norm(x, len(normalized_shape), weight, eps)
    return cast(out, of_array(array)), rstd


def root_grads(g, input, rstd, weight, normalized_shape, eps, wants):
    g, weight, x = wide(g), wide(weight), wide(input)
    dims = tuple(range(-len(normalized_shape), 0))
    scale = ((x * x).mean(dims, keepdim=True) + eps).rsqrt()
    xhat = x * scale
    gx = None
    if wants[0]:
        pulled = g if weight is None else g * weight
        gx = scale * (pulled - xhat * (pulled * xhat).mean(dims, keepdim=True))
    return gx, g * xhat if wants[1] else None


def root_fast(g, x, rstd, weight, normalized_shape, eps, wants):
    return kernels.rms_norm_grad(g, x, rstd, fitted(weight, x), len(normalized_shape), wants)


root = op("rms_norm(input, normalized_shape, weight, eps)",
    Gather(root_forward, residuals="rstd", with_out=False),
    grads("input weight", root_grads), fast=root_fast,
    method=False, namespace="_engine",
    doc="input over the root of its mean square along the last dimensions, times weight.")  # fmt: skip


@composite("nn.functional")
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """input / √(mean of input² + eps) · weight over the last dimensions, which are `normalized_shape`.

    eps=None takes the machine epsilon of the dtype that is computed in."""
    shape = check_normalized_shape("rms_norm", input, normalized_shape, weight, None, star="*")
    if eps is None:
        eps = float(np.finfo(to_compute(input.array).dtype).eps) if input.meta.dtype.category == 2 else 0.0
    return root.op.call((input, shape, weight, eps))


composite(method=False)(rms_norm)


def channels_of(t, across):
    """A channel vector laid along dimension 1."""
    return wide(t).reshape(across)


def batch_forward(array, weight, bias, running_mean, running_var, training, momentum, eps):
    x, (weight, bias) = computing("batch_norm", array, weight, bias)
    moments = [None if a is None else to_compute(a) for a in (running_mean, running_var)]
    out, mean, rstd = kernels.batch_norm(x, weight, bias, *moments, training, momentum, eps)
    for a, moved in zip((running_mean, running_var), moments, strict=True):
        if training and moved is not a:
            a[...] = cast(moved, of_array(a))
    return cast(out, of_array(array)), mean, rstd


def batch_grads(g, input, weight, mean, rstd, training, eps, wants):
    g, x = wide(g), wide(input)
    ndim = len(x.meta.shape)
    across, dims = [1, -1] + [1] * (ndim - 2), (0, *range(2, ndim))
    if training:
        xhat, deviation = standard(x, dims, eps)
    else:
        deviation = wrap(rstd.reshape(across))
        xhat = (x - wrap(mean.reshape(across))) * deviation
    gx = None
    if wants[0]:
        pulled = g if weight is None else g * channels_of(weight, across)
        gx = standard_grad(pulled, xhat, deviation, dims) if training else pulled * deviation
    return gx, (g * xhat).sum(dims) if wants[1] else None, g.sum(dims) if wants[2] else None


def batch_fast(g, x, weight, mean, rstd, training, eps, wants):
    return kernels.batch_norm_grad(g, x, fitted(weight, x), mean, rstd, training, wants)


batch = op("native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)",
    Gather(batch_forward, residuals="mean rstd", with_out=False),
    grads("input weight bias", batch_grads), fast=batch_fast,
    method=False, namespace="_engine",
    doc="Each channel (dimension 1) to mean 0 and variance 1, times weight, plus bias.")  # fmt: skip


def check_channels(channels, **parameters):
    for name, t in parameters.items():
        if t is not None and t.array.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {t.array.size}")


@composite("nn.functional")
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    """(input − mean) / √(variance + eps) · weight + bias for each channel (dimension 1) over all others.

    In training by the batch's own moments, towards which `running_mean` and `running_var` (its unbiased variance) move
    by `momentum`; otherwise by the running ones. ValueError for a single value per channel in training."""
    shape = shape_of("batch_norm", input)
    if training and len(shape) > 1 and input.array.size == shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    return torch_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)


@composite(method=False, name="batch_norm")
def torch_batch_norm(
    input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled
):  # fmt: skip
    """torch.nn.functional.batch_norm, with the arguments in torch.batch_norm's order."""
    shape = input.meta.shape
    if len(shape) < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    if not training:
        for name, t in (("running_mean", running_mean), ("running_var", running_var)):
            if t is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    check_channels(shape[1], running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    return batch.op.call((input, weight, bias, running_mean, running_var, bool(training), momentum, eps))


def group_forward(array, num_groups, weight, bias, eps):
    x, (weight, bias) = computing("GroupNormKernelImpl", array, weight, bias)
    out, mean, rstd = kernels.group_norm(x, num_groups, weight, bias, eps)
    return cast(out, of_array(array)), mean, rstd


def group_grads(g, input, mean, rstd, weight, num_groups, eps, wants):
    g, shape = wide(g), input.meta.shape
    across, dims = [1, -1] + [1] * (len(shape) - 2), (0, *range(2, len(shape)))
    blocks = [shape[0], num_groups, -1]
    xhat, deviation = standard(wide(input).reshape(blocks), (2,), eps)
    gx = None
    if wants[0]:
        pulled = g if weight is None else g * channels_of(weight, across)
        gx = standard_grad(pulled.reshape(blocks), xhat, deviation, (2,)).reshape(shape)
    gw = (g * xhat.reshape(shape)).sum(dims) if wants[1] else None
    return gx, gw, g.sum(dims) if wants[2] else None


def group_fast(g, x, mean, rstd, weight, num_groups, eps, wants):
    return kernels.group_norm_grad(g, x, mean, rstd, fitted(weight, x), num_groups, wants)


group = op("native_group_norm(input, num_groups, weight, bias, eps)",
    Gather(group_forward, residuals="mean rstd", with_out=False),
    grads("input weight bias", group_grads), fast=group_fast,
    method=False, namespace="_engine",
    doc="Each group of channels to mean 0 and variance 1, times weight, plus bias.")  # fmt: skip


def check_more_than_one(count, shape, words):
    if count == 1:
        raise ValueError(f"Expected more than 1 {words} when training, got input size {shape}")


@composite("nn.functional")
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    """The channels (dimension 1) in `num_groups` groups, each to mean 0 and variance 1; weight and bias per channel.

    RuntimeError if the groups do not divide the channels."""
    shape = shape_of("group_norm", input)
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if num_groups <= 0 or shape[1] % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shape)} and num_groups={num_groups}"
        )
    inside = int(np.prod(shape[2:])) * shape[1] // num_groups
    check_more_than_one(inside * shape[0], input.shape, "value per channel")
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and t.meta.shape != (shape[1],):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(t.meta.shape)} and input of shape {list(shape)}"
            )
    return group.op.call((input, num_groups, weight, bias, eps))


@composite(method=False, name="group_norm")
def torch_group_norm(input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    """torch.nn.functional.group_norm."""
    return group_norm(input, num_groups, weight, bias, eps)


@composite("nn.functional")
def instance_norm(
    input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05
):
    """Each channel of each sample to mean 0 and variance 1, times weight, plus bias, both per channel.

    Running moments are moved by the mean over the samples of their moments, or are used instead of them. ValueError
    for a single place per channel."""
    shape = shape_of("instance_norm", input)
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    check_more_than_one(int(np.prod(shape[2:])), input.shape, "spatial element")
    check_channels(shape[1], running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if running_mean is not None or running_var is not None:
        move_moments(input.array, running_mean, running_var, momentum)
    return group.op.call((input, shape[1], weight, bias, eps))


def move_moments(array, running_mean, running_var, momentum):
    """Blend the mean over the samples of each channel's moments into the running ones."""
    x = to_compute(array).reshape(*array.shape[:2], -1).astype(np.float64)
    for t, moments in ((running_mean, x.mean(2)), (running_var, x.var(2, ddof=1))):
        if t is not None:
            moved = (1 - momentum) * to_compute(t.array) + momentum * moments.mean(0)
            t.array[...] = cast(moved.astype(to_compute(t.array).dtype), t.meta.dtype)


@composite(method=False, name="instance_norm")
def torch_instance_norm(
    input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled
):  # fmt: skip
    """torch.nn.functional.instance_norm, with the arguments in torch.instance_norm's order."""
    return instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


@composite("nn.functional")
def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    """input / (k + alpha · mean of the squares of `size` neighbouring channels)^beta, beyond the edge zeros.

    (Krizhevsky et al. 2012; the division by `size` is PyTorch's.)"""
    shape = input.meta.shape
    if len(shape) < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {len(shape)} dimensions)")
    if input.array.size == 0:
        return input
    before, after = size // 2, (size - 1) // 2
    square = input * input
    edges = [wrap(np.zeros((shape[0], n, *shape[2:]), input.array.dtype)) for n in (before, after)]
    padded = cat([edges[0], square, edges[1]], 1)
    total = padded.narrow(1, 0, shape[1])
    for i in range(1, size):
        total = total + padded.narrow(1, i, shape[1])
    return input / (total * (alpha / size) + k) ** beta
