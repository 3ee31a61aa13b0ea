"""Losses of class scores: negative log-likelihood and cross entropy, for class indices and for probabilities."""

import numpy as np

from chainrule._core.dtype import int64, of_array, uint8
from chainrule._engine.op import NONE, composite, op
from chainrule._engine.tensor import wrap
from chainrule._kernels import loss as kernels
from chainrule._kernels.casting import cast, to_compute
from chainrule._ops.kinds import Gather
from chainrule._ops.loss import legacy_reduction, reduced
from chainrule._ops.normalization import wide
from chainrule._ops.softmax import log_soft, soft


def check_classes(input, target, weight, reduction):
    """PyTorch's refusals of scores, class indices and weights that do not fit."""
    x, t = input.meta.shape, target.meta.shape
    d = target.meta.dtype
    if len(x) == 2 and t == x[:1] and d is int64 and weight is None and reduction == "mean":
        return  # what nearly every call is
    if not x:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(x) > 1 and (not t or x[0] != t[0]):
        raise ValueError(f"Expected input batch_size ({x[0]}) to match target batch_size ({t[0] if t else 1}).")
    expected = (x[0], *x[2:]) if len(x) > 1 else ()
    if t != expected and not (len(x) == 1 and t == (1,)):
        raise RuntimeError(f"Expected target size {list(expected)}, got {list(t)}")
    if d is not int64 and d is not uint8:
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {d.tensor_type.removesuffix('Tensor')}"
        )
    classes = x[1] if len(x) > 1 else x[0]
    if weight is not None:
        if weight.meta.shape != (classes,):
            raise RuntimeError(
                f"weight tensor should be defined either for all {classes} classes or no classes but got weight "
                f"tensor of shape: {list(weight.meta.shape)}"
            )
        if weight.meta.dtype is not input.meta.dtype:
            raise RuntimeError(
                f"expected scalar type {input.meta.dtype.tensor_type.removesuffix('Tensor')} but found "
                f"{weight.meta.dtype.tensor_type.removesuffix('Tensor')}"
            )
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def indices(target, x):
    """Class indices as the kernels take them; a single one of a vector of scores may have a dimension of its own."""
    if of_array(target) is not int64:
        target = target.astype(np.int64)
    return target.reshape(()) if x.ndim == 1 else target


def fitted(weight, x):
    return None if weight is None else cast(weight, of_array(x))


def entropy_forward(input, target, weight, ignore_index, reduction, label_smoothing):
    x = to_compute(input)
    loss, normalizer, total = kernels.cross_entropy(
        x, indices(target, x), fitted(weight, x), ignore_index, reduction, label_smoothing
    )
    return cast(loss, of_array(input)), normalizer, total


def shares(input, target, weight, ignore_index, reduction, label_smoothing, total_weight):
    """What each class counts at each place of the input, an array of its shape."""
    x = to_compute(input)
    dim = 1 if x.ndim > 1 else 0
    classes = x.shape[dim]
    target = indices(target, x)
    kept = np.expand_dims(target != ignore_index, dim)
    index = np.where(kept, np.expand_dims(target, dim), 0)
    weights = np.ones(classes, x.dtype) if weight is None else fitted(weight, x)
    weights = np.broadcast_to(np.expand_dims(weights, tuple(range(1, x.ndim - dim))), x.shape)
    out = weights * x.dtype.type(label_smoothing / max(classes, 1))
    if x.size:
        hit = np.take_along_axis(weights, index, dim) * x.dtype.type(1 - label_smoothing)
        np.put_along_axis(out, index, np.take_along_axis(out, index, dim) + hit, dim)
    out *= kept
    if reduction == "mean" and total_weight != 0:
        out /= total_weight
    return out, dim


def entropy_rule(g, input, normalizer, target, weight, ignore_index, reduction, label_smoothing, total_weight):
    """softmax(input) times what all classes count at a place, less what each of them counts."""
    weight = None if weight is None else weight.array
    each, dim = shares(
        input.array, target.array, weight, ignore_index, reduction, label_smoothing, total_weight
    )  # fmt: skip
    if reduction == "none":
        g = g.unsqueeze(dim)
    return wide(g) * (soft(wide(input), dim) * wrap(each.sum(dim, keepdims=True, dtype=each.dtype)) - wrap(each))


def entropy_fast(g, x, normalizer, target, weight, ignore_index, reduction, label_smoothing, total_weight):
    return kernels.cross_entropy_grad(
        g, x, normalizer, indices(target, x), fitted(weight, x), ignore_index, reduction, label_smoothing, total_weight
    )


entropy = op(
    "cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)",
    Gather(entropy_forward, residuals="normalizer total_weight", with_out=False),
    input=entropy_rule, target=NONE, weight=NONE, fast=entropy_fast,
    namespace="nn.functional", node="NllLossBackward0",
    doc="The negative log-softmax of input at the target classes, weighted by class and reduced.")  # fmt: skip


def likelihood_forward(input, target, weight, ignore_index, reduction):
    x = to_compute(input)
    loss, total = kernels.nll_loss(x, indices(target, x), fitted(weight, x), ignore_index, reduction)
    return cast(loss, of_array(input)), total


def likelihood_rule(g, input, target, weight, ignore_index, reduction, total_weight):
    weight = None if weight is None else weight.array
    each, dim = shares(input.array, target.array, weight, ignore_index, reduction, 0.0, total_weight)
    return (wide(g).unsqueeze(dim) if reduction == "none" else wide(g)) * wrap(-each)


def likelihood_fast(g, x, target, weight, ignore_index, reduction, total_weight):
    return kernels.nll_loss_grad(g, x, indices(target, x), fitted(weight, x), ignore_index, reduction, total_weight)


likelihood = op("nll_loss(input, target, weight, ignore_index, reduction)",
    Gather(likelihood_forward, residuals="total_weight", with_out=False),
    input=likelihood_rule, target=NONE, weight=NONE, fast=likelihood_fast,
    namespace="nn.functional",
    doc="Minus the input at the target classes, weighted by class and reduced.")  # fmt: skip


@composite("nn.functional")
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """−weight[target] · input[target] for log-probabilities `input` (N, C, …) or (C) and classes `target` (N, …).

    Targets that are `ignore_index` count nothing; "mean" divides by the weights of the others. IndexError for a target
    that is no class."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    check_classes(input, target, weight, reduction)
    return likelihood.op.call((input, target, weight, ignore_index, reduction))


def of_probabilities(input, target, weight, reduction, label_smoothing):
    """The cross entropy of scores and a distribution over the classes for each."""
    dim = 1 if len(input.meta.shape) > 1 else 0
    classes = input.meta.shape[dim]
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    terms = log_soft(input, dim) * target
    if weight is not None:
        terms = terms * weight.reshape([-1] + [1] * (len(input.meta.shape) - dim - 1))
    losses = -terms.sum(dim)
    if reduction == "mean":
        return losses.sum() / max(input.array.size // max(classes, 1), 1)
    return reduced(losses, reduction)


@composite("nn.functional")
def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):
    """The cross entropy of class scores `input` (N, C, …) or (C) and `target`.

    The target holds class indices (N, …), or probabilities of all classes in the input's shape. `weight` (C) weighs
    classes, targets that are `ignore_index` count nothing, `label_smoothing` mixes every target with the uniform
    distribution. "mean" divides by the weights of the targets that count, for probabilities by their number.
    """
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if target.meta.shape == input.meta.shape:
        if target.meta.dtype.category != 2:
            name = target.meta.dtype.tensor_type.removesuffix("Tensor")
            raise RuntimeError(f"Expected floating point type for target with class probabilities, got {name}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return of_probabilities(input, target, weight, reduction, label_smoothing)
    check_classes(input, target, weight, reduction)
    return entropy.op.call((input, target, weight, ignore_index, reduction, label_smoothing))
