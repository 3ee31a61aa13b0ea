"""Convolution layers, plain and transposed, in one, two and three dimensions.

What they share is in _ConvNd and _ConvTransposeNd; each layer says how many dimensions it has and which
function it calls.
"""

import math
from typing import Any

import chainrule
from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn import init
from chainrule.nn.modules.module import Module
from chainrule.nn.modules.utils import _pair, _reverse_repeat_tuple, _single, _triple
from chainrule.nn.parameter import Parameter

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


class _ConvNd(Module):
    """Weights, checks and printing of all convolutions."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple,
        stride: tuple,
        padding: Any,
        dilation: tuple,
        transposed: bool,
        output_padding: tuple,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(step != 1 for step in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, "
                f"but got padding_mode='{padding_mode}'"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._edges()
        if transposed:
            shape = (in_channels, out_channels // groups, *kernel_size)
        else:
            shape = (out_channels, in_channels // groups, *kernel_size)
        self.weight = Parameter(chainrule.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(chainrule.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _edges(self) -> list[int]:
        """The padding as ``F.pad`` takes it: (left, right) per dimension, the last dimension first."""
        if self.padding == "valid":
            return [0, 0] * len(self.kernel_size)
        if self.padding == "same":
            edges: list[int] = []
            for size, spread in zip(reversed(self.kernel_size), reversed(self.dilation), strict=True):
                total = spread * (size - 1)
                edges += [total // 2, total - total // 2]
            return edges
        return list(_reverse_repeat_tuple(self.padding, 2))

    def reset_parameters(self) -> None:
        """Draw the initial weights again: uniform in ±1/√fan_in, the bias too."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def _padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """The input and the padding that is left for the convolution to do."""
        if self.padding_mode == "zeros":
            return input, self.padding
        padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return padded, (0,) * len(self.kernel_size)

    def extra_repr(self) -> str:
        n = len(self.kernel_size)
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        if self.padding != (0,) * n:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * n:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * n:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")


class Conv1d(_ConvNd):
    """Cross-correlation over one dimension: out(n, k) = bₖ + Σ_c w(k, c) ⋆ input(n, c).

    Shapes: input (N, C_in, L) or (C_in, L); output (N, C_out, L_out) with
    L_out = ⌊(L + 2·padding − dilation·(kernel_size − 1) − 1)/stride⌋ + 1; weight (C_out, C_in/groups,
    kernel_size).

    Arguments: ``padding`` a number, "valid" or "same" (stride 1 only); ``padding_mode`` zeros, reflect,
    replicate or circular; ``groups`` parts the channels into that many convolutions side by side.

    >>> nn.Conv1d(16, 33, 3, stride=2)(torch.zeros(20, 16, 50)).shape
    torch.Size([20, 33, 24])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            _single(kernel_size),
            _single(stride),
            padding if isinstance(padding, str) else _single(padding),
            _single(dilation),
            False,
            _single(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        input, padding = self._padded(input)
        return F.conv1d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(_ConvNd):
    """Cross-correlation over two dimensions: out(n, k) = bₖ + Σ_c w(k, c) ⋆ input(n, c).

    Shapes: input (N, C_in, H, W) or (C_in, H, W); output (N, C_out, H_out, W_out), each size
    ⌊(size + 2·padding − dilation·(kernel_size − 1) − 1)/stride⌋ + 1; weight (C_out, C_in/groups, kH, kW).

    Arguments: sizes are a number or a pair (height, width); ``padding`` also "valid" or "same" (stride 1
    only); ``padding_mode`` zeros, reflect, replicate or circular; ``groups`` parts the channels.

    >>> nn.Conv2d(3, 8, (3, 5), padding="same")(torch.zeros(2, 3, 10, 12)).shape
    torch.Size([2, 8, 10, 12])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            _pair(kernel_size),
            _pair(stride),
            padding if isinstance(padding, str) else _pair(padding),
            _pair(dilation),
            False,
            _pair(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        input, padding = self._padded(input)
        return F.conv2d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv3d(_ConvNd):
    """Cross-correlation over three dimensions: out(n, k) = bₖ + Σ_c w(k, c) ⋆ input(n, c).

    Shapes: input (N, C_in, D, H, W) or without N; output sizes as in Conv2d; weight (C_out, C_in/groups, kD,
    kH, kW).

    Arguments: as Conv2d, with triples (depth, height, width).

    >>> nn.Conv3d(2, 4, 3, padding=1)(torch.zeros(1, 2, 4, 5, 6)).shape
    torch.Size([1, 4, 4, 5, 6])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            _triple(kernel_size),
            _triple(stride),
            padding if isinstance(padding, str) else _triple(padding),
            _triple(dilation),
            False,
            _triple(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        input, padding = self._padded(input)
        return F.conv3d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class _ConvTransposeNd(_ConvNd):
    """What the transposed convolutions share: only zeros as padding, and the choice of an output size."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple,
        stride: tuple,
        padding: tuple,
        dilation: tuple,
        transposed: bool,
        output_padding: tuple,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            transposed,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Any) -> Any:
        """The extra size at one end that makes the output ``output_size``; ValueError when none does."""
        if output_size is None:
            return self.output_padding
        n = len(self.kernel_size)
        leading = 2 if input.dim() == n + 2 else 1
        wanted = list(output_size)
        if len(wanted) == leading + n:
            wanted = wanted[leading:]
        if len(wanted) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} "
                f"or {leading + n} elements (got {len(output_size)})"
            )
        smallest = []
        for d in range(n):
            size = input.size(d + leading)
            smallest.append(
                (size - 1) * self.stride[d]
                - 2 * self.padding[d]
                + self.dilation[d] * (self.kernel_size[d] - 1)
                + 1
            )
        largest = [low + step - 1 for low, step in zip(smallest, self.stride, strict=True)]
        for size, low, high in zip(wanted, smallest, largest, strict=True):
            if not low <= size <= high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range from {smallest} "
                    f"to {largest} (for an input of {input.size()[2:]})"
                )
        return tuple(size - low for size, low in zip(wanted, smallest, strict=True))


class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of Conv1d with respect to its input, as a layer: it enlarges where Conv1d reduces.

    Shapes: input (N, C_in, L) or (C_in, L); output (N, C_out, L_out) with
    L_out = (L − 1)·stride − 2·padding + dilation·(kernel_size − 1) + output_padding + 1; weight (C_in,
    C_out/groups, kernel_size).

    Arguments: ``output_padding`` extends one end of the output; or give forward the ``output_size`` wanted.

    >>> nn.ConvTranspose1d(4, 2, 3, stride=2)(torch.zeros(1, 4, 5), output_size=[12]).shape
    torch.Size([1, 2, 12])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            _single(kernel_size),
            _single(stride),
            _single(padding),
            _single(dilation),
            True,
            _single(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose2d(_ConvTransposeNd):
    """The gradient of Conv2d with respect to its input, as a layer: it enlarges where Conv2d reduces.

    Shapes: input (N, C_in, H, W) or (C_in, H, W); output sizes
    (size − 1)·stride − 2·padding + dilation·(kernel_size − 1) + output_padding + 1; weight (C_in,
    C_out/groups, kH, kW).

    Arguments: as ConvTranspose1d, with pairs (height, width).

    >>> nn.ConvTranspose2d(16, 33, 3, stride=2)(torch.zeros(2, 16, 5, 10)).shape
    torch.Size([2, 33, 11, 21])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            _pair(kernel_size),
            _pair(stride),
            _pair(padding),
            _pair(dilation),
            True,
            _pair(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose3d(_ConvTransposeNd):
    """The gradient of Conv3d with respect to its input, as a layer: it enlarges where Conv3d reduces.

    Shapes: input (N, C_in, D, H, W) or without N; output sizes as in ConvTranspose2d; weight (C_in,
    C_out/groups, kD, kH, kW).

    Arguments: as ConvTranspose1d, with triples (depth, height, width).

    >>> nn.ConvTranspose3d(2, 3, 2, stride=2)(torch.zeros(1, 2, 3, 3, 3)).shape
    torch.Size([1, 3, 6, 6, 6])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            _triple(kernel_size),
            _triple(stride),
            _triple(padding),
            _triple(dilation),
            True,
            _triple(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        return F.conv_transpose3d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )
