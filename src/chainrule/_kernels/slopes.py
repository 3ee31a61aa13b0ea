"""Gradients of element-wise ops as one kernel each: what a rule's text gives on real arrays, in fewer steps.

The parameters are the rule's own. Broadcasting is undone by the caller.
"""

import numpy as np

from chainrule._kernels.elementwise import (
    division,
    multiplication,
    negation,
    quiet,
    sign,
    steady_product,
)
from chainrule._kernels.loops import Ufunc, plain

sine, cosine = Ufunc(np.sin), Ufunc(np.cos)


def divisor_grad(g, input, other):
    """By the divisor of input / other."""
    return steady_product(negation.call1(g), division.call2(division.call2(input, other), other))


def abs_grad(g, input):
    """The sign of input, and 0 at 0 and at nan."""
    return plain(g * sign(input))


def square_grad(g, input):
    """2·input."""
    return plain(g * (input + input))


@quiet
def sqrt_grad(g, out):
    """1 / (2·out)."""
    return steady_product(g, plain(0.5 / out))


@quiet
def rsqrt_grad(g, out):
    """-out³ / 2."""
    return steady_product(g, plain(out * out * out * -0.5))


@quiet
def reciprocal_grad(g, out):
    """-out²."""
    return steady_product(negation.call1(g), multiplication.call2(out, out))


@quiet
def power_grad(g, input, exponent):
    """exponent·input**(exponent - 1)."""
    if exponent == 0:
        return np.zeros_like(g)
    if exponent == 1:
        return g.copy()
    if exponent == 2:
        return square_grad(g, input)
    d = multiplication.call2(input, input) if exponent == 3 else np.power(input, exponent - 1)
    return steady_product(g, plain(d * exponent))


def sin_grad(g, input):
    """cos input."""
    return steady_product(g, cosine.call1(input))


def cos_grad(g, input):
    """-sin input."""
    return steady_product(negation.call1(g), sine.call1(input))


def kept(g, condition):
    """g where the condition holds, 0 elsewhere."""
    return plain(np.where(condition, g, 0))


def dropped(g, condition):
    """0 where the condition holds, g elsewhere."""
    return plain(np.where(condition, 0, g))


def greater_grad(g, input, other):
    """By the operand `input` of a maximum: all of g, half of it at a tie, or nothing."""
    return plain(np.where(input < other, 0, np.where(input == other, g / 2, g)))


def lesser_grad(g, input, other):
    """By the operand `input` of a minimum: all of g, half of it at a tie, or nothing."""
    return plain(np.where(input > other, 0, np.where(input == other, g / 2, g)))


def greater_other_grad(g, input, other):
    """By the operand `other` of a maximum."""
    return greater_grad(g, other, input)


def lesser_other_grad(g, input, other):
    """By the operand `other` of a minimum."""
    return lesser_grad(g, other, input)


def clamp_grad(g, input, min, max):
    """g between the bounds and on them."""
    if min is None:
        return kept(g, input <= max)
    if max is None:
        return kept(g, input >= min)
    return kept(g, (input >= min) & (input <= max))
