"""Losses. Each is one op with a fused kernel where PyTorch has one, and a plain combination of ops otherwise."""

import math
import warnings

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import NONE, composite, grads, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels import loss as kernels
from chainrule._kernels.casting import cast, compute_type, to_compute
from chainrule._kernels.loops import Ufunc, scalar
from chainrule._ops.kinds import Gather, check_tensor, result_type
from chainrule._ops.normalization import wide
from chainrule._ops.softmax import soft


class PairLoss:
    """A loss of elements that are compared in pairs: input and target promoted and broadcast, then reduced.

    `fn(x, y, *rest)` gives the loss of each pair; `reduction` is an argument of the signature."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = False
    with_out = False

    def __init__(self, fn):
        self.fn = fn

    def forward(self, op, args):
        x, y, reduction = check_tensor(op, "input", args[0]), check_tensor(op, "target", args[1]), args[2]
        d = x.meta.dtype
        if d is not y.meta.dtype:
            d = result_type((x, y))
        if d.category != 2:
            raise NotImplementedError(f'"{op.public_name}" not implemented for {d.tensor_type.removesuffix("Tensor")!r}')
        computing = compute_type(d)
        losses = self.fn(cast(x.array, computing), cast(y.array, computing), *args[3:])
        return cast(reduce_array(losses, reduction), d)


addition = Ufunc(np.add)
subtraction = Ufunc(np.subtract)
multiplication = Ufunc(np.multiply)


def reduce_array(losses, reduction):
    """The losses as they are, their sum, or their mean (nan of nothing)."""
    if reduction == "none":
        return losses
    total = addition.reduce(losses, tuple(range(losses.ndim)), False)
    if reduction == "mean":
        total = multiplication.call2(total, scalar(1 / losses.size if losses.size else math.nan, total.dtype))
    elif reduction != "sum":
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return total


def share(reduction, count):
    """What one pair's loss counts in the result."""
    return 1.0 if reduction != "mean" else 1 / count if count else math.nan


def legacy_reduction(size_average, reduce, stacklevel=3):
    """The reduction that the arguments `size_average` and `reduce` ask for, with PyTorch's warning."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    name = "none" if not reduce else "mean" if size_average else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.",
        stacklevel=stacklevel + 1,
    )
    return name


def warn_of_broadcasting(input, target, stacklevel=3):
    """PyTorch's warning for an input and a target of different sizes."""
    warnings.warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        stacklevel=stacklevel,
    )


def squares(x, y):
    d = subtraction.call2(x, y)
    return multiplication.call2(d, d)


def square_grads(g, input, target, reduction, wants):
    d = input - target
    gx = g * d * (2 * share(reduction, d.numel()))
    return gx, -gx if wants[1] else None


def square_fast(g, x, y, reduction, wants):
    d = subtraction.call2(x, y)
    gx = multiplication.call2(
        d, multiplication.call2(g, scalar(2 * share(reduction, d.size), g.dtype))
    )
    return gx if wants[0] else None, np.negative(gx) if wants[1] else None


square = op("mse_loss(input, target, reduction)", PairLoss(squares),
    grads("input target", square_grads), fast=square_fast,
    namespace="nn.functional",
    doc="(input - target)², reduced.")  # fmt: skip


@composite("nn.functional")
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(input − target)² of each pair of elements, reduced by "mean", "sum" or "none"; `weight` weighs the pairs."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    if isinstance(input, Tensor) and isinstance(target, Tensor) and input.meta.shape != target.meta.shape:
        warn_of_broadcasting(input, target)
    if weight is not None:
        return weighted(square(input, target, "none"), weight, reduction)
    return square.op.call((input, target, reduction))


def weighted(losses, weight, reduction):
    """Losses times their weights; the mean divides by the sum of the weights."""
    if weight.meta.shape != losses.meta.shape:
        raise ValueError("Weights and input must have the same size.")
    losses = losses * weight
    if reduction == "none":
        return losses
    return losses.sum() / weight.sum() if reduction == "mean" else losses.sum()


def class_loss(input, target, weight, ignore_index, reduction, label_smoothing):
    x = to_compute(input)
    if weight is not None:
        weight = cast(weight, of_array(x))
    loss, normalizer, total = kernels.cross_entropy(
        x, target.astype(np.int64, copy=False), weight, ignore_index, reduction, label_smoothing
    )
    return cast(loss, of_array(input)), normalizer, total


def class_grad(g, input, normalizer, target, weight, ignore_index, reduction, label_smoothing, total_weight):
    """softmax(input) times what each target weighs in all, less what each class weighs: constants but for input."""
    x = wide(input)
    dim = 1 if len(x.meta.shape) > 1 else 0
    a = x.array
    classes = a.shape[dim]
    kept = target.array != ignore_index
    index = np.expand_dims(np.where(kept, target.array, 0), dim)
    weights = np.ones(classes, a.dtype) if weight is None else cast(weight.array, of_array(a))
    weights = np.expand_dims(weights, tuple(range(1, a.ndim - dim)))
    share_of_each = label_smoothing / classes * weights
    per_class = np.zeros(a.shape, a.dtype)
    per_class += share_of_each
    hit = np.take_along_axis(np.broadcast_to((1 - label_smoothing) * weights, a.shape), index, dim)
    np.put_along_axis(per_class, index, np.take_along_axis(per_class, index, dim) + hit, dim)
    per_class *= np.expand_dims(kept, dim)
    if reduction == "mean" and total_weight != 0:
        per_class /= total_weight
    all_classes = per_class.sum(dim, keepdims=True, dtype=a.dtype)
    g = g.unsqueeze(dim) if reduction == "none" else g
    return g * (soft(x, dim) * wrap(all_classes) - wrap(per_class))


def class_fast(g, x, normalizer, target, weight, ignore_index, reduction, label_smoothing, total_weight):
    return kernels.cross_entropy_grad(
        g, x, normalizer, target.astype(np.int64, copy=False), None if weight is None else cast(weight, of_array(x)),
        ignore_index, reduction, label_smoothing, total_weight,
    )  # fmt: skip


class_entropy = op(
    "cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)",
    Gather(class_loss, residuals="normalizer total_weight", with_out=False),
    input=class_grad, target=NONE, weight=NONE, fast=class_fast,
    namespace="nn.functional", node="NllLossBackward0",
    doc="The negative log-softmax of input at the target classes, weighted by class and reduced.")  # fmt: skip


@composite("nn.functional")
def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):
    """The cross entropy of class scores `input` (N, C, …) or (C) and `target`.

    The target holds class indices (N, …), or probabilities of all classes in the input's shape. `weight` (C) weighs
    classes, targets that are `ignore_index` count nothing, `label_smoothing` mixes every target with the uniform
    distribution. "mean" divides by the weights of the targets that count.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return class_entropy.op.call((input, target, weight, ignore_index, reduction, label_smoothing))
