"""Batch normalisation in one, two and three dimensions, and what it shares with instance normalisation."""

from typing import Any

import chainrule
from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn import init
from chainrule.nn.modules.module import Module
from chainrule.nn.parameter import Parameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]


class _NormBase(Module):
    """Scale, shift and running statistics of a normalisation per channel."""

    # Version 2 added num_batches_tracked.
    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = Parameter(chainrule.empty(num_features, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        if affine and bias:
            self.bias = Parameter(chainrule.empty(num_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        if track_running_stats:
            self.register_buffer("running_mean", chainrule.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", chainrule.ones(num_features, device=device, dtype=dtype))
            count = chainrule.tensor(0, dtype=chainrule.int64, device=device)
            self.register_buffer("num_batches_tracked", count)
        else:
            self.register_buffer("running_mean", None)
            self.register_buffer("running_var", None)
            self.register_buffer("num_batches_tracked", None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the statistics: mean 0, variance 1, no batch seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Scale 1, shift 0, and no statistics."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        version = local_metadata.get("version", None)
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            count = self.num_batches_tracked
            if count is None or count.is_meta:
                count = chainrule.tensor(0, dtype=chainrule.int64)
            state_dict[key] = count
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    """Batch normalisation over whatever dimensions a subclass accepts."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                # Without a momentum the statistics are the plain average of all batches.
                factor = 1.0 / float(self.num_batches_tracked)
        own_statistics = self.running_mean is None and self.running_var is None
        tracked = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if tracked else None,
            self.running_var if tracked else None,
            self.weight,
            self.bias,
            self.training or own_statistics,
            factor,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """y = (x − E[x])/√(Var[x] + eps)·γ + β per channel, over a batch (Ioffe & Szegedy 2015).

    Shape: (N, C) or (N, C, L). The variance that normalises is the biased one; the running one is unbiased.

    Arguments: ``num_features`` C; ``momentum`` the weight of the new batch in the running statistics, None
    for a plain average; ``affine=False`` leaves γ and β out, ``bias=False`` only β;
    ``track_running_stats=False`` uses the batch in
    evaluation too.

    >>> nn.BatchNorm1d(2, affine=False)(torch.tensor([[0.0, 1.0], [2.0, 5.0]])).round()
    tensor([[-1., -1.],
            [ 1.,  1.]])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W), per channel C; formula and arguments as in BatchNorm1d.

    >>> nn.BatchNorm2d(3)(torch.ones(2, 3, 4, 4)).abs().max().item()
    0.0
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W), per channel C; formula and arguments as in BatchNorm1d.

    >>> nn.BatchNorm3d(3)(torch.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")
