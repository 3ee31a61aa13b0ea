cimport cython
from chainrule._core.dtype cimport dtype as DType, of_array
from chainrule._engine.node cimport Function, Node
from chainrule._kernels.loops cimport alike

@cython.freelist(64)
@cython.no_gc
cdef class Meta:
    cdef public DType dtype
    cdef public tuple shape
    cdef public object size

@cython.freelist(64)
@cython.no_gc
cdef class Version:
    cdef public int n

@cython.no_gc
cdef class Storage:
    cdef public object owner

@cython.freelist(64)
cdef class AutogradMeta:
    cdef public object grad, accumulator, storage, base, view_fn, name, post_accumulate
    cdef public list hooks
    cdef public int view_version, view_kind
    cdef public bint retains_grad
    cdef public object inplace_reason

cdef class Slots:
    cdef public Function add, sub, rsub, mul, div, pow, rpow, matmul, neg, eq, ne, lt, le, gt, ge
    cdef public Function conj, rdiv, floordiv, rfloordiv, mod, rmod, abs, invert
    cdef public object getitem, setitem, and_, or_, xor, lshift, rshift, rand, ror, rxor, rlshift, rrshift, divmod_
    cdef public object repr, format, array, bool, reduce, deepcopy, contains, iter, ufunc, array_function, dlpack
    cdef public object sum_to, cast, clone, regenerate, special, check_inplace, check_overlap, rebase, view_made
    cdef public object as_strided, strided_part, base_layout, copy_, zero_, move_retained, write_out, to_meta, checked_hook_result

@cython.freelist(256)
cdef class Tensor:
    cdef public object array
    cdef public Meta meta
    cdef public Node node
    cdef public Version counter
    cdef public AutogradMeta autograd
    cdef public unsigned char needs_grad, override, weak, on_meta
    cdef public int output_number
    cdef object __weakref__
    cdef dict __dict__

@cython.locals(m=Meta)
cpdef Meta make_meta(object array)
cpdef Tensor wrap(object array)
cpdef Tensor wrap_like(object array, Tensor like)
cpdef AutogradMeta need_autograd(Tensor t)
cpdef Version need_version(Tensor t)
@cython.locals(v=Version)
cpdef bump_version(Tensor t)
cpdef int version_of(Tensor t)
cpdef Slots get_slots()
