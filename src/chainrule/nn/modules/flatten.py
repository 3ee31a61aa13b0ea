"""Flatten and Unflatten: several dimensions into one, and back."""

from typing import Any

from chainrule import Tensor
from chainrule.nn.modules.module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Joins the dimensions from ``start_dim`` to ``end_dim`` (by default all but the first) into one.

    Shape: (*, S₁, …, Sₙ, *) to (*, S₁·…·Sₙ, *).

    >>> nn.Flatten()(torch.zeros(32, 1, 5, 5)).shape
    torch.Size([32, 25])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits dimension ``dim`` into the sizes ``unflattened_size``, of which one may be -1.

    Shape: (*, S₁·…·Sₙ, *) to (*, S₁, …, Sₙ, *).

    >>> nn.Unflatten(1, (2, 5, 5))(torch.zeros(2, 50)).shape
    torch.Size([2, 2, 5, 5])
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError("invalid argument type for dim parameter")
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for position, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, "
                    f"but found element of type {type(size).__name__} at pos {position}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
