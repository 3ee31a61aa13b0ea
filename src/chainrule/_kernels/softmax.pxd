from numpy cimport ndarray

cpdef ndarray softmax(object x, int axis)
cpdef ndarray log_softmax(object x, int axis)
cpdef ndarray softmax_grad(object g, object out, int axis)
cpdef ndarray log_softmax_grad(object g, object out, int axis)
cpdef ndarray logsumexp(object x, object axes, bint keepdims)
