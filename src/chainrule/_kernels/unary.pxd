from chainrule._kernels.loops cimport Ufunc

cdef class Unary(Ufunc):
    pass
