"""Variances, norms, covariances and quantiles.

Sums and means are in reduction.py, medians in sorting.py, matrix norms in decomposition.py.
"""

import math

import numpy as np

from chainrule._core.dtype import float32, float64
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels.loops import Ufunc, scalar
from chainrule._ops.foundation import copy_out, to_dtype
from chainrule._ops.kinds import Reduction, check_tensor, normal_dim, normal_dims
from chainrule._ops.reduction import (
    addition,
    division,
    folded_count,
    is_nonzero,
    kind_of,
    mean,
    mean_along,
    multiplication,
    nowhere,
    shared,
    spread,
    subtraction,
)  # fmt: skip
from chainrule._ops.searching import largest, smallest
from chainrule._ops.selection import choose
from chainrule._ops.sorting import sort

root, power, size_of = Ufunc(np.sqrt), Ufunc(np.power), Ufunc(np.absolute)


def squared_size(array):
    """|x|², real, without the square root that abs would take of complex numbers."""
    if array.dtype.kind == "c":
        real, imag = array.real, array.imag
        return addition.call2(multiplication.call2(real, real), multiplication.call2(imag, imag))
    return multiplication.call2(array, array)


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


def array_norm(array, axes, keepdims, ord):
    if ord == 2:
        total = addition.reduce(squared_size(array), axes, keepdims)
        return root.into1(total, total)
    size = size_of.call1(array)
    if math.isinf(ord):
        return (largest if ord > 0 else smallest).reduce(size, axes, keepdims)
    if ord == 0:
        return addition.reduce(is_nonzero(array).astype(size.dtype), axes, keepdims)
    if ord == 1:
        return addition.reduce(size, axes, keepdims)
    total = addition.reduce(power.into2(size, size, scalar(ord, size.dtype)), axes, keepdims)
    return power.into2(total, total, scalar(1 / ord, total.dtype))


def norm_rule(g, input, out, ord, dim, keepdim):
    """g · sgn(x) (|x| / norm)^(ord - 1); zero where the norm is zero (the least subgradient) and at elements that are.

    For the infinite orders the elements of that size share g."""
    if ord == 0:
        return input * 0
    if math.isinf(ord):
        return shared(g, input.abs(), out, dim, keepdim) * input.sgn()
    shape = tuple(input.shape)
    if ord == 1:
        return spread(g, shape, dim, keepdim) * input.sgn()
    nothing = out == 0
    g = spread(g.masked_fill(nothing, 0), shape, dim, keepdim)
    out = spread(out.masked_fill(nothing, 1), shape, dim, keepdim)
    if ord == 2:
        return g * (input / out)
    size = input.abs()
    if ord < 1:
        size = size.masked_fill(size == 0, 1)
    return g * input.sgn() * (size / out) ** (ord - 1)


norm_along = op("vector_norm(input, ord, dim, keepdim)", Reduction(array_norm),
    input=norm_rule, node="LinalgVectorNormBackward0", namespace="linalg", method=False,
    doc="Norms over dimensions of the elements as vectors.")  # fmt: skip


@composite(namespace="linalg", method=False)
def vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """(Σ |x|^ord)^(1/ord) over `dim` (all if None), real; ord ±inf is the largest (smallest) |x|, 0 counts nonzeros.

    RuntimeError for integers, and for no elements where the norm of nothing has no value."""
    check_tensor(norm_along.op, "input", input)
    if isinstance(ord, (str, bytes)) or not isinstance(ord, (int, float, np.number)):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    if input.dtype.category < 2:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {kind_of(input.array)}"
        )
    if dtype is not None:
        check_norm_dtype(input.dtype, dtype)
        input = to_dtype(input, dtype) if dtype is not input.dtype else input
    ord = float(ord)
    if ord < 0 or ord == math.inf:
        check_norm_of_nothing(input, ord, dim)
    return norm_along(input, ord, dim, keepdim, out=out)


def check_norm_dtype(have, asked):
    if have.is_complex != asked.is_complex:
        kind, name = ("complex", "complex") if have.is_complex else ("real", "real")
        raise RuntimeError(
            f"linalg.vector_norm: dtype should be {kind} for {name} inputs, but got "
            f"{asked.tensor_type.removesuffix('Tensor')}"
        )


def check_norm_of_nothing(input, ord, dim):
    """RuntimeError where a norm that needs an element is asked of none."""
    axes = normal_dims(None if nowhere(dim) else dim, input.dim())
    empty = [i for i in axes if input.dim() and input.shape[i] == 0]
    if not empty:
        return
    where = "an empty tensor" if len(axes) == input.dim() else f"the dimension {empty[0]}, because it is empty"
    raise RuntimeError(
        f"linalg.vector_norm cannot compute the {ord:g} norm on {where}: the operation does not have an identity"
    )


@composite()
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The p-norm of all elements or over `dim`; 'fro' is p = 2, 'nuc' the sum of a matrix's singular values."""
    if p == "nuc":
        from chainrule import linalg

        return linalg.matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype, out=out)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    return vector_norm(input, 2 if p is None or p == "fro" else p, dim, keepdim, dtype=dtype, out=out)


@composite()
def dist(input, other, p=2):
    """The p-norm of input - other."""
    return vector_norm(input - other, p)


def scaled_down(input, p, dim, maxnorm):
    if not input.dtype.category >= 2:
        raise RuntimeError(f"renorm: expected a floating point or complex tensor, got {kind_of(input.array)}")
    if input.dim() < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.dim()} dimensions")
    if p <= 0:
        raise RuntimeError(f"renorm: expected p to be positive, got {p}")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    kept = normal_dim(dim, input.dim())
    size = vector_norm(input, p, [i for i in range(input.dim()) if i != kept], True)
    over = size > maxnorm
    return input * (maxnorm / (size.masked_fill(~over, 1) + 1e-7)).masked_fill(~over, 1)


@composite()
def renorm(input, p, dim, maxnorm, *, out=None):
    """The input with every slice along `dim` whose p-norm exceeds maxnorm scaled down to it."""
    return copy_out(scaled_down(input, p, dim, maxnorm), out)


@composite(namespace="Tensor")
def renorm_(input, p, dim, maxnorm):
    """In-place form of `renorm`."""
    return input.copy_(scaled_down(input, p, dim, maxnorm))


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
