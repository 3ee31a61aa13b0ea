"""Normalization by means and variances: layer, group, batch, instance, root mean square, local response.

The rules recompute what depends on the input, so that their second derivatives are right; the fast kernels take the
moments that the forward pass left."""

from chainrule._core.dtype import float32, of_array
from chainrule._engine.op import grads, op
from chainrule._kernels import normalization as kernels
from chainrule._kernels.casting import cast, to_compute
from chainrule._ops.foundation import to_dtype
from chainrule._ops.kinds import Gather


def fitted(array, x):
    """A weight or bias in the dtype that x is computed in."""
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
    return rstd * (g - g.mean(dims, keepdim=True) - xhat * (g * xhat).mean(dims, keepdim=True))


def layer_forward(array, normalized_shape, weight, bias, eps):
    x = to_compute(array)
    out, mean, rstd = kernels.layer_norm(x, len(normalized_shape), fitted(weight, x), fitted(bias, x), eps)
    return cast(out, of_array(array)), mean, rstd


def layer_grads(g, input, mean, rstd, weight, normalized_shape, eps, wants):
    g, weight = wide(g), wide(weight)
    dims = tuple(range(-len(normalized_shape), 0))
    xhat, deviation = standard(wide(input), dims, eps)
    gx = standard_grad(g if weight is None else g * weight, xhat, deviation, dims) if wants[0] else None
    return gx, g * xhat if wants[1] else None, g if wants[2] else None


def layer_fast(g, x, mean, rstd, weight, normalized_shape, eps, wants):
    return kernels.layer_norm_grad(g, x, mean, rstd, fitted(weight, x), len(normalized_shape), wants)


layer = op("layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True)",
    Gather(lambda input, normalized_shape, weight, bias, eps, _: layer_forward(
        input, normalized_shape, weight, bias, eps), residuals="mean rstd", with_out=False),
    grads("input weight bias", layer_grads), fast=layer_fast,
    method=False, node="NativeLayerNormBackward0",
    doc="The last len(normalized_shape) dimensions to mean 0 and variance 1, times weight, plus bias.")  # fmt: skip
