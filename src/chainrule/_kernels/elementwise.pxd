from chainrule._kernels.loops cimport Ufunc, all_finite, broadcast_shapes, plain

cdef class SteadyProduct(Ufunc):
    cpdef object call2(self, object a, object b)

cdef class SteadyQuotient(Ufunc):
    cpdef object call2(self, object a, object b)

cpdef object steady_product(object g, object d)
cpdef object steady_quotient(object g, object x)
