"""ChannelShuffle: mixing the channels of a grouped convolution."""

from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Reorders the channels of (N, C, *) from (groups, C/groups) to (C/groups, groups) (Zhang et al. 2018).

    >>> nn.ChannelShuffle(2)(torch.arange(4.0).view(1, 4, 1, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
