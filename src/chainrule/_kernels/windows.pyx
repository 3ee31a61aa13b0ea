"""Maxima and sums over windows of a volume: the loops under pooling.py.

A span describes the windows along one axis: (starts, stops, step), two contiguous int64 arrays and the distance between
the elements of a window, every start and stop inside the input. Arrays are (planes, depth, height, width);
there are three spans. The plain twin is windows.py.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t
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


cdef void maxima(Grid *grid, real *x, real *out, int64_t *index) noexcept nogil:
    cdef Py_ssize_t plane, i, j, k, d, h, w, arg, at, stop
    cdef Py_ssize_t height = grid.size[1], width = grid.size[2], step = grid.step[2]
    cdef real best, value
    cdef bint better
    for plane in range(grid.planes):
        for i in range(grid.count[0]):
            for j in range(grid.count[1]):
                for k in range(grid.count[2]):
                    arg = (grid.start[0][i] * height + grid.start[1][j]) * width + grid.start[2][k]
                    best = x[arg]
                    d = grid.start[0][i]
                    while d < grid.stop[0][i]:
                        h = grid.start[1][j]
                        while h < grid.stop[1][j]:
                            at = (d * height + h) * width
                            w = at + grid.start[2][k]
                            stop = at + grid.stop[2][k]
                            while w < stop:
                                value = x[w]
                                better = (value > best) | (value != value)
                                best = value if better else best
                                arg = w if better else arg
                                w += step
                            h += grid.step[1]
                        d += grid.step[0]
                    out[0] = best
                    index[0] = arg
                    out += 1
                    index += 1
        x += grid.size[0] * height * width


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

    Of equal maxima the first counts; nan is above everything, and of several nan the last counts, as in PyTorch.
    No window may be empty.
    """
    cdef Grid grid
    cdef cnp.npy_intp shape[4]
    cdef ndarray out, index
    cdef int d
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
            maxima(&grid, <float *> source, <float *> to, places)
        else:
            maxima(&grid, <double *> source, <double *> to, places)
        if state != NULL:
            PyEval_RestoreThread(state)
    elif type_num == cnp.NPY_INT64:
        maxima(&grid, <int64_t *> source, <int64_t *> to, places)
    elif type_num == cnp.NPY_INT32:
        maxima(&grid, <int32_t *> source, <int32_t *> to, places)
    elif type_num == cnp.NPY_INT16:
        maxima(&grid, <int16_t *> source, <int16_t *> to, places)
    elif type_num == cnp.NPY_INT8:
        maxima(&grid, <int8_t *> source, <int8_t *> to, places)
    elif type_num == cnp.NPY_UINT8:
        maxima(&grid, <uint8_t *> source, <uint8_t *> to, places)
    else:
        raise TypeError(f"max pooling has no loop for arrays of {x.dtype}")
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
