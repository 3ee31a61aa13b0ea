from numpy cimport ndarray

cpdef ndarray wrapped(ndarray index, Py_ssize_t size, Py_ssize_t axis)
cpdef ndarray gather(ndarray x, Py_ssize_t axis, ndarray index)
cpdef ndarray index_select(ndarray x, Py_ssize_t axis, ndarray index)
cpdef ndarray scatter_into(ndarray out, Py_ssize_t axis, ndarray index, ndarray src, str how)
cpdef ndarray index_into(ndarray out, Py_ssize_t axis, ndarray index, ndarray src, str how)
