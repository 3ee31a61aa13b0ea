"""Ops that write slices, masked elements and single values into a tensor, in a copy or in place."""

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, op, wants_grad
from chainrule._engine.tensor import Tensor, bump_version, wrap
from chainrule._engine.thread_state import current
from chainrule._kernels import indexing as kernels
from chainrule._kernels.casting import cast, to_compute
from chainrule._ops.foundation import copy, zero, zeros_like
from chainrule._ops.indexing import as_places, index_select, masked_select, take
from chainrule._ops.kinds import normal_dim
from chainrule._ops.scatter import (
    Into,
    narrowed,
    number,
    scatter_reduce,
    scatter_reduced,
    widened,
)

zero_in_place = zero.op.inplace_function


def _check_slices(name, array, axis, index, source):
    """PyTorch's checks of slices that go where a vector of places says."""
    if index.ndim > 1:
        raise IndexError(f"{name}(): Index should have dimension 1 or 0 (got {index.ndim})")
    if source.dtype != array.dtype:
        raise RuntimeError(
            f"{name}(): self and source expected to have the same dtype, but got (self) {of_array(array)} "
            "and (source) "
            f"{of_array(source)}"
        )
    count = source.shape[axis] if source.ndim else 1
    if index.size != count:
        raise RuntimeError(
            f"{name}_(): Number of indices ({index.size}) should be equal to source.size(dim): ({count}), "
            f"for dim: {axis}"
        )
    if source.ndim and array.ndim and source.ndim != array.ndim:
        raise RuntimeError(
            f"{name}(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({array.ndim})"
        )
    for k, (m, n) in enumerate(zip(source.shape, array.shape, strict=False)):
        if k != axis and m != n:
            raise RuntimeError(
                f"{name}(): source and destination slices must have the same shape: source "
                f"{list(source.shape)}, "
                f"destination {list(array.shape)}, dim {axis}"
            )


def _index_add(array, dim, index, source, alpha, out):
    axis = normal_dim(dim, array.ndim)
    _check_slices("index_add", array, axis, index, source)
    if alpha != 1:
        if isinstance(alpha, float) and source.dtype.kind in "iu" and of_array(source).category < 2:
            raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
        wide = to_compute(source)
        source = cast(wide * np.asarray(alpha).astype(wide.dtype), of_array(source))
    return widened(kernels.index_add, array, axis, as_places("index_add", index), source, out=out)


index_add = op("index_add(input, dim, index, source, *, alpha=1)", Into(_index_add),
    input=lambda g: g,
    source=lambda g, dim, index, source_shape, alpha: _slices(g, dim, index, source_shape, alpha),
    doc="The input with slices of `source` (times alpha) added to the slices along `dim` that `index` "
        "names.")  # fmt: skip


def _slices(g, dim, index, shape, alpha=1):
    """g's slices as the gradient of a source of this shape, which may be 0-d."""
    found = index_select(g, dim, index)
    if found.array.shape != shape:
        found = found.reshape(shape)
    return found if alpha == 1 else found * alpha


def _index_copy(array, dim, index, source, out):
    axis = normal_dim(dim, array.ndim)
    _check_slices("index_copy", array, axis, index, source)
    return kernels.index_copy(array, axis, as_places("index_copy", index), source, out)


index_copy = op("index_copy(input, dim, index, source)", Into(_index_copy),
    input=lambda g, dim, index: fill_slices(g, dim, index, zeros_like(g, ())),
    source=lambda g, dim, index, source_shape: _slices(g, dim, index, source_shape),
    doc="The input with the slices that `index` names along `dim` replaced by those of `source`.")  # fmt: skip


def _index_fill(array, dim, index, value, out):
    if index.ndim > 1:
        raise IndexError("index_fill_(): Index is supposed to be a vector")
    axis = normal_dim(dim, array.ndim)
    return kernels.index_fill(array, axis, as_places("index_fill", index), value, out)


def distinct(index, shape, dim):
    """Each place of an index tensor once, however often and from whichever end it is named."""
    size = shape[normal_dim(dim, len(shape))] if shape else 1
    return wrap(np.unique(index.array.astype(np.int64) % max(size, 1)))


fill_slices = op("index_fill(input, dim, index, value)", Into(_index_fill, with_out=False),
    input=lambda g, dim, index: fill_slices(g, dim, index, zeros_like(g, ())),
    value=lambda g, dim, index: index_select(g, dim, distinct(index, g.array.shape, dim)),
    namespace="_engine", method=False,
    doc="The input with slices filled with one value.")  # fmt: skip


def one_value(name, value, like):
    """A number or a 0-d tensor as a 0-d tensor of `like`'s dtype."""
    if not isinstance(value, Tensor):
        return number(value, like)
    if value.array.ndim:
        raise RuntimeError(
            f"{name} only supports a 0-dimensional value tensor, but got tensor with {value.array.ndim} "
            "dimension(s)."
        )
    return value.to(like.meta.dtype)


@composite()
def index_fill(input, dim, index, value):
    """The input with the slices that `index` names (from the end if negative) filled with one value."""
    return fill_slices(input, dim, index, one_value("index_fill_", value, input))


@composite(namespace="Tensor")
def index_fill_(self, dim, index, value):
    """In-place form of `index_fill`."""
    return fill_slices.op.inplace_function(self, dim, index, one_value("index_fill_", value, self))


def _wide_index(input, dim, index, source):
    """A vector of places in the shape of the source whose slices go there."""
    d = normal_dim(dim, input.array.ndim)
    if index.array.ndim > 1:
        raise IndexError(f"index_reduce(): Index should have dimension 1 or 0 (got {index.array.ndim})")
    shape = source.array.shape
    lead = (1,) * d
    return (
        index.reshape((*lead, -1, *(1,) * (len(shape) - d - 1))).expand(shape) if shape else index.reshape(())
    )


@composite()
def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
    """The slices reduced ("prod", "mean", "amax", "amin") with those of `source` that `index` sends there."""
    return scatter_reduce(
        input, dim, _wide_index(input, dim, index, source), source, reduce, include_self=include_self, out=out
    )


@composite(namespace="Tensor")
def index_reduce_(self, dim, index, source, reduce, *, include_self=True):
    """In-place form of `index_reduce`."""
    index = _wide_index(self, dim, index, source)
    return scatter_reduced.op.inplace_function(self, dim, index, source, reduce, include_self)


def _put(array, index, source, accumulate, out):
    if index.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {of_array(index).tensor_type}")
    if index.size != source.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )
    if source.dtype != array.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{of_array(array)} and "
            f"source.dtype = {of_array(source)}"
        )
    if accumulate and of_array(array).is_half:
        return narrowed(kernels.put(to_compute(array), index, to_compute(source), True), array, out)
    return kernels.put(array, index, source, accumulate, out)


put = op("put(input, index, source, accumulate=False)", Into(_put, with_out=False),
    input=lambda g, index, accumulate: g if accumulate else put(g, index, zeros_like(g, index.array.shape)),
    source=lambda g, index, source_shape: take(g, index).reshape(source_shape),
    doc="The input with the elements of `source` at the places of `index`, counted in order over all "
        "dimensions.")  # fmt: skip


def _masked_scatter(array, mask, source, out):
    if mask.dtype != np.bool_:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {of_array(mask)}"
        )
    if source.dtype != array.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got {of_array(array)} and "
            f"{of_array(source)}"
        )
    if out is None:
        array = np.array(np.broadcast_to(array, np.broadcast_shapes(array.shape, mask.shape)), order="C")
    return kernels.masked_scatter(array, mask, source, array if out is None else out)


masked_scatter = op("masked_scatter(input, mask, source)", Into(_masked_scatter, with_out=False),
    input=lambda g, mask: g.masked_fill(mask, 0),
    source=lambda g, mask, source_shape: _read_in_order(g, mask, source_shape),
    doc="The input with its elements where `mask` is true replaced by those of `source`, in order.")  # fmt: skip


def _read_in_order(g, mask, shape):
    """The masked elements of g as the gradient of the source they came from, zeros for what was not used."""
    found = masked_select(g, mask)
    count = int(np.prod(shape, dtype=np.int64))
    if found.array.size != count:
        rest = zeros_like(g, (count,))
        rest[: found.array.size] = found
        found = rest
    return found.reshape(shape)


filled = op("fill(input, value)", copy.op.kind, node="FillBackward0", namespace="_engine", method=False,
    input=lambda g: zeros_like(g),
    value=lambda g: g,
    doc="One value in the shape of the input.")  # fmt: skip


def _fill_value(input, value):
    if isinstance(value, Tensor) and value.array.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.array.ndim} dimensions."
        )
    return one_value("fill_", value, input)


@composite()
def fill(input, value):
    """A number (or 0-d tensor) in the shape and dtype of the input."""
    return filled(input, _fill_value(input, value))


@composite()
def fill_(input, value):
    """Fill the tensor with a number (or 0-d tensor) in place."""
    value = _fill_value(input, value)
    s = current()
    if (
        s.special
        or input.override
        or input.on_meta
        or (s.grad_enabled and (wants_grad(input) or wants_grad(value)))
    ):
        return filled.op.inplace_function(input, value)
    # one value goes everywhere, so it does not matter if the tensor shows a cell of memory several times
    input.array[...] = value.array
    bump_version(input)
    return input


@composite()
def zero_(input):
    """Fill the tensor with zeros in place."""
    if current().grad_enabled and wants_grad(input):
        return zero_in_place(input)
    return fill_(input, 0)
