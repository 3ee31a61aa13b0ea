# distutils: extra_compile_args = -fno-math-errno -fno-trapping-math
"""bfloat16 storage, held in uint16 arrays: widening to float32 and rounding back.

Any layout in; the result has the argument's shape and order of axes. The loops are in bfloat16.h, the plain
twin in bfloat16.py."""

cimport numpy as cnp
from libc.stdint cimport uint16_t
from numpy cimport ndarray

from chainrule._kernels.dense cimport PyThreadState, one_segment, regain, release

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewLikeArray(ndarray prototype, cnp.NPY_ORDER order, cnp.PyArray_Descr *descr, int subok)
    cnp.PyArray_Descr *PyArray_DescrFromType(int number)

cdef extern from "bfloat16.h":
    void widen_loop(const uint16_t *x, float *out, Py_ssize_t n) noexcept nogil
    void narrow_float_loop(const float *x, uint16_t *out, Py_ssize_t n) noexcept nogil
    void narrow_double_loop(const double *x, uint16_t *out, Py_ssize_t n) noexcept nogil


cdef ndarray like(ndarray x, int number):
    if cnp.PyArray_IS_C_CONTIGUOUS(x):
        return cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), number, 0)
    return <ndarray>PyArray_NewLikeArray(x, cnp.NPY_KEEPORDER, PyArray_DescrFromType(number), 0)


cpdef ndarray widen(object x):
    """The float32 array of the bfloat16 values in the uint16 array x."""
    if not cnp.PyArray_Check(x) or cnp.PyArray_TYPE(<ndarray>x) != cnp.NPY_UINT16:
        raise TypeError(f"widen: expected a uint16 array, got {getattr(x, 'dtype', type(x).__name__)}")
    cdef ndarray source = <ndarray>x
    if not cnp.PyArray_ISONESEGMENT(source):
        source = <ndarray>cnp.PyArray_NewCopy(source, cnp.NPY_KEEPORDER)
    cdef ndarray out = like(source, cnp.NPY_FLOAT)
    cdef void *p = cnp.PyArray_DATA(source)
    cdef void *q = cnp.PyArray_DATA(out)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(source)
    cdef PyThreadState *state = release(n)
    widen_loop(<uint16_t *>p, <float *>q, n)
    regain(state)
    return out


cpdef ndarray narrow(object x):
    """The bfloat16 values nearest to the float32 or float64 x, as uint16; ties to even, nan stays nan."""
    cdef ndarray source = one_segment(x, "narrow"), out = like(source, cnp.NPY_UINT16)
    cdef void *p = cnp.PyArray_DATA(source)
    cdef void *q = cnp.PyArray_DATA(out)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(source)
    cdef bint single = cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(n)
    if single:
        narrow_float_loop(<float *>p, <uint16_t *>q, n)
    else:
        narrow_double_loop(<double *>p, <uint16_t *>q, n)
    regain(state)
    return out
