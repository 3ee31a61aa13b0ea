"""Running sums, products, extremes and linear recurrences along an axis: the loops under scan.py.

Integer and complex sums and products are NumPy's own. The plain twin is running.py.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
cimport numpy as cnp
from numpy cimport ndarray

cnp.import_array()

cdef extern from "Python.h":
    ctypedef struct PyThreadState:
        pass
    PyThreadState *PyEval_SaveThread()
    void PyEval_RestoreThread(PyThreadState *state)

ctypedef float complex float_complex
ctypedef double complex double_complex

ctypedef fused real:
    float
    double
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t

ctypedef fused floating:
    float
    double

ctypedef fused inexact:
    float
    double
    float_complex
    double_complex

cdef enum:
    KEEP_GIL_BELOW = 50000

cdef struct Lines:
    Py_ssize_t outer
    Py_ssize_t n
    Py_ssize_t inner


cdef int describe(Lines *lines, ndarray x, Py_ssize_t axis) except -1:
    cdef int d
    cdef int ndim = cnp.PyArray_NDIM(x)
    cdef Py_ssize_t counted = axis + ndim if axis < 0 else axis
    lines.outer = lines.inner = lines.n = 1
    if ndim == 0 and -1 <= axis <= 0:
        return 0
    if counted < 0 or counted >= ndim:
        raise IndexError(f"axis {axis} is out of range for an array of {ndim} dimensions")
    for d in range(ndim):
        if d < counted:
            lines.outer *= cnp.PyArray_DIM(x, d)
        elif d > counted:
            lines.inner *= cnp.PyArray_DIM(x, d)
    lines.n = cnp.PyArray_DIM(x, counted)
    return 0


cdef void extremes(Lines *lines, real *x, real *out, int64_t *index, bint largest) noexcept nogil:
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t inner = lines.inner
    cdef real value, best
    cdef bint better
    for i in range(lines.outer):
        for j in range(lines.n):
            for k in range(inner):
                value = x[k]
                if j == 0:
                    out[k] = value
                    index[k] = 0
                    continue
                best = out[k - inner]
                if largest:
                    better = value >= best
                else:
                    better = value <= best
                better |= value != value
                out[k] = value if better else best
                index[k] = j if better else index[k - inner]
            x += inner
            out += inner
            index += inner


cdef void recur(Lines *lines, inexact *factor, inexact *term, inexact *out, bint reverse) noexcept nogil:
    cdef Py_ssize_t i, j, k, at, back
    cdef Py_ssize_t inner = lines.inner
    for i in range(lines.outer):
        for j in range(lines.n):
            at = (i * lines.n + (lines.n - 1 - j if reverse else j)) * inner
            back = at + inner if reverse else at - inner
            if j == 0:
                for k in range(inner):
                    out[at + k] = term[at + k]
            else:
                for k in range(inner):
                    out[at + k] = term[at + k] + factor[at + k] * out[back + k]


cdef int totals(Lines *lines, floating *x, floating *out, bint product) noexcept nogil:
    """Running sums or products carried in double; -1 when memory runs out."""
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t inner = lines.inner
    cdef double carry
    cdef double *carried
    if inner == 1:
        for i in range(lines.outer):
            carry = 1 if product else 0
            if product:
                for j in range(lines.n):
                    carry *= x[j]
                    out[j] = <floating> carry
            else:
                for j in range(lines.n):
                    carry += x[j]
                    out[j] = <floating> carry
            x += lines.n
            out += lines.n
        return 0
    carried = <double *> malloc(inner * sizeof(double))
    if carried == NULL:
        return -1
    for i in range(lines.outer):
        for k in range(inner):
            carried[k] = 1 if product else 0
        for j in range(lines.n):
            if product:
                for k in range(inner):
                    carried[k] *= x[k]
                    out[k] = <floating> carried[k]
            else:
                for k in range(inner):
                    carried[k] += x[k]
                    out[k] = <floating> carried[k]
            x += inner
            out += inner
    free(carried)
    return 0


cpdef ndarray cumulate(ndarray x, Py_ssize_t axis, bint product):
    """Running sums (products) along axis of a float32 or float64 array, carried in float64."""
    cdef Lines lines
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef int failed
    cdef ndarray out
    cdef PyThreadState *state = NULL
    if type_num != cnp.NPY_FLOAT32 and type_num != cnp.NPY_FLOAT64:
        raise TypeError(f"running sums and products have no loop for arrays of {x.dtype}")
    x = cnp.PyArray_GETCONTIGUOUS(x)
    describe(&lines, x, axis)
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), type_num, 0)
    if cnp.PyArray_SIZE(x) == 0:
        return out
    if cnp.PyArray_SIZE(x) > KEEP_GIL_BELOW:
        state = PyEval_SaveThread()
    if type_num == cnp.NPY_FLOAT32:
        failed = totals(&lines, <float *> cnp.PyArray_DATA(x), <float *> cnp.PyArray_DATA(out), product)
    else:
        failed = totals(&lines, <double *> cnp.PyArray_DATA(x), <double *> cnp.PyArray_DATA(out), product)
    if state != NULL:
        PyEval_RestoreThread(state)
    if failed:
        raise MemoryError("running sums: no memory for a row of sums")
    return out


cdef tuple cumulative(ndarray x, Py_ssize_t axis, bint largest):
    cdef Lines lines
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef ndarray out, index
    cdef void *source
    cdef void *to
    cdef int64_t *places
    cdef PyThreadState *state = NULL
    x = cnp.PyArray_GETCONTIGUOUS(x)
    describe(&lines, x, axis)
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), type_num, 0)
    index = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), cnp.NPY_INT64, 0)
    source = cnp.PyArray_DATA(x)
    to = cnp.PyArray_DATA(out)
    places = <int64_t *> cnp.PyArray_DATA(index)
    if type_num == cnp.NPY_FLOAT32 or type_num == cnp.NPY_FLOAT64:
        if cnp.PyArray_SIZE(x) > KEEP_GIL_BELOW:
            state = PyEval_SaveThread()
        if type_num == cnp.NPY_FLOAT32:
            extremes(&lines, <float *> source, <float *> to, places, largest)
        else:
            extremes(&lines, <double *> source, <double *> to, places, largest)
        if state != NULL:
            PyEval_RestoreThread(state)
    elif type_num == cnp.NPY_INT64:
        extremes(&lines, <int64_t *> source, <int64_t *> to, places, largest)
    elif type_num == cnp.NPY_INT32:
        extremes(&lines, <int32_t *> source, <int32_t *> to, places, largest)
    elif type_num == cnp.NPY_INT16:
        extremes(&lines, <int16_t *> source, <int16_t *> to, places, largest)
    elif type_num == cnp.NPY_INT8:
        extremes(&lines, <int8_t *> source, <int8_t *> to, places, largest)
    elif type_num == cnp.NPY_UINT8 or type_num == cnp.NPY_BOOL:
        extremes(&lines, <uint8_t *> source, <uint8_t *> to, places, largest)
    else:
        raise TypeError(f"running extremes have no loop for arrays of {x.dtype}")
    return out, index


cpdef tuple cummax(ndarray x, Py_ssize_t axis):
    """(values, int64 indices) of the running maximum along axis; of equal maxima the last counts, and nan
    stays.
    """
    return cumulative(x, axis, True)


cpdef tuple cummin(ndarray x, Py_ssize_t axis):
    """(values, int64 indices) of the running minimum along axis; of equal minima the last counts, and nan
    stays.
    """
    return cumulative(x, axis, False)


cpdef ndarray recurrence(ndarray factor, ndarray term, Py_ssize_t axis, bint reverse):
    """s[k] = term[k] + factor[k] · s[k - 1] along axis, from s[0] = term[0]; with reverse, from the far end.

    factor and term have one shape and one floating-point or complex type.
    """
    cdef Lines lines
    cdef int type_num = cnp.PyArray_TYPE(term)
    cdef ndarray out
    cdef void *a
    cdef void *b
    cdef void *to
    cdef PyThreadState *state = NULL
    if type_num != cnp.PyArray_TYPE(factor) or not cnp.PyArray_SAMESHAPE(factor, term):
        raise TypeError("recurrence: factor and term differ in shape or type")
    if not (type_num == cnp.NPY_FLOAT32 or type_num == cnp.NPY_FLOAT64
            or type_num == cnp.NPY_COMPLEX64 or type_num == cnp.NPY_COMPLEX128):
        raise TypeError(f"recurrence has no loop for arrays of {term.dtype}")
    factor = cnp.PyArray_GETCONTIGUOUS(factor)
    term = cnp.PyArray_GETCONTIGUOUS(term)
    describe(&lines, term, axis)
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(term), cnp.PyArray_DIMS(term), type_num, 0)
    a = cnp.PyArray_DATA(factor)
    b = cnp.PyArray_DATA(term)
    to = cnp.PyArray_DATA(out)
    if cnp.PyArray_SIZE(term) > KEEP_GIL_BELOW:
        state = PyEval_SaveThread()
    if type_num == cnp.NPY_FLOAT32:
        recur(&lines, <float *> a, <float *> b, <float *> to, reverse)
    elif type_num == cnp.NPY_FLOAT64:
        recur(&lines, <double *> a, <double *> b, <double *> to, reverse)
    elif type_num == cnp.NPY_COMPLEX64:
        recur(&lines, <float_complex *> a, <float_complex *> b, <float_complex *> to, reverse)
    else:
        recur(&lines, <double_complex *> a, <double_complex *> b, <double_complex *> to, reverse)
    if state != NULL:
        PyEval_RestoreThread(state)
    return out
