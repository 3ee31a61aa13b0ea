"""Zeros in the place of gradients that nothing arrived for."""

import numpy as np

from chainrule._engine.tensor import wrap


def zeros_of(meta):
    """A zero tensor of this shape and dtype."""
    return wrap(np.zeros(meta.shape, meta.dtype.np))
