from numpy cimport ndarray

cpdef tuple max_windows(ndarray x, tuple spans)
cpdef ndarray sum_windows(ndarray x, tuple spans)
cpdef ndarray spread_windows(ndarray g, tuple size, tuple spans)
