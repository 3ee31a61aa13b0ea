from numpy cimport ndarray

cpdef ndarray relu(object x)
cpdef ndarray relu_grad(object g, object out)
cpdef ndarray gate(object g, object x, double low, double high)
cpdef ndarray leaky_relu(object x, double negative_slope)
cpdef ndarray leaky_relu_grad(object g, object x, double negative_slope)
