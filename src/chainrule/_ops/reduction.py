"""Folds over dimensions: sums, means, products, extremes, truth, and the logarithm of a sum of exponentials.

Variances, norms and order statistics are in statistics.py, extremes with their places in searching.py.
"""

import math

import numpy as np

from chainrule._core.dtype import int64
from chainrule._engine.op import composite, op
from chainrule._kernels.loops import Ufunc, scalar
from chainrule._kernels.strided import expand, strided
from chainrule._ops.foundation import expand_to
from chainrule._ops.kinds import Reduction, View

addition = Ufunc(np.add)
division = Ufunc(np.true_divide)
EVERY_AXIS = tuple(tuple(range(n)) for n in range(65))


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


class FullReduction:
    """A fold of everything: `Reduction`, with a short way for plain floating-point tensors."""

    is_view = False
    with_inplace = False
    with_out = False
    n_outputs = 1
    residuals = ""
    # from floating point on: sums of integers change their dtype
    direct_from = 2

    def __init__(self, short, fn, **options):
        self.ufunc = short
        self.general = Reduction(fn, **options)

    def forward(self, op, args):
        return self.general.forward(op, args)


def spread_array(g, size, dim, keepdim):
    """g with the folded axes `dim` put back at stride 0, each as long as `size` says."""
    inner = iter(g.strides)
    strides = [0 if i in dim else next(inner) for i in range(len(size))] if not keepdim else [
        0 if i in dim else s for i, s in enumerate(inner)
    ]  # fmt: skip
    return strided(g, size, tuple(strides), 0)


def full_mean_gradient(g, input_shape):
    return expand(division.call2(g, scalar(math.prod(input_shape), g.dtype)), input_shape)


def mean_gradient(g, input_shape, dim, keepdim):
    n = math.prod([input_shape[i] for i in dim])
    return spread_array(division.call2(g, scalar(n, g.dtype)), input_shape, dim, keepdim)


spread = op("spread(input, size, dim, keepdim)", View(spread_array),
    input=lambda g, dim, keepdim: sum_along(g, dim, keepdim),
    method=False, namespace="_engine", node="ExpandBackward0",
    doc="The adjoint of a sum over the dimensions `dim`: its result stretched back to `size`, without copying.")  # fmt: skip

sum_all = op("sum(input)", FullReduction(FullSum(np.add), array_sum, integers=int64),
    input=lambda g, input_shape: expand_to(g, input_shape),
    fast=expand, method=False, namespace="_engine", node="SumBackward0",
    doc="The sum of all elements.")  # fmt: skip

sum_along = op("sum(input, dim, keepdim=False, *, dtype=None)", Reduction(array_sum, integers=int64),
    input=lambda g, input_shape, dim, keepdim: spread(g, input_shape, dim, keepdim),
    fast=spread_array, method=False, namespace="_engine", node="SumBackward1",
    doc="Sums over dimensions.")  # fmt: skip

mean_all = op("mean(input)", FullReduction(FullMean(np.add), array_mean, floats=True),
    input=lambda g, input_shape: expand_to(g / math.prod(input_shape), input_shape),
    fast=full_mean_gradient, method=False, namespace="_engine", node="MeanBackward0",
    doc="The mean of all elements.")  # fmt: skip

mean_along = op("mean(input, dim, keepdim=False, *, dtype=None)", Reduction(array_mean, floats=True),
    input=lambda g, input_shape, dim, keepdim: spread(
        g / math.prod([input_shape[i] for i in dim]), input_shape, dim, keepdim
    ),
    fast=mean_gradient, method=False, namespace="_engine", node="MeanBackward1",
    doc="Means over dimensions.")  # fmt: skip

full_sum, full_mean = sum_all.op, mean_all.op


@composite()
def sum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The sum over `dim` (one, several, or None for all), integers and booleans in int64 unless `dtype` says otherwise."""
    if dim is None and not keepdim and dtype is None and out is None:
        return full_sum.call1(input)
    return sum_along(input, dim, keepdim, dtype=dtype, out=out)


@composite()
def mean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The mean over `dim` (one, several, or None for all) of a floating or complex tensor, or in `dtype`."""
    if dim is None and not keepdim and dtype is None and out is None:
        return full_mean.call1(input)
    return mean_along(input, dim, keepdim, dtype=dtype, out=out)
