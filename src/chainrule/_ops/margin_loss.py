"""Losses with a margin: what is right counts nothing once it is right by enough. Plain combinations of ops."""

import numpy as np

from chainrule._engine.op import composite
from chainrule._engine.tensor import wrap
from chainrule._kernels.casting import cast
from chainrule._ops.activation import logsigmoid, rectify
from chainrule._ops.loss import legacy_reduction, reduced
from chainrule._ops.selection import where

TINY = 1e-12


def constant(array, like):
    """An array as a tensor of like's dtype."""
    return wrap(cast(array, like.meta.dtype))


@composite("nn.functional")
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """input where target is 1, max(0, margin − input) where it is −1, reduced."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    far = where(target != 1, (margin - input).clamp(min=0), 0)
    return reduced(far + where(target != -1, input, 0), reduction)


@composite("nn.functional")
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, −target · (input1 − input2) + margin), reduced: target 1 wants input1 above input2, −1 below."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if not len(input1.meta.shape) == len(input2.meta.shape) == len(target.meta.shape):
        raise RuntimeError(
            f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1.shape}"
            f", input2: {input2.shape}, target: {target.shape} "
        )
    return reduced((-target * (input1 - input2) + margin).clamp(min=0), reduction)


@composite("nn.functional")
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 − cos(input1, input2) where target is 1, max(0, cos(input1, input2) − margin) where it is −1, reduced.

    Inputs (N, D) with target (N), or (D) with a 0-d target."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    n = len(target.meta.shape)
    if n > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not len(input1.meta.shape) == len(input2.meta.shape) == n + 1:
        raise RuntimeError(
            f"{n}D target tensor expects {n + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.meta.shape)} and {list(input2.meta.shape)}."
        )
    norms = ((input1 * input1).sum(n) + TINY) * ((input2 * input2).sum(n) + TINY)
    cos = (input1 * input2).sum(n) / norms.sqrt()
    losses = where(target == 1, 1 - cos, 0) + where(target == -1, (cos - margin).clamp(min=0), 0)
    return reduced(losses, reduction)


def distance(x, y, p, eps):
    """The p-norm of x − y + eps along the last dimension."""
    return (x - y + eps).norm(p, -1)


@composite("nn.functional")
def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"
):
    """max(0, d(anchor, positive) − d(anchor, negative) + margin) with d the p-norm of the difference, reduced.

    `swap` takes the smaller of d(anchor, negative) and d(positive, negative) (Balntas et al. 2016)."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    dims = [len(t.meta.shape) for t in (anchor, positive, negative)]
    if len(set(dims)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    return triplet(anchor, positive, negative, lambda x, y: distance(x, y, p, eps), margin, swap, reduction)


def triplet(anchor, positive, negative, distance_function, margin, swap, reduction):
    near = distance_function(anchor, positive)
    far = distance_function(anchor, negative)
    if swap:
        far = far.minimum(distance_function(positive, negative))
    return reduced((margin + near - far).clamp(min=0), reduction)


@composite("nn.functional")
def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """max(0, d(anchor, positive) − d(anchor, negative) + margin) for any distance function, reduced.

    None is the Euclidean distance."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    dims = [len(t.meta.shape) for t in (anchor, positive, negative)]
    if len(set(dims)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    if distance_function is None:
        return triplet(anchor, positive, negative, lambda x, y: distance(x, y, 2.0, 1e-6), margin, swap, reduction)
    return triplet(anchor, positive, negative, distance_function, margin, swap, reduction)


@composite("nn.functional")
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The mean over the last dimension of input of the binary cross entropy of sigmoid(input) and target, reduced."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    classes = len(input.meta.shape) - 1
    return reduced(losses.sum(classes) / input.meta.shape[classes], reduction)


def rows_of(name, input, target, target_ndim):
    """Input and target with a batch dimension, and whether they came without one."""
    single = len(input.meta.shape) < 2
    x = input.reshape([1, -1]) if single else input
    t = target.array.reshape([1, -1] if target_ndim == 2 else -1) if single else target.array
    if len(x.meta.shape) != 2 or t.ndim != target_ndim or t.shape[0] != x.meta.shape[0]:
        raise RuntimeError(f"{name}: inconsistent target size: {list(target.meta.shape)} for {list(input.meta.shape)}")
    return x, t, single


@composite("nn.functional")
def multi_margin_loss(
    input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"
):  # fmt: skip
    """Σ over the wrong classes of weight[y] · max(0, margin − input[y] + input[j])^p / C, reduced.

    Scores (N, C) or (C), classes (N) or 0-d, p 1 or 2. RuntimeError for a target that is no class."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    x, t, single = rows_of("multi_margin_loss", input, target, 1)
    classes = x.meta.shape[1]
    if weight is not None and weight.array.size != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.meta.shape)}")
    if ((t < 0) | (t >= classes)).any():
        raise RuntimeError("target out of range")
    place = wrap(t.astype("int64").reshape(-1, 1))
    wrong = np.ones(x.meta.shape)
    np.put_along_axis(wrong, place.array, 0, 1)
    short = rectify(margin - x.gather(1, place) + x)
    losses = (short if p == 1 else short * short) * constant(wrong / classes, x)
    if weight is not None:
        losses = losses * weight.index_select(0, place.reshape(-1)).unsqueeze(-1)
    losses = losses.sum(1)
    return reduced(losses.reshape([]) if single else losses, reduction)


@composite("nn.functional")
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """Σ over right classes y and wrong ones j of max(0, 1 − input[y] + input[j]) / C, reduced.

    Scores (N, C) or (C); the target, int64 of the same shape, lists each row's classes up to the first −1."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    x, t, single = rows_of("multilabel_margin_loss", input, target, 2)
    classes = x.meta.shape[1]
    if t.size and (t.min() < -1 or t.max() >= classes):
        raise RuntimeError("argument #2 'target' is out of range")
    listed = np.logical_and.accumulate(t >= 0, axis=1)
    right = np.zeros((t.shape[0], classes + 1), bool)
    np.put_along_axis(right, np.where(listed, t, classes), True, 1)
    counts = listed[:, :, None] & ~right[:, None, :classes]
    chosen = x.gather(1, wrap(np.where(listed, t, 0))).unsqueeze(2)
    losses = (rectify(1 - chosen + x.unsqueeze(1)) * constant(counts / classes, x)).sum((1, 2))
    return reduced(losses.reshape([]) if single else losses, reduction)
