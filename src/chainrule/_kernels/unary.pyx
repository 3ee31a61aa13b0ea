"""Kernels of one array in the place of ufuncs: the twin of unary.py."""

cimport numpy as cnp

from chainrule._kernels.loops cimport Ufunc

cnp.import_array()


cdef class Unary(Ufunc):
    """A kernel of one array in the place of a ufunc: it has no loop of its own, but the same calls."""

    def __init__(self, object kernel):
        cdef int i
        for i in range(26):
            self.loop[i] = NULL
        self.ufunc = kernel
        self.nin = 1

    def __reduce__(self):
        return (Unary, (self.ufunc,))

    cpdef bint has_loop(self, object np_dtype):
        return np_dtype.num == cnp.NPY_FLOAT or np_dtype.num == cnp.NPY_DOUBLE

    cpdef object call1(self, object x):
        return self.ufunc(x)

    cpdef object into1(self, object target, object x):
        target[...] = self.ufunc(x)
        return target
