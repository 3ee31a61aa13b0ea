"""Losses of class scores and logits in NumPy, in float64 and rounded once: the plain twin of loss.pyx."""

import numpy as np

from chainrule._kernels.dense import row_major


def classes_in(target, who):
    if not isinstance(target, np.ndarray) or target.dtype != np.int64:
        raise TypeError(
            f"{who}: expected an int64 target, got {getattr(target, 'dtype', type(target).__name__)}"
        )
    return target


def weights_in(weight, x, classes, who):
    """The weights of the classes in float64; ones for None."""
    if weight is None:
        return np.ones(classes)
    w = row_major(weight, who)
    if w.dtype != x.dtype:
        raise TypeError(f"{who}: expected weight of dtype {x.dtype}, got {w.dtype}")
    if w.size != classes:
        raise RuntimeError(f"{who}: expected weight with {classes} elements, one a class, got {w.size}")
    return w.astype(np.float64).ravel()


def scores_of(x, target, who):
    """x and target as (outer, classes, inner) and (outer, inner)."""
    axis = 0 if x.ndim == 1 else 1
    if x.ndim == 0 or target.shape != x.shape[:axis] + x.shape[axis + 1 :]:
        raise ValueError(
            f"{who}: expected target of the shape of input {x.shape} without its class dimension, "
            f"got {target.shape}"
        )
    outer, inner = int(np.prod(x.shape[:axis])), int(np.prod(x.shape[axis + 1 :]))
    return x.reshape(outer, x.shape[axis], inner), target.reshape(outer, inner)


def counted(target, classes, ignore_index, who):
    """Which targets are not ignored, and all targets with the ignored ones replaced by a class."""
    kept = target != ignore_index
    bad = kept & ((target < 0) | (target >= classes))
    if bad.any():
        raise IndexError(
            f"{who}: Target {target[bad][0]} is out of bounds: expected 0 to {classes - 1} "
            f"or ignore_index {ignore_index}"
        )
    return kept, np.where(kept, target, 0)


def check_reduction(reduction, who):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{who}: expected reduction 'none', 'mean' or 'sum', got {reduction!r}")


def reduced(losses, total, reduction, x, target):
    if reduction == "none":
        return losses.reshape(target.shape).astype(x.dtype)
    return np.asarray(losses.sum() / (total if reduction == "mean" else 1.0)).astype(x.dtype)


def at_class(a, index):
    """a[o, index[o, i], i] for a of shape (outer, classes, inner); zeros when there are no classes."""
    if not a.shape[1]:
        return np.zeros(index.shape)
    return np.take_along_axis(a, index[:, None, :], 1)[:, 0, :]


def cotangent(g, x, target, total_weight, reduction, who):
    """g over what the loss was divided by, in float64, to broadcast against (outer, inner)."""
    g = row_major(g, who)
    size = target.size if reduction == "none" else 1
    if g.dtype != x.dtype or g.size != size:
        raise ValueError(
            f"{who}: expected g of {size} elements of dtype {x.dtype}, got {g.size} of {g.dtype}"
        )
    wide = g.astype(np.float64).reshape(target.shape if reduction == "none" else ())
    return wide / float(total_weight) if reduction == "mean" else wide


def cross_entropy(x, target, weight, ignore_index, reduction, label_smoothing):
    """(loss, normalizer, total_weight): the negative log-softmax of x at the targets, weighted by class.

    normalizer is what cross_entropy_grad needs beside x. IndexError for a target that is neither a class
    nor ignore_index."""
    source = row_major(x, "cross_entropy")
    scores, classes = scores_of(source, classes_in(target, "cross_entropy"), "cross_entropy")
    count = scores.shape[1]
    w = weights_in(weight, source, count, "cross_entropy")
    check_reduction(reduction, "cross_entropy")
    kept, index = counted(classes, count, ignore_index, "cross_entropy")
    with np.errstate(all="ignore"):
        top = scores.max(1, initial=-np.inf)
        moved = scores - top[:, None, :]
        rest = np.log(np.exp(moved).sum(1)).astype(source.dtype)
        negative = -(moved - rest[:, None, :]).astype(np.float64)
        weights = np.where(kept, w[index] if count else 0.0, 0.0)
        losses = np.where(kept, weights * at_class(negative, index), 0.0)
        if label_smoothing > 0:
            spread = (negative * w[:, None]).sum(1)
            losses = np.where(kept, (1 - label_smoothing) * losses + label_smoothing / count * spread, 0.0)
        total = weights.sum()
        loss = reduced(losses, total, reduction, source, target)
    normalizer = np.stack([top.astype(source.dtype).ravel(), rest.ravel()])
    return loss, normalizer, np.asarray(total).astype(source.dtype)


def cross_entropy_grad(
    g, x, normalizer, target, weight, ignore_index, reduction, label_smoothing, total_weight
):
    """The gradient for x of cross_entropy, which gave normalizer and total_weight.

    g is 0-d, or like target for "none"."""
    source = row_major(x, "cross_entropy_grad")
    scores, classes = scores_of(source, classes_in(target, "cross_entropy_grad"), "cross_entropy_grad")
    count = scores.shape[1]
    w = weights_in(weight, source, count, "cross_entropy_grad")
    check_reduction(reduction, "cross_entropy_grad")
    if normalizer.dtype != source.dtype or normalizer.size != 2 * classes.size:
        raise ValueError(
            f"cross_entropy_grad: expected the normalizer of cross_entropy with {2 * classes.size} elements "
            f"of dtype {source.dtype}"
        )
    kept, index = counted(classes, count, ignore_index, "cross_entropy_grad")
    g = cotangent(g, source, classes, total_weight, reduction, "cross_entropy_grad")
    top, rest = normalizer.reshape(2, *classes.shape)
    with np.errstate(all="ignore"):
        share = label_smoothing / count if count else 0.0
        hit = g * (1 - label_smoothing) * (w[index] if count else np.zeros(classes.shape))
        probabilities = np.exp(((scores - top[:, None, :]) - rest[:, None, :]).astype(np.float64))
        gx = probabilities * (hit + g * share * w.sum())[:, None, :]
        if label_smoothing > 0:
            gx -= np.broadcast_to(g * share, classes.shape)[:, None, :] * w[:, None]
        gx -= hit[:, None, :] * (np.arange(count)[:, None] == index[:, None, :])
        gx = np.where(kept[:, None, :], gx, 0.0)
    return gx.astype(source.dtype).reshape(source.shape)


def nll_loss(x, target, weight, ignore_index, reduction):
    """(loss, total_weight): minus x at the targets, weighted by class. IndexError as for cross_entropy."""
    source = row_major(x, "nll_loss")
    scores, classes = scores_of(source, classes_in(target, "nll_loss"), "nll_loss")
    w = weights_in(weight, source, scores.shape[1], "nll_loss")
    check_reduction(reduction, "nll_loss")
    kept, index = counted(classes, scores.shape[1], ignore_index, "nll_loss")
    with np.errstate(all="ignore"):
        weights = np.where(kept, w[index] if w.size else 0.0, 0.0)
        losses = np.where(kept, -weights * at_class(scores, index), 0.0)
        total = weights.sum()
        return reduced(losses, total, reduction, source, target), np.asarray(total).astype(source.dtype)


def nll_loss_grad(g, x, target, weight, ignore_index, reduction, total_weight):
    """The gradient for x of nll_loss, which gave total_weight; of x only shape and dtype are used."""
    scores, classes = scores_of(x, classes_in(target, "nll_loss_grad"), "nll_loss_grad")
    count = scores.shape[1]
    w = weights_in(weight, x, count, "nll_loss_grad")
    check_reduction(reduction, "nll_loss_grad")
    kept, index = counted(classes, count, ignore_index, "nll_loss_grad")
    g = cotangent(g, x, classes, total_weight, reduction, "nll_loss_grad")
    with np.errstate(all="ignore"):
        taken = np.where(kept, -g * (w[index] if count else 0.0), 0.0)
        gx = taken[:, None, :] * (np.arange(count)[:, None] == index[:, None, :])
        gx = np.where(gx == 0, 0.0, gx)
    return gx.astype(x.dtype).reshape(x.shape)


def like(a, x, who, what):
    b = row_major(a, who)
    if b.dtype != x.dtype or b.shape != x.shape:
        raise ValueError(f"{who}: expected {what} like input, {x.dtype}{x.shape}, got {b.dtype}{b.shape}")
    return b.astype(np.float64)


def binary_cross_entropy_with_logits(x, target, pos_weight):
    """-(pos_weight y log sigmoid(x) + (1 - y) log sigmoid(-x)), element by element, for y = target.

    All have one shape and dtype."""
    who = "binary_cross_entropy_with_logits"
    source = row_major(x, who)
    y = like(target, source, who, "target")
    factor = 1.0 if pos_weight is None else 1 + (like(pos_weight, source, who, "pos_weight") - 1) * y
    with np.errstate(all="ignore"):
        wide = source.astype(np.float64)
        cost = np.log1p(np.exp(-np.abs(wide))) + np.maximum(-wide, 0.0)
        return np.asarray((1 - y) * wide + factor * cost).astype(source.dtype)


def binary_cross_entropy_with_logits_grad(g, x, target, pos_weight):
    """The gradient for x of binary_cross_entropy_with_logits; without pos_weight g (sigmoid(x) - target)."""
    who = "binary_cross_entropy_with_logits_grad"
    source = row_major(x, who)
    g, y = like(g, source, who, "g"), like(target, source, who, "target")
    with np.errstate(all="ignore"):
        wide = source.astype(np.float64)
        if pos_weight is None:
            slope = 1 / (1 + np.exp(-wide)) - y
        else:
            factor = 1 + (like(pos_weight, source, who, "pos_weight") - 1) * y
            slope = (1 - y) - factor / (1 + np.exp(wide))
        return np.asarray(g * slope).astype(source.dtype)
