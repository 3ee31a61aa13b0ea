"""Taking an image apart into sliding blocks, and adding blocks together again."""

from typing import Any

from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.module import Module

__all__ = ["Fold", "Unfold"]


class Fold(Module):
    """Adds blocks into an image: the transpose of Unfold.

    Shape: (N, C·kH·kW, L) or without N to (N, C, *output_size), L the number of block positions. Overlapping
    values are summed.

    >>> nn.Fold(output_size=(4, 5), kernel_size=(2, 2))(torch.zeros(1, 3 * 2 * 2, 12)).shape
    torch.Size([1, 3, 4, 5])
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Lays out every sliding block of an image as a column.

    Shape: (N, C, H, W) or (C, H, W) to (N, C·kH·kW, L), L the number of block positions.

    >>> nn.Unfold(kernel_size=(2, 3))(torch.zeros(2, 5, 3, 4)).shape
    torch.Size([2, 30, 4])
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )
