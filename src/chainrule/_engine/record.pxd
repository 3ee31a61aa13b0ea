cimport cython
from chainrule._engine.node cimport Extra, Function, Node
from chainrule._core.dtype cimport dtype
from chainrule._engine.tensor cimport Meta, Tensor
from chainrule._engine.thread_state cimport State, current
from chainrule._engine.saved cimport save_input, save_output
from chainrule._engine.accumulate cimport gradient_edge
from chainrule._engine.location cimport mark
from chainrule._engine.native cimport untrack

cdef class Plan:
    cdef public tuple sources, rules
    cdef public int n_saved

@cython.locals(n=Node)
cpdef Node make_node(Function function, tuple links, int n_edges, object meta, State s)
@cython.locals(i=int, e=Node)
cpdef number(Node n, State s)
@cython.locals(source=int, n_saved=int, e=Node)
cpdef record1(Function function, Plan plan, Tensor out, Tensor a, State s)
@cython.locals(source=int, n=Node, e0=Node, e1=Node, x=Tensor, k=int, saved0=object, saved1=object)
cpdef record2(Function function, Plan plan, Tensor out, Tensor a, Tensor b, State s)
@cython.locals(x=Tensor)
cdef object save_one(int source, Tensor out, Tensor a, Tensor b)
cpdef object save_value(object value)
@cython.locals(t=Tensor, links=list, numbers=list, numbered=bint, wanted=bint, source=int, n=Node, k=int, n_edges=int)
cpdef Node record(Function function, Plan plan, tuple places, object args, list outs, object residuals, State s)
