"""Order along a dimension: sort, top k, k-th value, medians, mode, distinct elements.

Values are elements of the input at known places, so that all of them share one rule: the gradient goes to those places.
"""

import numpy as np

from chainrule import return_types
from chainrule._engine.op import composite, op
from chainrule._kernels import sorting as kernels
from chainrule._kernels import unique as distinct
from chainrule._ops.foundation import copy_out
from chainrule._ops.indexing import gather_back
from chainrule._ops.kinds import Along, Opaque, Reduction, check_tensor, normal_dim
from chainrule._ops.searching import check_not_empty, ties, ties_array, to_its_place, unsupported


def sorted_array(array, axis, descending, stable):
    if array.dtype.kind == "c":
        raise RuntimeError("sort does not support complex dtypes on CPU")
    return kernels.sort(array, axis, bool(descending))


def order_array(array, dim, descending, stable):
    return sorted_array(array, normal_dim(dim, array.ndim), descending, stable)[1]


def top_array(array, axis, k, largest, sorted):
    if array.dtype.kind in "bc":
        kind = "bool" if array.dtype.kind == "b" else "complex"
        raise RuntimeError(f"topk does not support {kind} dtypes on CPU")
    n = array.shape[axis] if array.ndim else 1
    if not 0 <= k <= n:
        raise RuntimeError(
            f"topk: selected index k out of range: dimension {axis} has {n} elements, but k is {k}"
        )
    return kernels.topk(array, k, axis, largest, sorted)


def kth_array(array, axis, k, keepdims):
    if array.dtype.kind in "bc":
        raise unsupported("kthvalue_cpu", array)
    check_not_empty("kthvalue", array, axis)
    n = array.shape[axis] if array.ndim else 1
    if not 1 <= k <= n:
        raise RuntimeError(
            f"kthvalue(): selected number k out of range for dimension {axis}: it has {n} elements, but k is {k}"
        )
    return kernels.kthvalue(array, k, axis, keepdims)


def line_picker(kernel, name):
    """The kernel of a median or a mode: (values, places) along one axis."""

    def pick(array, axis, keepdims):
        if array.dtype.kind == "c" or (array.dtype.kind == "b" and name != "mode"):
            raise unsupported(f"{name}_out", array)
        check_not_empty(name, array, axis)
        return kernel(array, axis, keepdims)

    return pick


def full_picker(kernel, name):
    """The kernel of a median of all elements; nan (0 for integers' lowest value) of none."""

    def pick(array, axes, keepdims):
        if array.dtype.kind in "bc":
            raise unsupported(f"{name}_cpu", array)
        if not array.size:
            return np.full((), np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).min, array.dtype)
        return kernel(array.reshape(-1), 0, False)[0]

    return pick


sorted_along = op("sort(input, dim=-1, descending=False, stable=None)", Along(sorted_array, n_outputs=2),
    input=lambda g0, out1, input_shape, dim: gather_back(g0, input_shape, dim, out1),
    outputs=return_types.sort, smooth_outputs=(True, False),
    doc="(values, indices) of the input in order along dim.")  # fmt: skip


@composite()
def sort(input, dim=-1, descending=False, *, stable=None, out=None):
    """(values, indices) of the input in order along dim; equals keep their order in any case, nan is the largest."""
    return sorted_along(input, dim, descending, stable, out=out)


argsort = op("argsort(input, dim=-1, descending=False, stable=False)", Opaque(order_array, with_out=False),
    doc="The places of the input's elements in order along dim.")  # fmt: skip


@composite()
def msort(input, *, out=None):
    """The input in order along its first dimension."""
    return copy_out(sorted_along(input, 0)[0], out)


topk = op("topk(input, k, dim=-1, largest=True, sorted=True)", Along(top_array, n_outputs=2),
    input=lambda g0, out1, input_shape, dim: gather_back(g0, input_shape, dim, out1),
    outputs=return_types.topk, smooth_outputs=(True, False),
    doc="(values, indices) of the k largest (or smallest) elements along dim, best first.")  # fmt: skip

kthvalue = op("kthvalue(input, k, dim=-1, keepdim=False)", Along(kth_array, n_outputs=2),
    input=to_its_place, outputs=return_types.kthvalue, smooth_outputs=(True, False),
    doc="(values, indices) of the k-th smallest elements along dim, k from 1.")  # fmt: skip

mode = op("mode(input, dim=-1, keepdim=False)", Along(line_picker(kernels.mode, "mode"), n_outputs=2),
    input=to_its_place, outputs=return_types.mode, smooth_outputs=(True, False),
    doc="(values, indices) of the most frequent (and of those the smallest) elements along dim.")  # fmt: skip

median_all = op("median(input)", Reduction(full_picker(kernels.median, "median"), with_out=False),
    input=ties, fast=ties_array,
    doc="The lower median of all elements; nan if there is one. Equals share the gradient.")  # fmt: skip

median_along = op("median(input, dim, keepdim=False)", Along(line_picker(kernels.median, "median"), n_outputs=2),
    input=to_its_place, outputs=return_types.median, smooth_outputs=(True, False), node="MedianBackward1",
    doc="(values, indices) of the lower medians along dim.")  # fmt: skip

nanmedian_all = op("nanmedian(input)", Reduction(full_picker(kernels.nanmedian, "nanmedian"), with_out=False),
    input=ties, fast=ties_array,
    doc="The lower median of the elements that are not nan. Equals share the gradient.")  # fmt: skip

nanmedian_along = op("nanmedian(input, dim, keepdim=False)",
    Along(line_picker(kernels.nanmedian, "nanmedian"), n_outputs=2),
    input=to_its_place, outputs=return_types.nanmedian, smooth_outputs=(True, False), node="NanmedianBackward1",
    doc="(values, indices) of the lower medians along dim of the elements that are not nan.")  # fmt: skip


@composite()
def median(input, dim=None, keepdim=False, *, out=None):
    """The lower median of all elements, or with `dim` (values, indices) along it."""
    return copy_out(median_all(input), out) if dim is None else median_along(input, dim, keepdim, out=out)


@composite()
def nanmedian(input, dim=None, keepdim=False, *, out=None):
    """The lower median of the elements that are not nan, or with `dim` (values, indices) along it."""
    return copy_out(nanmedian_all(input), out) if dim is None else nanmedian_along(input, dim, keepdim, out=out)


def refuse(g0):
    raise RuntimeError("derivative for unique and unique_consecutive is not implemented")


def distinct_array(find):
    def parts(array, dim):
        if array.dtype.kind == "c":
            raise unsupported("unique", array)
        return find(array, None if dim is None else normal_dim(dim, array.ndim))

    return parts


distinct_of = op("unique(input, dim)", Opaque(distinct_array(distinct.unique), n_outputs=3, with_out=False),
    input=refuse, smooth_outputs=(True, False, False), method=False, namespace="_engine", node="Unique2Backward0",
    doc="(distinct elements in order, where each element went, counts).")  # fmt: skip

runs_of = op("unique_consecutive(input, dim)",
    Opaque(distinct_array(distinct.unique_consecutive), n_outputs=3, with_out=False),
    input=refuse, smooth_outputs=(True, False, False), method=False, namespace="_engine",
    doc="(first elements of runs, where each element went, lengths of the runs).")  # fmt: skip


def chosen(parts, return_inverse, return_counts):
    values, inverse, counts = parts
    if not return_inverse and not return_counts:
        return values
    return (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


@composite()
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements (slices along dim) in order, with where each one went and how many there are if asked."""
    check_tensor(distinct_of.op, "input", input)
    return chosen(distinct_of(input, dim), return_inverse, return_counts)


@composite()
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The input with neighbours that are equal made one, with where each went and the lengths of the runs if asked."""
    check_tensor(runs_of.op, "input", input)
    return chosen(runs_of(input, dim), return_inverse, return_counts)
