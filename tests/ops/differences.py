"""Derivatives by finite differences, for checking rules: central differences of a real-valued function."""

import numpy as np


def directional(f, arrays, directions, step):
    """d/dt f(arrays + t * directions) at 0, by two central differences and Richardson's extrapolation."""

    def slope(h):
        ahead = f([a + h * d for a, d in zip(arrays, directions, strict=True)])
        behind = f([a - h * d for a, d in zip(arrays, directions, strict=True)])
        return (ahead - behind) / (2 * h)

    return (4 * slope(step / 2) - slope(step)) / 3


def random_direction(rng, array):
    """A direction in the array's own space, complex for complex ones."""
    d = rng.standard_normal(array.shape)
    if array.dtype.kind == "c":
        d = d + 1j * rng.standard_normal(array.shape)
    return np.asarray(d)
