# distutils: extra_compile_args = -fno-trapping-math
"""Squared differences in one pass over float32 and float64: the twin of errors.py."""

cimport numpy as cnp
from numpy cimport ndarray

from chainrule._kernels.dense cimport PyThreadState, regain, release, row_major, same_layout

cnp.import_array()

ctypedef fused real:
    float
    double


cdef double total(const real *x, const real *y, Py_ssize_t n) noexcept nogil:
    cdef double sums[8]
    cdef double d
    cdef Py_ssize_t i, k
    for k in range(8):
        sums[k] = 0
    for i in range(0, n - 7, 8):
        for k in range(8):
            d = <double>(x[i + k] - y[i + k])
            sums[k] += d * d
    for i in range(n - n % 8, n):
        d = <double>(x[i] - y[i])
        sums[0] += d * d
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))


cdef void each(const real *x, const real *y, real *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = (x[i] - y[i]) * (x[i] - y[i])


cdef void scaled(const real *x, const real *y, real *out, Py_ssize_t n, real factor) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = (x[i] - y[i]) * factor


cdef tuple paired(object x, object y, str who):
    cdef ndarray a = row_major(x, who), b = row_major(y, who)
    if cnp.PyArray_TYPE(a) != cnp.PyArray_TYPE(b) or not cnp.PyArray_SAMESHAPE(a, b):
        raise ValueError(f"{who}: expected x and y of one shape and dtype, "
                f"got {x.dtype}{x.shape} and {y.dtype}{y.shape}")
    return a, b


cpdef ndarray squared_error(object x, object y, double factor):
    """factor times the sum of (x - y)**2, added up in float64: a 0-d array."""
    cdef ndarray a, b
    a, b = paired(x, y, "squared_error")
    cdef ndarray out = cnp.PyArray_EMPTY(0, NULL, cnp.PyArray_TYPE(a), 0)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(a)
    cdef void *p = cnp.PyArray_DATA(a)
    cdef void *q = cnp.PyArray_DATA(b)
    cdef bint single = cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT
    cdef double sum
    cdef PyThreadState *state = release(n)
    if single:
        sum = total[float](<float *>p, <float *>q, n)
    else:
        sum = total[double](<double *>p, <double *>q, n)
    regain(state)
    if single:
        (<float *>cnp.PyArray_DATA(out))[0] = <float>(sum * factor)
    else:
        (<double *>cnp.PyArray_DATA(out))[0] = sum * factor
    return out


cpdef ndarray squared_errors(object x, object y):
    """(x - y)**2, element by element."""
    cdef ndarray a, b
    a, b = paired(x, y, "squared_errors")
    cdef ndarray out = same_layout(a)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(a)
    cdef void *p = cnp.PyArray_DATA(a)
    cdef void *q = cnp.PyArray_DATA(b)
    cdef void *r = cnp.PyArray_DATA(out)
    cdef bint single = cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(n)
    if single:
        each[float](<float *>p, <float *>q, <float *>r, n)
    else:
        each[double](<double *>p, <double *>q, <double *>r, n)
    regain(state)
    return out


cpdef ndarray squared_error_grad(object g, object x, object y, double factor):
    """2 factor g (x - y) for a 0-d g: the gradient for x of squared_error."""
    cdef ndarray a, b, seed = row_major(g, "squared_error_grad")
    a, b = paired(x, y, "squared_error_grad")
    if cnp.PyArray_SIZE(seed) != 1 or cnp.PyArray_TYPE(seed) != cnp.PyArray_TYPE(a):
        raise ValueError(f"squared_error_grad: expected one element of {x.dtype} for g, got {g.dtype}{g.shape}")
    cdef ndarray out = same_layout(a)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(a)
    cdef void *p = cnp.PyArray_DATA(a)
    cdef void *q = cnp.PyArray_DATA(b)
    cdef void *r = cnp.PyArray_DATA(out)
    cdef bint single = cnp.PyArray_TYPE(a) == cnp.NPY_FLOAT
    cdef double slope = 2 * factor
    slope *= (<float *>cnp.PyArray_DATA(seed))[0] if single else (<double *>cnp.PyArray_DATA(seed))[0]
    cdef PyThreadState *state = release(n)
    if single:
        scaled[float](<float *>p, <float *>q, <float *>r, n, <float>slope)
    else:
        scaled[double](<double *>p, <double *>q, <double *>r, n, slope)
    regain(state)
    return out
