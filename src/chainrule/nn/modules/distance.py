"""Distances between pairs of vectors, as layers."""

from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """‖x₁ − x₂ + eps‖ₚ along the last dimension; ``keepdim`` keeps it with size 1.

    Shapes: (N, D) or (D) each, output (N) or ().

    >>> nn.PairwiseDistance()(torch.tensor([[3.0, 0.0]]), torch.tensor([[0.0, 4.0]])).round()
    tensor([5.])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """x₁·x₂/max(‖x₁‖‖x₂‖, eps) along ``dim``, which the output lacks.

    >>> nn.CosineSimilarity()(torch.tensor([[1.0, 0.0]]), torch.tensor([[2.0, 0.0]]))
    tensor([1.])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
