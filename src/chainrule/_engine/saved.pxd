cimport cython
from chainrule._engine.node cimport Node
from chainrule._engine.tensor cimport Meta, Tensor, Version, make_meta

@cython.freelist(256)
@cython.no_gc
cdef class SavedInput:
    cdef public Tensor tensor
    cdef public int expected

@cython.freelist(256)
cdef class SavedOutput(Version):
    cdef public int expected, number
    cdef public object array
    cdef public Version counter

cpdef SavedInput save_input(Tensor t)
@cython.locals(v=Version)
cpdef SavedOutput save_output(Tensor t, int number)
@cython.locals(i=SavedInput, o=SavedOutput, found=int, t=Tensor)
cpdef object unpack(object saved, Node node)
@cython.locals(s=SavedOutput, v=Version, t=Tensor)
cdef Tensor rewrap(SavedOutput s, Node node)
