"""The patches a sliding kernel sees: im2col copies them out, its adjoint col2im adds them back.

One to three spatial axes. Convolution and unfold/fold stand on these two loops. The plain twin is patches.py.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
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

ctypedef fused item:
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    double_complex

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
    KEEP_GIL_BELOW = 50000

# always three spatial axes: missing ones come first, with length 1
cdef struct Slide:
    Py_ssize_t planes
    Py_ssize_t size[3]
    Py_ssize_t kernel[3]
    Py_ssize_t stride[3]
    Py_ssize_t padding[3]
    Py_ssize_t dilation[3]
    Py_ssize_t extent[3]


cdef void inside(Slide *s, Py_ssize_t tap, Py_ssize_t *low, Py_ssize_t *high) noexcept nogil:
    """The positions of the last axis, [low, high), at which this tap of the kernel falls inside the input."""
    cdef Py_ssize_t first = s.padding[2] - tap * s.dilation[2]
    cdef Py_ssize_t end = s.size[2] + first
    cdef Py_ssize_t step = s.stride[2]
    low[0] = (first + step - 1) // step if first > 0 else 0
    high[0] = (end + step - 1) // step if end > 0 else 0
    if high[0] > s.extent[2]:
        high[0] = s.extent[2]
    if low[0] > high[0]:
        low[0] = high[0]


cdef void copy_out(Slide *s, item *x, item *cols) noexcept nogil:
    cdef Py_ssize_t plane, a, b, c, i, j, k, at0, at1, low, high, width = s.extent[2], step = s.stride[2]
    cdef Py_ssize_t plane_size = s.size[0] * s.size[1] * s.size[2]
    cdef item *row
    for plane in range(s.planes):
        for a in range(s.kernel[0]):
            for b in range(s.kernel[1]):
                for c in range(s.kernel[2]):
                    inside(s, c, &low, &high)
                    for i in range(s.extent[0]):
                        at0 = i * s.stride[0] - s.padding[0] + a * s.dilation[0]
                        if at0 < 0 or at0 >= s.size[0]:
                            memset(cols, 0, s.extent[1] * width * sizeof(item))
                            cols += s.extent[1] * width
                            continue
                        for j in range(s.extent[1]):
                            at1 = j * s.stride[1] - s.padding[1] + b * s.dilation[1]
                            if at1 < 0 or at1 >= s.size[1]:
                                memset(cols, 0, width * sizeof(item))
                                cols += width
                                continue
                            row = x + (at0 * s.size[1] + at1) * s.size[2] - s.padding[2] + c * s.dilation[2]
                            for k in range(low):
                                cols[k] = 0
                            if step == 1:
                                memcpy(cols + low, row + low, (high - low) * sizeof(item))
                            else:
                                for k in range(low, high):
                                    cols[k] = row[k * step]
                            for k in range(high, width):
                                cols[k] = 0
                            cols += width
        x += plane_size


cdef void add_back(Slide *s, number *x, number *cols) noexcept nogil:
    cdef Py_ssize_t plane, a, b, c, i, j, k, at0, at1, low, high, width = s.extent[2], step = s.stride[2]
    cdef Py_ssize_t plane_size = s.size[0] * s.size[1] * s.size[2]
    cdef number *row
    for plane in range(s.planes):
        for a in range(s.kernel[0]):
            for b in range(s.kernel[1]):
                for c in range(s.kernel[2]):
                    inside(s, c, &low, &high)
                    for i in range(s.extent[0]):
                        at0 = i * s.stride[0] - s.padding[0] + a * s.dilation[0]
                        if at0 < 0 or at0 >= s.size[0]:
                            cols += s.extent[1] * width
                            continue
                        for j in range(s.extent[1]):
                            at1 = j * s.stride[1] - s.padding[1] + b * s.dilation[1]
                            if 0 <= at1 < s.size[1]:
                                row = (x + (at0 * s.size[1] + at1) * s.size[2]
                                       - s.padding[2] + c * s.dilation[2])
                                if step == 1:
                                    for k in range(low, high):
                                        row[k] = row[k] + cols[k]
                                else:
                                    for k in range(low, high):
                                        row[k * step] = row[k * step] + cols[k]
                            cols += width
        x += plane_size


cdef void describe(Slide *s, Py_ssize_t planes, cnp.npy_intp *size, tuple kernel, tuple stride, tuple padding,
                   tuple dilation, tuple extent):
    cdef int n = len(kernel)
    cdef int missing = 3 - n
    cdef int d
    s.planes = planes
    for d in range(missing):
        s.size[d] = s.kernel[d] = s.stride[d] = s.dilation[d] = s.extent[d] = 1
        s.padding[d] = 0
    for d in range(n):
        s.size[missing + d] = size[d]
        s.kernel[missing + d] = kernel[d]
        s.stride[missing + d] = stride[d]
        s.padding[missing + d] = padding[d]
        s.dilation[missing + d] = dilation[d]
        s.extent[missing + d] = extent[d]


cdef void copy_items(Slide *s, ndarray x, ndarray out) noexcept:
    cdef void *source = cnp.PyArray_DATA(x)
    cdef void *to = cnp.PyArray_DATA(out)
    cdef Py_ssize_t itemsize = cnp.PyArray_ITEMSIZE(x)
    cdef PyThreadState *state = NULL
    if cnp.PyArray_SIZE(out) > KEEP_GIL_BELOW:
        state = PyEval_SaveThread()
    if itemsize == 4:
        copy_out(s, <uint32_t *> source, <uint32_t *> to)
    elif itemsize == 8:
        copy_out(s, <uint64_t *> source, <uint64_t *> to)
    elif itemsize == 2:
        copy_out(s, <uint16_t *> source, <uint16_t *> to)
    elif itemsize == 1:
        copy_out(s, <uint8_t *> source, <uint8_t *> to)
    else:
        copy_out(s, <double_complex *> source, <double_complex *> to)
    if state != NULL:
        PyEval_RestoreThread(state)


cpdef ndarray im2col(ndarray x, tuple kernel, tuple stride, tuple padding, tuple dilation, tuple extent,
                     ndarray out=None):
    """The patches of x (N, C, *spatial) as (N, C, *kernel, *extent), zero where a patch reaches into the
    padding.

    extent is the number of positions the kernel takes on each spatial axis. out, if given, is a contiguous
    array of the result's size, and is returned.
    """
    cdef Slide s
    cdef cnp.npy_intp shape[8]
    cdef int n = len(kernel)
    cdef int d
    x = cnp.PyArray_GETCONTIGUOUS(x)
    describe(&s, cnp.PyArray_DIM(x, 0) * cnp.PyArray_DIM(x, 1), cnp.PyArray_DIMS(x) + 2, kernel, stride,
             padding, dilation, extent)
    if out is None:
        shape[0] = cnp.PyArray_DIM(x, 0)
        shape[1] = cnp.PyArray_DIM(x, 1)
        for d in range(n):
            shape[2 + d] = kernel[d]
            shape[2 + n + d] = extent[d]
        out = cnp.PyArray_EMPTY(2 + 2 * n, shape, cnp.PyArray_TYPE(x), 0)
    if cnp.PyArray_SIZE(out):
        copy_items(&s, x, out)
    return out


cpdef ndarray col2im(ndarray cols, tuple spatial, tuple stride, tuple padding, tuple dilation):
    """The adjoint of im2col: the patches (N, C, *kernel, *extent) added back into zeros (N, C, *spatial)."""
    cdef Slide s
    cdef cnp.npy_intp shape[5]
    cdef int n = len(spatial)
    cdef int d
    cdef ndarray out
    cdef int type_num = cnp.PyArray_TYPE(cols)
    cdef void *to
    cdef void *source
    cdef PyThreadState *state = NULL
    cols = cnp.PyArray_GETCONTIGUOUS(cols)
    shape[0] = cnp.PyArray_DIM(cols, 0)
    shape[1] = cnp.PyArray_DIM(cols, 1)
    for d in range(n):
        shape[2 + d] = spatial[d]
    out = cnp.PyArray_ZEROS(2 + n, shape, type_num, 0)
    describe(&s, shape[0] * shape[1], shape + 2, (<object> cols).shape[2:2 + n], stride, padding, dilation,
             (<object> cols).shape[2 + n:])
    to = cnp.PyArray_DATA(out)
    source = cnp.PyArray_DATA(cols)
    if type_num == cnp.NPY_FLOAT32 or type_num == cnp.NPY_FLOAT64:
        if cnp.PyArray_SIZE(cols) > KEEP_GIL_BELOW:
            state = PyEval_SaveThread()
        if type_num == cnp.NPY_FLOAT32:
            add_back(&s, <float *> to, <float *> source)
        else:
            add_back(&s, <double *> to, <double *> source)
        if state != NULL:
            PyEval_RestoreThread(state)
    elif type_num == cnp.NPY_COMPLEX64:
        add_back(&s, <float_complex *> to, <float_complex *> source)
    elif type_num == cnp.NPY_COMPLEX128:
        add_back(&s, <double_complex *> to, <double_complex *> source)
    elif type_num == cnp.NPY_INT64:
        add_back(&s, <int64_t *> to, <int64_t *> source)
    elif type_num == cnp.NPY_INT32:
        add_back(&s, <int32_t *> to, <int32_t *> source)
    elif type_num == cnp.NPY_INT16:
        add_back(&s, <int16_t *> to, <int16_t *> source)
    elif type_num == cnp.NPY_INT8:
        add_back(&s, <int8_t *> to, <int8_t *> source)
    elif type_num == cnp.NPY_UINT8:
        add_back(&s, <uint8_t *> to, <uint8_t *> source)
    else:
        raise TypeError(f"col2im has no loop for arrays of {cols.dtype}")
    return out
