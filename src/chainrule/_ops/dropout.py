"""Dropout in its forms: noise drawn as PyTorch draws it, times the input."""

import warnings

import numpy as np

from chainrule._core.rng import default_generator
from chainrule._engine.op import composite
from chainrule._engine.tensor import wrap
from chainrule._kernels import random


def noise_like(array, shape, p):
    """0 with probability p, else 1 / (1 - p), of this shape in the array's dtype; drawn in the order of memory."""
    if p == 1:
        return wrap(np.zeros(shape, array.dtype))
    if shape == array.shape and not array.flags.c_contiguous:
        return wrap(random.dropout_noise(default_generator, shape, array.dtype, p, out=np.empty_like(array)))
    return wrap(random.dropout_noise(default_generator, shape, array.dtype, p))


def check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def multiply(input, noise, inplace):
    return input.mul_(noise) if inplace else input * noise


@composite("nn.functional")
def dropout(input, p=0.5, training=True, inplace=False):
    """Each element set to 0 with probability p, the others divided by 1 − p; outside training the input itself."""
    check_probability(p)
    if p == 0 or not training or input.array.size == 0:
        return input
    return multiply(input, noise_like(input.array, input.array.shape, p), inplace)
