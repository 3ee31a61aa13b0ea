"""Views of arrays made from shape, strides and offset alone, without NumPy's Python-level machinery."""

cimport numpy as cnp
from cpython.ref cimport Py_INCREF

import numpy as np

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewFromDescr(type subtype, cnp.PyArray_Descr *descr, int nd, cnp.npy_intp *dims, cnp.npy_intp *strides,
                                void *data, int flags, object obj)
    void PyArray_UpdateFlags(cnp.ndarray a, int flagmask)

DEF MAX_DIMS = 64


cdef object view_of(cnp.ndarray a, int nd, cnp.npy_intp *dims, cnp.npy_intp *strides, Py_ssize_t offset):
    cdef cnp.PyArray_Descr *descr = cnp.PyArray_DESCR(a)
    Py_INCREF(<object>descr)
    cdef cnp.ndarray out = PyArray_NewFromDescr(
        np.ndarray, descr, nd, dims, strides, <char *>cnp.PyArray_DATA(a) + offset,
        cnp.PyArray_FLAGS(a) & cnp.NPY_ARRAY_WRITEABLE, None)
    cnp.set_array_base(out, a)
    PyArray_UpdateFlags(out, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
    return out


cpdef object strided(object a, tuple shape, tuple strides, Py_ssize_t offset):
    """The view of a's memory with this shape, strides and offset, all in bytes, from a's first element. Unchecked."""
    cdef cnp.npy_intp dims[MAX_DIMS]
    cdef cnp.npy_intp steps[MAX_DIMS]
    cdef int i, nd = len(shape)
    for i in range(nd):
        dims[i] = shape[i]
        steps[i] = strides[i]
    return view_of(<cnp.ndarray>a, nd, dims, steps, offset)


cpdef object expand(object x, tuple shape):
    """x stretched to `shape` (which it must fit) by stride 0."""
    cdef cnp.ndarray a = <cnp.ndarray>x
    cdef cnp.npy_intp dims[MAX_DIMS]
    cdef cnp.npy_intp steps[MAX_DIMS]
    cdef int i, nd = len(shape), lead = nd - cnp.PyArray_NDIM(a)
    for i in range(nd):
        dims[i] = shape[i]
        if i < lead or (cnp.PyArray_DIMS(a)[i - lead] == 1 and dims[i] != 1):
            steps[i] = 0
        else:
            steps[i] = cnp.PyArray_STRIDES(a)[i - lead]
    return view_of(a, nd, dims, steps, 0)


cpdef object transposed(object x, int axis0, int axis1):
    """x with two axes exchanged."""
    cdef cnp.ndarray a = <cnp.ndarray>x
    cdef cnp.npy_intp dims[MAX_DIMS]
    cdef cnp.npy_intp steps[MAX_DIMS]
    cdef int i, nd = cnp.PyArray_NDIM(a), j
    for i in range(nd):
        j = axis1 if i == axis0 else axis0 if i == axis1 else i
        dims[i] = cnp.PyArray_DIMS(a)[j]
        steps[i] = cnp.PyArray_STRIDES(a)[j]
    return view_of(a, nd, dims, steps, 0)


cpdef bint visits_twice(object x):
    """Whether a memory cell may appear twice in x: sorted by stride, a dimension steps into the extent of those below."""
    cdef cnp.ndarray a = <cnp.ndarray>x
    cdef int i, j, n = 0, nd = cnp.PyArray_NDIM(a)
    cdef int order[MAX_DIMS]
    cdef cnp.npy_intp *dims = cnp.PyArray_DIMS(a)
    cdef cnp.npy_intp *steps = cnp.PyArray_STRIDES(a)
    cdef cnp.npy_intp extent = cnp.PyArray_ITEMSIZE(a)
    if cnp.PyArray_IS_C_CONTIGUOUS(a) or cnp.PyArray_SIZE(a) == 0:
        return False
    for i in range(nd):
        if dims[i] == 1:
            continue
        j = n
        while j > 0 and steps[order[j - 1]] > steps[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
        n += 1
    for i in range(n):
        if steps[order[i]] < extent:
            return True
        extent += steps[order[i]] * (dims[order[i]] - 1)
    return False


cpdef bint is_dense(object x):
    """Whether x fills a block of memory without gaps or repeats, in some order of its dimensions."""
    cdef cnp.ndarray a = <cnp.ndarray>x
    cdef int i, j, n = 0, nd = cnp.PyArray_NDIM(a)
    cdef int order[MAX_DIMS]
    cdef cnp.npy_intp *dims = cnp.PyArray_DIMS(a)
    cdef cnp.npy_intp *steps = cnp.PyArray_STRIDES(a)
    cdef cnp.npy_intp extent = cnp.PyArray_ITEMSIZE(a)
    if cnp.PyArray_IS_C_CONTIGUOUS(a) or cnp.PyArray_SIZE(a) == 0:
        return True
    for i in range(nd):
        if dims[i] == 1:
            continue
        j = n
        while j > 0 and steps[order[j - 1]] > steps[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
        n += 1
    for i in range(n):
        if steps[order[i]] != extent:
            return False
        extent *= dims[order[i]]
    return True
