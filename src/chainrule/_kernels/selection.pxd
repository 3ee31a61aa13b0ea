from numpy cimport ndarray

cpdef tuple stable_sort(ndarray x, bint descending)
cpdef tuple first_few(ndarray x, Py_ssize_t k, bint largest)
