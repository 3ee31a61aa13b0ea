"""Pooling layers: the largest, the mean or the p-norm of windows, of a fixed size or in a fixed number."""

from typing import Any

from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.module import Module
from chainrule.nn.modules.utils import _single

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
]


class _MaxPoolNd(Module):
    """Arguments and printing of max pooling."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The largest value in each window of ``kernel_size``, windows ``stride`` apart (default: kernel_size).

    Shape: (N, C, L) or (C, L) to the same with
    L_out = ⌊(L + 2·padding − dilation·(kernel_size − 1) − 1)/stride⌋ + 1, rounded up with ``ceil_mode``. The
    padding is −∞. ``return_indices=True`` also gives where the values were.

    >>> nn.MaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[3., 2.]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class MaxPool2d(_MaxPoolNd):
    """The largest value in each window of (N, C, H, W) or (C, H, W); sizes and arguments as in MaxPool1d.

    >>> nn.MaxPool2d(3, stride=2)(torch.zeros(2, 4, 9, 7)).shape
    torch.Size([2, 4, 4, 3])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class MaxPool3d(_MaxPoolNd):
    """The largest value in each window of (N, C, D, H, W) or (C, D, H, W); all as in MaxPool1d.

    >>> nn.MaxPool3d(2)(torch.zeros(1, 1, 4, 6, 8)).shape
    torch.Size([1, 1, 2, 3, 4])
    """

    def forward(self, input: Tensor) -> Any:
        return F.max_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class _AvgPoolNd(Module):
    """Printing of average pooling."""

    kernel_size: Any
    stride: Any
    padding: Any

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of ``kernel_size``, windows ``stride`` apart (default: kernel_size).

    Shape: (N, C, L) or (C, L) to the same with L_out = ⌊(L + 2·padding − kernel_size)/stride⌋ + 1, rounded up
    with ``ceil_mode``. The padding is zero; ``count_include_pad=False`` leaves it out of the mean.

    >>> nn.AvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of (N, C, H, W) or (C, H, W); sizes and arguments as in AvgPool1d.

    ``divisor_override`` divides the sums by that number instead of by the window's size.

    >>> nn.AvgPool2d((2, 3))(torch.ones(1, 4, 6))
    tensor([[[1., 1.],
             [1., 1.]]])
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool3d(_AvgPoolNd):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W); sizes and arguments as in AvgPool2d.

    >>> nn.AvgPool3d(2)(torch.ones(1, 1, 2, 2, 2)).item()
    1.0
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class _LPPoolNd(Module):
    """Arguments and printing of power-average pooling."""

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """(Σ xᵖ)^(1/p) of each window, p = ``norm_type``; no absolute value is taken, and the gradient at 0 is 0.

    Shape: (N, C, L) or (C, L) to the same with L_out = ⌊(L − kernel_size)/stride⌋ + 1.

    >>> nn.LPPool1d(2, 2)(torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPoolNd):
    """(Σ xᵖ)^(1/p) of each window of (N, C, H, W) or (C, H, W); arguments as in LPPool1d.

    >>> nn.LPPool2d(1, 2)(torch.ones(1, 1, 2, 2)).item()
    4.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """(Σ xᵖ)^(1/p) of each window of (N, C, D, H, W) or (C, D, H, W); arguments as in LPPool1d.

    >>> nn.LPPool3d(1, 2)(torch.ones(1, 1, 2, 2, 2)).item()
    8.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class _AdaptiveMaxPoolNd(Module):
    """Arguments and printing of adaptive max pooling."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest value in each of ``output_size`` windows that cover the input evenly.

    Window i runs from ⌊i·L/n⌋ to ⌈(i + 1)·L/n⌉. Shape: (N, C, L) or (C, L) to the same with L = output_size.

    >>> nn.AdaptiveMaxPool1d(2)(torch.tensor([[1.0, 3.0, 2.0]]))
    tensor([[3., 3.]])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest value of windows as in AdaptiveMaxPool1d, of (N, C, H, W) or (C, H, W); None keeps a size.

    >>> nn.AdaptiveMaxPool2d((5, None))(torch.zeros(1, 64, 8, 9)).shape
    torch.Size([1, 64, 5, 9])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest value of windows as in AdaptiveMaxPool1d, over (N, C, D, H, W) or (C, D, H, W).

    >>> nn.AdaptiveMaxPool3d(2)(torch.zeros(1, 3, 4, 5, 6)).shape
    torch.Size([1, 3, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _AdaptiveAvgPoolNd(Module):
    """Arguments and printing of adaptive average pooling."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of each of ``output_size`` windows, cut as in AdaptiveMaxPool1d.

    Shape: (N, C, L) or (C, L) to the same with L = output_size.

    >>> nn.AdaptiveAvgPool1d(2)(torch.tensor([[1.0, 3.0, 2.0, 0.0]]))
    tensor([[2., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean of windows as in AdaptiveMaxPool1d, over (N, C, H, W) or (C, H, W); None keeps a size.

    >>> nn.AdaptiveAvgPool2d(1)(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 1, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean of windows as in AdaptiveMaxPool1d, over (N, C, D, H, W) or (C, D, H, W); None keeps a size.

    >>> nn.AdaptiveAvgPool3d((1, 2, None))(torch.zeros(1, 3, 4, 5, 6)).shape
    torch.Size([1, 3, 1, 2, 6])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)
