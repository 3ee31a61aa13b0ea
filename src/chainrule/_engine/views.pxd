cimport cython
from chainrule._engine.node cimport Function, Node
from chainrule._engine.tensor cimport AutogradMeta, Slots, Storage, Tensor, Version, get_slots, need_autograd, need_version, wrap
from chainrule._engine.thread_state cimport State, current
from chainrule._kernels.strided cimport visits_twice

cdef Slots slots

@cython.locals(a=AutogradMeta)
cpdef Storage storage_of(Tensor t)
@cython.locals(storage=Storage, a=AutogradMeta, parent=AutogradMeta, base=Tensor)
cpdef link_view(Tensor source, Tensor out, int kind)
@cython.locals(source=Tensor, out=Tensor, a=AutogradMeta, parent=AutogradMeta)
cpdef view_made(object op, list args, list outs, bint several)
