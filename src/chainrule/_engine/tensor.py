"""Tensor: its fields, and the dunders that Python looks up on the class itself.

A tensor is a plain array with what autograd needs beside it. Everything that few tensors have (a gradient, hooks, a
base) is in its AutogradMeta, made on demand. The methods are installed from the op table by `_tensor`; the dunders must
stand in the class body and forward to slots that are filled from above (`Slots`).
"""

try:
    import cython
except ImportError:
    from chainrule._core import cython

import numpy as np

from chainrule._core import size as _size
from chainrule._core.device import cpu
from chainrule._core.device import meta as meta_device
from chainrule._core.dtype import of_array
from chainrule._kernels.loops import alike


@cython.freelist(64)
@cython.no_gc
@cython.cclass
class Meta:
    """dtype and shape of a tensor. Ops that change neither pass the object on, so that equality is often identity."""


def make_meta(array):
    m = Meta.__new__(Meta)
    m.dtype = of_array(array)
    m.shape = array.shape
    m.size = None
    return m


@cython.freelist(128)
@cython.no_gc
@cython.cclass
class Version:
    """How often a tensor's data was changed in place; shared by views and by `detach`."""


@cython.no_gc
@cython.cclass
class Storage:
    """The memory a tensor and its views share: the array that owns it."""

    def __init__(self, owner):
        self.owner = owner


@cython.freelist(64)
@cython.cclass
class AutogradMeta:
    """What a tensor has beyond its data and its place in the graph."""


class Slots:
    """The ops that the dunders below and the engine need; filled by `_ops` and `_tensor`."""


slots = Slots()


def get_slots():
    return slots


def need_autograd(t):
    a = t.autograd
    if a is None:
        a = AutogradMeta.__new__(AutogradMeta)
        a.grad = None
        a.accumulator = None
        a.storage = None
        a.base = None
        a.view_fn = None
        a.name = None
        a.post_accumulate = None
        a.hooks = None
        a.view_version = 0
        a.view_kind = 0
        a.retains_grad = False
        a.inplace_reason = None
        t.autograd = a
    return a


def need_version(t):
    v = t.counter
    if v is None:
        v = Version.__new__(Version)
        v.n = 0
        t.counter = v
    return v


def bump_version(t):
    """Count one in-place change of t's data."""
    v = need_version(t)
    v.n = v.n + 1


def version_of(t):
    return 0 if t.counter is None else t.counter.n


NUMBERS = (int, float, complex, np.generic, np.ndarray)
ndarray = np.ndarray


def is_foreign(value):
    """Whether an operand is nothing an op takes: its own class may know what to do, as Python's protocol has it."""
    return not isinstance(value, Tensor) and not isinstance(value, NUMBERS)


@cython.freelist(256)
@cython.cclass
class Tensor:
    """A multi-dimensional array that remembers how it was computed."""

    def __add__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.add.call2(self, other)

    def __radd__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.add.call2(self, other)

    def __sub__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.sub.call2(self, other)

    def __rsub__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.sub.rcall2(self, other)

    def __mul__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.mul.call2(self, other)

    def __rmul__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.mul.call2(self, other)

    def __truediv__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.div.call2(self, other)

    def __rtruediv__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.div.rcall2(self, other)

    def __floordiv__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.floordiv.call2(self, other)

    def __rfloordiv__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.floordiv.rcall2(self, other)

    def __mod__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.mod.call2(self, other)

    def __rmod__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.mod.rcall2(self, other)

    def __divmod__(self, other):
        return slots.divmod_(self, other)

    def __pow__(self, other, modulo=None):
        if is_foreign(other):
            return NotImplemented
        return slots.pow.call2(self, other)

    def __rpow__(self, other, modulo=None):
        if is_foreign(other):
            return NotImplemented
        return slots.pow.rcall2(self, other)

    def __matmul__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.matmul.call2(self, other)

    def __rmatmul__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.matmul.rcall2(self, other)

    def __iadd__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.add.inplace2(self, other)

    def __isub__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.sub.inplace2(self, other)

    def __imul__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.mul.inplace2(self, other)

    def __itruediv__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.div.inplace2(self, other)

    def __ifloordiv__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.floordiv.inplace2(self, other)

    def __imod__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.mod.inplace2(self, other)

    def __ipow__(self, other):  # type: ignore[misc]
        if is_foreign(other):
            return NotImplemented
        return slots.pow.inplace2(self, other)

    def __iand__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.and_.inplace2(self, other)

    def __ior__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.or_.inplace2(self, other)

    def __ixor__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.xor.inplace2(self, other)

    def __ilshift__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.lshift.inplace2(self, other)

    def __irshift__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.rshift.inplace2(self, other)

    def __and__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.and_.call2(self, other)

    def __rand__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.and_.call2(self, other)

    def __or__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.or_.call2(self, other)

    def __ror__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.or_.call2(self, other)

    def __xor__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.xor.call2(self, other)

    def __rxor__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.xor.call2(self, other)

    def __lshift__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.lshift.call2(self, other)

    def __rlshift__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.lshift.rcall2(self, other)

    def __rshift__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.rshift.call2(self, other)

    def __rrshift__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.rshift.rcall2(self, other)

    def __neg__(self):
        return slots.neg.call1(self)

    def __pos__(self):
        return self

    def __abs__(self):
        return slots.abs.call1(self)

    def __invert__(self):
        return slots.invert.call1(self)

    def __eq__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.eq.call2(self, other)

    def __ne__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.ne.call2(self, other)

    def __lt__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.lt.call2(self, other)

    def __le__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.le.call2(self, other)

    def __gt__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.gt.call2(self, other)

    def __ge__(self, other):
        if is_foreign(other):
            return NotImplemented
        return slots.ge.call2(self, other)

    def __hash__(self):
        return id(self)

    def __getitem__(self, index):
        return slots.getitem(self, index)

    def __setitem__(self, index, value):
        slots.setitem(self, index, value)

    def __len__(self):
        if not self.meta.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.meta.shape[0]

    def __iter__(self):
        return slots.iter(self)

    def __contains__(self, element):
        return slots.contains(self, element)

    def __bool__(self):
        return bool(slots.bool(self, bool))

    def __int__(self):
        return int(slots.bool(self, int))

    def __float__(self):
        return float(slots.bool(self, float))

    def __complex__(self):
        return complex(slots.bool(self, complex))

    def __index__(self):
        return slots.bool(self, "index")

    def __repr__(self):
        return slots.repr(self)

    def __format__(self, spec):
        return slots.format(self, spec)

    def __array__(self, dtype=None, copy=None):
        return slots.array(self, dtype, copy)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return slots.ufunc(self, ufunc, method, inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        return slots.array_function(self, function, types, args, kwargs)

    def __reduce_ex__(self, protocol):
        return slots.reduce(self, protocol)

    def __deepcopy__(self, memo):
        return slots.deepcopy(self, memo)

    def conj(self):
        """The complex conjugate; a real tensor gives itself."""
        if self is None:
            raise TypeError("descriptor 'conj' for 'Tensor' objects doesn't apply to a 'NoneType' object")
        return self if self.meta.dtype.category < 3 else slots.conj.call1(self)

    @property
    def dtype(self):
        """The element type."""
        return self.meta.dtype

    @property
    def shape(self):
        """The torch.Size of the tensor."""
        m = self.meta
        if m.size is None:
            m.size = _size.of(m.shape)
        return m.size

    @property
    def device(self):
        """device('cpu'), or device('meta') for a tensor without data."""
        return meta_device if self.on_meta else cpu

    @property
    def grad_fn(self):
        """The node that made this tensor; None for a leaf."""
        return slots.regenerate(self) if self.autograd is not None and self.autograd.base is not None else self.node

    @property
    def creator(self):
        """The name `grad_fn` had in the first engine (read-only alias)."""
        return self.grad_fn

    @property
    def output_nr(self):
        """Which output of `grad_fn` this tensor is."""
        return self.output_number

    @property
    def is_leaf(self):
        """Whether no recorded call made this tensor."""
        return self.node is None


def wrap(array):
    """A tensor without history around a plain array; NumPy's scalars, which it makes of 0-d results, become arrays."""
    if type(array) is not ndarray:
        array = np.asarray(array)
    t = Tensor.__new__(Tensor)
    t.array = array
    t.meta = make_meta(array)
    t.node = None
    t.counter = None
    t.autograd = None
    t.needs_grad = False
    t.override = False
    t.weak = False
    t.on_meta = False
    t.output_number = 0
    return t


def wrap_like(array, like):
    """wrap, sharing `like`'s Meta where the array has its dtype and shape."""
    if type(array) is not ndarray:
        array = np.asarray(array)
    t = Tensor.__new__(Tensor)
    t.array = array
    t.meta = like.meta if alike(array, like.array) else make_meta(array)
    t.node = None
    t.counter = None
    t.autograd = None
    t.needs_grad = False
    t.override = False
    t.weak = False
    t.on_meta = False
    t.output_number = 0
    return t
