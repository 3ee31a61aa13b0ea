from numpy cimport ndarray

cpdef ndarray im2col(ndarray x, tuple kernel, tuple stride, tuple padding, tuple dilation, tuple extent, ndarray out=*)
cpdef ndarray col2im(ndarray cols, tuple spatial, tuple stride, tuple padding, tuple dilation)
