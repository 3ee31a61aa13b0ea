cimport cython
from chainrule._core.dtype cimport dtype as DType
from chainrule._engine.accumulate cimport gradient_edge
from chainrule._engine.node cimport Node
from chainrule._engine.op cimport Op, wants_grad
from chainrule._engine.record cimport make_node
from chainrule._engine.tensor cimport AutogradMeta, Meta, Slots, Tensor, bump_version, get_slots, wrap
from chainrule._engine.thread_state cimport State, current
from chainrule._engine.views cimport link_view
from chainrule._kernels.strided cimport visits_twice

cdef Slots slots
cdef Op SELECT, SLICE, UNSQUEEZE, ALIAS

cdef bint plain_slice(slice s)
@cython.locals(entry=Op, dots=bint)
cdef tuple basic(object index)
@cython.locals(s=State, out=Tensor)
cdef Tensor show(Tensor t, Op entry, tuple index)
@cython.locals(found=tuple, entry=Op, parts=tuple)
cpdef getitem(Tensor t, object index)
@cython.locals(found=tuple)
cpdef setitem(Tensor t, object index, object value)
@cython.locals(s=State)
cdef bint outside_graphs(Tensor t)
@cython.locals(d=DType, v=Tensor)
cdef object plain_value(Tensor t, object value)
@cython.locals(a=AutogradMeta, b=AutogradMeta)
cdef bint may_overlap(Tensor t, Tensor other)
