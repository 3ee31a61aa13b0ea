"""Ops that pick elements: by ints and slices (views), by index tensors and masks (copies).

What `x[...]` means is worked out in `_tensor/indexing.py`; the entries here are what it comes to. Writing to places
is scatter.py and putting.py.
"""

import numpy as np

from chainrule._core.dtype import int64, of_array, uint8
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels import indexing as kernels
from chainrule._kernels.casting import cast, to_compute
from chainrule._kernels.lookup import index_select as select_slices
from chainrule._kernels.lookup import wrapped
from chainrule._kernels.scatter import scatter_add
from chainrule._kernels.strided import strided
from chainrule._ops.kinds import Gather, View, normal_dim

# A basic index is a tuple of ints, slices and Nones that ends in Ellipsis: NumPy then always answers with a
# view.


def look(array, index):
    """The view that a basic index shows."""
    found = array[index]
    return with_steps(found) if None in index else found


def with_steps(array):
    """The view with the strides that PyTorch gives new dimensions of size 1, where NumPy has 0."""
    strides, step = list(array.strides), array.itemsize
    for d in range(array.ndim - 1, -1, -1):
        if strides[d] == 0 and array.shape[d] == 1:
            strides[d] = step
        step = strides[d] * array.shape[d]
    return strided(array, array.shape, tuple(strides), 0)


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


def mask_places(mask, shape, at):
    """Where a mask over the dimensions from `at` on is true: one index tensor for each of its dimensions."""
    for k, n in enumerate(mask.shape):
        if at + k >= len(shape):
            raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
        if shape[at + k] != n:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {k} does not match the shape of the "
                "indexed tensor "
                f"{list(shape)} at index {at + k}"
            )
    return [wrap(places) for places in mask.nonzero()]


def place_tensor(t):
    """An index tensor in int64; IndexError for a dtype that does not index."""
    d = t.meta.dtype
    if d is int64:
        return t
    if d.category != 1:
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return wrap(t.array.astype(np.int64))


def index_tensors(shape, indices):
    """Index tensors, masks and Nones as a list with an index tensor or None for each dimension."""
    found = []
    for i in indices:
        if i is None:
            found.append(None)
        elif i.meta.dtype.category == 0 or i.meta.dtype is uint8:
            found.extend(mask_places(i.array, shape, len(found)))
        else:
            found.append(place_tensor(i))
    if len(found) > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {len(found)})")
    return found


def as_numpy_index(indices):
    """The list of index arrays as NumPy takes it."""
    return tuple([slice(None) if i is None else i for i in indices])


def check_shapes(indices):
    """IndexError unless the index arrays broadcast together."""
    shapes = [i.shape for i in indices if i is not None]
    if any(shape != shapes[0] for shape in shapes):
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            listed = ", ".join([str(list(shape)) for shape in shapes])
            raise IndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}"
            ) from None


def _indexed(array, indices):
    places = [0] if len(indices) == 1 else [k for k, i in enumerate(indices) if i is not None]
    if len(places) == 1 and indices[places[0]].dtype == np.int64:
        axis, index = places[0], indices[places[0]]
        found = select_slices(array, axis, wrapped(index, array.shape[axis], 0).reshape(-1))
        return (
            found
            if index.ndim == 1
            else found.reshape(array.shape[:axis] + index.shape + array.shape[axis + 1 :])
        )
    check_shapes(indices)
    with kernels.indexing_errors():
        found = array[as_numpy_index(indices)]
    return found if found.flags.c_contiguous else np.ascontiguousarray(found)


index = op("index(input, indices)", Gather(_indexed, with_out=False),
    input=lambda g, input_shape, indices: index_back(g, input_shape, indices),
    method=False, namespace="_engine",
    doc="input[indices] for a list with an index tensor or None for each dimension.")  # fmt: skip


def _index_back(array, shape, indices):
    return cast(kernels.index_grad(to_compute(array), as_numpy_index(indices), shape), of_array(array))


index_back = op("index_back(input, shape, indices)", Gather(_index_back, with_out=False),
    input=lambda g, indices: index(g, indices),
    method=False, namespace="_engine", node="IndexBackwardBackward0",
    doc="Zeros of `shape` with the input added where index tensors point.")  # fmt: skip


def as_places(op_name, index):
    """An index array in int64; the error PyTorch gives for other dtypes."""
    if index.dtype.kind not in "iu" or index.dtype.itemsize < 4:
        raise RuntimeError(f"{op_name}(): Expected dtype int32 or int64 for index")
    return index if index.dtype == np.int64 else index.astype(np.int64)


def _index_select(array, dim, index):
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    return select_slices(array, normal_dim(dim, array.ndim), as_places("index_select", index))


index_select = op("index_select(input, dim, index)", Gather(_index_select),
    input=lambda g, input_shape, dim, index: slices_back(g, input_shape, dim, index),
    doc="The slices along `dim` that a vector of places names.")  # fmt: skip


def _slices_back(array, shape, dim, index):
    wide = to_compute(array)
    out = np.zeros(shape, wide.dtype)
    kernels.index_add(out, normal_dim(dim, len(shape)), as_places("index_add", index), wide, out)
    return cast(out, of_array(array))


slices_back = op("slices_back(input, shape, dim, index)", Gather(_slices_back, with_out=False),
    input=lambda g, dim, index: index_select(g, dim, index),
    method=False, namespace="_engine", node="IndexAddBackward0",
    doc="Zeros of `shape` with slices added where a vector of places points.")  # fmt: skip


def check_index(name, array, dim, index, bound=True):
    """The dim as an axis, after PyTorch's checks of an index tensor that goes with `array`."""
    axis = normal_dim(dim, array.ndim)
    if index.size and (index.dtype.kind not in "iu" or index.dtype.itemsize < 4):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if index.size and max(index.ndim, 1) != max(array.ndim, 1):
        word = "input" if name == "gather" else "self"
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {word} tensor")
    if bound and index.size and array.ndim:
        for k, n in enumerate(index.shape):
            if k != axis and n > array.shape[k]:
                raise RuntimeError(
                    f"Size does not match at dimension {k} expected index {list(index.shape)} to be no "
                    "larger than self "
                    f"{list(array.shape)} apart from dimension {axis}"
                )
    return axis


def _gather(array, dim, index, sparse_grad):
    axis = check_index("gather", array, dim, index)
    if not index.size:
        return np.empty(index.shape, array.dtype)
    return kernels.gather(array, axis, as_places("gather", index))


gather = op("gather(input, dim, index, *, sparse_grad=False)", Gather(_gather),
    input=lambda g, input_shape, dim, index: gather_back(g, input_shape, dim, index),
    doc="For each place of `index` the input's element there, with `dim` taken from the index.")  # fmt: skip


def _gather_back(array, shape, dim, index):
    wide = to_compute(array)
    out = np.zeros(shape, wide.dtype)
    if index.size:
        scatter_add(out, normal_dim(dim, len(shape)), as_places("scatter_add", index), wide, out)
    return cast(out, of_array(array))


gather_back = op("gather_back(input, shape, dim, index)", Gather(_gather_back, with_out=False),
    input=lambda g, dim, index: gather(g, dim, index),
    method=False, namespace="_engine", node="ScatterAddBackward0",
    doc="Zeros of `shape` with elements added where an index points.")  # fmt: skip


def _from_the_end(index, size, dim):
    """An index tensor with its negative places counted from the end."""
    if index.array.dtype != np.int64:
        return index
    places = wrapped(index.array, size, dim)
    return index if places is index.array else wrap(places)


@composite()
def take_along_dim(input, indices, dim=None, *, out=None):
    """`gather` with the other dimensions of both broadcast; without `dim` from the elements in order."""
    if dim is None:
        return gather(input.reshape(-1), 0, _from_the_end(indices.reshape(-1), input.array.size, 0), out=out)
    if input.array.ndim != indices.array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.array.ndim} dimensions for input, and {indices.array.ndim} dimensions for indices"
        )
    d = normal_dim(dim, input.array.ndim)
    indices = _from_the_end(indices, input.array.shape[d], d)
    a, b = list(input.array.shape), list(indices.array.shape)
    shape = [max(m, n) if m and n else 0 for m, n in zip(a, b, strict=True)]
    wanted, places = list(shape), list(shape)
    wanted[d], places[d] = a[d], b[d]
    return gather(input.expand(tuple(wanted)), d, indices.expand(tuple(places)), out=out)


def short_name(d):
    """A dtype as PyTorch's older messages name it: 'Float', 'Long'."""
    return d.tensor_type.removesuffix("Tensor")


def _take(array, index):
    if index.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {short_name(of_array(index))}")
    return kernels.take(array, index)


take = op("take(input, index)", Gather(_take),
    input=lambda g, input_shape, index: take_back(g, input_shape, index),
    doc="The elements at the places of `index`, counted in order over all dimensions.")  # fmt: skip


def _take_back(array, shape, index):
    wide = to_compute(array)
    out = np.zeros(shape, wide.dtype)
    return cast(kernels.put(out, index, wide, True, out), of_array(array))


take_back = op("take_back(input, shape, index)", Gather(_take_back, with_out=False),
    input=lambda g, index: take(g, index),
    method=False, namespace="_engine", node="PutBackward0",
    doc="Zeros of `shape` with elements added at places counted in order.")  # fmt: skip


def _masked_select(array, mask):
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    try:
        return kernels.masked_select(array, mask)
    except ValueError:
        raise RuntimeError(
            f"masked_select: the shape of input {list(array.shape)} and the shape of mask "
            f"{list(mask.shape)} must be "
            "broadcastable"
        ) from None


def joint_shape(a, b):
    """The shape that two shapes broadcast to."""
    return tuple(np.broadcast_shapes(a, b))


masked_select = op("masked_select(input, mask)", Gather(_masked_select),
    input=lambda g, input_shape, mask: masked_spread(g, joint_shape(input_shape, mask.array.shape), mask),
    doc="The elements where `mask` is true, in order, in one dimension; the two broadcast.")  # fmt: skip


def _masked_spread(array, shape, mask):
    out = np.zeros(shape, array.dtype)
    out[np.broadcast_to(mask, shape)] = array
    return out


masked_spread = op("masked_spread(input, shape, mask)", Gather(_masked_spread, with_out=False),
    input=lambda g, mask: masked_select(g, mask),
    method=False, namespace="_engine", node="MaskedScatterBackward0",
    doc="Zeros of `shape` with the input's elements, in order, where the mask is true.")  # fmt: skip


@composite(method=False)
def unravel_index(indices, shape):
    """The places with these numbers in a tensor of `shape`: a tuple with one tensor for each dimension."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if indices.meta.dtype.category != 1:
        raise TypeError("expected 'indices' to be integer dtype, but got " + str(indices.meta.dtype))
    left, found = indices.array.astype(np.int64), []
    for n in reversed(shape):
        found.append(wrap(np.array(left % n)))
        left = left // n
    return tuple(reversed(found))
