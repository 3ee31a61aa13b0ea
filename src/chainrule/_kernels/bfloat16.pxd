from numpy cimport ndarray

cpdef ndarray widen(object x)
cpdef ndarray narrow(object x)
