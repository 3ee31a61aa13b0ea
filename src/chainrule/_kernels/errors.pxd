from numpy cimport ndarray

cpdef ndarray squared_error(object x, object y, double factor)
cpdef ndarray squared_errors(object x, object y)
cpdef ndarray squared_error_grad(object g, object x, object y, double factor)
