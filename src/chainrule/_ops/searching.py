"""Where something is: extremes with their places, nonzero elements, bins, membership.

Folds without places are in reduction.py, everything that sorts in sorting.py.
"""

import builtins
import math

import numpy as np

from chainrule import return_types
from chainrule._core.dtype import int32, of_array
from chainrule._engine.op import composite, op
from chainrule._engine.refusal import by_numpy_names
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels import binning, extrema
from chainrule._kernels.loops import Ufunc
from chainrule._ops.foundation import copy_out
from chainrule._ops.indexing import gather_back
from chainrule._ops.kinds import Along, Opaque, Reduction, is_number, normal_dim
from chainrule._ops.selection import maximum, minimum

largest, smallest = Ufunc(np.maximum), Ufunc(np.minimum)


def kind_of(array):
    """The name of an array's element type as PyTorch's messages have it: Float, Long, …"""
    return of_array(array).tensor_type.removesuffix("Tensor")


def unsupported(name, array):
    return NotImplementedError(f"\"{name}\" not implemented for '{kind_of(array)}'")


def check_not_empty(name, array, axis):
    if array.ndim and not array.shape[axis]:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


def to_its_place(g0, out1, input_shape, dim, keepdim):
    """The rule of every op whose values are elements of its input at known places, one a line."""
    if input_shape and not keepdim:
        g0, out1 = g0.unsqueeze(dim), out1.unsqueeze(dim)
    return gather_back(g0, input_shape, dim, out1)


def folded_extreme(fold, name):
    """The kernel of a full maximum or minimum, and of those over several dimensions."""

    def extreme(array, axes, keepdims):
        if array.dtype.kind == "c":
            raise unsupported(f"{name}_all", array)
        if not array.size:
            if len(axes) == array.ndim:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                    "dim with the 'dim' argument."
                )
            for axis in axes:
                check_not_empty(name, array, axis)
        return fold.reduce(array, axes, keepdims)

    return extreme


def ties(g, input, out, input_shape):
    """An equal share for every element that equals the extreme (or is nan with it)."""
    return shared(g, input, out, tuple(range(len(input_shape))), True)


def shared(g, input, out, dim, keepdim):
    """g over the elements of each fold that equal its extreme `out`, in equal shares."""
    if not keepdim:
        shape = [1 if i in dim else n for i, n in enumerate(input.shape)]
        g, out = g.reshape(shape), out.reshape(shape)
    hit = (input == out) | ((input != input) & (out != out))
    return hit * (g / hit.sum(dim, keepdim=True))


def shared_array(g, input, out, dim, keepdim):
    if not keepdim:
        shape = [1 if i in dim else n for i, n in enumerate(input.shape)]
        g, out = g.reshape(shape), out.reshape(shape)
    return extrema.ties_grad(g, input, out, dim if input.ndim else ())


def ties_array(g, input, out, input_shape):
    return extrema.ties_grad(g, input, out, tuple(range(len(input_shape))))


def along(find, name):
    """The kernel of an extreme along one dimension, with its places."""

    def extreme(array, axis, keepdims):
        if array.dtype.kind == "c":
            raise RuntimeError(f"{name}(): does not support complex input")
        check_not_empty(name, array, axis)
        return find(array, axis, keepdims)

    return extreme


max_all = op("max(input)", Reduction(folded_extreme(largest, "max"), with_out=False),
    input=ties, fast=ties_array, node="MaxBackward1",
    doc="The largest element; equals share the gradient.")  # fmt: skip

max_along = op("max(input, dim, keepdim=False)", Along(along(extrema.max_along, "max"), n_outputs=2),
    input=to_its_place, outputs=return_types.max, smooth_outputs=(True, False), node="MaxBackward0",
    doc="(values, indices) of the largest elements along dim, of equals the first.")  # fmt: skip

min_all = op("min(input)", Reduction(folded_extreme(smallest, "min"), with_out=False),
    input=ties, fast=ties_array, node="MinBackward1",
    doc="The smallest element; equals share the gradient.")  # fmt: skip

min_along = op("min(input, dim, keepdim=False)", Along(along(extrema.min_along, "min"), n_outputs=2),
    input=to_its_place, outputs=return_types.min, smooth_outputs=(True, False), node="MinBackward0",
    doc="(values, indices) of the smallest elements along dim, of equals the first.")  # fmt: skip


@composite()
def max(input, dim=None, keepdim=False, *, other=None, out=None, axis=None, keepdims=None):
    """The largest element; with `dim` (values, indices) along it; with another tensor the larger of each pair."""
    if axis is not None or keepdims is not None:
        dim, keepdim = by_numpy_names("max", dim, keepdim, axis, keepdims)
    if other is not None or isinstance(dim, Tensor):
        return maximum(input, dim if other is None else other, out=out)
    if dim is None:
        return copy_out(max_all(input), out)
    return max_along(input, dim, keepdim, out=out)


@composite()
def min(input, dim=None, keepdim=False, *, other=None, out=None, axis=None, keepdims=None):
    """The smallest element; with `dim` (values, indices) along it; with another tensor the smaller of each pair."""
    if axis is not None or keepdims is not None:
        dim, keepdim = by_numpy_names("min", dim, keepdim, axis, keepdims)
    if other is not None or isinstance(dim, Tensor):
        return minimum(input, dim if other is None else other, out=out)
    if dim is None:
        return copy_out(min_all(input), out)
    return min_along(input, dim, keepdim, out=out)


def placed(find, name):
    """The kernel of argmax and argmin."""

    def place(array, dim, keepdim):
        if array.dtype.kind in "bc":
            raise RuntimeError(f"{name}(): does not support {'bool' if array.dtype.kind == 'b' else 'complex'} input")
        if dim is None:
            if not array.size:
                raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
            result = find(array)
            return result.reshape([1] * array.ndim) if keepdim else result
        axis = normal_dim(dim, array.ndim)
        check_not_empty(name, array, axis)
        return find(array, axis, keepdim)

    return place


argmax = op("argmax(input, dim=None, keepdim=False)", Opaque(placed(extrema.argmax, "argmax")),
    doc="The place of the largest element, along dim or in the flattened input; of equals the first.")  # fmt: skip

argmin = op("argmin(input, dim=None, keepdim=False)", Opaque(placed(extrema.argmin, "argmin")),
    doc="The place of the smallest element, along dim or in the flattened input; of equals the first.")  # fmt: skip

argwhere = op("argwhere(input)", Opaque(lambda array: np.asarray(np.argwhere(array), np.int64)),
    doc="The places of the nonzero elements, one a row, int64.")  # fmt: skip


@composite()
def nonzero(input, *, out=None, as_tuple=False):
    """The places of the nonzero elements, one a row; with as_tuple one tensor of indices for each dimension."""
    if not as_tuple:
        return copy_out(argwhere(input), out)
    return argwhere(input if input.dim() else input.reshape(1)).unbind(1)


@composite()
def nonzero_static(input, *, size, fill_value=-1, out=None):
    """`nonzero` with exactly `size` rows, cut or filled up with `fill_value`."""
    found = argwhere(input)
    result = found.new_full((size, found.shape[1]), fill_value)
    n = builtins.min(size, found.shape[0])
    result[:n] = found[:n]
    return copy_out(result, out)


def member(elements, test_elements, assume_unique, invert):
    if not isinstance(elements, np.ndarray) and not isinstance(test_elements, np.ndarray):
        raise TypeError(
            f"isin(): one of elements and test_elements must be a Tensor, got {type(elements).__name__} and "
            f"{type(test_elements).__name__}"
        )
    for array in (elements, test_elements):
        if isinstance(array, np.ndarray) and array.dtype.kind in "bc":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {kind_of(array)}")
    elements, test_elements = np.asarray(elements), np.asarray(test_elements)
    return np.asarray(np.isin(elements, test_elements, invert=invert))


isin = op("isin(elements, test_elements, *, assume_unique=False, invert=False)", Opaque(member), method=False,
    doc="Which of the elements are among the test elements; either may be a number.")  # fmt: skip


def check_search(name, values):
    if not isinstance(values, Tensor) and not is_number(values):
        raise TypeError(f"{name}(): argument 'input' must be Tensor or Number, not {type(values).__name__}")


def lines_found(sorted_sequence, values, right, sorter):
    return binning.searchsorted(sorted_sequence, np.asarray(values), right, sorter)


places_in = op("searchsorted(sorted_sequence, input, right, sorter)", Opaque(lines_found, with_out=False),
    method=False, namespace="_engine",
    doc="Where each value could stand in its sorted line.")  # fmt: skip


@composite(method=False)
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """For each value the place in its sorted line where it could stand: before its equals, or after with `right`.

    sorted_sequence is one line for all, or one for each line of input; `sorter` gives its order if it is unsorted."""
    check_search("searchsorted", input)
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    if sorter is not None and sorter.shape != sorted_sequence.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(sorted_sequence.shape)} and got sorter tensor {list(sorter.shape)}"
        )
    found = places_in(sorted_sequence, input, right or side == "right", sorter)
    return copy_out(found.to(int32) if out_int32 else found, out)


@composite(method=False)
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """The number of the part that the sorted boundaries (n,) cut the line into where each value lies."""
    if boundaries.dim() != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.dim()})")
    check_search("bucketize", input)
    found = places_in(boundaries, input, right, None)
    return copy_out(found.to(int32) if out_int32 else found, out)


def counted(array, weights, minlength):
    if array.dtype.kind not in "iu":
        raise unsupported("bincount_cpu", array)
    return binning.bincount(array, weights, minlength)


bincount = op("bincount(input, weights=None, minlength=0)", Opaque(counted, with_out=False),
    doc="How often each whole number from 0 on occurs in the input (n,), or the sums of its weights.")  # fmt: skip


def binned(array, bins, min, max):
    if array.dtype.kind != "f":
        raise unsupported("histogram_cpu", array)
    return binning.histc(array, bins, min, max)


histc = op("histc(input, bins=100, min=0, max=0)", Opaque(binned),
    doc="How many elements fall into each of `bins` equal parts of [min, max], or of the input's range.")  # fmt: skip


def edges_of(array, bins, limits):
    """The edges of `bins` equal parts of the range, the data's own if none is given."""
    low, high = limits if limits is not None else (array.min(), array.max()) if array.size else (0, 0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.histogram(): range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError("torch.histogram(): min should not exceed max")
    return np.linspace(low, high, bins + 1).astype(array.dtype)


def histogram_array(array, bins, range, weight, density):
    if array.dtype.kind != "f":
        raise unsupported("histogram_cpu", array)
    edges = bins if isinstance(bins, np.ndarray) else edges_of(array, bins, range)
    hist = counts_in([array.reshape(-1)], [edges], weight, density)
    return hist.astype(array.dtype), edges


def counts_in(coordinates, edges, weight, density):
    """How many points (or how much weight) each cell of a grid of edges holds; the last cells are closed above."""
    inside = np.ones(coordinates[0].shape, bool)
    for x, e in zip(coordinates, edges, strict=True):
        inside &= (x >= e[0]) & (x <= e[-1])
    cell, sizes = np.zeros(np.count_nonzero(inside), np.int64), [len(e) - 1 for e in edges]
    for x, e, n in zip(coordinates, edges, sizes, strict=True):
        cell = cell * n + np.clip(np.searchsorted(e, x[inside], "right") - 1, 0, n - 1)
    weights = None if weight is None else weight.reshape(-1)[inside]
    hist = np.bincount(cell, weights, math.prod(sizes)).reshape(sizes)
    if density:
        with np.errstate(all="ignore"):
            hist = hist / hist.sum()
            for i, e in enumerate(edges):
                hist = hist / np.diff(e).reshape([-1 if j == i else 1 for j in builtins.range(len(edges))])
    return hist


counted_bins = op("histogram(input, bins, range, weight, density)",
    Opaque(histogram_array, n_outputs=2),
    method=False, namespace="_engine", outputs=return_types.histogram,
    doc="(counts, edges) of a histogram.")  # fmt: skip


@composite()
def histogram(input, bins, *, range=None, weight=None, density=False, out=None):
    """(hist, bin_edges): how many elements (or how much of their weight) fall into each bin.

    bins is a number of equal bins of `range` (the input's own if None), or a tensor of edges; the last bin is closed.
    density scales the result to integrate to one."""
    if isinstance(bins, int) and bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins}")
    if weight is not None and weight.shape != input.shape:
        raise RuntimeError(
            f"torch.histogram(): if weight tensor is provided it should have the same shape as the input tensor, but "
            f"got input shape {list(input.shape)} and weight shape {list(weight.shape)}"
        )
    return counted_bins(input, bins, range, weight, density, out=out)


def check_points(points, bins, range, weight):
    """The errors of histogramdd; gives (number of coordinates, bins of each)."""
    if points.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    n = points.shape[-1]
    if points.dtype.kind != "f":
        raise unsupported("histogramdd", points)
    each = list(bins) if isinstance(bins, (tuple, list)) else [bins] * n
    if len(each) != n:
        raise RuntimeError(
            f"histogramdd: The size of bins must be equal to the innermost dimension of the input ({n}), "
            f"got {len(each)}"
        )
    if range is not None and len(range) != 2 * n:
        raise RuntimeError(
            f"torch.histogramdd: for a {n}-dimensional histogram range should have {2 * n} elements, "
            f"but got {len(range)}"
        )
    if weight is not None and weight.array.shape != points.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, but got input with shape {list(points.shape)} and weight with shape "
            f"{list(weight.array.shape)}"
        )
    return n, each


@composite(method=False)
def histogramdd(input, bins, *, range=None, weight=None, density=False):
    """(hist, bin_edges) of points whose coordinates are along the last dimension of input (…, n).

    bins is a number for all coordinates, a list of one number each, or of one tensor of edges each; range is
    (low, high, low, high, …)."""
    points = input.array
    n, each = check_points(points, bins, range, weight)
    flat = points.reshape(-1, n)
    edges = [
        b.array if isinstance(b, Tensor) else edges_of(flat[:, i], b, range and range[2 * i : 2 * i + 2])
        for i, b in enumerate(each)
    ]
    hist = counts_in(list(flat.T), edges, None if weight is None else weight.array, density)
    return return_types.histogramdd((wrap(hist.astype(points.dtype)), tuple(wrap(e) for e in edges)))
