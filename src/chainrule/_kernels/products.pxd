cimport cython
from chainrule._kernels.loops cimport Ufunc, broadcast_shapes, matmul, scalar
from chainrule._kernels.strided cimport transposed

cdef class Product(Ufunc):
    cdef readonly object fn
    cpdef object call2(self, object a, object b)

cdef Ufunc addition, multiplication
cpdef object mm(object a, object b)
cpdef object mv(object a, object x)
cpdef object dot(object a, object b)
cpdef object bmm(object a, object b)
cpdef object right_transposed(object a, object b)
cpdef object left_transposed(object a, object b)
cpdef object outer(object a, object b)
cpdef object row_times(object x, object b)
cpdef object folded(object a, object b)
cpdef object linear(object x, object w, object b)
cpdef tuple linear_grads(object g, object x, object w, tuple bias_shape, tuple wants)
