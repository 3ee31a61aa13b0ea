"""Padding layers: each adds borders to the trailing dimensions, filled in its own way.

``padding`` is one number for all sides, or (left, right), (left, right, top, bottom), (left, right, top,
bottom, front, back) for one, two and three dimensions.
"""

from typing import Any

from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn.modules.module import Module
from chainrule.nn.modules.utils import _ntuple, _pair, _quadruple

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

_sextuple = _ntuple(6)


class _PadNd(Module):
    padding: tuple

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    def _check_input_dim(self, input: Tensor) -> None:
        spatial = len(self.padding) // 2
        if input.dim() not in (spatial + 1, spatial + 2):
            raise ValueError(f"expected {spatial + 1}D or {spatial + 2}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """Pads (N, C, L) or (C, L) with the values from the other end.

    >>> nn.CircularPad1d(1)(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _pair(padding)


class CircularPad2d(_CircularPadNd):
    """Pads (N, C, H, W) or (C, H, W) with the values from the other end of each dimension.

    >>> nn.CircularPad2d(1)(torch.zeros(1, 2, 3)).shape
    torch.Size([1, 4, 5])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _quadruple(padding)


class CircularPad3d(_CircularPadNd):
    """Pads (N, C, D, H, W) or (C, D, H, W) with the values from the other end of each dimension.

    >>> nn.CircularPad3d(1)(torch.zeros(1, 2, 3, 4)).shape
    torch.Size([1, 4, 5, 6])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _sextuple(padding)


class _ConstantPadNd(_PadNd):
    value: float

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last dimension with ``value``.

    >>> nn.ConstantPad1d((2, 1), 3.5)(torch.tensor([1.0]))
    tensor([3.5000, 3.5000, 1.0000, 3.5000])
    """

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding = _pair(padding)
        self.value = value


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two dimensions with ``value``.

    >>> nn.ConstantPad2d(1, 3.0)(torch.zeros(1, 1, 2, 2)).sum().item()
    36.0
    """

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding = _quadruple(padding)
        self.value = value


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three dimensions with ``value``.

    >>> nn.ConstantPad3d(1, 1.0)(torch.zeros(1, 1, 1, 1)).sum().item()
    26.0
    """

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding = _sextuple(padding)
        self.value = value


class _ReflectionPadNd(_PadNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")


class ReflectionPad1d(_ReflectionPadNd):
    """Pads (N, C, L) or (C, L) with its mirror image, the border value not repeated.

    >>> nn.ReflectionPad1d(2)(torch.tensor([[0.0, 1.0, 2.0]]))
    tensor([[2., 1., 0., 1., 2., 1., 0.]])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _pair(padding)


class ReflectionPad2d(_ReflectionPadNd):
    """Pads (N, C, H, W) or (C, H, W) with its mirror image, the border values not repeated.

    >>> nn.ReflectionPad2d((1, 1, 2, 0))(torch.zeros(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _quadruple(padding)


class ReflectionPad3d(_ReflectionPadNd):
    """Pads (N, C, D, H, W) or (C, D, H, W) with its mirror image, the border values not repeated.

    >>> nn.ReflectionPad3d(1)(torch.zeros(1, 1, 2, 2, 2)).shape
    torch.Size([1, 1, 4, 4, 4])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _sextuple(padding)


class _ReplicationPadNd(_PadNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")


class ReplicationPad1d(_ReplicationPadNd):
    """Pads (N, C, L) or (C, L) by repeating its border values.

    >>> nn.ReplicationPad1d((1, 2))(torch.tensor([[0.0, 1.0]]))
    tensor([[0., 0., 1., 1., 1.]])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _pair(padding)


class ReplicationPad2d(_ReplicationPadNd):
    """Pads (N, C, H, W) or (C, H, W) by repeating its border values.

    >>> nn.ReplicationPad2d(1)(torch.ones(1, 1, 1)).sum().item()
    9.0
    """

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _quadruple(padding)


class ReplicationPad3d(_ReplicationPadNd):
    """Pads (N, C, D, H, W) or (C, D, H, W) by repeating its border values.

    >>> nn.ReplicationPad3d(1)(torch.ones(1, 1, 1, 1)).sum().item()
    27.0
    """

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _sextuple(padding)


class ZeroPad1d(ConstantPad1d):
    """Pads the last dimension with zeros.

    >>> nn.ZeroPad1d(1)(torch.ones(2))
    tensor([0., 1., 1., 0.])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Pads the last two dimensions with zeros.

    >>> nn.ZeroPad2d((1, 1, 2, 0))(torch.ones(1, 1, 3, 3)).shape
    torch.Size([1, 1, 5, 5])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Pads the last three dimensions with zeros.

    >>> nn.ZeroPad3d(1)(torch.ones(1, 1, 1, 1)).sum().item()
    1.0
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"
