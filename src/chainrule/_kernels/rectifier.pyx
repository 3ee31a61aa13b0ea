# distutils: extra_compile_args = -fno-trapping-math
"""Functions that pass or stop a number by a comparison, and their derivatives, in one pass over float32 and float64.

The twin of rectifier.py."""

cimport numpy as cnp
from libc.math cimport NAN
from numpy cimport ndarray

import numpy as np

from chainrule._kernels.dense cimport PyThreadState, one_segment, regain, release, row_major, same_layout

cnp.import_array()

ctypedef fused real:
    float
    double


cdef void relu_loop(const real *x, real *out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef real v
    for i in range(n):
        v = x[i]
        out[i] = <real>0 if v <= 0 else v


cdef void gate_loop(const real *g, const real *x, real *out, Py_ssize_t n, real low, real high) noexcept nogil:
    cdef Py_ssize_t i
    cdef real v, w
    for i in range(n):
        v = g[i]  # read whether needed or not: no branch to guess wrong
        w = x[i]
        out[i] = <real>0 if (w <= low) | (w >= high) else v


cdef void leak_loop(const real *g, const real *x, real *out, Py_ssize_t n, real slope) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = g[i] if x[i] > 0 else g[i] * slope


cdef bint is_real(object x):
    cdef int t = cnp.PyArray_TYPE(<ndarray>x)
    return t == cnp.NPY_FLOAT or t == cnp.NPY_DOUBLE


cdef check_pair(ndarray g, ndarray x, str who):
    if cnp.PyArray_TYPE(g) != cnp.PyArray_TYPE(x) or not cnp.PyArray_SAMESHAPE(g, x):
        raise ValueError(f"{who}: expected g and x of one shape and dtype, "
                f"got {g.dtype}{np.shape(g)} and {x.dtype}{np.shape(x)}")


cpdef ndarray relu(object x):
    """max(x, 0) of any ordered dtype; nan stays."""
    if not is_real(x):
        return np.asarray(np.maximum(x, x.dtype.type(0)))
    cdef ndarray source = one_segment(x, "relu"), out = same_layout(source)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(source)
    cdef void *p = cnp.PyArray_DATA(source)
    cdef void *q = cnp.PyArray_DATA(out)
    cdef bint single = cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(n)
    if single:
        relu_loop[float](<float *>p, <float *>q, n)
    else:
        relu_loop[double](<double *>p, <double *>q, n)
    regain(state)
    return out


cpdef ndarray gate(object g, object x, double low, double high):
    """g strictly between low and high of x and where x is nan, else 0; a bound that is nan does not bind."""
    cdef ndarray left = row_major(g, "gate"), right = row_major(x, "gate")
    check_pair(left, right, "gate")
    cdef ndarray out = same_layout(right)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(right)
    cdef void *o = cnp.PyArray_DATA(left)
    cdef void *p = cnp.PyArray_DATA(right)
    cdef void *q = cnp.PyArray_DATA(out)
    cdef bint single = cnp.PyArray_TYPE(right) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(n)
    if single:
        gate_loop[float](<float *>o, <float *>p, <float *>q, n, <float>low, <float>high)
    else:
        gate_loop[double](<double *>o, <double *>p, <double *>q, n, low, high)
    regain(state)
    return out


cpdef ndarray leaky_relu_grad(object g, object x, double negative_slope):
    """g where x is above 0, negative_slope * g elsewhere."""
    cdef ndarray left = row_major(g, "leaky_relu_grad"), right = row_major(x, "leaky_relu_grad")
    check_pair(left, right, "leaky_relu_grad")
    cdef ndarray out = same_layout(right)
    cdef Py_ssize_t n = cnp.PyArray_SIZE(right)
    cdef void *o = cnp.PyArray_DATA(left)
    cdef void *p = cnp.PyArray_DATA(right)
    cdef void *q = cnp.PyArray_DATA(out)
    cdef bint single = cnp.PyArray_TYPE(right) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(n)
    if single:
        leak_loop[float](<float *>o, <float *>p, <float *>q, n, <float>negative_slope)
    else:
        leak_loop[double](<double *>o, <double *>p, <double *>q, n, negative_slope)
    regain(state)
    return out


cpdef ndarray relu_grad(object g, object out):
    """g where relu gave more than 0 (or nan), else 0."""
    return gate(g, out, 0, NAN)


cpdef ndarray leaky_relu(object x, double negative_slope):
    """x above 0, negative_slope * x elsewhere."""
    return leaky_relu_grad(x, x, negative_slope)
