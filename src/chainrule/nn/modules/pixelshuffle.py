"""Moving values between channels and pixels: PixelShuffle and its inverse."""

from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """(*, C·r², H, W) to (*, C, H·r, W·r), r = ``upscale_factor`` (Shi et al. 2016).

    >>> nn.PixelShuffle(3)(torch.zeros(1, 9, 4, 4)).shape
    torch.Size([1, 1, 12, 12])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(*, C, H·r, W·r) to (*, C·r², H, W), r = ``downscale_factor``: the inverse of PixelShuffle.

    >>> nn.PixelUnshuffle(3)(torch.zeros(1, 1, 12, 12)).shape
    torch.Size([1, 9, 4, 4])
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
