"""Folding a batch normalisation in evaluation mode into the affine layer before it.

With s = γ/√(var + eps): w' = w·s, b' = (b − mean)·s + β.
"""

import copy
from typing import Any

import chainrule
from chainrule import Tensor
from chainrule.nn.parameter import Parameter


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of ``conv`` that computes ``bn(conv(x))``; both must be in evaluation mode."""
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the fused convolution; with ``transpose`` its output channels are dimension 1."""
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    return _fuse(conv_w, conv_b, shape, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A copy of ``linear`` that computes ``bn(linear(x))``; both must be in evaluation mode."""
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the fused linear layer."""
    return _fuse(linear_w, linear_b, [-1, 1], bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def _fuse(
    weight: Tensor,
    bias: Tensor | None,
    shape: list[int],
    mean: Tensor,
    var: Tensor,
    eps: float,
    gain: Tensor | None,
    shift: Tensor | None,
) -> tuple[Parameter, Parameter]:
    bias_dtype = weight.dtype if bias is None else bias.dtype
    bias_wants_grad = weight.requires_grad if bias is None else bias.requires_grad
    with chainrule.no_grad():
        scale = chainrule.rsqrt(var + eps)
        if gain is not None:
            scale = scale * gain
        fused_bias = (-mean if bias is None else bias - mean) * scale
        if shift is not None:
            fused_bias = fused_bias + shift
        fused_weight = weight * scale.reshape(shape)
    return (
        Parameter(fused_weight.to(weight.dtype), weight.requires_grad),
        Parameter(fused_bias.to(bias_dtype), bias_wants_grad),
    )
