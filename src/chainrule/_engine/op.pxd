cimport cython
from chainrule._core.dtype cimport dtype
from chainrule._engine.node cimport Extra, Function, Node
from chainrule._engine.record cimport Plan, record, record1, record2
from chainrule._engine.saved cimport unpack
from chainrule._engine.tensor cimport AutogradMeta, Meta, Slots, Tensor, get_slots, wrap, wrap_like, bump_version, make_meta
from chainrule._engine.thread_state cimport State, current
from chainrule._kernels.loops cimport Ufunc, alike, scalar, wrapping_scalar

cdef Slots slots

cdef class Op(Function):
    cdef public object signature, kind, function, inplace_function, doc, public_name, namespace
    cdef public Ufunc ufunc
    cdef public tuple rules, places, residual_names, alias_names
    cdef public dict plans, fast
    cdef public list small_plans
    cdef public object joint, outputs, smooth_outputs
    cdef public object direct
    cdef public int direct_from, direct_below, n_outputs, arity, list_place
    cdef public bint is_view, differentiable, with_inplace, with_out, method
    @cython.locals(a=Tensor, out=Tensor, s=State, d=dtype)
    cpdef object call1(self, object x)
    @cython.locals(a=Tensor, b=Tensor, out=Tensor, s=State, d=dtype, mask=int)
    cpdef object call2(self, object x, object y)
    @cython.locals(b=Tensor)
    cpdef object rcall2(self, object x, object y)
    @cython.locals(a=Tensor, b=Tensor, s=State, d=dtype)
    cpdef object inplace2(self, object x, object y)
    cpdef object call(self, tuple args)
    @cython.locals(s=State, values=list, outs=list, mask=int, several=bint, t=Tensor)
    cpdef object run(self, tuple args)
    @cython.locals(mask=int, bit=int, place=int, t=Tensor)
    cpdef int wanted_mask(self, object args) except -1
    cpdef bint differentiable_output(self, int k) except -1
    cpdef Plan plan_for(self, int mask)
    @cython.locals(i=int, mask=int, n=int, plan=Plan, positions=tuple, e=object, grads=list)
    cpdef object backward(self, Node node, object g, object wanted)
    @cython.locals(n=int, p=int, q=int, t=Tensor, b=Tensor, u=Ufunc)
    cdef object apply_rule(self, object rule, tuple positions, object fast, Node node, object g)

@cython.locals(t=Tensor)
cdef bint _overridden(object args) except -1
@cython.locals(t=Tensor)
cdef bint _any_on_meta(object args) except -1
@cython.locals(a=AutogradMeta, base=Tensor)
cpdef int wants_grad(Tensor t) except -1
@cython.locals(d=dtype, t=Tensor)
cpdef Tensor number_like(object value, Tensor like)
