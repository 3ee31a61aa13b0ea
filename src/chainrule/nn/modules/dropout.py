"""Dropout layers: each sets part of its input to zero while training and does nothing in evaluation."""

from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    """Arguments and printing of all dropout layers."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Sets each element to zero with probability ``p``; the others grow by 1/(1 − p) (Srivastava 2014).

    >>> nn.Dropout(0.2).eval()(torch.ones(3))
    tensor([1., 1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Sets channels of (N, C, L) or (C, L) to zero with probability ``p``; the others grow by 1/(1 − p).

    >>> nn.Dropout1d(0.2).eval()(torch.ones(1, 2, 3)).sum().item()
    6.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Sets whole channels of (N, C, H, W) to zero with probability ``p``; the others grow by 1/(1 − p).

    >>> nn.Dropout2d(0.2).eval()(torch.ones(1, 2, 3, 3)).sum().item()
    18.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Sets whole channels of (N, C, D, H, W) to zero with probability ``p``; the others grow by 1/(1 − p).

    >>> nn.Dropout3d(0.2).eval()(torch.ones(1, 2, 2, 2, 2)).sum().item()
    16.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Sets elements to SELU's negative limit with probability ``p``.

    The result is rescaled so that mean 0 and variance 1 survive (Klambauer et al. 2017).

    >>> nn.AlphaDropout(0.2).eval()(torch.ones(2))
    tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels of (N, C, *).

    >>> nn.FeatureAlphaDropout(0.2).eval()(torch.ones(1, 2, 2)).sum().item()
    4.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
