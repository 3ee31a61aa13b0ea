"""Instance normalisation in one, two and three dimensions."""

import warnings
from typing import Any

from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.batchnorm import _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(_NormBase):
    """Instance normalisation over as many trailing dimensions as a subclass says."""

    _spatial: int

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Tensor) -> None:
        alone, batched = self._spatial + 1, self._spatial + 2
        if input.dim() not in (alone, batched):
            raise ValueError(f"expected {alone}D or {batched}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        channel_dim = input.dim() - self._spatial - 1
        if input.size(channel_dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={channel_dim} to match num_features "
                    f"({self.num_features}), but got: {input.size(channel_dim)}."
                )
            warnings.warn(
                f"input's size at dim={channel_dim} does not match num_features. "
                "You can silence this warning by not passing in num_features, "
                "which is not used because affine=False",
                stacklevel=2,
            )
        if channel_dim == 0:
            return self._normalised(input.unsqueeze(0)).squeeze(0)
        return self._normalised(input)

    def _normalised(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
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
        if version is None and not self.track_running_stats:
            # The first instance norms saved statistics that they never used.
            unused = [
                prefix + name for name in ("running_mean", "running_var") if prefix + name in state_dict
            ]
            if unused:
                names = " and ".join(f'"{key}"' for key in unused)
                cls = type(self).__name__
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {names} for {cls} with track_running_stats=False. "
                    "If state_dict is a checkpoint saved before 0.4.0, this may be expected because "
                    f"{cls} does not track running stats by default since 0.4.0. Please remove these keys "
                    "from state_dict. If the running stats are actually needed, instead set "
                    f"track_running_stats=True in {cls} to enable them. See the documentation of {cls} for "
                    "details."
                )
            for key in unused:
                del state_dict[key]
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class InstanceNorm1d(_InstanceNorm):
    """y = (x − E[x])/√(Var[x] + eps)·γ + β, the statistics over each instance and channel alone.

    Ulyanov et al. 2016. Shape: (N, C, L) or (C, L). Without ``affine`` (the default) there is no γ, β;
    without ``track_running_stats`` the instance's own statistics serve in evaluation too.

    >>> nn.InstanceNorm1d(1)(torch.tensor([[[0.0, 2.0]]])).round()
    tensor([[[-1.,  1.]]])
    """

    _spatial = 1


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) or (C, H, W); formula and arguments as in InstanceNorm1d.

    >>> nn.InstanceNorm2d(3)(torch.ones(2, 3, 4, 4)).abs().max().item()
    0.0
    """

    _spatial = 2


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of (N, C, D, H, W) or (C, D, H, W); formula and arguments as in InstanceNorm1d.

    >>> nn.InstanceNorm3d(3)(torch.ones(2, 3, 2, 4, 4)).shape
    torch.Size([2, 3, 2, 4, 4])
    """

    _spatial = 3
