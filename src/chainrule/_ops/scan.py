"""Running sums, products, extremes and log-sums along a dimension; differences and integrals of samples.

The linear recurrence at the top is what the derivatives of products and log-sums need: it is its own adjoint, so rules
stay right where elements are zero, and to any order.
"""

import numpy as np

from chainrule import return_types
from chainrule._core.dtype import int64, of_array
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import wrap
from chainrule._kernels import running
from chainrule._kernels import scan as kernels
from chainrule._kernels.casting import cast, to_compute
from chainrule._ops.foundation import copy_out, to_dtype
from chainrule._ops.indexing import gather_back
from chainrule._ops.joining import cat
from chainrule._ops.kinds import Along, Opaque, normal_dim


def shifted_array(array, dim, by, fill):
    out = np.full(array.shape, fill, array.dtype)
    if array.ndim:
        kept = [slice(None)] * array.ndim
        source = list(kept)
        kept[dim], source[dim] = (slice(by, None), slice(None, -by)) if by > 0 else (slice(None, by), slice(-by, None))
        out[tuple(kept)] = array[tuple(source)]
    return out


def reversed_cumsum(array, axis):
    if not array.ndim:
        return array.copy()
    return np.ascontiguousarray(np.flip(kernels.cumsum(np.flip(array, axis), axis), axis))


def in_own_type(kernel):
    """The kernel with its result in the array's type, to which the kind has taken it."""
    return lambda array, axis: kernel(array, axis).astype(array.dtype, copy=False)


def floats_only(kernel, name):
    """The kernel with PyTorch's error for integers and booleans."""

    def checked(array, axis):
        if array.dtype.kind not in "fc":
            kind = of_array(array).tensor_type.removesuffix("Tensor")
            raise NotImplementedError(f"\"{name}\" not implemented for '{kind}'")
        return kernel(array, axis)

    return checked


def reals_only(kernel, name):
    """The kernel with PyTorch's error for complex numbers, which have no order."""

    def checked(array, axis):
        if array.dtype.kind == "c":
            kind = of_array(array).tensor_type.removesuffix("Tensor")
            raise NotImplementedError(f"\"{name}\" not implemented for '{kind}'")
        return kernel(array, axis)

    return checked


# out[k] = input[k - by], and `fill` where nothing comes from
shift = op("shift(input, dim, by, fill)", Opaque(shifted_array, with_out=False),
    input=lambda g, dim, by: shift(g, dim, -by, 0),
    method=False, namespace="_engine",
    doc="The input moved by one place along dim; `fill` comes in.")  # fmt: skip

recurrence = op("recurrence(factor, term, dim, reverse)", Opaque(running.recurrence, with_out=False),
    factor=lambda g, factor, out, dim, reverse: (
        propagated(g, factor, dim, reverse) * shift(out, dim, -1 if reverse else 1, 0).conj()
    ),
    term=lambda g, factor, dim, reverse: propagated(g, factor, dim, reverse),
    method=False, namespace="_engine",
    doc="s[k] = term[k] + factor[k] · s[k - 1] along dim; with reverse, s[k + 1].")  # fmt: skip


def propagated(g, factor, dim, reverse):
    """What each term of a recurrence receives: the recurrence run the other way, its factors moved by one."""
    return recurrence(shift(factor, dim, 1 if reverse else -1, 0).conj(), g, dim, not reverse)


cumsum = op("cumsum(input, dim, *, dtype=None)", Along(in_own_type(kernels.cumsum), integers=int64, inplace=True),
    input=lambda g, dim: sums_after(g, dim),
    doc="Sums of the elements up to each place along dim; integers are summed in int64.")  # fmt: skip

sums_after = op("cumsum_reversed(input, dim)", Along(reversed_cumsum, with_out=False),
    input=lambda g, dim: cumsum(g, dim),
    method=False, namespace="_engine",
    doc="Sums of the elements from each place on along dim.")  # fmt: skip


def cumprod_rule(g, input, out, dim):
    """The products up to k without x[k], times g[k] + x[k + 1] · (g[k + 1] + x[k + 2] · (…)): nothing is divided."""
    x = input if input.dtype is out.dtype else to_dtype(input, out.dtype)
    following = recurrence(shift(x, dim, -1, 0).conj(), g, dim, True)
    return following * shift(out, dim, 1, 1).conj()


def conjugated(array):
    return np.asarray(array.conj()) if array.dtype.kind == "c" else array


def cumprod_gradient(g, input, out, dim):
    return kernels.cumprod_grad(g, conjugated(cast(to_compute(input), of_array(g))), dim)


cumprod = op("cumprod(input, dim, *, dtype=None)", Along(in_own_type(kernels.cumprod), integers=int64, inplace=True),
    input=cumprod_rule, fast=cumprod_gradient,
    doc="Products of the elements up to each place along dim; right at zeros.")  # fmt: skip


def products_of_others(x, dim):
    """For each place along dim, the product of all the elements but that one."""
    n = x.shape[dim] if x.dim() else 1
    last = np.zeros(x.shape, to_compute(x.array).dtype)
    if n:
        last[(*[slice(None)] * dim, n - 1)[: last.ndim]] = 1
    # from the far end, by the recurrence whose only term is a one there
    following = recurrence(shift(x, dim, -1, 0), wrap(cast(last, x.dtype)), dim, True)
    return shift(cumprod(x, dim), dim, 1, 1) * following


cummax = op("cummax(input, dim)", Along(reals_only(kernels.cummax, "cummax_cpu"), n_outputs=2),
    input=lambda g0, out1, input_shape, dim: gather_back(g0, input_shape, dim, out1),
    outputs=return_types.cummax, smooth_outputs=(True, False),
    doc="(values, indices) of the running maximum along dim; of equals the last.")  # fmt: skip

cummin = op("cummin(input, dim)", Along(reals_only(kernels.cummin, "cummin_cpu"), n_outputs=2),
    input=lambda g0, out1, input_shape, dim: gather_back(g0, input_shape, dim, out1),
    outputs=return_types.cummin, smooth_outputs=(True, False),
    doc="(values, indices) of the running minimum along dim; of equals the last.")  # fmt: skip


def steady_difference(high, low):
    """exp(low - high), zero where both are minus infinity: what stands for no probability at all sends nothing back."""
    nothing = low == -np.inf
    return (low.masked_fill(nothing, 0) - high.masked_fill(nothing, 0)).exp().masked_fill(nothing, 0)


def logcumsumexp_rule(g, input, out, dim):
    """exp(x[k] - out[k]) · r[k], where r[k] = g[k] + exp(out[k] - out[k + 1]) · r[k + 1]: no factor exceeds one."""
    ratio = steady_difference(shift(out, dim, -1, np.inf), out)
    return steady_difference(out, input).conj() * recurrence(ratio.conj(), g, dim, True)


logcumsumexp = op("logcumsumexp(input, dim)", Along(floats_only(kernels.logcumsumexp, "logcumsumexp_out_cpu")),
    input=logcumsumexp_rule,
    doc="The logarithm of the running sum of exp(input) along dim.")  # fmt: skip


def halves(y, dim):
    """Everything but the last and everything but the first along dim."""
    n = y.shape[dim]
    return y.narrow(dim, 0, max(n - 1, 0)), y.narrow(dim, min(1, n), max(n - 1, 0))


@composite()
def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None):
    """Differences of neighbours along dim, taken n times; of booleans, where they change."""
    if not input.dim():
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = normal_dim(dim, input.dim())
    if n == 0:
        return copy_out(input.clone(), out)
    parts = [t for t in (prepend, input, append) if t is not None]
    if any(t.dim() != input.dim() for t in parts):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    y = cat(parts, dim) if len(parts) > 1 else input
    for _ in range(min(n, y.shape[dim])):
        before, after = halves(y, dim)
        y = before.logical_xor(after) if y.dtype.category == 0 else after - before
    return copy_out(y, out)


def steps(name, y, x, dx, dim):
    """(dim, distances between the samples of y along dim): numbers, or a tensor that fits the differences of y."""
    for argument, t in (("y", y), ("x", x)):
        if t is not None and t.dtype.category == 0:
            raise RuntimeError(f"{name}: received a bool input for `{argument}`, but bool is not supported")
    if not y.dim():
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = normal_dim(dim, y.dim())
    if x is None:
        return dim, dx
    if x.dim() == 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        return dim, x.diff().reshape([-1 if i == dim else 1 for i in range(y.dim())])
    return dim, x.diff(dim=dim - y.dim())


@composite(method=False)
def trapezoid(y, x=None, *, dx=1, dim=-1):
    """The integral of samples y along dim by trapezoids, at the points x or `dx` apart."""
    dim, width = steps("trapezoid", y, x, dx, dim)
    before, after = halves(y, dim)
    if x is None:
        return (before + after).sum(dim) * (dx / 2)
    return ((before + after) * width).sum(dim) / 2


@composite(method=False)
def trapz(y, x=None, *, dx=1, dim=-1):
    """`trapezoid` under its older name."""
    return trapezoid(y, x, dx=dx, dim=dim)


@composite(method=False)
def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """The running integral of samples y along dim by trapezoids, at the points x or `dx` apart."""
    dim, width = steps("cumulative_trapezoid", y, x, dx, dim)
    before, after = halves(y, dim)
    if x is None:
        return (before + after).cumsum(dim) * (dx / 2)
    return ((before + after) * width).cumsum(dim) / 2


def even_slopes(f, h, dim, edge_order):
    """Slopes of samples h apart: central inside, one-sided of order edge_order at the ends."""
    n = f.shape[dim]

    def at(k):
        return f.narrow(dim, k % n, 1)

    inside = (f.narrow(dim, 2, n - 2) - f.narrow(dim, 0, n - 2)) / (2 * h)
    if edge_order == 1:
        return cat([(at(1) - at(0)) / h, inside, (at(-1) - at(-2)) / h], dim)
    first = (4 * at(1) - 3 * at(0) - at(2)) / (2 * h)
    last = (3 * at(-1) - 4 * at(-2) + at(-3)) / (2 * h)
    return cat([first, inside, last], dim)


def uneven_slopes(f, x, dim, edge_order):
    """Slopes of samples at the points x: the parabola through three neighbours, one-sided at the ends."""
    n = f.shape[dim]
    if x.dim() != 1 or x.shape[0] != n:
        raise RuntimeError(
            f"torch.gradient expected each element of spacing to have the length of its dimension {n}, but got "
            f"{list(x.shape)}"
        )
    h = x.diff().reshape([-1 if i == dim else 1 for i in range(f.dim())])

    def at(k):
        return f.narrow(dim, k % n, 1)

    def step(k):
        return h.narrow(dim, k % (n - 1), 1)

    a, b = h.narrow(dim, 0, n - 2), h.narrow(dim, 1, n - 2)
    low, middle, high = f.narrow(dim, 0, n - 2), f.narrow(dim, 1, n - 2), f.narrow(dim, 2, n - 2)
    inside = (a / b * (high - middle) + b / a * (middle - low)) / (a + b)
    if edge_order == 1:
        return cat([(at(1) - at(0)) / step(0), inside, (at(-1) - at(-2)) / step(-1)], dim)
    p, q = step(0), step(1)
    first = ((at(1) - at(0)) / p * (2 * p + q) - (at(2) - at(1)) / q * p) / (p + q)
    p, q = step(-1), step(-2)
    last = ((at(-1) - at(-2)) / p * (2 * p + q) - (at(-2) - at(-3)) / q * p) / (p + q)
    return cat([first, inside, last], dim)


@composite(method=False)
def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """Estimated derivatives of samples along each of `dim`: of second order inside, of edge_order at the ends.

    spacing is one distance, one for each dim, or one tensor of coordinates for each dim."""
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = range(input.dim()) if dim is None else [dim] if isinstance(dim, int) else dim
    dims = [normal_dim(d, input.dim()) for d in dims]
    spacing = 1 if spacing is None else spacing
    spacings = list(spacing) if isinstance(spacing, (tuple, list)) else [spacing] * len(dims)
    if len(spacings) != len(dims):
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar or have length {len(dims)}, but got length "
            f"{len(spacings)}"
        )
    for d in dims:
        if input.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(
        uneven_slopes(input, h, d, edge_order) if hasattr(h, "dim") and h.dim() else
        even_slopes(input, h, d, edge_order)
        for h, d in zip(spacings, dims, strict=True)
    )  # fmt: skip
