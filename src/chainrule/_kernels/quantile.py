"""Quantiles along an axis."""

import numpy as np

from chainrule._kernels.lookup import gather

BETWEEN = ("linear", "lower", "higher", "midpoint", "nearest")


def ranks(q, x_sorted, ignore_nan):
    """Where each quantile of q stands in sorted lines (…, n), between two places as a rule; shape (…,
    len(q)).
    """
    n = x_sorted.shape[-1]
    missing = np.isnan(x_sorted).sum(-1, keepdims=True)
    if ignore_nan:
        return q * np.maximum(n - missing - 1, 0).astype(q.dtype)
    # a line with a nan ends in one, and gives it for every quantile
    return np.where(missing > 0, q.dtype.type(n - 1), q * q.dtype.type(n - 1))


def quantile(x, q, axis, interpolation="linear", keepdims=False, ignore_nan=False):
    """The quantiles q (0-d or 1-d, in [0, 1], of x's type) of x along axis; q's axis, if any, comes first.

    interpolation is linear, lower, higher, midpoint or nearest (ties to even ranks).
    """
    if interpolation not in BETWEEN:
        raise RuntimeError(
            f"quantile() interpolation must be one of {', '.join(BETWEEN)}, but got {interpolation}"
        )
    lines = np.moveaxis(x if x.ndim else x.reshape(1), axis, -1)
    if not lines.shape[-1]:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q.size and not (q.min() >= 0 and q.max() <= 1):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    ordered = np.sort(lines, -1)
    rank = ranks(q.reshape(-1), ordered, ignore_nan)
    out = between(ordered, rank, interpolation)
    if keepdims and x.ndim:
        out = np.moveaxis(out[..., None, :], -2, axis - 1 if axis < 0 else axis)
    out = np.moveaxis(out, -1, 0)
    return np.ascontiguousarray(out if q.ndim else out[0]) if out.ndim > 1 or q.ndim else out[0:1].reshape(())


def between(ordered, rank, interpolation):
    if interpolation == "lower":
        rank = np.floor(rank)
    elif interpolation == "higher":
        rank = np.ceil(rank)
    elif interpolation == "nearest":
        rank = np.rint(rank)
    low = np.floor(rank)
    weight = np.full_like(rank, 0.5) if interpolation == "midpoint" else rank - low
    below = gather(ordered, -1, low.astype(np.int64))
    if interpolation not in ("linear", "midpoint"):
        return below
    above = gather(ordered, -1, np.ceil(rank).astype(np.int64))
    with np.errstate(all="ignore"):
        # from the nearer end, so that a weight of one gives above exactly
        return np.where(
            weight < 0.5, below + weight * (above - below), above - (above - below) * (1 - weight)
        )
