"""Memory layout for the native kernels: their loops run over plain pointers, so arguments are laid out first.

What is already laid out well is returned as it is; everything else is copied. The twin of dense.py."""

cimport numpy as cnp
from numpy cimport ndarray

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewLikeArray(ndarray prototype, cnp.NPY_ORDER order, void *descr, int subok)


cpdef ndarray floating(object x, str who):
    """x itself if it is a float32 or float64 array; TypeError naming who otherwise."""
    if not cnp.PyArray_Check(x):
        raise TypeError(f"{who}: expected a float32 or float64 array, got {type(x).__name__}")
    cdef int number = cnp.PyArray_TYPE(<ndarray>x)
    if number != cnp.NPY_FLOAT and number != cnp.NPY_DOUBLE:
        raise TypeError(f"{who}: expected a float32 or float64 array, got {x.dtype}")
    return <ndarray>x


cpdef ndarray row_major(object x, str who):
    """x as a C-contiguous float32 or float64 array."""
    cdef ndarray a = floating(x, who)
    if cnp.PyArray_IS_C_CONTIGUOUS(a):
        return a
    return <ndarray>cnp.PyArray_NewCopy(a, cnp.NPY_CORDER)


cpdef ndarray one_segment(object x, str who):
    """x as a float32 or float64 array whose elements fill one piece of memory, in whatever order of axes."""
    cdef ndarray a = floating(x, who)
    if cnp.PyArray_ISONESEGMENT(a):
        return a
    return <ndarray>cnp.PyArray_NewCopy(a, cnp.NPY_KEEPORDER)


cpdef ndarray same_layout(ndarray x):
    """An uninitialised array like x from one_segment, whose memory has x's order of elements."""
    if cnp.PyArray_IS_C_CONTIGUOUS(x):
        return cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), cnp.PyArray_TYPE(x), 0)
    return <ndarray>PyArray_NewLikeArray(x, cnp.NPY_KEEPORDER, NULL, 0)
