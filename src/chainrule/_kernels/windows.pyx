"""Maxima and sums over windows of a volume: the loops under pooling.py.

A span describes the windows along one axis: (starts, stops, step), two contiguous int64 arrays and the
distance between the elements of a window, every start and stop inside the input. Arrays are (planes, depth,
height, width); there are three spans. The plain twin is windows.py.
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

ctypedef fused real:
    float
    double
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t

cdef enum:
    KEEP_GIL_BELOW = 50000

cdef struct Grid:
    Py_ssize_t planes
    Py_ssize_t size[3]
    Py_ssize_t count[3]
    Py_ssize_t step[3]
    int64_t *start[3]
    int64_t *stop[3]


cdef int describe(Grid *grid, Py_ssize_t planes, tuple spans, cnp.npy_intp *shape) except -1:
    cdef ndarray starts, stops
    cdef int d
    grid.planes = shape[0] = planes
    for d in range(3):
        starts, stops, grid.step[d] = spans[d]
        grid.start[d] = <int64_t *> cnp.PyArray_DATA(starts)
        grid.stop[d] = <int64_t *> cnp.PyArray_DATA(stops)
        grid.count[d] = shape[d + 1] = cnp.PyArray_DIM(starts, 0)
    return 0


cdef Py_ssize_t regular(Grid *grid, Py_ssize_t *low, Py_ssize_t *stride) noexcept nogil:
    """How many windows of the last axis, from the first longest one on, have one length and equal distances.
    """
    cdef int64_t *start = grid.start[2]
    cdef int64_t *stop = grid.stop[2]
    cdef Py_ssize_t count = grid.count[2]
    cdef Py_ssize_t k, first = 0
    for k in range(1, count):
        if stop[k] - start[k] > stop[first] - start[first]:
            first = k
    k = first + 1
    low[0] = first
    stride[0] = start[k] - start[first] if k < count else 1
    while (k < count and stop[k] - start[k] == stop[first] - start[first]
           and start[k] - start[k - 1] == stride[0]):
        k += 1
    return k - first if count else 0


cdef void maximum(Grid *grid, real *x, Py_ssize_t i, Py_ssize_t j, Py_ssize_t k, real *out,
                  int64_t *index) noexcept nogil:
    """One window, element by element."""
    cdef Py_ssize_t height = grid.size[1], width = grid.size[2]
    cdef Py_ssize_t d = grid.start[0][i], h, w, at, stop
    cdef Py_ssize_t arg = (d * height + grid.start[1][j]) * width + grid.start[2][k]
    cdef real best = x[arg]
    cdef real value
    while d < grid.stop[0][i]:
        h = grid.start[1][j]
        while h < grid.stop[1][j]:
            at = (d * height + h) * width
            w = at + grid.start[2][k]
            stop = at + grid.stop[2][k]
            while w < stop:
                value = x[w]
                if value > best or value != value:
                    best = value
                    arg = w
                w += grid.step[2]
            h += grid.step[1]
        d += grid.step[0]
    out[0] = best
    index[0] = arg


cdef void raise_to(real *x, Py_ssize_t stride, real *best, int32_t *arg, int32_t at,
                   Py_ssize_t n) noexcept nogil:
    """best[k], arg[k] raised to every stride-th element of x, which stands at `at` and on; free of branches.
    """
    cdef Py_ssize_t k
    cdef real value
    cdef bint better
    if stride == 1:
        for k in range(n):
            value = x[k]
            better = (value > best[k]) | (value != value)
            best[k] = value if better else best[k]
            arg[k] = at + <int32_t> k if better else arg[k]
    else:
        for k in range(n):
            value = x[k * stride]
            better = (value > best[k]) | (value != value)
            best[k] = value if better else best[k]
            arg[k] = at + <int32_t> (k * stride) if better else arg[k]


cdef int maxima(Grid *grid, real *x, real *out, int64_t *index) noexcept nogil:
    """All windows; those in the middle of a row together, one element of the window at a time. -1: out of
    memory.
    """
    cdef Py_ssize_t plane, i, j, k, d, h, w, low, stride
    cdef Py_ssize_t height = grid.size[1], width = grid.size[2]
    cdef Py_ssize_t n = regular(grid, &low, &stride)
    cdef int32_t *arg
    if grid.size[0] * height * width > 0x7FFFFFFF:
        n = 0
    arg = <int32_t *> malloc((n + 1) * sizeof(int32_t))
    if arg == NULL:
        return -1
    for plane in range(grid.planes):
        for i in range(grid.count[0]):
            for j in range(grid.count[1]):
                if n:
                    w = (grid.start[0][i] * height + grid.start[1][j]) * width + grid.start[2][low]
                    for k in range(n):
                        out[low + k] = x[w + k * stride]
                        arg[k] = <int32_t> (w + k * stride)
                d = grid.start[0][i]
                while n and d < grid.stop[0][i]:
                    h = grid.start[1][j]
                    while h < grid.stop[1][j]:
                        w = grid.start[2][low]
                        while w < grid.stop[2][low]:
                            k = (d * height + h) * width + w
                            raise_to(x + k, stride, out + low, arg, <int32_t> k, n)
                            w += grid.step[2]
                        h += grid.step[1]
                    d += grid.step[0]
                for k in range(n):
                    index[low + k] = arg[k]
                for k in range(grid.count[2]):
                    if k < low or k >= low + n:
                        maximum(grid, x, i, j, k, out + k, index + k)
                out += grid.count[2]
                index += grid.count[2]
        x += grid.size[0] * height * width
    free(arg)
    return 0


cdef void sums(Grid *grid, real *x, real *out) noexcept nogil:
    cdef Py_ssize_t plane, i, j, k, d, h, w, at, stop
    cdef Py_ssize_t height = grid.size[1], width = grid.size[2], step = grid.step[2]
    cdef real total
    for plane in range(grid.planes):
        for i in range(grid.count[0]):
            for j in range(grid.count[1]):
                for k in range(grid.count[2]):
                    total = 0
                    d = grid.start[0][i]
                    while d < grid.stop[0][i]:
                        h = grid.start[1][j]
                        while h < grid.stop[1][j]:
                            at = (d * height + h) * width
                            w = at + grid.start[2][k]
                            stop = at + grid.stop[2][k]
                            while w < stop:
                                total = total + x[w]
                                w += step
                            h += grid.step[1]
                        d += grid.step[0]
                    out[0] = total
                    out += 1
        x += grid.size[0] * height * width


cdef void spread(Grid *grid, real *g, real *x) noexcept nogil:
    cdef Py_ssize_t plane, i, j, k, d, h, w, at, stop
    cdef Py_ssize_t height = grid.size[1], width = grid.size[2], step = grid.step[2]
    cdef real value
    for plane in range(grid.planes):
        for i in range(grid.count[0]):
            for j in range(grid.count[1]):
                for k in range(grid.count[2]):
                    value = g[0]
                    g += 1
                    d = grid.start[0][i]
                    while d < grid.stop[0][i]:
                        h = grid.start[1][j]
                        while h < grid.stop[1][j]:
                            at = (d * height + h) * width
                            w = at + grid.start[2][k]
                            stop = at + grid.stop[2][k]
                            while w < stop:
                                x[w] = x[w] + value
                                w += step
                            h += grid.step[1]
                        d += grid.step[0]
        x += grid.size[0] * height * width


cpdef tuple max_windows(ndarray x, tuple spans):
    """(maxima, int64 places) of the windows; a place counts within its plane.

    Of equal maxima the first counts; nan is above everything, and of several nan the last counts, as in
    PyTorch. No window may be empty.
    """
    cdef Grid grid
    cdef cnp.npy_intp shape[4]
    cdef ndarray out, index
    cdef int d
    cdef int failed
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef void *source
    cdef void *to
    cdef int64_t *places
    cdef PyThreadState *state = NULL
    x = cnp.PyArray_GETCONTIGUOUS(x)
    describe(&grid, cnp.PyArray_DIM(x, 0), spans, shape)
    for d in range(3):
        grid.size[d] = cnp.PyArray_DIM(x, d + 1)
    out = cnp.PyArray_EMPTY(4, shape, type_num, 0)
    index = cnp.PyArray_EMPTY(4, shape, cnp.NPY_INT64, 0)
    source = cnp.PyArray_DATA(x)
    to = cnp.PyArray_DATA(out)
    places = <int64_t *> cnp.PyArray_DATA(index)
    if type_num == cnp.NPY_FLOAT32 or type_num == cnp.NPY_FLOAT64:
        if cnp.PyArray_SIZE(x) > KEEP_GIL_BELOW:
            state = PyEval_SaveThread()
        if type_num == cnp.NPY_FLOAT32:
            failed = maxima(&grid, <float *> source, <float *> to, places)
        else:
            failed = maxima(&grid, <double *> source, <double *> to, places)
        if state != NULL:
            PyEval_RestoreThread(state)
    elif type_num == cnp.NPY_INT64:
        failed = maxima(&grid, <int64_t *> source, <int64_t *> to, places)
    elif type_num == cnp.NPY_INT32:
        failed = maxima(&grid, <int32_t *> source, <int32_t *> to, places)
    elif type_num == cnp.NPY_INT16:
        failed = maxima(&grid, <int16_t *> source, <int16_t *> to, places)
    elif type_num == cnp.NPY_INT8:
        failed = maxima(&grid, <int8_t *> source, <int8_t *> to, places)
    elif type_num == cnp.NPY_UINT8:
        failed = maxima(&grid, <uint8_t *> source, <uint8_t *> to, places)
    else:
        raise TypeError(f"max pooling has no loop for arrays of {x.dtype}")
    if failed:
        raise MemoryError("max pooling: no memory for a row of places")
    return out, index


cpdef ndarray sum_windows(ndarray x, tuple spans):
    """The sum of each window."""
    cdef Grid grid
    cdef cnp.npy_intp shape[4]
    cdef ndarray out
    cdef int d
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef PyThreadState *state = NULL
    x = cnp.PyArray_GETCONTIGUOUS(x)
    describe(&grid, cnp.PyArray_DIM(x, 0), spans, shape)
    for d in range(3):
        grid.size[d] = cnp.PyArray_DIM(x, d + 1)
    out = cnp.PyArray_EMPTY(4, shape, type_num, 0)
    if type_num == cnp.NPY_INT64:
        sums(&grid, <int64_t *> cnp.PyArray_DATA(x), <int64_t *> cnp.PyArray_DATA(out))
        return out
    if type_num != cnp.NPY_FLOAT32 and type_num != cnp.NPY_FLOAT64:
        raise TypeError(f"average pooling has no loop for arrays of {x.dtype}")
    if cnp.PyArray_SIZE(x) > KEEP_GIL_BELOW:
        state = PyEval_SaveThread()
    if type_num == cnp.NPY_FLOAT32:
        sums(&grid, <float *> cnp.PyArray_DATA(x), <float *> cnp.PyArray_DATA(out))
    else:
        sums(&grid, <double *> cnp.PyArray_DATA(x), <double *> cnp.PyArray_DATA(out))
    if state != NULL:
        PyEval_RestoreThread(state)
    return out


cpdef ndarray spread_windows(ndarray g, tuple size, tuple spans):
    """The adjoint of sum_windows: each element of g added to all of its window, in zeros (planes, *size)."""
    cdef Grid grid
    cdef cnp.npy_intp shape[4]
    cdef ndarray out
    cdef int d
    cdef int type_num = cnp.PyArray_TYPE(g)
    cdef PyThreadState *state = NULL
    if type_num != cnp.NPY_FLOAT32 and type_num != cnp.NPY_FLOAT64:
        raise TypeError(f"average pooling has no loop for arrays of {g.dtype}")
    g = cnp.PyArray_GETCONTIGUOUS(g)
    describe(&grid, cnp.PyArray_DIM(g, 0), spans, shape)
    for d in range(3):
        grid.size[d] = shape[d + 1] = size[d]
    out = cnp.PyArray_ZEROS(4, shape, type_num, 0)
    if cnp.PyArray_SIZE(out) > KEEP_GIL_BELOW:
        state = PyEval_SaveThread()
    if type_num == cnp.NPY_FLOAT32:
        spread(&grid, <float *> cnp.PyArray_DATA(g), <float *> cnp.PyArray_DATA(out))
    else:
        spread(&grid, <double *> cnp.PyArray_DATA(g), <double *> cnp.PyArray_DATA(out))
    if state != NULL:
        PyEval_RestoreThread(state)
    return out
