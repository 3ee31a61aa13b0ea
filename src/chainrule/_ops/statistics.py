"""Variances, covariances and quantiles.

Sums and means are in reduction.py, norms in norm.py, medians in sorting.py.
"""

import math

import numpy as np

from chainrule._core.dtype import float32, float64
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels.loops import scalar
from chainrule._ops.foundation import copy_out, to_dtype
from chainrule._ops.kinds import Reduction, normal_dim
from chainrule._ops.norm import root, squared_size
from chainrule._ops.reduction import addition, division, folded_count, mean, mean_along, spread, subtraction
from chainrule._ops.selection import choose
from chainrule._ops.sorting import sort


def array_var(array, axes, keepdims, correction):
    n = math.prod([array.shape[i] for i in axes])
    total = addition.reduce(array, axes, True)
    centred = subtraction.call2(array, division.call2(total, scalar(n, total.dtype)))
    squares = addition.reduce(squared_size(centred), axes, keepdims)
    return division.into2(squares, squares, scalar(max(0, n - correction), squares.dtype))


def array_std(array, axes, keepdims, correction):
    variance = array_var(array, axes, keepdims, correction)
    return root.into1(variance, variance)


def spread_of(input, dim, correction):
    """The derivative of a variance: 2 (x - mean) / (n - correction)."""
    freedom = max(0, folded_count(input.shape, dim) - correction)
    scale = 2 / freedom if freedom else math.inf
    return (input - mean_along(input, dim, True)) * scale


def var_rule(g, input, dim, correction, keepdim):
    return spread(g, tuple(input.shape), dim, keepdim) * spread_of(input, dim, correction)


def std_rule(g, input, out, dim, correction, keepdim):
    """The variance's rule through the root; a spread of zero sends nothing back (a subgradient)."""
    flat = out == 0
    g = g.masked_fill(flat, 0) / (2 * out.masked_fill(flat, 1))
    return spread(g, tuple(input.shape), dim, keepdim) * spread_of(input, dim, correction)


var_along = op("var(input, dim, correction, keepdim)", Reduction(array_var),
    input=var_rule,
    doc="Variances over dimensions: sums of |x - mean|² over n - correction.")  # fmt: skip

std_along = op("std(input, dim, correction, keepdim)", Reduction(array_std),
    input=std_rule,
    doc="Standard deviations over dimensions; at zero the derivative is taken as zero.")  # fmt: skip


def spread_arguments(input, dim, unbiased, correction):
    """The dim and correction that any of the three signatures of std and var mean."""
    if input.dtype.category < 2:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    elif unbiased is not None:
        raise TypeError("std and var take either 'unbiased' or 'correction', not both")
    return dim, correction


@composite()
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None):
    """The variance over `dim` (all if None), divided by n - correction (1 by default; unbiased=False means 0)."""
    dim, correction = spread_arguments(input, dim, unbiased, correction)
    return var_along(input, dim, correction, keepdim, out=out)


@composite()
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None):
    """The standard deviation over `dim` (all if None): the root of `var`. Its gradient at zero is zero."""
    dim, correction = spread_arguments(input, dim, unbiased, correction)
    return std_along(input, dim, correction, keepdim, out=out)


@composite(method=False)
def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None):
    """(variance, mean) over `dim`."""
    dim, correction = spread_arguments(input, dim, unbiased, correction)
    first, second = out if out is not None else (None, None)
    return (
        var_along(input, dim, correction, keepdim, out=first),
        mean(input, () if dim is None else dim, keepdim, out=second),
    )


@composite(method=False)
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None):
    """(standard deviation, mean) over `dim`."""
    dim, correction = spread_arguments(input, dim, unbiased, correction)
    first, second = out if out is not None else (None, None)
    return (
        std_along(input, dim, correction, keepdim, out=first),
        mean(input, () if dim is None else dim, keepdim, out=second),
    )


def weights_of(name, weights, n, integral):
    if weights.dim() > 1 or weights.numel() != n:
        raise RuntimeError(
            f"cov(): expected {name} to have one dimension and as many elements as there are observations ({n}), got "
            f"shape {list(weights.shape)}"
        )
    if integral != (weights.dtype.category == 1):
        kinds = "integral" if integral else "floating point"
        raise RuntimeError(f"cov(): expected {name} to have {kinds} dtype, got {weights.dtype}")
    if weights.array.size and weights.array.min() < 0:
        raise RuntimeError(f"cov(): {name} cannot be negative")
    return weights


@composite()
def cov(input, *, correction=1, fweights=None, aweights=None):
    """Covariances of the rows of input, whose columns are observations; divided by their number - correction.

    fweights counts how often each observation occurs (integers), aweights says how much it weighs."""
    if input.dim() > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got {input.dim()} dimensions")
    if input.dtype.category == 0:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input if input.dim() == 2 else input.reshape(1, -1)
    n = x.shape[1]
    weights = None
    if fweights is not None:
        weights = weights_of("fweights", fweights, n, True)
    if aweights is not None:
        others = weights_of("aweights", aweights, n, False)
        weights = others if weights is None else weights * others
    total = n if weights is None else weights.sum()
    if x.dtype.category < 2:
        x = to_dtype(x, float32)
    if weights is None:
        mean_ = x.sum(1, True) / n if n else x.sum(1, True) * math.nan
    else:
        mean_ = (x * weights).sum(1, True) / total
    freedom = total - correction
    if aweights is not None and correction:
        freedom = total - correction * (weights * aweights).sum() / total
    centred = x - mean_
    weighted = centred if weights is None else centred * weights
    freedom = freedom.clamp(min=0) if isinstance(freedom, Tensor) else max(0, freedom)
    products = weighted @ centred.t().conj()
    return (products / freedom).squeeze()


@composite()
def corrcoef(input):
    """The correlation coefficients of the variables in the rows of input."""
    c = cov(input)
    if not c.dim():
        return c / c
    deviation = c.diagonal().real.sqrt() if c.dtype.is_complex else c.diagonal().sqrt()
    c = c / deviation.unsqueeze(1) / deviation.unsqueeze(0)
    if c.dtype.is_complex:
        from chainrule._ops.complex import complex as joined

        return joined(c.real.clamp(-1, 1), c.imag.clamp(-1, 1))
    return c.clamp(-1, 1)


INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def check_quantile(name, input, q, interpolation):
    """q as a tensor of input's dtype; the errors of quantile and nanquantile."""
    if input.dtype is not float32 and input.dtype is not float64:
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if not input.numel():
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
        return wrap(scalar(q, input.dtype.np))
    if q.dim() > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if q.array.size and not (q.array.min() >= 0 and q.array.max() <= 1):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    return q


def quantiles(name, input, q, dim, keepdim, interpolation, skip_nan):
    """Sort, find the rank of each quantile, and go between the two elements around it."""
    q = check_quantile(name, input, q, interpolation)
    shape = tuple(input.shape)
    if dim is None:
        lines, kept_shape = input.reshape(-1), [1] * len(shape)
    else:
        dim = normal_dim(dim, len(shape))
        lines = input.transpose(dim, -1) if shape else input.reshape(1)
        kept_shape = [1 if i == dim else n for i, n in enumerate(shape)]
    if not shape:
        kept_shape = []
    ordered = sort(lines)[0]
    n = lines.shape[-1]
    missing = np.isnan(ordered.array).sum(-1, keepdims=True)
    flat_q = q.reshape(-1)
    if skip_nan:
        rank = flat_q * wrap(np.maximum(n - missing - 1, 0).astype(input.dtype.np))
    else:
        # a line with a nan ends in one, and gives it for every quantile
        rank = choose(wrap(np.asarray(missing > 0)), n - 1, flat_q * (n - 1))
    low, high = np.floor(rank.array), np.ceil(rank.array)
    if interpolation == "nearest":
        low = np.rint(rank.array)
    elif interpolation == "higher":
        low = high
    below = ordered.gather(-1, places(low))
    if interpolation in ("linear", "midpoint"):
        weight = rank - wrap(low) if interpolation == "linear" else 0.5
        below = below.lerp(ordered.gather(-1, places(high)), weight)
    if dim is not None and shape:
        below = below.transpose(dim, -1) if below.dim() > 1 else below
        line = dim
    else:
        line = 0
    result = below.movedim(line, 0)
    if keepdim:
        result = result.reshape(len(flat_q), *kept_shape)
    return result if q.dim() else result.squeeze(0)


def places(rank):
    return wrap(np.ascontiguousarray(rank.astype(np.int64)))


@composite()
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The quantiles q in [0, 1] (a number, or a tensor (n,) that adds a first dimension) of all elements or along dim.

    interpolation says what stands between two elements: linear, lower, higher, midpoint or nearest."""
    return copy_out(quantiles("quantile", input, q, dim, keepdim, interpolation, False), out)


@composite()
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """`quantile` of the elements that are not nan."""
    return copy_out(quantiles("nanquantile", input, q, dim, keepdim, interpolation, True), out)
