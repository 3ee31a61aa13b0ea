cimport cython
from chainrule._engine.node cimport Node
from chainrule._engine.tensor cimport Meta, Tensor, Version, make_meta

cdef class SavedInput:
    cdef public Tensor tensor
    cdef public int expected

cdef class SavedOutput(Version):
    cdef public int expected, number
    cdef public object array
    cdef public Version counter

@cython.locals(s=SavedInput)
cpdef SavedInput save_input(Tensor t)
@cython.locals(v=Version, s=SavedOutput)
cpdef SavedOutput save_output(Tensor t, int number)
@cython.locals(i=SavedInput, o=SavedOutput, found=int, t=Tensor)
cpdef object unpack(object saved, Node node)
@cython.locals(v=Version, t=Tensor)
cdef Tensor rewrap(SavedOutput s, Node node)
