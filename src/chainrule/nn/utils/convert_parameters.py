"""All parameters as one vector, and back."""

from collections.abc import Iterable

import chainrule
from chainrule import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The parameters one after the other as one 1-D tensor (recorded: gradients flow through it).

    >>> nn.utils.parameters_to_vector(nn.Linear(2, 3).parameters()).shape
    torch.Size([9])
    """
    return chainrule.cat([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Make the parameters views of consecutive pieces of ``vec``."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {chainrule.typename(vec)}")
    start = 0
    for parameter in parameters:
        stop = start + parameter.numel()
        parameter.data = vec[start:stop].view_as(parameter).data
        start = stop
