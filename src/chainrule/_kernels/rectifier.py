"""Functions that pass or stop a number by a comparison, and their derivatives: the plain twin of rectifier.pyx."""

import numpy as np

from chainrule._kernels.dense import row_major


def paired(g, x, who):
    left, right = row_major(g, who), row_major(x, who)
    if left.dtype != right.dtype or left.shape != right.shape:
        raise ValueError(
            f"{who}: expected g and x of one shape and dtype, got {g.dtype}{g.shape} and {x.dtype}{x.shape}"
        )
    return left, right


def relu(x):
    """max(x, 0) of any ordered dtype; nan stays."""
    return np.asarray(np.maximum(x, x.dtype.type(0)))


def gate(g, x, low, high):
    """g strictly between low and high of x and where x is nan, else 0; a bound that is nan does not bind."""
    g, x = paired(g, x, "gate")
    return np.where((x <= x.dtype.type(low)) | (x >= x.dtype.type(high)), g.dtype.type(0), g)


def relu_grad(g, out):
    """g where relu gave more than 0 (or nan), else 0."""
    return gate(g, out, 0.0, np.nan)


def leaky_relu(x, negative_slope):
    """x above 0, negative_slope * x elsewhere."""
    return leaky_relu_grad(x, x, negative_slope)


def leaky_relu_grad(g, x, negative_slope):
    """g where x is above 0, negative_slope * g elsewhere."""
    g, x = paired(g, x, "leaky_relu_grad")
    with np.errstate(all="ignore"):
        return np.where(x > 0, g, g * g.dtype.type(negative_slope))
