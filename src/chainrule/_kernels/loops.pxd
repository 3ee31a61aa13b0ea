cimport numpy as cnp

ctypedef void (*InnerLoop)(char **args, const cnp.npy_intp *dims, const cnp.npy_intp *strides, void *data) noexcept nogil

cdef class Ufunc:
    cdef InnerLoop loop[26]
    cdef void *data[26]
    cdef int out_type[26]
    cdef readonly object ufunc
    cdef readonly int nin
    cpdef object call1(self, object a)
    cpdef object call2(self, object a, object b)
    cpdef object into1(self, object out, object a)
    cpdef object into2(self, object out, object a, object b)
    cpdef object reduce(self, object a, tuple axes, bint keepdims)
    cpdef bint has_loop(self, object np_dtype)
    cdef int fold(self, cnp.ndarray a, cnp.ndarray out, cnp.npy_intp *out_strides) except -1

cpdef object matmul(object a, object b)
cpdef object scalar(object value, object np_dtype)
cpdef bint same_shape(object a, object b)
cpdef bint alike(object a, object b)
cpdef tuple broadcast_shapes(tuple a, tuple b)
cpdef object plain(object result)
cpdef object wrapping_scalar(object value, object np_dtype)
cpdef bint all_finite(object array) except -1
