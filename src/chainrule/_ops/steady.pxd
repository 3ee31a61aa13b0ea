cimport cython
from chainrule._engine.tensor cimport Tensor, wrap
from chainrule._engine.thread_state cimport State, current
from chainrule._kernels.elementwise cimport steady_product, steady_quotient
from chainrule._kernels.loops cimport all_finite

@cython.locals(s=State)
cpdef Tensor scaled(Tensor g, Tensor d)
@cython.locals(s=State)
cpdef Tensor divided(Tensor g, Tensor x)
