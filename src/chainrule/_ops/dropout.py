"""Dropout in its forms: noise drawn as PyTorch draws it, times the input.

Outside training, and for p = 0, the result is the input itself and nothing is drawn.
"""

import warnings

import numpy as np

from chainrule._core.rng import default_generator
from chainrule._engine.op import composite
from chainrule._engine.tensor import wrap
from chainrule._kernels import random
from chainrule._kernels.casting import cast, to_compute

# The value far below zero at which selu saturates: what alpha dropout sets elements to (Klambauer et al. 2017).
SATURATION = 1.7580993408473766


def keeping(input, p, feature):
    """What to multiply the input by: 0 with probability p, else 1 / (1 - p), drawn in the order of memory.

    `feature`: one draw for each channel of each sample."""
    array = input.array
    shape = array.shape[:2] + (1,) * (array.ndim - 2) if feature else array.shape
    if p == 1:
        return wrap(np.zeros(shape, array.dtype))
    out = None if feature or array.flags.c_contiguous else np.empty_like(array)
    return wrap(random.dropout_noise(default_generator, shape, array.dtype, p, out=out))


def check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def multiply(input, noise, inplace):
    return input.mul_(noise) if inplace else input * noise


def drop(input, p, training, inplace, feature=False):
    """The input times its noise."""
    if feature and len(input.meta.shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if p == 0 or not training or input.array.size == 0:
        return input
    return multiply(input, keeping(input, p, feature), inplace)


def drop_to_saturation(input, p, training, inplace, feature=False):
    """Alpha dropout: dropped elements get selu's lowest value, then all are scaled to keep mean and variance."""
    if feature and len(input.meta.shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if p == 0 or not training or input.array.size == 0:
        return input
    if p == 1:
        return multiply(input, wrap(np.zeros(input.array.shape, input.array.dtype)), inplace)
    kept = to_compute(keeping(input, p, feature).array) != 0
    d = input.meta.dtype
    scale = 1.0 / np.sqrt((SATURATION * SATURATION * p + 1) * (1 - p))
    shift = np.where(kept, 0.0, -SATURATION) * scale + SATURATION * scale * p
    noise, offset = wrap(cast(kept * scale, d)), wrap(cast(shift, d))
    return input.mul_(noise).add_(offset) if inplace else input * noise + offset


@composite("nn.functional")
def dropout(input, p=0.5, training=True, inplace=False):
    """Each element set to 0 with probability p, the others divided by 1 − p."""
    check_probability(p)
    return drop(input, p, training, inplace)


@composite("nn.functional")
def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Each element set to selu's lowest value with probability p; mean and variance are kept."""
    check_probability(p)
    return drop_to_saturation(input, p, training, inplace)


@composite("nn.functional")
def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """alpha_dropout of whole channels (dimension 1)."""
    check_probability(p)
    return drop_to_saturation(input, p, training, inplace, feature=True)


def unbatched(input, p, training, inplace):
    """Dropout of the channels of one sample, dimension 0."""
    lone = drop(input.unsqueeze(0), p, training, inplace, feature=True)
    return input if inplace else lone.squeeze(0)


def warn_of_dims(name, ndim, spatial):
    warnings.warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated: it drops whole channels of inputs with "
        f"{spatial} spatial dimensions ({spatial + 1}D or {spatial + 2}D inputs). Please use dropout instead.",
        stacklevel=3,
    )


@composite("nn.functional")
def dropout1d(input, p=0.5, training=True, inplace=False):
    """Whole channels of (N, C, L) or (C, L) set to 0 with probability p, the others divided by 1 − p."""
    check_probability(p)
    n = len(input.meta.shape)
    if n not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {n}D input.")
    return unbatched(input, p, training, inplace) if n == 2 else drop(input, p, training, inplace, feature=True)


@composite("nn.functional")
def dropout2d(input, p=0.5, training=True, inplace=False):
    """Whole channels of (N, C, H, W) set to 0 with probability p, the others divided by 1 − p.

    A 3D input is taken for (N, C, L), with a warning, as in PyTorch."""
    check_probability(p)
    n = len(input.meta.shape)
    if n not in (3, 4):
        warn_of_dims("dropout2d", n, 2)
    if n == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d: it is interpreted as (N, C, L), not as (C, H, W). Use "
            "dropout1d instead.",
            stacklevel=2,
        )
    return drop(input, p, training, inplace, feature=True)


@composite("nn.functional")
def dropout3d(input, p=0.5, training=True, inplace=False):
    """Whole channels of (N, C, D, H, W) or (C, D, H, W) set to 0 with probability p, the others divided by 1 − p."""
    check_probability(p)
    n = len(input.meta.shape)
    if n not in (4, 5):
        warn_of_dims("dropout3d", n, 3)
    return drop(input, p, training, inplace, feature=True) if n == 5 else unbatched(input, p, training, inplace)


def torch_form(name, work, feature, inplace):
    """torch's function of this name: (input, p, train)."""

    def function(input, p, train):
        check_probability(p)
        return work(input, p, train, inplace, feature)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{'In-place ' if inplace else ''}{name.strip('_')} with probability p if train."
    return composite(method=False, name=name)(function)


for _name, _work, _feature in (
    ("dropout", drop, False),
    ("feature_dropout", drop, True),
    ("alpha_dropout", drop_to_saturation, False),
    ("feature_alpha_dropout", drop_to_saturation, True),
):
    torch_form(_name, _work, _feature, False)
    torch_form(_name + "_", _work, _feature, True)
