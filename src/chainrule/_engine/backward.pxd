cimport cython
from chainrule._engine.node cimport Claim, Extra, Function, Node, make_claim
from chainrule._engine.native cimport check_signals
from chainrule._engine.tensor cimport Meta, Slots, Tensor, get_slots
from chainrule._engine.thread_state cimport State, current
from chainrule._engine.accumulate cimport AccumulateGrad, add_gradients
from chainrule._kernels.loops cimport alike

cdef Slots slots

cdef class ReadyQueue:
    cdef Node latest
    cdef list ordered, heap
    cdef long long pushed
    @cython.locals(last=Node)
    cdef push(self, Node n)
    @cython.locals(top=Node)
    cdef bint in_order(self, Node n)
    @cython.locals(best=Node, top=Node)
    cdef Node pop(self)

cdef class GraphTask:
    cdef public bint keep_graph, create_graph, accumulate_leaves
    cdef public set wanted
    cdef public dict captured, elsewhere, notes
    cdef public bint finished, checking
    cdef public long long visited
    cdef ReadyQueue ready
    @cython.locals(c=Claim)
    cpdef Claim claim_of(self, Node n)
    @cython.locals(c=Claim, task=GraphTask)
    cdef bint first_sight(self, Node n) except -1
    @cython.locals(n=Node, m=Node, following=Node, c=Claim, stack=list, i=int)
    cpdef count_dependencies(self, list roots)
    @cython.locals(s=State, was=bint)
    cpdef execute(self, list roots)
    @cython.locals(c=Claim, node=Node, extra=Extra, i=int, steps=int, capturing=bint)
    cpdef walk(self, list roots, State s)
    cpdef object run_function(self, Node node, object g, object wanted)
    cpdef object run_watched(self, Node node, object g, object wanted, State s)
    @cython.locals(m=Node, c=Claim, extra=Extra, number=int)
    cdef deliver(self, Node node, int i, object g)
    @cython.locals(t=Tensor, b=list, have=Tensor)
    cdef add(self, Claim c, Node m, int number, object g)

@cython.locals(t=Tensor, meta=Meta)
cdef object validated(object g, Node m, int number, Node sender, int i)
