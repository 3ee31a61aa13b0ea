"""Losses of pairs of elements: squares, absolute values, binary cross entropy, likelihoods of distributions.

Losses of class scores are in class_loss.py, those with a margin in margin_loss.py. A loss is one op with a fused
kernel where PyTorch has one, and a plain combination of ops otherwise.
"""

import math
import warnings

import numpy as np

from chainrule._core.dtype import of_array
from chainrule._engine.op import composite, grads, op
from chainrule._engine.tensor import Tensor, wrap
from chainrule._kernels import errors
from chainrule._kernels import loss as kernels
from chainrule._kernels.casting import cast, compute_type, to_compute
from chainrule._kernels.loops import Ufunc, scalar
from chainrule._ops.activation import logsigmoid, softplus
from chainrule._ops.kinds import Gather, check_tensor, result_type
from chainrule._ops.normalization import wide
from chainrule._ops.selection import where

addition, subtraction, multiplication = Ufunc(np.add), Ufunc(np.subtract), Ufunc(np.multiply)
TINY = 1e-12


class PairLoss:
    """A loss of elements that are compared in pairs: input and target promoted and broadcast, then reduced.

    `fn(x, y, *rest)` gives the loss of each pair; `fused(x, y, factor)` factor times their sum, for pairs that do not
    broadcast. The third argument of the signature is the reduction."""

    is_view = False
    ufunc = None
    direct_from = 0
    n_outputs = 1
    residuals = ""
    with_inplace = False
    with_out = False

    def __init__(self, fn, name, fused=None):
        self.fn = fn
        self.name = name
        self.fused = fused

    def forward(self, op, args):
        x, y = check_tensor(op, "input", args[0]), check_tensor(op, "target", args[1])
        d = x.meta.dtype
        if d is not y.meta.dtype:
            d = result_type((x, y))
        if d.category != 2:
            raise NotImplementedError(f'"{self.name}" not implemented for {d.tensor_type.removesuffix("Tensor")!r}')
        a, b, reduction = x.array, y.array, args[2]
        as_they_are = x.meta.dtype is y.meta.dtype and not d.is_half
        if not as_they_are:
            computing = compute_type(d)
            a, b = cast(a, computing), cast(b, computing)
        if self.fused is not None and reduction != "none" and a.shape == b.shape:
            check_reduction(reduction)
            out = self.fused(a, b, share(reduction, a.size))
        else:
            out = reduce_array(self.fn(a, b, *args[3:]), reduction)
        return out if as_they_are else cast(out, d)


def reduce_array(losses, reduction):
    """The losses as they are, their sum, or their mean (nan of nothing)."""
    if reduction == "none":
        return losses
    check_reduction(reduction)
    total = addition.reduce(losses, tuple(range(losses.ndim)), False)
    if reduction == "sum":
        return total
    return multiplication.call2(total, scalar(share(reduction, losses.size), total.dtype))


def check_reduction(reduction):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def share(reduction, count):
    """What one pair's loss counts in the result."""
    return 1.0 if reduction != "mean" else 1 / count if count else math.nan


def reduced(losses, reduction):
    """The losses as they are, their mean or their sum, as tensor operations."""
    if reduction == "mean":
        return losses.mean()
    if reduction == "sum":
        return losses.sum()
    check_reduction(reduction)
    return losses


def check_weights(input, weight):
    if weight.meta.shape != input.meta.shape:
        raise ValueError("Weights and input must have the same size.")


def weighted(losses, weight, reduction):
    """Losses times their weights; the mean divides by the sum of the weights."""
    losses = losses * weight
    return losses.sum() / weight.sum() if reduction == "mean" else reduced(losses, reduction)


def legacy_reduction(size_average, reduce, reduction):
    """The reduction, or the one that the older `size_average` and `reduce` ask for, with PyTorch's warning."""
    if size_average is None and reduce is None:
        return reduction
    averaged = size_average is None or size_average
    name = "none" if reduce is not None and not reduce else "mean" if averaged else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.", stacklevel=3
    )
    return name


def warn_of_broadcasting(input, target):
    """PyTorch's warning for an input and a target of different sizes."""
    if isinstance(input, Tensor) and isinstance(target, Tensor) and input.meta.shape != target.meta.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )


def squares(x, y):
    if x.shape == y.shape:
        return errors.squared_errors(x, y)
    d = subtraction.call2(x, y)
    return multiplication.call2(d, d)


def square_grads(g, input, target, reduction, wants):
    d = wide(input) - wide(target)
    gx = wide(g) * d * (2 * share(reduction, d.array.size))
    return gx, -gx if wants[1] else None


def square_fast(g, x, y, reduction, wants):
    if reduction != "none" and x.shape == y.shape and x.dtype == y.dtype:
        gx = errors.squared_error_grad(g, x, y, share(reduction, x.size))
        return gx, np.negative(gx) if wants[1] else None
    d = subtraction.call2(x, y)
    gx = multiplication.call2(d, multiplication.call2(g, scalar(2 * share(reduction, d.size), g.dtype)))
    return gx, np.negative(gx) if wants[1] else None


square = op("mse_loss(input, target, reduction)", PairLoss(squares, "mse_cpu", errors.squared_error),
    grads("input target", square_grads), fast=square_fast,
    namespace="nn.functional",
    doc="(input - target)², reduced.")  # fmt: skip


@composite("nn.functional")
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(input − target)² of each pair of elements, reduced by "mean", "sum" or "none"; `weight` weighs the pairs."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
    warn_of_broadcasting(input, target)
    if weight is not None:
        check_weights(input, weight)
        return weighted(square.op.call((input, target, "none")), weight, reduction)
    return square.op.call((input, target, reduction))


@composite("nn.functional")
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """|input − target| of each pair of elements, reduced by "mean", "sum" or "none"; `weight` weighs the pairs."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    warn_of_broadcasting(input, target)
    losses = (input - target).abs()
    if weight is None:
        return reduced(losses, reduction)
    check_weights(input, weight)
    return weighted(losses, weight, reduction)


def huber_values(x, y, delta):
    d = np.abs(subtraction.call2(x, y))
    near = np.minimum(d, d.dtype.type(delta))
    return np.asarray(near * (d - d.dtype.type(0.5) * near))


def huber_grads(g, input, target, reduction, delta, wants):
    d = wide(input) - wide(target)
    gx = wide(g) * d.clamp(-delta, delta) * share(reduction, d.array.size)
    return gx, -gx if wants[1] else None


def huber_fast(g, x, y, reduction, delta, wants, slope=1.0):
    d = subtraction.call2(x, y)
    kind = d.dtype.type
    gx = multiplication.call2(
        np.asarray(np.clip(d, kind(-delta), kind(delta))),
        multiplication.call2(g, scalar(slope * share(reduction, d.size), g.dtype)),
    )
    return gx, np.negative(gx) if wants[1] else None


huber = op("huber_loss(input, target, reduction, delta)", PairLoss(huber_values, "huber_cpu"),
    grads("input target", huber_grads), fast=huber_fast,
    namespace="nn.functional",
    doc="(input - target)²/2 up to a distance of delta, from there on its tangent, reduced.")  # fmt: skip


@composite("nn.functional")
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """(input − target)²/2 where |input − target| ≤ delta, else delta (|input − target| − delta/2), reduced.

    `weight` multiplies the losses; unlike that of mse_loss it does not enter the mean's divisor (as in PyTorch)."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    warn_of_broadcasting(input, target)
    if weight is not None:
        check_weights(input, weight)
        return reduced(huber.op.call((input, target, "none", delta)) * weight, reduction)
    return huber.op.call((input, target, reduction, delta))


def smooth_grads(g, input, target, reduction, beta, wants):
    return huber_grads(g / beta, input, target, reduction, beta, wants)


def smooth_fast(g, x, y, reduction, beta, wants):
    return huber_fast(g, x, y, reduction, beta, wants, 1 / beta)


smooth = op("smooth_l1_loss(input, target, reduction, beta)",
    PairLoss(lambda x, y, beta: np.asarray(huber_values(x, y, beta) / x.dtype.type(beta)), "smooth_l1_cpu"),
    grads("input target", smooth_grads), fast=smooth_fast,
    namespace="nn.functional", node="SmoothL1LossBackward0",
    doc="The Huber loss over its delta, here beta.")  # fmt: skip


@composite("nn.functional")
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """(input − target)²/(2 beta) where |input − target| < beta, else |input − target| − beta/2, reduced."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    warn_of_broadcasting(input, target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return reduced((input - target).abs(), reduction)
    return smooth.op.call((input, target, reduction, beta))


def logit_values(x, target, weight, pos_weight, reduction):
    d = of_array(x)
    a = to_compute(x)
    y = np.ascontiguousarray(cast(target, of_array(a)))
    p = None if pos_weight is None else np.broadcast_to(cast(pos_weight, of_array(a)), a.shape)
    losses = kernels.binary_cross_entropy_with_logits(a, y, p)
    if weight is not None:
        losses = multiplication.call2(losses, cast(weight, of_array(a)))
    return cast(reduce_array(losses, reduction), d)


def logit_grads(g, input, target, weight, pos_weight, reduction, wants):
    x, y = wide(input), wide(target)
    g = wide(g) * share(reduction, x.array.size if weight is None else (x * weight).array.size)
    if weight is not None:
        g = g * wide(weight)
    extra = None if pos_weight is None else wide(pos_weight) - 1
    gx = gy = None
    if wants[0]:
        s = (-x).sigmoid()
        gx = g * ((1 - y) - (s if extra is None else (1 + extra * y) * s))
    if wants[1]:
        gy = g * (-x if extra is None else extra * softplus(-x) - x)
    return gx, gy


def logit_fast(g, x, target, weight, pos_weight, reduction, wants):
    if weight is not None or wants[1] or not wants[0]:
        given = [None if a is None else wrap(a) for a in (g, x, target, weight, pos_weight)]
        answers = logit_grads(*given, reduction, wants)
        return [None if t is None else t.array for t in answers]
    g = multiplication.call2(g, scalar(share(reduction, x.size), g.dtype))
    d = of_array(x)
    p = None if pos_weight is None else np.broadcast_to(cast(pos_weight, d), x.shape)
    y = np.ascontiguousarray(cast(target, d))
    return kernels.binary_cross_entropy_with_logits_grad(np.broadcast_to(g, x.shape), x, y, p), None


logit_entropy = op("binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)",
    Gather(logit_values, with_out=False),
    grads("input target", logit_grads), fast=logit_fast,
    namespace="nn.functional",
    doc="The binary cross entropy of sigmoid(input) and target.")  # fmt: skip


@composite("nn.functional")
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """−(pos_weight y log σ(x) + (1 − y) log(1 − σ(x))) for x = input and y = target of one size, reduced.

    `weight` and `pos_weight` broadcast to the input. No overflow at any x."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if target.meta.shape != input.meta.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if input.meta.dtype.category != 2:
        raise RuntimeError(f"binary_cross_entropy_with_logits: expected a floating input, got {input.meta.dtype}")
    return logit_entropy.op.call((input, target, weight, pos_weight, reduction))


def entropy_values(input, target, weight, reduction):
    x = to_compute(input)
    if x.size and not ((x >= 0) & (x <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    y = cast(target, of_array(x))
    with np.errstate(all="ignore"):
        low = x.dtype.type(-100)
        losses = np.asarray((y - 1) * np.maximum(np.log1p(-x), low) - y * np.maximum(np.log(x), low))
    if weight is not None:
        losses = multiplication.call2(losses, cast(weight, of_array(x)))
    return cast(reduce_array(losses, reduction), of_array(input))


def entropy_grads(g, input, target, weight, reduction, wants):
    x, y = wide(input), wide(target)
    g = wide(g) * share(reduction, x.array.size)
    if weight is not None:
        g = g * wide(weight)
    gx = g * ((x - y) / ((1 - x) * x).clamp(min=TINY)) if wants[0] else None
    gy = g * ((1 - x).log().clamp(min=-100) - x.log().clamp(min=-100)) if wants[1] else None
    return gx, gy


entropy = op("binary_cross_entropy(input, target, weight, reduction)",
    Gather(entropy_values, with_out=False),
    grads("input target", entropy_grads),
    namespace="nn.functional",
    doc="The binary cross entropy of probabilities.")  # fmt: skip


@composite("nn.functional")
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """−(y log x + (1 − y) log(1 − x)) for x = input in [0, 1] and y = target of one size, reduced.

    Logarithms are kept above −100, so that the loss is finite everywhere. `weight` broadcasts to the target."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if target.meta.shape != input.meta.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if target.meta.dtype is not input.meta.dtype:
        raise RuntimeError(
            f"Found dtype {target.meta.dtype.tensor_type.removesuffix('Tensor')} but expected "
            f"{input.meta.dtype.tensor_type.removesuffix('Tensor')}"
        )
    return entropy.op.call((input, target, weight, reduction))


@composite("nn.functional")
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(−target · input)) for targets −1 and 1, reduced."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    return reduced(-logsigmoid(input * target), reduction)


@composite("nn.functional")
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """target · (log target − input), the input being log-probabilities, and with `log_target` the target too.

    Reduced by "batchmean" (the divergence: the sum over the batch size), "mean", "sum" or "none"."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    losses = target.exp() * (target - input) if log_target else target.xlogy(target) - target * input
    if reduction == "batchmean":
        return losses.sum() / input.meta.shape[0] if input.meta.shape else losses.sum()
    return reduced(losses, reduction)


@composite("nn.functional")
def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
):
    """The negative log-likelihood of counts under a Poisson distribution of (log-)rate `input`, without log(target!).

    `full` adds Stirling's approximation of that term where target > 1."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        losses = losses + where(target > 1, stirling, 0)
    return reduced(losses, reduction)


@composite("nn.functional")
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """(log var + (input − target)²/var)/2 with var kept above eps, reduced; `full` adds log(2π)/2.

    The variance has the input's size, or a last dimension of 1, or lacks it. The clamp is not differentiated."""
    if not isinstance(var, Tensor):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = wrap(cast(np.full(input.meta.shape, var, to_compute(input.array).dtype), input.meta.dtype))
    shape, own = input.meta.shape, var.meta.shape
    if own != shape:
        if shape[:-1] == own:
            var = var.unsqueeze(-1)
        elif not (len(shape) == len(own) and shape[:-1] == own[:-1] and own[-1] == 1):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    values = to_compute(var.array)
    if (values < 0).any():
        raise ValueError("var has negative entry/entries")
    var = var.clone()
    var.array[...] = cast(np.maximum(values, values.dtype.type(eps)), var.meta.dtype)
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return reduced(losses, reduction)
