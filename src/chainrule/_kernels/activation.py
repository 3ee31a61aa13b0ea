"""Activations made of comparisons and lines, and their derivatives: arrays in, fresh arrays out.

The smooth ones are in special.py, relu and leaky_relu in rectifier.py. nan passes through every function here. Numbers
are rounded to the array's dtype.
"""

import numpy as np

from chainrule._kernels.rectifier import gate
from chainrule._kernels.special import sigmoid


def threshold(x, bound, value):
    """x where it exceeds bound, else value."""
    return np.where(x <= x.dtype.type(bound), x.dtype.type(value), x)


def threshold_grad(g, x, bound):
    """g where x exceeds bound, else 0."""
    return gate(g, x, bound, np.nan)


def hardtanh(x, low, high):
    """x between low and high."""
    return np.asarray(np.minimum(np.maximum(x, x.dtype.type(low)), x.dtype.type(high)))


def hardtanh_grad(g, x, low, high):
    """g strictly between low and high, else 0."""
    return gate(g, x, low, high)


def hardsigmoid(x):
    """x/6 + 1/2 between 0 and 1."""
    kind = x.dtype.type
    return np.asarray(hardtanh(x + kind(3), 0, 6) / kind(6))


def hardsigmoid_grad(g, x):
    """g/6 strictly between -3 and 3, else 0."""
    return np.asarray(gate(np.asarray(g / g.dtype.type(6)), x, -3, 3))


def hardswish(x):
    """x times hardsigmoid(x)."""
    return np.asarray(x * hardsigmoid(x))


def hardswish_grad(g, x):
    """g (x/3 + 1/2) strictly between -3 and 3; 0 below and g above."""
    kind = g.dtype.type
    return np.where(x <= -3, kind(0), np.where(x < 3, g * (x / kind(3) + kind(0.5)), g))


def hardshrink(x, lambd):
    """x, but 0 within lambd of 0."""
    return np.where(np.abs(x) <= x.dtype.type(lambd), x.dtype.type(0), x)


def softshrink(x, lambd):
    """x moved towards 0 by lambd, 0 where it would cross."""
    bound = x.dtype.type(lambd)
    return np.where(np.abs(x) <= bound, x.dtype.type(0), x - np.copysign(bound, x))


def shrink_grad(g, x, lambd):
    """g where |x| exceeds lambd (or is nan), else 0."""
    return np.where(np.abs(x) <= x.dtype.type(lambd), g.dtype.type(0), g)


def prelu(x, weight):
    """x above 0, weight * x elsewhere; the weight broadcasts to x."""
    return np.where(x > 0, x, weight * x)


def glu(x, axis):
    """The first half of x along axis times the sigmoid of the second."""
    a, b = np.split(x, 2, axis)
    return np.asarray(a * sigmoid(b))


def glu_grad(g, x, axis):
    """The gradient of glu: g sigmoid(b) for the first half, g a sigmoid'(b) for the second."""
    a, b = np.split(x, 2, axis)
    s = sigmoid(b)
    left = g * s
    return np.concatenate([left, left * a * (g.dtype.type(1) - s)], axis)
