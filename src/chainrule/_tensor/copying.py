"""Copies of tensors: deepcopy, copy, and what is pickled."""

import copy
import copyreg

import numpy as np

from chainrule._core.dtype import named
from chainrule._engine import attributes, views
from chainrule._engine.native import install
from chainrule._engine.op import wants_grad
from chainrule._engine.tensor import Storage, Tensor, get_slots, need_autograd, wrap
from chainrule._tensor.meta import empty_meta_tensor
from chainrule._tensor.properties import stride
from chainrule._tensor.storage import look_into, memory_of
from chainrule._tensor.subclass import ask, asks, become

slots = get_slots()


def own_attributes(t):
    """The attributes that the program itself put on a tensor."""
    return attributes.dictionary(t)


def deepcopy(t, memo):
    """A leaf with a copy of the data, the gradient and the attributes; tensors that shared memory share it again.

    RuntimeError for a tensor that is a result within a graph."""
    if id(t) in memo:
        return memo[id(t)]
    if asks(t):
        return ask(Tensor.__deepcopy__, t, memo)
    if t.grad_fn is not None:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
    if t.on_meta:
        found = wrap(t.array)
        found.on_meta = True
    else:
        found = copied_look(t, memo)
    if type(t) is not Tensor:
        found = become(found, type(t))
    found.needs_grad = bool(wants_grad(t))
    if t.grad is not None:
        need_autograd(found).grad = copy.deepcopy(t.grad, memo)
    memo[id(t)] = found
    for name, value in own_attributes(t).items():
        setattr(found, name, copy.deepcopy(value, memo))
    return found


def copied_look(t, memo):
    """t's look at a copy of its memory; one copy for all tensors on the same storage."""
    if t.autograd is None or t.autograd.storage is None:
        return wrap(np.copy(t.array, order="K"))
    storage = t.autograd.storage
    key = id(storage)
    if key not in memo:
        memo[key] = Storage(memory_of(storage.owner).copy())
        memo.setdefault(id(memo), []).append(storage)
    return look_into(memo[key], t.meta.dtype, t.meta.shape, stride(t), views.storage_offset(t))


def reduce_storage(storage):
    """How a storage is pickled: once, however many of the pickle's tensors lie in it."""
    return (rebuild_storage, (memory_of(storage.owner),))


def rebuild_storage(array):
    """A storage around the elements that were pickled."""
    return Storage(array if array.flags.writeable else array.copy())


def rebuild_tensor(storage, name, offset, size, strides, requires_grad, cls=Tensor, state=None):
    """A tensor from a storage and its look at it: what an unpickled tensor is made by."""
    t = look_into(storage, named(name), size, strides, offset)
    return restored(t, requires_grad, cls, state)


def rebuild_meta(shape, name, requires_grad, cls=Tensor, state=None):
    """A meta tensor from its shape and dtype."""
    return restored(empty_meta_tensor(shape, named(name)), requires_grad, cls, state)


def restored(t, requires_grad, cls, state):
    """A tensor that comes back: given its class, its flag and its attributes."""
    if cls is not type(t):
        t = become(t, cls)
    t.needs_grad = requires_grad
    for key, value in (state or {}).items():
        setattr(t, key, value)
    return t


def reduce(t, protocol):
    """How a tensor is pickled: the storage it lies in, and where in it."""
    if type(t) is not Tensor and asks(t):
        return ask(Tensor.__reduce_ex__, t, protocol)
    own = dict(own_attributes(t))
    rest = (bool(wants_grad(t)), type(t), own)
    if t.on_meta:
        return (rebuild_meta, (tuple(t.meta.shape), t.meta.dtype.name, *rest))
    return (
        rebuild_tensor,
        (views.storage_of(t), t.meta.dtype.name, views.storage_offset(t), tuple(t.meta.shape), stride(t), *rest),
    )


def shallow(self):
    """copy.copy: another tensor on the same memory, a leaf with the same flags and attributes."""
    make, args = reduce(self, 4)
    return make(*args)


if "__dict__" not in vars(Tensor):
    # the compiled class has a lazy dictionary that Python does not know of
    install(Tensor, "__dict__", property(attributes.dictionary, doc="The program's own attributes."))
copyreg.pickle(Storage, reduce_storage)
install(Tensor, "__copy__", shallow)
slots.deepcopy = deepcopy
slots.reduce = reduce
