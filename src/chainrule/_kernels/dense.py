"""Memory layout for the kernels' plain twins: the checks of the native module, with NumPy's own copies."""

import numpy as np


def floating(x, who):
    """x itself if it is a float32 or float64 array; TypeError naming who otherwise."""
    if not isinstance(x, np.ndarray):
        raise TypeError(f"{who}: expected a float32 or float64 array, got {type(x).__name__}")
    if x.dtype.type is not np.float32 and x.dtype.type is not np.float64:
        raise TypeError(f"{who}: expected a float32 or float64 array, got {x.dtype}")
    return x


def row_major(x, who):
    """x as a C-contiguous float32 or float64 array."""
    x = floating(x, who)
    return x if x.flags.c_contiguous else x.copy("C")


def one_segment(x, who):
    """x as a float32 or float64 array whose elements fill one piece of memory, in whatever order of axes."""
    x = floating(x, who)
    return x if x.flags.forc else x.copy("K")


def same_layout(x):
    """An uninitialised array like x, in the same order of axes."""
    return np.empty_like(x)
