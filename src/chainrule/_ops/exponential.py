"""Exponentials, logarithms and hyperbolic functions."""

import math

import numpy as np

from chainrule._engine.op import op
from chainrule._kernels import special as special_kernels
from chainrule._kernels import transcendental as kernels
from chainrule._kernels.elementwise import SteadyProduct, SteadyQuotient
from chainrule._ops.comparison import isinf
from chainrule._ops.kinds import Elementwise
from chainrule._ops.power import rsqrt, sqrt
from chainrule._ops.selection import choose
from chainrule._ops.steady import divided, scaled

LN2, LN10 = math.log(2), math.log(10)

exp = op("exp(input)", Elementwise(np.exp, floats=True),
    input=lambda g, out: scaled(g, out.conj()),
    fast=SteadyProduct(np.multiply),
    doc="e to the power of input.")  # fmt: skip

exp2 = op("exp2(input)", Elementwise(kernels.exp2, tensors=1, floats=True),
    input=lambda g, out: scaled(g, out.conj() * LN2),
    doc="2 to the power of input.")  # fmt: skip

expm1 = op("expm1(input)", Elementwise(np.expm1, floats=True),
    input=lambda g, out: scaled(g, (out + 1).conj()),
    doc="exp(input) - 1, accurate near 0.")  # fmt: skip

log = op("log(input)", Elementwise(np.log, floats=True),
    input=lambda g, input: divided(g, input.conj()),
    fast=SteadyQuotient(np.true_divide),
    doc="The natural logarithm; nan for negative numbers.")  # fmt: skip

log2 = op("log2(input)", Elementwise(np.log2, floats=True),
    input=lambda g, input: divided(g, (input * LN2).conj()),
    doc="The logarithm to base 2.")  # fmt: skip

log10 = op("log10(input)", Elementwise(np.log10, floats=True),
    input=lambda g, input: divided(g, (input * LN10).conj()),
    doc="The logarithm to base 10.")  # fmt: skip

log1p = op("log1p(input)", Elementwise(np.log1p, floats=True),
    input=lambda g, input: divided(g, (input + 1).conj()),
    node="Log1PBackward0",
    doc="log(1 + input), accurate near 0.")  # fmt: skip


def share(input, other, scale=1):
    """The part of exp(input) in exp(input) + exp(other); halves where both are the same infinity."""
    same = (input == other) & isinf(input)
    return (choose(same, 0, input - other) * scale).sigmoid()


logaddexp = op("logaddexp(input, other)", Elementwise(kernels.logaddexp, tensors=2, inplace=False),
    input=lambda g, input, other: g * share(input, other).conj(),
    other=lambda g, input, other: g * share(other, input).conj(),
    doc="log(exp(input) + exp(other)). Of two equal infinities each takes half the gradient.")  # fmt: skip

logaddexp2 = op("logaddexp2(input, other)",
    Elementwise(kernels.logaddexp2, tensors=2, no_complex=True, inplace=False),
    input=lambda g, input, other: g * share(input, other, LN2),
    other=lambda g, input, other: g * share(other, input, LN2),
    doc="log2(2**input + 2**other). Of two equal infinities each takes half the gradient.")  # fmt: skip

xlogy = op("xlogy(input, other)", Elementwise(kernels.xlogy, tensors=2, floats=True, no_complex=True),
    input=lambda g, input, other: scaled(g, choose((input == 0) & (other <= 0), 0, log(other))),
    other=lambda g, input, other: divided(g * input, other),
    doc="input · log(other), 0 where input is 0 (unless other is nan).")  # fmt: skip

tanh = op("tanh(input)", Elementwise(np.tanh, floats=True),
    input=lambda g, out: g * (1 - out * out).conj(),
    fast=special_kernels.tanh_grad,
    doc="The hyperbolic tangent.")  # fmt: skip

sinh = op("sinh(input)", Elementwise(np.sinh, floats=True),
    input=lambda g, input: scaled(g, cosh(input).conj()),
    doc="The hyperbolic sine.")  # fmt: skip

cosh = op("cosh(input)", Elementwise(np.cosh, floats=True),
    input=lambda g, input: scaled(g, sinh(input).conj()),
    doc="The hyperbolic cosine.")  # fmt: skip

asinh = op("asinh(input)", Elementwise(np.arcsinh, floats=True), aliases=["arcsinh"],
    input=lambda g, input: divided(g, sqrt(input * input + 1).conj()),
    doc="The inverse of the hyperbolic sine.")  # fmt: skip

acosh = op("acosh(input)", Elementwise(np.arccosh, floats=True), aliases=["arccosh"],
    input=lambda g, input: scaled(g, (rsqrt(input - 1) * rsqrt(input + 1)).conj()),
    doc="The inverse of the hyperbolic cosine; nan below 1.")  # fmt: skip

atanh = op("atanh(input)", Elementwise(np.arctanh, floats=True), aliases=["arctanh"],
    input=lambda g, input: divided(g, ((1 - input) * (1 + input)).conj()),
    doc="The inverse of the hyperbolic tangent; nan beyond ±1.")  # fmt: skip
