"""Kernels of one array in the place of ufuncs, so that an op of one argument takes the short way of a call."""

import numpy as np

from chainrule._kernels.loops import Ufunc


class Unary(Ufunc):
    """A kernel of one array in the place of a ufunc: it has no loop of its own, but the same calls."""

    def __init__(self, kernel):
        self.ufunc = kernel
        self.nin = 1
        self.inputs = {np.dtype(np.float32), np.dtype(np.float64)}

    def call1(self, a):
        """The kernel's result."""
        return self.ufunc(a)

    def into1(self, target, a):
        """The kernel's result, written into `target`."""
        target[...] = self.ufunc(a)
        return target
