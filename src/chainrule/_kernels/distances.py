"""Distances between the rows of two matrices."""

import numpy as np

from chainrule._kernels.loops import matmul

ROWS_PER_BLOCK = 64


def pairwise(x, y, p, by_product):
    """|x[i] - y[j]| in the p-norm for every pair of rows, batched over the axes before; p ≥ 0 or inf.

    `by_product` takes the Euclidean distance from |x|² + |y|² - 2x·y: one matrix product, less exact for near rows.
    Otherwise differences are formed for a block of rows at a time."""
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    n, m = x.shape[-2], y.shape[-2]
    if by_product:
        square = (x * x).sum(-1)[..., None] + (y * y).sum(-1)[..., None, :] - 2 * matmul(x, y.swapaxes(-1, -2))
        return np.sqrt(np.maximum(square, 0))
    out = np.empty(batch + (n, m), x.dtype)
    for start in range(0, n, ROWS_PER_BLOCK):
        steps = np.abs(x[..., start : start + ROWS_PER_BLOCK, None, :] - y[..., None, :, :])
        out[..., start : start + ROWS_PER_BLOCK, :] = folded(steps, p)
    return out


def folded(steps, p):
    """The p-norm along the last axis of absolute values."""
    if p == 0:
        return (steps != 0).sum(-1).astype(steps.dtype)
    if p == 1:
        return steps.sum(-1)
    if p == 2:
        return np.sqrt((steps * steps).sum(-1))
    if p == np.inf:
        return steps.max(-1, initial=0)
    return (steps**p).sum(-1) ** (1 / p)


def pairwise_grad(g, x, y, p, out):
    """The gradient of `pairwise` for x; where two rows are equal (or p is 0) it is 0."""
    if p == 0:
        return np.zeros(np.broadcast_shapes(x.shape[:-2], y.shape[:-2]) + x.shape[-2:], x.dtype)
    with np.errstate(all="ignore"):
        if p == 2:
            weight = np.where(out == 0, 0, g / np.where(out == 0, 1, out)).astype(x.dtype)
            return x * weight.sum(-1)[..., None] - matmul(weight, np.broadcast_to(y, weight.shape[:-2] + y.shape[-2:]))
        result = np.zeros(g.shape[:-1] + x.shape[-1:], x.dtype)
        for start in range(0, x.shape[-2], ROWS_PER_BLOCK):
            rows = slice(start, start + ROWS_PER_BLOCK)
            steps = x[..., rows, None, :] - y[..., None, :, :]
            length = out[..., rows, :, None]
            if p == 1:
                slope = np.sign(steps)
            elif p == np.inf:
                slope = np.sign(steps) * (np.abs(steps) == length)
            else:
                slope = np.where(steps == 0, 0, steps * np.abs(steps) ** (p - 2)) * length ** (1 - p)
                slope[np.broadcast_to(length == 0, slope.shape)] = 0
            result[..., rows, :] = (slope * g[..., rows, :, None]).sum(-2)
    return result
