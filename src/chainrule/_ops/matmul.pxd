cimport cython
from chainrule._core.dtype cimport dtype
from chainrule._engine.op cimport Op
from chainrule._engine.record cimport record
from chainrule._engine.tensor cimport Tensor, wrap
from chainrule._engine.thread_state cimport State, current

cdef class MatrixProduct(Op):
    cdef public Op matrices, matrix_vector, vectors, vector_matrix
    @cython.locals(n=int, k=int)
    cpdef Op chosen(self, Tensor x, Tensor y)
    @cython.locals(a=Tensor, b=Tensor, entry=Op)
    cpdef object call2(self, object x, object y)
    cpdef object rcall2(self, object x, object y)
    cpdef object run(self, tuple args)

cdef class Linear(Op):
    @cython.locals(s=State, out=Tensor, mask=int)
    cpdef object call(self, tuple args)
    @cython.locals(d=dtype)
    cpdef bint plain(self, Tensor x, Tensor w, object b)
