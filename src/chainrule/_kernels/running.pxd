from numpy cimport ndarray

cpdef ndarray cumulate(ndarray x, Py_ssize_t axis, bint product)
cpdef tuple cummax(ndarray x, Py_ssize_t axis)
cpdef tuple cummin(ndarray x, Py_ssize_t axis)
cpdef ndarray recurrence(ndarray factor, ndarray term, Py_ssize_t axis, bint reverse)
