"""Ops that write element by element to chosen places of a tensor, in a copy or in place.

Writing whole slices, masks and index lists is putting.py.
"""

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, grads, op
from chainrule._engine.tensor import Tensor
from chainrule._kernels import indexing as kernels
from chainrule._kernels import scatter as kernels_scatter
from chainrule._kernels.casting import cast, to_compute
from chainrule._ops.foundation import zeros_like
from chainrule._ops.indexing import (
    as_numpy_index,
    as_places,
    at_dim,
    check_index,
    check_shapes,
    gather,
    index,
    index_tensors,
    slice_view,
)  # fmt: skip
from chainrule._ops.kinds import check_fits, check_tensor, normal_dim, raw_arrays, weak


class Into:
    """Elements written into the first argument: the kernel gets (array, …, out), writes to out or to a copy."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = True

    def __init__(self, fn, with_out=True):
        self.fn = fn
        self.with_out = with_out

    def forward(self, op, args):
        check_tensor(op, op.signature.names[0], args[0])
        return self.fn(*[raw_arrays(v) for v in args], out=None)

    def write(self, op, args, target):
        arrays = [raw_arrays(v) for v in args]
        for i in range(1, len(arrays)):
            if isinstance(arrays[i], np.ndarray) and np.may_share_memory(arrays[i], target.array):
                arrays[i] = arrays[i].copy()
        self.fn(*arrays, out=target.array)
        return ()


def _index_put(array, indices, values, accumulate, out):
    source, d = of_array(values), of_array(array)
    if source is not d:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{d.tensor_type.removesuffix('Tensor')} for the destination and "
            f"{source.tensor_type.removesuffix('Tensor')} "
            "for the source."
        )
    check_shapes(indices)
    try:
        if accumulate and d.is_half:
            wide = kernels.index_put(to_compute(array), as_numpy_index(indices), to_compute(values), True)
            return narrowed(wide, array, out)
        return kernels.index_put(array, as_numpy_index(indices), values, accumulate, out)
    except ValueError:
        found = np.broadcast_to(np.empty(()), array.shape)[as_numpy_index(indices)].shape
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing "
            "result of shape "
            f"{list(found)}"
        ) from None


put_at = op("index_put(input, indices, values, accumulate)", Into(_index_put, with_out=False),
    input=lambda g, indices, accumulate: g if accumulate else put_at(g, indices, zeros_like(g, ()), False),
    values=lambda g, indices: index(g, indices),
    method=False, namespace="_engine",
    doc="input with `values` at the places that the index tensors name, or added there.")  # fmt: skip


@composite()
def index_put(input, indices, values, accumulate=False):
    """The input with `values`, which broadcast, at input[indices], or added there at each mention of a place.

    indices: a tuple of index tensors and masks, one for each dimension from the first on."""
    return put_at(input, index_tensors(input.array.shape, indices), values, accumulate)


@composite()
def index_put_(input, indices, values, accumulate=False):
    """In-place form of `index_put`."""
    return put_at.op.inplace_function(input, index_tensors(input.array.shape, indices), values, accumulate)


def _scatter(array, dim, index, src, out):
    axis = check_index("scatter", array, dim, index, bound=False)
    _check_scatter("scatter", array, axis, index, src)
    return kernels_scatter.scatter(array, axis, as_places("scatter", index), src, out)


def _check_scatter(name, array, axis, index, src):
    """PyTorch's checks of what is scattered."""
    if src.dtype != array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return
    if src.ndim and max(src.ndim, 1) != max(array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    for k, n in enumerate(index.shape):
        if (k != axis and array.ndim and n > array.shape[k]) or (src.ndim and n > src.shape[k]):
            raise RuntimeError(
                f"Expected index {list(index.shape)} to be no larger than self {list(array.shape)} apart "
                "from dimension "
                f"{axis} and to be no larger size than src {list(src.shape)}"
            )


def _scatter_sum(array, dim, index, src, out):
    axis = check_index("scatter_add", array, dim, index, bound=False)
    _check_scatter("scatter_add", array, axis, index, src)
    return widened(kernels_scatter.scatter_add, array, axis, as_places("scatter_add", index), src, out=out)


def widened(kernel, array, axis, index, src, *rest, out):
    """A kernel that computes, on 16-bit floats too."""
    d = of_array(array)
    if not d.is_half:
        return kernel(array, axis, index, src, *rest, out=out)
    return narrowed(kernel(to_compute(array), axis, index, to_compute(src), *rest), array, out)


def narrowed(result, array, out):
    """A wide result in the array's own 16-bit dtype, in `out` if that is given."""
    result = cast(result, of_array(array))
    if out is None:
        return result
    out[...] = result
    return out


def part_like(g, index, src_shape, dim):
    """g at the places of an index, in the shape of a source that may be longer than the index."""
    found = gather(g, dim, index)
    if found.array.shape == src_shape:
        return found
    corner = tuple([slice(n) for n in index.array.shape])
    return placed(zeros_like(g, src_shape), found, (*corner, Ellipsis))


scatter_src = op("scatter(input, dim, index, src)", Into(_scatter),
    input=lambda g, dim, index: scatter_src(g, dim, index, zeros_like(g, ())),
    src=lambda g, dim, index, src_shape: part_like(g, index, src_shape, dim),
    doc="The input with `src` written along `dim` to where `index` says; the last of several writes "
        "stays.")  # fmt: skip

scatter_value = op("scatter(input, dim, index, value)", Into(_scatter), node="ScatterBackward1",
    input=lambda g, dim, index: scatter_src(g, dim, index, zeros_like(g, ())),
    value=lambda g, dim, index: gather(g, dim, index),
    doc="The input with one value written along `dim` to where `index` says.")  # fmt: skip

scatter_add = op("scatter_add(input, dim, index, src)", Into(_scatter_sum),
    input=lambda g: g,
    src=lambda g, dim, index, src_shape: part_like(g, index, src_shape, dim),
    doc="The input with `src` added along `dim` to where `index` says.")  # fmt: skip


def _scatter_any(input, dim, index, src, value, reduce, inplace, out=None):
    if src is None:
        src = value
    if not isinstance(src, Tensor):
        src = number(src, input)
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        if src.array.ndim == 0:
            src = src.expand(index.array.shape)
        if reduce == "add":
            return (scatter_add.op.inplace_function if inplace else scatter_add)(input, dim, index, src)
        return (scatter_reduced.op.inplace_function if inplace else scatter_reduced)(
            input, dim, index, src, "prod"
        )
    entry = scatter_value if src.array.ndim == 0 and input.array.ndim else scatter_src
    if inplace:
        return entry.op.inplace_function(input, dim, index, src)
    return entry(input, dim, index, src, out=out)


C_NAMES = {
    "float32": "float", "float64": "double", "float16": "at::Half", "bfloat16": "at::BFloat16",
    "int32": "int", "int64": "int64_t", "int16": "int16_t", "int8": "int8_t", "uint8": "uint8_t",
}  # fmt: skip


def number(value, like):
    """A Python number as a 0-d tensor of `like`'s dtype; RuntimeError if the dtype cannot hold it."""
    d = like.meta.dtype
    if d.category < 3 and isinstance(value, complex) and value.imag:
        raise overflow(d)
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise ValueError("Overflow when unpacking long long")
    try:
        if d.category < 2 and not isinstance(value, (int, np.integer)):
            value = bool(value) if d.category == 0 else int(value.real)
    except (OverflowError, ValueError):
        raise overflow(d) from None
    check_fits(value, d)
    return weak(value, d)


def overflow(d):
    """PyTorch's error for a number outside a dtype's range; it names the type as C++ does."""
    return RuntimeError(f"value cannot be converted to type {C_NAMES.get(d.name, d.name)} without overflow")


@composite()
def scatter(input, dim, index, src=None, *, value=None, reduce=None, out=None):
    """The input with `src`, a tensor or one value, written along `dim` to where `index` says.

    reduce: "add" or "multiply" combine what is written with what is there. Of several writes to one place the
    last stays."""
    return _scatter_any(input, dim, index, src, value, reduce, False, out)


@composite(namespace="Tensor")
def scatter_(self, dim, index, src=None, *, value=None, reduce=None):
    """In-place form of `scatter`."""
    return _scatter_any(self, dim, index, src, value, reduce, True)


def _scatter_reduce(array, dim, index, src, reduce, include_self, out):
    axis = check_index("scatter_reduce", array, dim, index, bound=False)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    _check_scatter("scatter_reduce", array, axis, index, src)
    return widened(
        kernels_scatter.scatter_reduce,
        array,
        axis,
        as_places("scatter_reduce", index),
        src,
        reduce,
        include_self,
        out=out,
    )


def _scatter_reduce_grads(g, input, dim, index, src, reduce, include_self, out, wants):
    """Each reduction's own way to share a place's gradient among the values that met there.

    amax, amin: equally among those that are the extreme. prod: each gets the product of the others."""
    if reduce == "sum":
        own, theirs = g, g
    elif reduce == "mean":
        counts = zeros_like(g) + 1 if include_self else zeros_like(g)
        counts = scatter_add(counts, dim, index, zeros_like(g, index.array.shape) + 1)
        own = theirs = g / counts.clamp(min=1)
    elif reduce == "prod":
        return _product_grads(g, input, dim, index, src, include_self, wants)
    else:
        mine = (input == out).to(g.meta.dtype)
        if not include_self:
            mine = scatter_src(mine, dim, index, zeros_like(g, ()))
        corner = src[tuple([slice(n) for n in index.array.shape])]
        hit = (corner == gather(out, dim, index)).to(g.meta.dtype)
        shared = g / scatter_add(mine, dim, index, hit).clamp(min=1)
        theirs = gather(shared, dim, index) * hit
        return (
            mine * shared if wants[0] else None,
            _enlarged(theirs, src.array.shape) if wants[1] else None,
        )
    if not include_self:
        own = scatter_src(own, dim, index, zeros_like(g, ()))
    return own if wants[0] else None, part_like(theirs, index, src.array.shape, dim) if wants[1] else None


def _enlarged(found, shape):
    """A gradient for the corner of a source that was read, with zeros for the rest."""
    if found.array.shape == shape:
        return found
    corner = tuple([slice(n) for n in found.array.shape])
    return placed(zeros_like(found, shape), found, (*corner, Ellipsis))


def _product_grads(g, input, dim, index, src, include_self, wants):
    """The derivative of a product is the product of its other factors, also where factors are zero."""
    corner = src[tuple([slice(n) for n in index.array.shape])]
    own_zero, zero = input == 0, corner == 0
    if not include_self:
        touched = zeros_like(g).scatter_add(dim, index, zeros_like(g, index.array.shape) + 1) > 0
        own_zero = own_zero & ~touched
        base = input.where(~touched, zeros_like(g) + 1)
    else:
        base = input
    full = scatter_reduced(base.masked_fill(own_zero, 1), dim, index, corner.masked_fill(zero, 1), "prod")
    zeros = scatter_add(own_zero.to(g.meta.dtype), dim, index, zero.to(g.meta.dtype))
    nothing = zeros_like(g, ())
    others = full.where((zeros - own_zero.to(g.meta.dtype)) == 0, nothing)
    own = g * (others / base.masked_fill(own_zero, 1))
    if not include_self:
        own = own.masked_fill(touched, 0)
    there = gather(full, dim, index).where((gather(zeros, dim, index) - zero.to(g.meta.dtype)) == 0, nothing)
    theirs = gather(g, dim, index) * (there / corner.masked_fill(zero, 1))
    return own if wants[0] else None, _enlarged(theirs, src.array.shape) if wants[1] else None


scatter_reduced = op("scatter_reduce(input, dim, index, src, reduce, include_self=True)",
    Into(_scatter_reduce), grads("input src", _scatter_reduce_grads), namespace="_engine", method=False,
    doc="The input reduced with `src` along `dim` where `index` says.")  # fmt: skip


@composite()
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
    """The input reduced ("sum", "prod", "mean", "amax", "amin") with `src` along `dim` where `index` says.

    Without `include_self` the input's own value plays no part where anything is written. Ties of amax and amin
    share the gradient equally."""
    return scatter_reduced(input, dim, index, src, reduce, include_self, out=out)


@composite(namespace="Tensor")
def scatter_reduce_(self, dim, index, src, reduce, *, include_self=True):
    """In-place form of `scatter_reduce`."""
    return scatter_reduced.op.inplace_function(self, dim, index, src, reduce, include_self)


# Into parts shown by a basic index.


def _placed(array, src, index, out):
    out = array.copy() if out is None else out
    part = out[index]
    if part.shape != src.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(part.shape)}"
        )
    part[...] = cast(src, of_array(array))
    return out


def place_rules():
    """The rules of writing `src` into a part: the input's gradient loses the part, which is `src`'s."""
    return {
        "input": lambda g, src_shape, index: placed(g, zeros_like(g, src_shape), index),
        "src": lambda g, index: slice_view(g, index),
    }


placed = op("slice_scatter(input, src, index)", Into(_placed, with_out=False), **place_rules(),
    method=False, namespace="_engine",
    doc="The input with `src` where a basic index looks.")  # fmt: skip

placed_slice = op("select_scatter(input, src, index)", Into(_placed, with_out=False), **place_rules(),
    method=False, namespace="_engine",
    doc="The same for a basic index that picks one slice.")  # fmt: skip


@composite()
def select_scatter(input, src, dim, index):
    """The input with `src` as its slice number `index` along `dim`."""
    d = normal_dim(dim, input.array.ndim)
    n = input.array.shape[d]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.array.shape)} at "
            f"dimension {d}"
        )
    return placed_slice(input, src, at_dim(d, index))


@composite()
def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """The input with `src` as its slices start:end:step along `dim`."""
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return placed(input, src, at_dim(normal_dim(dim, input.array.ndim), slice(start, end, step)))
