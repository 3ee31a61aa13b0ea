cimport cython
from chainrule._core.dtype cimport dtype as DType, of_array
from chainrule._engine.node cimport Function, Node
from chainrule._kernels.loops cimport alike

cdef class Meta:
    cdef public DType dtype
    cdef public tuple shape
    cdef public object size

cdef class Version:
    cdef public int n

cdef class Storage:
    cdef public object owner

cdef class AutogradMeta:
    cdef public object grad, accumulator, storage, base, view_fn, name, post_accumulate
    cdef public list hooks
    cdef public int view_version, view_kind
    cdef public bint retains_grad
    cdef public object inplace_reason

cdef class Slots:
    cdef public Function add, sub, mul, div, pow, matmul, neg, eq, ne, lt, le, gt, ge
    cdef public Function conj, floordiv, mod, abs, invert, and_, or_, xor, lshift, rshift
    cdef public object getitem, setitem, divmod_
    cdef public object repr, format, array, bool, reduce, deepcopy, contains, iter, ufunc, array_function, dlpack
    cdef public object sum_to, cast, clone, regenerate, special, check_inplace, check_overlap, rebase, view_made
    cdef public object as_strided, strided_part, base_layout, copy_, zero_, move_retained, write_out, to_meta, keep_overwritten

cdef class Tensor:
    cdef public object array
    cdef public Meta meta
    cdef public Node node
    cdef public Version counter
    cdef public AutogradMeta autograd
    cdef public unsigned char needs_grad, override, weak, on_meta
    cdef public int output_number
    cdef object __weakref__
    cdef void *attributes

@cython.locals(m=Meta)
cpdef Meta make_meta(object array)
@cython.locals(t=Tensor)
cpdef Tensor wrap(object array)
@cython.locals(t=Tensor)
cpdef Tensor wrap_like(object array, Tensor like)
@cython.locals(a=AutogradMeta)
cpdef AutogradMeta need_autograd(Tensor t)
@cython.locals(v=Version)
cpdef Version need_version(Tensor t)
@cython.locals(v=Version)
cpdef bump_version(Tensor t)
cpdef int version_of(Tensor t)
cdef Slots slots
cpdef Slots get_slots()
cdef tuple NUMBERS
cdef object ndarray
cpdef bint is_foreign(object value)
