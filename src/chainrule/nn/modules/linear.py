"""Affine layers: Linear, Bilinear, and Identity, the layer that does nothing."""

import math
from typing import Any

import chainrule
from chainrule import Tensor
from chainrule.nn import functional as F
from chainrule.nn import init
from chainrule.nn.modules.module import Module
from chainrule.nn.parameter import Parameter

__all__ = ["Bilinear", "Identity", "Linear"]


class Identity(Module):
    """Gives back its input; any arguments are accepted and ignored.

    >>> nn.Identity(54, unused=0.1)(torch.tensor([1.0]))
    tensor([1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """y = x Wᵀ + b.

    Shapes: input (*, in_features), output (*, out_features); weight (out_features, in_features), bias
    (out_features). Both start uniform in ±1/√in_features.

    Arguments: ``in_features``, ``out_features``; ``bias=False`` leaves b out; ``device``, ``dtype`` of the
    weights.

    >>> nn.Linear(20, 30)(torch.zeros(128, 20)).shape
    torch.Size([128, 30])
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(chainrule.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(chainrule.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        # A Kaiming draw with a = sqrt(5) is uniform in ±1/sqrt(in_features).
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class Bilinear(Module):
    """yₖ = x₁ᵀ Aₖ x₂ + bₖ.

    Shapes: inputs (*, in1_features) and (*, in2_features), output (*, out_features); weight (out_features,
    in1_features, in2_features), bias (out_features). Both start uniform in ±1/√in1_features.

    Arguments: ``in1_features``, ``in2_features``, ``out_features``; ``bias=False`` leaves b out.

    >>> nn.Bilinear(20, 30, 40)(torch.zeros(128, 20), torch.zeros(128, 30)).shape
    torch.Size([128, 40])
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(chainrule.empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(chainrule.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
