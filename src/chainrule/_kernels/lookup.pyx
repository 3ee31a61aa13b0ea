"""Reading and writing along one axis at places named by an index array: the loops under indexing.py.

All four functions are one walk over three strided operands: `a`, which the index points into, `b`, which is
read or written in order, and the index itself. An index of whole slices is an index of elements with stride
0. The plain twin is lookup.py.
"""

from libc.stdint cimport (int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t)
from libc.string cimport memcpy
import numpy as np
cimport numpy as cnp
from numpy cimport ndarray

from chainrule._kernels import bounds

cnp.import_array()

cdef extern from "Python.h":
    ctypedef struct PyThreadState:
        pass
    PyThreadState *PyEval_SaveThread()
    void PyEval_RestoreThread(PyThreadState *state)

ctypedef double complex double_complex
ctypedef float complex float_complex

ctypedef fused item:
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    double_complex

ctypedef fused real:
    float
    double
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t

ctypedef fused number:
    float
    double
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    float_complex
    double_complex

cdef enum:
    MAX_AXES = 64
    KEEP_GIL_BELOW = 50000

# a row: n elements of b and n of the index, a moved by its own step and by index * a_axis
ctypedef void (*row_loop)(char *a, Py_ssize_t a_axis, Py_ssize_t a_step, char *b, Py_ssize_t b_step,
                          char *index, Py_ssize_t i_step, Py_ssize_t n) noexcept nogil

cdef struct Walk:
    int nd
    Py_ssize_t total
    Py_ssize_t a_axis
    Py_ssize_t n[MAX_AXES]
    Py_ssize_t a_step[MAX_AXES]
    Py_ssize_t b_step[MAX_AXES]
    Py_ssize_t i_step[MAX_AXES]


cdef void read_row(char *a, Py_ssize_t a_axis, Py_ssize_t a_step, item *b, Py_ssize_t b_step,
                   char *index, Py_ssize_t i_step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef char *to = <char *> b
    if i_step == 0:
        a += (<int64_t *> index)[0] * a_axis
        if a_step == sizeof(item) and b_step == sizeof(item):
            memcpy(b, a, n * sizeof(item))
        else:
            for k in range(n):
                (<item *> (to + k * b_step))[0] = (<item *> (a + k * a_step))[0]
    else:
        for k in range(n):
            (<item *> (to + k * b_step))[0] = (
                <item *> (a + k * a_step + (<int64_t *> (index + k * i_step))[0] * a_axis))[0]


cdef void set_row(char *a, Py_ssize_t a_axis, Py_ssize_t a_step, item *b, Py_ssize_t b_step,
                  char *index, Py_ssize_t i_step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef char *source = <char *> b
    if i_step == 0:
        a += (<int64_t *> index)[0] * a_axis
        if a_step == sizeof(item) and b_step == sizeof(item):
            memcpy(a, b, n * sizeof(item))
        else:
            for k in range(n):
                (<item *> (a + k * a_step))[0] = (<item *> (source + k * b_step))[0]
    else:
        for k in range(n):
            (<item *> (a + k * a_step + (<int64_t *> (index + k * i_step))[0] * a_axis))[0] = (
                <item *> (source + k * b_step))[0]


cdef void add_row(char *a, Py_ssize_t a_axis, Py_ssize_t a_step, number *b, Py_ssize_t b_step,
                  char *index, Py_ssize_t i_step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef char *source = <char *> b
    cdef number *to
    if i_step == 0:
        a += (<int64_t *> index)[0] * a_axis
        if a_step == sizeof(number) and b_step == sizeof(number):
            to = <number *> a
            for k in range(n):
                to[k] = to[k] + b[k]
        else:
            for k in range(n):
                to = <number *> (a + k * a_step)
                to[0] = to[0] + (<number *> (source + k * b_step))[0]
    else:
        for k in range(n):
            to = <number *> (a + k * a_step + (<int64_t *> (index + k * i_step))[0] * a_axis)
            to[0] = to[0] + (<number *> (source + k * b_step))[0]


cdef void multiply_row(char *a, Py_ssize_t a_axis, Py_ssize_t a_step, number *b, Py_ssize_t b_step,
                       char *index, Py_ssize_t i_step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef char *source = <char *> b
    cdef number *to
    for k in range(n):
        to = <number *> (a + k * a_step + (<int64_t *> (index + k * i_step))[0] * a_axis)
        to[0] = to[0] * (<number *> (source + k * b_step))[0]


cdef void amax_row(char *a, Py_ssize_t a_axis, Py_ssize_t a_step, real *b, Py_ssize_t b_step,
                   char *index, Py_ssize_t i_step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef char *source = <char *> b
    cdef real *to
    cdef real value
    for k in range(n):
        to = <real *> (a + k * a_step + (<int64_t *> (index + k * i_step))[0] * a_axis)
        value = (<real *> (source + k * b_step))[0]
        if value > to[0] or value != value:
            to[0] = value


cdef void amin_row(char *a, Py_ssize_t a_axis, Py_ssize_t a_step, real *b, Py_ssize_t b_step,
                   char *index, Py_ssize_t i_step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef char *source = <char *> b
    cdef real *to
    cdef real value
    for k in range(n):
        to = <real *> (a + k * a_step + (<int64_t *> (index + k * i_step))[0] * a_axis)
        value = (<real *> (source + k * b_step))[0]
        if value < to[0] or value != value:
            to[0] = value


cdef void either_row(char *a, Py_ssize_t a_axis, Py_ssize_t a_step, char *b, Py_ssize_t b_step,
                     char *index, Py_ssize_t i_step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef char *to
    for k in range(n):
        to = a + k * a_step + (<int64_t *> (index + k * i_step))[0] * a_axis
        to[0] = to[0] | b[k * b_step]


cdef void both_row(char *a, Py_ssize_t a_axis, Py_ssize_t a_step, char *b, Py_ssize_t b_step,
                   char *index, Py_ssize_t i_step, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    cdef char *to
    for k in range(n):
        to = a + k * a_step + (<int64_t *> (index + k * i_step))[0] * a_axis
        to[0] = to[0] & b[k * b_step]


cdef row_loop reader(Py_ssize_t itemsize):
    if itemsize == 4:
        return <row_loop> read_row[uint32_t]
    if itemsize == 8:
        return <row_loop> read_row[uint64_t]
    if itemsize == 1:
        return <row_loop> read_row[uint8_t]
    if itemsize == 2:
        return <row_loop> read_row[uint16_t]
    return <row_loop> read_row[double_complex]


cdef row_loop setter(Py_ssize_t itemsize):
    if itemsize == 4:
        return <row_loop> set_row[uint32_t]
    if itemsize == 8:
        return <row_loop> set_row[uint64_t]
    if itemsize == 1:
        return <row_loop> set_row[uint8_t]
    if itemsize == 2:
        return <row_loop> set_row[uint16_t]
    return <row_loop> set_row[double_complex]


cdef row_loop adder(int type_num):
    if type_num == cnp.NPY_FLOAT32:
        return <row_loop> add_row[float]
    if type_num == cnp.NPY_FLOAT64:
        return <row_loop> add_row[double]
    if type_num == cnp.NPY_INT64:
        return <row_loop> add_row[int64_t]
    if type_num == cnp.NPY_INT32:
        return <row_loop> add_row[int32_t]
    if type_num == cnp.NPY_INT16:
        return <row_loop> add_row[int16_t]
    if type_num == cnp.NPY_INT8:
        return <row_loop> add_row[int8_t]
    if type_num == cnp.NPY_UINT8:
        return <row_loop> add_row[uint8_t]
    if type_num == cnp.NPY_COMPLEX64:
        return <row_loop> add_row[float_complex]
    if type_num == cnp.NPY_COMPLEX128:
        return <row_loop> add_row[double_complex]
    if type_num == cnp.NPY_BOOL:
        return either_row
    return NULL


cdef row_loop multiplier(int type_num):
    if type_num == cnp.NPY_FLOAT32:
        return <row_loop> multiply_row[float]
    if type_num == cnp.NPY_FLOAT64:
        return <row_loop> multiply_row[double]
    if type_num == cnp.NPY_INT64:
        return <row_loop> multiply_row[int64_t]
    if type_num == cnp.NPY_INT32:
        return <row_loop> multiply_row[int32_t]
    if type_num == cnp.NPY_INT16:
        return <row_loop> multiply_row[int16_t]
    if type_num == cnp.NPY_INT8:
        return <row_loop> multiply_row[int8_t]
    if type_num == cnp.NPY_UINT8:
        return <row_loop> multiply_row[uint8_t]
    if type_num == cnp.NPY_COMPLEX64:
        return <row_loop> multiply_row[float_complex]
    if type_num == cnp.NPY_COMPLEX128:
        return <row_loop> multiply_row[double_complex]
    if type_num == cnp.NPY_BOOL:
        return both_row
    return NULL


cdef row_loop maximizer(int type_num):
    if type_num == cnp.NPY_FLOAT32:
        return <row_loop> amax_row[float]
    if type_num == cnp.NPY_FLOAT64:
        return <row_loop> amax_row[double]
    if type_num == cnp.NPY_INT64:
        return <row_loop> amax_row[int64_t]
    if type_num == cnp.NPY_INT32:
        return <row_loop> amax_row[int32_t]
    if type_num == cnp.NPY_INT16:
        return <row_loop> amax_row[int16_t]
    if type_num == cnp.NPY_INT8:
        return <row_loop> amax_row[int8_t]
    if type_num == cnp.NPY_UINT8:
        return <row_loop> amax_row[uint8_t]
    if type_num == cnp.NPY_BOOL:
        return either_row
    return NULL


cdef row_loop minimizer(int type_num):
    if type_num == cnp.NPY_FLOAT32:
        return <row_loop> amin_row[float]
    if type_num == cnp.NPY_FLOAT64:
        return <row_loop> amin_row[double]
    if type_num == cnp.NPY_INT64:
        return <row_loop> amin_row[int64_t]
    if type_num == cnp.NPY_INT32:
        return <row_loop> amin_row[int32_t]
    if type_num == cnp.NPY_INT16:
        return <row_loop> amin_row[int16_t]
    if type_num == cnp.NPY_INT8:
        return <row_loop> amin_row[int8_t]
    if type_num == cnp.NPY_UINT8:
        return <row_loop> amin_row[uint8_t]
    if type_num == cnp.NPY_BOOL:
        return both_row
    return NULL


cdef void plan(Walk *walk, ndarray a, Py_ssize_t axis, ndarray index, bint slices, ndarray b,
               ndarray shape_of):
    """Describe the walk over shape_of's shape, one-element axes dropped and neighbours joined where strides
    allow.
    """
    cdef int nd = 0
    cdef Py_ssize_t d, n, sa, sb, si
    cdef cnp.npy_intp *shape = cnp.PyArray_DIMS(shape_of)
    walk.total = 1
    walk.a_axis = cnp.PyArray_STRIDES(a)[axis]
    for d in range(cnp.PyArray_NDIM(shape_of)):
        n = shape[d]
        walk.total *= n
        if n == 1:
            continue
        sa = 0 if d == axis else cnp.PyArray_STRIDES(a)[d]
        sb = 0 if cnp.PyArray_NDIM(b) == 0 else cnp.PyArray_STRIDES(b)[d]
        if not slices:
            si = cnp.PyArray_STRIDES(index)[d]
        elif d == axis:
            si = cnp.PyArray_STRIDES(index)[0]
        else:
            si = 0
        if (nd and walk.a_step[nd - 1] == sa * n and walk.b_step[nd - 1] == sb * n
                and walk.i_step[nd - 1] == si * n):
            walk.n[nd - 1] *= n
            walk.a_step[nd - 1] = sa
            walk.b_step[nd - 1] = sb
            walk.i_step[nd - 1] = si
        else:
            walk.n[nd] = n
            walk.a_step[nd] = sa
            walk.b_step[nd] = sb
            walk.i_step[nd] = si
            nd += 1
    if nd == 0:
        walk.n[0] = 1
        walk.a_step[0] = walk.b_step[0] = walk.i_step[0] = 0
        nd = 1
    walk.nd = nd


cdef void follow(Walk *walk, row_loop row, char *a, char *b, char *index) noexcept nogil:
    cdef Py_ssize_t at[MAX_AXES]
    cdef int last = walk.nd - 1
    cdef int d
    for d in range(last):
        at[d] = 0
    while True:
        row(a, walk.a_axis, walk.a_step[last], b, walk.b_step[last], index, walk.i_step[last], walk.n[last])
        d = last - 1
        while d >= 0:
            at[d] += 1
            a += walk.a_step[d]
            b += walk.b_step[d]
            index += walk.i_step[d]
            if at[d] < walk.n[d]:
                break
            a -= walk.a_step[d] * walk.n[d]
            b -= walk.b_step[d] * walk.n[d]
            index -= walk.i_step[d] * walk.n[d]
            at[d] = 0
            d -= 1
        if d < 0:
            return


cdef void run(Walk *walk, row_loop row, ndarray a, ndarray b, ndarray index):
    cdef PyThreadState *state = NULL
    if walk.total == 0:
        return
    if walk.total > KEEP_GIL_BELOW:
        state = PyEval_SaveThread()
    follow(walk, row, cnp.PyArray_BYTES(a), cnp.PyArray_BYTES(b), cnp.PyArray_BYTES(index))
    if state != NULL:
        PyEval_RestoreThread(state)


cdef ndarray checked(ndarray index, Py_ssize_t size, Py_ssize_t axis):
    """index as int64, all its elements in [0, size)."""
    cdef int64_t *at
    cdef uint64_t limit = size
    cdef bint bad = False
    cdef Py_ssize_t k
    if cnp.PyArray_TYPE(index) != cnp.NPY_INT64:
        index = cnp.PyArray_Cast(index, cnp.NPY_INT64)
    if cnp.PyArray_IS_C_CONTIGUOUS(index):
        at = <int64_t *> cnp.PyArray_DATA(index)
        for k in range(cnp.PyArray_SIZE(index)):
            bad |= <uint64_t> at[k] >= limit
        if bad:
            bounds.reject(index, size, axis)
    else:
        bounds.check(index, size, axis)
    return index


cdef Py_ssize_t real_axis(Py_ssize_t axis, Py_ssize_t ndim) except -1:
    cdef Py_ssize_t counted = axis + ndim if axis < 0 else axis
    if counted < 0 or counted >= ndim:
        raise IndexError(f"axis {axis} is out of range for an array of {ndim} dimensions")
    return counted


cdef int check_fit(str what, ndarray small, ndarray large, Py_ssize_t axis, bint exactly) except -1:
    """Raise unless small is no longer than large (as long, if exactly) on every axis but axis."""
    cdef int d
    cdef bint fits = cnp.PyArray_NDIM(small) == cnp.PyArray_NDIM(large)
    if fits:
        for d in range(cnp.PyArray_NDIM(small)):
            if d != axis and (cnp.PyArray_DIM(small, d) > cnp.PyArray_DIM(large, d)
                              or (exactly and cnp.PyArray_DIM(small, d) != cnp.PyArray_DIM(large, d))):
                fits = False
    if not fits:
        bounds.misfit(what, (<object> small).shape, (<object> large).shape, axis if axis >= 0 else None)
    return 0


cdef row_loop writer(ndarray out, ndarray src, str how) except NULL:
    cdef row_loop row = NULL
    if cnp.PyArray_TYPE(out) != cnp.PyArray_TYPE(src):
        raise TypeError(f"expected a source of type {out.dtype}, got {src.dtype}")
    if how == "set":
        row = setter(cnp.PyArray_ITEMSIZE(out))
    elif how == "add":
        row = adder(cnp.PyArray_TYPE(out))
    elif how == "multiply":
        row = multiplier(cnp.PyArray_TYPE(out))
    elif how == "amax":
        row = maximizer(cnp.PyArray_TYPE(out))
    elif how == "amin":
        row = minimizer(cnp.PyArray_TYPE(out))
    if row == NULL:
        raise TypeError(f"{how} has no loop for arrays of {out.dtype}")
    return row


cpdef ndarray wrapped(ndarray index, Py_ssize_t size, Py_ssize_t axis):
    """index with negative elements counted from the end; OutOfBounds unless all lie in [-size, size)."""
    cdef int64_t *at
    cdef uint64_t limit = size
    cdef bint plain = cnp.PyArray_TYPE(index) == cnp.NPY_INT64 and cnp.PyArray_IS_C_CONTIGUOUS(index)
    cdef Py_ssize_t k
    if plain:
        at = <int64_t *> cnp.PyArray_DATA(index)
        for k in range(cnp.PyArray_SIZE(index)):
            plain &= <uint64_t> at[k] < limit
    return index if plain else bounds.wrapped(index, size, axis)


cpdef ndarray gather(ndarray x, Py_ssize_t axis, ndarray index):
    """out[.., k, ..] = x[.., index[.., k, ..], ..] along axis; the shape of index, no longer than x on the
    other axes.
    """
    cdef Walk walk
    cdef ndarray out
    if cnp.PyArray_NDIM(x) == 0:
        return gather(x.reshape(1), 0, index.reshape(-1)).reshape((<object> index).shape)
    axis = real_axis(axis, cnp.PyArray_NDIM(x))
    check_fit("index", index, x, axis, False)
    index = checked(index, cnp.PyArray_DIM(x, axis), axis)
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(index), cnp.PyArray_DIMS(index), cnp.PyArray_TYPE(x), 0)
    plan(&walk, x, axis, index, False, out, index)
    run(&walk, reader(cnp.PyArray_ITEMSIZE(x)), x, out, index)
    return out


cpdef ndarray index_select(ndarray x, Py_ssize_t axis, ndarray index):
    """The slices of x along axis that the one-dimensional index names."""
    cdef Walk walk
    cdef ndarray out
    cdef cnp.npy_intp shape[MAX_AXES]
    cdef Py_ssize_t d
    if cnp.PyArray_NDIM(x) == 0:
        return gather(x.reshape(1), 0, index.reshape(-1)).reshape(())
    axis = real_axis(axis, cnp.PyArray_NDIM(x))
    if cnp.PyArray_NDIM(index) == 0:
        index = index.reshape(1)
    index = checked(index, cnp.PyArray_DIM(x, axis), axis)
    for d in range(cnp.PyArray_NDIM(x)):
        shape[d] = cnp.PyArray_DIM(x, d)
    shape[axis] = cnp.PyArray_DIM(index, 0)
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), shape, cnp.PyArray_TYPE(x), 0)
    plan(&walk, x, axis, index, True, out, out)
    run(&walk, reader(cnp.PyArray_ITEMSIZE(x)), x, out, index)
    return out


cpdef ndarray scatter_into(ndarray out, Py_ssize_t axis, ndarray index, ndarray src, str how):
    """Write src, element by element, into out where index says along axis, and return out.

    how: set (the last of repeated places wins), add, multiply, amax or amin (nan wins). src has the rank of
    index and is no shorter on any axis, or is 0-d. Nothing is written when an index is out of bounds.
    """
    cdef Walk walk
    cdef row_loop row = writer(out, src, how)
    if cnp.PyArray_NDIM(out) == 0:
        line = src.reshape(-1) if cnp.PyArray_SIZE(src) == 1 else src
        scatter_into(out.reshape(1), 0, index.reshape(-1), line, how)
        return out
    axis = real_axis(axis, cnp.PyArray_NDIM(out))
    check_fit("index", index, out, axis, False)
    if cnp.PyArray_NDIM(src):
        check_fit("index", index, src, -1, False)
    index = checked(index, cnp.PyArray_DIM(out, axis), axis)
    plan(&walk, out, axis, index, False, src, index)
    run(&walk, row, out, src, index)
    return out


cpdef ndarray index_into(ndarray out, Py_ssize_t axis, ndarray index, ndarray src, str how):
    """Write the slices of src into the slices of out that the one-dimensional index names, and return out.

    how as in scatter_into. src has out's shape but for axis, which has index's length, or is 0-d.
    """
    cdef Walk walk
    cdef row_loop row = writer(out, src, how)
    if cnp.PyArray_NDIM(out) == 0:
        line = src.reshape(-1) if cnp.PyArray_SIZE(src) == 1 else src
        index_into(out.reshape(1), 0, index.reshape(-1), line, how)
        return out
    axis = real_axis(axis, cnp.PyArray_NDIM(out))
    if cnp.PyArray_NDIM(index) == 0:
        index = index.reshape(1)
    index = checked(index, cnp.PyArray_DIM(out, axis), axis)
    if cnp.PyArray_NDIM(src) == 0:
        shape = list((<object> out).shape)
        shape[axis] = cnp.PyArray_DIM(index, 0)
        src = np.broadcast_to(src, shape)
    check_fit("source", src, out, axis, True)
    if cnp.PyArray_DIM(src, axis) != cnp.PyArray_DIM(index, 0):
        bounds.misfit("source", (<object> src).shape, (<object> index).shape, axis)
    plan(&walk, out, axis, index, True, src, src)
    run(&walk, row, out, src, index)
    return out
