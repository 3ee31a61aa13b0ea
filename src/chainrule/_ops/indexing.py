"""Ops that pick elements: by ints and slices (views), by index tensors and masks (copies).

What `x[...]` means is worked out in `_tensor/indexing.py`; the entries here are what it comes to. Writing to places is
scatter.py.
"""

import numpy as np

from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor
from chainrule._kernels import indexing as kernels
from chainrule._kernels.lookup import index_select as select_slices, wrapped
from chainrule._ops.kinds import Gather, View, check_tensor, normal_dim

# A basic index is a tuple of ints, slices and Nones that ends in Ellipsis: NumPy then always answers with a view.


def look(array, index):
    """The view that a basic index shows."""
    return array[index]


def _spread(array, shape, index):
    out = np.zeros(shape, array.dtype)
    out[index] = array
    return out


def spread_back(g, input_shape, index):
    """The gradient of a basic index: zeros with g where the index looks."""
    return spread(g, input_shape, index)


select_view = op("select_view(input, index)", View(look), input=spread_back,
    method=False, namespace="_engine", node="SelectBackward0",
    doc="A basic index whose last step picks one slice.")  # fmt: skip

slice_view = op("slice_view(input, index)", View(look), input=spread_back,
    method=False, namespace="_engine", node="SliceBackward0",
    doc="A basic index whose last step is a slice.")  # fmt: skip

unsqueeze_view = op("unsqueeze_view(input, index)", View(look), input=spread_back,
    method=False, namespace="_engine", node="UnsqueezeBackward0",
    doc="A basic index whose last step adds a dimension.")  # fmt: skip

alias_view = op("alias_view(input, index)", View(look), input=spread_back,
    method=False, namespace="_engine", node="AliasBackward0",
    doc="A basic index that shows everything.")  # fmt: skip

spread = op("spread(input, shape, index)", Gather(_spread, with_out=False),
    input=lambda g, index: slice_view(g, index),
    method=False, namespace="_engine", node="SliceBackwardBackward0",
    doc="Zeros of `shape` with the input where a basic index looks.")  # fmt: skip


def at_dim(dim, part):
    """The basic index that applies `part` to dimension `dim`."""
    return (*(slice(None),) * dim, part, Ellipsis)


@composite()
def select(input, dim, index):
    """The slice number `index` along `dim`, a view without that dimension. IndexError if there is none."""
    check_named("select", input)
    shape = input.array.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d, i = normal_dim(dim, len(shape)), index.__index__()
    if not -shape[d] <= i < shape[d]:
        raise IndexError(
            f"select(): index {i} out of range for tensor of size {list(shape)} at dimension {d}"
        )
    return select_view(input, at_dim(d, i))


def check_named(name, value, argument="input"):
    """TypeError unless the argument of the composite `name` is a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' must be Tensor, not {type(value).__name__}")


@composite()
def narrow(input, dim, start, length):
    """`length` slices along `dim` from `start` on, a view."""
    check_named("narrow", input)
    shape = input.array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    d = normal_dim(dim, len(shape))
    start = int(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -shape[d] <= start <= shape[d]:
        raise IndexError(
            f"start out of range (expected to be in range of [{-shape[d]}, {shape[d]}], but got {start})"
        )
    start = start + shape[d] if start < 0 else start
    if start + length > shape[d]:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({shape[d]}).")
    return slice_view(input, at_dim(d, slice(start, start + length)))


# Index tensors: a list with, for each dimension, an index array or None for the whole of it.


def as_numpy_index(indices):
    """The list of index arrays as NumPy takes it."""
    return tuple([slice(None) if i is None else i for i in indices])


def _indexed(array, indices):
    places = [k for k, i in enumerate(indices) if i is not None]
    if len(places) == 1 and indices[places[0]].dtype == np.int64:
        axis, index = places[0], indices[places[0]]
        found = select_slices(array, axis, wrapped(index, array.shape[axis], 0).reshape(-1))
        return found if index.ndim == 1 else found.reshape(array.shape[:axis] + index.shape + array.shape[axis + 1 :])
    with kernels.indexing_errors():
        try:
            found = array[as_numpy_index(indices)]
        except IndexError as error:
            if "broadcast" not in str(error):
                raise
            shapes = ", ".join(str(list(i.shape)) for i in indices if i is not None)
            raise IndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
            ) from None
    return found if found.flags.c_contiguous else np.ascontiguousarray(found)


index = op("index(input, indices)", Gather(_indexed, with_out=False),
    input=lambda g, input_shape, indices: index_back(g, input_shape, indices),
    method=False, namespace="_engine",
    doc="input[indices] for a list with an index tensor or None for each dimension.")  # fmt: skip

index_back = op("index_back(input, shape, indices)",
    Gather(lambda g, shape, indices: kernels.index_grad(g, as_numpy_index(indices), shape), with_out=False),
    input=lambda g, indices: index(g, indices),
    method=False, namespace="_engine", node="IndexBackwardBackward0",
    doc="Zeros of `shape` with the input added where index tensors point.")  # fmt: skip
