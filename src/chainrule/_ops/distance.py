"""Distances and similarities of vectors: cdist, pdist, pairwise distance, cosine similarity, normalize."""

import numpy as np

from chainrule._core import promotion
from chainrule._engine.op import composite, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels import distances
from chainrule._ops.foundation import copy_out
from chainrule._ops.kinds import Opaque
from chainrule._ops.matmul import matmul
from chainrule._ops.norm import vector_norm
from chainrule._ops.repetition import broadcast_tensors
from chainrule._ops.searching import kind_of

MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
MANY_ROWS = 25


def with_ones(t):
    """t with ones where it is zero, and the mask of the rest: nothing is divided by a distance of zero."""
    zero = t.array == 0
    return t + wrap(zero.astype(t.array.dtype)), wrap((~zero).astype(t.array.dtype))


def cdist_cotangent(g, x, y, p, out):
    """The cotangent of x; equal rows give none."""
    if p == 0:
        return x * 0
    length, apart = with_ones(out)
    if p == 2:
        weights = g * apart / length
        return x * weights.sum(-1, True) - matmul(weights, y)
    steps = x.unsqueeze(-2) - y.unsqueeze(-3)
    if p == 1:
        slopes = steps.sign()
    elif p == float("inf"):
        slopes = steps.sign() * (steps.abs() == out.unsqueeze(-1))
    else:
        size, nonzero = with_ones(steps.abs())
        slopes = steps * nonzero * size ** (p - 2) * (apart * length ** (1 - p)).unsqueeze(-1)
    return (slopes * g.unsqueeze(-1)).sum(-2)


def mT(t):
    return t.transpose(-2, -1)


distance_matrix = op("distance_matrix(x1, x2, p, by_product)", Opaque(distances.pairwise, with_out=False),
    x1=lambda g, x1, x2, p, out: cdist_cotangent(g, x1, x2, p, out),
    x2=lambda g, x1, x2, p, out: cdist_cotangent(mT(g), x2, x1, p, mT(out)),
    fast={
        "x1": distances.pairwise_grad,
        "x2": lambda g, x1, x2, p, out: distances.pairwise_grad(g.swapaxes(-1, -2), x2, x1, p, out.swapaxes(-1, -2)),
    },
    method=False, namespace="_engine", node="CdistBackward0",
    doc="The p-norm distance of every row of x1 to every row of x2.")  # fmt: skip


def check_rows(name, which, t):
    if not isinstance(t, Tensor):
        raise TypeError(f"{name}(): argument '{which}' must be Tensor, not {type(t).__name__}")
    if t.meta.dtype.category != 2:
        raise RuntimeError(f"{name} only supports floating-point dtypes, {which.upper()} got: {kind_of(t.array)}")
    if t.array.ndim < 2:
        raise RuntimeError(f"{name} only supports at least 2D tensors, {which.upper()} got: {t.array.ndim}D")
    if t.meta.dtype.is_half:
        raise NotImplementedError(f'"{name}" not implemented for {kind_of(t.array)!r}')


@composite(method=False)
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The p-norm distance between the rows of x1 and of x2: (…, n, k) and (…, m, k) give (…, n, m).

    Euclidean distances between more than 25 rows come from one matrix product, less exact for rows that are near each
    other; compute_mode="donot_use_mm_for_euclid_dist" forbids it."""
    check_rows("cdist", "x1", x1)
    check_rows("cdist", "x2", x2)
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if x1.meta.shape[-1] != x2.meta.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.meta.shape[-1]} X2: {x2.meta.shape[-1]}"
        )
    if x1.meta.dtype is not x2.meta.dtype:
        raise RuntimeError(f"cdist: expected x1 and x2 to have the same dtype, but got {x1.dtype} and {x2.dtype}")
    many = max(x1.meta.shape[-2], x2.meta.shape[-2]) > MANY_ROWS
    by_product = p == 2 and compute_mode != MODES[2] and (many or compute_mode == MODES[1])
    return distance_matrix(x1, x2, float(p), by_product)


@composite("nn.functional")
@composite(method=False)
def pdist(input, p=2.0):
    """The p-norm distances between every two rows of a matrix: n(n - 1)/2 of them, those of the first row first."""
    check_rows("pdist", "input", input)
    if input.array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.array.ndim}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    i, j = np.triu_indices(input.meta.shape[0], 1)
    return distance_matrix(input, input, float(p), False)[wrap(i), wrap(j)]


@composite("nn.functional")
@composite(method=False)
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm along the last dimension of x1 - x2 + eps."""
    return vector_norm(x1 - x2 + eps, p, -1, keepdim)


@composite("nn.functional")
@composite(method=False)
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """x1 · x2 / (max(|x1|, eps) · max(|x2|, eps)) along `dim`, the other dimensions broadcast."""
    d = promotion.promote_types(x1.meta.dtype, x2.meta.dtype)
    if d.category != 2:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {d.tensor_type.removesuffix('Tensor')}"
        )
    x1, x2 = (x if x.meta.dtype is d else x.to(d) for x in (x1, x2))
    if x1.meta.shape != x2.meta.shape:
        x1, x2 = broadcast_tensors(x1, x2)
    return (unit(x1, 2, dim, eps) * unit(x2, 2, dim, eps)).sum(dim)


def unit(t, p, dim, eps):
    """t divided by its norm along dim, or by eps where the norm is less."""
    return t / vector_norm(t, p, dim, True).clamp_min(eps)


@composite("nn.functional")
def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """input / max(|input|ₚ, eps) along `dim`."""
    return copy_out(unit(input, p, dim, eps), out)
