# distutils: extra_compile_args = -fno-math-errno -fno-trapping-math
"""Softmax, its logarithm and log-sum-exp along axes of float32 and float64 arrays, and derivatives.

Results are C-contiguous. A slice that is -inf throughout gives nan in softmax and -inf in logsumexp.
The loops are in softmax.h; the plain twin is softmax.py."""

cimport numpy as cnp
from numpy cimport ndarray
from numpy.exceptions import AxisError

from chainrule._kernels.dense cimport PyThreadState, regain, release, row_major, same_layout

cnp.import_array()

cdef extern from "softmax.h":
    void softmax_rows_float(const float *x, float *out, Py_ssize_t outer, Py_ssize_t n) noexcept nogil
    void softmax_rows_double(const double *x, double *out, Py_ssize_t outer, Py_ssize_t n) noexcept nogil
    void log_rows_float(const float *x, float *out, float *tops, float *sums, Py_ssize_t outer,
            Py_ssize_t n) noexcept nogil
    void log_rows_double(const double *x, double *out, double *tops, double *sums, Py_ssize_t outer,
            Py_ssize_t n) noexcept nogil
    void softmax_columns_float(const float *x, float *out, Py_ssize_t outer, Py_ssize_t n, Py_ssize_t inner,
            bint logarithm) noexcept nogil
    void softmax_columns_double(const double *x, double *out, Py_ssize_t outer, Py_ssize_t n,
            Py_ssize_t inner, bint logarithm) noexcept nogil
    void log_sum_columns_float(const float *x, float *tops, float *sums, Py_ssize_t outer, Py_ssize_t n,
            Py_ssize_t inner) noexcept nogil
    void log_sum_columns_double(const double *x, double *tops, double *sums, Py_ssize_t outer, Py_ssize_t n,
            Py_ssize_t inner) noexcept nogil
    void softmax_grad_rows_float(const float *g, const float *out, float *gx, Py_ssize_t outer,
            Py_ssize_t n, bint logarithm) noexcept nogil
    void softmax_grad_rows_double(const double *g, const double *out, double *gx, Py_ssize_t outer,
            Py_ssize_t n, bint logarithm) noexcept nogil
    void softmax_grad_columns_float(const float *g, const float *out, float *gx, Py_ssize_t outer,
            Py_ssize_t n, Py_ssize_t inner, bint logarithm) noexcept nogil
    void softmax_grad_columns_double(const double *g, const double *out, double *gx, Py_ssize_t outer,
            Py_ssize_t n, Py_ssize_t inner, bint logarithm) noexcept nogil


cdef struct Split:
    Py_ssize_t outer
    Py_ssize_t n
    Py_ssize_t inner


cdef Split split(ndarray x, int axis) except *:
    """The shape of x as (before axis, axis, after axis); a 0-d array counts as one element."""
    cdef int ndim = cnp.PyArray_NDIM(x), i
    cdef Split s
    s.outer = s.n = s.inner = 1
    if axis < -max(ndim, 1) or axis >= max(ndim, 1):
        raise AxisError(axis, ndim)
    if axis < 0:
        axis += ndim
    for i in range(ndim):
        if i < axis:
            s.outer *= cnp.PyArray_DIM(x, i)
        elif i == axis:
            s.n = cnp.PyArray_DIM(x, i)
        else:
            s.inner *= cnp.PyArray_DIM(x, i)
    return s


cdef ndarray forward(object x, int axis, bint logarithm, str who):
    cdef ndarray source = row_major(x, who), out = same_layout(source)
    cdef Split s = split(source, axis)
    cdef void *p = cnp.PyArray_DATA(source)
    cdef void *q = cnp.PyArray_DATA(out)
    cdef bint single = cnp.PyArray_TYPE(source) == cnp.NPY_FLOAT
    if s.outer * s.n * s.inner == 0:
        return out
    cdef PyThreadState *state = release(s.outer * s.n * s.inner)
    if s.inner > 1:
        if single:
            softmax_columns_float(<float *>p, <float *>q, s.outer, s.n, s.inner, logarithm)
        else:
            softmax_columns_double(<double *>p, <double *>q, s.outer, s.n, s.inner, logarithm)
    elif logarithm:
        if single:
            log_rows_float(<float *>p, <float *>q, NULL, NULL, s.outer, s.n)
        else:
            log_rows_double(<double *>p, <double *>q, NULL, NULL, s.outer, s.n)
    elif single:
        softmax_rows_float(<float *>p, <float *>q, s.outer, s.n)
    else:
        softmax_rows_double(<double *>p, <double *>q, s.outer, s.n)
    regain(state)
    return out


cdef ndarray backward(object g, object out, int axis, bint logarithm, str who):
    cdef ndarray left = row_major(g, who), right = row_major(out, who)
    if cnp.PyArray_TYPE(left) != cnp.PyArray_TYPE(right) or not cnp.PyArray_SAMESHAPE(left, right):
        raise ValueError(f"{who}: expected g and out of one shape and dtype, "
            f"got {g.dtype}{g.shape} and {out.dtype}{out.shape}")
    cdef ndarray gx = same_layout(right)
    cdef Split s = split(right, axis)
    cdef void *o = cnp.PyArray_DATA(left)
    cdef void *p = cnp.PyArray_DATA(right)
    cdef void *q = cnp.PyArray_DATA(gx)
    cdef bint single = cnp.PyArray_TYPE(right) == cnp.NPY_FLOAT
    cdef PyThreadState *state = release(s.outer * s.n * s.inner)
    if s.inner > 1:
        if single:
            softmax_grad_columns_float(<float *>o, <float *>p, <float *>q, s.outer, s.n, s.inner, logarithm)
        else:
            softmax_grad_columns_double(<double *>o, <double *>p, <double *>q, s.outer, s.n, s.inner,
                    logarithm)
    elif single:
        softmax_grad_rows_float(<float *>o, <float *>p, <float *>q, s.outer, s.n, logarithm)
    else:
        softmax_grad_rows_double(<double *>o, <double *>p, <double *>q, s.outer, s.n, logarithm)
    regain(state)
    return gx


cpdef ndarray softmax(object x, int axis):
    """exp(x) scaled to sum to one along axis."""
    return forward(x, axis, False, "softmax")


cpdef ndarray log_softmax(object x, int axis):
    """x less the logarithm of the sum of exp(x) along axis."""
    return forward(x, axis, True, "log_softmax")


cpdef ndarray softmax_grad(object g, object out, int axis):
    """out * (g - sum of g*out along axis), for out = softmax(x)."""
    return backward(g, out, axis, False, "softmax_grad")


cpdef ndarray log_softmax_grad(object g, object out, int axis):
    """g - exp(out) * (sum of g along axis), for out = log_softmax(x)."""
    return backward(g, out, axis, True, "log_softmax_grad")


cpdef ndarray logsumexp(object x, object axes, bint keepdims):
    """log of the sum of exp(x) over axes: an int, a tuple, or None for all. Over nothing it is -inf."""
    cdef ndarray source = row_major(x, "logsumexp"), out
    cdef int ndim = cnp.PyArray_NDIM(source), i, kept = 0
    cdef cnp.npy_intp kept_shape[64]
    cdef cnp.npy_intp full_shape[64]
    cdef bint reduced[64]
    cdef Py_ssize_t outer = 1, n = 1, inner = 1
    cdef bint met = False, parted = False
    for i in range(ndim):
        reduced[i] = axes is None
    if axes is not None:
        for axis in axes if isinstance(axes, tuple) else (axes,):
            if axis < -max(ndim, 1) or axis >= max(ndim, 1):
                raise AxisError(axis, ndim)
            if ndim:
                if reduced[axis % ndim]:
                    raise RuntimeError(f"logsumexp: axis {axis % ndim} appears more than once in axes")
                reduced[axis % ndim] = True
    for i in range(ndim):
        if reduced[i]:
            parted = parted or (met and inner != 1)
            met = True
            n *= cnp.PyArray_DIM(source, i)
            full_shape[i] = 1
            continue
        kept_shape[kept] = full_shape[i] = cnp.PyArray_DIM(source, i)
        kept += 1
        if met:
            inner *= full_shape[i]
        else:
            outer *= full_shape[i]
    if parted:
        order = [i for i in range(ndim) if not reduced[i]] + [i for i in range(ndim) if reduced[i]]
        source = row_major(source.transpose(order), "logsumexp")
        outer *= inner
        inner = 1
    cdef int number = cnp.PyArray_TYPE(source)
    if keepdims:
        out = cnp.PyArray_EMPTY(ndim, full_shape, number, 0)
    else:
        out = cnp.PyArray_EMPTY(kept, kept_shape, number, 0)
    if n == 0:
        out.fill(float("-inf"))
        return out
    cdef void *p = cnp.PyArray_DATA(source)
    cdef void *q = cnp.PyArray_DATA(out)
    cdef PyThreadState *state = release(outer * n * inner)
    if number == cnp.NPY_FLOAT:
        if inner > 1:
            log_sum_columns_float(<float *>p, NULL, <float *>q, outer, n, inner)
        else:
            log_rows_float(<float *>p, NULL, NULL, <float *>q, outer, n)
    elif inner > 1:
        log_sum_columns_double(<double *>p, NULL, <double *>q, outer, n, inner)
    else:
        log_rows_double(<double *>p, NULL, NULL, <double *>q, outer, n)
    regain(state)
    return out
