"""Activation functions: element by element, and glu. Softmax is in softmax.py, sigmoid and tanh with the exponentials.

Each op has the name it has in torch or torch.nn.functional; the functions with `inplace=` choose between its two forms.
At their kinks the slopes are those of PyTorch: relu, hardtanh, hardsigmoid, threshold and the shrinkages take 0,
leaky_relu and prelu the slope below, elu and its kin the limit from below.
"""

import math

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._core.rng import default_generator
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import wrap
from chainrule._kernels import activation as lines
from chainrule._kernels import rectifier
from chainrule._kernels import special as kernels
from chainrule._kernels.casting import cast, to_compute
from chainrule._kernels.unary import Unary
from chainrule._kernels.variates import uniform_double
from chainrule._ops.joining import cat
from chainrule._ops.kinds import Along, Elementwise
from chainrule._ops.selection import where

SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
GELU_CUBE = 0.044715


def type_name(array):
    """PyTorch's word for an element type in messages: 'Float', 'Long', …"""
    return of_array(array).tensor_type.removesuffix("Tensor")


def floating(name, kernel):
    """The kernel, refusing what is not a real float in PyTorch's words."""

    def checked(x, *rest):
        if x.dtype.kind != "f":
            raise NotImplementedError(f'"{name}" not implemented for {type_name(x)!r}')
        return kernel(x, *rest)

    return checked


def ordered(kernel, name):
    """The kernel for whatever has an order and is no truth value."""

    def checked(x, *rest):
        if x.dtype.kind == "b":
            raise RuntimeError(f"Boolean inputs not supported for {name}")
        if x.dtype.kind == "c":
            raise NotImplementedError("clamp is not supported for complex types")
        return kernel(x, *rest)

    return checked


def smooth(name, kernel):
    """The kind of an element-wise function of one real float and numbers."""
    return Elementwise(floating(name, kernel), tensors=1)


def unary(kernel):
    """The kind of a function of one element: its calls take the short way."""
    kind = Elementwise(kernel, tensors=1)
    kind.ufunc = Unary(kernel)
    kind.direct_from = 2
    return kind


rectify = op("relu(input)", unary(ordered(rectifier.relu, "relu")),
    input=lambda g, out: where(out <= 0, 0, g),
    fast=rectifier.relu_grad,
    doc="max(0, input); the slope at 0 is 0.")  # fmt: skip

leak = op("leaky_relu(input, negative_slope=0.01)", smooth("leaky_relu_cpu", rectifier.leaky_relu),
    input=lambda g, input, negative_slope: where(input > 0, g, g * negative_slope),
    fast=rectifier.leaky_relu_grad, namespace="nn.functional",
    doc="input above 0, negative_slope · input below; the slope at 0 is negative_slope.")  # fmt: skip

cut = op("threshold(input, threshold, value)", Elementwise(lines.threshold, tensors=1, no_complex=True),
    input=lambda g, input, threshold: where(input <= threshold, 0, g),
    fast=lines.threshold_grad, method=False,
    doc="input where it exceeds threshold, else value.")  # fmt: skip

clip = op("hardtanh(input, min_val=-1.0, max_val=1.0)", Elementwise(ordered(lines.hardtanh, "hardtanh"), tensors=1),
    input=lambda g, input, min_val, max_val: where((input <= min_val) | (input >= max_val), 0, g),
    fast=lines.hardtanh_grad, namespace="nn.functional",
    doc="input between min_val and max_val; the slope at both is 0.")  # fmt: skip

hard_sigmoid = op("hardsigmoid(input)", unary(floating("hardsigmoid_cpu", lines.hardsigmoid)),
    input=lambda g, input: where((input > -3) & (input < 3), g / 6, 0),
    fast=lines.hardsigmoid_grad, namespace="nn.functional",
    doc="input/6 + 1/2 between 0 and 1.")  # fmt: skip

hard_swish = op("hardswish(input)", unary(floating("hardswish_cpu", lines.hardswish)),
    input=lambda g, input: where(input <= -3, 0, where(input < 3, g * (input / 3 + 0.5), g)),
    fast=lines.hardswish_grad, namespace="nn.functional",
    doc="input · hardsigmoid(input).")  # fmt: skip

hardshrink = op("hardshrink(input, lambd=0.5)", smooth("hardshrink_cpu", lines.hardshrink),
    input=lambda g, input, lambd: where(input.abs() <= lambd, 0, g),
    fast=lines.shrink_grad, inplace=False,
    doc="input, but 0 within lambd of 0.")  # fmt: skip

soft_shrink = op("softshrink(input, lambd=0.5)", smooth("softshrink_check", lines.softshrink),
    input=lambda g, input, lambd: where(input.abs() <= lambd, 0, g),
    fast=lines.shrink_grad, namespace="nn.functional", inplace=False,
    doc="input moved towards 0 by lambd, 0 where it would cross.")  # fmt: skip


def elu_rule(g, input, alpha, scale, input_scale):
    below = (input.clamp(max=0) * input_scale).exp() * (alpha * scale * input_scale)
    return g * where(input <= 0, below, scale)


exponential_line = op("elu(input, alpha=1.0, scale=1.0, input_scale=1.0)", smooth("elu_cpu", kernels.elu),
    input=elu_rule,
    fast=kernels.elu_grad, namespace="nn.functional",
    doc="scale · input above 0, scale · alpha · (exp(input_scale · input) − 1) below.")  # fmt: skip

continuous_elu = op("celu(input, alpha=1.0)",
    smooth("elu_cpu", lambda x, alpha: kernels.elu(x, alpha, 1.0, reciprocal(alpha))),
    input=lambda g, input, alpha: elu_rule(g, input, alpha, 1.0, 1 / alpha),
    fast=lambda g, x, alpha: kernels.elu_grad(g, x, alpha, 1.0, 1 / alpha), method=False,
    doc="input above 0, alpha (exp(input/alpha) − 1) below.")  # fmt: skip


def reciprocal(alpha):
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return 1 / alpha


def silu_rule(g, input):
    s = input.sigmoid()
    return g * (s * (1 + input * (1 - s)))


sigmoid_line = op("silu(input)", unary(floating("silu_cpu", kernels.silu)),
    input=silu_rule,
    fast=kernels.silu_grad, namespace="nn.functional",
    doc="input · sigmoid(input).")  # fmt: skip


def softplus_rule(g, input, beta, threshold):
    scaled = input * beta
    return g * where(scaled > threshold, 1, scaled.sigmoid())


softplus = op("softplus(input, beta=1, threshold=20)", smooth("softplus_cpu", kernels.softplus),
    input=softplus_rule,
    fast=kernels.softplus_grad, namespace="nn.functional", inplace=False,
    doc="log(1 + exp(beta · input)) / beta, and input itself where beta · input > threshold.")  # fmt: skip

logsigmoid = op("logsigmoid(input)", unary(floating("log_sigmoid_cpu", kernels.log_sigmoid)),
    input=lambda g, input: g * (-input).sigmoid(),
    fast=kernels.log_sigmoid_grad, namespace="nn.functional", inplace=False, node="LogSigmoidBackward0",
    doc="log sigmoid(input).")  # fmt: skip


def mish_rule(g, input):
    t = softplus(input).tanh()
    return g * (t + input * input.sigmoid() * (1 - t * t))


mish_line = op("mish(input)", unary(floating("mish_cpu", kernels.mish)),
    input=mish_rule,
    fast=kernels.mish_grad, namespace="nn.functional",
    doc="input · tanh(softplus(input)).")  # fmt: skip


def gelu_rule(g, input, approximate):
    if approximate == "none":
        normal = ((input * -math.sqrt(0.5)).erfc()) * 0.5
        density = (input * input * -0.5).exp() * (1 / math.sqrt(2 * math.pi))
        return g * (normal + input * density)
    square = input * input
    t = (input * (1 + GELU_CUBE * square) * math.sqrt(2 / math.pi)).tanh()
    slope = (1 + 3 * GELU_CUBE * square) * math.sqrt(2 / math.pi)
    return g * ((1 + t) * 0.5 + input * (1 - t * t) * slope * 0.5)


def gelu_kernel(x, approximate):
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return kernels.gelu(x, approximate)


gelu = op("gelu(input, *, approximate='none')", smooth("GeluKernelImpl", gelu_kernel),
    input=gelu_rule,
    fast=kernels.gelu_grad, namespace="nn.functional", inplace=False,
    doc="input · Φ(input), Φ the normal distribution function; approximate='tanh' takes Hendrycks and Gimpel's form.",
)  # fmt: skip

parametric = op("prelu_kernel(input, weight)", Elementwise(lines.prelu, tensors=2),
    input=lambda g, input, weight: where(input > 0, g, g * weight),
    weight=lambda g, input: where(input > 0, 0, g * input),
    method=False, namespace="_engine", inplace=False, node="PreluKernelBackward0",
    doc="input above 0, weight · input elsewhere.")  # fmt: skip

with_noise = op("rrelu_with_noise(input, noise)", Elementwise(np.multiply),
    input=lambda g, noise: g * noise,
    method=False, namespace="_engine", node="RreluWithNoiseBackward0",
    doc="input times slopes that were drawn.")  # fmt: skip


def halves(x, axis):
    if x.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    if x.shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {x.shape[axis]}")
    return lines.glu(x, axis)


def glu_rule(g, input, dim):
    half = input.meta.shape[dim] // 2
    s = input.narrow(dim, half, half).sigmoid()
    left = g * s
    return cat([left, left * input.narrow(dim, 0, half) * (1 - s)], dim)


glu = op("glu(input, dim=-1)", Along(floating("glu_cpu", halves)),
    input=glu_rule,
    fast=lines.glu_grad, namespace="nn.functional",
    doc="The first half of input along dim times the sigmoid of the second.")  # fmt: skip


@composite("nn.functional")
def relu(input, inplace=False):
    """max(0, input); the slope at 0 is 0."""
    return rectify.op.call_inplace((input,)) if inplace else rectify(input)


@composite("nn.functional")
def leaky_relu(input, negative_slope=0.01, inplace=False):
    """input above 0, negative_slope · input below."""
    return leak.op.call_inplace((input, negative_slope)) if inplace else leak(input, negative_slope)


@composite("nn.functional")
def threshold(input, threshold, value, inplace=False):
    """input where it exceeds threshold, else value."""
    return cut.op.call_inplace((input, threshold, value)) if inplace else cut(input, threshold, value)


@composite("nn.functional")
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """input between min_val and max_val; ValueError if they are out of order."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return clip.op.call_inplace((input, min_val, max_val)) if inplace else clip(input, min_val, max_val)


@composite("nn.functional")
def relu6(input, inplace=False):
    """min(max(0, input), 6)."""
    return clip.op.call_inplace((input, 0, 6)) if inplace else clip(input, 0, 6)


@composite("nn.functional")
def hardsigmoid(input, inplace=False):
    """input/6 + 1/2 between 0 and 1."""
    return hard_sigmoid.op.call_inplace((input,)) if inplace else hard_sigmoid(input)


@composite("nn.functional")
def hardswish(input, inplace=False):
    """input · hardsigmoid(input)."""
    return hard_swish.op.call_inplace((input,)) if inplace else hard_swish(input)


@composite("nn.functional")
def softshrink(input, lambd=0.5):
    """input moved towards 0 by lambd, 0 where it would cross; RuntimeError for a negative lambd."""
    if lambd < 0:
        raise RuntimeError(f"softshrink: lambda must not be negative, but found {lambd}")
    return soft_shrink(input, lambd)


@composite("nn.functional")
def elu(input, alpha=1.0, inplace=False):
    """input above 0, alpha (exp(input) − 1) below."""
    args = (input, alpha, 1.0, 1.0)
    return exponential_line.op.call_inplace(args) if inplace else exponential_line.op.call(args)


@composite("nn.functional")
def celu(input, alpha=1.0, inplace=False):
    """input above 0, alpha (exp(input/alpha) − 1) below."""
    return continuous_elu.op.call_inplace((input, alpha)) if inplace else continuous_elu(input, alpha)


@composite("nn.functional")
def selu(input, inplace=False):
    """elu with the constants that keep mean 0 and variance 1 (Klambauer et al. 2017)."""
    args = (input, SELU_ALPHA, SELU_SCALE, 1.0)
    return exponential_line.op.call_inplace(args) if inplace else exponential_line.op.call(args)


@composite(method=False)
def selu_(input):
    """In-place form of `selu`."""
    return selu(input, inplace=True)


@composite("nn.functional")
def silu(input, inplace=False):
    """input · sigmoid(input)."""
    return sigmoid_line.op.call_inplace((input,)) if inplace else sigmoid_line(input)


@composite("nn.functional")
def mish(input, inplace=False):
    """input · tanh(softplus(input))."""
    return mish_line.op.call_inplace((input,)) if inplace else mish_line(input)


@composite("nn.functional")
def softsign(input):
    """input / (1 + |input|)."""
    return input / (input.abs() + 1)


@composite("nn.functional")
def tanhshrink(input):
    """input − tanh(input)."""
    return input - input.tanh()


@composite()
def prelu(input, weight):
    """input above 0, weight · input elsewhere; one weight, or one for each channel (dim 1)."""
    if input.meta.dtype is not weight.meta.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {type_name(input.array)} and "
                           f"{type_name(weight.array)}")  # fmt: skip
    shape, ndim = weight.meta.shape, len(input.meta.shape)
    if len(shape) > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {len(shape)}")
    if weight.array.size != 1:
        channels = input.meta.shape[1] if ndim > 1 else 1
        if weight.array.size != channels:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.array.size} and channel size = {channels}."
            )
    if ndim != 1 or shape != (1,):
        weight = weight.reshape([1, -1] + [1] * (ndim - 2) if ndim > 1 else [])
    return parametric(input, weight)


def drawn_slopes(array, lower, upper):
    """1 above 0, else a number drawn from [lower, upper), one after the other in the order of elements."""
    x = to_compute(array)
    slopes = np.ones(x.shape, np.float64)
    below = x <= 0
    slopes[below] = uniform_double(default_generator.raw(2 * int(below.sum())), lower, upper)
    return wrap(cast(slopes, of_array(array)))


@composite("nn.functional")
def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """leaky_relu whose slope below 0 is drawn from [lower, upper) in training, and their mean otherwise."""
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    noise = drawn_slopes(input.array, lower, upper)
    return with_noise.op.call_inplace((input, noise)) if inplace else with_noise(input, noise)


@composite(method=False)
def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """In-place form of `rrelu`."""
    return rrelu(input, lower, upper, training, inplace=True)


def torch_selu(input):
    """elu with the constants that keep mean 0 and variance 1."""
    return selu(input)


def torch_rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """leaky_relu whose slope below 0 is drawn from [lower, upper) in training, and their mean otherwise."""
    return rrelu(input, lower, upper, training)


composite(method=False, name="selu")(torch_selu)
composite(method=False, name="rrelu")(torch_rrelu)
