cimport cython
from chainrule._engine.node cimport Claim, Extra, Node
from chainrule._engine.tensor cimport AutogradMeta, Meta, Slots, Tensor, get_slots, need_autograd, bump_version, wrap_like
from chainrule._engine.thread_state cimport State, current
from chainrule._engine.native cimport sole_reference
from chainrule._kernels.loops cimport Ufunc, alike
from chainrule._kernels.strided cimport is_dense

cdef Slots slots
cdef Ufunc addition

cdef class AccumulateGrad(Node):
    cdef public Tensor variable
    cdef public object lock
    cdef object __weakref__
    @cython.locals(t=Tensor, a=AutogradMeta, old=Tensor, s=State, new=Tensor)
    cpdef object accumulate(self, object g, object task)

@cython.locals(a=AutogradMeta, n=AccumulateGrad)
cpdef Node gradient_edge(Tensor t)
@cython.locals(extra=Extra, a=AutogradMeta, n=AccumulateGrad)
cpdef Node leaf_edge(Tensor t)
@cython.locals(t=Tensor)
cpdef Tensor add_gradients(Claim c, Tensor g, bint recorded)
