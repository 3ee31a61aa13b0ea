"""Folds over dimensions: sums, means, products, extremes, truth, and the logarithm of a sum of exponentials.

Variances, norms and quantiles are in statistics.py, extremes with their places in searching.py.
"""

import math

import numpy as np

from chainrule import return_types
from chainrule._core.dtype import bool as bool_
from chainrule._core.dtype import int64, of_array, uint8
from chainrule._engine.op import composite, op
from chainrule._engine.refusal import by_numpy_names
from chainrule._engine.tensor import Tensor
from chainrule._kernels import scan as scans
from chainrule._kernels import softmax
from chainrule._kernels.casting import cast, to_compute
from chainrule._kernels.loops import Ufunc, scalar
from chainrule._kernels.strided import expand, strided
from chainrule._ops.foundation import copy_out, expand_to, to_dtype
from chainrule._ops.kinds import Reduction, View
from chainrule._ops.scan import conjugated, products_of_others, steady_difference
from chainrule._ops.searching import folded_extreme, kind_of, largest, shared, shared_array, smallest
from chainrule._ops.shape import sizes_of

addition = Ufunc(np.add)
division = Ufunc(np.true_divide)
subtraction, multiplication = Ufunc(np.subtract), Ufunc(np.multiply)
exponential, logarithm = Ufunc(np.exp), Ufunc(np.log)
difference = Ufunc(np.not_equal)
EVERY_AXIS = tuple(tuple(range(n)) for n in range(65))


def is_nonzero(array):
    return difference.call2(array, scalar(0, array.dtype))


def array_sum(array, axes, keepdims):
    return addition.reduce(array, axes, keepdims)


def array_mean(array, axes, keepdims):
    total = addition.reduce(array, axes, keepdims)
    return division.into2(total, total, scalar(math.prod([array.shape[i] for i in axes]), total.dtype))


class FullSum(Ufunc):
    """The sum of all elements, in the form the short way of a call takes."""

    def call1(self, a):
        return self.reduce(a, EVERY_AXIS[a.ndim], False)


class FullMean(Ufunc):
    """The mean of all elements, in the form the short way of a call takes."""

    def call1(self, a):
        total = self.reduce(a, EVERY_AXIS[a.ndim], False)
        return division.into2(total, total, scalar(a.size, total.dtype))


class Fold:
    """A `Reduction` with a short way for plain floating-point tensors.

    `whole` does the fold of everything as the short way of a call wants it; it is for entries whose one argument is the
    input.
    """

    is_view = False
    with_inplace = False
    n_outputs = 1
    residuals = ""
    # from floating point on: sums of integers change their dtype
    direct_from = 2

    def __init__(self, fn, whole=None, **options):
        self.ufunc = whole
        self.with_out = whole is None
        self.fn = fn
        self.general = Reduction(fn, **options)

    def forward(self, op, args):
        t = args[0]
        if len(args) == 4 and args[3] is None and type(args[1]) is int and isinstance(t, Tensor):
            d, a, dim = t.meta.dtype, t.array, args[1]
            n = a.ndim
            if d.category >= 2 and not d.is_half and -n <= dim < n:
                args[1] = axes = (dim + n if dim < 0 else dim,)
                return self.fn(a, axes, bool(args[2]))
        return self.general.forward(op, args)


def spread_array(g, size, dim, keepdim):
    """g with the folded axes `dim` put back at stride 0, each as long as `size` says."""
    strides = list(g.strides)
    for i in dim if size else ():
        if keepdim:
            strides[i] = 0
        else:
            strides.insert(i, 0)
    return strided(g, size, tuple(strides), 0)


def folded_count(shape, dim):
    """How many elements go into one of the fold's; a 0-d tensor counts as one dimension of one element."""
    return math.prod([shape[i] for i in dim]) if shape else 1


def full_mean_gradient(g, input_shape):
    return expand(division.call2(g, scalar(math.prod(input_shape), g.dtype)), input_shape)


def mean_gradient(g, input_shape, dim, keepdim):
    n = scalar(folded_count(input_shape, dim), g.dtype)
    return spread_array(division.call2(g, n), input_shape, dim, keepdim)


spread = op("spread(input, size, dim, keepdim)", View(spread_array),
    input=lambda g, dim, keepdim: sum_along(g, dim, keepdim),
    method=False, namespace="_engine", node="ExpandBackward0",
    doc="The adjoint of a sum over dim: its result stretched back to `size`, without copying.")  # fmt: skip

sum_all = op("sum(input)", Fold(array_sum, FullSum(np.add), integers=int64),
    input=lambda g, input_shape: expand_to(g, input_shape),
    fast=expand, node="SumBackward0",
    doc="The sum of all elements.")  # fmt: skip

sum_along = op("sum(input, dim, keepdim=False, *, dtype=None)", Fold(array_sum, integers=int64),
    input=lambda g, input_shape, dim, keepdim: spread(g, input_shape, dim, keepdim),
    fast=spread_array, node="SumBackward1",
    doc="Sums over dimensions.")  # fmt: skip

mean_all = op("mean(input)", Fold(array_mean, FullMean(np.add), floats=True),
    input=lambda g, input_shape: expand_to(g / math.prod(input_shape), input_shape),
    fast=full_mean_gradient, node="MeanBackward0",
    doc="The mean of all elements.")  # fmt: skip

mean_along = op("mean(input, dim, keepdim=False, *, dtype=None)", Fold(array_mean, floats=True),
    input=lambda g, input_shape, dim, keepdim: spread(
        g / folded_count(input_shape, dim), input_shape, dim, keepdim
    ),
    fast=mean_gradient, node="MeanBackward1",
    doc="Means over dimensions.")  # fmt: skip

full_sum, full_mean = sum_all.op, mean_all.op


@composite()
def sum(input, dim=None, keepdim=False, *, dtype=None, out=None, axis=None, keepdims=None):
    """The sum over `dim` (one, several, or None for all); integers and booleans in int64 unless `dtype` is given."""
    if axis is not None or keepdims is not None:
        dim, keepdim = by_numpy_names("sum", dim, keepdim, axis, keepdims)
    if dim is None and not keepdim and dtype is None and out is None:
        return full_sum.call1(input)
    return sum_along(input, dim, keepdim, dtype=dtype, out=out)


@composite()
def mean(input, dim=None, keepdim=False, *, dtype=None, out=None, axis=None, keepdims=None):
    """The mean over `dim` (one, several, or None for all) of a floating or complex tensor, or in `dtype`."""
    if axis is not None or keepdims is not None:
        dim, keepdim = by_numpy_names("mean", dim, keepdim, axis, keepdims)
    if dim is None and not keepdim and dtype is None and out is None:
        return full_mean.call1(input)
    return mean_along(input, dim, keepdim, dtype=dtype, out=out)


@composite(namespace="Tensor")
def sum_to_size(self, *size):
    """The sum over the dimensions that broadcasting from `size` adds or stretches; RuntimeError if it does not fit."""
    if not size:
        raise TypeError('sum_to_size() missing 1 required positional arguments: "size"')
    shape, wanted = tuple(self.shape), sizes_of("sum_to_size", size)
    lead = len(shape) - len(wanted)
    if lead < 0 or [n for n, m in zip(wanted, shape[lead:], strict=True) if n not in (1, m)]:
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(shape)}}}.")
    if not wanted:
        return sum(self)
    dims = [i for i, n in enumerate(shape) if i < lead or (wanted[i - lead] == 1 and n != 1)]
    return sum_along(self, dims, True).reshape(wanted) if dims else self


def array_nansum(array, axes, keepdims):
    if array.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    return addition.reduce(np.where(array == array, array, array.dtype.type(0)), axes, keepdims)


nansum = op("nansum(input, dim=None, keepdim=False, *, dtype=None)", Reduction(array_nansum, integers=int64),
    input=lambda g, input, input_shape, dim, keepdim: spread(g, input_shape, dim, keepdim) * (input == input),
    doc="Sums over dimensions with nan counted as zero.")  # fmt: skip


@composite()
def nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Means over dimensions of the elements that are not nan."""
    if input.dtype.category < 2:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {kind_of(input.array)}"
        )
    counts = sum(input == input, dim, keepdim)
    return copy_out(nansum(input, dim, keepdim, dtype=dtype) / counts, out)


def array_prod(array, axes, keepdims):
    return multiplication.reduce(array, axes, keepdims)


def prod_rule(g, input, dim, keepdim):
    """g times the product of the other elements, which is never found by dividing."""
    x = input if input.dtype is g.dtype else to_dtype(input, g.dtype)
    along = dim[0] if dim else 0
    return spread(g, tuple(x.shape), dim, keepdim) * products_of_others(x, along).conj()


def full_prod_rule(g, input):
    x = input.reshape(-1)
    return (g * products_of_others(x, 0).conj()).reshape(input.shape)


def prod_gradient(g, input, dim, keepdim):
    x = conjugated(cast(to_compute(input), of_array(g)))
    return scans.prod_grad(spread_array(g, x.shape, dim, keepdim), x, dim[0] if dim else 0)


def full_prod_gradient(g, input):
    return scans.prod_grad(g, conjugated(to_compute(input)))


prod_all = op("prod(input)", Reduction(array_prod, integers=int64, with_out=False),
    input=full_prod_rule, fast=full_prod_gradient, node="ProdBackward0",
    doc="The product of all elements; its gradient is right at zeros.")  # fmt: skip

prod_along = op("prod(input, dim, keepdim=False, *, dtype=None)", Reduction(array_prod, integers=int64),
    input=prod_rule, fast=prod_gradient, node="ProdBackward1",
    doc="Products along a dimension.")  # fmt: skip


@composite()
def prod(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The product of all elements or along `dim`, integers in int64 unless `dtype` says otherwise."""
    if dim is None:
        return copy_out(prod_all(input) if dtype is None else to_dtype(prod_all(to_dtype(input, dtype)), dtype), out)
    if not hasattr(dim, "__index__"):
        raise TypeError(f"prod(): argument 'dim' must be int, not {type(dim).__name__}")
    return prod_along(input, dim, keepdim, dtype=dtype, out=out)


amax = op("amax(input, dim=(), keepdim=False)", Reduction(folded_extreme(largest, "amax")),
    input=shared, fast=shared_array,
    doc="The largest elements over dimensions; equals share the gradient.")  # fmt: skip

amin = op("amin(input, dim=(), keepdim=False)", Reduction(folded_extreme(smallest, "amin")),
    input=shared, fast=shared_array,
    doc="The smallest elements over dimensions; equals share the gradient.")  # fmt: skip


@composite()
def aminmax(input, *, dim=None, keepdim=False, out=None):
    """(min, max) of all elements or along one dimension."""
    if dim is not None and not hasattr(dim, "__index__"):
        raise TypeError(f"aminmax(): argument 'dim' must be int, not {type(dim).__name__}")
    low, high = out if out is not None else (None, None)
    return return_types.aminmax((amin(input, dim, keepdim, out=low), amax(input, dim, keepdim, out=high)))


def truth(ufunc):
    """The kernel of all and any: bool, but uint8 for uint8 as in PyTorch."""

    def folded(array, axes, keepdims):
        result = np.asarray(ufunc.reduce(is_nonzero(array), axes, keepdims=keepdims))
        return result.astype(np.uint8) if array.dtype == np.uint8 else result

    return folded


all_of = op("all(input, dim=None, keepdim=False)", Reduction(truth(np.logical_and)),
    doc="Whether all elements over dimensions are nonzero.")  # fmt: skip

any_of = op("any(input, dim=None, keepdim=False)", Reduction(truth(np.logical_or)),
    doc="Whether any element over dimensions is nonzero.")  # fmt: skip


def nowhere(dim):
    return isinstance(dim, (tuple, list)) and not dim


def truth_of_each(input, out):
    """all and any over no dimension at all."""
    each = to_dtype(input, bool_)
    return copy_out(to_dtype(each, uint8) if input.dtype is uint8 else each, out)


@composite()
def all(input, dim=None, keepdim=False, *, out=None):
    """Whether all elements over `dim` (all if None; none if empty) are nonzero; nan is."""
    return truth_of_each(input, out) if nowhere(dim) else all_of(input, dim, keepdim, out=out)


@composite()
def any(input, dim=None, keepdim=False, *, out=None):
    """Whether any element over `dim` (all if None; none if empty) is nonzero; nan is."""
    return truth_of_each(input, out) if nowhere(dim) else any_of(input, dim, keepdim, out=out)


count_nonzero = op("count_nonzero(input, dim=None)",
    Reduction(lambda array, axes, keepdims: addition.reduce(is_nonzero(array).astype(np.int64), axes, keepdims)),
    doc="How many elements over dimensions are nonzero, int64.")  # fmt: skip


def array_logsumexp(array, axes, keepdims):
    if array.dtype.kind == "f":
        return softmax.logsumexp(array, axes, keepdims)
    top = largest.reduce(array.real, axes, True) if array.size else np.zeros((1,) * array.ndim, array.real.dtype)
    top = np.where(np.isfinite(top), top, 0).astype(array.dtype)
    result = logarithm.call1(addition.reduce(exponential.call1(subtraction.call2(array, top)), axes, True))
    addition.into2(result, result, top)
    return result if keepdims else np.reshape(result, [n for i, n in enumerate(array.shape) if i not in axes])


def logsumexp_rule(g, input, out, input_shape, dim, keepdim):
    """g times the softmax, zero where everything is minus infinity."""
    out = spread(out, input_shape, dim, keepdim)
    return spread(g, input_shape, dim, keepdim) * steady_difference(out, input).conj()


logsumexp = op("logsumexp(input, dim, keepdim=False)", Reduction(array_logsumexp, ints_to_float=True),
    input=logsumexp_rule,
    doc="log(sum(exp(input))) over dimensions, in whatever range.")  # fmt: skip
