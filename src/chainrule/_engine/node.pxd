cimport cython
from chainrule._engine.native cimport without_saved

cdef class Function:
    cdef public str name
    cpdef object call1(self, object x)
    cpdef object call2(self, object x, object y)
    cpdef object rcall2(self, object x, object y)
    cpdef object inplace2(self, object x, object y)
    cpdef object backward(self, Node node, object g, object wanted)
    cpdef release(self, Node node)
    cpdef bint differentiable_output(self, int k) except -1

cdef class Claim:
    cdef public object task, buffer
    cdef public bint owned
    cdef public int waiting

cdef class Extra:
    cdef public object pre_hooks, post_hooks
    cdef public list tensor_hooks, retained
    cdef public tuple numbers
    cdef public dict metadata

cdef class Node:
    cdef public Function function
    cdef public tuple links
    cdef public object meta, code
    cdef public long long sequence
    cdef public int instruction, n_edges
    cdef public Claim claim
    cdef public Extra extra
    cpdef object accumulate(self, object g, object task)
    cpdef Extra need_extra(self)

@cython.locals(c=Claim)
cpdef Claim make_claim(object task)
