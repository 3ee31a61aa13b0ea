"""Views given by strides (as_strided, unfold), and changes in place of a tensor's own shape and memory."""

import math

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op, wants_grad
from chainrule._engine.tensor import Tensor, bump_version, make_meta, need_autograd, need_version, wrap
from chainrule._engine.thread_state import current
from chainrule._engine.views import check_history, storage_of
from chainrule._engine.views import storage_offset as offset_of
from chainrule._kernels.casting import cast, to_compute
from chainrule._kernels.strided import strided
from chainrule._ops.foundation import extent, part_of
from chainrule._ops.kinds import Gather, View, normal_dim
from chainrule._ops.shape import sizes_of, squeeze, transpose, unsqueeze
from chainrule._ops.shape import t as transpose_matrix


def storage_size(tensor):
    """How many elements the tensor's storage holds."""
    owner = storage_of(tensor).owner
    item = owner.itemsize
    return extent(owner.shape, tuple([s // item for s in owner.strides])) * item // tensor.array.itemsize


@composite()
def as_strided(input, size, stride, storage_offset=None):
    """The view of the storage with this size, stride and offset, all in elements; it may overlap itself."""
    size, stride = sizes_of("as_strided", (size,), "size"), sizes_of("as_strided", (stride,), "stride")
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
        )
    own = offset_of(input)
    offset = own if storage_offset is None else storage_offset.__index__()
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    needed, item = offset + extent(size, stride), input.array.itemsize
    held = storage_size(input)
    if 0 not in size and needed > held:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{item} "
            f"requiring a storage size of {needed * item} are out of bounds for storage of size {held * item}"
        )
    return part_of(input, size, stride, offset - own)


def _unfolded(array, dim, size, step):
    axis = normal_dim(dim, array.ndim)
    n = array.shape[axis] if array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if array.ndim == 0:
        return strided(array, (size,), (array.itemsize,), 0)
    shape, strides = list(array.shape), list(array.strides)
    shape.append(size)
    strides.append(strides[axis])
    shape[axis] = (n - size) // step + 1
    strides[axis] *= step
    return strided(array, tuple(shape), tuple(strides), 0)


def _folded(array, shape, dim, size, step):
    wide = to_compute(array)
    out = np.zeros(shape, wide.dtype)
    if not shape:
        out += wide.sum()
    else:
        axis = normal_dim(dim, len(shape))
        count = wide.shape[axis]
        lead = (slice(None),) * axis
        for k in range(size):
            out[(*lead, slice(k, k + (count - 1) * step + 1, step))] += wide[..., k]
    return cast(out, of_array(array))


unfold = op("unfold(input, dimension, size, step)", View(_unfolded), namespace="Tensor",
    input=lambda g, input_shape, dimension, size, step: fold_back(g, input_shape, dimension, size, step),
    doc="Windows of `size` along a dimension, one every `step`, as a new last dimension.")  # fmt: skip

fold_back = op("fold_back(input, shape, dimension, size, step)", Gather(_folded, with_out=False),
    input=lambda g, dimension, size, step: unfold(g, dimension, size, step),
    method=False, namespace="_engine", node="UnfoldBackwardBackward0",
    doc="Windows added into the places they show.")  # fmt: skip


# Changes of shape in place: the tensor takes over the array and the history of a view of itself.


def stand_in(tensor):
    """A tensor with the same memory and history, for a tensor about to change."""
    old = wrap(tensor.array)
    old.node, old.output_number = tensor.node, tensor.output_number
    old.needs_grad, old.counter, old.autograd = tensor.needs_grad, need_version(tensor), tensor.autograd
    return old


def become(tensor, view_of):
    """Make `tensor` what `view_of` shows of it. The leaf rule is that of every in-place change."""
    if current().grad_enabled and wants_grad(tensor):
        check_history(tensor)
    out = view_of(stand_in(tensor))
    tensor.array, tensor.meta = out.array, out.meta
    if out.node is not None:
        tensor.node, tensor.output_number = out.node, out.output_number
    bump_version(tensor)
    if tensor.autograd is not None and out.node is not None:
        tensor.autograd.view_version = tensor.counter.n
    return tensor


@composite(namespace="Tensor", aliases=["swapaxes_", "swapdims_"])
def transpose_(self, dim0, dim1):
    """Two dimensions exchanged, in place."""
    return become(self, lambda old: transpose(old, dim0, dim1))


@composite(namespace="Tensor")
def t_(self):
    """A matrix transposed in place."""
    return become(self, transpose_matrix)


@composite(namespace="Tensor")
def unsqueeze_(self, dim):
    """A new dimension of size 1, in place."""
    return become(self, lambda old: unsqueeze(old, dim))


@composite(namespace="Tensor")
def squeeze_(self, dim=None):
    """Dimensions of size 1 dropped, in place."""
    return become(self, lambda old: squeeze(old, dim))


@composite()
def as_strided_(self, size, stride, storage_offset=None):
    """as_strided in place."""
    return become(self, lambda old: as_strided(old, size, stride, storage_offset))


# Memory given, taken and resized.


def check_resizable(tensor):
    if tensor.needs_grad:
        raise RuntimeError("cannot resize variables that require grad")


@composite(namespace="Tensor")
def resize_(self, *sizes, size=None, memory_format=None):
    """Another shape, contiguous, in place: a storage large enough is kept; new elements are zero."""
    check_resizable(self)
    size = sizes_of("resize_", sizes, "size", size)
    if any(n < 0 for n in size):
        raise RuntimeError(f"resize_: expected sizes of at least 0, got {list(size)}")
    if size == self.array.shape:
        return self
    item, count = self.array.itemsize, math.prod(size)
    storage, offset = storage_of(self), offset_of(self)
    held = storage_size(self)
    if offset + count > held:
        grown = np.zeros(offset + count, self.array.dtype)
        grown[:held] = strided(storage.owner, (held,), (item,), 0)
        storage.owner = grown
    strides, step = [], item
    for n in reversed(size):
        strides.append(step)
        step *= max(n, 1)
    self.array = strided(storage.owner, size, tuple(reversed(strides)), offset * item)
    self.meta = make_meta(self.array)
    return self


@composite()
def resize_as_(self, other, memory_format=None):
    """`resize_` to the shape of `other`."""
    return resize_(self, other.array.shape)


@composite(namespace="Tensor")
def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Stand on the memory of the tensor `source` from now on, with its shape or the one given."""
    if self.needs_grad and current().grad_enabled and self.node is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if source is None:
        source = wrap(np.empty(0, self.array.dtype))
    elif not isinstance(source, Tensor):
        raise TypeError(f"set_(): argument 'source' must be Tensor, not {type(source).__name__}")
    if source.meta.dtype is not self.meta.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {source.meta.dtype} to a tensor of type {self.meta.dtype}"
        )
    array = source.array
    if size is not None:
        if stride is None:
            stride = tuple([math.prod(size[i + 1 :]) for i in range(len(size))])
        array = as_strided(source.detach(), size, stride, storage_offset).array
    self.array = array
    self.meta = make_meta(array)
    need_autograd(self).storage = storage_of(source)
    bump_version(self)
    return self
