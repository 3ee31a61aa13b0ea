"""Loss layers: how far a prediction is from its target.

``reduction`` says what is done with the losses of the single elements or samples: "mean", "sum" or "none".
The arguments ``size_average`` and ``reduce`` are its predecessors, still understood.
"""

import warnings
from collections.abc import Callable
from typing import Any

from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.distance import PairwiseDistance
from chainrule.nn.modules.module import Module

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


def _reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """``reduction``, unless one of its predecessors was given."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        chosen = "none"
    elif size_average is False:
        chosen = "sum"
    else:
        chosen = "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.",
        stacklevel=4,
    )
    return chosen


class _Loss(Module):
    reduction: str

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.reduction = _reduction(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    """A loss with a weight per class (or per element), kept as a buffer."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.weight: Tensor | None


class L1Loss(_Loss):
    """|x − y|, of inputs of one shape.

    >>> nn.L1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0]))
    tensor(1.5000)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """−w_c·x(n, c) at the target class c; the mean divides by the sum of the weights used.

    Shapes: input of log-probabilities (N, C), (C) or (N, C, d₁, …); target of classes (N), () or (N, d₁, …).
    Targets equal to ``ignore_index`` count for nothing.

    >>> nn.NLLLoss()(torch.tensor([[-0.1, -2.4]]), torch.tensor([1]))
    tensor(2.4000)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class NLLLoss2d(NLLLoss):
    """The old name of NLLLoss for images."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        warnings.warn(
            "NLLLoss2d has been deprecated. Please use NLLLoss instead as a drop-in replacement.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class PoissonNLLLoss(_Loss):
    """eˣ − y·x, or x − y·log(x + eps) with ``log_input=False``.

    ``full`` adds Stirling's y·log y − y + ½·log(2πy) where y > 1.

    >>> nn.PoissonNLLLoss()(torch.tensor([0.0]), torch.tensor([2.0]))
    tensor(1.)
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            log_input,
            target,
            log_input=self.log_input,
            full=self.full,
            eps=self.eps,
            reduction=self.reduction,
        )


class GaussianNLLLoss(_Loss):
    """½·(log v + (x − y)²/v), v = max(var, eps); ``full`` adds ½·log 2π.

    >>> nn.GaussianNLLLoss()(torch.tensor([1.0]), torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.5000)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """y·(log y − x), x a log-probability; with ``log_target`` y is one too: eʸ·(y − x).

    "batchmean" divides the sum by the batch size, which is the divergence as defined; "mean" divides by all
    elements.

    >>> nn.KLDivLoss(reduction="batchmean")(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class MSELoss(_Loss):
    """(x − y)², of inputs of one shape.

    >>> nn.MSELoss()(torch.tensor([1.0, 3.0]), torch.tensor([0.0, 0.0]))
    tensor(5.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class BCELoss(_WeightedLoss):
    """−w·(y·log x + (1 − y)·log(1 − x)) of probabilities x; the logarithms are cut off at −100.

    >>> nn.BCELoss()(torch.tensor([0.5]), torch.tensor([1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """BCELoss of sigmoid(x), computed without overflow; ``pos_weight`` multiplies the term of y.

    >>> nn.BCEWithLogitsLoss()(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)
        self.weight: Tensor | None
        self.pos_weight: Tensor | None

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class HingeEmbeddingLoss(_Loss):
    """x where y = 1, max(0, margin − x) where y = −1.

    >>> nn.HingeEmbeddingLoss(reduction="none")(torch.tensor([0.5, 0.2]), torch.tensor([1, -1]))
    tensor([0.5000, 0.8000])
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """Σᵢⱼ max(0, 1 − (x[y_j] − x[i]))/C over the target classes y_j and the other classes i.

    Shapes: input (N, C) or (C); target of class indices of the same shape, the list ending at the first −1.

    >>> x, y = torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([[3, 0, -1, 1]])
    >>> nn.MultiLabelMarginLoss()(x, y)
    tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """½·(x − y)²/beta where |x − y| < beta, else |x − y| − ½·beta.

    >>> nn.SmoothL1Loss()(torch.tensor([0.5]), torch.tensor([0.0]))
    tensor(0.1250)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """½·(x − y)² where |x − y| ≤ delta, else delta·(|x − y| − ½·delta).

    >>> nn.HuberLoss()(torch.tensor([3.0]), torch.tensor([0.0]))
    tensor(2.5000)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class SoftMarginLoss(_Loss):
    """log(1 + e^(−y·x)), y ±1.

    >>> nn.SoftMarginLoss()(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """−Σ_c y_c·log softmax(x)_c: NLLLoss of a LogSoftmax.

    Shapes: input of scores (N, C), (C) or (N, C, d₁, …); target of classes (N), () or (N, d₁, …), or of
    probabilities, shaped as the input. Target classes equal to ``ignore_index`` count for nothing;
    ``label_smoothing`` ε mixes the target with the uniform distribution, (1 − ε) to ε; ``weight`` is per
    class.

    >>> nn.CrossEntropyLoss()(torch.zeros(3, 5), torch.tensor([0, 1, 4]))
    tensor(1.6094)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """−1/C·Σ_c w_c·(y_c·log sigmoid(x_c) + (1 − y_c)·log sigmoid(−x_c)), of (N, C).

    >>> nn.MultiLabelSoftMarginLoss()(torch.zeros(1, 2), torch.tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """1 − cos(x₁, x₂) where y = 1, max(0, cos(x₁, x₂) − margin) where y = −1.

    Shapes: inputs (N, D) or (D), target (N) or ().

    >>> nn.CosineEmbeddingLoss()(torch.ones(1, 2), torch.ones(1, 2), torch.tensor([-1]))
    tensor(1.)
    """

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """max(0, −y·(x₁ − x₂) + margin), y ±1.

    >>> nn.MarginRankingLoss()(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.)
    """

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Σ_{i≠y} max(0, w_y·(margin − x[y] + x[i]))ᵖ/C, p 1 or 2.

    Shapes: input (N, C) or (C), target of classes (N) or ().

    >>> nn.MultiMarginLoss()(torch.tensor([[0.1, 0.2, 0.4, 0.8]]), torch.tensor([3]))
    tensor(0.3250)
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p != 1 and p != 2:
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """max(0, d(a, p) − d(a, n) + margin), d the p-norm of the difference.

    With ``swap`` the nearer of d(a, n) and d(p, n) counts (Balntas et al. 2016). Shapes: (N, D) or (D) each.

    >>> a, p, n = torch.zeros(1, 2), torch.zeros(1, 2), torch.ones(1, 2)
    >>> nn.TripletMarginLoss(margin=2.0)(a, p, n).item() > 0
    True
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with a distance function of the user's own; without one, PairwiseDistance.

    >>> loss = nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(-1))
    >>> loss(torch.zeros(1, 2), torch.ones(1, 2), torch.zeros(1, 2))
    tensor(3.)
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function: Any = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class CTCLoss(_Loss):
    """−log of the probability of the target sequence, summed over all its alignments (Graves et al. 2006).

    Shapes: ``log_probs`` (T, N, C) or (T, C); ``targets`` (N, S) or all of them joined; the lengths (N) or
    (). The mean divides each loss by its target's length. ``blank`` is the class between labels;
    ``zero_infinity`` makes the losses of impossible alignments, and their gradients, zero.
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        return F.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )
